// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Actuators that hold a pose, with gains from the inertia and the weight that each joint carries.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/core/options.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/actuator.hpp"

namespace actio {

/// How stiff hold_pose() is.
template <Scalar S>
struct HoldOptions {
  S frequency = S(20);  ///< least natural frequency of a joint with all others locked, > 0 [rad/s]
  S droop = S(0.01F);   ///< largest deviation of a joint under the weight that it carries, > 0 [rad, m]

  /// Checks every option.  @throws OptionsError that names the option and its range.
  void check() const {
    detail::require_option(frequency > S(0) && is_finite(frequency), "HoldOptions", "frequency", frequency, "a finite number > 0");
    detail::require_option(droop > S(0), "HoldOptions", "droop", droop, "> 0");
  }
};

/// Actuators with the controls that hold a pose.
template <Scalar S>
struct HeldPose {
  std::vector<Actuator<S>> actuators;  ///< those of the file first, followed by a "hold" for each further entry of a joint
  VectorX<S> ctrl;                     ///< one control for each
  std::vector<std::string> not_held;   ///< joints that nothing drives, "elbow (effort limit 0)"
};

namespace detail {

/// What an entry of a joint carries: the larger of both sides of the joint, if contact is enforced and the root can move freely; else the
/// side of the child.
template <Scalar S>
struct Carried {
  S inertia{};  ///< along the entry, with all other joints locked, and the armature [kg m^2, kg]
  S weight{};   ///< largest force of gravity along the entry in any orientation [N m, N]
};

/// Whether a joint is without a drive by its nature: the root of a free or planar robot.
template <Scalar S, class Joints>
bool is_undriven(const Model<S, Joints>& model, BodyIndex i) {
  return visit_joint(model, i, []<JointType J>(const J&) { return std::same_as<J, Free<S>> || std::same_as<J, Planar<S>>; });
}

/// Returns what each entry of v (nv) carries at q.
///   inertia = S^T G S,  weight = |g| |linear part of G S|,  G the composite inertia of one side
template <Scalar S, class Joints>
std::vector<Carried<S>> carried_by_joints(const Model<S, Joints>& model, const VectorX<S>& q) {
  KinematicsData<S> bodies(model);
  forward_kinematics(model, bodies, q);
  BodyArray<Inertia<S>> composite(model.num_bodies(), Inertia<S>::zero());
  composite_inertias(model, bodies.tree, composite);
  std::vector<Carried<S>> carried(static_cast<std::size_t>(model.nv()));
  std::vector<BodyIndex> root(static_cast<std::size_t>(model.num_bodies()), 0);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const BodyIndex top = root[static_cast<std::size_t>(i)] = model.parent(i) == 0 ? i : root[static_cast<std::size_t>(model.parent(i))];
    const Inertia<S> all = composite[top].seen_from_parent(bodies.T_WB[i].inverse() * bodies.T_WB[top]);  // of the tree, in body i
    for (Eigen::Index v = model.v_index(i); v < model.v_index(i) + model.nv(i); ++v) {
      const Vector6<S> axis = bodies.tree.subspace.col(v), child = composite[i].momentum(axis), rest = all.momentum(axis) - child;
      const auto add = [&](const Vector6<S>& momentum) {
        Carried<S>& most = carried[static_cast<std::size_t>(v)];
        most.inertia = std::max(most.inertia, S(axis.dot(momentum)));
        most.weight = std::max(most.weight, S(model.gravity().norm() * momentum.template tail<3>().norm()));
      };
      add(child);
      if (model.enforced().contact && is_undriven(model, top)) add(rest);
      carried[static_cast<std::size_t>(v)].inertia += model.properties().armature[v];
    }
    const bool is_flat = visit_joint(model, i, []<JointType J>(const J&) { return joints::is_flat<J>(); });
    if (is_flat) continue;
    Carried<S> most;  // a spring on rotations in space acts along their axis only if it is equal in all directions
    for (Eigen::Index v = model.v_index(i); v < model.v_index(i) + model.nv(i); ++v) {
      most.inertia = std::max(most.inertia, carried[static_cast<std::size_t>(v)].inertia);
      most.weight = std::max(most.weight, carried[static_cast<std::size_t>(v)].weight);
    }
    std::fill_n(carried.begin() + model.v_index(i), model.nv(i), most);
  }
  return carried;
}

}  // namespace detail

/// Returns actuators and controls that hold the joints at q. Position servos of the file, of any kind with gain and stiffness, get the
/// control that makes their force zero there, within its range. Other joints that can be driven get a critically damped servo,
///   stiffness = max(inertia frequency^2, weight / droop),  damping = 2 sqrt(stiffness inertia),
/// where inertia and weight are those that the joint carries on its child's side, with all other joints locked, in the orientation with the
/// largest torque; with enforced contact and a free or planar root, on either side, because the robot may stand on any link. The forces are
/// limited to the effort limit of the model and, in a file with actuators, to the ranges of its motors.
/// Joints that nothing can drive are not held: free and planar ones, followers of active couplings, those with an effort limit of 0 and,
/// in a file with actuators, those without one.
/// @param actuators of the file.  @param ctrl their controls, which servos do not keep; empty: 0.  @param q (nq).
/// @throws OptionsError for options out of range.
template <Scalar S, class Joints>
HeldPose<S> hold_pose(const Model<S, Joints>& model, const std::vector<std::type_identity_t<Actuator<S>>>& actuators,
                      const std::type_identity_t<VectorX<S>>& ctrl, const std::type_identity_t<VectorX<S>>& q,
                      const std::type_identity_t<HoldOptions<S>>& options = {}) {
  using std::abs, std::sqrt;
  using Index = Eigen::Index;
  options.check();
  const S infinity(std::numeric_limits<ValueOf<S>>::infinity());
  struct Drive {
    bool any = false, is_servo = false;
    S lower{}, upper{};  // of the force along the entry [N m, N]
  };
  std::vector<Drive> drives(static_cast<std::size_t>(model.nv()));
  HeldPose<S> held{actuators, ctrl.size() == 0 ? VectorX<S>(VectorX<S>::Zero(static_cast<Index>(actuators.size()))) : ctrl, {}};
  for (std::size_t k = 0; k < actuators.size(); ++k) {
    const Actuator<S>& a = actuators[k];
    Drive& drive = drives[static_cast<std::size_t>(a.v_index(model))];
    drive.any = true;
    if (value_of(a.stiffness) > 0 && value_of(a.gain) != 0) {
      drive.is_servo = true;
      held.ctrl[static_cast<Index>(k)] = a.limited_ctrl((a.stiffness * a.length(model, q) - a.constant) / a.gain);
    } else {
      const bool is_motor = value_of(a.damping) == 0 && value_of(a.gain) != 0;
      S ends[2] = {a.force_lower, a.force_upper};
      if (is_motor) {
        const S c[2] = {a.gain * a.ctrl_lower + a.constant, a.gain * a.ctrl_upper + a.constant};
        ends[0] = std::max(ends[0], std::min(c[0], c[1]));
        ends[1] = std::min(ends[1], std::max(c[0], c[1]));
      }
      drive.lower += std::min(S(a.gear * ends[0]), S(a.gear * ends[1]));
      drive.upper += std::max(S(a.gear * ends[0]), S(a.gear * ends[1]));
    }
  }
  std::vector<bool> follows(static_cast<std::size_t>(model.nv()), false);
  for (const Coupling<S>& coupling : model.couplings()) {
    if (coupling.active) follows[static_cast<std::size_t>(coupling.follower_v)] = true;
  }
  const std::vector<detail::Carried<S>> carried = detail::carried_by_joints(model, q);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (detail::is_undriven(model, i)) continue;
    for (Index entry = 0; entry < model.nv(i); ++entry) {
      const std::size_t v = static_cast<std::size_t>(model.v_index(i) + entry);
      const Drive& drive = drives[v];
      const S effort = model.properties().effort_limit[model.v_index(i) + entry];
      if (drive.is_servo || follows[v]) continue;
      const auto [inertia, weight] = carried[v];
      const char* why = !actuators.empty() && !drive.any ? " (no actuator)"
                        : value_of(effort) == 0          ? " (effort limit 0)"
                        : !(value_of(inertia) > 0)       ? " (moves no inertia)"
                                                         : nullptr;
      if (why) {
        held.not_held.push_back(model.v_name(model.v_index(i) + entry) + why);
        continue;
      }
      Actuator<S> servo;
      servo.name = "hold_" + model.v_name(model.v_index(i) + entry);
      servo.kind = "hold";
      servo.body = i;
      servo.entry = entry;
      servo.gain = servo.stiffness = std::max(S(inertia * options.frequency * options.frequency), S(weight / options.droop));
      servo.damping = S(2) * sqrt(S(servo.stiffness * inertia));
      servo.reference = q.segment(model.q_index(i), model.nq(i));
      servo.force_lower = std::max(drive.any ? drive.lower : S(-infinity), S(-effort));
      servo.force_upper = std::min(drive.any ? drive.upper : infinity, effort);
      held.actuators.push_back(std::move(servo));
    }
  }
  const Index given = held.ctrl.size();
  held.ctrl.conservativeResize(static_cast<Index>(held.actuators.size()));
  held.ctrl.tail(held.ctrl.size() - given).setZero();
  return held;
}

}  // namespace actio
