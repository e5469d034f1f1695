// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace semi_implicit_euler_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("euler: it obeys the laws of an integrator", "[integrators][euler][fast]") {
  const Model<double> model = models::random_tree(5, 8, {.damping = true, .springs = true, .armature = true});
  const State<double> start{models::random_configuration(model, 5), models::random_velocity(model, 6), 0.5};
  test::check_integrator_laws(SemiImplicitEuler(model), start, 1e-3);
}

TEST_CASE("euler: joint damping of any stiffness is stable", "[integrators][euler][fast]") {
  ModelBuilder<double> builder("damped");
  builder.add_body("arm", Inertia<double>::rod(1, 1, {1, 0, 0}));
  builder.add_joint("hinge", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}), {.damping = 2500});
  const Model<double> model = builder.build();
  SemiImplicitEuler integrator(model);
  State<double> state{VectorXd::Zero(1), VectorXd::Constant(1, 3.0), 0};
  integrator.reset(state);
  REQUIRE(integrator.step({}, 1e-2).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK(std::abs(state.v[0] - 3.0 / (1 + 1e-2 * 2500 * 12)) < 1e-12);  // backward Euler on I v' = -d v, I = 1/12
}

TEST_CASE("euler: a massless leaf is refused by name", "[integrators][euler][fast]") {
  ModelBuilder<double> builder("weightless");
  builder.add_body("tip", Inertia<double>::zero());
  builder.add_joint("wrist", "world", "tip", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Model<double> model = builder.build();
  CHECK_THROWS_WITH(SemiImplicitEuler(model), test::contains("wrist") && test::contains("tip"));
}

}  // namespace semi_implicit_euler_test
