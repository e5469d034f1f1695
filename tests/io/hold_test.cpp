// SPDX-License-Identifier: BSD-3-Clause
// Robots of the collection hold their pose.
#include "actio/simulation/hold.hpp"

#include <string>

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

}  // namespace hold_test
