// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step with loops and couplings, factored sparsely in maximal coordinates.
#include <vector>

#include "actio/constraints/row.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/equations/maximal_system.hpp"

namespace actio::detail {

/// The matrix of ArticulatedMatrix with the rows of loops and couplings added: linear in their number if they are local, as in ladders
/// and nets. Bodies have separate velocities, and impulses L of joints and closures connect them in one sparse system,
///   D_i V_i - sum G^T L = F_i,     G V = 0 for locks,     k G V + L = 0 for joint velocities and closures,
/// with D_i = M_i + h J^T H J for rows to the world, and k = h H. Rows without stiffness have no effect; compliance makes redundant rows
/// regular.
///                                                                             [Brudigam and Manchester 2020; vi_math.md, section 11.2]
template <class ModelType>
class MaximalMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param model outlives this.  @throws ModelError if a body lacks full inertia.
  explicit MaximalMatrix(const Model& model)
      : model_(&model), system_(checked(model), std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), true), Closures::soft),
        at_(system_.bodies().make_pose()), y_(VectorX<S>::Zero(system_.size())) {}

  /// As in ArticulatedMatrix.
  ///@{
  static constexpr bool takes_closures() noexcept { return true; }
  void begin(const TreePose<S>& tree) noexcept { system_.bodies().place(at_, tree.q); }
  void set_masses() noexcept {
    system_.begin();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) system_.add_body(i, model_->inertia(i).I_com);
    for (Eigen::Index k = 0; k < system_.closures_of(y_).size(); ++k) system_.set_closure(k, S(0), S(1));
  }
  void add_to_body(BodyIndex i, const S& stiffness, const Vector6<S>& left, const Vector6<S>& right) noexcept {
    system_.add_to_body(i, stiffness * about_com(i, left), about_com(i, right));
  }
  void set_closure(const ConstraintRow<S>& row, const S& stiffness) noexcept {
    system_.set_closure(row.closure, stiffness, S(1));
  }
  bool factor(const TreePose<S>&, const VectorX<S>& joint) noexcept {
    system_.set_stiffness(joint);
    system_.add_constraints(at_);
    return system_.factor();
  }
  void solve(const TreePose<S>&, VectorRef<S> x) noexcept {
    system_.set_joint_forces(at_, x, y_);
    system_.solve(y_);
    system_.joint_velocities(at_, y_, x);
  }
  ///@}

 private:
  static const Model& checked(const Model& model) {
    require_body_inertia(model, "compliant with Factorization::sparse");
    return model;
  }
  Vector6<S> about_com(BodyIndex i, const Vector6<S>& wrench) const noexcept {
    return detail::about_point<S>(wrench, model_->inertia(i).com);
  }

  const Model* model_;
  MaximalSystem<Model> system_;
  ConstrainedPose<S> at_;
  VectorX<S> y_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalMatrix<Model<double>>;
#endif

}  // namespace actio::detail
