// SPDX-License-Identifier: BSD-3-Clause
// As published: with the logarithm on SE(3), guess by forward dynamics.                                        [Lee et al. 2016]
#include "actio/solvers/reference/dense_roots.hpp"

#include "actio/integrators/variational.hpp"
#include "racers.hpp"

using namespace actio;

maximal_vs_joint::Made maximal_vs_joint::dense_newton(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(
      VariationalIntegrator<Model, Drnea<Se3>, DenseNewton>(model, {.tolerance = tolerance, .guess = InitialGuess::dynamics}), start, h);
}
