// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step against the step on dual numbers, for every joint type.
#include "actio/core/dual.hpp"
#include "actio/integrators/step_derivatives.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/random.hpp"
#include "support/step_map.hpp"

namespace step_derivatives_dual_test {

using namespace actio;
using Eigen::VectorXd;
using Dual = actio::Dual<double>;

TEMPLATE_TEST_CASE("step derivatives: they match the step on dual numbers", "[integrators][step_derivatives][scalar][long]", Split, Se3,
                   Quat) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 8, {.damping = true, .springs = true, .armature = true});
    const Model<Dual> dual_model = cast<Dual>(model);
    const Eigen::Index n = model.nv();
    const test::StepPoint at(model, seed, seed % 2 == 0 ? 0.05 : 2e-3);

    test::StepMap<double, TestType, Model<double>> step(model);
    step(at, 0);
    StepDerivatives derivatives(step.integrator());
    REQUIRE(derivatives.linearize(step.integrator(), step.input) == Status::converged);
    VectorXd dq1(n), dp1(n);
    derivatives.tangent(at.dq, at.dp, at.dtau0, at.dtau1, dq1, dp1);

    test::StepMap<Dual, TestType, Model<Dual>> dual_step(dual_model);
    dual_step(at, Dual(0, 1));
    const VectorX<Dual> moved = dual_model.difference(step.q().template cast<Dual>(), dual_step.q());
    VectorXd dq1_dual(n), dp1_dual(n);
    for (Eigen::Index k = 0; k < n; ++k) {
      dq1_dual[k] = moved[k].derivative;
      dp1_dual[k] = dual_step.p()[k].derivative;
    }
    CHECK((dq1 - dq1_dual).norm() < 1e-9 * dq1_dual.norm());
    CHECK((dp1 - dp1_dual).norm() < 1e-9 * dp1_dual.norm());
  }
}

}  // namespace step_derivatives_dual_test
