// SPDX-License-Identifier: BSD-3-Clause
// The equation of a step with closed loops: neither of its norms overlooks what the other shows.
#include <algorithm>
#include <cmath>

#include "actio/integrators/variational.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace step_rows_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

/// The equation of the second step of a sheared ladder, with its root.
struct SecondStep {
  using Model = actio::Model<double>;
  static constexpr double h = 1e-2;
  Model model = models::ladder(1);
  AbiData<double> mass{model};
  VariationalIntegrator<Model> integrator{model};
  VariationalIntegrator<Model>::Memory node = integrator.make_memory();
  NodeMass<Model> at_node{model, SpringRule::midpoint, Factorization::automatic};
  DiscreteEulerLagrange<Model, Drnea<Split>, NoForce, JacobianUse::factored> equation{model, at_node, NoForce{}};
  VectorXd known, root = VectorXd::Zero(model.nv()), impulses = VectorXd::Zero(at_node.closures().size());

  SecondStep() {
    State<double> start = rest_state(model);
    start.q = models::sheared(model, VectorXd::Constant(1, 0.4));
    start.v[0] = 3;
    integrator.reset(start);
    REQUIRE(integrator.step({}, h));
    node = integrator.make_memory();
    known = node.p + h / 2 * node.gravity;
    begin(impulses);
    VectorXd update = root;
    for (int k = 0; k < 8; ++k) {
      equation.evaluate(root);
      REQUIRE(std::isfinite(equation.linearize()));
      equation.update(update);
      root += update;
    }
    REQUIRE(equation.residual(root) < 1e-13);
    impulses = equation.rows().impulses();
  }
  /// Begins the step with the given impulses.
  void begin(const VectorXd& L) {
    equation.begin(at_node, node, known, h, mass);
    equation.set_guess(L, 0);
  }
};

TEST_CASE("closed equation: an evaluation finds the impulses from any guess, and its norm is what remains",
          "[integrators][variational][fast]") {
  SecondStep s;
  models::Random random(1);
  double least = 1, most = 0;
  for (int k = 0; k < 200; ++k) {
    VectorXd x = s.root;
    for (double& entry : x) entry += random.uniform(-1e-7, 1e-7);  // this opens the loop
    VectorXd wrong = s.impulses;
    for (double& entry : wrong) entry += random.uniform(-1, 1);
    s.begin(s.impulses);
    const double by_mass = s.equation.residual(x);
    s.begin(wrong);
    CHECK(std::abs(s.equation.residual(x) - by_mass) < 1e-6 * by_mass);
    CHECK((s.equation.rows().impulses() - s.impulses).norm() < 1e-4 * s.impulses.norm());  // as accurate as x
    s.begin(wrong);
    const double ratio = s.equation.newton_residual(x) / by_mass;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  CHECK(least > 0.8);
  CHECK(most < 1.25);
}

}  // namespace step_rows_test
