// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Limits, dry friction of joints, servos, springs between points and contacts in a variational step: cone problems on its positions (P) and
// on the momentum (V).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "actio/integrators/shared/step_problem.hpp"
#include "actio/integrators/shared/step_reversals.hpp"
#include "actio/integrators/shared/step_servos.hpp"

namespace actio::detail {

/// The two problems, in which half of the step's impulses act each, at its beginning and at its end; M and J are those at that node:
///   P   left momentum - known = J^T Lm;    limits  0 <= Lm  _|_  phi(q_k (+) x) >= 0;   friction  |Lm| <= h/2 bound, against x
///   V   p_{k+1} = right momentum + J^T Lp;  closed limits  0 <= Lp  _|_  J v >= 0;       friction  |Lp| <= h/2 bound, against v
///   contacts  P: 0 <= Lm_n  _|_  phi >= 0,  Coulomb's law against the mean slip s of the step;
///             V: closed ones  0 <= Lp_n  _|_  J_n v >= 0,  Lp_t = -mu Lp_n s/|s|;  where they stuck, or v opposes s, Coulomb's law with J v
///   limits and normals of contacts with springs, and springs between points that the step does not resolve: StepSpring
///   servos    P: a row whose force depends on x;  V: half of that force: StepServo
/// where v = M^-1 p_{k+1}.
/// Rows of closures are in both. P is solved by an iteration on x: with the residual r there,
///   M w = -r + J^T Lm,  rates  (phi or x_i or g)/h + J w,  x <- x + h w.                    [variational_contact.md, sections 3 and 8]
/// A limit or contact becomes a row of P where it is closed at the beginning or at an iterate. Impulses are stored as forces Lm/h. Only the
/// constructor allocates.
template <class ModelType>
class StepCones {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using Problem = StepProblem<Model>;
  using S = typename Model::Scalar;  ///< float or double

  /// Parameters and errors are those of StepProblem.
  StepCones(const Model& model, Eigen::Index closures, Factorization factorization, std::size_t contacts = 0, std::size_t ties = 0,
            const S& margin = S(0), const Compliance<S>& limit = {}, const Compliance<S>& closure = {})
      : model_(&model), problem_(model, closures, factorization, contacts, ties, margin, limit, closure), servos_(problem_.bounds(), closures) {
    for (VectorX<S>* work : {&Mw_, &joint_, &of_contacts_}) work->setZero(model.nv());
    impulses_.setZero(problem_.size());
    for (VectorX<S>* work : {&off_, &moved_, &mean_, &bias_}) work->setZero(problem_.capacity());
  }

  Problem& problem() noexcept { return problem_; }  ///< what may act, and the present problem
  const Problem& problem() const noexcept { return problem_; }
  StepReversals<Model>& reversals() noexcept { return reversals_; }  ///< what slides
  const StepReversals<Model>& reversals() const noexcept { return reversals_; }
  const StepServos<S>& servos() const noexcept { return servos_; }  ///< of the last step

  /// Begins P.  @param mass begun for this step; outlives it.  @param forces (slots) of the last step; or none.
  /// @param recovery fastest return of joints beyond their limits, and of bodies that overlap, >= 0 [rad/s, m/s].
  /// @param p (nv) momentum at the node [N m s, N s].
  /// @param law of contacts.  @param extra (servos) as Input::servo.  @param v (nv) after a reset, else null.
  /// @returns false if M is singular or there are too many rows.
  bool begin_positions(NodeMass<Model>& mass, const VectorX<S>& forces, const VectorX<S>& p, const S& recovery,
                       ConeLaw law = ConeLaw::coulomb, const VectorX<S>& extra = {}, const VectorX<S>* v = nullptr) noexcept;
  /// Solves P at an iterate x (nv), for w and Lm.  @param r (nv) residual there [N m s, N s].  @param gaps (rows of closures)
  /// there [m, rad].
  /// @returns |w|^2 in the metric of M; NaN if the cone problem was not solved.
  S solve_positions(const VectorX<S>& r, const VectorX<S>& gaps, const VectorX<S>& x) noexcept;
  /// Returns the largest violation of a row at the iterate of the last solution, relative to the tolerated one.
  S violation() const noexcept { return violation_; }
  const S& recovery() const noexcept { return recovery_; }  ///< of the last begin_positions() [rad/s, m/s]
  /// Returns whether a rigid limit or contact of P is violated where the step begins, and therefore recovers.
  bool recovers() noexcept {
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {
      if (problem_.of_closure(k) || problem_.of_point_spring(k) || problem_.spring_of(k) != nullptr) continue;
      if (problem_.of_contact(k) && problem_.contact_of(k).begin.gap < -Problem::touch) return true;
      if (problem_.of_bound(k) && problem_.bound_of(k).gap(mass_->tree().q) < -Problem::touch) return true;
    }
    return false;
  }
  /// Returns the rounding error of |w|, estimated as that of StepRows. It is 0 if rows are violated by more than rounding errors: rows that
  /// contradict each other have impulses without bound.
  S floor(const TreeClosures<Model>& closures) const noexcept {
    if (violation_ > S(1e4F)) return S(0);
    S impulses(0), poses(0);
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {
      const S mobility = problem_.tree().mobility()[k], L = problem_.h() * problem_.lambda[k];
      if (!(mobility > S(0))) continue;
      const S length = problem_.reach(closures, k);
      impulses += mobility * L * L;
      poses += length * length / mobility;
    }
    return S(64) * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / problem_.h());
  }
  /// Adds Lm by the last solution, without the impulses of rigid closures, to joint impulses.  @param sum (nv) [N m s, N s].
  void add_last_impulses(VectorX<S>& sum) noexcept {
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {
      if (problem_.of_bound(k)) problem_.bound_of(k).push(problem_.h() * problem_.lambda[k], sum);
    }
    servos_.take_back(sum);
    add_kept_impulses(sum);
    add_impulses_of(sum, [&](Eigen::Index k) {
      return problem_.of_contact(k) || problem_.of_point_spring(k) || (problem_.of_closure(k) && problem_.spring_of(k));
    });
  }
  /// Ends P. The forces (slots) of the problem are then Lm/h.  @param impulses (nv) out: J^T Lm [N m s, N s].
  void end_positions(VectorX<S>& impulses) noexcept {
    const S& h = problem_.h();
    problem_.tree().forces(problem_.lambda.head(problem_.num_rows()), impulses);
    impulses *= h;
    for (Contact& contact : problem_.contacts().contacts()) {
      if (!contact.is_row) contact.force.setZero();
      contact.impulse = h * contact.force;
      contact.is_reversed = false;
    }
    problem_.forces.setZero();
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {
      if (!problem_.of_contact(k)) problem_.forces[problem_.slot(k)] = problem_.lambda[k];
    }
    for_each_kept([&](const JointBound<S>& bound, Eigen::Index slot) { problem_.forces[slot] = bound.kept_force(); });
    impulses_ = h * problem_.forces;
    of_contacts_.setZero();
    add_contact_impulses(impulses);
    servos_.take_back(impulses, impulses_);
    add_kept_impulses(impulses);
  }
  /// Solves V. The forces (slots) of the problem are then Lp/h, which act where the next step begins; of servos F [N, N m].
  /// @param closures placed at the end of the step.  @param q (nq) there.  @param x (nv) the increment of the step, of length h.
  /// @param p (nv) in: right momentum; out: p_{k+1}.  @returns false if the cone problem was not solved.
  bool solve_momentum(const TreeClosures<Model>& closures, const VectorX<S>& q, const VectorX<S>& x, VectorX<S>& p) noexcept;

  /// Returns whether a contact closed in the step, after end_positions().
  bool landed() const noexcept {
    return problem_.any_contact([](const Contact& at) { return at.begin.gap > Problem::touch && at.impulse[0] > S(0); });
  }
  void forget() noexcept { acts_ = false, problem_.contacts().clear(); }  ///< makes the results those of a step without rows
  /// Returns minus the impulses of closures [N s, N m s]: Lm after end_positions(), Lm + Lp after solve_momentum().
  auto closure_impulses() const noexcept { return -impulses_.head(problem_.num_closures()); }
  const VectorX<S>& impulses() const noexcept { return impulses_; }  ///< (slots) Lm + Lp after solve_momentum() [N s, N m s]
  /// Adds the impulses over the step, Lm + Lp, to joint impulses.  @param sum (nv) of limits, friction and contacts, of_servos (nv) of
  /// servos [N m s, N s].
  void add_bound_impulses(VectorX<S>& sum, VectorX<S>& of_servos) const noexcept {
    Eigen::Index slot = problem_.num_closures();
    for (const JointBound<S>& bound : problem_.bounds()) bound.push(impulses_[slot++], bound.is_servo() ? of_servos : sum);
    sum += of_contacts_;
  }
  /// Returns the certificate of V, or of an impact after it, by Coulomb's law.  Allocates.
  ConeCertificate<S> certificate() { return acts_ ? problem_.certificate() : ConeCertificate<S>{}; }
  const ConeRows<S>& rows() const noexcept { return acts_ ? problem_.tree().rows() : none_; }  ///< of V; contacts are the last rows
  auto row_forces() const noexcept { return mean_.head(rows().size()); }                       ///< (rows of V) (Lm + Lp)/h [N, N m]

 private:
  using Contact = typename Problem::Contact;

  /// Adds the row of a bound to P, or else to V.
  void add_bound(std::size_t k, bool to_P) noexcept {
    JointBound<S>& bound = problem_.bounds()[k];
    if (bound.is_servo()) problem_.add_bound(k, servos_.compliance(bound), servos_.limit(bound));
    else problem_.add_bound(k, compliance(bound.spring, bound.row(), to_P), S(bound.bound * S(0.5F)));
  }
  /// Adds the rows of the springs between points that are rows in this step to P, or else to V, where ropes that are slack have none.
  void add_point_springs(bool to_P) noexcept {
    for (std::size_t k = 0; problem_.point_springs().any() && k < problem_.point_springs().size(); ++k) {
      auto& one = problem_.point_springs()[k];
      const ConstraintRow<S>& row = to_P ? one.begin : one.end;
      const bool pushed = problem_.forces[problem_.first_spring() + static_cast<Eigen::Index>(k)] > S(0);
      if (!one.is_row || (!to_P && one.spring->tension_only && !pushed && row.value > S(0))) continue;
      problem_.add_point_spring(k, row, compliance(one.law, row, to_P));
    }
  }
  /// Adds the rows of a contact as they are at the beginning of the step to P.  @returns false if there is no room.
  [[nodiscard]] bool add_contact(Contact& contact) noexcept {
    const std::array<ConstraintRow<S>, 3> rows = problem_.contacts().rows_at_begin(contact);
    return problem_.add_contact(contact, rows, compliance(contact.spring, rows[0], true), contact.sliding.kept());
  }
  /// Returns the compliance with which a row is added to P, or else to V; 0: rigid. That of a spring in P is set by set_spring().
  S compliance(StepSpring<S>& spring, const ConstraintRow<S>& row, bool to_P) noexcept {
    if (!spring.is_soft()) return S(0);
    const S mobility = problem_.tree().mobility_of(row);
    if (to_P) spring.begin(mobility, problem_.h());
    return !spring.acts ? S(0) : to_P ? S(1) : spring.of_momentum(mobility, problem_.h());
  }
  /// Gives a row of P the law of its spring between gaps a and b.  @returns false if it is rigid.
  bool set_spring(Eigen::Index k, const S& a, const S& b) noexcept {
    StepSpring<S>* spring = problem_.spring_of(k);
    if (spring == nullptr) return false;
    const auto [off, R] = spring->row(a, b);
    off_[k] = off;
    problem_.set_compliance(k, R);
    return true;
  }
  /// Returns the violation of a row of P that has a force: its gap or, with a spring, its distance from the gap at which the spring has
  /// that force.
  S excess(Eigen::Index k) noexcept {
    const StepSpring<S>* spring = problem_.spring_of(k);
    return spring != nullptr ? S(problem_.h() * problem_.tree().rows().R()[k] * (problem_.lambda[k] - spring->force)) : off_[k];
  }
  /// Returns a violation of a contact's gap less twice what the update leaves of it. The gaps and the mean slips of contacts that stick can
  /// contradict each other by O(h^3), as those of a rod that rolls on spheres of two sizes do: such gaps are tolerated up to `touch`.
  S without_contradiction(Eigen::Index k, const S& violation) noexcept {
    if (!(violation < Problem::touch) || problem_.spring_of(k) != nullptr) return violation;
    return violation - S(2) * std::abs(off_[k] + problem_.h() * moved_[k]);
  }
  /// Raises violation_ to that of a row.  @param by [rad, m].
  void raise_violation(Eigen::Index k, const S& by) noexcept {
    violation_ = std::max(violation_, S(by / (Problem::tolerated * problem_.reach(mass_->closures(), k))));
  }
  /// Calls f(bound, slot) for dry friction of joints whose direction of slip is kept: it has no row.
  template <class F>
  void for_each_kept(F&& f) const noexcept {
    for (std::size_t k = 0; k < problem_.bounds().size(); ++k) {
      if (problem_.bounds()[k].sliding.is_kept) f(problem_.bounds()[k], problem_.num_closures() + static_cast<Eigen::Index>(k));
    }
  }
  /// Adds its impulses, in P or in V, to joint impulses (nv) [N m s, N s].
  void add_kept_impulses(VectorX<S>& sum) const noexcept {
    for_each_kept([&](const JointBound<S>& bound, Eigen::Index) { bound.push(problem_.h() * bound.kept_force(), sum); });
  }
  /// Returns the direction of slip in P that friction in V opposes; zero where it opposes the rates.
  Vector2<S> direction(const Contact& contact) const noexcept {
    if (contact.sliding.is_kept) return contact.sliding.direction;
    const Vector2<S> friction = contact.force.template tail<2>();
    const bool slid = problem_.law() == ConeLaw::coulomb && friction.squaredNorm() > S(0) && contact.slides() &&
                      contact.slip.norm() > Problem::tolerated * (S(1) + contact.begin.p.norm());
    return slid && !contact.is_reversed ? Vector2<S>(-friction.normalized()) : Vector2<S>(Vector2<S>::Zero());
  }
  /// Marks the contacts whose rates friction in V turned against the slip of P. V is then solved again, with their friction against the
  /// rates.
  bool find_reversed() noexcept {
    bool any = false;
    VectorX<S>& rates = problem_.rates;
    problem_.tree().rates(problem_.w, rates.head(problem_.num_rows()));
    const S rounding = S(64) * epsilon<S> * problem_.w.cwiseAbs().maxCoeff();
    problem_.for_each_contact_row([&](Contact& contact, Eigen::Index k) {
      if (contact.num_rows() == 1 || contact.sliding.is_kept || !(problem_.lambda[k] > S(0))) return;
      if (direction(contact).dot(rates.segment(k + 1, 2)) < -rounding) contact.is_reversed = any = true;
    });
    return any;
  }
  /// Adds h G^T lambda of the contacts in the present problem to of_contacts_.  @param impulses (nv) of all rows [N m s, N s].
  void add_contact_impulses(const VectorX<S>& impulses) noexcept {
    if (problem_.capacity() == problem_.size()) return;
    bool others = false;
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) others = others || !problem_.of_contact(k);
    if (others) add_impulses_of(of_contacts_, [&](Eigen::Index k) { return problem_.of_contact(k); });
    else of_contacts_ += impulses;
  }
  /// Adds h G^T lambda of some rows of the present problem to joint impulses (nv) [N m s, N s].  @param is_wanted (row) -> bool
  template <class F>
  void add_impulses_of(VectorX<S>& sum, F&& is_wanted) noexcept {
    const Eigen::Index rows = problem_.num_rows();
    bool any = false;
    for (Eigen::Index k = 0; k < rows; ++k) {
      const bool wanted = is_wanted(k);
      moved_[k] = wanted ? problem_.lambda[k] : S(0);
      any = any || wanted;
    }
    if (!any) return;
    problem_.tree().forces(moved_.head(rows), joint_);
    sum += problem_.h() * joint_;
  }

  const Model* model_;
  Problem problem_;
  StepServos<S> servos_;
  StepReversals<Model> reversals_;
  NodeMass<Model>* mass_ = nullptr;       // of the present step
  VectorX<S> Mw_, joint_, of_contacts_;   // (nv); of_contacts_: impulses over the step
  VectorX<S> impulses_;                   // (slots) over the step
  VectorX<S> off_, moved_, mean_, bias_;  // (rows)
  S recovery_{}, violation_{};
  bool acts_ = false;  // whether V was solved in the last step
  ConeRows<S> none_;
};

template <class Model>
bool StepCones<Model>::begin_positions(NodeMass<Model>& mass, const VectorX<S>& forces, const VectorX<S>& p, const S& recovery,
                                       ConeLaw law, const VectorX<S>& extra, const VectorX<S>* v) noexcept {
  mass_ = &mass;
  recovery_ = recovery;
  problem_.forces = forces;
  forget();
  const VectorX<S>& q = mass.tree().q;
  if (!problem_.begin_step(mass, law) || !reversals_.find(problem_, q, p)) return false;
  if (!problem_.begin(q, mass.terms().diagonal(*model_, mass.h()))) return false;
  problem_.add_closures(mass.closures(), [&](auto& spring, const auto& row) { return compliance(spring, row, true); });
  const auto mobility_of = [&](const ConstraintRow<S>& row) { return problem_.tree().mobility_of(row); };
  servos_.begin(model_->servos(), q, extra, v, mass.h(), mobility_of, problem_.forces);
  for (std::size_t k = 0; k < problem_.bounds().size(); ++k) {
    const JointBound<S>& bound = problem_.bounds()[k];
    if (bound.sliding.is_kept) continue;
    if (!bound.is_limit() || bound.is_closed(q)) add_bound(k, true);
  }
  add_point_springs(true);
  for (Contact& contact : problem_.contacts().contacts()) {
    if (contact.begin.gap <= Problem::touch && !add_contact(contact)) return false;
  }
  return true;
}

template <class Model>
auto StepCones<Model>::solve_positions(const VectorX<S>& r, const VectorX<S>& gaps, const VectorX<S>& x) noexcept -> S {
  const VectorX<S>&q = mass_->tree().q, &lambda = problem_.lambda;
  const S& h = problem_.h();
  const bool at_rest = x.isZero(S(0));
  // At rest, tolerated gaps count as zero: divided by h they would be rates that disturb the next step. In motion they are kept, because
  // redundant contacts of which some are dropped contradict each other, which changes how they share forces.
  const auto drop_tolerated = [&](Eigen::Index k) {
    if (at_rest && std::abs(off_[k]) <= Problem::tolerated * problem_.reach(mass_->closures(), k)) off_[k] = S(0);
  };
  for (std::size_t k = 0; k < problem_.bounds().size(); ++k) {
    const JointBound<S>& bound = problem_.bounds()[k];
    if (!problem_.is_row(k) && !bound.rebound.waits && bound.is_closed(q, bound.along(x))) add_bound(k, true);
  }
  for (Contact& contact : problem_.contacts().contacts()) {
    const bool enters = !contact.is_row && !contact.rebound.waits && contact.end.gap <= Problem::touch;
    if (enters && !add_contact(contact)) return std::numeric_limits<S>::quiet_NaN();
  }
  const Eigen::Index num_rows = problem_.num_rows();
  for (Eigen::Index k = 0; k < num_rows; ++k) {
    if (problem_.of_closure(k)) {
      const Eigen::Index slot = problem_.slot(k);
      if (!set_spring(k, mass_->closures()[slot].value, gaps[slot])) off_[k] = gaps[slot];
    } else if (problem_.of_point_spring(k)) {
      const auto& one = problem_.point_spring_of(k);
      if (!set_spring(k, one.begin.value, one.end.value)) off_[k] = one.end.value;
    } else if (problem_.of_bound(k)) {
      const JointBound<S>& bound = problem_.bound_of(k);
      off_[k] = bound.along(x);
      if (bound.is_servo()) off_[k] += h * servos_.offset(bound);
      if (!bound.is_limit()) continue;
      const S gap = bound.gap(q);
      if (set_spring(k, gap, gap + off_[k])) continue;
      off_[k] += gap - std::min(S(0), S(gap + h * recovery_));
      drop_tolerated(k);
    }
  }
  problem_.for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    if (!set_spring(k, contact.begin.gap, contact.end.gap)) {
      off_[k] = contact.end.gap - std::min(S(0), S(contact.begin.gap + h * recovery_));
      drop_tolerated(k);
    }
    if (contact.num_rows() > 1) off_.segment(k + 1, 2) = contact.slip;
  });
  problem_.rates.head(num_rows) = off_.head(num_rows) / h;
  problem_.momentum = -r;
  servos_.take_back(problem_.momentum);
  add_kept_impulses(problem_.momentum);
  problem_.w.setZero();
  if (!problem_.solve(at_rest)) return std::numeric_limits<S>::quiet_NaN();
  violation_ = S(0);
  const bool moves = !problem_.w.isZero(S(0));
  if (moves) problem_.tree().rates(problem_.w, moved_.head(num_rows));
  else moved_.setZero();
  problem_.for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    const int rows = contact.num_rows();
    contact.force.head(rows) = lambda.segment(k, rows);
    const bool pushes = contact.force[0] > S(0) && problem_.law() == ConeLaw::coulomb;  // the convex law lifts contacts that slide
    S violation = without_contradiction(k, pushes ? S(std::abs(excess(k))) : S(-excess(k)));
    if (rows > 1 && !contact.slides()) {
      const S left = (contact.slip + h * moved_.segment(k + 1, 2)).norm();
      violation = std::max(violation, S(contact.slip.norm() - S(2) * left));
    }
    raise_violation(k, violation);
  });
  for (Eigen::Index k = 0; k < num_rows; ++k) {
    if (problem_.of_closure(k)) {
      const bool is_soft = problem_.spring_of(k) != nullptr;
      raise_violation(k, std::abs(is_soft ? excess(k) : S(off_[k] + h * problem_.closure_compliance(problem_.slot(k)) * lambda[k])));
    }
    if (problem_.of_point_spring(k)) {
      const bool is_slack = problem_.point_spring_of(k).spring->tension_only && !(lambda[k] > S(0));
      raise_violation(k, is_slack ? S(-excess(k)) : S(std::abs(excess(k))));
    }
    if (!problem_.of_bound(k)) continue;
    const JointBound<S>& bound = problem_.bound_of(k);
    if (bound.is_servo()) continue;  // its force is that at x + h w
    constexpr S rounded = S(1) - S(8) * epsilon<S>;
    if (!bound.is_limit() && std::abs(lambda[k]) >= rounded * bound.bound / S(2)) continue;         // friction at its bound slips
    const bool may_open = bound.is_limit() && !(lambda[k] > S(0));
    raise_violation(k, may_open ? S(-excess(k)) : S(std::abs(excess(k))));
  }
  if (!moves) return S(0);
  problem_.tree().momentum(problem_.w, Mw_);
  return Mw_.dot(problem_.w);
}

template <class Model>
bool StepCones<Model>::solve_momentum(const TreeClosures<Model>& closures, const VectorX<S>& q, const VectorX<S>& x,
                                      VectorX<S>& p) noexcept {
  const S& h = problem_.h();
  const VectorX<S>& lambda = problem_.lambda;
  StepContacts<Model>& contacts = problem_.contacts();
  servos_.end(problem_.forces, p, impulses_);
  add_kept_impulses(p);
  for_each_kept([&](const JointBound<S>& bound, Eigen::Index slot) { impulses_[slot] += h * bound.kept_force(); });
  bool slides;
  do {
    slides = false;
    if (!problem_.begin(q)) return false;
    problem_.add_closures(closures, [&](auto& spring, const auto& row) { return compliance(spring, row, false); });
    for (std::size_t k = 0; k < problem_.bounds().size(); ++k) {
      const JointBound<S>& bound = problem_.bounds()[k];
      if (bound.is_servo() || bound.rebound.waits || bound.sliding.is_kept) continue;
      const bool pushed = problem_.forces[problem_.num_closures() + static_cast<Eigen::Index>(k)] > S(0);
      if (!bound.is_limit() || pushed || bound.is_closed(q)) add_bound(k, false);
    }
    add_point_springs(false);
    for (Contact& contact : contacts.contacts()) {
      if (contact.rebound.waits || (!(contact.force[0] > S(0)) && contact.end.gap > Problem::touch)) continue;
      const Vector2<S> slip = direction(contact);
      slides = slides || !slip.isZero(S(0));
      const std::array<ConstraintRow<S>, 3> rows = contacts.rows_at_end(contact);
      if (!problem_.add_contact(contact, rows, compliance(contact.spring, rows[0], false), slip)) return false;
    }
    problem_.w = x / h;
    for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {  // the force of a spring in P is the one without rates
      bias_[k] = problem_.spring_of(k) != nullptr ? S(-problem_.tree().rows().R()[k] * lambda[k]) : S(0);
    }
    if (!problem_.settle(p, bias_, x.isZero(S(0)))) return false;
  } while (slides && find_reversed());
  problem_.tree().forces(lambda.head(problem_.num_rows()), joint_);
  joint_ *= h;
  p += joint_;
  for (Eigen::Index k = 0; k < problem_.num_rows(); ++k) {
    if (problem_.of_contact(k)) continue;
    const Eigen::Index slot = problem_.slot(k);
    problem_.forces[slot] = lambda[k];
    impulses_[slot] += h * lambda[k];
    mean_[k] = impulses_[slot] / h;
  }
  contacts.clear();
  problem_.for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    const int rows = contact.num_rows();
    contact.force.head(rows) = lambda.segment(k, rows);
    contact.impulse.head(rows) += h * lambda.segment(k, rows);
    mean_.segment(k, rows) = contact.impulse.head(rows) / h;
    contacts.note(contact, h);
  });
  add_contact_impulses(joint_);
  reversals_.end(problem_, x, p);
  return acts_ = true;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepCones<Model<double>>;
#endif

}  // namespace actio::detail
