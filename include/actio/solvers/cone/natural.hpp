// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Newton's iteration for a cone problem in rates and forces together.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/solvers/cone/elimination.hpp"

namespace actio::detail {

/// Newton's iteration on the natural map of rates and forces together,
///   M (v - v_free) = h G^T lambda,   lambda = P(lambda - y / rho),   y = G v + bias + R lambda,
/// where P is the projection of group_force() in the norm of rho >= h A. The stiffness of the map is that of the bodies for any R: the
/// distance between kinks depends on the inertia only, and nothing cancels. A step eliminates the forces group by group; its matrix is that
/// of springs in v.
/// Converges from a nearby guess, for both laws. Steps are halved while the residual grows, so that the iteration may end at a local minimum
/// of the residual. Steps of constant length leave such points; for Coulomb's law they find solutions more often, possibly other ones.
/// Where rigid rows depend on each other, many forces solve the problem, and on wrong pieces none does: whole steps then move forces by
/// the residual over the softness of the linear solve, far past all kinks. Damping makes that softness follow the residual, which keeps
/// steps short far from a solution, and the convergence to a set of solutions quadratic.              [Fan and Yuan 2005]
/// Only the constructor allocates.
template <Scalar S>
class ConeNatural {
 public:
  /// @param n largest size of v.  @param rows largest number of rows.
  ConeNatural(Eigen::Index n, Eigen::Index rows)
      : forces_(static_cast<std::size_t>(rows)), residuals_(forces_.size()), factored_(forces_.size()) {
    for (VectorX<S>* x : {&r_, &step_, &old_v_, &away_, &work_}) x->setZero(n);
    for (VectorX<S>* x : {&rho_, &y_, &old_lambda_, &dw_, &right_, &dlambda_, &base_}) x->setZero(rows);
  }

  /// Returns, for each group at the last evaluation of the natural map, P(lambda - y / rho), its piece, and H in the norm of rho.
  std::span<const GroupForce<S>> forces() const noexcept { return {forces_.data(), groups_}; }

  /// Begins a problem with these rows.  @param place as ConeOptions::place.
  void begin(const ConeRows<S>& rows, std::size_t place = 0) noexcept {
    place_ = place;
    base_.head(rows.size()) = rows.base();
    has_settled_ = false;
  }
  /// Returns the energy norm of the rates that it takes, divided by scale, where the last solve() ended.
  template <class Problem>
  S creep(const Problem& problem, const S& scale, const ConstVectorRef<S>& lambda) const noexcept {
    const Eigen::Index m = lambda.size();
    const auto rates = problem.rows().settling().cwiseProduct(lambda - base_.head(m));
    return std::sqrt(problem.h() * rates.cwiseAbs2().cwiseQuotient(rho_.head(m)).sum()) / scale;
  }
  /// Tells that the problem no longer has the factors of the last solve().
  void forget_factors() noexcept {
    for (std::size_t g = 0; g < groups_; ++g) factored(g).softness = S(0);
  }
  bool has_settled() const noexcept { return has_settled_; }  ///< whether it acted anew since begin()

  /// @param options the tolerance is that of the energy norm of both residuals, divided by scale. For bilateral rows it is that of the
  /// distance of v to the solution, which the residual does not show if the rows are close to dependent. A residual that no longer falls
  /// also counts as converged if it is no larger than rounding errors, or, between rigid rows that may be redundant, than 4
  /// settling_softness(). same_matrix: the factors that the last solve left in the problem are those of the same rows and the same M.
  /// @param scale square root of a reference energy, > 0 [J^1/2].  @param most largest number of iterations.
  /// @param v (n) [rad/s, m/s], lambda (rows) [N, N m] in: a guess; out: the last iterate.
  /// @param length of every step until rounding errors dominate, 1: a full Newton step; 0: full steps, halved while the residual grows.
  /// @param damping smallest softness R / rho of a linear solve, in units of the residual.
  /// @returns whether it converged. Adds to the counts in `result`, and sets its status if it stopped as singular or not_finite.
  template <ConeProblem<S> Problem>
  bool solve(Problem& problem, const ConeOptions<S>& options, const S& scale, int most, VectorRef<S> v, VectorRef<S> lambda,
             ConeResult<S>& result, const S& length = S(0), const S& damping = S(0)) noexcept;

 private:
  template <class Problem>
  void set_momentum_residual(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept;
  /// Returns the energy norm of the last step, divided by scale.
  template <class Problem>
  S distance(Problem& problem, const S& scale) noexcept {
    VectorRef<S> momentum = work_.head(n_);
    problem.momentum(step_.head(n_), momentum);
    return std::sqrt(std::max(S(0), momentum.dot(step_.head(n_)))) / scale;
  }
  /// Computes lambda - P(lambda - y / rho) and its derivative.  @returns its energy norm.
  template <class Problem>
  S evaluate(Problem& problem, ConeLaw law, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
    row_rates<S>(problem, v, lambda, base_.head(lambda.size()), y_.head(lambda.size()));
    return judge(problem, law, lambda);
  }
  /// Does the same at the rates y_.
  template <class Problem>
  S judge(const Problem& problem, ConeLaw law, const ConstVectorRef<S>& lambda) noexcept;
  /// Lets the settling compliance act on changes from lambda, that of the last evaluation.
  template <class Problem>
  void settle(const Problem& problem, const ConstVectorRef<S>& lambda) noexcept {
    const Eigen::Index m = lambda.size();
    const auto settling = problem.rows().settling();
    y_.head(m) -= settling.cwiseProduct(lambda - base_.head(m));
    base_.head(m) = (settling.array() > S(0)).select(lambda, base_.head(m));
    has_settled_ = true;
  }
  /// Computes step_ = dv and dlambda_:  M dv - h G^T dlambda = r,  (1 + H (R - rho)) dlambda = -F - H G dv.
  template <class Problem>
  bool step(Problem& problem, ConeResult<S>& result) noexcept;

  std::vector<GroupForce<S>> forces_;
  std::vector<Vector3<S>> residuals_;
  std::size_t groups_ = 0;
  Eigen::Index n_ = 0;                                        // number of velocities of the present problem, at most the capacity
  VectorX<S> r_, step_, old_v_, away_, work_;                 // (n)
  VectorX<S> rho_, y_, old_lambda_, dw_, right_, dlambda_;    // (rows)
  // Smallest softness R / rho in a linear solve. The next step corrects the error that it causes in stiffer rows, except between dependent
  // rows, which then get a smaller one. With a smaller one from the start, rounding errors would unbalance momenta (1e-8: by a tenth), and
  // these are corrected more slowly.
  S stiffest_{};
  S loop_norm_{};              // the energy norm of the residuals of bilateral rows at the last evaluation
  /// A group in the last factorisation.
  struct Factored {
    Matrix3<S> inverse, H;  // E^-1 and E^-1 H
    Piece piece;
    S softness{};  // stiffest_ there; 0: the problem has no factors
  };
  std::vector<Factored> factored_;  // of the groups of all islands
  std::size_t place_ = 0;           // where those of the present one begin
  Factored& factored(std::size_t g) noexcept { return factored_[place_ + g]; }
  // Whether factors serve although contacts slide, whose H depends on rates and forces: where the residual falls fast, H hardly changes.
  bool falls_fast_ = false, slides_ = false;
  VectorX<S> base_;  // (rows) as ConeRows::base(), which settle() changes
  bool has_settled_ = false;
};

template <Scalar S>
template <ConeProblem<S> Problem>
bool ConeNatural<S>::solve(Problem& problem, const ConeOptions<S>& options, const S& scale, int most, VectorRef<S> v, VectorRef<S> lambda,
                           ConeResult<S>& result, const S& length, const S& damping) noexcept {
  const ConeRows<S>& rows = problem.rows();
  const ConeLaw law = options.law;
  const S& tolerance = options.tolerance;
  const bool solves_again = options.solves_again;
  const Eigen::Index m = rows.size();
  groups_ = rows.groups().size();
  n_ = v.size();
  const S near = std::max(tolerance, std::min(S(S(1e3) * tolerance), S(1) / S(1 << 14)));  // below which rounding errors may dominate
  detail::set_natural_metric(problem, rho_);
  const S stiff = stiffest_ = S(30) * std::sqrt(epsilon<S>);
  S softest = S(1e3) * epsilon<S>;
  if (!options.same_matrix) forget_factors();
  S loop_R(1), floor = S(10) * epsilon<S>;  // the smallest R / rho of bilateral rows; residual up to rounding and settling
  for (const RowGroup<S>& group : rows.groups()) {
    const S R = rows.R()[group.first] / rho_[group.first];
    if (group.kind == RowKind::bilateral) loop_R = std::min(loop_R, std::max(softest, R));
    else if (R <= S(2) * settling_softness<S>()) floor = S(4) * settling_softness<S>();
  }
  const bool closes_loops = loop_R < stiff, measures_loops = closes_loops && !solves_again;
  constexpr S contradiction(1e-3F);  // redundant bilateral rows whose rates differ by more have no solution
  set_momentum_residual(problem, v, lambda);
  S unbalanced = problem.inverse_mass_norm(r_.head(n_)), norm = evaluate(problem, law, v, lambda);
  constexpr S infinite = std::numeric_limits<S>::infinity();
  S least = infinite, error = elementary::hypot(norm, unbalanced) / scale, moved = infinite, last_creep = infinite, last_error = infinite;
  falls_fast_ = error <= S(1e-4F);
  bool keeps_pieces = false;  // whether the last step changed no piece
  // Bilateral rows may be so close to dependent that v is far from the solution although the residual r is small: by r / (2 sqrt(R)) at
  // most, with R in units of rho. After a step of length d by a linear solve of softness s, it is also at most d s / R.
  //                                                                                             [compliant_math.md, section 8]
  const auto farthest = [&] {
    return std::min(S(loop_norm_ / (S(2) * std::sqrt(loop_R) * scale)), S(moved * std::max(S(1), S(factored(0).softness / loop_R))));
  };
  bool lags = false;
  for (int k = 0, idle = 0;; ++k) {
    // The solution is near, and no piece changes any more.
    bool acts_anew = false;
    if (options.creep > S(0) && keeps_pieces && error <= S(1e-3F)) {
      const S left = creep(problem, scale, lambda);
      if (left > options.creep && S(10) * left <= last_creep) {
        acts_anew = true;
        last_creep = left;
        settle(problem, lambda);
        norm = judge(problem, law, lambda);
        error = elementary::hypot(norm, unbalanced) / scale;
        least = infinite;
        idle = 0;
      }
    }
    // The rounding error of large forces that cancel.
    const S cancelled = S(100) * epsilon<S> * std::sqrt(problem.h() * lambda.cwiseAbs2().dot(rho_.head(m))) / scale;
    result.residual = error;
    if (!is_finite(error)) {
      result.status = Status::not_finite;
      return false;
    }
    const S loop_norm = measures_loops ? loop_norm_ / scale : S(0);
    const S away = std::min(loop_norm, moved) <= S(10) * epsilon<S> ? S(0) : farthest();
    if (measures_loops) result.residual = std::max(away, std::sqrt(std::max(S(0), S(error * error - loop_norm * loop_norm))));
    S enough = tolerance;
    if (k == 0) enough = std::max(enough, S(options.of_guess * std::max(cancelled, S(S(100) * epsilon<S>))));
    if (idle > 0) enough = std::max(enough, solves_again ? cancelled : S(floor + cancelled));
    const bool falls = result.residual < S(0.6F) * least;
    // A step that changes no piece reduces the residual more than this, unless rounding errors dominate.
    if (solves_again && keeps_pieces && error > S(0.1F) * last_error) enough = std::max(enough, S(S(4) * tolerance));
    if (solves_again && !falls && idle > (closes_loops ? 6 : 0)) enough = std::max(enough, near);
    if (!acts_anew && loop_norm <= contradiction && result.residual <= enough) return true;
    idle = falls ? 0 : idle + 1;
    least = std::min(least, result.residual);
    const bool is_fixed = length > S(0) && error > near;
    if (k >= most || (idle > 12 && !is_fixed)) return false;
    const int factorizations = result.factorizations;
    if (!step(problem, result)) return false;
    old_v_.head(n_) = v;
    old_lambda_.head(m) = lambda;
    const bool is_exact = error <= std::min(near, S(S(1 << 14) * epsilon<S>)) && !closes_loops;
    const S before = norm;
    last_error = error;
    S a = is_fixed ? length : S(1), tried = norm;
    for (; a > S(1e-3); a /= S(2)) {
      v = old_v_.head(n_) + a * step_.head(n_);
      lambda = old_lambda_.head(m) + a * dlambda_.head(m);
      tried = evaluate(problem, law, v, lambda);
      if (elementary::hypot(tried, (S(1) - a) * unbalanced) < elementary::hypot(norm, unbalanced) || error <= near || is_fixed) break;
    }
    norm = tried;
    set_momentum_residual(problem, v, lambda);
    unbalanced = problem.inverse_mass_norm(r_.head(n_));  // not (1 - a) times the old one: forces of stiff rows have rounding errors
    error = elementary::hypot(norm, unbalanced) / scale;
    if (is_exact && error > near) {  // the forces of dependent rows that contradict each other by rounding errors grow without bound
      v = old_v_.head(n_);
      lambda = old_lambda_.head(m);
      evaluate(problem, law, v, lambda);
      return true;
    }
    keeps_pieces = a == S(1);
    for (std::size_t g = 0; g < groups_ && keeps_pieces; ++g) keeps_pieces = forces_[g].piece == factored(g).piece;
    falls_fast_ = error <= S(0.01F) * last_error;
    if (damping > S(0)) stiffest_ = std::max(std::min(stiff, stiffest_), std::min(S(0.01F), S(damping * error)));
    const bool is_fresh = result.factorizations > factorizations;
    bool is_slow = (k > 0 || !closes_loops) && norm > S(0.1) * before && norm > unbalanced && (is_fresh || !slides_);
    if (measures_loops) {
      const S moved_before = std::exchange(moved, a == S(1) ? distance(problem, scale) : infinite);
      const bool lagged = std::exchange(lags, moved > S(0.1) * moved_before);
      is_slow = (lagged ? lags : moved > S(0.5F) * moved_before) && farthest() > std::max(tolerance, S(unbalanced / scale));
      if (stiffest_ < stiff && unbalanced > scale * result.residual) {  // the rounding errors of the solve exceed the residual
        stiffest_ = softest = std::min(stiff, S(S(100) * stiffest_));
        is_slow = false;
      }
    }
    // A damped step shows only if it changes no piece whether the linear solve is too soft.
    if (is_slow && a == S(1) && (keeps_pieces || !(damping > S(0)))) stiffest_ = std::max(S(stiffest_ / S(100)), softest);
  }
}

template <Scalar S>
template <class Problem>
void ConeNatural<S>::set_momentum_residual(Problem& problem, const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda) noexcept {
  momentum_residual<S>(problem, v, lambda, r_.head(n_), away_.head(n_), work_.head(n_));
}

template <Scalar S>
template <class Problem>
S ConeNatural<S>::judge(const Problem& problem, ConeLaw law, const ConstVectorRef<S>& lambda) noexcept {
  const ConeRows<S>& rows = problem.rows();
  S energy(0), loops(0);
  for (std::size_t g = 0; g < groups_; ++g) {
    const RowGroup<S>& group = rows.groups()[g];
    const Vector3<S> f = of_group(group, lambda), rho = of_group(group, rho_);
    forces_[g] = group_force(group, law, rho, Vector3<S>(of_group(group, y_) - rho.cwiseProduct(f)));
    residuals_[g] = f - forces_[g].lambda;
    if (group.kind == RowKind::bilateral) residuals_[g][0] = y_[group.first] / rho[0];  // the same without the rounding of large forces
    const S part = residuals_[g].cwiseAbs2().dot(rho);
    energy += part;
    if (group.kind == RowKind::bilateral) loops += part;
  }
  loop_norm_ = std::sqrt(problem.h() * loops);
  return std::sqrt(problem.h() * energy);
}

template <Scalar S>
template <class Problem>
bool ConeNatural<S>::step(Problem& problem, ConeResult<S>& result) noexcept {
  const ConeRows<S>& rows = problem.rows();
  const Eigen::Index m = rows.size();
  bool is_factored = true;
  slides_ = false;
  for (std::size_t g = 0; g < groups_; ++g) {
    is_factored = is_factored && factored(g).softness == stiffest_ && factored(g).piece == forces_[g].piece;
    slides_ = slides_ || couples(rows.groups()[g], forces_[g]);
  }
  if (!is_factored || (slides_ && !falls_fast_)) {
    for (std::size_t g = 0; g < groups_; ++g) {
      const RowGroup<S>& group = rows.groups()[g];
      const auto R = [&](int r) { return std::max(rows.R()[group.first + r], S(stiffest_ * rho_[group.first + r])); };
      Matrix3<S>& inverse = factored(g).inverse;
      if (detail::couples(group, forces_[g])) {
        const Vector3<S> soft(R(0), R(1), group.size == 3 ? R(2) : S(0));
        inverse = detail::eliminate_coupled<S>(group, soft, of_group(group, rho_), forces_[g].H);
      } else {
        inverse.setZero();
        for (int r = 0; r < group.size; ++r) inverse(r, r) = detail::eliminate_alone<S>(R(r), rho_[group.first + r], forces_[g].H(r, r));
      }
      factored(g).H = forces_[g].H;
      factored(g).piece = forces_[g].piece;
      factored(g).softness = stiffest_;
    }
    ++result.factorizations;
    if (!problem.factor(forces())) {
      forget_factors();
      result.status = Status::singular;
      return false;
    }
  }
  for (std::size_t g = 0; g < groups_; ++g) {
    const RowGroup<S>& group = rows.groups()[g];
    if (group.size == 1) residuals_[g][0] *= factored(g).inverse(0, 0);
    else residuals_[g] = factored(g).inverse * residuals_[g];
    for (int r = 0; r < group.size; ++r) right_[group.first + r] = -residuals_[g][r];
  }
  VectorRef<S> dv = step_.head(n_);
  problem.forces(right_.head(m), dv);
  dv = r_.head(n_) + problem.h() * dv;
  problem.solve(dv);
  ++result.iterations;
  problem.rates(dv, dw_.head(m));
  for (std::size_t g = 0; g < groups_; ++g) {
    const RowGroup<S>& group = rows.groups()[g];
    const Matrix3<S>& H = factored(g).H;
    if (group.size == 1) {
      dlambda_[group.first] = -residuals_[g][0] - H(0, 0) * dw_[group.first];
      continue;
    }
    const Vector3<S> change = -residuals_[g] - H * of_group(group, dw_);
    for (int r = 0; r < group.size; ++r) dlambda_[group.first + r] = change[r];
  }
  return true;
}

}  // namespace actio::detail
