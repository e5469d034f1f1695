// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The momenta that the symmetries of a model conserve, and an observer of their errors.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <vector>

#include "actio/dynamics/momentum.hpp"
#include "actio/model/joints/free.hpp"
#include "actio/model/joints/prismatic.hpp"
#include "actio/model/joints/revolute.hpp"
#include "actio/model/joints/spherical.hpp"

namespace actio {

/// A component of momentum that a symmetry of the model conserves (Noether), as long as no input and no force field acts.
template <Scalar S>
struct ConservedMomentum {
  /// Linear along `direction`; angular about a fixed axis along it; angular about the axis through the centre of mass of all moving bodies.
  enum class Kind { linear, angular, angular_about_com };
  Kind kind;             ///< kind of the component
  Vector3<S> direction;  ///< unit, in the world
  Vector3<S> point;      ///< for `angular`, a point on the axis, in the world [m]
  BodyIndex root;        ///< the child of the world whose subtree has the momentum; 0 for all bodies
};

namespace detail {
/// Whether an active loop or a spring connects the subtree of body i to other bodies, an active nonholonomic constraint or a constant force
/// acts on a body in it, or an active coupling on the joint of body i.
template <Scalar S, class Joints>
bool is_tied(const Model<S, Joints>& model, BodyIndex i) {
  const auto within = [&](BodyIndex body) { return body >= i && body < model.subtree_end(i); };
  return std::any_of(model.loops().begin(), model.loops().end(),
                     [&](const auto& loop) { return loop.active && within(loop.body_a) != within(loop.body_b); }) ||
         std::any_of(model.couplings().begin(), model.couplings().end(),
                     [&](const auto& coupling) { return coupling.active && (coupling.follower_body == i || coupling.leader_body == i); }) ||
         std::any_of(model.nonholonomic().begin(), model.nonholonomic().end(),
                     [&](const auto& constraint) { return constraint.active && within(constraint.body); }) ||
         std::any_of(model.springs().begin(), model.springs().end(),
                     [&](const auto& spring) { return within(spring.body_a) != within(spring.body_b); }) ||
         std::any_of(model.forces().begin(), model.forces().end(), [&](const auto& force) { return within(force.body); });
}
}  // namespace detail

/// Returns the momenta that are conserved because a joint on the world allows a motion of its whole subtree that gravity does not affect:
///  * all of them free joints: linear momentum perpendicular to gravity, angular momentum about the centre of mass;
///  * a revolute joint along gravity, or any without gravity: angular momentum of its subtree about its axis;
///  * a prismatic joint perpendicular to gravity: linear momentum along it;
///  * a ball joint: angular momentum about the vertical through it, without gravity about all axes.
/// Joints with damping, springs, armature, constant forces, or enforced limits or friction conserve nothing, nor do subtrees that a loop, a
/// spring or a coupling connects to other bodies, that are pushed by a constant force, or that roll or cut. With enforced contact nothing is
/// conserved. Other joint types are not considered.
template <Scalar S, class Joints>
std::vector<ConservedMomentum<S>> conserved_momenta(const Model<S, Joints>& model) {
  using Momentum = ConservedMomentum<S>;
  using Kind = typename Momentum::Kind;
  std::vector<Momentum> found;
  const Enforcement& on = model.enforced();
  if (on.contact) return found;
  const S g = model.gravity().norm();
  const bool weightless = !(g > S(0));
  const Vector3<S> down = weightless ? Vector3<S>(Vector3<S>::Zero()) : Vector3<S>(model.gravity() / g);
  const Vector3<S> axes[] = {Vector3<S>::UnitX(), Vector3<S>::UnitY(), Vector3<S>::UnitZ()};
  bool all_free = model.num_bodies() > 1;
  for (const Loop<S>& loop : model.loops()) all_free = all_free && !(loop.active && (loop.body_a == 0 || loop.body_b == 0));
  for (const Nonholonomic<S>& constraint : model.nonholonomic()) all_free = all_free && !constraint.active;
  for (const PointSpring<S>& spring : model.springs()) all_free = all_free && spring.body_a > 0 && spring.body_b > 0;
  all_free = all_free && model.forces().empty();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.parent(i) != 0) continue;
    const auto any = [&](const VectorX<S>& property, auto counts) {
      const auto own = property.segment(model.v_index(i), model.nv(i));
      return std::any_of(own.begin(), own.end(), counts);
    };
    const auto is_positive = [](const S& x) { return x > S(0); };
    const auto is_nonzero = [](const S& x) { return x != S(0); };
    const auto is_set = [](const S& limit) { return is_finite(limit); };
    const auto& p = model.properties();
    const bool held = any(p.damping, is_positive) || any(p.stiffness, is_positive) || any(p.armature, is_positive) || any(p.force, is_nonzero) ||
                      (on.friction && any(p.friction, is_positive)) || (on.limits && (any(p.lower, is_set) || any(p.upper, is_set)));
    const Pose<S>& T = model.placement(i);
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      all_free = all_free && std::same_as<J, Free<S>> && !held;
      if (held || detail::is_tied(model, i)) return;
      if constexpr (std::same_as<J, Revolute<S>>) {
        const Vector3<S> axis = T.R * joint.axis();
        if (weightless || axis.cross(down).norm() < S(16 * epsilon<S>)) found.push_back({Kind::angular, axis, T.p, i});
      } else if constexpr (std::same_as<J, Prismatic<S>>) {
        const Vector3<S> axis = T.R * joint.axis();
        if (std::abs(value_of(S(axis.dot(down)))) < 16 * epsilon<S>) found.push_back({Kind::linear, axis, T.p, i});
      } else if constexpr (std::same_as<J, Spherical<S>>) {
        if (!weightless) found.push_back({Kind::angular, down, T.p, i});
        else for (const Vector3<S>& axis : axes) found.push_back({Kind::angular, axis, T.p, i});
      }
    });
  }
  if (!all_free || !(model.mass() > S(0))) return found;
  if (weightless) {
    for (const Vector3<S>& axis : axes) found.push_back({Kind::linear, axis, Vector3<S>::Zero(), 0});
  } else {
    const Vector3<S> across = down.unitOrthogonal();
    found.push_back({Kind::linear, across, Vector3<S>::Zero(), 0});
    found.push_back({Kind::linear, down.cross(across), Vector3<S>::Zero(), 0});
  }
  for (const Vector3<S>& axis : axes) found.push_back({Kind::angular_about_com, axis, Vector3<S>::Zero(), 0});
  return found;
}

/// An observer of the momenta that symmetries conserve. Errors are relative to the largest sum of the magnitudes of the bodies' momenta.
template <Scalar S, class Joints>
class MomentumMeter {
 public:
  using Momentum = ConservedMomentum<S>;  ///< a conserved component
  using Kind = typename Momentum::Kind;   ///< kind of a component

  /// @param model of the run; not kept.
  explicit MomentumMeter(const Model<S, Joints>& model) {
    for (const Momentum& momentum : conserved_momenta(model)) tracks_.push_back({momentum});
    for (const Track& track : tracks_) (track.momentum.kind == Kind::linear ? linear_ : angular_) = true;
    what_ = describe(model);
  }

  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) {
    using std::abs;
    if (tracks_.empty()) return;
    const auto& model = node.model();
    const KinematicsData<S>& data = node.kinematics();
    const bool needs_com = tracks_.back().momentum.kind == Kind::angular_about_com;
    const Vector3<S> com = needs_com ? moving_center_of_mass(model, data) : Vector3<S>(Vector3<S>::Zero());
    for (Track& track : tracks_) {
      const BodyIndex root = track.momentum.root;
      const Vector3<S> point = track.momentum.kind == Kind::angular_about_com ? com : track.momentum.point;
      S sum(0), magnitudes(0);
      for (BodyIndex i = std::max<BodyIndex>(root, 1), end = root == 0 ? model.num_bodies() : model.subtree_end(root); i < end; ++i) {
        const Pose<S> from_point{data.T_WB[i].R, data.T_WB[i].p - point};
        const Vector6<S> W = from_point.wrench_to_parent(model.inertia(i).momentum(data.V[i]));
        const Vector3<S> own = track.momentum.kind == Kind::linear ? W.template tail<3>() : W.template head<3>();
        sum += track.momentum.direction.dot(own);
        magnitudes += own.norm();
      }
      if (!track.begun) track.initial = sum;
      track.begun = true;
      const S error = abs(sum - track.initial);
      track.error = std::max(track.error, is_finite(error) ? error : S(std::numeric_limits<ValueOf<S>>::infinity()));
      track.scale = std::max(track.scale, magnitudes);
    }
  }

  bool protects_linear() const { return linear_; }    ///< whether a linear component is conserved
  bool protects_angular() const { return angular_; }  ///< whether an angular component is conserved
  /// Returns the largest relative error of a conserved linear component; 0 if there is none or nothing moves.
  S linear_error() const { return worst([](Kind kind) { return kind == Kind::linear; }); }
  S angular_error() const { return worst([](Kind kind) { return kind != Kind::linear; }); }  ///< the same for angular components
  /// Returns a description of what is conserved; empty if nothing is.
  const std::string& what() const { return what_; }

 private:
  struct Track {
    Momentum momentum;
    S initial{}, error{}, scale{};
    bool begun = false;
  };

  template <class Select>
  S worst(Select select) const {
    S worst(0);
    for (const Track& track : tracks_) {
      if (!select(track.momentum.kind) || !(track.scale > S(0))) continue;
      worst = std::max(worst, is_finite(track.error) && is_finite(track.scale) ? S(track.error / track.scale) : track.error);
    }
    return worst;
  }

  std::string describe(const Model<S, Joints>& model) const {
    if (tracks_.empty()) return {};
    if (tracks_.back().momentum.root == 0) {
      return tracks_.size() == 6 ? "linear; angular about the centre of mass"
                                 : "linear perpendicular to gravity; angular about the centre of mass";
    }
    std::string text;
    for (const Track& track : tracks_) {
      const std::string one = std::string(track.momentum.kind == Kind::linear ? "linear along" : "angular about") + " joint '" +
                              model.joint_name(track.momentum.root) + "'";
      if (text.find(one) == std::string::npos) text += (text.empty() ? "" : "; ") + one;
    }
    return text;
  }

  std::vector<Track> tracks_;
  bool linear_ = false, angular_ = false;
  std::string what_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE std::vector<ConservedMomentum<double>> conserved_momenta(const Model<double>&);
#endif

}  // namespace actio
