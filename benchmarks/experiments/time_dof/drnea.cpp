// SPDX-License-Identifier: BSD-3-Clause
// With the logarithm on SE(3), as published.
#include "actio/solvers/reference/dense_roots.hpp"
#include "timing.hpp"

using namespace actio;

time_dof::Timing time_dof::drnea_newton(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, DenseNewton>(model, start, spend);
}
time_dof::Timing time_dof::drnea_broyden(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, DenseBroyden>(model, start, spend);
}
time_dof::Timing time_dof::drnea_riqn(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, Riqn>(model, start, spend);
}
double time_dof::drnea_evaluation(const Model& model, const State& start, double spend) {
  return time_evaluation<Drnea<Se3>>(model, start, spend);
}
