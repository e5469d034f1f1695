// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The path of solutions from the convex law of friction to Coulomb's, followed by its length: the last resort of ConeNewton.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/solvers/cone/response.hpp"

namespace actio::detail {

/// Follows the path of solutions from the convex law to Coulomb's by its length. Between the two laws, the normal rate of a sliding
/// contact is raised by lift mu |v_t|; lift is 1 at the beginning of the path, where the solution is unique, and 0 at its end. The lift
/// need not always fall: where two solutions of the same lift meet, the path turns back and the lift rises for a while. A step is a
/// predictor along the tangent and Newton's iteration in the plane across it. That the path reaches its end is not proven: of the 69 of a
/// million small random problems that ConeNewton's search leaves unsolved, it solves 68.   Only the constructor allocates.
///                                                                                          [compliant_math.md, sections 5.1 and 5.2]
template <Scalar S>
class ConePath {
 public:
  /// @param n largest size of v.  @param rows largest number of rows.
  ConePath(Eigen::Index n, Eigen::Index rows) : response_(n, rows), pieces_(static_cast<std::size_t>(rows)) {
    for (VectorX<S>* x : {&r_, &zero_, &at_.v, &tangent_.v, &by_lift_.v, &step_.v}) x->setZero(n);
    for (VectorX<S>* x : {&residuals_, &forces_by_lift_, &at_.lambda, &tangent_.lambda, &by_lift_.lambda, &step_.lambda}) x->setZero(rows);
  }

  /// Follows the path until `finish` succeeds.
  /// @param scale square root of a reference energy, > 0 [J^1/2].  @param length of the first step, in units of scale.
  /// @param most largest number of factorisations, including those that `result` has counted.
  /// @param v (n) [rad/s, m/s], lambda (rows) [N, N m] in: a solution of the convex law; out: as `finish` left them, otherwise unspecified.
  /// @param finish () -> bool: solves Coulomb's law from v and lambda, which are close to a solution, and returns whether it converged.
  /// @returns whether `finish` succeeded.
  template <ConeProblem<S> Problem, class Finish>
  bool follow(Problem& problem, S scale, S length, int most, VectorRef<S> v, VectorRef<S> lambda, ConeResult<S>& result,
              const Finish& finish) noexcept;

 private:
  struct Point {
    VectorX<S> v, lambda;
    S lift;
  };
  static inline const S tolerance_ = std::sqrt(epsilon<S>) / S(10), shortest_ = S(100) * tolerance_;

  /// Computes the residuals, and forces_by_lift_, the derivative of the forces by the lift.  @returns the energy norm of the residuals.
  template <class Problem>
  S evaluate(Problem& problem, const S& lift, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept;
  /// Computes v, lambda and lift at a distance along the tangent.  @returns whether all groups are on pieces_ there.
  template <class Problem>
  bool go(Problem& problem, const S& length, VectorRef<S> v, VectorRef<S> lambda, S& lift) noexcept;
  /// Computes by_lift_, the derivative of the solution by the lift, at the last evaluation.  @returns false if the matrix is singular.
  template <class Problem>
  bool linearize(Problem& problem, ConeResult<S>& result) noexcept;
  /// Runs Newton's iteration from a point at a distance along the tangent.  @returns the number of updates; -1 if it does not converge.
  template <class Problem>
  int correct(Problem& problem, const S& scale, const S& length, VectorRef<S> v, VectorRef<S> lambda, S& lift,
              ConeResult<S>& result) noexcept;

  /// Returns the inner product of two changes of the forces, in units of scale^2.
  template <class Problem>
  S product(const Problem& problem, const S& scale, const ConstVectorRef<S>& a, const ConstVectorRef<S>& b) const noexcept {
    return problem.h() * a.cwiseProduct(response_.rho().head(a.size())).dot(b) / (scale * scale);
  }
  void remember_pieces() noexcept {
    for (std::size_t g = 0; g < response_.forces().size(); ++g) pieces_[g] = response_.forces()[g].piece;
  }

  ConeResponse<S> response_;
  std::vector<Piece> pieces_;
  Point at_, tangent_, by_lift_, step_;
  VectorX<S> r_, zero_;        // (n)
  VectorX<S> residuals_, forces_by_lift_;   // (rows)
};

template <Scalar S>
template <ConeProblem<S> Problem, class Finish>
bool ConePath<S>::follow(Problem& problem, S scale, S length, int most, VectorRef<S> v, VectorRef<S> lambda, ConeResult<S>& result,
                         const Finish& finish) noexcept {
  const Eigen::Index n = v.size(), m = lambda.size();
  VectorRef<S> at_v = at_.v.head(n), at_lambda = at_.lambda.head(m), along = tangent_.lambda.head(m);
  S lift(1);
  at_v = v;
  at_lambda = lambda;
  at_.lift = lift;
  along.setZero();
  tangent_.lift = S(-1);
  evaluate(problem, at_.lift, at_v, at_lambda);
  scale *= std::sqrt(S(1) + product(problem, scale, lambda, lambda));
  for (bool is_kink = false; result.factorizations < most && at_.lift > S(0) && at_.lift <= S(1);) {
    evaluate(problem, at_.lift, at_v, at_lambda);
    if (!linearize(problem, result)) return false;
    const S ahead = product(problem, scale, by_lift_.lambda.head(m), along) + tangent_.lift;
    const S size = std::copysign(std::sqrt(S(1) + product(problem, scale, by_lift_.lambda.head(m), by_lift_.lambda.head(m))), ahead);
    tangent_.v.head(n) = by_lift_.v.head(n) / size;
    along = by_lift_.lambda.head(m) / size;
    tangent_.lift = S(1) / size;
    for (; is_kink && length < S(1); length *= S(2)) {  // the direction ahead is the one that leaves the pieces before the kink
      const bool were_ahead = go(problem, length, v, lambda, lift), were_back = go(problem, -length, v, lambda, lift);
      is_kink = were_ahead == were_back;
      if (!were_ahead || were_back) continue;
      tangent_.v.head(n) *= S(-1);
      along *= S(-1);
      tangent_.lift = -tangent_.lift;
    }
    if (is_kink) return false;
    evaluate(problem, at_.lift, at_v, at_lambda);
    remember_pieces();
    for (int taken = -1; taken < 0;) {
      if (result.factorizations >= most) return false;
      is_kink = !(length >= shortest_);
      if (is_kink) {  // no solution ahead on these pieces: a kink; beyond it the path has another tangent
        for (length = shortest_; go(problem, length, v, lambda, lift) && length < S(0.01F); length *= S(2)) {}
        taken = 0;
      } else if (go(problem, length, v, lambda, lift); lift > S(0)) {
        taken = correct(problem, scale, length, v, lambda, lift, result);
        length *= taken < 0 ? S(0.25F) : taken > 3 ? S(1) : S(2);
      } else {
        length *= at_.lift / (at_.lift - lift);
        go(problem, length, v, lambda, lift);
        if (finish()) return true;
        length *= S(0.3F);
      }
    }
    along = lambda - at_lambda;
    tangent_.lift = lift - at_.lift;
    at_v = v;
    at_lambda = lambda;
    at_.lift = lift;
  }
  return at_.lift <= S(0) && finish();  // if the last step to a kink ended the path
}

template <Scalar S>
template <class Problem>
S ConePath<S>::evaluate(Problem& problem, const S& lift, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
  const ConeRows<S>& rows = problem.rows();
  const Eigen::Index n = v.size(), m = lambda.size();
  response_.evaluate(problem, lift, v, lambda);
  forces_by_lift_.head(m).setZero();
  S energy(0);
  for (std::size_t g = 0; g < rows.groups().size(); ++g) {
    const RowGroup<S>& group = rows.groups()[g];
    const GroupForce<S>& force = response_.forces()[g];
    const Vector3<S> rho = of_group(group, response_.rho()), residual = force.lambda - of_group(group, lambda);
    const Vector3<S> y = of_group(group, response_.y()) + rho.cwiseProduct(residual);  // of force
    const bool slides = group.kind == RowKind::contact && force.piece == Piece::slide;
    const S rise = slides ? S(group.limit * y.template tail<2>().norm() * force.H(0, 0) / force.lambda[0]) : S(0);
    for (int r = 0; r < group.size; ++r) {
      residuals_[group.first + r] = residual[r];
      forces_by_lift_[group.first + r] = rise * force.lambda[r];
    }
    energy += residual.cwiseAbs2().dot(rho);
  }
  momentum_residual<S>(problem, v, lambda, r_.head(n), step_.v.head(n), by_lift_.v.head(n));
  return elementary::hypot(std::sqrt(problem.h() * energy), problem.inverse_mass_norm(r_.head(n)));
}

template <Scalar S>
template <class Problem>
bool ConePath<S>::go(Problem& problem, const S& length, VectorRef<S> v, VectorRef<S> lambda, S& lift) noexcept {
  v = at_.v.head(v.size()) + length * tangent_.v.head(v.size());
  lambda = at_.lambda.head(lambda.size()) + length * tangent_.lambda.head(lambda.size());
  lift = at_.lift + length * tangent_.lift;
  response_.evaluate(problem, lift, v, lambda);
  return std::equal(response_.forces().begin(), response_.forces().end(), pieces_.begin(),
                    [](const GroupForce<S>& force, Piece piece) { return force.piece == piece; });
}

template <Scalar S>
template <class Problem>
bool ConePath<S>::linearize(Problem& problem, ConeResult<S>& result) noexcept {
  ++result.factorizations;
  if (!response_.factor(problem)) return false;
  const Eigen::Index n = problem.v_free().size(), m = problem.rows().size();
  response_.respond(problem, zero_.head(n), forces_by_lift_.head(m), by_lift_.v.head(n), by_lift_.lambda.head(m));
  return is_finite(by_lift_.lambda.head(m).sum());
}

template <Scalar S>
template <class Problem>
int ConePath<S>::correct(Problem& problem, const S& scale, const S& length, VectorRef<S> v, VectorRef<S> lambda, S& lift,
                         ConeResult<S>& result) noexcept {
  const Eigen::Index n = v.size(), m = lambda.size();
  S before = std::numeric_limits<S>::infinity();
  const auto along = tangent_.lambda.head(m);
  for (int k = 0; k < 6; ++k) {
    const S error = evaluate(problem, lift, v, lambda) / scale;
    const S rounding = S(100) * epsilon<S> * std::sqrt(product(problem, scale, lambda, lambda));
    if (error <= std::max(tolerance_, rounding)) {
      const VectorRef<S> moved = step_.lambda.head(m) = lambda - at_.lambda.head(m);
      return lift > S(0) && elementary::hypot(lift - at_.lift, std::sqrt(product(problem, scale, moved, moved))) < S(3) * length ? k : -1;
    }
    if (k > 1 && !(error < S(0.7F) * before)) return -1;
    before = error;
    if (!linearize(problem, result)) return -1;
    response_.respond(problem, r_.head(n), residuals_.head(m), step_.v.head(n), step_.lambda.head(m));
    ++result.iterations;
    VectorRef<S> moved = residuals_.head(m) = lambda + step_.lambda.head(m) - at_.lambda.head(m);
    const S missing = length - product(problem, scale, along, moved) - tangent_.lift * (lift - at_.lift);
    const S rise = missing / (product(problem, scale, along, by_lift_.lambda.head(m)) + tangent_.lift);
    v += step_.v.head(n) + rise * by_lift_.v.head(n);
    lambda += step_.lambda.head(m) + rise * by_lift_.lambda.head(m);
    lift += rise;
  }
  return -1;
}

}  // namespace actio::detail
