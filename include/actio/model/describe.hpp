// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A model as text: its tree, its loops, couplings and nonholonomic constraints, and the data that it records but does not enforce.
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "actio/core/status.hpp"
#include "actio/core/text.hpp"
#include "actio/model/model.hpp"

namespace actio {
namespace detail {

template <Scalar S>
std::string to_text(const Vector3<S>& a, int digits = 6) {
  const Vector3<S> plus = a + Vector3<S>::Zero();  // converts -0 to 0
  return concat({"(", to_text(plus[0], digits), " ", to_text(plus[1], digits), " ", to_text(plus[2], digits), ")"});
}

inline std::string counted(Eigen::Index count, const char* one, const char* many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

/// Returns the type and the parameters of a joint, as far as its class provides them: "revolute (0 0 1)".
template <JointType J>
std::string joint_text(const J& joint) {
  std::string text(joints::type_name<J>());
  if constexpr (requires { joint.axis(); }) text += ' ' + to_text(joint.axis());
  if constexpr (requires { joint.axis2(); }) text += ' ' + to_text(joint.axis2());
  if constexpr (requires { joint.pitch(); }) text += " pitch " + to_text(joint.pitch(), 6) + " m/rad";
  return text;
}

/// Returns the number of joints that have an entry different from `nothing`.
template <Scalar S, class Joints>
Eigen::Index joints_with(const Model<S, Joints>& model, const VectorX<S>& property, ValueOf<S> nothing) {
  Eigen::Index count = 0;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    bool has = false;
    for (Eigen::Index k = 0; k < model.nv(i); ++k) has = has || value_of(property[model.v_index(i) + k]) != nothing;
    count += has ? 1 : 0;
  }
  return count;
}

}  // namespace detail

/// Returns what the model records but does not enforce: "limits of 12 joints", "16 collision shapes", ...
template <Scalar S, class Joints>
std::vector<std::string> not_enforced(const Model<S, Joints>& model) {
  const ModelProperties<S>& p = model.properties();
  const ValueOf<S> infinity = std::numeric_limits<ValueOf<S>>::infinity();
  std::vector<std::string> list;
  const auto of_joints = [&](const char* what, Eigen::Index count) {
    if (count > 0) list.push_back(std::string(what) + " of " + detail::counted(count, "joint", "joints"));
  };
  if (!model.enforced().limits) {
    of_joints("lower limits", detail::joints_with(model, p.lower, -infinity));
    of_joints("upper limits", detail::joints_with(model, p.upper, infinity));
    of_joints("velocity limits", detail::joints_with(model, p.velocity_limit, infinity));
    of_joints("effort limits", detail::joints_with(model, p.effort_limit, infinity));
  }
  if (!model.enforced().friction) of_joints("dry friction", detail::joints_with(model, p.friction, ValueOf<S>(0)));
  if (!model.enforced().contact && !model.shapes().empty()) {
    list.push_back(detail::counted(static_cast<Eigen::Index>(model.shapes().size()), "collision shape", "collision shapes"));
  }
  for (const Loop<S>& loop : model.loops()) {
    if (!loop.active) list.push_back("loop '" + loop.name + "'");
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (!coupling.active) list.push_back("coupling of joint '" + coupling.name + "'");
  }
  for (const Nonholonomic<S>& constraint : model.nonholonomic()) {
    if (!constraint.active) list.push_back(detail::title(constraint));
  }
  return list;
}

/// Returns a text with a line for each body, indented by depth (at most 20 levels, for long chains), with its joint and the joint's range
/// [rad, m], one for each loop, coupling and nonholonomic constraint, and what is enforced and what not.
template <Scalar S, class Joints>
std::string describe(const Model<S, Joints>& model) {
  using detail::to_text;
  std::string text = detail::concat({"model '", model.name(), "': ", detail::counted(model.num_bodies() - 1, "body", "bodies"), ", nq ",
                                     std::to_string(model.nq()), ", nv ", std::to_string(model.nv()), ", ", to_text(model.mass(), 6),
                                     " kg, gravity ", to_text(model.gravity()), " m/s^2\n"});
  const ModelProperties<S>& p = model.properties();
  std::vector<std::size_t> depth{0};
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    depth.push_back(depth[static_cast<std::size_t>(model.parent(i))] + 1);
    const std::string joint = visit_joint(model, i, []<JointType J>(const J& j) { return detail::joint_text(j); });
    text += detail::concat({std::string(2 * std::min(depth.back(), std::size_t{20}), ' '), model.joint_name(i), ": ", joint, ", ",
                            detail::counted(model.nv(i), "degree of freedom", "degrees of freedom"), " -> ", model.body_name(i), ", ",
                            to_text(model.inertia(i).mass, 6), " kg"});
    for (const auto& [name, values] :
         {std::pair{", damped", &p.damping}, {", with armature", &p.armature}, {", with spring", &p.stiffness}, {", with force", &p.force}}) {
      if (!values->segment(model.v_index(i), model.nv(i)).isZero(0)) text += name;
    }
    for (Eigen::Index v = model.v_index(i); v < model.v_index(i) + model.nv(i); ++v) {
      if (!is_finite(p.lower[v]) && !is_finite(p.upper[v])) continue;
      text += detail::concat(
          {", range ", model.nv(i) > 1 ? "of " + model.v_name(v) + ' ' : "", to_text(p.lower[v], 6), " to ", to_text(p.upper[v], 6)});
    }
    text += '\n';
  }
  for (const Loop<S>& loop : model.loops()) {
    text += detail::concat({"loop ", loop.name, ": ", name(loop.type), ", ", model.body_name(loop.body_a), " to ",
                            model.body_name(loop.body_b), loop.active ? "\n" : ", released\n"});
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    text += detail::concat({"coupling: ", coupling.name, " = ", to_text(coupling.ratio, 6), " ", model.joint_name(coupling.leader_body),
                            " + ", to_text(coupling.offset, 6), coupling.active ? "\n" : ", released\n"});
  }
  for (const Nonholonomic<S>& constraint : model.nonholonomic()) {
    const auto* rolling = std::get_if<Rolling<S>>(&constraint.type);
    const std::string what = !rolling ? "knife edge " : rolling->axle.isZero(0) ? "rolling ball " : "rolling wheel ";
    text += detail::concat({what, constraint.name, ": ", rolling ? "radius " + to_text(rolling->radius, 6) + " m, " : "",
                            model.body_name(constraint.body), constraint.active ? "\n" : ", released\n"});
  }
  for (const PointSpring<S>& spring : model.springs()) {
    text += detail::concat({spring.tension_only ? "rope " : "spring ", spring.name, ": ", to_text(spring.stiffness, 6), " N/m",
                            spring.damping > S(0) ? ", " + to_text(spring.damping, 6) + " N s/m" : "", ", ",
                            model.body_name(spring.body_a), " to ", model.body_name(spring.body_b), "\n"});
  }
  for (const PointForce<S>& force : model.forces()) {
    text += detail::concat({"force ", force.name, ": ", to_text(force.force), " N, ", model.body_name(force.body), "\n"});
  }
  std::string enforced, recorded;
  for (const auto& [name, is_on] :
       {std::pair{"limits", model.enforced().limits}, {"friction", model.enforced().friction}, {"contact", model.enforced().contact}}) {
    if (is_on) enforced += (enforced.empty() ? "enforced: " : ", ") + std::string(name);
  }
  if (!enforced.empty()) text += enforced + '\n';
  for (const std::string& item : not_enforced(model)) recorded += (recorded.empty() ? "" : ", ") + item;
  if (!recorded.empty()) text += "recorded, not enforced: " + recorded + '\n';
  return text;
}

/// Returns the name of what made a step fail, such as "loop 'left foot'", or an empty string if it is not known.
template <Scalar S, class Joints>
std::string describe(const Model<S, Joints>& model, const Culprit& culprit) {
  const auto index = static_cast<std::size_t>(culprit.index);
  switch (culprit.kind) {
    case Culprit::Kind::body:
      return detail::concat({"body '", model.body_name(culprit.index), "' on joint '", model.joint_name(culprit.index), "'"});
    case Culprit::Kind::loop: return detail::concat({"loop '", model.loops()[index].name, "'"});
    case Culprit::Kind::coupling: return detail::concat({"the coupling of joint '", model.couplings()[index].name, "'"});
    case Culprit::Kind::nonholonomic: return detail::title(model.nonholonomic()[index]);
    case Culprit::Kind::spring: return detail::title(model.springs()[index]);
    case Culprit::Kind::row: return "constraint row " + std::to_string(culprit.index);
    case Culprit::Kind::none: break;
  }
  return {};
}

/// Returns how a step ended, where, and what to do about it: "at loop 'left foot': the equations of the step were not solved ...".
template <Scalar S, class Joints>
std::string describe(const Model<S, Joints>& model, const StepResult<S>& result) {
  const std::string where = describe(model, result.culprit);
  return (where.empty() ? "" : "at " + where + ": ") + std::string(describe(result.status));
}

/// Writes describe(model) to a stream.
template <Scalar S, class Joints>
std::ostream& operator<<(std::ostream& out, const Model<S, Joints>& model) {
  return out << describe(model);
}

}  // namespace actio
