// SPDX-License-Identifier: BSD-3-Clause
// Steps on dual numbers: their derivatives against differences; those of the variational integrator are of steps solved to rounding.
#include <Eigen/Core>

#include "actio/core/dual.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/dual_steps.hpp"

namespace derivative_scalars_test {

using namespace actio;
using Eigen::VectorXd;
using Dual = actio::Dual<double>;

double derivative(const Dual& x) { return x.derivative; }

TEST_CASE("a step on dual numbers gives its derivative for every tolerance on values", "[integrators][scalar][long]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    const Model<Dual> dual_model = cast<Dual>(model);
    test::check_dual_steps<Automatic>(model, dual_model, Dual(0, 1), derivative, seed, 0);
    test::check_dual_steps<Automatic>(model, dual_model, Dual(0, 1), derivative, seed, 1e-10);
  }
}

TEST_CASE("srm: steps on dual numbers give their derivatives", "[integrators][srm][long]") {
  const Model<double> model = models::four_bars(2);
  const auto dual = cast<Dual>(model);
  models::Random random(1);
  VectorXd v(model.nv()), dq(model.nv()), dv(model.nv());
  for (Eigen::Index k = 0; k < model.nv(); ++k) v[k] = random.uniform(-1, 1), dq[k] = random.uniform(-1, 1), dv[k] = random.uniform(-1, 1);
  const auto end_of = [](auto integrator, const auto& start) {
    integrator.reset(start);
    for (int k = 0; k < 25; ++k) REQUIRE(integrator.step({}, 2e-3));
    return integrator.configuration();
  };
  const auto end_along = [&](double t) { return end_of(SequentialRegularization(model), State<double>{t * dq, v + t * dv, 0}); };
  const double t = 1e-5;
  const VectorXd expected = (end_along(t) - end_along(-t)) / (2 * t);
  const State<Dual> start{dual_vector(VectorXd::Zero(model.nv()), dq), dual_vector(v, dv), 0};
  CHECK((derivatives(end_of(SequentialRegularization(dual), start)) - expected).norm() < 1e-7 * expected.norm());
}

}  // namespace derivative_scalars_test
