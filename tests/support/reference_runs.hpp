// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compares runs of an integrator with a reference trajectory: its discrete solution, and the continuous one to which it converges.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/integrators/integrator.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace actio::test {

/// Returns the options of a variational step with which the files were made.
template <class Options>
Options as_the_files() {
  Options options;
  options.tolerance = 0;
  options.springs = SpringRule::trapezoid;
  options.carry_residual = false;
  return options;
}

/// Returns the largest difference of two configurations; quaternions may differ in sign.
inline double configuration_error(const Model<double>& model, const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return model.difference(a, b).cwiseAbs().maxCoeff();
}
inline double relative_error(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// Checks the discrete solution of a kind at all nodes.
template <class I>
void reproduces(const Reference& reference, const std::string& kind, I integrator) {
  const Json& expected = reference.json["discrete"][kind];
  const auto sample_steps = reference.json["sample_steps"].get<std::vector<int>>();
  const double tolerance = std::max(1e-9, 1000 * expected["uncertainty"].get<double>());  // as the schema requires
  const double h = reference.json["dt"].get<double>();
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  int done = 0;
  for (std::size_t k = 0; k < sample_steps.size(); ++k) {
    for (; done < sample_steps[k]; ++done) REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
    REQUIRE(integrator.read(state) == Status::converged);
    CAPTURE(kind, done);
    CHECK(configuration_error(reference.model, reference.q(expected["q"][k]), state.q) < tolerance);
    CHECK(relative_error(state.v, reference.v(expected["v"][k])) < tolerance);
    if constexpr (requires { integrator.momentum(); }) {  // with loops it is determined only up to their impulses
      if (expected.contains("p")) CHECK(relative_error(integrator.momentum(), reference.p(expected["p"][k])) < tolerance);
    }
  }
}

/// Errors against the continuous solution at the end of the file's time span.
struct FinalError {
  double q = 0, v = 0;
};
/// Returns the errors of a run with the file's steps divided by n.
template <class I>
FinalError final_error(const Reference& reference, int n, I& integrator) {
  const double h = reference.json["dt"].get<double>() / n;
  const int steps = reference.json["steps"].get<int>() * n;
  State<double> state{reference.q0(), reference.v0(), 0};
  integrator.reset(state);
  for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, h).status == Status::converged);
  REQUIRE(integrator.read(state) == Status::converged);
  const Json& continuous = reference.json["continuous"];
  return {configuration_error(reference.model, reference.q(continuous["q"].back()), state.q),
          relative_error(state.v, reference.v(continuous["v"].back()))};
}

template <class I>
void converges_with_order_2(const Reference& reference, I integrator) {
  const FinalError coarse = final_error(reference, 4, integrator), fine = final_error(reference, 8, integrator);
  CAPTURE(coarse.q, fine.q, coarse.v, fine.v);
  // Errors at the level of rounding have no order: some kinds are exact on some systems (a body in free fall).
  if (fine.q > 1e-10) CHECK(std::abs(std::log2(coarse.q / fine.q) - 2) < 0.1);
  if (fine.v > 1e-10) CHECK(std::abs(std::log2(coarse.v / fine.v) - 2) < 0.1);
}

}  // namespace actio::test
