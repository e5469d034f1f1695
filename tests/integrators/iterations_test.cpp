// SPDX-License-Identifier: BSD-3-Clause
// `max_iterations` and `StepResult::iterations` mean the same in all integrators: updates of the unknowns.
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace iterations_test {

using namespace actio;

/// A first step, which has one guess only, cannot be solved to rounding in so few updates.
template <class I>
void check_updates(I integrator, int updates) {
  const auto& model = integrator.model();
  integrator.reset({models::random_configuration(model, 5, 1.5), models::random_velocity(model, 6, 1.5), 0});
  const StepResult<double> result = integrator.step({}, 0.02);
  CHECK(result.status == Status::max_iterations);
  CHECK(result.iterations == updates);
  CHECK(result.evaluations == updates + 1);  // one at the guess, one after each update
}

TEST_CASE("integrators: max_iterations limits the updates of an attempt, which StepResult::iterations counts", "[integrators][fast]") {
  using Chain = Model<double>;
  const Chain model = models::revolute_chain(10);
  for (const int updates : {1, 2, 3}) {
    CAPTURE(updates);
    const VariationalOptions<double> options{.tolerance = 0, .max_iterations = updates, .max_halvings = 0};
    check_updates(VariationalIntegrator(model, options), updates);
    check_updates(VariationalIntegrator<Chain, Drnea<Split>, Riqn>(model, options), updates);
    check_updates(VariationalIntegrator<Chain, Drnea<Split>, Newton>(model, options), updates);
    check_updates(MaximalIntegrator(model, {.tolerance = 0, .max_iterations = updates, .max_halvings = 0}), updates);
  }
}

}  // namespace iterations_test
