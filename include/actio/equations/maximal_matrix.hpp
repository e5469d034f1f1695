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
        at_(system_.bodies().make_pose()), F_(model.num_bodies(), Vector6<S>::Zero()), joint_(VectorX<S>::Zero(model.nv())), v_(joint_),
        y_(VectorX<S>::Zero(system_.size())) {
    const HeldBodies<Model>& holds = system_.bodies();
    const auto add_rows = [&](BodyIndex k) {
      for (int r = 0; r < holds[k].rows; ++r) closure_rows_.push_back(system_.row(k) + r);
    };
    for (BodyIndex k = model.num_bodies(); k < holds.size(); ++k) {
      if (holds[k].loop || holds[k].follows) add_rows(k);  // each coupling once
    }
  }

  /// Returns whether the row can be added: rows of closures, between a body and the world, and on one joint.
  bool takes(const ConstraintRow<S>& row) const noexcept { return row.closure >= 0 || row.num_parts() <= 1; }

  /// As in ArticulatedMatrix.
  ///@{
  void begin(const TreePose<S>& tree) noexcept { system_.bodies().place(at_, tree.q); }
  void set_masses(const ConstVectorRef<S>& joint) noexcept {
    system_.begin();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) system_.add_body(i, model_->inertia(i).I_com);
    joint_ = joint;
    for (const Eigen::Index row : closure_rows_) system_.set_closure_stiffness(row, S(0));
  }
  void add(const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    if (left.closure >= 0) return system_.set_closure_stiffness(closure_rows_[static_cast<std::size_t>(left.closure)], stiffness);
    for (std::size_t part = 0; part < 2; ++part) {
      const BodyIndex body = left.bodies[part].body;
      const auto& joint = left.joints[part];
      if (body > 0) system_.add_to_body(body, stiffness * about_com(body, left.bodies[part].wrench), about_com(body, right.bodies[part].wrench));
      if (joint.v >= 0) joint_[joint.v] += stiffness * joint.coefficient * right.joints[part].coefficient;
    }
  }
  bool factor(const TreePose<S>&) noexcept {
    system_.set_stiffness(joint_);
    const auto unmoved = [](BodyIndex, const Vector6<S>& F) { return F; };
    for (BodyIndex k = 1; k < system_.bodies().size(); ++k) system_.add_hold(k, at_.rows[k], at_.rows[k], unmoved);
    return system_.factor();
  }
  void solve(const TreePose<S>&, VectorRef<S> x) noexcept {
    for (Vector6<S>& F : F_) F.setZero();
    v_ = x;
    system_.bodies().add_joint_forces(at_, v_, F_);
    y_.setZero();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) system_.u_of(i, y_) = F_[i];
    system_.solve(y_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) F_[i] = system_.u_of(i, y_);  // now twists; zero for the world
    system_.bodies().joint_velocities(at_, F_, v_);
    x = v_;
  }
  ///@}

 private:
  static const Model& checked(const Model& model) {
    require_body_inertia(model, "compliant, asked for CompliantBodies::maximal,");
    return model;
  }
  Vector6<S> about_com(BodyIndex i, const Vector6<S>& wrench) const noexcept { return detail::about_point<S>(wrench, model_->inertia(i).com); }

  const Model* model_;
  MaximalSystem<Model> system_;
  HeldPose<S> at_;
  BodyArray<Vector6<S>> F_;
  VectorX<S> joint_, v_, y_;
  std::vector<Eigen::Index> closure_rows_;  // indices in the system, in the order of ConstraintRow::closure
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalMatrix<Model<double>>;
#endif

}  // namespace actio::detail
