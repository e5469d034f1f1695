// SPDX-License-Identifier: BSD-3-Clause
// Single precision apart from double, since either takes long to compile.
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/ready/chain.hpp"
#include "actio/model/ready/closed_chain.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace variational_float_test {

using namespace actio;

TEST_CASE("variational: in single precision the default tolerance is met, or what rounding leaves", "[integrators][variational][fast]") {
  for (const int n : {3, 30}) {
    const Model<float> model = cast<float>(models::revolute_chain(n));
    VariationalIntegrator integrator(model);
    State<float> state = rest_state(model);
    state.q = models::horizontal(model);
    integrator.reset(state);
    const float floor = 4 * epsilon<float> * static_cast<float>(10 + n * n / 10);
    for (int k = 0; k < 500; ++k) {
      const StepResult<float> result = integrator.step({}, 1e-3f);
      REQUIRE(result.status == Status::converged);
      REQUIRE(result.substeps == 1);
      REQUIRE(result.residual <= std::max(floor, integrator.options().tolerance));
    }
  }
}

TEST_CASE("variational loops: the laws of integrators hold in single precision", "[integrators][variational][fast]") {
  const Model<float> model = models::closed_chain<float>(5);
  test::LawOptions options;
  options.velocity_tolerance = 1e-5;
  options.reversal_tolerance = 1e-3;
  for (const ClosureMethod method : {ClosureMethod::dense, ClosureMethod::sparse, ClosureMethod::conjugate_gradients, ClosureMethod::sweeps}) {
    CAPTURE(static_cast<int>(method));
    test::check_integrator_laws(VariationalIntegrator(model, {.closures = method}), rest_state(model), 1e-3f, options);
  }
}

}  // namespace variational_float_test
