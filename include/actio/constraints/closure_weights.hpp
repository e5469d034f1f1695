// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Weights of the rows of loops and couplings, one block per loop or coupling, from the inertia of the bodies that they connect.
#include <string>
#include <string_view>
#include <vector>

#include "actio/constraints/closures.hpp"
#include "actio/constraints/coupling.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/constraints/row.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/block_inverses.hpp"
#include "actio/model/describe.hpp"

namespace actio::detail {

/// Block-diagonal weights E of a model's active loops, couplings and nonholonomic constraints. That of each of these closures is
///   E = (sum over its bodies b of n_b J_b I_b^-1 J_b^T)^-1,
/// with I_b the inertia of the single body and n_b the number of closures that act on it. Because the mass matrix is J^T I J
/// plus armature, the spectrum of E^1/2 G M^-1 G^T E^1/2 lies in [0, 1] for any tree.                         [srm_math.md, section 5]
template <class ModelType>
class ClosureWeights {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}
  /// @param user name of the user of the weights, for the message.  @param model outlives this.
  /// @throws ModelError if a closure acts on a body without full inertia.
  ClosureWeights(const Model& model, std::string_view user)
      : groups_(closures_of(model)), mobility_(model, acts_on(model, groups_, user)), E_(groups_.size()) {}
  /// Weights by the bodies that have full inertia.  @param model outlives this.
  explicit ClosureWeights(const Model& model) : ClosureWeights(model, {}) {}

  std::size_t rows() const noexcept { return num_rows(groups_); }               ///< number of rows of all groups
  const std::vector<Closure<S>>& groups() const noexcept { return groups_; }  ///< in the order of rows

  /// Computes the weights at the pose of the tree.  @param row (k) -> ConstraintRow k.
  /// @param diagonal (k, mobility) -> what takes the place of the mobility of row k on the bodies, such as that with its compliance.
  /// @returns the first group with a row that acts on nothing or is redundant within the group; null if there is none.
  ///@{
  template <class RowOf, class Diagonal>
  const Closure<S>* set(const TreePose<S>& tree, const RowOf& row, const Diagonal& diagonal) noexcept {
    Matrix6<S> A;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto first = static_cast<Eigen::Index>(groups_[g].first), size = static_cast<Eigen::Index>(groups_[g].count);
      mobility_.of_group(tree, size, [&](Eigen::Index k) -> const ConstraintRow<S>& { return row(first + k); }, A);
      for (Eigen::Index k = 0; k < size; ++k) A(k, k) = diagonal(first + k, A(k, k));
      if (!E_.set(g, first, size, A)) return &groups_[g];
    }
    return nullptr;
  }
  template <class RowOf>
  const Closure<S>* set(const TreePose<S>& tree, const RowOf& row) noexcept {
    return set(tree, row, [](Eigen::Index, const S& mobility) { return mobility; });
  }
  ///@}
  /// Computes out = E y.  @param y, out (rows).
  template <class Y, class Out>
  void times(const Y& y, Out&& out) const noexcept { E_.multiply(y, out); }

 private:
  static BodyArray<int> acts_on(const Model& model, const std::vector<Closure<S>>& groups, std::string_view user) {
    BodyArray<int> acts_on(model.num_bodies(), 0);
    const auto act = [&](BodyIndex b, const std::string& what) {
      if (!user.empty() && b > 0 && !model.inertia(b).is_full()) {
        throw ModelError(
            std::string(user) + " weights constraints by the inertia of their bodies, but body '" + model.body_name(b) + "', on which " +
            what +
            " acts, has no mass or no moment of inertia about one of its axes: add it, or choose another integrator or Factorization");
      }
      ++acts_on[b];
    };
    for (const Closure<S>& group : groups) {
      if (group.loop) {
        for (const BodyIndex b : {group.loop->body_a, group.loop->body_b}) act(b, describe(model, culprit(model, group)));
      } else if (group.nonholonomic) {
        act(group.nonholonomic->body, describe(model, culprit(model, group)));
      } else {
        for (const BodyIndex b : {group.coupling->follower_body, group.coupling->leader_body}) {
          for (const BodyIndex side : {b, model.parent(b)}) act(side, describe(model, culprit(model, group)));
        }
      }
    }
    return acts_on;
  }

  std::vector<Closure<S>> groups_;
  FreeMobility<Model> mobility_;
  BlockInverses<S> E_;
};

}  // namespace actio::detail
