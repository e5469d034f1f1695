// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Root finders without a Jacobian: RIQN of Lee et al., Broyden's method and Anderson acceleration with the same approximate inverse.
#include "actio/solvers/root/root.hpp"

namespace actio {

/// The recursive impulse-based quasi-Newton iteration x <- x - H f(x) with one H for the whole iteration; for the discrete
/// Euler-Lagrange equation H = h M(q_k)^-1, by articulated-body recursion.            [Lee et al. 2016, Alg. 3, (25)]
/// As published, updates are taken without safeguards. Automatic begins with it and has safeguards.
struct Riqn {
  static constexpr JacobianUse jacobian = JacobianUse::none;  ///< needs the approximate inverse only

  /// Storage for n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;  ///< (n) the update
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)) {}
  };

  /// Finds the root: see find_root().
  template <class S, RootProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::riqn);
    while (!rule.stop(value_of(S(problem.residual(x))), problem)) {
      problem.update(work.z);
      rule.update(x, work.z);
    }
    return rule.result();
  }
};

/// Broyden's good method in product form, beginning with the problem's approximate inverse: H gains one factor per update, of which only
/// the step is stored, so that nothing is O(n^2). Updates are taken without safeguards: for comparison.
///                                                                                      [Kelley 1995, section 7.3; vi_math.md, section 7.6]
struct Broyden {
  static constexpr JacobianUse jacobian = JacobianUse::none;  ///< needs the approximate inverse only
  static constexpr int capacity = 10;                         ///< largest number of steps stored; then it begins again

  /// Storage for n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z;      ///< (n) the update
    MatrixX<S> steps;  ///< (n, capacity) the steps as columns, oldest first
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n) : z(VectorX<S>::Zero(n)), steps(MatrixX<S>::Zero(n, capacity)) {}
  };

  /// Finds the root: see find_root().
  template <class S, RootProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::broyden);
    for (int kept = 0; !rule.stop(value_of(S(problem.residual(x))), problem); ++kept) {
      problem.update(work.z);
      if (!extend(work, kept) || kept == capacity) kept = 0;
      work.steps.col(kept) = work.z;
      rule.update(x, work.z);
    }
    return rule.result();
  }

 private:
  /// Replaces z = -H0 f by z = -H f.  @returns false, with z unchanged by the last factor, if that is close to singular.
  template <class S>
  static bool extend(Workspace<S>& work, int kept) noexcept {
    if (kept == 0) return true;
    for (int k = 0; k + 1 < kept; ++k) {
      const S share = work.steps.col(k).dot(work.z) / work.steps.col(k).squaredNorm();
      work.z += share * work.steps.col(k + 1);
    }
    const auto last = work.steps.col(kept - 1);
    const S left = S(1) - last.dot(work.z) / last.squaredNorm();
    if (!(value_of(left) > ValueOf<S>(0.1))) return false;
    work.z /= left;
    return true;
  }
};

/// Anderson acceleration of the iteration x <- x - H f: the next x is the combination of the last few with the least-squares update.
/// Updates are taken without safeguards: for comparison.               [Anderson 1965; Walker & Ni 2011, section 2]
struct Anderson {
  static constexpr JacobianUse jacobian = JacobianUse::none;  ///< needs the approximate inverse only
  static constexpr int depth = 4;                             ///< number of differences stored

  /// Storage for n unknowns.
  template <Scalar S>
  struct Workspace {
    VectorX<S> z,   ///< (n) the update
        last_z;     ///< (n) the previous update
    MatrixX<S> dx,  ///< (n, depth) differences of x, the newest in column 0
        dz;         ///< (n, depth) differences of the updates
    MatrixX<S> Q;   ///< (n, depth) orthonormal basis of dz
    /// @param n unknowns.
    explicit Workspace(Eigen::Index n)
        : z(VectorX<S>::Zero(n)), last_z(z), dx(MatrixX<S>::Zero(n, depth)), dz(dx), Q(dx) {}
  };

  /// Finds the root: see find_root().
  template <class S, RootProblem<S> Problem>
  static RootResult<ValueOf<S>> solve(Problem& problem, VectorX<S>& x, Workspace<S>& work,
                                      const RootOptions<ValueOf<S>>& options) noexcept {
    StoppingRule<ValueOf<S>> rule(options, Method::anderson);
    for (int kept = 0; !rule.stop(value_of(S(problem.residual(x))), problem); kept = std::min(kept + 1, depth)) {
      problem.update(work.z);
      if (kept > 0) work.dz.col(0) = work.z - work.last_z;
      work.last_z = work.z;
      combine(work, kept);
      for (int k = depth - 1; k > 0; --k) {
        work.dx.col(k) = work.dx.col(k - 1);
        work.dz.col(k) = work.dz.col(k - 1);
      }
      work.dx.col(0) = work.z;
      rule.update(x, work.z);
    }
    return rule.result();
  }

 private:
  /// Computes z <- z - (dX + dZ) gamma, gamma the least-squares solution of dZ gamma = z. Newest differences come first, up to one that
  /// depends on those before it, up to rounding errors.
  template <class S>
  static void combine(Workspace<S>& work, int kept) noexcept {
    Eigen::Matrix<S, depth, depth> R = Eigen::Matrix<S, depth, depth>::Zero();
    Eigen::Matrix<S, depth, 1> gamma = Eigen::Matrix<S, depth, 1>::Zero();
    int used = 0;
    for (; used < kept; ++used) {
      auto q = work.Q.col(used);
      q = work.dz.col(used);
      for (int k = 0; k < used; ++k) {
        R(k, used) = work.Q.col(k).dot(q);
        q -= R(k, used) * work.Q.col(k);
      }
      using std::sqrt;
      R(used, used) = sqrt(S(q.squaredNorm()));
      if (!(value_of(R(used, used)) > std::sqrt(epsilon<S>) * std::sqrt(value_of(S(work.dz.col(used).squaredNorm()))))) break;
      q /= R(used, used);
      gamma[used] = q.dot(work.z);
    }
    for (int k = used - 1; k >= 0; --k) {
      for (int c = k + 1; c < used; ++c) gamma[k] -= R(k, c) * gamma[c];
      gamma[k] /= R(k, k);
    }
    for (int k = 0; k < used; ++k) work.z -= gamma[k] * (work.dx.col(k) + work.dz.col(k));
  }
};

}  // namespace actio
