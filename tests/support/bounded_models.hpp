// SPDX-License-Identifier: BSD-3-Clause

// Models with enforced limits and dry friction of joints.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/constraints/tree_rows.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"

namespace actio::test {

/// Returns one or two rods of 1 kg and 0.5 m that hang on each other, the hinges about -y: angles count from downwards towards +x.
inline Model<double> rods(int n, const JointProperties<double>& first, const JointProperties<double>& second = {}) {
  ModelBuilder<double> builder("rods");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    builder.add_body(name, {1, {0, 0, -0.25}, Vector3<double>(1. / 48, 1. / 48, 1e-3).asDiagonal()});
    builder.add_joint("hinge" + std::to_string(k), k == 0 ? "world" : "rod0", name, Pose<double>::translation(0, 0, k == 0 ? 0 : -0.5),
                      Revolute<double>({0, -1, 0}), k == 0 ? first : second);
  }
  return builder.build().with_enforced({.limits = true, .friction = true});
}

/// Adds a body that slides on the one that was added before, by the joint "slide" and its number.
inline void add_slider(ModelBuilder<double>& builder, std::size_t number, double mass, const Vector3<double>& axis,
                       const JointProperties<double>& properties) {
  const std::string name = "body" + std::to_string(number), parent = number == 0 ? "world" : "body" + std::to_string(number - 1);
  builder.add_body(name, {mass, Vector3<double>::Zero(), Matrix3<double>::Identity()});
  builder.add_joint("slide" + std::to_string(number), parent, name, Pose<double>::identity(), Prismatic<double>(axis), properties);
}

/// Returns bodies of these masses that slide along x, each on the one before, without gravity.
inline Model<double> sliders(const std::vector<double>& masses, const JointProperties<double>& first,
                             const JointProperties<double>& second = {}) {
  ModelBuilder<double> builder("sliders");
  builder.gravity({0, 0, 0});
  for (std::size_t k = 0; k < masses.size(); ++k) add_slider(builder, k, masses[k], {1, 0, 0}, k == 0 ? first : second);
  return builder.build().with_enforced({.limits = true, .friction = true});
}

/// Returns two rods of 1 m between two points 2 m apart, without gravity: to first order they can move sideways, but in fact they cannot.
/// @param hinges properties of both.
inline Model<double> taut_chain(const JointProperties<double>& hinges = {}) {
  ModelBuilder<double> builder("taut");
  const auto rod = Inertia<double>::box(1, {1, 0.1, 0.1}).seen_from_parent(Pose<double>::translation(0.5, 0, 0));
  builder.gravity({0, 0, 0}).add_body("a", rod).add_body("b", rod);
  builder.add_joint("first", "world", "a", Pose<double>::identity(), Revolute<double>({0, 0, 1}), hinges);
  builder.add_joint("second", "a", "b", Pose<double>::translation(1, 0, 0), Revolute<double>({0, 0, 1}), hinges);
  Loop<double> loop;
  loop.name = "end";
  loop.T_A.p = {2, 0, 0};
  loop.T_B.p = {1, 0, 0};
  Loop<double> released = loop;
  released.name = "released";
  released.active = false;
  return builder.add_loop(released, "world", "a").add_loop(loop, "world", "b").build();
}

/// Returns n bodies that slide on each other along random axes, within random ranges and with random friction. Its mass matrix is constant.
inline Model<double> random_gantry(models::Random& random, std::size_t n) {
  ModelBuilder<double> builder("gantry");
  builder.gravity({0, 0, -9.81});
  for (std::size_t k = 0; k < n; ++k) {
    const double mass = random.uniform(0.5, 2);
    const Vector3<double> axis = random.direction<double>();
    add_slider(builder, k, mass, axis,
               {.friction = random.uniform(0, 5), .lower = -random.uniform(0.05, 0.5), .upper = random.uniform(0.05, 0.5)});
  }
  return builder.build().with_enforced({.limits = true, .friction = true});
}

/// Returns the inertia of a rod of 0.3 m that hangs down from its origin.
inline Inertia<double> hanging_rod(double mass) {
  return {mass, {0, 0, -0.15}, mass * Vector3<double>(0.0075, 0.0075, 4.5e-4).asDiagonal()};
}

/// Returns a chain of n rods on hinges of random axes, within random ranges and with random friction.
inline Model<double> random_bounded_chain(models::Random& random, int n) {
  ModelBuilder<double> builder("bounded_chain");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod" + std::to_string(k);
    const double mass = random.uniform(0.5, 2);
    builder.add_body(name, hanging_rod(mass));
    builder.add_joint("hinge" + std::to_string(k), k == 0 ? "world" : "rod" + std::to_string(k - 1), name,
                      Pose<double>::translation(0, 0, k == 0 ? 0 : -0.3), Revolute<double>(random.direction<double>()),
                      {.friction = random.uniform(0, 0.5), .lower = -random.uniform(0.1, 1.5), .upper = random.uniform(0.1, 1.5)});
  }
  return builder.build().with_enforced({.limits = true, .friction = true});
}

/// Returns two cranks of 0.2 m on hinges 1 m apart, and a rod that connects their tips by a loop with redundant rows: the cranks turn
/// alike. In q and v the first crank comes first, then the rod, which turns back by as much, and the second crank.
/// @param axis of all hinges.  @param a, b, c joints of the first crank, the second one and the rod.
inline Model<double> parallelogram(double crank_mass, double rod_mass, const Vector3<double>& axis, const JointProperties<double>& a,
                                   const JointProperties<double>& b, const JointProperties<double>& c = {}) {
  ModelBuilder<double> builder("parallelogram");
  const auto crank = Inertia<double>::box(crank_mass, {0.02, 0.02, 0.2}).seen_from_parent(Pose<double>::translation(0, 0, -0.1));
  builder.gravity({0, 0, 0}).add_body("first", crank).add_body("second", crank);
  builder.add_body("rod", Inertia<double>::box(rod_mass, {1, 0.02, 0.02}).seen_from_parent(Pose<double>::translation(0.5, 0, 0)));
  const Revolute<double> hinge(axis);
  builder.add_joint("a", "world", "first", Pose<double>::identity(), hinge, a);
  builder.add_joint("b", "world", "second", Pose<double>::translation(1, 0, 0), hinge, b);
  builder.add_joint("c", "first", "rod", Pose<double>::translation(0, 0, -0.2), hinge, c);
  Loop<double> tip;
  tip.name = "tip";
  tip.type = LoopType::ball;
  tip.T_A = Pose<double>::translation(0, 0, -0.2);
  tip.T_B = Pose<double>::translation(1, 0, 0);
  builder.add_loop(tip, "second", "rod");
  return builder.build();
}
/// Returns such a parallelogram under gravity.  @param most upper limit of the first crank [rad].  @param friction of all hinges [N m].
inline Model<double> falling_parallelogram(double most, double friction) {
  const JointProperties<double> free{.friction = friction};
  JointProperties<double> limited = free;
  limited.upper = most;
  return parallelogram(0.5, 1, {0, -1, 0}, limited, free, free)
      .with_gravity({0, 0, -9.81})
      .with_enforced({.limits = true, .friction = true});
}

/// Returns the largest violation of a loop or coupling at q (nq) [m, rad].
inline double loop_gap(const Model<double>& model, const Eigen::VectorXd& q) {
  TreePose<double> tree(model);
  place(model, tree, q);
  detail::TreeClosures<Model<double>> closures(model);
  auto rotations = closures.make_rotations();
  closures.place(tree, rotations);
  double largest = 0;
  for (Eigen::Index k = 0; k < closures.size(); ++k) largest = std::max(largest, std::abs(closures[k].value));
  return largest;
}

}  // namespace actio::test
