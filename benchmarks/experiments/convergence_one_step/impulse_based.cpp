// SPDX-License-Identifier: BSD-3-Clause
// Root finders that use the inverse mass matrix.
#include "actio/solvers/root/quasi_newton.hpp"
#include "history.hpp"

using namespace convergence;

History convergence::broyden(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::Broyden>(model, start, h, x, most);
}
History convergence::anderson(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::Anderson>(model, start, h, x, most);
}
History convergence::riqn(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::Riqn>(model, start, h, x, most);
}
