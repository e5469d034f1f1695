// SPDX-License-Identifier: BSD-3-Clause
#include "newton.hpp"

#include "actio/integrators/maximal.hpp"

namespace maximal_newton_convergence {
namespace {

using namespace actio;

/// What the root finder below writes; it is a member of the integrator, out of reach.
std::vector<Update>* shown = nullptr;
int updates_shown = 0;

/// Newton's method as published: it begins with the solution of the last step, with zeros in the first one, and halves an update while
/// the norm of f grows.                                                          [Brudigam and Manchester 2020, sec. 4.1 and 4.2]
struct PublishedNewton {
  static constexpr JacobianUse jacobian = JacobianUse::factored;
  template <Scalar S>
  struct Workspace {
    VectorX<S> s, z, before;
    explicit Workspace(Eigen::Index n) : s(VectorX<S>::Zero(n)), z(s), before(s) {}
  };

  template <class S, class Problem>
  static RootResult<S> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work, const RootOptions<S>& options) noexcept {
    RootResult<S> result{Status::converged, Method::newton, 1, 0, 0, S(0)};
    x = work.s;
    work.before.setZero();
    result.norm = problem.residual(x);
    while (shown != nullptr ? result.solves < updates_shown : result.norm > options.tolerance) {
      ++result.factorizations, ++result.solves;
      if (result.solves > options.max_iterations || !problem.linearize()) {
        result.status = Status::max_iterations;
        return result;
      }
      Update update{result.norm, 0, 0, 0};
      problem.newton_norm();
      problem.newton_update(work.z);
      VectorX<S> of_paper = work.z;  // impulses over a step there, forces in the paper
      of_paper.tail(x.size() - problem.system().first_row()) /= h;
      update.size = of_paper.norm();
      update.change = (of_paper - work.before).norm();
      work.before = of_paper;
      x += work.z;
      const S norm = result.norm;
      for (result.norm = problem.residual(x); !(result.norm <= norm) && norm > 100 * epsilon<S>; result.norm = problem.residual(x)) {
        if (++update.halvings > 20) break;
        work.z /= 2;
        x -= work.z;
      }
      if (shown != nullptr) shown->push_back(update);
    }
    work.s = x;
    return result;
  }
};

}  // namespace

std::optional<std::vector<Update>> last_step(const Model& model, const State& start, int steps, int updates) {
  MaximalIntegrator integrator(model, {.max_iterations = 100, .max_halvings = 0, .velocity = NodeVelocity::interval}, PublishedNewton{});
  integrator.reset(start);
  std::vector<Update> last;
  for (int k = 1; k <= steps; ++k) {
    if (k == steps) shown = &last, updates_shown = updates;
    const StepResult<double> result = integrator.step({}, h);
    shown = nullptr;
    if (!result) return {};
  }
  return last;
}

}  // namespace maximal_newton_convergence
