// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The convex law of friction in velocities alone, by Newton's method with a line search.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/solvers/cone/problem.hpp"

namespace actio::detail {

/// Solves the convex law in velocities alone: minimises  |v - v_free|_M^2 / 2 + h sum of the rows' potentials  by Newton's method with an
/// exact line search, which converges from any guess. The stiffness of rows is limited to 1/softness of the inertia that they act on;
/// otherwise no digit of the softer rows would be left after rounding.  Only the constructor allocates.
///                                                                                               [compliant_math.md, sections 5.1 and 8]
template <Scalar S>
class ConeDescent {
 public:
  /// @param n largest size of v.  @param rows largest number of rows.
  ConeDescent(Eigen::Index n, Eigen::Index rows) : forces_(static_cast<std::size_t>(rows)) {
    for (VectorX<S>* x : {&f_, &step_, &offset_, &Mx_}) x->setZero(n);
    for (VectorX<S>* x : {&R_, &w_, &dw_, &rates_there_}) x->setZero(rows);
  }

  /// @param lift (rows) added to the rates [m/s, rad/s].  @param v (n) in: a guess; out: the solution [rad/s, m/s].
  /// @param softness see above.  @param lambda (rows) out [N, N m].
  /// @param tolerance of the distance to the solution in the energy norm, divided by scale.
  /// @param scale square root of a reference energy, > 0 [J^1/2].  @param most largest number of iterations.
  /// @returns whether it converged, or stopped close to the solution because of rounding errors. Adds to the counts in `result`, and
  /// sets its status if it stopped as singular or not_finite.
  template <ConeProblem<S> Problem>
  bool solve(Problem& problem, const ConstVectorRef<S>& lift, const S& softness, const S& tolerance, const S& scale, int most,
             VectorRef<S> v, VectorRef<S> lambda, ConeResult<S>& result) noexcept;

 private:
  /// Computes w, the forces and the descent direction f = h G^T lambda - M (v - v_free).
  template <class Problem>
  void evaluate(Problem& problem, const ConstVectorRef<S>& lift, const ConstVectorRef<S>& v, VectorRef<S> lambda) noexcept;
  GroupForce<S> force_at(const RowGroup<S>& group, const VectorX<S>& w) const noexcept {
    Vector3<S> R = Vector3<S>::Ones();
    for (int r = 0; r < group.size; ++r) R[r] = R_[group.first + r];
    return group_force(group, ConeLaw::convex, R, of_group(group, w));
  }

  /// Returns the step length that minimises the function, whose slope increases, along step_: 1, or less if a full step overshoots.
  template <class Problem>
  S exact_length(Problem& problem) noexcept;

  std::vector<GroupForce<S>> forces_;
  std::size_t groups_ = 0;
  Eigen::Index n_ = 0;                 // number of velocities of the present problem, at most the capacity
  VectorX<S> f_, step_, offset_, Mx_;  // (n)
  VectorX<S> R_, w_, dw_, rates_there_;       // (rows)
  bool is_factored_ = false;           // whether the last factorisation is that of the present forces
};

template <Scalar S>
template <ConeProblem<S> Problem>
bool ConeDescent<S>::solve(Problem& problem, const ConstVectorRef<S>& lift, const S& softness, const S& tolerance, const S& scale, int most,
                           VectorRef<S> v, VectorRef<S> lambda, ConeResult<S>& result) noexcept {
  const ConeRows<S>& rows = problem.rows();
  groups_ = rows.groups().size();
  n_ = v.size();
  for (Eigen::Index i = 0; i < rows.size(); ++i) R_[i] = std::max(rows.R()[i], S(softness * problem.h() * problem.mobility()[i]));
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.size == 3) R_.segment(group.first + 1, 2).setConstant(R_.segment(group.first + 1, 2).maxCoeff());
  }
  is_factored_ = false;
  S least = std::numeric_limits<S>::infinity();
  evaluate(problem, lift, v, lambda);
  for (int k = 0, idle = 0; k < most; ++k) {
    if (!is_factored_) {
      ++result.factorizations;
      is_factored_ = true;
      if (!problem.factor({forces_.data(), groups_})) {
        result.status = Status::singular;
        return false;
      }
    }
    VectorRef<S> step = step_.head(n_);
    step = f_.head(n_);
    problem.solve(step);
    ++result.iterations;
    // The distance to the solution in the energy norm, as long as no piece changes.
    const S decrement = std::sqrt(std::abs(f_.head(n_).dot(step))) / scale;
    result.residual = decrement;
    if (!is_finite(decrement)) {
      result.status = Status::not_finite;
      return false;
    }
    if (decrement <= tolerance || idle > 4) return decrement <= std::max(S(1e3) * tolerance, S(1e-6));
    idle = decrement < least / S(2) ? 0 : idle + (decrement < S(1e-6) ? 1 : 0);
    least = std::min(least, decrement);
    v += exact_length(problem) * step;
    evaluate(problem, lift, v, lambda);
  }
  return false;
}

template <Scalar S>
template <class Problem>
void ConeDescent<S>::evaluate(Problem& problem, const ConstVectorRef<S>& lift, const ConstVectorRef<S>& v, VectorRef<S> lambda) noexcept {
  const ConeRows<S>& rows = problem.rows();
  problem.rates(v, w_.head(rows.size()));
  w_.head(rows.size()) += rows.whole_bias() + lift;
  for (std::size_t g = 0; g < groups_; ++g) {
    const RowGroup<S>& group = rows.groups()[g];
    const Piece before = forces_[g].piece;
    forces_[g] = force_at(group, w_);
    is_factored_ &= forces_[g].piece == before && !(before == Piece::slide && group.kind == RowKind::contact);
    for (int r = 0; r < group.size; ++r) lambda[group.first + r] = forces_[g].lambda[r];
  }
  momentum_residual<S>(problem, v, lambda, f_.head(n_), offset_.head(n_), Mx_.head(n_));
}

template <Scalar S>
template <class Problem>
S ConeDescent<S>::exact_length(Problem& problem) noexcept {
  const ConeRows<S>& rows = problem.rows();
  const Eigen::Index m = rows.size();
  VectorRef<S> step = step_.head(n_), momentum = Mx_.head(n_);
  problem.rates(step, dw_.head(m));
  problem.momentum(step, momentum);
  const S linear = momentum.dot(offset_.head(n_)), quadratic = momentum.dot(step);
  const auto slope = [&](const S& a) {
    rates_there_.head(m) = w_.head(m) + a * dw_.head(m);
    S power(0);
    for (const RowGroup<S>& group : rows.groups()) power += force_at(group, rates_there_).lambda.dot(of_group(group, dw_));
    return S(linear + a * quadratic - problem.h() * power);
  };
  const S steepest = -f_.head(n_).dot(step);
  S low(0), high(1), at_low = steepest, at_high = slope(S(1)), a(1);
  if (at_high <= S(0.1) * std::abs(steepest)) return a;
  for (int k = 0; k < 40; ++k) {  // false position with Illinois' halving
    a = low - at_low * (high - low) / (at_high - at_low);
    const S there = slope(a);
    if (std::abs(there) <= S(0.05) * std::abs(steepest)) break;
    (there > S(0) ? high : low) = a;
    (there > S(0) ? at_high : at_low) = there;
    (there > S(0) ? at_low : at_high) /= S(2);
  }
  return a;
}

}  // namespace actio::detail
