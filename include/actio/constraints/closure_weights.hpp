// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Weights of the rows of loops and couplings, one block per loop or coupling, from the inertia of the bodies that they connect.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "actio/constraints/closures.hpp"
#include "actio/constraints/coupling.hpp"
#include "actio/constraints/mobility.hpp"
#include "actio/constraints/row.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/invert.hpp"
#include "actio/model/describe.hpp"

namespace actio::detail {

/// Weights of groups of rows, where a group is a loop or coupling:
///   E = (sum over its bodies b of n_b J_b I_b^-1 J_b^T)^-1,
/// with I_b the inertia of the single body and n_b the number of groups that act on it. Because the mass matrix is J^T I J plus armature,
/// the spectrum of E^1/2 D M^-1 D^T E^1/2 lies in [0, 1] for any tree.                                           [srm_math.md, section 5]
template <Scalar S>
class RowWeights {
 public:
  /// @param acts_on (bodies) how often groups act on each body, once per attachment; bodies with a nonzero number have full inertia.
  template <class Joints>
  RowWeights(const Model<S, Joints>& model, const BodyArray<int>& acts_on) : bodies_(model), acts_on_(acts_on) {}

  /// Begins a group.  @param count rows of the group, at most 6.
  void begin(std::size_t count) noexcept {
    count_ = static_cast<int>(count);
    for (S& x : mobility_) x = S(0);
  }
  /// Adds the mobility of a body; nothing for the world.  @param wrench_of (row) -> the row's wrench on the body, in its frame.
  template <class WrenchOf>
  void add(BodyIndex b, const WrenchOf& wrench_of) noexcept {
    if (b == 0) return;
    const S n(static_cast<ValueOf<S>>(acts_on_[b]));
    std::array<Vector6<S>, 6> F;  // about the centre of mass
    for (int r = 0; r < count_; ++r) F[static_cast<std::size_t>(r)] = bodies_.about_com(b, wrench_of(r));
    for (int r = 0; r < count_; ++r) {
      const Vector6<S> V = n * bodies_.twist(b, F[static_cast<std::size_t>(r)]);
      for (int c = 0; c <= r; ++c) mobility_[static_cast<std::size_t>(r + count_ * c)] += V.dot(F[static_cast<std::size_t>(c)]);
    }
  }
  /// Computes the weights of the group.
  /// @param E (count x count) out, in the upper left.  @returns false if a row acts on nothing or is redundant within its group.
  bool finish(Matrix6<S>& E) noexcept {
    for (int c = 1; c < count_; ++c) {
      for (int r = 0; r < c; ++r) at(r, c) = at(c, r);
    }
    std::array<int, 6> work;
    if (!invert_in_place(mobility_.data(), count_, work.data())) return false;
    for (int c = 0; c < count_; ++c) {
      for (int r = 0; r < count_; ++r) E(r, c) = (at(r, c) + at(c, r)) / S(2);  // symmetric to the last bit
    }
    return true;
  }

 private:
  S& at(int r, int c) noexcept { return mobility_[static_cast<std::size_t>(r + count_ * c)]; }

  FreeBodies<S> bodies_;
  BodyArray<int> acts_on_;  // n_b
  int count_ = 0;
  std::array<S, 36> mobility_{};  // columns of length count_, lower triangle until finished
};

/// Block-diagonal weights E of a model's active loops, then of its active couplings, with the spectrum of E^1/2 G M^-1 G^T E^1/2 in [0, 1].
///                                                                                                           [srm_math.md, section 5]
template <class ModelType>
class ClosureWeights {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}
  /// @param user name of the user of the weights, for the message.  @param model outlives this.
  /// @throws ModelError if a loop or coupling acts on a body without full inertia.
  ClosureWeights(const Model& model, std::string_view user)
      : model_(&model), groups_(closures_of(model)), weights_(model, acts_on(user)), E_(groups_.size(), Matrix6<S>::Zero()) {}

  std::size_t rows() const noexcept { return num_rows(groups_); }               ///< number of rows of all groups
  const std::vector<Closure<S>>& groups() const noexcept { return groups_; }  ///< loops, then couplings

  /// Computes the weights at the pose of the tree.  @param row (k) -> ConstraintRow k.
  /// @returns the first group with a row that acts on nothing or is redundant within the group; null if there is none.
  template <class RowOf>
  const Closure<S>* set(const TreePose<S>& tree, const RowOf& row) noexcept {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Closure<S>& group = groups_[g];
      weights_.begin(group.count);
      if (group.coupling) {
        add_joint(tree, group.coupling->follower_body, group.coupling->follower_v, S(1));
        add_joint(tree, group.coupling->leader_body, group.coupling->leader_v, S(-group.coupling->ratio));
      } else {
        for (std::size_t side = 0; side < 2; ++side) {
          weights_.add(row(group.first).bodies[side].body,
                       [&](int r) -> const Vector6<S>& { return row(group.first + static_cast<std::size_t>(r)).bodies[side].wrench; });
        }
      }
      if (!weights_.finish(E_[g])) return &group;
    }
    return nullptr;
  }
  /// Computes out = E y.  @param y, out (rows), not the same vector.
  void times(const VectorX<S>& y, VectorX<S>& out) const noexcept {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto first = static_cast<Eigen::Index>(groups_[g].first), count = static_cast<Eigen::Index>(groups_[g].count);
      for (Eigen::Index r = 0; r < count; ++r) {
        S sum(0);
        for (Eigen::Index c = 0; c < count; ++c) sum += E_[g](r, c) * y[first + c];
        out[first + r] = sum;
      }
    }
  }

 private:
  BodyArray<int> acts_on(std::string_view user) const {
    const Model& model = *model_;
    BodyArray<int> acts_on(model.num_bodies(), 0);
    const auto act = [&](BodyIndex b, const std::string& what) {
      if (b > 0 && !model.inertia(b).is_full()) {
        throw ModelError(std::string(user) + " weights constraints by the inertia of their bodies, but body '" + model.body_name(b) + "', on which " + what +
                         " acts, has no mass or no moment of inertia about one of its axes: add it, or choose another integrator or closure method");
      }
      ++acts_on[b];
    };
    for (const Closure<S>& group : groups_) {
      if (group.loop) {
        for (const BodyIndex b : {group.loop->body_a, group.loop->body_b}) act(b, describe(model, culprit(model, group)));
      } else {
        for (const BodyIndex b : {group.coupling->follower_body, group.coupling->leader_body}) {
          for (const BodyIndex side : {b, model.parent(b)}) act(side, describe(model, culprit(model, group)));
        }
      }
    }
    return acts_on;
  }
  /// Adds a joint's rate, which is a wrench times the twist of the joint's child relative to its parent; any such wrench gives a bound.
  void add_joint(const TreePose<S>& tree, BodyIndex child, Eigen::Index v, const S& factor) noexcept {
    const Vector6<S> S_i = tree.subspace.col(v), on_child = S_i * (factor / S_i.squaredNorm());
    weights_.add(child, [&](int) { return on_child; });
    weights_.add(model_->parent(child), [&](int) { return Vector6<S>(-tree.T_PB[child].wrench_to_parent(on_child)); });
  }

  const Model* model_;
  std::vector<Closure<S>> groups_;
  RowWeights<S> weights_;
  std::vector<Matrix6<S>> E_;  // that of each group in the upper left
};

}  // namespace actio::detail
