// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model's bodies in maximal coordinates: their poses, and the constraint rows of joints, loops, couplings and nonholonomic constraints.
#include <utility>
#include <vector>

#include "actio/constraints/body_rows.hpp"
#include "actio/constraints/coupling.hpp"
#include "actio/constraints/joint_lock.hpp"
#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/nonholonomic.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/body_step.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// The pose of a frame M in a frame F of another body a.
template <Scalar S>
struct RelativePose {
  Quaternion<S> rotation;  ///< quaternion of T_FM.R; its sign continues from node to node
  Pose<S> T_FM;            ///< M in F
  Pose<S> T_aM;            ///< M in body a
};

/// All bodies at a node, by poses relative to their parents, which keep full accuracy in long chains.
template <Scalar S>
struct ConstrainedPose {
  VectorX<S> q;                     ///< (nq) joint coordinates of these poses
  BodyArray<RelativePose<S>> pose;  ///< [i]: M is the frame of body i, F its joint's on the parent; then, for loops: M, F are frames B, A
  BodyArray<BodyRows<S>> rows;      ///< rows of the same, then of couplings and nonholonomic constraints
  BodyArray<Pose<S>> T_WB;          ///< poses in the world if loops or nonholonomic constraints need them, else the identity
};

/// What the rows of ConstrainedBodies restrict: motion, or configurations only, without the rows of nonholonomic constraints on velocities.
enum class RowsOf : bool { motion, configurations };

/// All constraints on the bodies of a model, in this order: its joints, its active loops, couplings and nonholonomic
/// constraints. Each coupling appears twice, first with its part on the follower, then with its part on the leader.
template <class ModelType>
class ConstrainedBodies {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}
  /// One of these constraints.
  struct BodyConstraint {
    BodyIndex a = 0,                        ///< first body, 0 the world
        b = 0;                              ///< second body; for a joint the child
    int rows = 0,                           ///< number of rows
        locked = 0;                         ///< of these the first, which vanish; the others are increments of the joint's coordinates
    const Loop<S>* loop = nullptr;          ///< null: not a loop
    const Coupling<S>* coupling = nullptr;  ///< null: not a coupling; b is the child of the joint
    bool follows = false;                   ///< whether that joint is the follower
    const Nonholonomic<S>* nonholonomic = nullptr;  ///< null: not a nonholonomic constraint
    /// Returns whether increments of the joint are rows too.
    bool is_rowed() const noexcept { return rows > locked; }
  };

  /// @param rowed (bodies) joints whose increments over a step are rows too, after those of the lock.  @param model outlives this.
  /// @param of what the rows are to restrict.
  explicit ConstrainedBodies(const Model& model, const std::vector<bool>& rowed, RowsOf of = RowsOf::motion)
      : model_(&model), constraints_(model.num_bodies()) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const int locked = 6 - static_cast<int>(model.nv(i));
      constraints_[i] = {model.parent(i), i, rowed[static_cast<std::size_t>(i)] ? 6 : locked, locked};
    }
    for (const Loop<S>& loop : model.loops()) {
      if (loop.active) constraints_.push_back({loop.body_a, loop.body_b, num_rows(loop.type), num_rows(loop.type), &loop});
    }
    loops_end_ = constraints_.size();
    for (const Coupling<S>& coupling : model.couplings()) {
      if (!coupling.active) continue;
      constraints_.push_back({model.parent(coupling.follower_body), coupling.follower_body, 1, 1, nullptr, &coupling, true});
      constraints_.push_back({model.parent(coupling.leader_body), coupling.leader_body, 1, 1, nullptr, &coupling, false});
    }
    couplings_end_ = constraints_.size();
    for (const Nonholonomic<S>& constraint : model.nonholonomic()) {
      if (!constraint.active) continue;
      const int rows =
          std::visit([of](const auto& type) { return of == RowsOf::motion ? num_rows(type) : num_gaps(type); }, constraint.type);
      constraints_.push_back({0, constraint.body, rows, rows, nullptr, nullptr, false, &constraint});
    }
  }

  BodyIndex size() const noexcept { return constraints_.size(); }  ///< number of constraints plus one, as [0] is none
  /// Returns the constraint: joint k if k < num_bodies().  @pre 1 <= k < size()
  const BodyConstraint& operator[](BodyIndex k) const noexcept {
    return constraints_[k];
  }
  /// Allocates a node and places it at the neutral configuration.
  ConstrainedPose<S> make_pose() const {
    const RelativePose<S> unmoved{Quaternion<S>(S(1), S(0), S(0), S(0)), Pose<S>::identity(), Pose<S>::identity()};
    ConstrainedPose<S> pose{model_->neutral(), BodyArray<RelativePose<S>>(loops_end_, unmoved), BodyArray<BodyRows<S>>(size()),
                     BodyArray<Pose<S>>(model_->num_bodies(), Pose<S>::identity())};
    place(pose, pose.q);
    return pose;
  }

  /// Computes all poses and rows at the joint coordinates q (nq).
  void place(ConstrainedPose<S>& at, const VectorX<S>& q) const noexcept;
  /// Computes those of the joints only.
  void place_joints(ConstrainedPose<S>& at, const VectorX<S>& q) const noexcept;
  /// Computes the rows of the couplings only, from the q of `at`; to be called after place_joints().
  void place_couplings(ConstrainedPose<S>& at) const noexcept {
    for (BodyIndex k = loops_end_; k < couplings_end_; ++k) set_coupling_rows(k, at);
  }
  /// Computes T_WB, the poses of the loops and the rows of nonholonomic constraints from the poses of the joints.
  void place_in_world(ConstrainedPose<S>& at) const noexcept;

  /// Computes the poses and rows after a step; T_WB of `to` does not change: see place_in_world.
  /// @param from node at which the step begins.  @param motion (bodies).  @param h time step [s].
  /// @param wants_increments whether x and the q of `to` are computed.  @param x (nv) out: increments of the joints [rad, m].
  void move(const ConstrainedPose<S>& from, const BodyArray<BodyStep<S>>& motion, const S& h, bool wants_increments, ConstrainedPose<S>& to,
            VectorX<S>& x) const noexcept;
  /// Computes q from the poses.  @param near (nq) a configuration nearby.
  void set_coordinates(const VectorX<S>& near, ConstrainedPose<S>& at) const noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) set_coordinate(i, near, at);
  }

  /// Returns the largest constraint violation of a joint, loop or rolling contact in translation [m].
  S gap(const ConstrainedPose<S>& at) const noexcept;
  /// Returns which loop, coupling or nonholonomic constraint has the largest row value, and that value [m, rad]; index 0 if all are
  /// zero or there is none. If a value is not finite, returns the first such.
  std::pair<BodyIndex, S> most_open(const ConstrainedPose<S>& at) const noexcept;
  /// Returns constraint k as a culprit: for a joint its child.
  Culprit culprit(BodyIndex k) const noexcept {
    const BodyConstraint& constraint = constraints_[k];
    if (constraint.loop) return Culprit::loop(static_cast<int>(constraint.loop - model_->loops().data()));
    if (constraint.coupling) return Culprit::coupling(static_cast<int>(constraint.coupling - model_->couplings().data()));
    if (constraint.nonholonomic) return Culprit::nonholonomic(static_cast<int>(constraint.nonholonomic - model_->nonholonomic().data()));
    return Culprit::body(static_cast<int>(constraint.b));
  }

  /// Returns the covectors of constraint k for rates:  d(value)/dt = on_a . V_a + on_b . V_b.  They are at.rows[k], except that increments
  /// of joints whose q is not a vector are multiplied by dlog(-x).  @param x (nv) increments [rad, m].  @param work storage for that case.
  const BodyRows<S>& rates(BodyIndex k, const ConstrainedPose<S>& at, const VectorX<S>& x, BodyRows<S>& work) const noexcept;

  /// Computes the joint velocities v from the bodies' twists, about their centres of mass.
  /// @param V (bodies) [rad/s, m/s].  @param v (nv) out [rad/s, m/s].
  void joint_velocities(const ConstrainedPose<S>& at, const BodyArray<Vector6<S>>& V, VectorRef<S> v) const noexcept;

  /// Adds the wrenches of joint forces on the bodies, about their centres of mass.  @param tau (nv) [N m, N].  @param F (bodies) [N m, N].
  void add_joint_forces(const ConstrainedPose<S>& at, const ConstVectorRef<S>& tau, BodyArray<Vector6<S>>& F) const noexcept;

 private:
  /// Returns the twist about the body's origin, given that about its centre of mass.
  static Vector6<S> moved_point(const Vector6<S>& V, const Vector3<S>& com) noexcept {
    const Vector3<S> w = V.template head<3>();
    return spatial<S>(w, Vector3<S>(V.template tail<3>() - w.cross(com)));
  }
  void set_coordinate(BodyIndex i, const VectorX<S>& near, ConstrainedPose<S>& at) const noexcept;
  template <JointType J>
  typename J::Config coordinate(BodyIndex i, const J& joint, const RelativePose<S>& pose, const VectorX<S>& near) const noexcept {
    return joints::coordinate(joint, pose.rotation, pose.T_FM.p, typename J::Config(model_->template q_of<J>(i, near)));
  }
  template <JointType J>
  ACTIO_INLINE void set_joint_rows(BodyIndex i, const J& joint, const RelativePose<S>& pose, const typename J::Config& q,
                                   const typename J::Tangent& x, BodyRows<S>& out) const noexcept {
    PoseRows<S> rows;
    lock_rows(joint, PoseRowsAt<S>(pose.T_FM, pose.rotation), q, rows);
    if (constraints_[i].is_rowed()) increment_rows(joint, q, x, rows);
    to_bodies<S>(rows, pose.T_aM, nullptr, model_->inertia(model_->parent(i)).com, model_->inertia(i).com, out);
  }
  void set_loop_rows(BodyIndex k, const RelativePose<S>& pose, BodyRows<S>& out) const noexcept {
    const BodyConstraint& constraint = constraints_[k];
    PoseRows<S> rows;
    closure_rows(*constraint.loop, PoseRowsAt<S>(pose.T_FM, pose.rotation), rows);
    to_bodies<S>(rows, pose.T_aM, &constraint.loop->T_B, model_->inertia(constraint.a).com, model_->inertia(constraint.b).com, out);
  }
  /// @pre the q of `at` is up to date.
  void set_coupling_rows(BodyIndex k, ConstrainedPose<S>& at) const noexcept;
  static void advance_rotation(RelativePose<S>& to, const RelativePose<S>& from, const Displacement<S>& E) noexcept {
    to.rotation = quaternion::multiply<S>(from.rotation, E.dQ);
    // normalised, so that rounding errors do not accumulate: 1/sqrt(1 + e) = 1 - e/2
    const S scale = (S(3) - to.rotation.coeffs().squaredNorm()) / S(2);
    to.rotation = Quaternion<S>(scale * to.rotation.w(), scale * to.rotation.x(), scale * to.rotation.y(), scale * to.rotation.z());
    to.T_FM.p = from.T_FM * E.d;
    to.T_FM.R = quaternion::rotation_matrix<S>(to.rotation);
  }

  const Model* model_;
  BodyArray<BodyConstraint> constraints_;
  BodyIndex loops_end_ = 0, couplings_end_ = 0;
};

template <class Model>
void ConstrainedBodies<Model>::place_joints(ConstrainedPose<S>& at, const VectorX<S>& q) const noexcept {
  at.q = q;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
      const typename J::Config q_i = model_->template q_of<J>(i, q);
      RelativePose<S>& pose = at.pose[i];
      pose.T_FM = joint.pose(q_i);
      pose.rotation = quaternion::from_matrix<S>(pose.T_FM.R);
      pose.T_aM = model_->placement(i) * pose.T_FM;
      set_joint_rows(i, joint, pose, q_i, typename J::Tangent(J::Tangent::Zero()), at.rows[i]);
    });
  }
}

template <class Model>
void ConstrainedBodies<Model>::place(ConstrainedPose<S>& at, const VectorX<S>& q) const noexcept {
  place_joints(at, q);
  for (BodyIndex k = model_->num_bodies(); k < loops_end_; ++k) at.pose[k].rotation = Quaternion<S>(S(1), S(0), S(0), S(0));
  place_in_world(at);
  for (BodyIndex k = model_->num_bodies(); k < loops_end_; ++k) set_loop_rows(k, at.pose[k], at.rows[k]);
  place_couplings(at);
}

template <class Model>
typename Model::Scalar ConstrainedBodies<Model>::gap(const ConstrainedPose<S>& at) const noexcept {
  S largest(0);
  const auto widen = [&](const S& gap) { largest = select(largest < gap, gap, largest); };
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    visit_joint(*model_, i,
                [&]<JointType J>(const J& joint) { widen((joint.pose(model_->template q_of<J>(i, at.q)).p - at.pose[i].T_FM.p).norm()); });
  }
  for (BodyIndex k = model_->num_bodies(); k < loops_end_; ++k) widen(closure_gap(*constraints_[k].loop, at.pose[k].T_FM));
  for (BodyIndex k = couplings_end_; k < size(); ++k) {
    using std::abs;
    for (std::size_t r = 0; r < at.rows[k].count; ++r) widen(S(abs(at.rows[k].value[r])));  // zero except for gaps
  }
  return largest;
}

template <class Model>
std::pair<BodyIndex, typename Model::Scalar> ConstrainedBodies<Model>::most_open(const ConstrainedPose<S>& at) const noexcept {
  std::pair<BodyIndex, S> most{0, S(0)};
  for (BodyIndex k = model_->num_bodies(); k < size(); ++k) {
    for (std::size_t r = 0; r < at.rows[k].count; ++r) {
      using std::abs;
      const S open = abs(at.rows[k].value[r]);
      if (all(open <= most.second)) continue;
      most = {k, open};
      if (!all(is_finite(open))) return most;
    }
  }
  return most;
}

template <class Model>
const BodyRows<typename Model::Scalar>& ConstrainedBodies<Model>::rates(BodyIndex k, const ConstrainedPose<S>& at, const VectorX<S>& x,
                                                                        BodyRows<S>& work) const noexcept {
  const BodyRows<S>& rows = at.rows[k];
  if (!constraints_[k].is_rowed()) return rows;
  bool curved = false;
  visit_joint(*model_, k, [&]<JointType J>(const J& joint) {
    if constexpr (!joints::is_flat<J>()) {
      curved = true;
      work = rows;
      const auto D = joints::dlog(joint, typename J::Tangent(-model_->template v_of<J>(k, x)));
      for (int r = 0; r < J::nv; ++r) {
        const auto row = [&](int e) { return static_cast<std::size_t>(6 - J::nv + e); };
        work.on_a[row(r)].setZero();
        work.on_b[row(r)].setZero();
        for (int c = 0; c < J::nv; ++c) {
          work.on_a[row(r)] += D(r, c) * rows.on_a[row(c)];
          work.on_b[row(r)] += D(r, c) * rows.on_b[row(c)];
        }
      }
    }
  });
  return curved ? work : rows;
}

template <class Model>
void ConstrainedBodies<Model>::joint_velocities(const ConstrainedPose<S>& at, const BodyArray<Vector6<S>>& V,
                                                VectorRef<S> v) const noexcept {
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    const Vector6<S> of_child = moved_point(V[i], model_->inertia(i).com);
    const BodyIndex parent = model_->parent(i);
    const Vector6<S> of_parent = moved_point(V[parent], model_->inertia(parent).com);  // zero for the world
    const Vector6<S> relative = of_child - at.pose[i].T_aM.twist_to_child(of_parent);
    visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
      model_->template v_of<J>(i, v) = dual_subspace<J>(joint.motion_subspace(model_->template q_of<J>(i, at.q))).transpose() * relative;
    });
  }
}

template <class Model>
void ConstrainedBodies<Model>::add_joint_forces(const ConstrainedPose<S>& at, const ConstVectorRef<S>& tau,
                                                BodyArray<Vector6<S>>& F) const noexcept {
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
      if constexpr (J::nv > 0) {
        const typename J::Tangent tau_i = model_->template v_of<J>(i, tau);
        const Vector6<S> on_child = dual_subspace<J>(joint.motion_subspace(model_->template q_of<J>(i, at.q))) * tau_i;
        F[i] += detail::about_point<S>(on_child, model_->inertia(i).com);
        const BodyIndex parent = model_->parent(i);
        if (parent > 0) F[parent] -= detail::about_point<S>(at.pose[i].T_aM.wrench_to_parent(on_child), model_->inertia(parent).com);
      }
    });
  }
}

template <class Model>
void ConstrainedBodies<Model>::set_coordinate(BodyIndex i, const VectorX<S>& near, ConstrainedPose<S>& at) const noexcept {
  visit_joint(*model_, i, [&]<JointType J>(const J& joint) { model_->template q_of<J>(i, at.q) = coordinate(i, joint, at.pose[i], near); });
}

template <class Model>
void ConstrainedBodies<Model>::set_coupling_rows(BodyIndex k, ConstrainedPose<S>& at) const noexcept {
  const BodyConstraint& constraint = constraints_[k];
  PoseRows<S> rows;
  visit_joint(*model_, constraint.b, [&]<JointType J>(const J& joint) {
    const typename J::Config q_i = model_->template q_of<J>(constraint.b, at.q);
    coupling_row(*constraint.coupling, constraint.follows, joint, q_i, constraint.follows ? coupling_gap(*constraint.coupling, at.q) : S(0),
                 rows);
  });
  to_bodies<S>(rows, at.pose[constraint.b].T_aM, nullptr, model_->inertia(constraint.a).com, model_->inertia(constraint.b).com, at.rows[k]);
}

template <class Model>
void ConstrainedBodies<Model>::place_in_world(ConstrainedPose<S>& at) const noexcept {
  if (loops_end_ == model_->num_bodies() && couplings_end_ == size()) return;
  BodyArray<Pose<S>>& T_WB = at.T_WB;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_WB[i] = T_WB[model_->parent(i)] * at.pose[i].T_aM;
  for (BodyIndex k = couplings_end_; k < size(); ++k) {
    const BodyIndex i = constraints_[k].b;
    std::visit([&](const auto& type) { node_rows(type, T_WB[i], model_->inertia(i).com, at.rows[k]); }, constraints_[k].nonholonomic->type);
  }
  for (BodyIndex k = model_->num_bodies(); k < loops_end_; ++k) {
    const BodyConstraint& constraint = constraints_[k];
    RelativePose<S>& pose = at.pose[k];
    pose.T_aM = T_WB[constraint.a].inverse() * (T_WB[constraint.b] * constraint.loop->T_B);
    pose.T_FM = constraint.loop->T_A.inverse() * pose.T_aM;
    const Quaternion<S> rotation = quaternion::from_matrix<S>(pose.T_FM.R);
    const S sign = select(rotation.dot(pose.rotation) < S(0), S(-1), S(1));
    pose.rotation = Quaternion<S>(sign * rotation.w(), sign * rotation.x(), sign * rotation.y(), sign * rotation.z());
  }
}

template <class Model>
void ConstrainedBodies<Model>::move(const ConstrainedPose<S>& from, const BodyArray<BodyStep<S>>& motion, const S& h, bool wants_increments,
                                    ConstrainedPose<S>& to, VectorX<S>& x) const noexcept {
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    const BodyIndex parent = model_->parent(i);
    const RelativePose<S>& old = from.pose[i];
    RelativePose<S>& pose = to.pose[i];
    advance_rotation(pose, old, parent == 0 ? motion[i].dT : motion[parent].dT.seen_from(old.T_aM).inverse() * motion[i].dT);
    pose.T_aM = model_->placement(i) * pose.T_FM;
    visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
      typename J::Config q_i = model_->template q_of<J>(i, from.q);
      typename J::Tangent x_i = J::Tangent::Zero();
      if (wants_increments) {
        const typename J::Config q_old = q_i;
        q_i = coordinate(i, joint, pose, from.q);
        x_i = joint.difference(q_old, q_i);
        model_->template q_of<J>(i, to.q) = q_i;
        model_->template v_of<J>(i, x) = x_i;
      }
      set_joint_rows(i, joint, pose, q_i, x_i, to.rows[i]);
    });
  }
  for (BodyIndex k = model_->num_bodies(); k < loops_end_; ++k) {
    const BodyConstraint& constraint = constraints_[k];
    const RelativePose<S>& old = from.pose[k];
    const Displacement<S> of_b = constraint.b == 0 ? Displacement<S>::identity() : motion[constraint.b].dT.seen_from(constraint.loop->T_B);
    advance_rotation(to.pose[k], old, constraint.a == 0 ? of_b : motion[constraint.a].dT.seen_from(old.T_aM).inverse() * of_b);
    to.pose[k].T_aM = constraint.loop->T_A * to.pose[k].T_FM;
    set_loop_rows(k, to.pose[k], to.rows[k]);
  }
  for (BodyIndex k = loops_end_; k < couplings_end_; ++k) {
    if (!wants_increments) set_coordinate(constraints_[k].b, from.q, to);
  }
  place_couplings(to);
  for (BodyIndex k = couplings_end_; k < size(); ++k) {
    const BodyIndex i = constraints_[k].b;
    std::visit([&](const auto& type) { step_rows(type, from.T_WB[i], model_->inertia(i).com, motion[i], h, to.rows[k]); },
               constraints_[k].nonholonomic->type);
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ConstrainedBodies<Model<double>>;
#endif

}  // namespace actio::detail
