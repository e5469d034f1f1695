// SPDX-License-Identifier: BSD-3-Clause
// All root finders find the same root: here exact Newton and the automatic one; all of them, with all kinetic energies and SVI, are in
// root_finders_long_test.cpp.
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/solvers/root/newton.hpp"
#include "support/catch.hpp"

namespace root_finders_test {

using namespace actio;

/// Returns the state after three steps, solved to rounding.
template <class Root>
Eigen::VectorXd end(const Model<double>& model, std::uint64_t seed) {
  VariationalIntegrator<Model<double>, Drnea<Split>, Root> integrator(model, {.tolerance = 0, .max_halvings = 0});
  integrator.reset({models::random_configuration(model, seed, 1.0), models::random_velocity(model, seed + 100, 1.0), 0});
  for (int k = 0; k < 3; ++k) REQUIRE(integrator.step({}, 3e-3).status == Status::converged);
  return integrator.momentum();
}

TEST_CASE("root finders: exact Newton finds the root of the automatic root finder", "[integrators][root][fast]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = models::random_tree(seed, 7, {.damping = true, .springs = true, .armature = true});
    const Eigen::VectorXd expected = end<Automatic>(model, seed);
    CAPTURE(seed);
    CHECK((end<Newton>(model, seed) - expected).norm() < 1e-11 * expected.norm());
  }
}

}  // namespace root_finders_test
