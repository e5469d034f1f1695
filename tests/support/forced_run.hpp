// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Order of an integrator when everything acts on the joints at once: damping, springs, armature, inputs, wrenches and a force field.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "actio/integrators/runge_kutta.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace actio::test {

/// A force of time, position and velocity that acts on every joint.
struct Field {
  bool operator()(double t, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v, VectorRef<double> tau) noexcept {
    tau = -0.3 * v;
    tau.array() += std::sin(3 * t) + 0.2 * q[0];
    return true;
  }
};

/// Checks the order.  @param make (model, spring rule) -> an integrator with that field.
template <class Force, class Make>
void check_order_with_all_forces(Force field, const Make& make) {
  using Eigen::VectorXd;
  const double T = 0.32;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    const SpringRule rule = seed % 2 == 0 ? SpringRule::midpoint : SpringRule::trapezoid;
    const State<double> start{models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
    const auto input_over = [&](double t0, double t1) {  // grows with time, so that the beginning and the end of a step differ
      Input<double> input;
      input.tau_begin = VectorXd::Constant(model.nv(), std::cos(t0));
      input.tau_end = VectorXd::Constant(model.nv(), std::cos(t1));
      input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Constant(0.5 * std::sin(t0)));
      input.wrench_end = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Constant(0.5 * std::sin(t1)));
      return input;
    };
    const auto run = [&](auto integrator, int steps) {
      integrator.reset(start);
      const double h = T / steps;
      for (int k = 0; k < steps; ++k) {
        const StepResult<double> result = integrator.step(input_over(k * h, (k + 1) * h), h);
        REQUIRE(describe(result.status) == describe(Status::converged));
        REQUIRE(result.substeps == 1);
      }
      State<double> end = start;
      REQUIRE(integrator.read(end) == Status::converged);
      return end;
    };
    // RK4 interpolates inputs linearly to the times of its stages, which has an error of h^2 of the finest step: 2e-9.
    const State<double> exact = run(RungeKutta(model, field), 12800);
    const auto error = [&](int steps) {
      const State<double> end = run(make(model, rule), steps);
      return std::max(model.difference(exact.q, end.q).cwiseAbs().maxCoeff(), (exact.v - end.v).cwiseAbs().maxCoeff());
    };
    const double coarse = error(160), fine = error(320);
    CAPTURE(seed, coarse, fine);
    CHECK(std::abs(std::log2(coarse / fine) - decltype(make(model, rule))::order) < 0.1);
  }
}

}  // namespace actio::test
