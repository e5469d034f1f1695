// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/increment_history.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace {

using namespace actio;
using Eigen::VectorXd;

/// Increments of a motion that is a polynomial of the given degree in the step's number.
VectorXd increment(int degree, double k) { return VectorXd::Constant(2, 1.0) + Eigen::Vector2d(3, -2) * std::pow(k, degree); }

TEST_CASE("increment history: extrapolation of order n continues polynomials of degree n - 1 exactly", "[integrators][history][fast]") {
  for (int order = 1; order <= 6; ++order) {
    IncrementHistory<double> history(2);
    for (int k = 0; k < 7; ++k) history.push(increment(order - 1, k), 0.1);
    VectorXd x(2);
    history.extrapolate(order, x);
    CAPTURE(order);
    CHECK((x - increment(order - 1, 7)).norm() < 1e-13 * std::pow(2, order) * increment(order - 1, 7).norm());  // the weights add up to 2^order
    for (int k = 0; k < 7; ++k) history.push(increment(order, k), 0.1);
    history.extrapolate(order, x);
    CHECK((x - increment(order, 7)).norm() > 1e-3);
  }
}

TEST_CASE("increment history: serves steps of its own length only", "[integrators][history][fast]") {
  IncrementHistory<double> history(2);
  CHECK(history.usable(0.1) == 0);
  for (int k = 0; k < 9; ++k) history.push(increment(1, k), 0.1);
  CHECK(history.usable(0.1) == 6);
  CHECK(history.usable(0.05) == 0);
  history.push(increment(1, 9), 0.05);
  CHECK(history.usable(0.05) == 1);
  CHECK(history[1].isApprox(increment(1, 9)));
  history.clear();
  CHECK(history.usable(0.05) == 0);
}

}  // namespace
