// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Derivatives of the solution of a cone problem with respect to its data.
#include <cmath>
#include <vector>

#include "actio/solvers/cone/elimination.hpp"

namespace actio::detail {

/// Directional derivatives of the velocities and forces that solve a ConeProblem, on the piece of the law that each group is on. They are
/// exact and take one factorisation, and two solves for each direction, three if rows are rigid. On the border of two pieces they are those
/// of one of them.
///                                                                                      [compliant_math.md, section 9]
template <Scalar S>
class ConeResponse {
 public:
  /// @param n size of v.  @param rows largest number of rows.
  ConeResponse(Eigen::Index n, Eigen::Index rows)
      : laws_(static_cast<std::size_t>(rows)), forces_(laws_.size()), inverses_(laws_.size()), residuals_(laws_.size()) {
    for (VectorX<S>* x : {&r_, &change_}) x->setZero(n);
    for (VectorX<S>* x : {&rho_, &y_, &right_, &dw_}) x->setZero(rows);
  }

  /// Returns the metric rho of the natural map  lambda = P(lambda - y / rho):  (capacity), of which the first entries are those of the rows
  /// linearised last [m/(N s), rad/(N m s)].
  const VectorX<S>& rho() const noexcept { return rho_; }

  /// Returns y = G v + bias + R lambda (capacity) at the last evaluation, laid out as rho [m/s, rad/s].
  const VectorX<S>& y() const noexcept { return y_; }
  /// Returns P(lambda - y / rho) of each group at the last evaluation, its piece, and, before factor(), H in the norm of rho.
  std::span<const GroupForce<S>> forces() const noexcept { return {forces_.data(), groups_}; }

  /// Computes y and forces at v (n) [rad/s, m/s] and lambda (rows) [N, N m].  @param lift see group_force().
  template <ConeProblem<S> Problem>
  void evaluate(Problem& problem, const S& lift, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
    const ConeRows<S>& rows = problem.rows();
    groups_ = rows.groups().size();
    detail::set_natural_metric(problem, rho_);
    row_rates<S>(problem, v, lambda, y_.head(rows.size()));
    for (std::size_t g = 0; g < groups_; ++g) {
      const RowGroup<S>& group = rows.groups()[g];
      const Vector3<S> rho = of_group(group, rho_);
      forces_[g] = group_force(group, lift, rho, Vector3<S>(of_group(group, y_) - rho.cwiseProduct(of_group(group, lambda))));
    }
  }
  /// Factors at the point that was evaluated last.  @returns false if the matrix is singular.
  template <ConeProblem<S> Problem>
  [[nodiscard]] bool factor(Problem& problem) noexcept {
    const ConeRows<S>& rows = problem.rows();
    for (std::size_t g = 0; g < groups_; ++g) {
      const RowGroup<S>& group = rows.groups()[g];
      const Vector3<S> rho = of_group(group, rho_);
      laws_[g] = forces_[g].H;
      const Vector3<S> R = of_group(group, rows.R()).cwiseMax(softest_ * rho);
      if (detail::couples(group, forces_[g])) {
        inverses_[g] = detail::eliminate_coupled<S>(group, R, rho, forces_[g].H);
      } else {
        inverses_[g].setIdentity();
        for (int r = 0; r < group.size; ++r) inverses_[g](r, r) = detail::eliminate_alone<S>(R[r], rho[r], forces_[g].H(r, r));
      }
    }
    return problem.factor(forces());
  }
  /// Factors at a solution.  @param v (n) [rad/s, m/s].  @param lambda (rows) [N, N m].  @returns false if the matrix is singular.
  template <ConeProblem<S> Problem>
  [[nodiscard]] bool linearize(Problem& problem, ConeLaw law, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
    evaluate(problem, S(law == ConeLaw::convex ? 1 : 0), v, lambda);
    return factor(problem);
  }

  /// Solves the problem linearised last:  M dv - h G^T dlambda = impulse,  dlambda = dP(dlambda - (G dv + R dlambda) / rho) + force.
  /// @param impulse (n) and force (rows): derivatives at fixed v and lambda.  @param dv (n), dlambda (rows) out.
  template <ConeProblem<S> Problem>
  void respond(Problem& problem, const ConstVectorRef<S>& impulse, const ConstVectorRef<S>& force, VectorRef<S> dv,
               VectorRef<S> dlambda) noexcept {
    const ConeRows<S>& rows = problem.rows();
    const Eigen::Index n = impulse.size(), m = rows.size();
    VectorRef<S> rest = r_.head(n), change_in_v = change_.head(n);
    for (std::size_t g = 0; g < groups_; ++g) residuals_[g] = -of_group(rows.groups()[g], force);
    dv.setZero();
    dlambda.setZero();
    // Iterative refinement, for the softened rows of the factorisation and for rounding errors; many iterations only if rigid rows are
    // redundant.
    constexpr int most = 8;
    rest = impulse;
    for (int k = 0; k < most; ++k) {
      for (std::size_t g = 0; g < groups_; ++g) {
        const RowGroup<S>& group = rows.groups()[g];
        residuals_[g] = inverses_[g] * residuals_[g];
        for (int r = 0; r < group.size; ++r) right_[group.first + r] = -residuals_[g][r];
      }
      problem.forces(right_.head(m), change_in_v);
      change_in_v = rest + problem.h() * change_in_v;
      problem.solve(change_in_v);
      dv += change_in_v;
      problem.rates(change_in_v, dw_.head(m));
      for (std::size_t g = 0; g < groups_; ++g) {
        const RowGroup<S>& group = rows.groups()[g];
        const Vector3<S> dw = of_group(group, dw_), change = -residuals_[g] - forces_[g].H * dw;
        for (int r = 0; r < group.size; ++r) dlambda[group.first + r] += change[r];
        const Vector3<S> R = of_group(group, rows.R());
        residuals_[g] = laws_[g] * (R - R.cwiseMax(softest_ * of_group(group, rho_))).cwiseProduct(change);
      }
      if (!(change_in_v.norm() > S(10) * epsilon<S> * dv.norm())) return;
      problem.momentum(dv, change_in_v);
      problem.forces(dlambda, rest);
      rest = impulse + problem.h() * rest - change_in_v;
    }
  }

 private:
  // Smallest R / rho in the factorisation: half of the digits are spent on the softness, half on the remainder that refinement removes.
  static inline const S softest_ = S(30) * std::sqrt(epsilon<S>);
  std::vector<Matrix3<S>> laws_;                    // H
  std::vector<GroupForce<S>> forces_;
  std::vector<Matrix3<S>> inverses_;                // E^-1
  std::vector<Vector3<S>> residuals_;
  std::size_t groups_ = 0;
  VectorX<S> r_, change_;                           // (n)
  VectorX<S> rho_, y_, right_, dw_;                 // (rows)
};

}  // namespace actio::detail
