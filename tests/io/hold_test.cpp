// SPDX-License-Identifier: BSD-3-Clause
// Robots of the collection hold their pose.
#include "actio/simulation/hold.hpp"

#include <algorithm>
#include <string>

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/actuator_control.hpp"
#include "actio/simulation/simulate.hpp"
#include "io/read_urdf.hpp"
#include "support/catch.hpp"
#include "support/shared_file.hpp"

namespace hold_test {

using namespace actio;

/// Returns the largest deviation of a held joint after 3 s from the start pose [rad, m].
template <class I>
double deviation(const ActuatorControl<double>& held, const VectorX<double>& q) {
  ActuatorControl control = held;
  I integrator(control.model());
  integrator.reset({q, VectorX<double>::Zero(control.model().nv()), 0.0});
  REQUIRE(simulate(integrator, control, 2e-3, Seconds{3}));
  return control.model().difference(q, integrator.configuration()).cwiseAbs().maxCoeff();
}

TEST_CASE("hold: a humanoid, a quadruped and a finger on a fixed base keep their pose", "[io][fast]") {
  const std::string name = GENERATE("g1_29dof", "a1", "finger_edu", "humanoid_spherical");
  CAPTURE(name);
  const auto path = test::shared_file("robots/" + name + ".urdf");
  if (!path) ACTIO_SKIP("the collection of robots is absent");
  const Loaded<double> loaded = read_urdf(path->string());
  VectorX<double> q = loaded.model.neutral();
  VectorX<double> bent = VectorX<double>::Constant(loaded.model.nv(), 0.3);
  q = loaded.model.integrate(q, bent);
  const HeldPose<double> held = hold_pose(loaded.model, {}, {}, q);
  CHECK(held.not_held.empty());
  const ActuatorControl control(loaded.model, held.actuators, held.ctrl);
  const double moved = deviation<VariationalIntegrator<Model<double>>>(control, q);
  CHECK(moved < 0.011);  // the droop for which the gains are made, 0.01, and a tenth for joints in a chain
  CHECK(deviation<CompliantIntegrator<Model<double>>>(control, q) == Approx(moved).epsilon(0.01).margin(1e-5));
}

TEST_CASE("hold: a humanoid and a quadruped stand on rigid ground and on undamped springs", "[io][long]") {
  const std::string name = GENERATE("g1_29dof", "anymal_c");
  const double stiffness = GENERATE(0., 1e6), h = GENERATE(1e-3, 5e-3);
  CAPTURE(name, stiffness, h);
  const auto path = test::shared_file("robots/" + name + ".urdf");
  if (!path) ACTIO_SKIP("the collection of robots is absent");
  const Model<double> model = read_urdf(path->string(), {.base = Base::floating}).model.with_enforced({.contact = true});
  ContactMaterial<double> material{.friction = 0.8};
  if (stiffness > 0) material.normal = Compliance<double>{stiffness, 0};
  PlaneContacts<double> ground(material);
  ground.add_shapes_of(model, Meshes::leave_out);
  VectorX<double> q = model.neutral();
  KinematicsData<double> bodies(model);
  forward_kinematics(model, bodies, q);
  ContactList<double> points(ground.most_points());
  ground.find(bodies.T_WB, 100, points);
  double lowest = 100;
  for (const ContactPoint<double>& point : points.points()) lowest = std::min(lowest, point.gap);
  q[2] -= lowest;

  const HeldPose<double> held = hold_pose(model, {}, {}, q);
  ActuatorControl control(model, held.actuators, held.ctrl, ActuatorUse::servos);
  REQUIRE(control.model().servos().size() == held.actuators.size());
  VariationalIntegrator integrator(control.model(), {}, ground);
  integrator.reset({q, VectorX<double>::Zero(model.nv()), 0.0});
  double fastest = 0;
  REQUIRE(simulate(integrator, control, h, Seconds{1}, [&](auto& node) {
    fastest = std::max(fastest, node.energy().kinetic);
    for (Eigen::Index k = 0; k < model.nv(); ++k) {  // twice the limit where the force turns round
      const double impulse = std::abs(integrator.servo_impulses()[k]);
      if (impulse > 0) REQUIRE(impulse <= 2.001 * h * model.properties().effort_limit[k]);
    }
  }));
  CHECK((model.difference(q, integrator.configuration())).cwiseAbs().maxCoeff() < 2e-3);
  CHECK(fastest < 0.05);  // J; they fall by a tenth of a millimetre on springs
}

}  // namespace hold_test
