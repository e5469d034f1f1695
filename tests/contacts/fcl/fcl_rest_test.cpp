// SPDX-License-Identifier: BSD-3-Clause
// Bodies at rest on each other, with the contacts that FCL finds.
#include "actio/contacts/fcl.hpp"

#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "support/box_shapes.hpp"
#include "support/catch.hpp"

namespace fcl_rest_test {

using namespace actio;
using Eigen::Vector3d;
using test::corners_of, test::mesh_of;

/// A free body of 2 kg, dropped from a centimetre above a shape of the world whose top is at zero.
struct Drop {
  static constexpr double m = 2, k = 1e6, g = 9.81;
  Model<double> model;
  std::size_t points = 0;  ///< that carry load at the end
  double sink = 0, speed = 0, turned = 0, slid = 0;

  template <class Below, class Above>
  Drop(const Below& below, double top, const Above& above, const Pose<double>& T_BS, double height) : model([] {
        ModelBuilder<double> builder("dropped");
        builder.add_body("body", Inertia<double>::box(m, {0.5, 0.5, 0.4})).base(Base::floating);
        return builder.build();
      }()) {
    FclContacts contacts({Compliance<double>{k, 2e3}, 0.5});
    const Pose<double> T_W = Pose<double>::translation(0, 0, -top);
    contacts.add(0, T_W, below).add(1, T_BS, above);
    CompliantIntegrator integrator(model, {}, contacts);
    State<double> state = rest_state(model);
    state.q.head<3>() = Vector3d(0.02, 0.03, height + 0.01);
    integrator.reset(state);
    for (int step = 0; step < 2000; ++step) REQUIRE(describe(integrator.step({}, 1e-3).status) == describe(Status::converged));
    REQUIRE(integrator.read(state) == Status::converged);
    for (const ContactPoint<double>& point : integrator.contacts()) points += point.gap < 0;
    sink = height - state.q[2];
    speed = state.v.norm();
    turned = state.q.segment<3>(3).norm();
    slid = (state.q.head<2>() - Eigen::Vector2d(0.02, 0.03)).norm();
  }
  /// @param expected number of points that share the weight.
  void check_rest(std::size_t expected) const {
    CAPTURE(points, sink, speed, turned, slid);
    CHECK(points == expected);
    CHECK(std::abs(sink / (m * g / (k * double(expected))) - 1) < 0.01);
    CHECK((speed < 1e-6 && turned < 1e-4 && slid < 1e-4));
  }
};

const Pose<double> upright = Pose<double>::identity();
const Pose<double> lying{(Matrix3<double>() << 1, 0, 0, 0, 0, 1, 0, -1, 0).finished(), Vector3d::Zero()};

TEST_CASE("fcl contacts: a cylinder rests on its end, on a box and on a cylinder, and a box on it", "[io][fcl][fast]") {
  const Cylinder<double> can{0.3, 0.8};
  const Box<double> table{{3, 2, 1}}, plate{{0.5, 0.4, 0.1}};
  Drop(table, 0.5, can, upright, 0.4).check_rest(8);
  Drop(table, 0.5, Cylinder<double>{0.4, 0.3}, upright, 0.15).check_rest(8);
  Drop(Cylinder<double>{1, 1}, 0.5, plate, upright, 0.05).check_rest(4);
  Drop(Cylinder<double>{1, 1}, 0.5, Cylinder<double>{0.3, 0.2}, upright, 0.1).check_rest(8);
}

TEST_CASE("fcl contacts: a cylinder rests on its side at two points", "[io][fcl][fast]") {
  const Drop side(Box<double>{{3, 2, 1}}, 0.5, Cylinder<double>{0.3, 0.8}, lying, 0.3);
  CAPTURE(side.points, side.sink, side.speed, side.turned);
  CHECK(side.points == 2);
  CHECK(std::abs(side.sink / (Drop::m * Drop::g / (2 * Drop::k)) - 1) < 0.01);
  CHECK(side.speed < 1e-6);
}

TEST_CASE("fcl contacts: hulls and meshes of a box's corners carry loads as the box does", "[io][fcl][fast]") {
  const Box<double> table{{2, 2, 1}}, brick{{0.5, 0.4, 0.2}};
  Drop(table, 0.5, brick, upright, 0.1).check_rest(4);
  Drop(corners_of(table), 0.5, brick, upright, 0.1).check_rest(4);
  Drop(table, 0.5, corners_of(brick), upright, 0.1).check_rest(4);
  Drop(mesh_of(table), 0.5, brick, upright, 0.1).check_rest(4);
  Drop(table, 0.5, mesh_of(brick), upright, 0.1).check_rest(4);
  Drop(mesh_of(table), 0.5, Cylinder<double>{0.3, 0.8}, upright, 0.4).check_rest(8);
}

}  // namespace fcl_rest_test
