// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How a solution changes with what went into its problem.
#include <cmath>
#include <vector>

#include "actio/solvers/cone/elimination.hpp"

namespace actio::detail {

/// The derivative of velocities and forces that solve a ConeProblem, on the piece that each group is on: exact, one factorisation and two
/// solves for each direction, three where rows are rigid. On the border of two pieces it is that of one of them.
///                                                                                      [compliant_math.md, section 9]
template <Scalar S>
class ConeResponse {
 public:
  /// @param n size of v.  @param rows capacity.
  ConeResponse(Eigen::Index n, Eigen::Index rows)
      : laws_(static_cast<std::size_t>(rows)), forces_(laws_.size()), inverses_(laws_.size()), residuals_(laws_.size()) {
    for (VectorX<S>* x : {&r_, &change_}) x->setZero(n);
    for (VectorX<S>* x : {&rho_, &y_, &right_, &dw_}) x->setZero(rows);
  }

  /// The metric in which forces answer,  lambda = P(lambda - y / rho):  (capacity), of which the first entries are those of the rows
  /// linearised last [m/(N s), rad/(N m s)].
  const VectorX<S>& rho() const noexcept { return rho_; }

  /// Factors at a solution.  @param v (n) [rad/s, m/s].  @param lambda (rows) [N, N m].  @returns false where the matrix is singular.
  template <ConeProblem<S> Problem>
  [[nodiscard]] bool linearize(Problem& problem, ConeLaw law, const VectorX<S>& v, const ConstVectorRef<S>& lambda) noexcept {
    const ConeRows<S>& rows = problem.rows();
    const Eigen::Index m = rows.size();
    groups_ = rows.groups().size();
    detail::set_natural_metric(problem, rho_);
    problem.rates(v, y_.head(m));
    y_.head(m) += rows.bias() + rows.R().cwiseProduct(lambda);
    for (std::size_t g = 0; g < groups_; ++g) {
      const RowGroup<S>& group = rows.groups()[g];
      const Vector3<S> rho = of_group(group, rho_);
      forces_[g] = group_force(group, law, rho, Vector3<S>(of_group(group, y_) - rho.cwiseProduct(of_group(group, lambda))));
      laws_[g] = forces_[g].H;
      const Vector3<S> R = of_group(group, rows.R()).cwiseMax(softest_ * rho);
      if (detail::couples(group, forces_[g])) {
        inverses_[g] = detail::eliminate_coupled<S>(group, R, rho, forces_[g].H);
      } else {
        inverses_[g].setIdentity();
        for (int r = 0; r < group.size; ++r) inverses_[g](r, r) = detail::eliminate_alone<S>(R[r], rho[r], forces_[g].H(r, r));
      }
    }
    return problem.factor({forces_.data(), groups_});
  }

  /// With what was linearised last:  M dv - h G^T dlambda = impulse,  dlambda = dP(dlambda - (G dv + R dlambda) / rho) + force.
  /// @param impulse (n) and force (rows): derivatives at fixed v and lambda.  @param dv (n), dlambda (rows) out.
  template <ConeProblem<S> Problem>
  void respond(Problem& problem, const ConstVectorRef<S>& impulse, const ConstVectorRef<S>& force, VectorX<S>& dv, VectorRef<S> dlambda) noexcept {
    const ConeRows<S>& rows = problem.rows();
    const Eigen::Index m = rows.size();
    for (std::size_t g = 0; g < groups_; ++g) residuals_[g] = -of_group(rows.groups()[g], force);
    dv.setZero();
    dlambda.setZero();
    // What the softened rows of the factorisation leave, and rounding, again; often only where rigid rows depend on each other.
    constexpr int most = 8;
    r_ = impulse;
    for (int k = 0; k < most; ++k) {
      for (std::size_t g = 0; g < groups_; ++g) {
        const RowGroup<S>& group = rows.groups()[g];
        residuals_[g] = inverses_[g] * residuals_[g];
        for (int r = 0; r < group.size; ++r) right_[group.first + r] = -residuals_[g][r];
      }
      problem.forces(right_.head(m), change_);
      change_ = r_ + problem.h() * change_;
      problem.solve(change_);
      dv += change_;
      problem.rates(change_, dw_.head(m));
      for (std::size_t g = 0; g < groups_; ++g) {
        const RowGroup<S>& group = rows.groups()[g];
        const Vector3<S> dw = of_group(group, dw_), change = -residuals_[g] - forces_[g].H * dw;
        for (int r = 0; r < group.size; ++r) dlambda[group.first + r] += change[r];
        const Vector3<S> R = of_group(group, rows.R());
        residuals_[g] = laws_[g] * (R - R.cwiseMax(softest_ * of_group(group, rho_))).cwiseProduct(change);
      }
      if (!(change_.norm() > S(10) * epsilon<S> * dv.norm())) return;
      problem.momentum(dv, change_);
      problem.forces(dlambda, r_);
      r_ = impulse + problem.h() * r_ - change_;
    }
  }

 private:
  // Least R, in rho, of the factorisation: half the digits are for it, half for what it leaves.
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
