// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reversals of slip in a variational step: what slides where it begins, and at which rate at its end.
#include <algorithm>
#include <limits>

#include "actio/integrators/shared/step_problem.hpp"

namespace actio::detail {

/// Follows the slip of contacts and of joints with dry friction over a step. A contact slides where it is closed, and a joint, if the rate
/// is larger than the tolerance of rates; what does not slide any more along its direction at the end has stopped or reversed. Rates r are
/// stored as 0.1 s r / (1 + |v|), |v| the largest joint velocity. They are then compared with what a closed gap may have, `touch`, and
/// events of both kinds are located alike: 1e-9 of |v| in double.                              [variational_contact.md, section 4]
/// Does not allocate.
template <class Model>
class StepReversals {
 public:
  using S = typename Model::Scalar;  ///< float or double
  using Problem = StepProblem<Model>;

  /// Begins a substep, in which nothing is kept.  @param enabled whether slip is followed.
  void begin(Problem& problem, bool enabled) noexcept {
    watches_ = enabled;
    keeps_ = any_ = false;
    for (JointBound<S>& bound : problem.bounds()) bound.sliding = {};
    problem.contacts().release_slips();
  }
  bool any() const noexcept { return any_; }  ///< whether the slip of anything is followed in the present attempt
  /// Finds what slides at the beginning of an attempt, unless directions are kept.  @param problem after begin_step(); becomes one at
  /// q (nq).  @param p (nv) momentum there [N m s, N s].  @returns false if M is singular or there is no room.
  bool find(Problem& problem, const VectorX<S>& q, const VectorX<S>& p) noexcept {
    any_ = keeps_;
    if (!watches_) return true;
    if (!problem.begin(q)) return false;
    StepContacts<Model>& contacts = problem.contacts();
    for (auto& contact : contacts.contacts()) {
      contact.sliding = {};
      const bool may_slide = contact.begin.gap <= Problem::touch && contact.num_rows() > 1 && contact.R_t == S(0);
      if (!may_slide || problem.law() != ConeLaw::coulomb) continue;
      if (!problem.add_contact(contact, contacts.rows_at_begin(contact))) return false;
    }
    problem.free_rates(p, problem.rates);
    const S scale = scale_of(problem.w);
    for (JointBound<S>& bound : problem.bounds()) {
      bound.sliding = {};
      if (!bound.is_limit() && !bound.is_servo()) set(bound.sliding, scale * Vector2<S>(problem.w[bound.v], S(0)));
    }
    problem.for_each_contact_row([&](auto& contact, Eigen::Index k) { set(contact.sliding, scale * problem.rates.segment(k + 1, 2)); });
    return true;
  }
  /// Computes the rates at the end of an attempt, or the mean ones if these are smaller.  @param problem V, solved.  @param x (nv) the
  /// increment.  @param p (nv) p_{k+1} [N m s, N s].
  void end(Problem& problem, const VectorX<S>& x, const VectorX<S>& p) noexcept {
    if (!any_) return;
    problem.free_rates(p, problem.rates);
    const S scale = scale_of(problem.w), &h = problem.h();
    for (JointBound<S>& bound : problem.bounds()) {
      if (bound.sliding.any()) bound.sliding.end = scale * std::min(bound.sliding.direction[0] * x[bound.v] / h,
                                                                    bound.sliding.direction[0] * problem.w[bound.v]);
    }
    for (auto& contact : problem.contacts().contacts()) contact.sliding.end = std::numeric_limits<S>::infinity();  // open: no friction
    problem.for_each_contact_row([&](auto& contact, Eigen::Index k) {
      if (!contact.sliding.any()) return;
      const Vector2<S>& along = contact.sliding.direction;
      contact.sliding.end = scale * std::min(S(along.dot(contact.slip) / h), S(along.dot(problem.rates.segment(k + 1, 2))));
    });
  }
  /// Keeps the directions of what stopped or reversed in an attempt, for further attempts in the substep.  @returns whether there is any.
  bool keep_reversed(Problem& problem) noexcept {
    const auto keep = [&](Sliding<S>& sliding) {
      sliding.is_kept = sliding.any() && sliding.end <= Problem::touch;
      keeps_ = keeps_ || sliding.is_kept;
      return sliding.is_kept;
    };
    watches_ = false;
    for (JointBound<S>& bound : problem.bounds()) {
      if (!keep(bound.sliding)) bound.sliding = {};
    }
    for (auto& contact : problem.contacts().contacts()) {
      if (keep(contact.sliding)) problem.contacts().keep_slip(contact);
    }
    return keeps_;
  }
  /// Returns the smallest rate in a kept direction; infinity if none is kept.  @param at_end at the end of the attempt, else where it
  /// begins.
  S least(const Problem& problem, bool at_end) const noexcept {
    S least = std::numeric_limits<S>::infinity();
    if (!keeps_) return least;
    const auto see = [&](const Sliding<S>& sliding) {
      if (sliding.is_kept) least = std::min(least, at_end ? sliding.end : sliding.begin);
    };
    for (const JointBound<S>& bound : problem.bounds()) see(bound.sliding);
    for (const auto& contact : problem.contacts().contacts()) see(contact.sliding);
    return least;
  }

 private:
  static S scale_of(const VectorX<S>& v) noexcept { return S(0.1F) / (S(1) + v.cwiseAbs().maxCoeff()); }
  void set(Sliding<S>& sliding, const Vector2<S>& rate) noexcept {
    sliding.begin = rate.norm();
    if (!(sliding.begin > Problem::touch)) return;
    sliding.direction = rate / sliding.begin;
    any_ = true;
  }

  bool watches_ = false, keeps_ = false, any_ = false;
};

}  // namespace actio::detail
