// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace variational_laws_test {

using namespace actio;

TEST_CASE("variational: the laws of an integrator hold on a tree of all joint types", "[integrators][variational][fast]") {
  const bool damped = GENERATE(false, true);  // without damping it can step backward
  const Model<double> model = models::random_tree(5, 8, {.damping = damped, .springs = true, .armature = true});
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 6), 0.5};
  test::check_integrator_laws(VariationalIntegrator(model), start, 1e-3);
}

TEST_CASE("variational: the laws of an integrator hold where steps are halved", "[integrators][variational][fast]") {
  const Model<double> model = models::random_tree(9, 6);
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 6, 2.0), 0};
  test::check_integrator_laws(VariationalIntegrator(model, {.max_iterations = 3}), start, 2e-2, {.reversal_tolerance = 1e-4});
}

}  // namespace variational_laws_test
