// SPDX-License-Identifier: BSD-3-Clause
// The equation of a step with closed loops: what one of its norms sees the other does not overlook.
#include <algorithm>
#include <cmath>

#include "actio/integrators/variational.hpp"
#include "actio/model/ready/ladder.hpp"
#include "actio/model/ready/random.hpp"
#include "support/catch.hpp"

namespace closed_euler_lagrange_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("closed equation: the norm by the exact Jacobian sees all that the one by M sees, however wrong the impulses are", "[integrators][variational][fast]") {
  using Model = actio::Model<double>;
  constexpr double h = 1e-2;
  const Model model = models::ladder(1);
  State<double> start = rest_state(model);
  start.q = models::sheared(model, VectorXd::Constant(1, 0.4));
  start.v[0] = 3;
  VariationalIntegrator integrator(model);
  integrator.reset(start);
  REQUIRE(integrator.step({}, h));
  auto node = integrator.make_memory();
  AbiData<double> mass(model);
  ClosedEulerLagrange<Model, Drnea<Split>, NoForce, JacobianUse::factored> equation(model, SpringRule::midpoint, NoForce{}, ClosureMethod::automatic);
  equation.begin(node, h, false, mass);
  equation.known() = node.p + h / 2 * node.gravity;
  VectorXd root = VectorXd::Zero(equation.size()), update = root;
  for (int k = 0; k < 8; ++k) {
    equation.evaluate(root);
    REQUIRE(equation.linearize());
    equation.newton_norm();
    equation.newton_update(update);
    root += update;
  }
  REQUIRE(equation.residual(root) < 1e-13);

  models::Random random(1);
  double least = 1;
  for (int k = 0; k < 2000; ++k) {
    VectorXd y = root;
    for (Eigen::Index i = 0; i < model.nv(); ++i) y[i] += random.uniform(-1e-7, 1e-7);  // opens the loop
    const double size = std::pow(10, random.uniform(-6, 0));
    for (Eigen::Index i = model.nv(); i < y.size(); ++i) y[i] += random.uniform(-size, size);
    const double by_mass = equation.residual(y);
    equation.evaluate(y);
    const double ratio = equation.newton_norm() / by_mass;
    least = std::min(least, ratio);
  }
  CHECK(least > 0.8);
}

}  // namespace closed_euler_lagrange_test
