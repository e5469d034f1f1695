// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/svi/residual.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "timing.hpp"

namespace time_dof {

using namespace actio;

Timing svi_newton(const Model& model, const State& start, double spend) { return as_published<Svi, DenseNewton>(model, start, spend); }
Timing svi_broyden(const Model& model, const State& start, double spend) { return as_published<Svi, DenseBroyden>(model, start, spend); }
Timing svi_riqn(const Model& model, const State& start, double spend) { return as_published<Svi, Riqn>(model, start, spend); }
double svi_evaluation(const Model& model, const State& start, double spend) { return time_evaluation<Svi>(model, start, spend); }

}  // namespace time_dof
