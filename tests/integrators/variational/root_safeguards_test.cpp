// SPDX-License-Identifier: BSD-3-Clause
// A root finder converges to the root of the motion, or the step fails and changes nothing; root_finders_test.cpp compares roots.
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/svi/residual.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "support/catch.hpp"
#include "support/flat_tree.hpp"

namespace root_safeguards_test {

using namespace actio;
using Simplified = VariationalIntegrator<Model<double>, Drnea<Split>, SimplifiedNewton>;
using ConstantSteps = VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost>;
using SviNewton = VariationalIntegrator<Model<double>, Svi, DenseNewton>;

TEST_CASE("root safeguards: simplified Newton converges fast on nets of loops", "[integrators][root][fast]") {
  for (const int squares : {2, 3, 4}) {
    const Model<double> model = models::square_net(squares);
    for (const double tolerance : {1e-10, 0.0}) {
      Simplified integrator(model, {.tolerance = tolerance});
      State<double> start = rest_state(model);
      start.v = models::random_velocity(model, 3, 1);
      integrator.reset(start);
      const StepResult<double> result = integrator.step({}, 1e-2);
      CAPTURE(squares, tolerance, result.evaluations);
      CHECK(result.status == Status::converged);
      CHECK(result.substeps == 1);
      CHECK(result.evaluations <= (tolerance > 0 ? 5 : 10));
    }
  }
}

TEST_CASE("root safeguards: roots of SVI are finite and add no energy", "[integrators][root][svi][fast]") {
  // without the bound, each grew to 10 to 40000 times its energy
  for (const std::uint64_t seed : {4U, 7U, 12U, 38U, 56U, 79U, 134U, 136U, 168U, 174U}) {
    const Model<double> model = test::flat_tree(seed, 5);
    SviNewton integrator(model, {.max_halvings = 6});
    KinematicsData<double> data(model);
    State<double> state{models::random_configuration(model, seed, 1.0), models::random_velocity(model, seed + 100, 3.0), 0};
    integrator.reset(state);
    const Energy<double> begin = energy(model, data, state.q, state.v);
    double most = begin.kinetic;
    for (int k = 0; k < 50; ++k) {
      if (!integrator.step({}, 0.1)) break;
      CAPTURE(seed, k);
      REQUIRE(integrator.read(state) == Status::converged);
      REQUIRE((state.q.allFinite() && state.v.allFinite()));
      const Energy<double> now = energy(model, data, state.q, state.v);
      REQUIRE(now.kinetic <= 10 * (most + std::abs(now.potential + now.elastic - begin.total())));
      most = std::max(most, now.kinetic);
    }
  }
}

/// Joint forces that overflow, in all joints and in one: no crash, and converged states can be read.
template <class Integrator>
void check_hostile(const Model<double>& model) {
  for (const double force :
       {1e300, -1e300, 1e150, 1e-300, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const Eigen::Index count : {model.nv(), Eigen::Index(1)}) {
      Integrator integrator(model, {.max_halvings = 2});
      State<double> state = rest_state(model);
      const Eigen::VectorXd q = integrator.configuration(), p = integrator.momentum();
      Eigen::VectorXd tau = Eigen::VectorXd::Zero(model.nv());
      tau.head(count).setConstant(force);
      const StepResult<double> result = integrator.step(Input<double>(tau), 1e-2);
      CAPTURE(model.name(), force, count, name(result.method));
      if (result) {
        CHECK(integrator.read(state) == Status::converged);
        CHECK((state.q.allFinite() && state.v.allFinite()));
      } else {
        CHECK((integrator.configuration() == q && integrator.momentum() == p && integrator.time() == 0));
      }
    }
  }
}

TEST_CASE("root safeguards: forces that overflow fail the step and change nothing", "[integrators][root][hostile][fast]") {
  check_hostile<ConstantSteps>(models::closed_chain(2));
  check_hostile<ConstantSteps>(models::square_net(2));
  check_hostile<Simplified>(models::closed_chain(2));
  check_hostile<VariationalIntegrator<Model<double>>>(models::square_net(2));
  check_hostile<SviNewton>(test::flat_tree(1, 5));
}

TEST_CASE("root safeguards: an overflow is not called a singular mass matrix", "[integrators][root][hostile][fast]") {
  const Model<double> model = models::revolute_chain(4), heavy = model.with_gravity({0, 0, -1e308});
  VariationalIntegrator falls(heavy), whirls(model);
  CHECK(falls.step({}, 1e-3).status == Status::not_finite);
  State<double> fast = rest_state(model);
  fast.v.setConstant(1e200);
  whirls.reset(fast);
  CHECK(whirls.step({}, 1e-3).status == Status::not_finite);
  const Input<double> push(VectorX<double>::Constant(model.nv(), 1e300));
  whirls.reset(rest_state(model));
  CHECK(whirls.step(push, 1e-3).status == Status::not_finite);
}

}  // namespace root_safeguards_test
