// SPDX-License-Identifier: BSD-3-Clause
// Root finders that take the exact Jacobian.
#include "actio/solvers/dense_broyden.hpp"
#include "actio/solvers/newton.hpp"
#include "history.hpp"

std::vector<double> convergence::newton(const Model& model, const State& start, double h, int most) {
  return history<actio::Newton>(model, start, h, most);
}
std::vector<double> convergence::simplified_newton(const Model& model, const State& start, double h, int most) {
  return history<actio::SimplifiedNewton>(model, start, h, most);
}
std::vector<double> convergence::dense_broyden(const Model& model, const State& start, double h, int most) {
  return history<actio::DenseBroyden>(model, start, h, most);
}
