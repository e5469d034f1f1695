// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Impacts with restitution between two variational steps: which contacts and limits wait for one, its law, and its energy guard.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/integrators/shared/step_problem.hpp"

namespace actio::detail {

/// Returns the largest share t in [0, 1] of the way from impulses Lc to L for which the energy is at most that before the impact: the root
/// of  |p + J^T (Lc + t (L - Lc))|^2 = |p|^2  in the metric of M^-1; 1 if L keeps it, apart from rounding.
/// @param before, compressed, after squared norms of the momenta before the impact, with Lc, and with L [J].
/// @param way that of J^T (L - Lc) [J].  @pre compressed <= before, apart from rounding
template <Scalar S>
S kept_share(const S& before, const S& compressed, const S& after, const S& way, const S& rounding) noexcept {
  if (after <= before * (S(1) + rounding)) return S(1);
  const S b = (after - compressed - way) / S(2), c = std::min(S(0), S(compressed - before));
  return std::clamp(S(-c / (b + std::sqrt(std::max(S(0), S(b * b - way * c))))), S(0), S(1));
}

/// An impact acts on the momentum at a node, between V of one step and P of the next:
///   compression  p' = p + J^T Lc,    0 <= Lc_n  _|_  J_n v' >= 0,                        Coulomb's law with J_t v';  in all that is closed
///   restitution  p' = p + J^T L,     0 <= L_n   _|_  J_n v' + e min(0, J_n v) >= 0,      the same;  L becomes Lc + t (L - Lc): kept_share()
/// where v = M^-1 p.                                                                                  [variational_contact.md, section 4]
/// Only the constructor with a problem allocates.
template <class Model>
class StepImpacts {
 public:
  using S = typename Model::Scalar;  ///< float or double
  using Problem = StepProblem<Model>;

  StepImpacts() = default;
  explicit StepImpacts(const Problem& problem) {
    for (VectorX<S>* work : {&compressed_, &p_}) work->setZero(problem.momentum.size());
    for (VectorX<S>* work : {&bias_, &Lc_, &rates_}) work->setZero(problem.capacity());
  }

  /// Decides which limits and contacts wait in the step: if `enabled`, those with restitution that are open at q (nq). Has to be called
  /// before contacts().begin().
  static void let_wait(Problem& problem, bool enabled, const VectorX<S>& q) noexcept {
    problem.contacts().let_wait(enabled);
    for (JointBound<S>& bound : problem.bounds()) {
      bound.rebound.waits = enabled && bound.rebound.restitution > S(0) && !bound.spring.is_soft() && !bound.is_closed(q);
      bound.rebound.strikes = false;
    }
  }
  /// Returns whether a limit, or a contact of this step, has restitution.
  static bool may_bounce(const Problem& problem) noexcept {
    const auto bounces = [](const auto& one) { return one.rebound.restitution > S(0); };
    return std::any_of(problem.bounds().begin(), problem.bounds().end(), bounces) || problem.any_contact(bounces);
  }
  /// Returns the smallest gap of the limits and contacts that wait, relative to 1 + |bound| for limits; infinity if none does.  @param x
  /// (nv) the increment from q (nq), at whose end gaps are taken; null: at q.
  static S waiting_gap(const Problem& problem, const VectorX<S>& q, const VectorX<S>* x) noexcept {
    S least = std::numeric_limits<S>::infinity();
    for (const JointBound<S>& bound : problem.bounds()) {
      if (!bound.rebound.waits) continue;
      least = std::min(least, S((bound.gap(q) + (x != nullptr ? bound.along(*x) : S(0))) / (S(1) + std::abs(bound.bound))));
    }
    for (const auto& contact : problem.contacts().contacts()) {
      if (contact.rebound.waits) least = std::min(least, x != nullptr ? contact.end.gap : contact.begin.gap);
    }
    return least;
  }
  /// An impact.
  struct Impact {
    bool at_end = false;           ///< where: at the end of the step, or at its beginning
    const VectorX<S>* half = nullptr;  ///< (nv) at the beginning: half of the impulses of forces; slower impacts are left out [N m s, N s]
    bool any = false,              ///< out: whether there was one
        guarded = false;           ///< out: whether it would have gained energy
  };
  /// Applies the impact law to the limits and contacts that wait and are closed at from (+) x, together with all that are closed at the
  /// node. What strikes waits for further impacts.
  /// @param mass begun for the step, its closures placed at the node.  @param from, x as for waiting_gap().  @param q (nq) of the node.
  /// @param p (nv) its momentum, in and out [N m s, N s].  @param sum (nv) gets the impulses of limits and contacts added.
  /// @returns false if a cone problem was not solved.
  bool strike(Problem& problem, NodeMass<Model>& mass, const VectorX<S>& from, const VectorX<S>& x, const VectorX<S>& q, ConeLaw law,
              Impact& impact, VectorX<S>& p, VectorX<S>& sum) noexcept;

 private:
  /// Adds the impulses of loops and couplings that end a free step to its momentum p (nv), so that M^-1 p keeps them closed. After V they
  /// do.  @returns false if that was not solved.
  bool close_rates(Problem& problem, const TreeClosures<Model>& closures, const VectorX<S>& q, VectorX<S>& p) noexcept {
    if (problem.num_closures() == 0) return true;
    if (!problem.begin(q)) return false;
    problem.add_rigid_closures(closures);
    problem.lambda.head(problem.num_rows()).setZero();
    rates_.setZero();
    if (!problem.settle(p, rates_, false)) return false;
    problem.tree().forces(problem.lambda.head(problem.num_rows()), p_);
    p += problem.h() * p_;
    return true;
  }
  /// Adds the rows of an impact at a node: all that are rigid and closed there, and those that strike.  @returns false if there is no room.
  static bool add_rows(Problem& problem, const TreeClosures<Model>& closures, const VectorX<S>& q, bool at_end) noexcept {
    problem.add_rigid_closures(closures);
    for (std::size_t k = 0; k < problem.bounds().size(); ++k) {
      const JointBound<S>& bound = problem.bounds()[k];
      if (bound.is_limit() && !bound.spring.is_soft() && (bound.rebound.strikes || bound.is_closed(q))) problem.add_bound(k);
    }
    StepContacts<Model>& contacts = problem.contacts();
    for (auto& contact : contacts.contacts()) {
      const bool acts = contact.rebound.strikes || (at_end ? contact.end : contact.begin).gap <= Problem::touch;
      if (!acts || contact.spring.is_soft()) continue;
      if (!problem.add_contact(contact, at_end ? contacts.rows_at_end(contact) : contacts.rows_at_begin(contact))) return false;
    }
    return true;
  }
  /// Sets bias_ to e min(0, J_n v). At the beginning of a step, impacts that are slower than what the forces do in half a step are removed,
  /// and wait no longer.  @returns false if there were such impacts.
  bool find_rebounds(Problem& problem, const VectorX<S>& p, const VectorX<S>* half) noexcept {
    if (half != nullptr) problem.free_rates(*half, rates_);
    VectorX<S>& rates = problem.rates;
    problem.free_rates(p, rates);
    const S rounding = S(64) * epsilon<S> * problem.w.cwiseAbs().maxCoeff();
    bool all = true;
    for (Eigen::Index k = 0; k < problem.num_rows(); ++k) {
      Rebound<S>* rebound = rebound_of(problem, k);
      bias_[k] = rebound != nullptr && rates[k] < -rounding ? S(rebound->restitution * rates[k]) : S(0);
      if (half == nullptr || rebound == nullptr || !rebound->strikes || -bias_[k] > std::abs(rates_[k])) continue;
      rebound->strikes = rebound->waits = all = false;
      if (problem.of_contact(k)) problem.contacts().let_close(problem.contact_of(k));
    }
    return all;
  }
  /// Returns the part in impacts of a limit or the normal of a contact; null for other rows.
  static Rebound<S>* rebound_of(Problem& problem, Eigen::Index k) noexcept {
    if (problem.of_contact(k)) return problem.part(k) == 0 ? &problem.contact_of(k).rebound : nullptr;
    return problem.of_bound(k) ? &problem.bound_of(k).rebound : nullptr;
  }

  VectorX<S> compressed_, p_;    // (nv) momenta after the compression and after the restitution
  VectorX<S> bias_, Lc_, rates_;  // (rows)
};

template <class Model>
bool StepImpacts<Model>::strike(Problem& problem, NodeMass<Model>& mass, const VectorX<S>& from, const VectorX<S>& x, const VectorX<S>& q,
                                ConeLaw law, Impact& impact, VectorX<S>& p, VectorX<S>& sum) noexcept {
  for (JointBound<S>& bound : problem.bounds()) {
    bound.rebound.strikes = bound.rebound.waits && bound.is_closed(from, bound.along(x));
  }
  for (auto& contact : problem.contacts().contacts()) {
    contact.rebound.strikes = contact.rebound.waits && contact.end.gap <= Problem::touch;
  }
  if (!problem.begin_step(mass, law) || !close_rates(problem, mass.closures(), q, p)) return false;
  do {
    if (!problem.begin(q) || !add_rows(problem, mass.closures(), q, impact.at_end)) return false;
  } while (!find_rebounds(problem, p, impact.half));
  impact.any = (bias_.head(problem.num_rows()).array() < S(0)).any();
  if (!impact.any) return true;
  const S& h = problem.h();
  VectorRef<S> lambda = problem.lambda.head(problem.num_rows()), Lc = Lc_.head(problem.num_rows());
  lambda.setZero();
  rates_.setZero();
  if (!problem.settle(p, rates_, false)) return false;
  Lc = lambda;
  if (!problem.settle(p, bias_, false)) return false;
  problem.tree().forces(Lc, compressed_);
  compressed_ = p + h * compressed_;
  const S before = problem.energy_of(p), compressed = problem.energy_of(compressed_);
  problem.tree().forces(lambda, p_);
  p_ = p + h * p_;
  const S after = problem.energy_of(p_);
  p_ -= compressed_;
  const S share = kept_share(before, compressed, after, problem.energy_of(p_), S(64) * epsilon<S>);
  impact.guarded = share < S(1);
  p = compressed_ + share * p_;
  lambda = Lc + share * (lambda - Lc);
  for (Eigen::Index k = 0; k < problem.num_rows(); ++k) {
    if (problem.of_closure(k)) lambda[k] = S(0);
  }
  problem.tree().forces(lambda, p_);
  sum += h * p_;
  return true;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepImpacts<Model<double>>;
#endif

}  // namespace actio::detail
