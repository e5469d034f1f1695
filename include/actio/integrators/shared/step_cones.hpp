// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Limits, dry friction of joints, servos, contacts in a variational step: a cone problem on its positions, one on the momentum at its end.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "actio/equations/compliant_tree.hpp"
#include "actio/integrators/shared/joint_bounds.hpp"
#include "actio/integrators/shared/node_mass.hpp"
#include "actio/integrators/shared/step_contacts.hpp"
#include "actio/integrators/shared/step_servos.hpp"
#include "actio/solvers/cone/certificate.hpp"

namespace actio::detail {

/// The two problems, in which half of the step's impulses act each, at its beginning and at its end; M and J are those at that node:
///   P   left momentum - known = J^T Lm;    limits  0 <= Lm  _|_  phi(q_k (+) x) >= 0;   friction  |Lm| <= h/2 bound, against x
///   V   p_{k+1} = right momentum + J^T Lp;  closed limits  0 <= Lp  _|_  J v >= 0;       friction  |Lp| <= h/2 bound, against v
///   contacts  P: 0 <= Lm_n  _|_  phi >= 0,  Coulomb's law against the mean slip s of the step;
///             V: closed ones  0 <= Lp_n  _|_  J_n v >= 0,  Lp_t = -mu Lp_n s/|s|;  where they stuck, or v opposes s, Coulomb's law with J v
///   limits and normals of contacts with springs: StepSpring
///   servos    P: a row whose force depends on x;  V: half of that force: StepServo
/// where v = M^-1 p_{k+1}.
/// Rows of loops and couplings are in both. P is solved by an iteration on x: with the residual r there,
///   M w = -r + J^T Lm,  rates  (phi or x_i or g)/h + J w,  x <- x + h w.                    [variational_contact.md, sections 3 and 8]
/// Impacts with restitution act at a node, between V of one step and P of the next:
///   compression  p' = p + J^T Lc,    0 <= Lc_n  _|_  J_n v' >= 0,                        Coulomb's law with J_t v';  in all that is closed
///   restitution  p' = p + J^T L,     0 <= L_n   _|_  J_n v' + e min(0, J_n v) >= 0,      the same;  L becomes Lc + t (L - Lc): kept_share()
///                                                                                                    [variational_contact.md, section 4]
/// A limit or contact becomes a row of P where it is closed at the beginning or at an iterate. Impulses are stored as forces Lm/h by slots:
/// the rows of loops and couplings, then all bounds; those of contacts are in StepContacts. Only the constructor allocates.
template <class ModelType>
class StepCones {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double
  static constexpr bool is_double = sizeof(ValueOf<S>) >= 8;
  static constexpr S tolerated = S(is_double ? 2e-13F : 4e-6F);  ///< violation, relative to the reach of a row

  /// @param closures number of rows of loops and couplings.  @param model outlives this.  @throws ModelError as StiffRows.
  /// @param contacts largest number of contact points; 0: without contacts.  @param ties those between two moving bodies.
  /// @param margin see ContactSource [m].  @param limit compliance of the limits.
  StepCones(const Model& model, Eigen::Index closures, Factorization factorization, std::size_t contacts = 0, std::size_t ties = 0,
            const S& margin = S(0), const Compliance<S>& limit = {})
      : model_(&model), bounds_(joint_bounds(model, limit)), closures_(closures),
        capacity_(size() + 3 * static_cast<Eigen::Index>(contacts)), contacts_(model, contacts, margin),
        tree_(make_tree(model, closures, static_cast<std::size_t>(capacity_ - closures), 3 * ties, factorization, contacts > 0)),
        solver_(model.nv(), capacity_), slots_(static_cast<std::size_t>(capacity_)), is_row_(bounds_.size()),
        servos_(bounds_, closures),
        rounding_(S(1) + S(model.depth()) * S(model.depth()) / S(100)),
        rubs_(std::any_of(bounds_.begin(), bounds_.end(), [](const JointBound<S>& bound) { return !bound.is_limit(); })) {
    for (VectorX<S>* work : {&w_, &Mw_, &zero_, &joint_, &of_contacts_, &begun_added_, &with_}) work->setZero(model.nv());
    begun_q_.setZero(model.nq());
    for (VectorX<S>* work : {&forces_, &R_, &impulses_}) work->setZero(size());
    for (VectorX<S>* work : {&lambda_, &rates_, &off_, &shift_, &mean_, &bias_}) work->setZero(capacity_);
  }

  Eigen::Index size() const noexcept { return closures_ + static_cast<Eigen::Index>(bounds_.size()); }  ///< number of slots
  StepContacts<Model>& contacts() noexcept { return contacts_; }  ///< to be begun before each step, and moved before the members below
  const StepContacts<Model>& contacts() const noexcept { return contacts_; }
  /// Returns the energy of the springs of limits and contacts in a pose between two steps, 0 for rigid ones [J].
  S elastic_energy(const ContactFinder<S>& finder, const TreePose<S>& tree) noexcept {
    S sum = finder ? contacts_.elastic_energy(finder, tree) : S(0);
    for (const JointBound<S>& bound : bounds_) sum += bound.spring.energy(bound.gap(tree.q));
    return sum;
  }
  /// Returns whether a bound acts from the beginning of a step at q (nq): there is friction, or a limit or contact is closed.
  bool act_at(const VectorX<S>& q) const noexcept {
    return rubs_ || std::any_of(bounds_.begin(), bounds_.end(), [&](const JointBound<S>& bound) { return bound.is_closed(q); }) ||
           any_contact([](const Contact& contact) { return contact.begin.gap <= touch; });
  }
  /// Returns whether a limit or contact is closed, or crossed, at q (+) x.
  bool are_closed(const VectorX<S>& q, const VectorX<S>& x) const noexcept {
    const auto is_closed = [&](const JointBound<S>& bound) { return !bound.rebound.waits && bound.is_closed(q, bound.along(x)); };
    return std::any_of(bounds_.begin(), bounds_.end(), is_closed) ||
           any_contact([](const Contact& contact) { return !contact.rebound.waits && contact.end.gap <= touch; });
  }

  /// Decides which limits and contacts wait in the step, to be called before contacts().begin(): if `they_do`, those with restitution that
  /// are open at q (nq).
  void let_wait(bool they_do, const VectorX<S>& q) noexcept {
    contacts_.let_wait(they_do);
    for (JointBound<S>& bound : bounds_) {
      bound.rebound.waits = they_do && bound.rebound.restitution > S(0) && !bound.spring.is_soft() && !bound.is_closed(q);
      bound.rebound.strikes = false;
    }
  }
  /// Returns the smallest gap of what waits, that of limits relative to 1 + |bound|; infinity if nothing does.  @param x (nv) the increment
  /// from q (nq), at whose end gaps are taken; null: at q.
  S waiting_gap(const VectorX<S>& q, const VectorX<S>* x) const noexcept {
    S least = std::numeric_limits<S>::infinity();
    for (const JointBound<S>& bound : bounds_) {
      if (!bound.rebound.waits) continue;
      least = std::min(least, S((bound.gap(q) + (x != nullptr ? bound.along(*x) : S(0))) / (S(1) + std::abs(bound.bound))));
    }
    for (const Contact& contact : contacts_.contacts()) {
      if (contact.rebound.waits) least = std::min(least, x != nullptr ? contact.end.gap : contact.begin.gap);
    }
    return least;
  }
  /// An impact.
  struct Impact {
    bool at_end = false;           ///< where: at the end of the step, or at its beginning
    const VectorX<S>* half = nullptr;  ///< (nv) at the beginning: half of the impulses of forces, which hide slow impacts [N m s, N s]
    bool any = false,              ///< out: whether there was one
        guarded = false;           ///< out: whether it would have gained energy
  };
  /// Applies the impact law to what waits and is closed at q_k (+) x, with all that is closed at the node. None of it waits any more.
  /// @param mass begun for the step, its loops and couplings placed at the node.  @param q_end (nq) of the node at the end.
  /// @param p (nv) in and out [N m s, N s].  @param sum (nv) gets the impulses of limits and contacts added.
  /// @returns false if a cone problem was not solved.
  bool strike(NodeMass<Model>& mass, const VectorX<S>& x, const VectorX<S>& q_end, ConeLaw law, Impact& impact, VectorX<S>& p,
              VectorX<S>& sum) noexcept;

  /// Begins P.  @param mass begun for this step; outlives it.  @param forces (slots) of the last step; or none.
  /// @param recovery fastest return of joints beyond their limits, and of bodies that overlap [rad/s, m/s].
  /// @param law of contacts.  @param extra (servos) as Input::servo.  @param v (nv) after a reset, else null.
  /// @returns false if M is singular or there are too many rows.
  bool begin_positions(NodeMass<Model>& mass, const VectorX<S>& forces, const S& recovery, ConeLaw law = ConeLaw::coulomb,
                       const VectorX<S>& extra = {}, const VectorX<S>* v = nullptr) noexcept;
  /// Returns the squared norm of momenta (nv) in the metric of M^-1, after begin_positions() [J].
  S energy_of(const VectorX<S>& momenta) noexcept {
    const S norm = tree_.inverse_mass_norm(momenta);
    return norm * norm;
  }
  /// Solves P at an iterate.  @param r (nv) residual there [N m s, N s].  @param gaps (rows of loops and couplings) there.  @param x (nv).
  /// @returns |w|^2 in the metric of M; NaN if the cone problem was not solved.
  S solve_positions(const VectorX<S>& r, const VectorX<S>& gaps, const VectorX<S>& x) noexcept;
  const VectorX<S>& update() const noexcept { return w_; }  ///< (nv) w of the last solution
  /// Returns by how much the iterate of the last solution violates closed rows and limits, relative to what is tolerated.
  S violation() const noexcept { return violation_; }
  /// Returns the rounding error of |w|, estimated as that of StepRows; 0 if rows are violated by more than rounding can explain, as those that
  /// exclude each other are, whose impulses have no bound.
  S floor(const TreeClosures<Model>& closures) const noexcept;

  /// Adds Lm by the last solution, without the impulses of loops and couplings, to joint impulses.  @param sum (nv) [N m s, N s].
  void add_last_impulses(VectorX<S>& sum) noexcept {
    for (Eigen::Index k = 0; k < num_rows_; ++k) {
      if (slot(k) >= closures_ && slot(k) < size()) bound_of(slot(k)).push(h_ * lambda_[k], sum);
    }
    servos_.take_back(sum);
    if (capacity_ > size()) add_impulses_of_contacts(sum);
  }

  /// Ends P.  @param impulses (nv) out: J^T Lm [N m s, N s].
  void end_positions(VectorX<S>& impulses) noexcept;
  /// Solves V.  @param closures placed at the end of the step.  @param q (nq) there.  @param x (nv) the increment of the step, of length h.
  /// @param p (nv) in: right momentum; out: p_{k+1}.  @returns false if the cone problem was not solved.
  bool solve_momentum(const TreeClosures<Model>& closures, const VectorX<S>& q, const VectorX<S>& x, VectorX<S>& p) noexcept;

  /// Returns whether a contact closed in the step, after end_positions().
  bool landed() const noexcept {
    return any_contact([](const Contact& at) { return at.begin.gap > touch && at.impulse[0] > S(0); });
  }
  void forget() noexcept { acts_ = false, contacts_.clear(); }  ///< makes the results those of a step without rows
  /// Returns the forces (slots) of the last problem: Lm/h, or Lp/h, which act where the next step begins; of servos F [N, N m].
  const VectorX<S>& forces() const noexcept { return forces_; }
  /// Returns minus the impulses of loops and couplings [N s, N m s]: Lm after end_positions(), Lm + Lp after solve_momentum().
  auto closure_impulses() const noexcept { return -impulses_.head(closures_); }
  /// Adds the impulses over the step, Lm + Lp, to joint impulses.  @param sum (nv) of limits, friction and contacts, of_servos (nv) of
  /// servos [N m s, N s].
  void add_bound_impulses(VectorX<S>& sum, VectorX<S>& of_servos) const noexcept {
    for (Eigen::Index k = closures_; k < impulses_.size(); ++k) bound_of(k).push(impulses_[k], bound_of(k).is_servo() ? of_servos : sum);
    sum += of_contacts_;
  }
  const ConeRows<S>& rows() const noexcept { return acts_ ? tree_.rows() : none_; }  ///< of V; contacts are the last rows
  auto row_forces() const noexcept { return mean_.head(rows().size()); }     ///< (rows of V) (Lm + Lp)/h [N, N m]
  int iterations() const noexcept { return iterations_; }          ///< of the cone solver, since begin_positions()
  int factorizations() const noexcept { return factorizations_; }  ///< of all matrices, since begin_positions()
  /// Returns why the last problem was not solved: M was singular, there were too many rows, contacts failed, or max_iterations.
  Status failure() const noexcept { return singular_ != 0 ? Status::singular : failure_; }
  /// Finds the contacts at an iterate.  @param dT (bodies) displacements.  @returns false if the source failed: see failure().
  bool move(const BodyArray<Displacement<S>>& dT) noexcept {
    if (capacity_ == size() || contacts_.move(dT)) return true;
    failure_ = contacts_.failure();
    return false;
  }
  /// Returns the body at whose joint M was singular, or what the row belongs to that was solved worst.
  Culprit culprit(const TreeClosures<Model>& closures) noexcept;

 private:
  using Contact = typename StepContacts<Model>::Contact;
  static constexpr S touch = StepContacts<Model>::touch;

  static CompliantTree<Model> make_tree(const Model& model, Eigen::Index closures, std::size_t bounds, std::size_t ties,
                                        Factorization wanted, bool rigid_contacts) {
    const Factorization method = choose_factorization(model, closures, wanted, 1, rigid_contacts);
    const auto rows = static_cast<std::size_t>(closures);
    return CompliantTree<Model>(model, rows + bounds, ties, method == Factorization::sweeps ? Factorization::iterated : method, rows);
  }
  template <class F>
  bool any_contact(const F& f) const noexcept {
    const auto all = contacts_.contacts();
    return std::any_of(all.begin(), all.end(), f);
  }
  /// Returns the length to which rounding errors of a slot's gap are relative [rad, m].
  S reach(const TreeClosures<Model>& closures, Eigen::Index of) const noexcept {
    if (of < closures_) return S(closures.reach(of));
    if (of >= size()) return S(1) + contact_of(of).begin.p.norm();
    return bound_of(of).is_limit() ? S(S(1) + std::abs(bound_of(of).bound)) : S(1);
  }
  /// Begins the problems of a step.  @returns false if M is singular.
  bool begin_step(NodeMass<Model>& mass, ConeLaw law) noexcept {
    law_ = capacity_ == size() ? ConeLaw::convex : law;
    failure_ = Status::max_iterations;
    forget();
    h_ = mass.h();
    iterations_ = factorizations_ = 0;
    R_.setZero();
    if (mass.is_rigid()) return true;
    if (!mass.measure()) return false;
    R_.head(closures_) = h_ * mass.R();
    return true;
  }
  /// Begins a problem without rows at q (nq), P or V.  @param added (nv) to the diagonal of M.
  bool begin(const VectorX<S>& q, const VectorX<S>& added, bool is_P) noexcept {
    num_rows_ = num_solved_ = 0;
    is_P_ = is_P;
    std::fill(is_row_.begin(), is_row_.end(), false);
    for (Contact& contact : contacts_.contacts()) contact.is_row = false;
    if (begun_h_ == h_ && begun_q_ == q && begun_added_ == added) {  // the matrix of V in the last step was the same
      tree_.begin_again();
      return true;
    }
    ++factorizations_;
    singular_ = tree_.begin(q, added, h_);
    begun_h_ = singular_ == 0 ? h_ : S(0);
    begun_q_ = q;
    begun_added_ = added;
    return singular_ == 0;
  }
  /// Adds a row with the force of its slot.  @param R compliance; 0: rigid.
  void add(RowKind kind, const ConstraintRow<S>& row, Eigen::Index slot, const S& R, const S& limit) noexcept {
    [[maybe_unused]] const bool fits = tree_.add({kind, 1, Vector3<S>::Constant(R), Vector3<S>::Zero(), limit}, {&row, 1});
    ACTIO_ASSERT(fits);
    slots_[static_cast<std::size_t>(num_rows_)] = slot;
    lambda_[num_rows_++] = forces_[slot];
  }
  void add_closures(const TreeClosures<Model>& closures) noexcept {
    for (Eigen::Index k = 0; k < closures_; ++k) {
      ConstraintRow<S> row = closures[k];
      row.closure = static_cast<int>(k);
      add(RowKind::bilateral, row, k, R_[k], S(0));
    }
  }
  /// Returns the compliance with which a row is added; 0: rigid. That of a spring in P is set by set_spring().
  S compliance(StepSpring<S>& spring, const ConstraintRow<S>& row) noexcept {
    if (!spring.is_soft()) return S(0);
    const S mobility = tree_.mobility_of(row);
    if (is_P_) spring.begin(mobility, h_);
    return !spring.acts ? S(0) : is_P_ ? S(1) : spring.of_momentum(mobility, h_);
  }
  void add_bound(std::size_t k) noexcept {
    JointBound<S>& bound = bounds_[k];
    const RowKind kind = bound.is_limit() ? RowKind::unilateral : RowKind::friction;
    const ConstraintRow<S> row = bound.row();
    const S R = bound.is_servo() ? servos_.compliance(bound) : compliance(bound.spring, row);
    is_row_[k] = true;
    add(kind, row, closures_ + static_cast<Eigen::Index>(k), R, bound.is_servo() ? servos_.limit(bound) : S(bound.bound * S(0.5F)));
  }
  /// Adds the rows of a contact.  @param rows of normal and tangents.  @param slip as in NewGroup.  @returns false if there is no room.
  [[nodiscard]] bool add_contact(Contact& contact, const std::array<ConstraintRow<S>, 3>& rows,
                                 const Vector2<S>& slip = Vector2<S>::Zero()) noexcept {
    const int count = contact.num_rows();
    const RowKind kind = count > 1 ? RowKind::contact : RowKind::unilateral;
    const Vector3<S> R(compliance(contact.spring, rows[0]), contact.R_t, contact.R_t);
    if (!tree_.add({kind, count, R, Vector3<S>::Zero(), contact.friction, slip}, rows)) {
      failure_ = Status::capacity;
      return false;
    }
    contact.is_row = true;
    const auto number = static_cast<Eigen::Index>(&contact - contacts_.contacts().data());
    for (int r = 0; r < count; ++r) {
      slots_[static_cast<std::size_t>(num_rows_)] = size() + 3 * number + r;
      lambda_[num_rows_++] = contact.force[r];
    }
    return true;
  }
  /// Returns the direction of slip in P that friction in V opposes; zero where it opposes the rates.
  Vector2<S> direction(const Contact& contact) const noexcept {
    const Vector2<S> friction = contact.force.template tail<2>();
    const bool slid = law_ == ConeLaw::coulomb && friction.squaredNorm() > S(0) && contact.slides() &&
                      contact.slip.norm() > tolerated * (S(1) + contact.begin.p.norm());
    return slid && !contact.is_reversed ? Vector2<S>(-friction.normalized()) : Vector2<S>(Vector2<S>::Zero());
  }
  /// Finds the contacts whose slip friction in V reversed; V is then solved again with their friction against the rates.
  bool find_reversed() noexcept;
  /// Adds h G^T lambda of the contacts in the present problem to of_contacts_.  @param impulses (nv) of all rows [N m s, N s].
  void add_contact_impulses(const VectorX<S>& impulses) noexcept {
    if (capacity_ == size()) return;
    const bool others = std::any_of(slots_.begin(), slots_.begin() + num_rows_, [&](Eigen::Index of) { return of < size(); });
    if (others) add_impulses_of_contacts(of_contacts_);
    else of_contacts_ += impulses;
  }
  /// Adds h G^T lambda of the contacts in the present problem to joint impulses (nv) [N m s, N s].
  void add_impulses_of_contacts(VectorX<S>& sum) noexcept {
    for (Eigen::Index k = 0; k < num_rows_; ++k) rates_[k] = slot(k) < size() ? S(0) : lambda_[k];
    tree_.forces(rates_.head(num_rows_), joint_);
    sum += h_ * joint_;
  }
  /// Calls f(contact, its first row) for the contacts that are rows of the present problem.
  template <class F>
  void for_each_contact_row(F&& f) noexcept {
    for (Eigen::Index k = 0; k < num_rows_;) {
      if (slot(k) < size()) {
        ++k;
        continue;
      }
      Contact& contact = contacts_.contacts()[static_cast<std::size_t>((slot(k) - size()) / 3)];
      f(contact, k);
      k += contact.num_rows();
    }
  }
  const Contact& contact_of(Eigen::Index slot) const noexcept {
    return contacts_.contacts()[static_cast<std::size_t>((slot - size()) / 3)];
  }
  /// Returns the mobility to which the settling compliance of a row is relative: both tangents of a contact have the same.
  S settled_mobility(Eigen::Index k) const noexcept {
    const Eigen::Index r = slot(k) < size() ? 0 : (slot(k) - size()) % 3;
    return r == 0 ? tree_.mobility()[k] : std::max(tree_.mobility()[k - r + 1], tree_.mobility()[k - r + 2]);
  }
  /// Returns the spring of a row, a limit or the normal of a contact; null if the row is rigid.
  StepSpring<S>* spring_of(Eigen::Index k) noexcept {
    const Eigen::Index of = slot(k) - size();
    if (slot(k) < closures_ || (of >= 0 && of % 3 != 0)) return nullptr;
    StepSpring<S>& spring = of >= 0 ? contacts_.contacts()[static_cast<std::size_t>(of / 3)].spring
                                    : bounds_[static_cast<std::size_t>(slot(k) - closures_)].spring;
    return spring.acts ? &spring : nullptr;
  }
  bool is_servo(Eigen::Index k) const noexcept {
    return slot(k) >= closures_ && slot(k) < size() && bound_of(slot(k)).is_servo();
  }
  /// Gives a row of P the law of its spring between gaps a and b.  @returns false if it is rigid.
  bool set_spring(Eigen::Index k, const S& a, const S& b) noexcept {
    StepSpring<S>* spring = spring_of(k);
    if (spring == nullptr) return false;
    const auto [off, R] = spring->row(a, b);
    off_[k] = off;
    if (tree_.rows().R()[k] != R) num_solved_ = -1;  // factors of another matrix
    tree_.set_compliance(k, R);
    return true;
  }
  /// Returns by how much a row of P with a force is violated: by its gap, or by what the spring would need for that force.
  S excess(Eigen::Index k) noexcept {
    const StepSpring<S>* spring = spring_of(k);
    return spring != nullptr ? S(h_ * tree_.rows().R()[k] * (lambda_[k] - spring->force)) : off_[k];
  }
  /// Returns the part in impacts of a limit or the normal of a contact; null for other rows.
  Rebound<S>* rebound_of(Eigen::Index k) noexcept {
    const Eigen::Index of = slot(k) - size();
    if (of >= 0) return of % 3 == 0 ? &contacts_.contacts()[static_cast<std::size_t>(of / 3)].rebound : nullptr;
    return slot(k) < closures_ ? nullptr : &bounds_[static_cast<std::size_t>(slot(k) - closures_)].rebound;
  }
  /// Adds the rows of an impact at a node: all that are rigid and closed there, and those that strike.  @returns false if there is no room.
  bool add_impact_rows(const TreeClosures<Model>& closures, const VectorX<S>& q, bool at_end) noexcept;
  /// Sets bias_ to e min(0, J_n v). Impacts at the beginning of a step that forces hide do not strike.  @returns false if there were some.
  bool find_rebounds(const VectorX<S>& p, const VectorX<S>* half) noexcept;
  /// Solves V or an impact with the bias bias_ and the momentum p (nv) in several passes: the compliance that determines how redundant rows
  /// share an impulse has no effect in the end, although the impulse differs from the one that it began with.
  bool settle(const VectorX<S>& p, int passes) noexcept {
    constexpr S enough(is_double ? 1e-9F : 1e-3F);  // no rows of V contradict each other
    for (int pass = 0; num_rows_ > 0 && pass < passes; ++pass) {
      rates_.head(num_rows_) = bias_.head(num_rows_);
      Mw_ = p;
      if (!solve() || (law_ == ConeLaw::coulomb && residual_ > enough)) return false;
      if (!(creep_ > epsilon<S> * std::max(w_.cwiseAbs().maxCoeff(), tree_.v_free().cwiseAbs().maxCoeff()))) break;
    }
    return true;
  }
  const JointBound<S>& bound_of(Eigen::Index slot) const noexcept { return bounds_[static_cast<std::size_t>(slot - closures_)]; }
  Eigen::Index slot(Eigen::Index row) const noexcept { return slots_[static_cast<std::size_t>(row)]; }
  /// Solves with the biases rates_ and the momentum Mw_, beginning with w_ and lambda_. The compliance that settles how redundant rigid
  /// rows share a force acts on the changes of the force only, so that nothing creeps.
  bool solve() noexcept;

  const Model* model_;
  std::vector<JointBound<S>> bounds_;
  Eigen::Index closures_, capacity_, num_rows_ = 0, num_solved_ = 0;  // num_solved_: of the last solve, -1 if R changed since
  StepContacts<Model> contacts_;
  CompliantTree<Model> tree_;
  ConeNewton<S> solver_;
  std::vector<Eigen::Index> slots_;  // of the rows
  std::vector<char> is_row_;         // of the bounds
  StepServos<S> servos_;
  VectorX<S> w_, Mw_, zero_, joint_, of_contacts_, begun_added_, with_, begun_q_;  // (nv), the last (nq); of_contacts_: impulses over the step
  VectorX<S> forces_, lambda_, rates_, R_, off_, shift_, impulses_, mean_, bias_;  // (slots) or (rows)
  ConeLaw law_ = ConeLaw::convex;    // of the present problem
  Status failure_ = Status::max_iterations;
  NodeMass<Model>* mass_ = nullptr;  // of the present step
  S h_{}, recovery_{}, violation_{};
  S begun_h_{};  // of the matrix in tree_, with begun_q_ and begun_added_; 0: there is none
  S creep_{};     // largest rate that the settling compliance left in the last solution
  S residual_{};  // of the last solution
  int iterations_ = 0, factorizations_ = 0;
  BodyIndex singular_ = 0;
  S rounding_;              // rounding error of trees of this depth, see DiscreteEulerLagrange::tree_floor(), relative to that of one body
  bool is_P_ = true;        // whether the present problem is P
  bool rests_ = false;      // whether it begins at rest
  S share_{1};              // share of the bound of rounding errors up to which a guess at rest is a solution
  bool rubs_;  // whether there is friction
  bool acts_ = false;  // whether V was solved in the last step
  ConeRows<S> none_;
};

template <class Model>
bool StepCones<Model>::begin_positions(NodeMass<Model>& mass, const VectorX<S>& forces, const S& recovery, ConeLaw law,
                                       const VectorX<S>& extra, const VectorX<S>* v) noexcept {
  mass_ = &mass;
  recovery_ = recovery;
  forces_ = forces;
  share_ = S(1);
  if (!begin_step(mass, law)) return false;
  if (!begin(mass.tree().q, mass.terms().diagonal(*model_, h_), true)) return false;
  add_closures(mass.closures());
  servos_.begin(model_->servos(), mass.tree().q, extra, v, h_, [&](const ConstraintRow<S>& row) { return tree_.mobility_of(row); }, forces_);
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const JointBound<S>& bound = bounds_[k];
    if (!bound.is_limit() || bound.is_closed(mass.tree().q)) add_bound(k);
  }
  for (Contact& contact : contacts_.contacts()) {
    if (contact.begin.gap <= touch && !add_contact(contact, contacts_.rows_at_begin(contact))) return false;
  }
  return true;
}

template <class Model>
auto StepCones<Model>::solve_positions(const VectorX<S>& r, const VectorX<S>& gaps, const VectorX<S>& x) noexcept -> S {
  const VectorX<S>& q = mass_->tree().q;
  rests_ = x.isZero(S(0));
  // Gaps within rounding errors count as zero. At rest, so do tolerated ones: divided by h they would be rates that disturb the next step.
  const auto drop_noise = [&](Eigen::Index k, const S& noise) {
    if (std::abs(off_[k]) <= (rests_ ? tolerated : noise) * reach(mass_->closures(), slot(k))) off_[k] = S(0);
  };
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    if (!is_row_[k] && !bounds_[k].rebound.waits && bounds_[k].is_closed(q, bounds_[k].along(x))) add_bound(k);
  }
  for (Contact& contact : contacts_.contacts()) {
    const bool enters = !contact.is_row && !contact.rebound.waits && contact.end.gap <= touch;
    if (enters && !add_contact(contact, contacts_.rows_at_begin(contact))) return std::numeric_limits<S>::quiet_NaN();
  }
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    const Eigen::Index of = slot(k);
    if (of < closures_) {
      off_[k] = gaps[of];
    } else if (of < size()) {
      const JointBound<S>& bound = bound_of(of);
      off_[k] = bound.along(x);
      if (bound.is_servo()) off_[k] += h_ * servos_.offset(bound);
      if (!bound.is_limit()) continue;
      const S gap = bound.gap(q);
      if (set_spring(k, gap, gap + off_[k])) continue;
      off_[k] += gap - std::min(S(0), S(gap + h_ * recovery_));
      drop_noise(k, S(0));  // gaps of limits are exact, those of contacts are not
    }
  }
  for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    if (!set_spring(k, contact.begin.gap, contact.end.gap)) {
      off_[k] = contact.end.gap - std::min(S(0), S(contact.begin.gap + h_ * recovery_));
      drop_noise(k, S(8) * epsilon<S>);
    }
    if (contact.num_rows() > 1) off_.segment(k + 1, 2) = contact.slip;
  });
  rates_.head(num_rows_) = off_.head(num_rows_) / h_;
  Mw_ = -r;
  servos_.take_back(Mw_);
  w_.setZero();
  if (!solve()) return std::numeric_limits<S>::quiet_NaN();
  violation_ = S(0);
  const bool moves = !w_.isZero(S(0));
  if (moves) tree_.rates(w_, shift_.head(num_rows_));
  else shift_.setZero();
  for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    const int rows = contact.num_rows();
    contact.force.head(rows) = lambda_.segment(k, rows);
    const bool pushes = contact.force[0] > S(0);
    S violation = pushes && law_ == ConeLaw::coulomb ? std::abs(excess(k)) : S(-excess(k));  // the convex law lifts contacts that slide
    if (rows > 1 && !contact.slides()) {
      // Mean slips of contacts that stick can contradict each other by O(h^3), as those of a rod that rolls on spheres of two sizes do.
      const S left = (contact.slip + h_ * shift_.segment(k + 1, 2)).norm();
      violation = std::max(violation, S(contact.slip.norm() - S(2) * left));
    }
    violation_ = std::max(violation_, S(violation / (tolerated * reach(mass_->closures(), slot(k)))));
  });
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    if (slot(k) >= size()) continue;
    const S off = slot(k) < closures_ ? S(off_[k] + h_ * R_[slot(k)] * lambda_[k]) : excess(k);
    S violation = std::abs(off);
    if (slot(k) >= closures_) {  // a limit without force may be open, and friction at its bound slips
      const JointBound<S>& bound = bound_of(slot(k));
      if (bound.is_limit() && !(lambda_[k] > S(0))) violation = -off;
      constexpr S rounded = S(1) - S(8) * epsilon<S>;
      if (!bound.is_limit() && std::abs(lambda_[k]) >= rounded * bound.bound / S(2)) violation = S(0);
      if (bound.is_servo()) continue;  // its force is that at x + h w
    }
    violation_ = std::max(violation_, S(violation / (tolerated * reach(mass_->closures(), slot(k)))));
  }
  if (!moves) return S(0);
  tree_.momentum(w_, Mw_);
  return Mw_.dot(w_);
}

template <class Model>
bool StepCones<Model>::solve() noexcept {
  const Eigen::Index rows = num_rows_;
  const auto R = tree_.rows().R();
  const S soft = S(2) * settling_softness<S>() * h_;
  const auto settles = [&](Eigen::Index k) { return R[k] <= soft * settled_mobility(k) && spring_of(k) == nullptr && !is_servo(k); };
  for (Eigen::Index k = 0; k < rows; ++k) shift_[k] = settles(k) ? S(R[k] * lambda_[k]) : S(0);
  rates_.head(rows) -= shift_.head(rows);
  // At rest, numbers decay until their squares underflow: they count as zero before that.
  static const S least = std::sqrt(std::numeric_limits<S>::min() / epsilon<S>);
  for (VectorX<S>* x : {&rates_, &Mw_, &w_, &lambda_}) *x = (x->array().abs() < least).select(S(0), *x);
  rates_.head(rows) -= tree_.rows().bias();
  tree_.add_to_bias(S(1), rates_.head(rows));
  tree_.set_free_motion(zero_, Mw_, joint_);
  // Impulses are solved to rounding, because momenta are conserved to rounding. At rest, where errors do no work, a guess within rounding
  // errors suffices. The errors stay in the momentum until P needs an update. V then accepts only a closer guess: otherwise forces would
  // alternate, and every step would need an update. If P accepted its guess, V accepts the errors that P left.
  const bool same = std::exchange(num_solved_, rows) == rows;
  const S of_guess = rests_ ? S(share_ * rounding_) : S(0);
  ConeOptions<S> how{.law = law_, .tolerance = S(16) * epsilon<S>, .solves_again = true, .of_guess = of_guess, .same_matrix = same};
  if (law_ == ConeLaw::coulomb) how.max_factorizations = 100;  // shorter steps find solutions faster; the convex law has nothing after it
  const ConeResult<S> solved = solver_.solve(tree_, how, w_, lambda_.head(rows));
  share_ = solved.iterations == 0 ? S(4) : S(0.25F);
  iterations_ += solved.iterations;
  factorizations_ += solved.factorizations;
  creep_ = S(0);
  for (Eigen::Index k = 0; k < rows; ++k) creep_ = std::max(creep_, settles(k) ? S(std::abs(R[k] * lambda_[k] - shift_[k])) : S(0));
  residual_ = solved.residual;
  return bool(solved) && !solved.is_convex;
}

template <class Model>
auto StepCones<Model>::floor(const TreeClosures<Model>& closures) const noexcept -> S {
  if (violation_ > S(1e4F)) return S(0);
  S impulses(0), poses(0);
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    const S mobility = tree_.mobility()[k], L = h_ * lambda_[k];
    if (!(mobility > S(0))) continue;
    const S length = reach(closures, slot(k));
    impulses += mobility * L * L;
    poses += length * length / mobility;
  }
  return S(64) * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / h_);
}

template <class Model>
void StepCones<Model>::end_positions(VectorX<S>& impulses) noexcept {
  tree_.forces(lambda_.head(num_rows_), impulses);
  impulses *= h_;
  forces_.setZero();
  for (Contact& contact : contacts_.contacts()) {
    if (!contact.is_row) contact.force.setZero();
    contact.impulse = h_ * contact.force;
    contact.is_reversed = false;
  }
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    if (slot(k) < size()) forces_[slot(k)] = lambda_[k];
  }
  impulses_ = h_ * forces_;
  of_contacts_.setZero();
  add_contact_impulses(impulses);
  servos_.take_back(impulses, impulses_);
}

template <class Model>
bool StepCones<Model>::solve_momentum(const TreeClosures<Model>& closures, const VectorX<S>& q, const VectorX<S>& x,
                                      VectorX<S>& p) noexcept {
  servos_.end(forces_, p, impulses_);
  bool slides;
  do {
    slides = false;
    if (!begin(q, zero_, false)) return false;
    add_closures(closures);
    for (std::size_t k = 0; k < bounds_.size(); ++k) {
      if (bounds_[k].is_servo() || bounds_[k].rebound.waits) continue;
      const bool pushed = forces_[closures_ + static_cast<Eigen::Index>(k)] > S(0);
      if (!bounds_[k].is_limit() || pushed || bounds_[k].is_closed(q)) add_bound(k);
    }
    for (Contact& contact : contacts_.contacts()) {
      if (contact.rebound.waits || (!(contact.force[0] > S(0)) && contact.end.gap > touch)) continue;
      const Vector2<S> slip = direction(contact);
      slides = slides || !slip.isZero(S(0));
      if (!add_contact(contact, contacts_.rows_at_end(contact), slip)) return false;
    }
    w_ = x / h_;
    rests_ = x.isZero(S(0));
    for (Eigen::Index k = 0; k < num_rows_; ++k) {  // the force of a spring in P is the one without rates
      bias_[k] = spring_of(k) != nullptr ? S(-tree_.rows().R()[k] * lambda_[k]) : S(0);
    }
    if (!settle(p, 2)) return false;
  } while (slides && find_reversed());
  tree_.forces(lambda_.head(num_rows_), joint_);
  joint_ *= h_;
  p += joint_;
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    if (slot(k) >= size()) continue;
    forces_[slot(k)] = lambda_[k];
    impulses_[slot(k)] += h_ * lambda_[k];
    mean_[k] = impulses_[slot(k)] / h_;
  }
  contacts_.clear();
  for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    contact.force.head(contact.num_rows()) = lambda_.segment(k, contact.num_rows());
    contact.impulse.head(contact.num_rows()) += h_ * lambda_.segment(k, contact.num_rows());
    mean_.segment(k, contact.num_rows()) = contact.impulse.head(contact.num_rows()) / h_;
    contacts_.note(contact, h_);
  });
  add_contact_impulses(joint_);
  return acts_ = true;
}

template <class Model>
bool StepCones<Model>::strike(NodeMass<Model>& mass, const VectorX<S>& x, const VectorX<S>& q_end, ConeLaw law, Impact& impact,
                              VectorX<S>& p, VectorX<S>& sum) noexcept {
  const VectorX<S>&q_begin = mass.tree().q, &q = impact.at_end ? q_end : q_begin;
  for (JointBound<S>& bound : bounds_) {
    bound.rebound.strikes = bound.rebound.waits && bound.is_closed(q_begin, bound.along(x));
    if (bound.rebound.strikes) bound.rebound.waits = false;
  }
  for (Contact& contact : contacts_.contacts()) {
    contact.rebound.strikes = false;
    if (contact.rebound.waits && contact.end.gap <= touch) contacts_.let_strike(contact);
  }
  if (!begin_step(mass, law)) return false;
  do {
    if (!begin(q, zero_, false) || !add_impact_rows(mass.closures(), q, impact.at_end)) return false;
  } while (!find_rebounds(p, impact.half));
  impact.any = (bias_.head(num_rows_).array() < S(0)).any();
  if (!impact.any) return true;
  rests_ = false;
  VectorRef<S> lambda = lambda_.head(num_rows_), compression = mean_.head(num_rows_), bias = off_.head(num_rows_);
  lambda.setZero();
  bias = bias_.head(num_rows_);
  bias_.setZero();
  if (!settle(p, 4)) return false;
  compression = lambda;
  bias_.head(num_rows_) = bias;
  if (!settle(p, 4)) return false;
  tree_.forces(compression, with_);
  with_ = p + h_ * with_;
  const S before = energy_of(p), compressed = energy_of(with_);
  tree_.forces(lambda, joint_);
  joint_ = p + h_ * joint_;
  const S after = energy_of(joint_);
  joint_ -= with_;
  const S share = kept_share(before, compressed, after, energy_of(joint_), S(64) * epsilon<S>);
  impact.guarded = share < S(1);
  p = with_ + share * joint_;
  lambda = compression + share * (lambda - compression);
  lambda.head(closures_).setZero();
  tree_.forces(lambda, joint_);
  sum += h_ * joint_;
  return true;
}

template <class Model>
bool StepCones<Model>::add_impact_rows(const TreeClosures<Model>& closures, const VectorX<S>& q, bool at_end) noexcept {
  add_closures(closures);
  for (std::size_t k = 0; k < bounds_.size(); ++k) {
    const JointBound<S>& bound = bounds_[k];
    if (bound.is_limit() && !bound.spring.is_soft() && (bound.rebound.strikes || bound.is_closed(q))) add_bound(k);
  }
  for (Contact& contact : contacts_.contacts()) {
    const bool acts = contact.rebound.strikes || (at_end ? contact.end : contact.begin).gap <= touch;
    if (!acts || contact.spring.is_soft()) continue;
    if (!add_contact(contact, at_end ? contacts_.rows_at_end(contact) : contacts_.rows_at_begin(contact))) return false;
  }
  return true;
}

template <class Model>
bool StepCones<Model>::find_rebounds(const VectorX<S>& p, const VectorX<S>* half) noexcept {
  if (half != nullptr) {
    tree_.set_free_motion(zero_, *half, w_);
    tree_.rates(w_, off_.head(num_rows_));
  }
  tree_.set_free_motion(zero_, p, w_);
  tree_.rates(w_, rates_.head(num_rows_));
  const S rounding = S(64) * epsilon<S> * w_.cwiseAbs().maxCoeff();
  bool all = true;
  for (Eigen::Index k = 0; k < num_rows_; ++k) {
    Rebound<S>* rebound = rebound_of(k);
    bias_[k] = rebound != nullptr && rates_[k] < -rounding ? S(rebound->restitution * rates_[k]) : S(0);
    if (half == nullptr || rebound == nullptr || !rebound->strikes || -bias_[k] > std::abs(off_[k])) continue;
    rebound->strikes = all = false;
  }
  return all;
}

template <class Model>
bool StepCones<Model>::find_reversed() noexcept {
  bool any = false;
  tree_.rates(w_, rates_.head(num_rows_));
  const S rounding = S(64) * epsilon<S> * w_.cwiseAbs().maxCoeff();
  for_each_contact_row([&](Contact& contact, Eigen::Index k) {
    if (contact.num_rows() == 1 || !(lambda_[k] > S(0))) return;
    if (direction(contact).dot(rates_.segment(k + 1, 2)) < -rounding) contact.is_reversed = any = true;
  });
  return any;
}

template <class Model>
Culprit StepCones<Model>::culprit(const TreeClosures<Model>& closures) noexcept {
  if (singular_ != 0) return Culprit::body(static_cast<int>(singular_));
  if (num_rows_ == 0 || failure_ != Status::max_iterations) return {};
  tree_.rates(w_, rates_.head(num_rows_));
  const Eigen::Index of = slot(worst_row<S>(tree_.rows(), law_, rates_.head(num_rows_), lambda_.head(num_rows_)));
  if (of >= size()) return Culprit::body(static_cast<int>(contact_of(of).b));
  return of < closures_ ? closures.culprit(of) : Culprit::body(static_cast<int>(bound_of(of).body));
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepCones<Model<double>>;
#endif

}  // namespace actio::detail
