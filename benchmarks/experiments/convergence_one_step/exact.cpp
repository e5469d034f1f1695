// SPDX-License-Identifier: BSD-3-Clause
// Root finders that use the exact Jacobian.
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "history.hpp"

namespace {

/// Newton's method with full updates, without any safeguard.                                     [Lee et al. 2016, Alg. 1]
struct Algorithm1 {
  static constexpr actio::JacobianUse jacobian = actio::JacobianUse::factored;
  template <class S>
  using Workspace = actio::Riqn::Workspace<S>;

  template <class S, class Problem>
  static actio::RootResult<S> solve(Problem& problem, actio::VectorX<S>& x, Workspace<S>& work,
                                    const actio::RootOptions<S>& options) noexcept {
    actio::StoppingRule<S> rule(options, actio::Method::newton);
    while (!rule.stop(problem.residual(x), problem)) {
      if (actio::detail::is_singular(problem.linearize())) {
        rule.end(actio::Status::singular);
        break;
      }
      problem.update(work.z);
      rule.update(x, work.z);
    }
    return rule.result();
  }
};

}  // namespace

using namespace convergence;

History convergence::algorithm_1(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<Algorithm1>(model, start, h, x, most);
}
History convergence::newton(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::Newton>(model, start, h, x, most);
}
History convergence::simplified_newton(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::SimplifiedNewton>(model, start, h, x, most);
}
History convergence::dense_broyden(const Model& model, const State& start, double h, const Vector& x, int most) {
  return history<actio::DenseBroyden>(model, start, h, x, most);
}
