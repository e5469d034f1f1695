// SPDX-License-Identifier: BSD-3-Clause
// The variational step against the reference trajectories: exact discrete solutions and the continuous ones they converge to.
#include <cmath>

#include "actio/integrators/variational.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace {

using namespace actio;
using Eigen::VectorXd;

VariationalOptions<double> to_rounding() {
  VariationalOptions<double> options;
  options.tolerance = 0;
  options.springs = SpringRule::trapezoid;  // as the files were made
  options.carry_residual = false;
  return options;
}

/// Largest difference of two configurations, relative to 1: quaternions may differ in sign.
double configuration_error(const Model<double>& model, const VectorXd& a, const VectorXd& b) { return model.difference(a, b).cwiseAbs().maxCoeff(); }
double relative(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff()); }

template <class Kind>
void reproduces(const std::string& kind) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name, kind);
    const test::Json& expected = reference.json["discrete"][kind];
    const auto sample_steps = reference.json["sample_steps"].get<std::vector<int>>();
    const double tolerance = std::max(1e-9, 1000 * expected["uncertainty"].get<double>());  // as the schema says
    const double h = reference.json["dt"].get<double>();
    const Model<double, test::JointsAndWeld> model = test::with_welds(reference.json["model"]);
    // With RIQN: it compiles in half the time, and root_finders_test.cpp sees that all lead to the same root.
    VariationalIntegrator<Model<double, test::JointsAndWeld>, Drnea<Kind>, Riqn> integrator(model, to_rounding());
    State<double> state{reference.q0(), reference.v0(), 0};
    integrator.reset(state);
    int done = 0;
    for (std::size_t k = 0; k < sample_steps.size(); ++k) {
      for (; done < sample_steps[k]; ++done) REQUIRE(integrator.step({}, h).status == Status::converged);
      REQUIRE(integrator.read(state) == Status::converged);
      CAPTURE(done);
      CHECK(configuration_error(reference.model, reference.q(expected["q"][k]), state.q) < tolerance);
      CHECK(relative(integrator.momentum(), reference.p(expected["p"][k])) < tolerance);
      CHECK(relative(state.v, reference.v(expected["v"][k])) < tolerance);
    }
  }
}

TEST_CASE("variational: the discrete solutions of all reference trees are reproduced", "[integrators][variational][fast]") {
  SECTION("split") { reproduces<Split>("split"); }
  SECTION("se3") { reproduces<Se3>("se3"); }
  SECTION("quat") { reproduces<Quat>("quat"); }
}

/// Error at the end of the file's time span with its steps divided by n.
template <class Kind>
std::pair<double, double> final_error(const test::Reference& reference, int n) {
  const double h = reference.json["dt"].get<double>() / n;
  const int steps = reference.json["steps"].get<int>() * n;
  VariationalIntegrator<Model<double>, Drnea<Kind>, Riqn> integrator(reference.model, to_rounding());
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, h).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  const test::Json& continuous = reference.json["continuous"];
  return {configuration_error(reference.model, reference.q(continuous["q"].back()), state.q), relative(state.v, reference.v(continuous["v"].back()))};
}

TEMPLATE_TEST_CASE("variational: q and v converge to the continuous references with order 2", "[integrators][variational][fast]", Split, Se3, Quat) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const auto [q4, v4] = final_error<TestType>(reference, 4);
    const auto [q8, v8] = final_error<TestType>(reference, 8);
    CAPTURE(name, q4, q8, v4, v8);
    // Errors at rounding have no order: some kinds are exact on some systems (a body in free fall).
    if (q8 > 1e-10) CHECK(std::abs(std::log2(q4 / q8) - 2) < 0.1);
    if (v8 > 1e-10) CHECK(std::abs(std::log2(v4 / v8) - 2) < 0.1);
  }
}

}  // namespace
