// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A certificate of a solution of a cone problem: how far forces and rates are from satisfying the laws, whichever solver found them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/core/precompiled.hpp"
#include "actio/solvers/cone/law.hpp"
#include "actio/solvers/cone/problem.hpp"

namespace actio {

/// How far forces lambda and slack rates y = w + bias + R lambda are from complementarity; all entries are zero for the exact solution.
///                                                                                     [compliant_math.md, sections 4.1, 5.1 and 5.2]
template <Scalar S>
struct ConeCertificate {
  S force{};  ///< largest excess over a force bound, for contacts |lambda_t| - limit lambda_n and -lambda_n, relative to the largest force
  S rate{};   ///< largest slack rate that its force should have prevented, relative to the scale of rates
  S power{};  ///< largest |lambda . y| of a group, which should vanish, relative to the product of both scales
  /// Duality gap: the sum of the two convex functions that velocities and forces minimise, zero at the solution and quadratic in the
  /// errors, relative to the product of both scales. Under Coulomb's law they are the functions of the normal rates plus limit |y_t|. Rigid
  /// groups count by their power.
  S gap{};
  S worst() const { return std::max({force, rate, power}); }  ///< largest of these; infinite if a force or rate is not finite
};

namespace detail {

/// Returns a group's part of the gap:  phi(w) + lambda . w + lambda . R lambda / 2 >= 0,  phi(w) = -f . w - f . R f / 2,  f the force at w.
///                                                                                   [Fenchel's inequality; compliant_math.md, section 5.1]
template <Scalar S>
S duality_gap(const RowGroup<S>& group, ConeLaw law, const Vector3<S>& R, const Vector3<S>& lambda, const Vector3<S>& y) {
  Vector3<S> w = y - R.cwiseProduct(lambda);
  if (group.kind == RowKind::contact && law == ConeLaw::coulomb) w[0] += group.limit * y.template tail<2>().norm();
  if (!(R.head(group.size).minCoeff() > S(0))) return std::abs(lambda.dot(y));
  const Vector3<S> f = detail::group_force(group, ConeLaw::convex, R, w).lambda;
  return (lambda - f).dot(w) + (lambda.dot(R.cwiseProduct(lambda)) - f.dot(R.cwiseProduct(f))) / S(2);
}

/// Returns the first row of the group whose forces lambda (rows) differ most from those of its law at the rates w (rows) = G v, as rates
/// [m/s, rad/s]; one with numbers that are not finite before all others.  @pre there are rows
template <Scalar S>
Eigen::Index worst_row(const ConeRows<S>& rows, ConeLaw law, const ConstVectorRef<S>& w, const ConstVectorRef<S>& lambda) noexcept {
  Eigen::Index worst = 0;
  S largest(0);
  for (const RowGroup<S>& group : rows.groups()) {
    const Vector3<S> R = of_group(group, rows.R()), answered = of_group(group, w) + of_group(group, rows.whole_bias());
    const S error = R.cwiseProduct(of_group(group, lambda) - group_force(group, law, R, answered).lambda).norm();
    if (!is_finite(error)) return group.first;
    if (error > largest) worst = group.first, largest = error;
  }
  return worst;
}

}  // namespace detail

/// Computes the certificate of forces lambda (rows) [N, N m] and slack rates y (rows) [m/s, rad/s].
/// @param rate_scale > 0, the scale of rates, such as the largest free one [m/s, rad/s].
template <Scalar S>
ConeCertificate<S> certify(const ConeRows<S>& rows, ConeLaw law, const VectorX<S>& lambda, const VectorX<S>& y, const S& rate_scale) {
  using std::abs, std::max;
  if (!is_finite(S(lambda.sum() + y.sum()))) {
    constexpr S infinite = std::numeric_limits<S>::infinity();
    return {infinite, infinite, infinite, infinite};
  }
  ConeCertificate<S> worst;
  S force_scale(0);
  for (const RowGroup<S>& group : rows.groups()) {
    const Vector3<S> f = of_group(group, lambda), slack = of_group(group, y);
    force_scale = max(force_scale, S(f.norm()));
    const S f_t = f.template tail<2>().norm(), slip = slack.template tail<2>().norm();
    S outside(0), rate(0), power = abs(f.dot(slack));
    switch (group.kind) {
      case RowKind::bilateral: rate = abs(slack[0]); break;
      case RowKind::unilateral:
        outside = max(S(0), S(-f[0]));
        rate = max(S(0), S(-slack[0]));
        break;
      case RowKind::friction:
        outside = max(S(0), S(abs(f[0]) - group.limit));
        power = abs(f[0] * slack[0] + group.limit * abs(slack[0]));
        break;
      case RowKind::contact:
        outside = max({S(0), S(f_t - group.limit * f[0]), S(-f[0])});
        if (law == ConeLaw::coulomb && group.has_slip()) {
          outside = max(outside, S((f.template tail<2>() + group.limit * f[0] * group.slip).norm()));
          rate = max(S(0), S(-slack[0]));
          power = abs(f[0] * slack[0]);
        } else if (law == ConeLaw::coulomb) {
          rate = max(S(0), S(-slack[0]));
          power = abs(f.dot(slack) + group.limit * slip * f[0]);
        } else {
          rate = max(S(0), S(group.limit * slip - slack[0]));
        }
    }
    worst.force = max(worst.force, outside);
    worst.rate = max(worst.rate, rate);
    worst.power = max(worst.power, power);
    worst.gap += detail::duality_gap(group, law, of_group(group, rows.R()), f, slack);
  }
  if (force_scale > S(0)) {
    worst.force /= force_scale;
    worst.power /= force_scale * rate_scale;
    worst.gap /= force_scale * rate_scale;
  }
  worst.rate /= rate_scale;
  return worst;
}

namespace detail {

/// Computes the certificate of velocities v (n) and forces lambda (rows) of a problem, with rates relative to the largest free one.
/// Allocates.
template <Scalar S, ConeProblem<S> Problem>
ConeCertificate<S> certify_solution(Problem& problem, ConeLaw law, const ConstVectorRef<S>& v, const VectorX<S>& lambda) {
  const ConeRows<S>& rows = problem.rows();
  VectorX<S> y(rows.size()), free(rows.size());
  row_rates<S>(problem, v, lambda, y);
  problem.rates(problem.v_free(), free);
  const S scale = rows.size() > 0 ? S((free + rows.whole_bias()).cwiseAbs().maxCoeff()) : S(0);
  return certify(rows, law, lambda, y, S(scale + std::numeric_limits<S>::min()));
}

}  // namespace detail

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeCertificate<double> certify(const ConeRows<double>&, ConeLaw, const VectorX<double>&, const VectorX<double>&,
                                                  const double&);
#endif

}  // namespace actio
