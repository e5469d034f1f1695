// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "racers.hpp"

using namespace actio;

namespace {

/// Newton's method as published: it begins with the solution of the last step, halves an update while the norm of f grows, and ends where
/// successive updates of velocities and multipliers differ by less than the tolerance, absolute.   [Brudigam and Manchester 2020, sec. 4, 5.1]
struct PublishedNewton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;
  template <Scalar S>
  struct Workspace {
    VectorX<S> s, z, before;
    explicit Workspace(Eigen::Index n) : s(VectorX<S>::Zero(n)), z(s), before(s) {}
  };

  template <class S, class Problem>
  static RootResult<S> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<S>& options) noexcept {
    constexpr double h = 0.01;  // impulses over a step here, forces in the paper
    RootResult<S> result{Status::max_iterations, Method::newton, 1, 0, 0, S(0)};
    x = work.s;
    work.before.setZero();
    result.norm = problem.residual(x);
    while (result.solves < options.max_iterations && problem.linearize()) {
      ++result.factorizations, ++result.solves, ++result.evaluations;
      problem.newton_norm();
      problem.newton_update(work.z);
      const Eigen::Index bodies = problem.system().first_row();
      work.before -= work.z;
      const S change = std::hypot(work.before.head(bodies).norm(), work.before.tail(x.size() - bodies).norm() / h);
      work.before = work.z;
      x += work.z;
      const S norm = result.norm;
      result.norm = problem.residual(x);
      for (int cut = 0; cut < 20 && !(result.norm <= norm) && norm > 100 * epsilon<S>; ++cut) {
        work.z /= 2;
        x -= work.z;
        ++result.evaluations;
        result.norm = problem.residual(x);
      }
      if (change < options.tolerance && is_finite(result.norm)) {
        result.status = Status::converged;
        work.s = x;
        break;
      }
    }
    return result;
  }
};

}  // namespace

maximal_vs_joint::Made maximal_vs_joint::maximal(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(MaximalIntegrator(model, {.tolerance = tolerance}), start, h);
}
/// Broken off after 100 updates, no step halved.
maximal_vs_joint::Made maximal_vs_joint::maximal_published(const Model& model, const State& start, double h, double tolerance) {
  const MaximalOptions<double> options{
      .tolerance = tolerance, .max_iterations = 100, .max_halvings = 0, .velocity = NodeVelocity::interval, .carry_residual = false};
  return experiments::racer(MaximalIntegrator(model, options, PublishedNewton{}), start, h);
}
