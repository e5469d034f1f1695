// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/root.hpp"

#include <vector>

#include "support/catch.hpp"

namespace root_test {

using namespace actio;

/// Feeds norms until the rule stops, and returns the result.
RootResult<double> judge(const std::vector<double>& norms, const RootOptions<double>& options, double floor) {
  struct {
    double value;
    double floor() const { return value; }
  } problem{floor};
  StoppingRule<double> rule(options, Method::riqn);
  VectorX<double> x(0);
  for (const double norm : norms) {
    if (rule.stop(norm, problem)) break;
    rule.update(x, x);
  }
  return rule.result();
}

TEST_CASE("stopping rule: it stops at the tolerance", "[solvers][root][fast]") {
  const auto result = judge({1, 1e-3, 1e-7, 1e-11, 1e-15}, {1e-10, 50}, 1e-14);
  CHECK(result.status == Status::converged);
  CHECK(result.evaluations == 4);
  CHECK(result.norm == 1e-11);
}

TEST_CASE("stopping rule: two updates that do not halve the norm are convergence only below the rounding floor", "[solvers][root][fast]") {
  CHECK(judge({1, 1e-15, 9e-16, 8e-16}, {0, 50}, 1e-14).status == Status::converged);
  // Rounding varies: an update that happens to halve the norm between two that do not is no progress.
  const auto jumping = judge({1, 8e-16, 9e-16, 5e-16, 6e-16, 5e-16}, {0, 50}, 1e-14);
  CHECK(jumping.status == Status::converged);
  CHECK(jumping.evaluations <= 5);
  CHECK(judge({1, 1e-3, 1e-3, 1e-3, 1e-3}, {1e-10, 4}, 1e-14).status == Status::max_iterations);
  CHECK(judge({1, 1e-3, 1e-3, 1e-3, 1e-11}, {1e-10, 50}, 1e-14).status == Status::converged);  // slow at first, then fast
}

TEST_CASE("stopping rule: six updates that do not halve the norm are convergence also slightly above the floor", "[solvers][root][fast]") {
  const std::vector<double> norms{1, 9e-14, 8e-14, 9e-14, 7e-14, 8e-14, 9e-14, 8e-14, 7e-14};
  const auto result = judge(norms, {0, 50}, 1e-14);
  CHECK(result.status == Status::converged);
  CHECK(result.evaluations == 8);
  CHECK(judge(norms, {0, 8}, 1e-16).status == Status::max_iterations);
  CHECK(judge(norms, {1e-14, 8}, 1e-14).status == Status::max_iterations);  // a tolerance is respected
}

TEST_CASE("stopping rule: zero converges immediately, and NaN and infinity end the iteration", "[solvers][root][fast]") {
  CHECK(judge({0}, {0, 50}, 0).evaluations == 1);
  CHECK(judge({1, std::nan("")}, {1e-10, 50}, 1e-14).status == Status::not_finite);
  CHECK(judge({std::numeric_limits<double>::infinity()}, {1e-10, 50}, 1e-14).status == Status::not_finite);
}

}  // namespace root_test
