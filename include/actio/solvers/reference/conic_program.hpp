// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Second-order cone programs by a primal-dual interior-point method, dense: a reference for the solvers of cone/.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "actio/core/precompiled.hpp"
#include "actio/core/status.hpp"
#include "actio/core/types.hpp"

namespace actio::detail {

/// The scaling of Nesterov and Todd of one cone: W z = W^-1 s.                       [Nesterov and Todd 1997; Vandenberghe 2010, sec. 4]
template <Scalar S>
class ConeScaling {
 public:
  using Segment = Eigen::Ref<VectorX<S>>;
  using ConstSegment = Eigen::Ref<const VectorX<S>>;

  /// Returns s_0^2 - |s_1|^2, computed without cancellation.
  static S determinant(const ConstSegment& s) {
    const S rest = s.tail(s.size() - 1).norm();
    return (s[0] - rest) * (s[0] + rest);
  }
  /// Sets W for s and z.  @pre both are inside the cone.
  void set(const ConstSegment& s, const ConstSegment& z) {
    using std::sqrt;
    const S s_size = sqrt(determinant(s)), z_size = sqrt(determinant(z));
    w_ = s / s_size;
    w_[0] += z[0] / z_size;
    w_.tail(w_.size() - 1) -= z.tail(z.size() - 1) / z_size;
    w_ /= sqrt(determinant(w_));
    eta_ = sqrt(s_size / z_size);
  }
  void times(Segment x) const { apply(x, S(1), eta_); }
  void inverse_times(Segment x) const { apply(x, S(-1), S(1) / eta_); }

 private:
  /// Multiplies x by  factor [[w_0, side w_1^T], [side w_1, I + w_1 w_1^T / (1 + w_0)]].
  void apply(Segment& x, const S& side, const S& factor) const {
    const Eigen::Index rest = x.size() - 1;
    const S along = w_.tail(rest).dot(x.tail(rest)), first = x[0];
    x[0] = factor * (w_[0] * first + side * along);
    x.tail(rest) = factor * (x.tail(rest) + (side * first + along / (S(1) + w_[0])) * w_.tail(rest));
  }
  VectorX<S> w_;
  S eta_{};
};

/// Returns u o v, the Jordan product of one cone.
template <Scalar S, class U, class V>
VectorX<S> jordan_product(const U& u, const V& v) {
  VectorX<S> x(u.size());
  const Eigen::Index rest = u.size() - 1;
  x[0] = u.dot(v);
  x.tail(rest) = u[0] * v.tail(rest) + v[0] * u.tail(rest);
  return x;
}
/// Returns the x with u o x = d.
template <Scalar S, class U, class D>
VectorX<S> jordan_quotient(const U& u, const D& d) {
  VectorX<S> x(u.size());
  const Eigen::Index rest = u.size() - 1;
  x[0] = (u[0] * d[0] - u.tail(rest).dot(d.tail(rest))) / ConeScaling<S>::determinant(u);
  x.tail(rest) = (d.tail(rest) - x[0] * u.tail(rest)) / u[0];
  return x;
}
/// Returns the largest step a <= 1 for which x + a d stays in the cone.
template <Scalar S, class X, class D>
S longest_step(const X& x, const D& d) {
  using std::sqrt;
  const Eigen::Index rest = x.size() - 1;
  // In axes where x is (1, 0), x + a d leaves the cone where a (|d_1| - d_0) = 1.
  const S size2 = ConeScaling<S>::determinant(x), size = sqrt(size2);
  const VectorX<S> unit = x / size;
  const S along = unit[0] * d[0] - unit.tail(rest).dot(d.tail(rest));
  const S first = along / size;
  const VectorX<S> across = (d.tail(rest) - ((d[0] + along) / (S(1) + unit[0])) * unit.tail(rest)) / size;
  const S leaves = across.norm() - first;
  return leaves > S(1) ? S(1) / leaves : S(1);
}

/// Replaces u by the nearest point of the cone, and sets the derivative of this projection.   [Fukushima, Luo and Tseng 2002]
template <Scalar S>
void project_on_cone(Eigen::Ref<VectorX<S>> u, Eigen::Ref<MatrixX<S>> derivative) {
  const Eigen::Index rest = u.size() - 1;
  const S first = u[0], length = u.tail(rest).norm();
  if (length <= first) {
    derivative.setIdentity();
  } else if (length <= -first) {
    derivative.setZero();
    u.setZero();
  } else {
    VectorX<S> side(u.size());
    side[0] = S(1);
    side.tail(rest) = u.tail(rest) / length;
    const S slope = first / length;
    derivative = -slope * side * side.transpose();
    derivative.col(0) = side;
    derivative.row(0) = side.transpose();
    derivative.bottomRightCorner(rest, rest).diagonal().array() += S(1) + slope;
    derivative /= S(2);
    u = ((first + length) / S(2)) * side;
  }
}

}  // namespace actio::detail

namespace actio {

/// The program to minimise  x^T P x / 2 + q^T x  subject to  s = B x + c  in a product of cones  s_0 >= |(s_1, ...)|.
/// A cone of one entry is  s_0 >= 0.
template <Scalar S>
struct ConicProgram {
  MatrixX<S> P,            ///< (n, n) symmetric, positive semidefinite
      B;                   ///< (rows, n) such that P + B^T B is regular
  VectorX<S> q,            ///< (n)
      c;                   ///< (rows)
  std::vector<int> cones;  ///< sizes of the cones, in the order of the rows

  /// Adds a cone whose rows are zero.  @param size >= 1.  @returns the index of its first row.  @pre q has its final size.
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

/// A solution of a ConicProgram: x, slack s and multipliers z with  P x + q = B^T z,  s . z = 0,  s and z in the cones. `gap` and
/// `residual` belong to the best interior point; Newton's method then refines x, s and z, as far as that helps.
template <Scalar S>
struct ConicSolution {
  VectorX<S> x,                            ///< (n) unknowns
      s,                                   ///< (rows) slack
      z;                                   ///< (rows) multipliers
  Status status = Status::max_iterations;  ///< converged, or why not
  int iterations = 0;                      ///< number of interior-point iterations
  S gap{};                                 ///< duality gap s . z: the objective at a feasible point is at most so far above its minimum
  S residual{};  ///< largest entry of P x + q - B^T z and of B x + c - s, relative to the largest term that cancels in them
};

namespace detail {

/// Returns the largest absolute value of an entry; 0 for an empty vector, NaN if an entry is NaN.
template <class Vector>
auto largest(const Vector& x) {
  typename Vector::Scalar most(0);
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    using std::abs;
    if (const typename Vector::Scalar size = abs(x[k]); !(size <= most)) most = size;
  }
  return most;
}

/// Refines the result of an interior-point method, whose x has an error of the square root of the gap, by Newton's method on
/// f = P x + q - B^T z = 0,  e = z - (projection of z - (B x + c)) = 0,  as long as the residual falls. The result solves exactly a program
/// whose q and c differ by B^T e - f and -e.  @returns the larger of these differences, each relative to the largest term that cancels in
/// it: if it is small, the program is solved.
template <Scalar S>
S polish(const ConicProgram<S>& program, ConicSolution<S>& solution) {
  const auto& [P, B, q, c, cones] = program;
  const Eigen::Index n = q.size(), rows = c.size();
  MatrixX<S> J(n + rows, n + rows), derivative(rows, rows);
  VectorX<S> f(n + rows);
  S least = std::numeric_limits<S>::infinity(), backward_error = least;
  for (ConicSolution<S> next = solution;;) {
    const VectorX<S> Px = P * next.x, Bx = B * next.x, pull = B.transpose() * next.z;
    next.s = Bx + c;
    f.head(n) = Px + q - pull;
    VectorX<S> nearest = next.z - next.s;
    derivative.setZero();
    S size_of_rows(0);  // of the active rows only, whose differences are relative to it
    Eigen::Index first = 0;
    for (const int size : cones) {
      project_on_cone<S>(nearest.segment(first, size), derivative.block(first, first, size, size));
      if (nearest[first] > S(0)) size_of_rows = std::max({size_of_rows, largest(Bx.segment(first, size)), largest(c.segment(first, size))});
      first += size;
    }
    f.tail(rows) = next.z - nearest;
    const S norm = f.norm();
    if (!(norm < least / S(2))) return backward_error;
    least = norm;
    solution = next;
    solution.z = nearest;
    solution.s = next.s - f.tail(rows);
    const VectorX<S> of_q = B.transpose() * f.tail(rows) - f.head(n);
    const S size_of_forces = std::max({largest(Px), largest(q), largest(pull)}), in_q = largest(of_q),
            in_c = largest(VectorX<S>(f.tail(rows)));
    backward_error = std::max(in_q == S(0) ? in_q : in_q / size_of_forces, in_c == S(0) ? in_c : in_c / size_of_rows);
    J << P, -B.transpose(), derivative * B, MatrixX<S>::Identity(rows, rows) - derivative;
    const VectorX<S> step = Eigen::PartialPivLU<MatrixX<S>>(J).solve(f);
    next.x -= step.head(n);
    next.z -= step.tail(rows);
  }
}

}  // namespace detail

/// Solves a program by Mehrotra's predictor-corrector method with the scaling of Nesterov and Todd: 10 to 30 iterations of O((n + rows)^3),
/// seldom up to 60. Allocates; for verification, fallbacks and programs of other forms, not for a step in real time.
///                                                                        [Nesterov and Todd 1997; Vandenberghe 2010, sec. 4 and 5.3]
/// @param tolerance relative, of the residuals and of the square root of the gap, which is the order of the error of x. Rounding errors may
/// be larger.
/// @returns the best point found, with a status: converged if its error is at most 10 sqrt(epsilon), singular if P + B^T B is, not_finite
/// if the program is not finite, else max_iterations.
template <Scalar S>
ConicSolution<S> solve(const ConicProgram<S>& of, const S& tolerance = S(10) * epsilon<S>, int max_iterations = 60) {
  using std::abs, std::max, std::min, std::sqrt;
  const Eigen::Index n = of.q.size(), rows = of.c.size();
  const S largest_data = max(detail::largest(of.q), detail::largest(of.c));
  if (!is_finite(S(largest_data + of.P.sum() + of.B.sum()))) {
    return {VectorX<S>::Zero(n), VectorX<S>::Zero(rows), VectorX<S>::Zero(rows), Status::not_finite};
  }
  // The solution is proportional to q and c. Their largest entry is scaled to 1, so that no constant below depends on units.
  const S unit = largest_data > S(0) ? largest_data : S(1);
  const ConicProgram<S> program{of.P, of.B, of.q / unit, of.c / unit, of.cones};
  const auto& [P, B, q, c, cones] = program;
  const auto each = [&](const auto& f) {
    Eigen::Index first = 0;
    for (std::size_t k = 0; k < cones.size(); first += cones[k++]) f(k, first, cones[k]);
  };
  const S size_c = detail::largest(c), size_q = detail::largest(q), enough = S(10) * sqrt(epsilon<S>);
  ConicSolution<S> now{VectorX<S>::Zero(n), VectorX<S>::Zero(rows), VectorX<S>::Zero(rows)};
  ConicSolution<S> best = now;
  S least = std::numeric_limits<S>::infinity();
  int idle = 0;
  std::vector<detail::ConeScaling<S>> scaling(cones.size());
  VectorX<S> scaled(rows), dx(n), ds(rows), dz(rows), d(rows);
  MatrixX<S> B_scaled(rows, n), kkt(n + rows, n + rows);
  VectorX<S> right(n + rows);
  {  // starts from the solution with a scaling of 1, moved into the cones             [Vandenberghe 2010, sec. 5.3]
    kkt << P, -B.transpose(), B, MatrixX<S>::Identity(rows, rows);
    right << -q, -c;
    const VectorX<S> both = Eigen::PartialPivLU<MatrixX<S>>(kkt).solve(right);
    if (!is_finite(S(both.sum()))) {
      best.status = Status::singular;
      return best;
    }
    now.x = both.head(n);
    now.z = both.tail(rows);
    now.s = -now.z;
    for (VectorX<S>* u : {&now.s, &now.z}) {
      S outside = -std::numeric_limits<S>::infinity();
      each([&](std::size_t, Eigen::Index first, int size) {
        outside = max(outside, S(u->segment(first + 1, size - 1).norm() - (*u)[first]));
      });
      const S size = rows > 0 ? S(u->cwiseAbs().maxCoeff()) : S(0);
      if (outside > S(-1e-3) * size) each([&](std::size_t, Eigen::Index first, int) { (*u)[first] += outside + max(size, S(1e-8)); });
    }
  }
  for (;; ++now.iterations) {
    const VectorX<S> Px = P * now.x, Bx = B * now.x, pull = B.transpose() * now.z;
    const VectorX<S> r_x = Px + q - pull, r_s = Bx + c - now.s;
    now.gap = now.s.dot(now.z);
    now.residual = max(S(detail::largest(r_x) / max({size_q, detail::largest(Px), detail::largest(pull), epsilon<S>})),
                       S(detail::largest(r_s) / max({size_c, detail::largest(Bx), epsilon<S>})));
    const S objective = max(abs(S(now.x.dot(q))), S(now.x.dot(Px)));
    const S relative_gap = now.gap / (objective + tolerance), error = max(S(sqrt(abs(relative_gap))), now.residual);
    // The iteration counts as stuck only after gap and residual were both small: with large multipliers the gap may grow for many
    // iterations while the residual falls.
    idle = error < S(0.9) * least || !(least <= enough) ? 0 : idle + 1;
    if (error < least) {
      least = error;
      best = now;
    }
    const bool is_exact = error <= tolerance || (now.residual <= tolerance && now.gap <= tolerance * tolerance);  // the latter if x is 0
    if (is_exact || now.iterations == max_iterations || idle == 12) break;

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
    const auto direction = [&](const S& keep) {  // from d, scaled; the share `keep` of the residuals remains
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
    d = -scaled;  // the Jordan quotient of -(scaled o scaled) by scaled
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
    const auto is_inside = [&] {  // up to rounding
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
  ConicSolution<S> polished = best;
  if (const S backward_error = detail::polish(program, polished); backward_error < least || backward_error <= tolerance) {
    least = backward_error;
    best = std::move(polished);
  }
  best.status = least <= enough ? Status::converged : Status::max_iterations;
  for (VectorX<S>* solved : {&best.x, &best.s, &best.z}) *solved *= unit;
  best.gap *= unit * unit;
  return best;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConicSolution<double> solve(const ConicProgram<double>&, const double&, int);
#endif

}  // namespace actio
