// SPDX-License-Identifier: BSD-3-Clause
// Maximal steps on dual numbers: their derivatives, against differences of steps solved to rounding.
#include "actio/core/dual.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace maximal_derivative_scalars_test {

using namespace actio;
using Eigen::VectorXd;
using Dual = actio::Dual<double>;

/// Returns q and v after three steps from q (+) t dq and v + t dv, one below the other.
template <class S>
VectorX<S> run(const Model<S>& model, const State<double>& start, const VectorXd& dq, const VectorXd& dv, const S& t, double tolerance) {
  MaximalIntegrator integrator(model, {.tolerance = tolerance, .max_halvings = 0});
  State<S> state{model.integrate(start.q.cast<S>(), dq.cast<S>() * t), start.v.cast<S>() + dv.cast<S>() * t, S(0.0)};
  integrator.reset(state);
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step({}, S(0.02)));
  REQUIRE(integrator.read(state) == Status::converged);
  VectorX<S> result(model.nq() + model.nv());
  result << state.q, state.v;
  return result;
}

void check(const Model<double>& model, const State<double>& start, const VectorXd& dq, const VectorXd& dv) {
  const double e = 1e-2;
  const auto at = [&](double s) { return run<double>(model, start, dq, dv, s * e, 0); };
  const VectorXd expected = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);
  const Model<Dual> dual_model = cast<Dual>(model);
  for (const double tolerance : {0.0, 1e-10}) {
    const VectorX<Dual> exact = run<Dual>(dual_model, start, dq, dv, Dual(0, 1), tolerance);
    VectorXd rate(exact.size());
    for (Eigen::Index k = 0; k < rate.size(); ++k) rate[k] = exact[k].derivative;
    CAPTURE(tolerance);
    CHECK((rate - expected).norm() < 1e-9 * expected.norm());
  }
}

TEST_CASE("maximal: a step on dual numbers gives its derivative for every tolerance on values", "[integrators][scalar][long]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    CAPTURE(seed);
    check(model, {models::random_configuration(model, seed), models::random_velocity(model, seed + 1), 0},
          models::random_velocity(model, seed + 2), models::random_velocity(model, seed + 3));
  }
}

TEST_CASE("maximal: a step on dual numbers gives its derivative with a closed loop", "[integrators][scalar][long]") {
  const Model<double> model = models::closed_chain(4);
  // velocities are projected on those that the loop allows; the pose is unchanged
  check(model, rest_state(model), VectorXd::Zero(model.nv()), models::random_velocity(model, 3));
}

}  // namespace maximal_derivative_scalars_test
