// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The increment of a variational step in which limits, dry friction or contacts act, by an iteration over cone problems on its positions.
#include <algorithm>
#include <limits>

#include "actio/integrators/shared/step_cones.hpp"
#include "actio/solvers/root/quasi_newton.hpp"

namespace actio::detail {

/// P as a problem for root finders, in the increment x.
template <class Equation, class Cones>
class PositionCone {
 public:
  using S = typename Cones::S;  ///< the scalar

  /// @param equation, cones begun for a step.  @param tolerance of the norm.
  PositionCone(Equation& equation, Cones& cones, const S& tolerance) : equation_(&equation), cones_(&cones), tolerance_(tolerance) {}
  /// See RootProblem. The norm exceeds the tolerance while a row is violated by more than is tolerated. It is NaN if there is no solution.
  ///@{
  S residual(const VectorX<S>& x) noexcept {
    equation_->evaluate(x);
    if (!equation_->plausible()) return std::numeric_limits<S>::quiet_NaN();
    if constexpr (Equation::takes_loops) {
      if (!cones_->problem().move(equation_->displacements())) return std::numeric_limits<S>::quiet_NaN();
    }
    const S energy = cones_->solve_positions(equation_->value(), equation_->rows().violations(), x);
    if (!is_finite(energy)) return energy;
    return std::max(equation_->relative(energy), std::max(tolerance_, S(10) * epsilon<S>) * std::min(cones_->violation(), S(10)));
  }
  void update(VectorX<S>& z) noexcept { z = equation_->h() * cones_->problem().w; }
  S floor() noexcept { return equation_->tree_floor() + cones_->floor(equation_->closures()) / equation_->scale(); }
  ///@}

 private:
  Equation* equation_;
  Cones* cones_;
  S tolerance_;
};

/// Finds the root of P.  @param problem P in unknowns x, such as PositionCone.  @param cones of it, after begin_positions().
/// @param x in: the guess; out: the root, or where the search ended.
/// @returns the result, in whose counts those of the cone solver are included; not_finite also if a cone problem was not solved.
template <class Problem, class Cones, Scalar S>
RootResult<S> find_bounded_root(Problem& problem, const Cones& cones, VectorX<S>& x, Riqn::Workspace<S>& work,
                                const RootOptions<S>& options) noexcept {
  RootOptions<S> stopped = options;
  stopped.max_idle = 12;  // such as between forces that stick and slide in turn: shorter steps cost less
  RootResult<S> root = Riqn::solve(problem, x, work, stopped);
  root.method = Method::cone;
  root.iterations += cones.problem().iterations();
  root.factorizations += cones.problem().factorizations();
  return root;
}

}  // namespace actio::detail
