// SPDX-License-Identifier: BSD-3-Clause
// With the logarithm on SE(3), as published.
#include "actio/solvers/reference/dense_roots.hpp"
#include "timing.hpp"

namespace time_dof {

using namespace actio;

Timing drnea_newton(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, DenseNewton>(model, start, spend);
}
Timing drnea_broyden(const Model& model, const State& start, double spend) {
  return as_published<Drnea<Se3>, DenseBroyden>(model, start, spend);
}
Timing drnea_riqn(const Model& model, const State& start, double spend) { return as_published<Drnea<Se3>, Riqn>(model, start, spend); }
double drnea_evaluation(const Model& model, const State& start, double spend) { return time_evaluation<Drnea<Se3>>(model, start, spend); }

}  // namespace time_dof
