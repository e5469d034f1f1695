// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include "actio/integrators/variational.hpp"
#include "racers.hpp"

using namespace actio;

namespace {

/// RIQN as published: it ends at |f| < tolerance, absolute [N m s], or after 100 updates, regardless of rounding. [Lee et al. 2016, Alg. 3]
struct PublishedRiqn {
  static constexpr JacobianUse jacobian = JacobianUse::none;
  template <Scalar S>
  using Workspace = Riqn::Workspace<S>;

  template <class S, class Problem>
  static RootResult<S> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<S>& options) noexcept {
    RootResult<S> result{Status::converged, Method::riqn, 0, 1, 0, problem.residual(x)};
    for (; !(problem.value().norm() < options.tolerance); result.norm = problem.residual(x)) {
      if (result.iterations == options.max_iterations) {
        result.status = Status::max_iterations;
        break;
      }
      problem.update(work.z);
      ++result.iterations, ++result.evaluations;
      x += work.z;
    }
    return result;
  }
};

}  // namespace

maximal_vs_joint::Made maximal_vs_joint::riqn(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(VariationalIntegrator<Model, Drnea<Split>, Riqn>(model, {.tolerance = tolerance}), start, h);
}
/// With the logarithm on SE(3), guess by forward dynamics, no halving of steps.
maximal_vs_joint::Made maximal_vs_joint::riqn_published(const Model& model, const State& start, double h, double tolerance) {
  const VariationalOptions<double> options{
      .tolerance = tolerance, .max_iterations = 100, .max_halvings = 0, .guess = InitialGuess::dynamics, .carry_residual = false};
  return experiments::racer(VariationalIntegrator<Model, Drnea<Se3>, PublishedRiqn>(model, options), start, h);
}
