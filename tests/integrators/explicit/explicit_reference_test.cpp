// SPDX-License-Identifier: BSD-3-Clause
// Semi-implicit Euler and Runge-Kutta converge to the continuous reference trajectories with their nominal orders.
#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace explicit_reference_test {

using namespace actio;
using Eigen::VectorXd;

template <class I>
double final_error(const test::Reference& reference, I integrator, int n) {
  const double h = reference.json["dt"].get<double>() / n;
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  for (int k = 0; k < reference.json["steps"].get<int>() * n; ++k) REQUIRE(integrator.step({}, h).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  const test::Json& continuous = reference.json["continuous"];
  const VectorXd v = reference.v(continuous["v"].back());
  return std::max(reference.model.difference(reference.q(continuous["q"].back()), state.q).cwiseAbs().maxCoeff(),
                  (state.v - v).cwiseAbs().maxCoeff());
}

template <class I>
void has_order(int steps, double margin) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const double coarse = final_error(reference, I(reference.model), steps), fine = final_error(reference, I(reference.model), 2 * steps);
    CAPTURE(name, coarse, fine);
    // smaller errors are below the accuracy of the references
    if (fine > 1e-10) CHECK(std::abs(std::log2(coarse / fine) - I::order) < margin);
  }
}

TEST_CASE("rk4: it has order 4 on the configuration manifold", "[integrators][runge_kutta][fast]") { has_order<RungeKutta<Model<double>,
          RungeKutta4>>(4, 0.2); }
TEST_CASE("heun: it has order 2 on the configuration manifold", "[integrators][runge_kutta][fast]") { has_order<RungeKutta<Model<double>,
          Heun>>(8, 0.1); }
// 0.25: with these steps a first-order method is not yet in its asymptotic range on the fast chains.
TEST_CASE("euler: it has order 1", "[integrators][euler][fast]") { has_order<SemiImplicitEuler<Model<double>>>(32, 0.25); }

}  // namespace explicit_reference_test
