// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mechanisms whose loops have redundant rows in all configurations.
#include <cmath>
#include <numbers>
#include <string>

#include "actio/integrators/close_loops.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/random.hpp"

namespace actio::test {

struct RedundantLoops {
  Model<double> model;
  Eigen::VectorXd q;  ///< a configuration in which all loops are closed
};

/// n four-bars side by side in a tilted plane, each closed by a ball joint: three rows, of which one is redundant.
inline RedundantLoops tilted_four_bars(int n) {
  using Rotation = Matrix3<double>;
  using Point = Vector3<double>;
  ModelBuilder<double> builder("tilted_four_bars");
  const Rotation tilted = Eigen::Quaterniond(0.5, 0.3, -0.7, 0.4).normalized().toRotationMatrix(), none = Rotation::Identity();
  const double crank = 0.4, coupler = 1.1, rocker = 0.8, apart = std::hypot(1.0, crank);  // tip of the upright crank to the rocker's hinge
  const double leans = std::atan2(-crank, 1.0) + std::acos((apart * apart + coupler * coupler - rocker * rocker) / (2 * apart * coupler));
  const double falls = std::atan2(-crank - coupler * std::sin(leans), 1 - coupler * std::cos(leans));
  const double length[3] = {crank, coupler, rocker}, turn[3] = {std::numbers::pi / 2, leans - std::numbers::pi / 2, falls - leans};
  for (int k = 0; k < n; ++k) {
    std::string parent = "world";
    for (int j = 0; j < 3; ++j) {
      const std::string link = "link" + std::to_string(k) + "_" + std::to_string(j);
      builder.add_body(link, Inertia<double>::box(length[j], {0.1, length[j], 0.1}).seen_from_parent({none, {0, length[j] / 2, 0}}));
      const Pose<double> at{so3::exp<double>(Point(turn[j], 0, 0)), Point(0, j == 0 ? 2.0 * k : length[j - 1], 0)};
      builder.add_joint("joint_" + link, parent, link, j == 0 ? Pose<double>{tilted, Point::Zero()} * at : at, Revolute<double>({1, 0, 0}));
      parent = link;
    }
    Loop<double> loop;
    loop.name = "loop" + std::to_string(k);
    loop.type = LoopType::ball;
    loop.T_A = {tilted, tilted * Point(0, 2.0 * k + 1, 0)};
    loop.T_B.p = {0, rocker, 0};
    builder.add_loop(loop, "world", parent);
  }
  Model<double> model = builder.build();
  const Eigen::VectorXd q = model.neutral();
  return {std::move(model), q};
}

/// Bricard's ring of six hinges between equal links, with axes perpendicular in alternating directions: four of five rows are independent,
/// which is a consequence of the dimensions only.
inline RedundantLoops bricard() {
  constexpr double pi = std::numbers::pi;
  const auto across = [](double alpha) { return Pose<double>{so3::exp<double>(Vector3<double>(alpha, 0, 0)), Vector3<double>(1, 0, 0)}; };
  ModelBuilder<double> builder("bricard");
  std::string parent = "world";
  Pose<double> at = Pose<double>::identity();
  for (int k = 0; k < 5; ++k) {
    const std::string name = std::to_string(k);
    builder.add_body("link" + name, Inertia<double>::box(1, {1, 0.1, 0.1}).seen_from_parent(Pose<double>::translation(0.5, 0, 0)));
    builder.add_joint("hinge" + name, parent, "link" + name, at, Revolute<double>({0, 0, 1}));
    parent = "link" + name;
    at = across(k % 2 == 0 ? pi / 2 : -pi / 2);
  }
  Loop<double> loop;
  loop.name = "closure";
  loop.type = LoopType::revolute;
  loop.axis = Vector3<double>::UnitZ();
  loop.T_A = across(-pi / 2).inverse();
  loop.T_B = at;
  Model<double> model = builder.add_loop(loop, "world", parent).build();
  Eigen::VectorXd q(5);
  q << 2.0, -1.2, 2.0, -1.2, 2.0;
  const Eigen::VectorXd closed = close_loops(model, q);
  return {std::move(model), closed};
}

/// The ring of eight links, whose end is both welded and hinged: the rows of the hinge are redundant given those of the weld.
inline RedundantLoops ring_with_two_closures() {
  const Model<double> ring = models::eight_bar(Matrix3<double>::Identity(), 5.0);
  ModelBuilder<double> builder("ring_with_two_closures");
  for (BodyIndex i = 1; i < ring.num_bodies(); ++i) {
    builder.add_body(ring.body_name(i), ring.inertia(i));
    visit_joint(ring, i, [&](const auto& joint) {
      builder.add_joint(ring.joint_name(i), ring.body_name(ring.parent(i)), ring.body_name(i), ring.placement(i), joint);
    });
  }
  Loop<double> weld = ring.loops()[0], hinge = weld;
  hinge.name = "hinge";
  hinge.type = LoopType::revolute;
  hinge.axis = Vector3<double>(0.6, 0, 0.8);
  for (const Loop<double>& loop : {weld, hinge}) builder.add_loop(loop, "world", "link_8");
  Model<double> model = builder.build().with_properties(ring.properties());
  const Eigen::VectorXd q = model.neutral();
  return {std::move(model), q};
}

/// A rope ladder with n rungs in a plane, on a floating rod or on the world: rungs end in hinges with five rows, where two would suffice.
inline RedundantLoops redundant_ladder(int n, bool floats) {
  ModelBuilder<double> builder("redundant_ladder");
  const Revolute<double> hinge({1, 0, 0});
  const Matrix3<double> none = Matrix3<double>::Identity();
  const Pose<double> tip{none, {0, 0, -1}};
  const auto rod = Inertia<double>::box(1, {0.1, 0.1, 1}).seen_from_parent({none, {0, 0, -0.5}});
  const auto rung = Inertia<double>::box(1, {0.1, 1, 0.1}).seen_from_parent({none, {0, 0.5, 0}});
  std::string left = "world", right = "world";
  if (floats) {
    builder.gravity({0, 0, 0}).add_body("bar", rung).add_joint("floats", "world", "bar", Pose<double>::identity(), Free<double>());
    left = right = "bar";
  }
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    builder.add_body("left_" + number, rod)
        .add_joint("joint_left_" + number, left, "left_" + number, k == 1 ? Pose<double>::identity() : tip, hinge);
    builder.add_body("right_" + number, rod)
        .add_joint("joint_right_" + number, right, "right_" + number, k == 1 ? Pose<double>{none, {0, 1, 0}} : tip, hinge);
    left = "left_" + number;
    right = "right_" + number;
    builder.add_body("rung_" + number, rung).add_joint("joint_rung_" + number, left, "rung_" + number, tip, hinge);
    Loop<double> loop;
    loop.name = "loop_" + number;
    loop.type = LoopType::revolute;
    loop.axis = {1, 0, 0};
    loop.T_A.p = {0, 1, 0};
    loop.T_B = tip;
    builder.add_loop(loop, "rung_" + number, right);
  }
  Model<double> model = builder.build();
  Eigen::VectorXd q = model.neutral();
  double lean = 0;
  for (int k = 1; k <= n; ++k) {
    const auto entry = [&](const std::string& link) -> double& { return q[model.q_index(model.find_body(link + std::to_string(k)))]; };
    const double angle = 0.4 - 0.1 * k;
    entry("left_") = entry("right_") = angle;
    lean += angle;
    entry("rung_") = -lean;
  }
  return {std::move(model), q};
}

}  // namespace actio::test
