// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's method in maximal coordinates as published.
#include <cmath>
#include <vector>

#include "actio/integrators/maximal.hpp"

namespace experiments {

/// One update. The unknowns s are the velocities [m/s], angular velocities [rad/s] and multipliers [N, N m] of the paper.
struct NewtonUpdate {
  double residual;  ///< norm of f before the update, relative to the motion
  double size;      ///< |Delta s|
  double change;    ///< |Delta s - the previous Delta s|: the quantity in the paper's termination condition
  int halvings;     ///< by the line search
};

/// Where updates are recorded, if anywhere. A recorded solve makes `most` updates regardless of the tolerance.
struct NewtonRecord {
  std::vector<NewtonUpdate>* updates = nullptr;
  int most = 0;
};

/// Newton's method as published: it begins with the solution of the last step, with zeros in the first one, halves an update while the norm
/// of f grows, and ends when successive updates differ by less than the tolerance, absolute. [Brüdigam and Manchester 2020, sec. 4, 5.1]
struct PublishedNewton {
  static constexpr actio::JacobianUse jacobian = actio::JacobianUse::factored;
  static constexpr double h = 0.01;  ///< [s] of all steps: unknowns are impulses over a step here, forces in the paper

  static inline NewtonRecord record;  ///< of all following solves; static, because the integrator owns the root finder

  template <actio::Scalar S>
  struct Workspace {
    actio::VectorX<S> s, z, of_paper, before;
    explicit Workspace(Eigen::Index n) : s(actio::VectorX<S>::Zero(n)), z(s), of_paper(s), before(s) {}
  };

  template <class S, class Problem>
  static actio::RootResult<S> solve(Problem& problem, actio::VectorX<S>& x, Workspace<S>& work,
                                    const actio::RootOptions<S>& options) noexcept {
    actio::RootResult<S> result{actio::Status::max_iterations, actio::Method::newton, 0, 1, 0, S(0)};
    const bool recorded = record.updates != nullptr;
    const int most = recorded ? record.most : options.max_iterations;
    x = work.s;
    work.before.setZero();
    result.norm = problem.residual(x);
    while (result.iterations < most && !actio::detail::is_singular(problem.linearize())) {
      ++result.iterations, ++result.evaluations, ++result.factorizations;
      problem.update(work.z);
      work.of_paper = work.z;
      work.of_paper.tail(x.size() - problem.system().first_row()) /= h;
      NewtonUpdate update{result.norm, work.of_paper.norm(), (work.of_paper - work.before).norm(), 0};
      work.before = work.of_paper;
      x += work.z;
      const S norm = result.norm;
      result.norm = problem.residual(x);
      for (; update.halvings < 20 && !(result.norm <= norm) && norm > 100 * actio::epsilon<S>; ++update.halvings) {
        work.z /= 2;
        x -= work.z;
        ++result.evaluations;
        result.norm = problem.residual(x);
      }
      if (recorded) record.updates->push_back(update);
      if (recorded ? result.iterations == most : update.change < options.tolerance && actio::is_finite(result.norm)) {
        result.status = actio::Status::converged;
        work.s = x;
        break;
      }
    }
    return result;
  }
};

}  // namespace experiments
