// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace runge_kutta_test {

using namespace actio;

TEST_CASE("rk4: it obeys the laws of an integrator", "[integrators][runge_kutta][fast]") {
  const Model<double> model = models::random_tree(5, 8, {.damping = true, .springs = true, .armature = true});
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 6), 0.5};
  test::check_integrator_laws(RungeKutta(model), start, 1e-3);
  test::check_integrator_laws(RungeKutta<Model<double>, Heun>(model), start, 1e-3);
}

}  // namespace runge_kutta_test
