// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Models for tests, benchmarks and examples: many loops side by side, as ladders, chains of squares, nets and rows of four-bars.
#include <array>
#include <cmath>
#include <numbers>

#include "actio/core/elementary.hpp"
#include "actio/model/samples/chains.hpp"

namespace actio::models {

/// Returns n four-bars side by side in the y-z plane, each a crank of 0.4 m, a coupler of 1.1 m and a rocker of 0.8 m on ground pins 1 m
/// apart. The bars have 1 kg per metre, the joints are revolute about x; 3 n bodies, n loops, n degrees of freedom. At q = 0 the cranks point up
/// and the loops are closed.
/// @param attitude rotation of the whole mechanism in the world.
template <Scalar S = double>
Model<S> four_bars(int n, const std::type_identity_t<Matrix3<S>>& attitude = Matrix3<S>::Identity()) {
  ModelBuilder<S> builder("four_bars");
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const auto rotation = [&](double angle) { return so3::rotation<S>(Vector3<S>::UnitX(), number(angle)); };
  const std::array<double, 3> length{0.4, 1.1, 0.8};
  // Angles from y to z of crank, coupler and rocker. The coupler's end is where coupler and rocker meet; the rocker points to the pin.
  const double crank = std::numbers::pi / 2, apart = elementary::hypot(1.0, 0.4), to_pin = elementary::atan2(-0.4, 1.0);
  const double coupler =
      to_pin + elementary::acos((apart * apart + length[1] * length[1] - length[2] * length[2]) / (2 * apart * length[1]));
  const double end_y = length[1] * elementary::cos(coupler), end_z = 0.4 + length[1] * elementary::sin(coupler),
               rocker = elementary::atan2(-end_z, 1 - end_y);
  const std::array<double, 3> angles{crank, coupler - crank, rocker - coupler};
  for (int k = 1; k <= n; ++k) {
    const std::array<const char*, 3> names{"crank_", "coupler_", "rocker_"};
    std::string parent = "world";
    for (std::size_t bar = 0; bar < 3; ++bar) {
      const std::string link = names[bar] + std::to_string(k);
      const Vector3<S> at(S(0), number(bar == 0 ? 2.0 * (k - 1) : length[bar - 1]), S(0));
      const Vector3<S> size(number(0.1), number(length[bar]), number(0.1));
      builder.add_body(link, Inertia<S>::box(number(length[bar]), size)
                                 .seen_from_parent(Pose<S>::translation(S(0), number(length[bar] / 2), S(0))));
      const Pose<S> placement = bar == 0 ? Pose<S>{attitude * rotation(angles[bar]), attitude * at} : Pose<S>{rotation(angles[bar]), at};
      builder.add_joint("joint_" + link, parent, link, placement, Revolute<S>(Vector3<S>::UnitX()));
      parent = link;
    }
    Loop<S> loop;
    loop.name = "loop_" + std::to_string(k);
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A = {attitude, attitude * Vector3<S>(S(0), number(2.0 * (k - 1) + 1.0), S(0))};
    loop.T_B.p = Vector3<S>(S(0), number(length[2]), S(0));
    builder.add_loop(loop, "world", parent);
  }
  return builder.build();
}

/// Returns n four-link segments, one below the other. Each is a rhombus of rods on revolute joints about x, a above b and c above d, with a
/// loop between the ends of b and d, where the next segment begins. 4 n bodies, n loops, 2 n degrees of freedom. At q = 0 all rods hang along -z
/// and overlap, a singular configuration, which is hard to leave or to pass in joint coordinates.       [Brüdigam and Manchester 2020, fig. 7]
/// @param closure `point_on_line` has two rows per loop; `revolute` has three more, which are redundant.
template <Scalar S = double>
Model<S> four_link_segments(int n, LoopType closure = LoopType::point_on_line) {
  ModelBuilder<S> builder("four_link_segments");
  const Pose<S> tip = Pose<S>::translation(S(0), S(0), S(-1));
  const Revolute<S> hinge(Vector3<S>::UnitX());
  std::string above = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    const auto rod = [&](const char* name, const std::string& parent, const Pose<S>& at) {
      detail::add_rod(builder, name + number);
      builder.add_joint("joint_" + (name + number), parent, name + number, at, hinge);
    };
    const Pose<S> top = k == 1 ? Pose<S>::identity() : tip;
    rod("a", above, top);
    rod("b", "a" + number, tip);
    rod("c", above, top);
    rod("d", "c" + number, tip);
    Loop<S> loop;
    loop.name = "loop_" + number;
    loop.type = closure;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A = loop.T_B = tip;
    builder.add_loop(loop, "b" + number, "d" + number);
    above = "b" + number;
  }
  return builder.build();
}

/// Opens the k-th segment (k = 0 ... n - 1): its upper rods are at +-`half` [rad] about its middle line, which is rotated by `lean` [rad]
/// against the rod above. The loop is closed for all values.  @param q (nq), in which the segment's entries are set.
template <Scalar S>
void open_segment(const Model<S>& segments, int k, const std::type_identity_t<S>& half, const std::type_identity_t<S>& lean,
                  VectorX<S>& q) {
  const auto entry = [&](const char* name) { return segments.q_index(segments.find_body(name + std::to_string(k + 1))); };
  q[entry("a")] = lean + half;
  q[entry("b")] = S(-2) * half;
  q[entry("c")] = lean - half;
  q[entry("d")] = S(2) * half;
}

/// Returns a rope ladder with n rungs in the y-z plane: two rails of n rods each, and between their tips rungs, which a joint connects to
/// the left rail and a loop to the right one. All joints are revolute about x; 3 n bodies, n loops, n degrees of freedom. At q = 0 it hangs along
/// -z and the loops are closed.
template <Scalar S = double>
Model<S> ladder(int n) {
  ModelBuilder<S> builder("ladder");
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const Revolute<S> hinge(Vector3<S>::UnitX());
  const Pose<S> tip = Pose<S>::translation(S(0), S(0), S(-1));
  const Inertia<S> rung = Inertia<S>::box(S(1), Vector3<S>(number(0.1), S(1), number(0.1)))
                              .seen_from_parent(Pose<S>::translation(S(0), number(0.5), S(0)));
  std::string left = "world", right = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string name = std::to_string(k);
    const auto rod = [&](const std::string& link, const std::string& parent, const Pose<S>& at) {
      detail::add_rod(builder, link);
      builder.add_joint("joint_" + link, parent, link, at, hinge);
    };
    rod("left_" + name, left, k == 1 ? Pose<S>::identity() : tip);
    rod("right_" + name, right, k == 1 ? Pose<S>::translation(Vector3<S>::UnitY()) : tip);
    left = "left_" + name;
    right = "right_" + name;
    builder.add_body("rung_" + name, rung);
    builder.add_joint("joint_rung_" + name, left, "rung_" + name, tip, hinge);
    Loop<S> loop;
    loop.name = "loop_" + name;
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A.p = Vector3<S>::UnitY();
    loop.T_B = tip;
    builder.add_loop(loop, "rung_" + name, right);
  }
  return builder.build();
}

/// Returns a sheared configuration (nq) with closed loops: both rods of the k-th square (k = 0 ...) lean by angles[k] [rad] against those
/// above, and all rungs stay level.
/// @param angles (n), or fewer for the first squares.
template <Scalar S>
VectorX<S> sheared(const Model<S>& ladder, const std::type_identity_t<VectorX<S>>& angles) {
  VectorX<S> q = ladder.neutral();
  S lean(0);
  for (Eigen::Index k = 0; k < angles.size(); ++k) {
    const std::string name = std::to_string(k + 1);
    const auto entry = [&](const std::string& link) -> S& { return q[ladder.q_index(ladder.find_body(link + name))]; };
    entry("left_") = entry("right_") = angles[k];
    lean += angles[k];
    entry("rung_") = -lean;
  }
  return q;
}

/// Returns n squares in the y-z plane, of which neighbours share a corner. The entry of a square is the origin, or the corner of the
/// previous square opposite to its entry. From there rod a goes along y, b down from it, c down and d along y from it; a loop connects the
/// ends of b and d. All joints are revolute about x; 4 n bodies, n loops, 2 n degrees of freedom. At q = 0 they are squares.
///                                                                                         [Ascher and Lin 1999, ex. 4.1]
template <Scalar S = double>
Model<S> square_chain(int n) {
  ModelBuilder<S> builder("square_chain");
  const S quarter(std::numbers::pi_v<ValueOf<S>> / 2);
  const Revolute<S> hinge(Vector3<S>::UnitX());
  const Vector3<S> tip(S(0), S(0), S(-1));
  std::string entry = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    const auto rod = [&](const char* name, const std::string& parent, const S& angle, const Vector3<S>& at) {
      detail::add_rod(builder, name + number);
      builder.add_joint("joint_" + (name + number), parent, name + number, {so3::rotation<S>(Vector3<S>::UnitX(), angle), at}, hinge);
    };
    const Vector3<S> corner = k == 1 ? Vector3<S>(Vector3<S>::Zero()) : tip;
    rod("a", entry, quarter, corner);
    rod("b", "a" + number, -quarter, tip);
    rod("c", entry, S(0), corner);
    rod("d", "c" + number, quarter, tip);
    Loop<S> loop;
    loop.name = "loop_" + number;
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A.p = loop.T_B.p = tip;
    builder.add_loop(loop, "b" + number, "d" + number);
    entry = "b" + number;
  }
  return builder.build();
}

/// Returns a net of n by n squares: n + 1 threads of n rods hang side by side along y. From the tip of each rod, except those of the last
/// thread, a further rod goes along y, which a loop connects to the tip of the neighbouring rod. All joints and loops are ball joints;
/// (2 n + 1) n bodies, n^2 loops. At neutral the threads are vertical.                     [Ascher and Lin 1999, ex. 4.2]
template <Scalar S = double>
Model<S> square_net(int n) {
  ModelBuilder<S> builder("square_net");
  const Pose<S> tip = Pose<S>::translation(S(0), S(0), S(-1));
  const Pose<S> along{so3::rotation<S>(Vector3<S>::UnitX(), S(std::numbers::pi_v<ValueOf<S>> / 2)), tip.p};
  const auto name = [](const char* what, int thread, int k) { return what + std::to_string(thread) + "_" + std::to_string(k); };
  const auto rod = [&](const std::string& link, const std::string& parent, const Pose<S>& at) {
    detail::add_rod(builder, link);
    builder.add_joint("joint_" + link, parent, link, at, Spherical<S>());
  };
  for (int thread = 0; thread <= n; ++thread) {
    for (int k = 0; k < n; ++k) {
      const Pose<S> knot = Pose<S>::translation(S(0), S(static_cast<ValueOf<S>>(thread)), S(0));
      rod(name("thread_", thread, k), k == 0 ? "world" : name("thread_", thread, k - 1), k == 0 ? knot : tip);
      if (thread < n) rod(name("cross_", thread, k), name("thread_", thread, k), along);
    }
  }
  for (int thread = 0; thread < n; ++thread) {
    for (int k = 0; k < n; ++k) {
      Loop<S> loop;
      loop.name = name("loop_", thread, k);
      loop.type = LoopType::ball;
      loop.T_A = loop.T_B = tip;
      builder.add_loop(loop, name("thread_", thread + 1, k), name("cross_", thread, k));
    }
  }
  return builder.build();
}

/// Returns a configuration (nq) with closed loops in which all threads lean by an angle [rad] about y.
template <Scalar S>
VectorX<S> leaning(const Model<S>& net, const std::type_identity_t<S>& angle) {
  VectorX<S> x = VectorX<S>::Zero(net.nv());
  for (BodyIndex i = 1; i < net.num_bodies(); ++i) {
    if (net.parent(i) == 0) x[net.v_index(i) + 1] = angle;
  }
  return net.integrate(net.neutral(), x);
}

}  // namespace actio::models
