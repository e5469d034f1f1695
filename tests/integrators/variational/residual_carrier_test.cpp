// SPDX-License-Identifier: BSD-3-Clause
// The residual that a step leaves enters the next one without a change of the momenta that free flight conserves.
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"

namespace residual_carrier_test {

using namespace actio;

/// A small body in free fall that carries light rotors, off its centre of mass.
Model<double> drone(int rotors) {
  ModelBuilder<double> builder("drone");
  const Inertia<double> frame(0.775, Vector3<double>(0.01, 0, 0.02), Vector3<double>(0.0015, 0.0025, 0.0035).asDiagonal());
  builder.add_body("frame", frame).add_joint("flight", "world", "frame", Pose<double>::identity(), Free<double>());
  for (int k = 0; k < rotors; ++k) {
    const std::string name = "rotor" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(0.005, {0.1, 0.01, 0.002}));
    builder.add_joint("spin" + std::to_string(k), "frame", name,
                      Pose<double>::translation(k % 2 == 0 ? 0.1 : -0.1, k < 2 ? 0.1 : -0.1, 0.02), Revolute<double>({0, 0, 1}));
  }
  return builder.build();
}

/// Returns the largest relative error of the angular momentum about the centre of mass, in a flight that turns slowly and falls for 10 s.
template <class Integrator = VariationalIntegrator<Model<double>>>
double momentum_error(const Model<double>& model, double spin, const VariationalOptions<double>& options, double h = 1e-3) {
  Integrator integrator(model, options);
  State<double> state = rest_state(model);
  state.v.head<6>() << 0.3, -0.6, 0.7, 0.2, 0.5, -0.8;
  state.v.tail(model.nv() - 6).setConstant(spin);
  integrator.reset(state);
  MomentumMeter meter(model);
  REQUIRE(simulate(integrator, h, Seconds(10), meter));
  CHECK(meter.linear_error() < 1e-12);
  return meter.angular_error();
}

TEST_CASE("residual carrier: a fast fall does not turn a light body", "[integrators][variational][fast]") {
  CHECK(momentum_error(drone(0), 0, {}) < 1e-10);
  CHECK(momentum_error(drone(4), 100, {}) < 1e-10);
  CHECK(momentum_error(drone(4), 100, {.tolerance = 0}) < 1e-10);
}

TEST_CASE("residual carrier: Se3 keeps the angular momentum about the centre of mass to second order only",
          "[integrators][variational][fast]") {
  using AsPublished = VariationalIntegrator<Model<double>, Drnea<Se3>, Riqn>;
  const double error = momentum_error<AsPublished>(drone(0), 0, {.tolerance = 0}, 1e-3);
  CHECK(error > 1e-3);
  CHECK(momentum_error<AsPublished>(drone(0), 0, {.tolerance = 0}, 5e-4) / error == Approx(0.25).margin(0.1));
}

}  // namespace residual_carrier_test
