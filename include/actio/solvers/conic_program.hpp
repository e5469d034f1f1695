// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Dense convex programs over second-order cones by a primal-dual interior-point method.
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "actio/core/precompiled.hpp"
#include "actio/core/status.hpp"
#include "actio/solvers/conic_algebra.hpp"

namespace actio {

/// Minimise  x^T P x / 2 + q^T x  where  s = B x + c  is in a product of cones s_0 >= |(s_1, ...)|: of one entry, s_0 >= 0.
template <Scalar S>
struct ConicProgram {
  MatrixX<S> P,            ///< (n, n) symmetric, positive semidefinite
      B;                   ///< (rows, n) such that P + B^T B is regular
  VectorX<S> q,            ///< (n)
      c;                   ///< (rows)
  std::vector<int> cones;  ///< their sizes, in the order of the rows

  /// One more cone, its rows zero.  @param size >= 1.  @returns the first of them.  @pre q has its size.
  Eigen::Index add_cone(int size) {
    const Eigen::Index row = c.size();
    B.conservativeResize(row + size, q.size());
    c.conservativeResize(row + size);
    B.bottomRows(size).setZero();
    c.tail(size).setZero();
    cones.push_back(size);
    return row;
  }
};

/// x, slack s and multipliers z of it:  P x + q = B^T z,  s . z = 0,  both in the cones. Gap and residual are those of the best interior
/// point, from which Newton's iteration then goes on to rounding.
template <Scalar S>
struct ConicSolution {
  VectorX<S> x,                            ///< (n) unknowns
      s,                                   ///< (rows) slack
      z;                                   ///< (rows) multipliers
  Status status = Status::max_iterations;  ///< converged, or why not
  int iterations = 0;                      ///< of interior points
  S gap{};                                 ///< s . z, by which the objective is above the least, where it is feasible
  S residual{};                            ///< largest entry of P x + q - B^T z and of B x + c - s, relative
};

namespace detail {

/// Newton's iteration on  P x + q = B^T z,  z = projection of z - (B x + c),  while it helps: begun where an interior-point method ends,
/// whose x errs by the root of what rounding leaves of the gap.  @returns what is left of both equations.
template <Scalar S>
S polish(const ConicProgram<S>& program, ConicSolution<S>& solution) {
  const auto& [P, B, q, c, cones] = program;
  const Eigen::Index n = q.size(), rows = c.size();
  MatrixX<S> J(n + rows, n + rows), derivative(rows, rows);
  VectorX<S> f(n + rows);
  S least = std::numeric_limits<S>::infinity();
  for (ConicSolution<S> next = solution;;) {
    next.s = B * next.x + c;
    f.head(n) = P * next.x + q - B.transpose() * next.z;
    VectorX<S> nearest = next.z - next.s;
    derivative.setZero();
    Eigen::Index first = 0;
    for (const int size : cones) {
      project_on_cone<S>(nearest.segment(first, size), derivative.block(first, first, size, size));
      first += size;
    }
    f.tail(rows) = next.z - nearest;
    const S norm = f.norm();
    if (!(norm < least / S(2))) return least;
    least = norm;
    solution = next;
    J << P, -B.transpose(), derivative * B, MatrixX<S>::Identity(rows, rows) - derivative;
    const VectorX<S> step = Eigen::PartialPivLU<MatrixX<S>>(J).solve(f);
    next.x -= step.head(n);
    next.z -= step.tail(rows);
  }
}

}  // namespace detail

/// Mehrotra's predictor and corrector with Nesterov and Todd's scaling: 10 to 20 iterations of O((n + rows)^3), whatever the problem.
/// Allocates; for verification, fallbacks and programs of other forms, not for a step in real time.
///                                                                        [Nesterov and Todd 1997; Vandenberghe 2010, sec. 4 and 5.3]
/// @param tolerance of residuals and of the root of the gap, by which x errs, relative; what rounding leaves may be more, and is returned.
/// @returns converged where that is 10 sqrt(epsilon) at most, else max_iterations; the best point met in either case.
template <Scalar S>
ConicSolution<S> solve(const ConicProgram<S>& program, const S& tolerance = S(10) * epsilon<S>, int max_iterations = 60) {
  using std::abs, std::max, std::min, std::sqrt;
  const auto& [P, B, q, c, cones] = program;
  const Eigen::Index n = q.size(), rows = c.size();
  const auto each = [&](const auto& f) {
    Eigen::Index first = 0;
    for (std::size_t k = 0; k < cones.size(); first += cones[k++]) f(k, first, cones[k]);
  };
  const S size_c = max(S(1), rows > 0 ? S(c.cwiseAbs().maxCoeff()) : S(1)), size_q = max(S(1), n > 0 ? S(q.cwiseAbs().maxCoeff()) : S(1));
  ConicSolution<S> now{VectorX<S>::Zero(n), VectorX<S>::Zero(rows), VectorX<S>::Zero(rows)};
  ConicSolution<S> best = now;
  S least = std::numeric_limits<S>::infinity();
  int idle = 0;
  std::vector<detail::ConeScaling<S>> scaling(cones.size());
  VectorX<S> scaled(rows), dx(n), ds(rows), dz(rows), d(rows);
  MatrixX<S> B_scaled(rows, n), kkt(n + rows, n + rows);
  VectorX<S> right(n + rows);
  {  // begins where the scaling is one, moved into the cones                          [Vandenberghe 2010, sec. 5.3]
    kkt << P, -B.transpose(), B, MatrixX<S>::Identity(rows, rows);
    right << -q, -c;
    const VectorX<S> both = Eigen::PartialPivLU<MatrixX<S>>(kkt).solve(right);
    now.x = both.head(n);
    now.z = both.tail(rows);
    now.s = -now.z;
    for (VectorX<S>* u : {&now.s, &now.z}) {
      S outside = -std::numeric_limits<S>::infinity();
      each([&](std::size_t, Eigen::Index first, int size) { outside = max(outside, S(u->segment(first + 1, size - 1).norm() - (*u)[first])); });
      const S size = rows > 0 ? S(u->cwiseAbs().maxCoeff()) : S(0);
      if (outside > S(-1e-3) * size) each([&](std::size_t, Eigen::Index first, int) { (*u)[first] += outside + max(size, S(1e-8)); });
    }
  }
  for (;; ++now.iterations) {
    const VectorX<S> r_x = P * now.x + q - B.transpose() * now.z, r_s = B * now.x + c - now.s;
    now.gap = now.s.dot(now.z);
    now.residual = max(n > 0 ? S(r_x.cwiseAbs().maxCoeff() / size_q) : S(0), rows > 0 ? S(r_s.cwiseAbs().maxCoeff() / size_c) : S(0));
    const S objective = max(abs(S(now.x.dot(q))), S(now.x.dot(P * now.x)));
    const S relative_gap = now.gap / (objective + tolerance * size_q * size_c), error = max(S(sqrt(abs(relative_gap))), now.residual);
    idle = error < S(0.9) * least ? 0 : idle + 1;
    if (error < least) {
      least = error;
      best = now;
    }
    if (error <= tolerance || now.iterations == max_iterations || idle == 12) break;

    each([&](std::size_t k, Eigen::Index first, int size) {
      scaling[k].set(now.s.segment(first, size), now.z.segment(first, size));
      scaled.segment(first, size) = now.z.segment(first, size);
      scaling[k].times(scaled.segment(first, size));
    });
    for (Eigen::Index col = 0; col < n; ++col) {
      B_scaled.col(col) = B.col(col);
      each([&](std::size_t k, Eigen::Index first, int size) { scaling[k].inverse_times(B_scaled.col(col).segment(first, size)); });
    }
    kkt << P, -B_scaled.transpose(), B_scaled, MatrixX<S>::Identity(rows, rows);  // P + B^T B, eliminated, would square its condition
    const Eigen::PartialPivLU<MatrixX<S>> factors(kkt);
    VectorX<S> r_scaled = r_s;
    each([&](std::size_t k, Eigen::Index first, int size) { scaling[k].inverse_times(r_scaled.segment(first, size)); });
    const auto direction = [&](const S& keep) {  // from d, scaled; leaves `keep` of the residuals
      right << (keep - S(1)) * r_x, d - (S(1) - keep) * r_scaled;
      VectorX<S> both = factors.solve(right);
      both += factors.solve(VectorX<S>(right - kkt * both));
      dx = both.head(n);
      dz = both.tail(rows);
      ds = d - dz;  // both scaled: W dz, W^-1 ds
    };
    const auto longest = [&] {
      S a(1);
      each([&](std::size_t, Eigen::Index first, int size) {
        a = min({a, detail::longest_step<S>(scaled.segment(first, size), dz.segment(first, size)),
                 detail::longest_step<S>(scaled.segment(first, size), ds.segment(first, size))});
      });
      return a;
    };
    d = -scaled;  // the quotient of -scaled o scaled
    direction(S(0));
    const S predicted = longest(), sigma = (S(1) - predicted) * (S(1) - predicted) * (S(1) - predicted);
    const S centre = sigma * now.gap / static_cast<S>(cones.size());
    each([&](std::size_t, Eigen::Index first, int size) {
      const auto at = [&](const VectorX<S>& x) { return x.segment(first, size); };
      VectorX<S> target = -detail::jordan_product<S>(at(scaled), at(scaled)) - detail::jordan_product<S>(at(ds), at(dz));
      target[0] += centre;
      d.segment(first, size) = detail::jordan_quotient<S>(at(scaled), target);
    });
    direction(sigma);
    S a = min(S(1), S(S(0.99) * longest()));
    each([&](std::size_t k, Eigen::Index first, int size) {
      scaling[k].inverse_times(dz.segment(first, size));
      scaling[k].times(ds.segment(first, size));
    });
    if (!is_finite(S(dx.sum() + dz.sum() + ds.sum()))) break;
    const auto is_inside = [&] {  // as far as rounding knows
      bool inside = true;
      each([&](std::size_t, Eigen::Index first, int size) {
        for (const auto& [x, dx_of] : {std::pair(&now.s, &ds), std::pair(&now.z, &dz)}) {
          const VectorX<S> next = x->segment(first, size) + a * dx_of->segment(first, size);
          inside &= next[0] > S(0) && detail::ConeScaling<S>::determinant(next) > S(0);
        }
      });
      return inside;
    };
    while (a > S(1e-6) && !is_inside()) a *= S(0.7);
    now.x += a * dx;
    now.s += a * ds;
    now.z += a * dz;
  }
  const S enough = S(10) * sqrt(epsilon<S>);
  if (least <= S(100) * enough) least = min(least, S(detail::polish(program, best) / (size_q + size_c)));
  best.status = least <= enough ? Status::converged : Status::max_iterations;
  return best;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConicSolution<double> solve(const ConicProgram<double>&, const double&, int);
#endif

}  // namespace actio
