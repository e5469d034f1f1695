// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction in variational steps: the laws of an integrator.
#include <cmath>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace joint_bounds_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

TEMPLATE_TEST_CASE("joint bounds: the laws of an integrator hold", "[integrators][fast]", VariationalIntegrator<Model<double>>,
                   MaximalIntegrator<Model<double>>) {
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v = VectorXd::Constant(4, -1);
  check_integrator_laws(TestType(chain), start, 0.005);
  check_integrator_laws(TestType(chain, {.reversals = Reversals::located}), start, 0.005);
  const Model<double> closed = falling_parallelogram(0.4, 0.2);
  const State<double> on_limit{VectorXd{{0.4, -0.4, 0.4}}, VectorXd::Zero(3), 0};
  check_integrator_laws(TestType(closed), on_limit, 0.005, {.velocity_tolerance = 1e-10});
  TestType impatient(chain, {.tolerance = 1e-14, .max_iterations = 1, .max_halvings = 0});
  start.v = VectorXd::Constant(4, 5);
  check_failing_step(impatient, start, {}, 0.05, Status::max_iterations);
}

}  // namespace joint_bounds_laws_test
