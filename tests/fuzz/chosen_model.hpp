// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models, states, inputs and steps that the bytes of a fuzzer choose.
#include <optional>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/model.hpp"
#include "actio/model/state.hpp"
#include "fuzz/choices.hpp"

namespace fuzz {

using namespace actio;

/// Returns an inertia: of a solid, with any mass; one of random numbers; or none.
inline Inertia<double> choose_inertia(Choices& c) {
  const double mass = c.scale(6);
  switch (c.below(6)) {
    case 0: return Inertia<double>::sphere(mass, c.scale(2));
    case 1: return {mass, c.vector(), Inertia<double>::box(mass, {c.scale(2), c.scale(2), c.scale(2)}).I_com};
    case 2: return c.happens(4) ? Inertia<double>::zero() : Inertia<double>::point(mass, c.vector());
    case 3: {
      Matrix3<double> I;
      const Vector3<double> diagonal = c.vector(), off = c.vector();
      I << diagonal[0], off[0], off[1], off[0], diagonal[1], off[2], off[1], off[2], diagonal[2];
      return {c.number(), c.vector(), I};
    }
    default: return Inertia<double>::box(mass, {0.3, 0.2, 0.5});
  }
}

inline DefaultJoints<double> choose_joint(Choices& c) {
  const Vector3<double> axis = c.happens(3) ? c.vector() : Vector3<double>(Vector3<double>::Unit(c.below(3)));
  switch (c.below(9)) {
    case 0: return Prismatic<double>(axis);
    case 1: return Helical<double>(axis, c.number());
    case 2: return Cylindrical<double>(axis);
    case 3: return Universal<double>(axis, c.vector());
    case 4: return Spherical<double>();
    case 5: return Planar<double>();
    case 6: return Free<double>();
    default: return Revolute<double>(axis);
  }
}

inline JointProperties<double> choose_properties(Choices& c) {
  JointProperties<double> p;
  const unsigned chosen = static_cast<unsigned>(c.below(256));
  if ((chosen & 1U) != 0) p.damping = c.scale(8);
  if ((chosen & 2U) != 0) p.stiffness = c.scale(8);
  if ((chosen & 4U) != 0) p.armature = c.scale(4);
  if ((chosen & 8U) != 0) p.friction = c.scale(4);
  if ((chosen & 16U) != 0) p.lower = c.number() - 1, p.upper = c.number() + 1;
  if ((chosen & 32U) != 0) p.restitution = std::abs(c.number()) / 1.28;
  if ((chosen & 64U) != 0) p.force = c.number() * c.scale(3);
  return p;
}

/// A model, and a state in which its loops and couplings are closed.
struct Chosen {
  Model<double> model;
  State<double> state;
};

/// Returns a model of 1 to 6 bodies on joints of any type, with anything else that a model may have; none if its builder refuses it.
inline std::optional<Chosen> choose_model(Choices& c) {
  const int bodies = 1 + c.below(6);
  const auto link = [](int k) { return k == 0 ? std::string("world") : "b" + std::to_string(k); };
  const auto number = [](const char* kind, int k) { return kind + std::to_string(k); };
  try {
    ModelBuilder<double> builder("fuzzed");
    builder.gravity(c.happens(2) ? Vector3<double>(10 * c.vector()) : Vector3<double>(0, 0, -9.81));
    builder.inertia_check(c.happens(4) ? InertiaCheck::refuse : InertiaCheck::warn);
    std::vector<std::string> joints;
    for (int k = 1; k <= bodies; ++k) {
      builder.add_body(link(k), choose_inertia(c));
      const std::string parent = link(c.happens(3) ? c.below(k) : k - 1), name = number("j", k);
      if (k > 1 && c.happens(12)) {
        builder.add_joint(name, parent, link(k), c.pose(), Fixed{});
        continue;
      }
      const DefaultJoints<double> joint = choose_joint(c);
      builder.add_joint(name, parent, link(k), c.pose(), joint, choose_properties(c));
      if (std::holds_alternative<Revolute<double>>(joint) || std::holds_alternative<Prismatic<double>>(joint)) joints.push_back(name);
    }
    Enforcement enforced;
    if (const unsigned chosen = static_cast<unsigned>(c.below(16)); chosen > 7) {
      enforced = {.limits = (chosen & 1U) != 0, .friction = (chosen & 2U) != 0, .contact = (chosen & 4U) != 0};
    }
    for (int k = enforced.contact ? 1 + c.below(3) : 0; k > 0; --k) {
      const Geometry<double> shapes[] = {Sphere<double>{c.scale(1)}, Box<double>{{0.3, 0.2, 0.5}}, Capsule<double>{0.1, std::abs(c.number())},
                                         Cylinder<double>{0.2, 0.3}};
      Shape<double> shape{.name = number("s", k), .T_BS = c.pose(), .geometry = shapes[c.below(4)]};
      builder.add_shape(shape, link(1 + c.below(bodies)));
    }
    if (c.happens(6)) {
      PointSpring<double> spring{.name = "spring", .point_a = c.vector(), .point_b = c.vector(), .stiffness = c.scale(8)};
      spring.damping = c.happens(2) ? c.scale(6) : 0;
      spring.length = std::abs(c.number());
      spring.tension_only = c.happens(2);
      builder.add_spring(spring, link(c.below(bodies + 1)), link(c.below(bodies + 1)));
    }
    if (c.happens(8)) builder.add_force({.name = "force", .point = c.vector(), .force = 10 * c.vector()}, link(1 + c.below(bodies)));
    if (c.happens(12)) {
      Nonholonomic<double> constraint{.name = "blade"};
      if (c.happens(2)) constraint.type = KnifeEdge<double>{.point = c.vector(), .across = c.vector()};
      else constraint.type = Rolling<double>{.center = c.vector(), .radius = c.scale(1), .axle = c.happens(2) ? c.vector() : Vector3<double>::Zero()};
      builder.add_nonholonomic(constraint, link(1 + c.below(bodies)));
    }

    // Loops and couplings are closed where the tree is.
    Chosen chosen{builder.build(), {}};
    const double speed = c.happens(3) ? c.scale(6) : c.number(), reach = c.happens(4) ? 3 : 1;
    VectorX<double> x(chosen.model.nv());
    chosen.state.v.resize(x.size());
    for (double& one : x) one = reach * c.number();
    for (double& one : chosen.state.v) one = speed * c.number();
    chosen.state.q = chosen.model.integrate(chosen.model.neutral(), x);
    if (c.happens(2)) {
      const auto poses = [&](const std::string& name) {
        KinematicsData<double> data(chosen.model);
        forward_kinematics(chosen.model, data, chosen.state.q);
        const Frame<double>& frame = chosen.model.find_frame(name);
        return data.T_WB[frame.body] * frame.T_BF;
      };
      for (int k = c.below(3); k > 0; --k) {
        const std::string a = link(c.below(bodies + 1)), b = link(c.below(bodies + 1));
        Loop<double> loop;
        loop.name = number("loop", k);
        loop.type = static_cast<LoopType>(c.below(9));
        loop.T_A = c.pose();
        loop.T_B = poses(b).inverse() * poses(a) * loop.T_A;
        if (c.happens(8)) loop.T_B = c.pose();
        loop.axis = c.happens(2) ? c.vector() : Vector3<double>(Vector3<double>::UnitX());
        loop.axis2 = c.vector();
        loop.length = loop.type == LoopType::distance ? std::abs(c.number()) : 0;
        if (loop.type == LoopType::distance) loop.T_B.p += loop.T_B.R * Vector3<double>(loop.length, 0, 0);
        builder.add_loop(loop, a, b);
      }
      if (joints.size() > 1 && c.happens(2)) {
        const std::size_t follower = static_cast<std::size_t>(c.below(static_cast<int>(joints.size())));
        const std::size_t leader = static_cast<std::size_t>(c.below(static_cast<int>(joints.size())));
        const auto q_of = [&](std::size_t k) { return chosen.state.q[chosen.model.q_index(chosen.model.find_joint(joints[k]))]; };
        const double ratio = c.number();
        builder.add_coupling(joints[follower], joints[leader], ratio, q_of(follower) - ratio * q_of(leader));
      }
      chosen.model = builder.build();
    }
    if (c.happens(8)) {
      const BodyIndex body = 1 + c.below(static_cast<int>(chosen.model.num_bodies()) - 1);
      chosen.model = chosen.model.with_servos({{.body = body, .stiffness = c.scale(6), .damping = c.scale(6), .limit = c.scale(4)}});
    }
    chosen.model = chosen.model.with_enforced(enforced);
    return chosen;
  } catch (const ModelError&) {
    return {};
  }
}

/// Returns rigid ground with friction, sometimes with restitution.  @throws OptionsError for a friction that is not valid.
inline PlaneContacts<double> choose_ground(Choices& c) {
  const double friction = std::abs(c.number());
  return PlaneContacts<double>({.friction = friction, .restitution = c.happens(3) ? 0.5 : 0}, Vector3<double>::UnitZ(), -1);
}

/// Returns no forces, joint forces, forces and wrenches, or some of a wrong size.
inline Input<double> choose_input(Choices& c, const Model<double>& model) {
  Input<double> input;
  const int chosen = c.below(8);
  if (chosen < 5) return input;
  input.tau_begin.resize(model.nv());
  const double scale = c.scale(4);
  for (double& one : input.tau_begin) one = scale * c.number();
  if (chosen == 6) {
    input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Zero());
    for (Vector6<double>& wrench : input.wrench_begin) wrench.setConstant(scale * c.number());
  }
  if (chosen == 7 && c.happens(4)) input.tau_end.setZero(c.below(4));
  return input;
}

/// Returns a length of a step [s], sometimes of the wrong sign, or zero.
inline double choose_step(Choices& c) {
  switch (c.below(16)) {
    case 14: return -1e-3;
    case 15: return c.number() * c.scale(8);
    case 13: return 0.1;
    case 12: return 1e-5;
    default: return 1e-3 * (1 + c.below(20));
  }
}

}  // namespace fuzz
