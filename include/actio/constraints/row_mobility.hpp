// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a row gives way to its own multiplier, all bodies and joints carried along.
#include <utility>
#include <vector>

#include "actio/constraints/row.hpp"
#include "actio/dynamics/body_mobility.hpp"

namespace actio {

/// G M^-1 G^T of single rows on a tree, from the factors of M, in O(bodies) once and O(1) a row.
template <class ModelType>
class RowMobility {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}

  /// @param model outlives this.
  explicit RowMobility(const Model& model)
      : model_(&model), of_bodies_(model.num_bodies(), Matrix6<S>::Zero()), body_of_entry_(model.bodies_of_entries()) {}

  /// How single bodies give way, for all rows there.  @param abi factored at the pose of `tree`; both outlive what follows.
  void begin(const TreePose<S>& tree, const AbiData<S>& abi) noexcept {
    tree_ = &tree;
    abi_ = &abi;
    body_mobilities(*model_, tree, abi, of_bodies_);
  }
  /// Of a row; of one that ties, twice what its parts have, which is not less.
  S operator()(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) {
      if (part.body > 0) sum += part.wrench.dot(of_bodies_[part.body] * part.wrench);
    }
    sum += of_joints(row);
    return row.num_parts() > 1 ? S(S(2) * sum) : sum;
  }
  /// Of a row, of one that ties too: the forces of both its ends are carried towards the root until they meet. O(bodies between the ends).
  S exact(const ConstraintRow<S>& row) const noexcept {
    struct End {
      BodyIndex body = 0;
      Vector6<S> wrench = Vector6<S>::Zero();
    } near, far;  // from the root: the body with the larger number is never nearer
    const auto begin_at = [&](const End& end) { (far.body == 0 ? far : near) = end; };
    ACTIO_ASSERT(row.num_parts() <= 2);
    for (const auto& part : row.bodies) {
      if (part.body > 0) begin_at({part.body, part.wrench});
    }
    for (const auto& part : row.joints) {
      if (part.v >= 0) begin_at({body_of_entry_[static_cast<std::size_t>(part.v)], Vector6<S>::Zero()});
    }
    for (S sum(0);;) {
      if (far.body < near.body) std::swap(near, far);
      if (far.body == 0) return sum;
      if (near.body == far.body) {
        far.wrench += near.wrench;
        near = End{};
      }
      const BodyIndex i = far.body;
      const Eigen::Index first = model_->v_index(i), nv = model_->nv(i);
      Vector6<S> force = Vector6<S>::Zero();  // along the axes of the joint
      bool has_joints = false;                // here or nearer to the root
      for (const auto& part : row.joints) {
        if (part.v < 0 || part.v >= first + nv) continue;
        has_joints = true;
        if (part.v >= first) force[part.v - first] += part.coefficient;
      }
      if (near.body == 0 && !has_joints) return sum + far.wrench.dot(of_bodies_[i] * far.wrench);
      for (Eigen::Index k = 0; k < nv; ++k) force[k] += tree_->subspace.col(first + k).dot(far.wrench);
      for (Eigen::Index k = 0; k < nv; ++k) {
        const S rate = abi_->D_inverse.col(first + k).head(nv).dot(force.head(nv));
        sum += force[k] * rate;
        far.wrench -= rate * abi_->U.col(first + k);
      }
      far = {model_->parent(i), tree_->T_PB[i].wrench_to_parent(far.wrench)};
    }
  }
  /// What it would be if none of it were lost in directions that the bodies cannot go.
  S reach(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) {
      if (part.body > 0) sum += part.wrench.squaredNorm() * of_bodies_[part.body].trace();
    }
    return sum + of_joints(row);
  }
  /// Whether more than rounding gives way: nothing does of a plane mechanism's rows out of its plane.
  bool moves(const ConstraintRow<S>& row) const noexcept { return (*this)(row) > S(100) * epsilon<S> * reach(row); }
  /// Between two rows of a group: what a unit of one moves the other by, as far as each body on its own tells.
  S between(const ConstraintRow<S>& row, const ConstraintRow<S>& other) const noexcept {
    if (&row == &other) return (*this)(row);
    S sum(0);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto &part = row.bodies[k], &of_other = other.bodies[k];
      if (part.body > 0 && part.body == of_other.body) sum += part.wrench.dot(of_bodies_[part.body] * of_other.wrench);
    }
    return row.num_parts() > 1 ? S(S(2) * sum) : sum;
  }
  /// Of what closes loops, as begin() and each row; zero of one that nothing moves.  @param mobility (rows) out.
  template <class Closures>
  void of_closures(const TreePose<S>& tree, const AbiData<S>& abi, const Closures& closures, VectorX<S>& mobility) noexcept {
    begin(tree, abi);
    for (Eigen::Index k = 0; k < mobility.size(); ++k) mobility[k] = moves(closures[k]) ? (*this)(closures[k]) : S(0);
  }
  /// The same, exact.
  template <class Closures>
  void exact_of_closures(const TreePose<S>& tree, const AbiData<S>& abi, const Closures& closures, VectorX<S>& mobility) noexcept {
    begin(tree, abi);
    for (Eigen::Index k = 0; k < mobility.size(); ++k) {
      const S own = exact(closures[k]);
      mobility[k] = own > S(100) * epsilon<S> * reach(closures[k]) ? own : S(0);
    }
  }

 private:
  S of_joints(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.joints) {
      if (part.v >= 0) sum += part.coefficient * part.coefficient * of_joint(part.v);
    }
    return sum;
  }
  S of_joint(Eigen::Index v) const noexcept {
    const BodyIndex i = body_of_entry_[static_cast<std::size_t>(v)];
    return joint_mobility(*model_, *tree_, *abi_, of_bodies_, i, v - model_->v_index(i));
  }

  const Model* model_;
  const TreePose<S>* tree_ = nullptr;
  const AbiData<S>* abi_ = nullptr;
  BodyArray<Matrix6<S>> of_bodies_;
  std::vector<BodyIndex> body_of_entry_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class RowMobility<Model<double>>;
#endif

}  // namespace actio
