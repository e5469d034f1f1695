// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of the variational integrator on dual numbers, compared with differences of steps that are solved to rounding.
#include <Eigen/Core>

#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace actio::test {

using Eigen::VectorXd;

/// A direction in which all inputs of a step change with t: the configuration, the velocity and the inputs.
struct ScalarMotion {
  VectorXd q, v, tau0, tau1, dq, dv, dtau0, dtau1;
  ScalarMotion(const auto& model, std::uint64_t seed)
      : q(models::random_configuration(model, seed)),
        v(models::random_velocity(model, seed + 1)),
        tau0(models::random_velocity(model, seed + 2)),
        tau1(models::random_velocity(model, seed + 3)),
        dq(models::random_velocity(model, seed + 4)),
        dv(models::random_velocity(model, seed + 5)),
        dtau0(models::random_velocity(model, seed + 6)),
        dtau1(models::random_velocity(model, seed + 7)) {}
};

/// Takes three steps, and returns q and p after each, one below the other.
template <class S, class Root, class ModelType>
VectorX<S> run_scalars(const ModelType& model, const ScalarMotion& m, const S& t, double h, double tolerance) {
  const auto at = [&](const VectorXd& x, const VectorXd& dx) {
    VectorX<S> moved(x.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) moved[k] = S(x[k]) + t * S(dx[k]);
    return moved;
  };
  const VectorXd none = VectorXd::Zero(m.q.size());
  VariationalIntegrator<ModelType, Drnea<Split>, Root> integrator(model, {.tolerance = tolerance, .max_halvings = 0});
  State<S> start{model.integrate(at(m.q, none), at(VectorXd::Zero(m.v.size()), m.dq)), at(m.v, m.dv), S(0.0)};
  integrator.reset(start);
  Input<S> input(at(m.tau0, m.dtau0));
  input.tau_end = at(m.tau1, m.dtau1);
  VectorX<S> result(3 * (model.nq() + model.nv()));
  for (int k = 0; k < 3; ++k) {
    REQUIRE(integrator.step(input, S(h)));
    result.segment(k * (model.nq() + model.nv()), model.nq()) = integrator.configuration();
    result.segment(k * (model.nq() + model.nv()) + model.nq(), model.nv()) = integrator.momentum();
  }
  return result;
}

/// Sixth-order central difference of steps that are solved to rounding, by whichever root finder.
inline VectorXd differenced(const Model<double>& model, const ScalarMotion& m, double h) {
  const double e = 1e-2;
  const auto at = [&](double s) { return run_scalars<double, Automatic>(model, m, s * e, h, 0); };
  return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);
}

/// Checks the derivative of three steps.  @param t 0 with the derivative 1.  @param derivative of a scalar.  @param tolerance of the steps
/// on dual numbers.
template <class Root, class DualModel, class S>
void check_dual_steps(const Model<double>& model, const DualModel& dual_model, const S& t, double (*derivative)(const S&),
                      std::uint64_t seed, double tolerance) {
  const ScalarMotion m(model, seed);
  const double h = 0.02;
  CAPTURE(seed, tolerance);
  const VectorX<S> exact = run_scalars<S, Root>(dual_model, m, t, h, tolerance);
  const VectorXd expected = differenced(model, m, h);
  VectorXd rate(exact.size());
  for (Eigen::Index k = 0; k < rate.size(); ++k) rate[k] = derivative(exact[k]);
  CHECK((rate - expected).norm() < 1e-9 * expected.norm());
}

}  // namespace actio::test
