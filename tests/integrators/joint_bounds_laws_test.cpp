// SPDX-License-Identifier: BSD-3-Clause
// Joint limits and dry friction in variational steps: the laws of an integrator, and float.
#include <cmath>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace joint_bounds_laws_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

struct InJoints {
  template <Scalar S>
  using Of = VariationalIntegrator<Model<S>>;
};
struct InBodies {
  template <Scalar S>
  using Of = MaximalIntegrator<Model<S>>;
};

TEMPLATE_TEST_CASE("joint bounds: the laws of an integrator hold", "[integrators][fast]", InJoints, InBodies) {
  using Double = typename TestType::template Of<double>;
  using Float = typename TestType::template Of<float>;
  models::Random random(5);
  const Model<double> chain = random_bounded_chain(random, 4);
  State<double> start = rest_state(chain);
  start.q = chain.properties().lower;  // on all of its limits
  start.v = VectorXd::Constant(4, -1);
  check_integrator_laws(Double(chain), start, 0.005);
  const Model<float> in_float = cast<float>(chain);
  check_integrator_laws(Float(in_float), State<float>{start.q.cast<float>(), start.v.cast<float>(), 0.F}, 0.005F);
  check_integrator_laws(Float(in_float, {.reversals = Reversals::located}), State<float>{start.q.cast<float>(), start.v.cast<float>(), 0.F}, 0.005F);
  const Model<double> closed = falling_parallelogram(0.4, 0.2);
  const State<double> on_limit{VectorXd{{0.4, -0.4, 0.4}}, VectorXd::Zero(3), 0};
  check_integrator_laws(Double(closed), on_limit, 0.005, {.velocity_tolerance = 1e-10});
  Double impatient(chain, {.tolerance = 1e-14, .max_iterations = 1, .max_halvings = 0});
  start.v = VectorXd::Constant(4, 5);
  check_failing_step(impatient, start, {}, 0.05, Status::max_iterations);
}

TEMPLATE_TEST_CASE("joint bounds: a run in float follows that in double", "[integrators][fast]", InJoints, InBodies) {
  models::Random random(7);
  const Model<double> model = random_bounded_chain(random, 5);
  const Model<float> in_float = cast<float>(model);
  typename TestType::template Of<double> exact(model);
  typename TestType::template Of<float> rounded(in_float);
  State<double> start = rest_state(model);
  start.v = VectorXd::Constant(5, 1);
  exact.reset(start);
  rounded.reset({start.q.cast<float>(), start.v.cast<float>(), 0.F});
  for (int k = 0; k < 100; ++k) {
    REQUIRE(exact.step({}, 0.005));
    REQUIRE(rounded.step({}, 0.005F));
  }
  // A hundred steps, impacts among them, double rounding errors of 1e-7 now and then.
  CHECK((exact.configuration() - rounded.configuration().template cast<double>()).cwiseAbs().maxCoeff() < 1e-3);
}

TEMPLATE_TEST_CASE("joint bounds: reversals are located in float", "[integrators][fast]", InJoints, InBodies) {
  const Model<float> model = cast<float>(sliders({1}, {.stiffness = 100, .friction = 4.5}));
  typename TestType::template Of<float> integrator(model, {.reversals = Reversals::located});
  integrator.reset({VectorX<float>::Constant(1, 1.F), VectorX<float>::Zero(1), 0.F});
  int reversals = 0;
  for (int k = 0; k < 360; ++k) {
    const StepResult<float> result = integrator.step({}, 0.01F);
    REQUIRE(result);
    reversals += result.reversals;
  }
  CHECK(reversals == 11);
  CHECK(std::abs(integrator.configuration()[0] - -0.01F) < 1e-3F);  // 1 - 0.09 a half period; rates vanish to 1e-4 of the largest
}

}  // namespace joint_bounds_laws_test
