// SPDX-License-Identifier: BSD-3-Clause
// The maximal step against the reference trajectories: exact discrete solutions of the kind quat, and the continuous ones, with closed
// loops too.
#include <cmath>

#include "actio/integrators/maximal.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace {

using namespace actio;
using Eigen::VectorXd;

MaximalOptions<double> to_rounding() {
  MaximalOptions<double> options;
  options.tolerance = 0;
  options.springs = SpringRule::trapezoid;  // as the files were made
  options.carry_residual = false;
  return options;
}

/// Largest difference of two configurations, relative to 1: quaternions may differ in sign.
double configuration_error(const Model<double>& model, const VectorXd& a, const VectorXd& b) { return model.difference(a, b).cwiseAbs().maxCoeff(); }
double relative(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff()); }

template <class Joints>
void reproduces(const test::Reference& reference, const Model<double, Joints>& model) {
  const test::Json& expected = reference.json["discrete"]["quat"];
  const auto sample_steps = reference.json["sample_steps"].get<std::vector<int>>();
  const double tolerance = std::max(1e-9, 1000 * expected["uncertainty"].get<double>());  // as the schema says
  const double h = reference.json["dt"].get<double>();
  MaximalIntegrator<Model<double, Joints>> integrator(model, to_rounding());
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  int done = 0;
  for (std::size_t k = 0; k < sample_steps.size(); ++k) {
    for (; done < sample_steps[k]; ++done) REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
    REQUIRE(integrator.read(state) == Status::converged);
    CAPTURE(done);
    CHECK(configuration_error(reference.model, reference.q(expected["q"][k]), state.q) < tolerance);
    CHECK(relative(state.v, reference.v(expected["v"][k])) < tolerance);
  }
}

TEST_CASE("maximal: the discrete solutions of all reference trees are reproduced", "[integrators][maximal][fast]") {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    reproduces(reference, test::with_welds(reference.json["model"]));
  }
}

TEST_CASE("maximal: the discrete solutions of the reference mechanisms are reproduced", "[integrators][maximal][fast]") {
  for (const std::string& name : test::loop_reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    reproduces(reference, reference.model);
  }
}

/// Error at the end of the file's time span with its steps divided by n.
std::pair<double, double> final_error(const test::Reference& reference, int n, NodeVelocity velocity) {
  const double h = reference.json["dt"].get<double>() / n;
  const int steps = reference.json["steps"].get<int>() * n;
  MaximalOptions<double> options = to_rounding();
  options.velocity = velocity;
  MaximalIntegrator<Model<double>> integrator(reference.model, options);
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, h).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  const test::Json& continuous = reference.json["continuous"];
  return {configuration_error(reference.model, reference.q(continuous["q"].back()), state.q), relative(state.v, reference.v(continuous["v"].back()))};
}

TEST_CASE("maximal: q and v converge to the continuous references with order 2", "[integrators][maximal][fast]") {
  std::vector<std::string> names = test::reference_names();
  names.insert(names.end(), test::loop_reference_names().begin(), test::loop_reference_names().end());
  for (const std::string& name : names) {
    const test::Reference reference = test::reference(name);
    const auto [q4, v4] = final_error(reference, 4, NodeVelocity::momentum);
    const auto [q8, v8] = final_error(reference, 8, NodeVelocity::momentum);
    CAPTURE(name, q4, q8, v4, v8);
    // Errors at rounding have no order: a body in free fall is exact.
    if (q8 > 1e-10) CHECK(std::abs(std::log2(q4 / q8) - 2) < 0.1);
    if (v8 > 1e-10) CHECK(std::abs(std::log2(v4 / v8) - 2) < 0.1);
  }
}

}  // namespace
