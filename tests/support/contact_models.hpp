// SPDX-License-Identifier: BSD-3-Clause
// Models and sources of contacts for tests of variational steps with contact.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/state.hpp"
#include "support/catch.hpp"

namespace actio::test {

/// Returns a rigid material.
inline ContactMaterial<double> rigid(double friction) {
  ContactMaterial<double> material;
  material.friction = friction;
  return material;
}

/// Returns a free body whose origin is its centre of mass.
inline Model<double> free_body(double mass, const Vector3<double>& inertia, const Vector3<double>& gravity = {0, 0, -9.81}) {
  ModelBuilder<double> builder("body");
  builder.gravity(gravity);
  builder.add_body("body", {mass, Vector3<double>::Zero(), inertia.asDiagonal()});
  builder.add_joint("free", "world", "body", Pose<double>::identity(), Free<double>());
  return builder.build();
}
/// Returns a free box.
inline Model<double> free_box(double mass, const Vector3<double>& size, const Vector3<double>& gravity = {0, 0, -9.81}) {
  const Vector3<double> s = size.cwiseAbs2();
  return free_body(mass, mass / 12 * Vector3<double>(s[1] + s[2], s[0] + s[2], s[0] + s[1]), gravity);
}
/// Returns the corners of a box on the ground z = 0.
inline PlaneContacts<double> corners(const Vector3<double>& size, double friction, BodyIndex body = 1) {
  PlaneContacts<double> ground(rigid(friction));
  return ground.add(body, Pose<double>::identity(), Box<double>{size});
}
/// Returns points of bodies on the ground at a height.
inline PlaneContacts<double> points(const std::vector<std::pair<BodyIndex, Vector3<double>>>& where, double friction, double height = 0) {
  PlaneContacts<double> ground(rigid(friction), Vector3<double>::UnitZ(), height);
  for (const auto& [body, p] : where) ground.add(body, {Matrix3<double>::Identity(), p}, Sphere<double>{0});
  return ground;
}

/// Returns a ball on a slide along z.
inline Model<double> ball_on_slide(double mass = 1, double gravity = 9.81) {
  ModelBuilder<double> builder("ball");
  builder.gravity({0, 0, -gravity});
  builder.add_body("ball", {mass, Vector3<double>::Zero(), mass * Matrix3<double>::Identity()});
  builder.add_joint("slide", "world", "ball", Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitZ()));
  return builder.build();
}

/// Returns a point mass on slides along x, y and z; springs along x and y to the origin.
inline Model<double> point_mass(double mass, double k_x = 0, double k_y = 0) {
  ModelBuilder<double> builder("point");
  builder.gravity({0, 0, -9.81});
  const std::vector<std::string> names{"world", "x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k) {
    JointProperties<double> properties;
    properties.stiffness = k == 0 ? k_x : k == 1 ? k_y : 0;
    builder.add_body(names[k + 1], {k == 2 ? mass : 0, Vector3<double>::Zero(), Matrix3<double>::Zero()});
    builder.add_joint("slide " + names[k + 1], names[k], names[k + 1], Pose<double>::identity(),
                      Prismatic<double>(Vector3<double>::Unit(static_cast<Eigen::Index>(k))), properties);
  }
  return builder.build();
}

/// The origin of a body in the bowl z >= x^2 / 2.
struct BowlContacts {
  BodyIndex body;
  ContactMaterial<double> material;
  std::size_t most_points() const noexcept { return 1; }
  void find(const BodyArray<Pose<double>>& T_WB, const double&, ContactList<double>& found) const noexcept {
    const Vector3<double>& p = T_WB[body].p;
    const double root = std::sqrt(1 + p[0] * p[0]);
    found.add({0, body, p, Vector3<double>(-p[0], 0, 1) / root, (p[2] - p[0] * p[0] / 2) / root, 0, &material});
  }
};

/// The lowest point of the rim of a thin disk around z of a body, on the ground z = 0.
struct RimContacts {
  BodyIndex body;
  double radius;
  ContactMaterial<double> material;
  std::size_t most_points() const noexcept { return 1; }
  void find(const BodyArray<Pose<double>>& T_WB, const double& margin, ContactList<double>& found) const noexcept {
    const Vector3<double> axis = T_WB[body].R.col(2), down = axis * axis[2] - Vector3<double>::UnitZ();
    const Vector3<double> p = T_WB[body].p + radius * down.normalized();
    if (p[2] <= margin) found.add({0, body, p, Vector3<double>::UnitZ(), p[2], 0, &material});
  }
};

/// A free body's state: position and velocity of its origin in the world, quaternion (w, x, y, z), angular velocity in the body.
inline State<double> free_state(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  State<double> state{Eigen::VectorXd(7), Eigen::VectorXd(6), 0};
  state.q << q.head(3), q.segment(4, 3), q[3];
  const Eigen::Quaterniond Q(q[3], q[4], q[5], q[6]);
  state.v << v.tail(3), Q.conjugate() * Vector3<double>(v.head(3));
  return state;
}
inline Eigen::VectorXd free_q(const State<double>& state) {
  Eigen::VectorXd q(7);
  q << state.q.head(3), state.q[6], state.q.segment(3, 3);
  return q;
}
inline Eigen::VectorXd free_v(const State<double>& state) {
  Eigen::VectorXd v(6);
  v << Eigen::Quaterniond(state.q[6], state.q[3], state.q[4], state.q[5]) * Vector3<double>(state.v.tail(3)), state.v.head(3);
  return v;
}

/// Returns the state of a free body in a fall, 0.25 m above the ground, so rotated that a box lands on a corner.
inline State<double> falling_on_a_corner() {
  Eigen::VectorXd q(7), v(6);
  q << 0, 0, 0.25, Eigen::Vector4d(0.8, 0.4, 0.3, 0.2).normalized();
  v << 0.4, -0.2, -1, 1, 2, 0.5;
  return free_state(q, v);
}
/// Returns the ground under the corners of a box of 0.4 x 0.3 x 0.2 m.
template <class S>
PlaneContacts<S> under_corners(const ContactMaterial<S>& material) {
  return PlaneContacts<S>(material).add(1, Pose<S>::identity(), Box<S>{Vector3<S>(S(0.4), S(0.3), S(0.2))});
}

}  // namespace actio::test
