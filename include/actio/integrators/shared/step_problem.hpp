// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A cone problem with rows of closures (loops, couplings, nonholonomic constraints), limits, friction, servos, springs between points and
// contacts at one node of a variational step, and its solution.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "actio/equations/compliant_tree.hpp"
#include "actio/integrators/shared/joint_bounds.hpp"
#include "actio/integrators/shared/node_mass.hpp"
#include "actio/integrators/shared/step_contacts.hpp"
#include "actio/integrators/shared/step_point_springs.hpp"
#include "actio/solvers/cone/certificate.hpp"

namespace actio::detail {

/// What may act in a step, its bounds and contacts, and one problem with some of them as rows, at the beginning or at the end of the step:
///   M w = momentum + h J^T lambda,   cone law of lambda and  rates + J w + R lambda.
/// A problem is that of begin() and the rows that are added then. P and V of StepCones and the problems of StepImpacts follow each other
/// here, so that each can begin with the factors of the one before. Forces are stored by slots: the rows of closures, then all
/// bounds, the springs between points, and three for each contact, whose forces are in StepContacts. Only the constructor allocates.
template <class ModelType>
class StepProblem {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double
  using Contact = typename StepContacts<Model>::Contact;           ///< a contact over the step
  static constexpr S touch = StepContacts<Model>::touch;           ///< largest gap of a closed contact [m]
  static constexpr bool is_double = sizeof(ValueOf<S>) >= 8;
  static constexpr S tolerated = S(is_double ? 2e-13F : 4e-6F);    ///< violation, relative to the reach of a row
  static constexpr S softest = S(is_double ? 1e-4F : 1e-3F);       ///< R / (h A) of rigid rows with which a step begins, see solve()

  /// @param closures number of rows of closures.  @param model outlives this.  @throws ModelError as StiffRows.
  /// @param contacts largest number of contact points; 0: without contacts.  @param ties those between two moving bodies.
  /// @param margin see ContactSource [m].  @param limit, closure compliance of the limits, and of loops and couplings.
  StepProblem(const Model& model, Eigen::Index closures, Factorization factorization, std::size_t contacts, std::size_t ties,
              const S& margin, const Compliance<S>& limit, const Compliance<S>& closure)
      : bounds_(joint_bounds(model, limit)), point_springs_(model), closures_(closures), capacity_(size() + 3 * static_cast<Eigen::Index>(contacts)),
        contacts_(model, contacts, margin),
        matrices_(has_implicit_terms(model) ? 2 : 1,
                  {make_tree(model, closures, static_cast<std::size_t>(capacity_ - closures), 3 * ties + point_springs_.num_ties(),
                             factorization, contacts > 0),
                   VectorX<S>::Zero(model.nq()), VectorX<S>::Zero(model.nv())}),
        solver_(model.nv(), capacity_, ConeNewton<S>(model.nv(), capacity_)), slots_(static_cast<std::size_t>(capacity_)),
        is_rigid_(static_cast<std::size_t>(capacity_)), is_row_(bounds_.size()),
        rounding_(S(1) + S(model.depth()) * S(model.depth()) / S(100)),
        has_friction_(std::any_of(bounds_.begin(), bounds_.end(), [](const JointBound<S>& bound) { return !bound.is_limit(); })) {
    for (VectorX<S>* work : {&w, &momentum, &zero_, &free_, &in_blocks_, &guess_w_}) work->setZero(model.nv());
    if (is_finite(closure.stiffness)) {
      const std::vector<Closure<S>> all = closures_of(model);
      for (Eigen::Index k = 0; k < closures; ++k) {
        closure_springs_.push_back(closure_of(all, k).nonholonomic ? StepSpring<S>() : StepSpring<S>(closure, true));
      }
    }
    forces.setZero(size());
    R_.setZero(closures);
    for (VectorX<S>* work : {&lambda, &rates, &guess_}) work->setZero(capacity_);
  }

  VectorX<S> forces;           ///< (slots) guesses of the forces of rows that are added [N, N m]
  VectorX<S> momentum, rates;  ///< (nv) [N m s, N s], (rows) [m/s, rad/s]: data of the present problem
  VectorX<S> w, lambda;        ///< (nv) [rad/s, m/s], (rows) [N, N m]: in: guesses, out: the solution

  Eigen::Index num_closures() const noexcept { return closures_; }  ///< number of rows of closures, which are the first slots
  Eigen::Index first_spring() const noexcept { return closures_ + static_cast<Eigen::Index>(bounds_.size()); }  ///< slot of a spring
  Eigen::Index size() const noexcept { return first_spring() + static_cast<Eigen::Index>(point_springs_.size()); }  ///< slots without contacts
  Eigen::Index capacity() const noexcept { return capacity_; }                                          ///< largest number of rows
  std::vector<JointBound<S>>& bounds() noexcept { return bounds_; }
  const std::vector<JointBound<S>>& bounds() const noexcept { return bounds_; }
  StepContacts<Model>& contacts() noexcept { return contacts_; }  ///< to be begun before each step, and moved before each solution of P
  const StepContacts<Model>& contacts() const noexcept { return contacts_; }
  StepPointSprings<Model>& point_springs() noexcept { return point_springs_; }  ///< to be begun before each step
  const StepPointSprings<Model>& point_springs() const noexcept { return point_springs_; }
  ///@{
  /// Return the spring of a row of a loop or coupling, null if it is rigid.
  StepSpring<S>* closure_spring(Eigen::Index k) noexcept { return const_cast<StepSpring<S>*>(std::as_const(*this).closure_spring(k)); }
  const StepSpring<S>* closure_spring(Eigen::Index k) const noexcept {
    if (closure_springs_.empty() || !closure_springs_[static_cast<std::size_t>(k)].is_soft()) return nullptr;
    return &closure_springs_[static_cast<std::size_t>(k)];
  }
  ///@}
  bool has_soft_closures() const noexcept { return !closure_springs_.empty(); }  ///< whether loops and couplings have springs
  /// Returns the energy of the springs of limits, loops, couplings and contacts, without those between points, in a pose between two steps,
  /// 0 for rigid ones [J].
  /// @param closures placed there.
  S elastic_energy(const ContactFinder<S>& finder, const TreePose<S>& tree, const TreeClosures<Model>& closures) noexcept {
    S sum = finder ? contacts_.elastic_energy(finder, tree) : S(0);
    for (const JointBound<S>& bound : bounds_) sum += bound.spring.energy(bound.gap(tree.q));
    for (std::size_t k = 0; k < closure_springs_.size(); ++k) {
      sum += closure_springs_[k].energy(closures[static_cast<Eigen::Index>(k)].value);
    }
    return sum;
  }
  /// Returns whether a bound acts from the beginning of a step at q (nq): there is friction or a stiff spring, or a limit or contact is
  /// closed.
  bool act_at(const VectorX<S>& q) const noexcept {
    const auto is_closed = [&](const JointBound<S>& bound) { return bound.is_closed(q); };
    return has_friction_ || has_soft_closures() || point_springs_.any() || std::any_of(bounds_.begin(), bounds_.end(), is_closed) ||
           any_contact([](const Contact& contact) { return contact.begin.gap <= touch; });
  }
  /// Returns whether a limit or contact is closed, or crossed, at q (+) x.
  bool are_closed(const VectorX<S>& q, const VectorX<S>& x) const noexcept {
    const auto is_closed = [&](const JointBound<S>& bound) { return !bound.rebound.waits && bound.is_closed(q, bound.along(x)); };
    return std::any_of(bounds_.begin(), bounds_.end(), is_closed) ||
           any_contact([](const Contact& contact) { return !contact.rebound.waits && contact.end.gap <= touch; });
  }
  /// Finds the contacts at an iterate.  @param dT (bodies) displacements.  @returns false if the source failed: see failure().
  bool move(const BodyArray<Displacement<S>>& dT) noexcept {
    point_springs_.move(dT);
    if (capacity_ == size() || contacts_.move(dT)) return true;
    failure_ = contacts_.failure();
    return false;
  }
  template <class F>
  bool any_contact(const F& f) const noexcept {
    const auto all = contacts_.contacts();
    return std::any_of(all.begin(), all.end(), f);
  }

  /// Begins the problems of a step.  @param mass begun for this step.  @param law of contacts.  @returns false if M is singular.
  bool begin_step(NodeMass<Model>& mass, ConeLaw law) noexcept {
    law_ = capacity_ == size() ? ConeLaw::convex : law;
    failure_ = Status::max_iterations;
    h_ = mass.h();
    share_ = S(1);
    softness_ = softest;
    least_softness_ = settling_softness<S>();
    iterations_ = factorizations_ = num_slow_ = 0;
    R_.setZero();
    if (mass.is_rigid()) return true;
    if (!mass.measure()) return false;
    R_ = h_ * mass.R();
    return true;
  }
  /// Begins a problem without rows at q (nq).  @param added (nv) to the diagonal of M.  @returns false if M is singular.
  bool begin(const VectorX<S>& q, const VectorX<S>& added) noexcept {
    num_rows_ = num_solved_ = 0;
    last_creep_ = std::numeric_limits<S>::infinity();
    std::fill(is_row_.begin(), is_row_.end(), false);
    for (Contact& contact : contacts_.contacts()) contact.is_row = false;
    used_ = added.isZero(S(0)) ? 0 : matrices_.size() - 1;
    Matrix& matrix = matrices_[used_];
    if (matrix.h == h_ && matrix.q == q && matrix.added == added) {  // the last step, or V in it, had the same
      matrix.tree.begin_again();
      singular_ = 0;
      return true;
    }
    ++factorizations_;
    singular_ = matrix.tree.begin(q, added, h_);
    matrix.h = singular_ == 0 ? h_ : S(0);
    matrix.q = q;
    matrix.added = added;
    return singular_ == 0;
  }
  bool begin(const VectorX<S>& q) noexcept { return begin(q, zero_); }  ///< the same with M alone
  /// Adds the rows of closures.  @param closures placed at q.  @param compliance_of (spring, row) -> R of a row with a spring.
  template <class F>
  void add_closures(const TreeClosures<Model>& closures, F&& compliance_of) noexcept {
    for (Eigen::Index k = 0; k < closures_; ++k) {
      StepSpring<S>* const spring = closure_spring(k);
      add_closure(closures, k, spring != nullptr ? compliance_of(*spring, closures[k]) : R_[k]);
    }
  }
  /// The same without those that have springs.
  void add_rigid_closures(const TreeClosures<Model>& closures) noexcept {
    for (Eigen::Index k = 0; k < closures_; ++k) {
      if (closure_spring(k) == nullptr) add_closure(closures, k, R_[k]);
    }
  }
  /// Adds the row of a spring between points.  @param R its compliance, > 0.
  void add_point_spring(std::size_t k, const ConstraintRow<S>& row, const S& R) noexcept {
    const RowKind kind = point_springs_[k].spring->tension_only ? RowKind::unilateral : RowKind::bilateral;
    add(kind, row, first_spring() + static_cast<Eigen::Index>(k), R, S(0));
  }
  /// Adds the row of a bound.  @param R compliance; 0: rigid.  @param limit of the force of friction and servos.
  void add_bound(std::size_t k, const S& R = S(0), const S& limit = S(0)) noexcept {
    is_row_[k] = true;
    const RowKind kind = bounds_[k].is_limit() ? RowKind::unilateral : RowKind::friction;
    add(kind, bounds_[k].row(), closures_ + static_cast<Eigen::Index>(k), R, limit);
  }
  /// Adds the rows of a contact.  @param rows of normal and tangents.  @param R compliance of the normal; 0: rigid.  @param slip as in
  /// NewGroup.  @returns false if there is no room.
  [[nodiscard]] bool add_contact(Contact& contact, const std::array<ConstraintRow<S>, 3>& rows, const S& R = S(0),
                                 const Vector2<S>& slip = Vector2<S>::Zero()) noexcept {
    const int count = contact.num_rows();
    const RowKind kind = count > 1 ? RowKind::contact : RowKind::unilateral;
    if (!tree().add({kind, count, {R, contact.R_t, contact.R_t}, Vector3<S>::Zero(), contact.friction, slip}, rows)) {
      failure_ = Status::capacity;
      return false;
    }
    contact.is_row = true;
    const auto number = static_cast<Eigen::Index>(&contact - contacts_.contacts().data());
    for (int r = 0; r < count; ++r) note_row(size() + 3 * number + r, contact.force[r]);
    for (int r = 0; r < count; ++r) finish_row(num_rows_ - count + r, r == 0 ? R : contact.R_t);
    return true;
  }
  /// Changes the compliance of a row, not to zero.
  void set_compliance(Eigen::Index k, const S& R) noexcept {
    if (tree().rows().R()[k] != R) num_solved_ = -1;
    tree().set_compliance(k, R);
  }

  ConeLaw law() const noexcept { return law_; }                      ///< of contacts in the present step
  const S& h() const noexcept { return h_; }                         ///< length of the present step [s]
  Eigen::Index num_rows() const noexcept { return num_rows_; }       ///< of the present problem
  bool is_row(std::size_t bound) const noexcept { return is_row_[bound]; }          ///< whether the problem has the row of a bound
  const S& closure_compliance(Eigen::Index slot) const noexcept { return R_[slot]; }  ///< of a row of a closure
  CompliantTree<Model>& tree() noexcept { return matrices_[used_].tree; }            ///< the problem as the solver has it
  const CompliantTree<Model>& tree() const noexcept { return matrices_[used_].tree; }
  Eigen::Index slot(Eigen::Index k) const noexcept { return slots_[static_cast<std::size_t>(k)]; }
  ///@{
  /// Whether a row belongs to a closure, a bound, a spring between points or a contact.
  bool of_closure(Eigen::Index k) const noexcept { return slot(k) < closures_; }
  bool of_contact(Eigen::Index k) const noexcept { return slot(k) >= size(); }
  bool of_bound(Eigen::Index k) const noexcept { return slot(k) >= closures_ && slot(k) < first_spring(); }
  bool of_point_spring(Eigen::Index k) const noexcept { return slot(k) >= first_spring() && slot(k) < size(); }
  ///@}
  JointBound<S>& bound_of(Eigen::Index k) noexcept { return bounds_[static_cast<std::size_t>(slot(k) - closures_)]; }
  auto& point_spring_of(Eigen::Index k) noexcept { return point_springs_[static_cast<std::size_t>(slot(k) - first_spring())]; }
  Contact& contact_of(Eigen::Index k) noexcept { return contacts_.contacts()[static_cast<std::size_t>((slot(k) - size()) / 3)]; }
  /// Returns which row of its contact a row is: 0: normal; 1, 2: tangents.
  Eigen::Index part(Eigen::Index k) const noexcept { return (slot(k) - size()) % 3; }
  /// Returns the spring of a row, a closure, a limit or the normal of a contact; null if the row is rigid.
  StepSpring<S>* spring_of(Eigen::Index k) noexcept {
    if (of_contact(k) && part(k) != 0) return nullptr;
    StepSpring<S>* const spring = of_closure(k)        ? closure_spring(slot(k))
                                  : of_contact(k)      ? &contact_of(k).spring
                                  : of_point_spring(k) ? &point_spring_of(k).law
                                                       : &bound_of(k).spring;
    return spring != nullptr && spring->acts ? spring : nullptr;
  }
  /// Returns the length to which rounding errors of a row's gap are relative [rad, m].
  S reach(const TreeClosures<Model>& closures, Eigen::Index k) const noexcept {
    const Eigen::Index at = slot(k);
    if (of_closure(k)) return S(closures.reach(at));
    if (of_contact(k)) return S(1) + contacts_.contacts()[static_cast<std::size_t>((at - size()) / 3)].begin.p.norm();
    if (of_point_spring(k)) return S(1) + point_springs_.reach(static_cast<std::size_t>(at - first_spring()));
    const JointBound<S>& bound = bounds_[static_cast<std::size_t>(at - closures_)];
    return bound.is_limit() ? S(S(1) + std::abs(bound.bound)) : S(1);
  }
  /// Calls f(contact, its first row) for the contacts that are rows.
  template <class F>
  void for_each_contact_row(F&& f) noexcept {
    for (Eigen::Index k = 0; k < num_rows_;) {
      if (!of_contact(k)) {
        ++k;
        continue;
      }
      Contact& contact = contact_of(k);
      f(contact, k);
      k += contact.num_rows();
    }
  }

  /// Solves P. A small compliance determines how redundant rigid rows share a force. It acts on changes of the force only, and its effect
  /// vanishes: contacts at rest do not creep. Where the effect decreases slowly, the compliance is reduced until the end of the step, unless
  /// the problem is then not solved.                                                              [variational_contact.md, section 8]
  /// @param at_rest whether the step begins at rest.  @returns false if it was not solved: see failure().
  bool solve(bool at_rest) noexcept {
    if (!find_forces(at_rest, S(256) * epsilon<S>)) return false;
    soften_if_slow(S(2), tolerated);
    return true;
  }
  /// Solves V with a momentum (nv) and a bias (rows), in passes, until the settling compliance has no effect, although the impulse differs
  /// from the first guess.
  bool settle(const VectorX<S>& p, const VectorX<S>& bias, bool at_rest) noexcept {
    constexpr int most = 16;
    constexpr S contradiction(is_double ? 1e-9F : 1e-3F);  // of rows of V
    constexpr S enough(is_double ? 1e-11F : 1e-5F);        // of creep_
    constexpr S none = epsilon<S> / S(16);                 // of creep_: ten thousand impacts add up what is left
    last_creep_ = std::numeric_limits<S>::infinity();
    rates.head(num_rows_) = bias.head(num_rows_);
    momentum = p;
    for (int pass = 0; num_rows_ > 0 && pass < most; ++pass) {
      const S before = last_creep_;
      if (!find_forces(at_rest, none) || (law_ == ConeLaw::coulomb && residual_ > contradiction)) return false;
      const bool is_rounding = creep_ <= S(16) * epsilon<S> && S(2) * creep_ > before;
      if (creep_ <= none || is_rounding) return true;
      soften_if_slow(S(10), none);
    }
    return num_rows_ == 0 || creep_ <= enough;
  }
  /// Computes the rates (rows) at a momentum p (nv) without the rows' forces. Sets w to M^-1 p.
  void free_rates(const VectorX<S>& p, VectorX<S>& of_rows) noexcept {
    tree().set_free_motion(zero_, p, w);
    tree().rates(w, of_rows.head(num_rows_));
  }
  /// Returns the squared norm of momenta (nv) in the metric of M^-1 [J].
  S energy_of(const VectorX<S>& momenta) noexcept {
    const S norm = tree().inverse_mass_norm(momenta);
    return norm * norm;
  }

  /// Returns the certificate of the last solution by Coulomb's law.  Allocates.
  ConeCertificate<S> certificate() { return certify_solution<S>(tree(), ConeLaw::coulomb, w, VectorX<S>(lambda.head(num_rows_))); }

  int iterations() const noexcept { return iterations_; }          ///< of the cone solver, since begin_step()
  int factorizations() const noexcept { return factorizations_; }  ///< of all matrices, since begin_step()
  /// Returns why the last problem was not solved: M was singular, there were too many rows, contacts failed, or max_iterations.
  Status failure() const noexcept { return singular_ != 0 ? Status::singular : failure_; }
  /// Returns the body at whose joint M was singular, or what the row belongs to that was solved worst.
  Culprit culprit(const TreeClosures<Model>& closures) noexcept {
    if (singular_ != 0) return Culprit::body(static_cast<int>(singular_));
    if (num_rows_ == 0 || failure_ != Status::max_iterations) return {};
    tree().rates(w, rates.head(num_rows_));
    const Eigen::Index k = worst_row<S>(tree().rows(), law_, rates.head(num_rows_), lambda.head(num_rows_));
    if (of_closure(k)) return closures.culprit(slot(k));
    if (of_point_spring(k)) return Culprit::spring(static_cast<int>(slot(k) - first_spring()));
    return Culprit::body(static_cast<int>(of_contact(k) ? contact_of(k).b : bound_of(k).body));
  }

 private:
  static CompliantTree<Model> make_tree(const Model& model, Eigen::Index closures, std::size_t bounds, std::size_t ties,
                                        Factorization wanted, bool rigid_contacts) {
    const std::size_t trees = CompliantForest<Model>::num_trees(model);
    const Factorization method = choose_factorization(model, closures, wanted, trees, rigid_contacts);
    const auto rows = static_cast<std::size_t>(closures);
    return CompliantTree<Model>(model, rows + bounds, ties, method == Factorization::sweeps ? Factorization::iterated : method, rows);
  }
  void add_closure(const TreeClosures<Model>& closures, Eigen::Index k, const S& R) noexcept {
    ConstraintRow<S> row = closures[k];
    row.closure = static_cast<int>(k);
    add(RowKind::bilateral, row, k, R, S(0));
  }
  /// Adds a row with the force of its slot as a guess.
  void add(RowKind kind, const ConstraintRow<S>& row, Eigen::Index slot, const S& R, const S& limit) noexcept {
    [[maybe_unused]] const bool fits = tree().add({kind, 1, Vector3<S>::Constant(R), Vector3<S>::Zero(), limit}, {&row, 1});
    ACTIO_ASSERT(fits);
    note_row(slot, forces[slot]);
    finish_row(num_rows_ - 1, R);
  }
  /// Notes the slot of a row that was added, and a guess of its force.
  void note_row(Eigen::Index slot, const S& force) noexcept {
    slots_[static_cast<std::size_t>(num_rows_)] = slot;
    lambda[num_rows_++] = force;
  }
  /// Gives a row that was added with R = 0 the settling compliance, unless it moves nothing and has another one.
  void finish_row(Eigen::Index k, const S& R) noexcept {
    const bool moves = !(tree().rows().R()[k] > S(2) * settling_softness<S>() * h_ * settled_mobility(k));
    is_rigid_[static_cast<std::size_t>(k)] = moves && !(R > S(0));
    soften(k);
  }
  /// Returns the mobility to which the settling compliance of a row is relative: both tangents of a contact have the same.
  S settled_mobility(Eigen::Index k) const noexcept {
    const Eigen::Index r = of_contact(k) ? part(k) : 0;
    return r == 0 ? tree().mobility()[k] : std::max(tree().mobility()[k - r + 1], tree().mobility()[k - r + 2]);
  }

  /// Returns whether matrices of P have more on their diagonal than M: dampers and springs of joints.
  static bool has_implicit_terms(const Model& model) noexcept {
    const ModelProperties<S>& joints = model.properties();
    return ((joints.damping.array() > S(0)) || (joints.stiffness.array() > S(0))).any();
  }
  bool is_rigid(Eigen::Index k) const noexcept { return is_rigid_[static_cast<std::size_t>(k)]; }  // see is_rigid_
  /// Changes the settling compliance of rigid rows until the end of the step.
  void soften(const S& softness) noexcept {
    if (softness == softness_) return;
    softness_ = softness;
    for (Eigen::Index k = 0; k < num_rows_; ++k) soften(k);
    num_solved_ = -1;
  }
  void soften(Eigen::Index k) noexcept {  // sets that of one row
    if (is_rigid(k)) tree().set_settling(k, softness_ * h_ * settled_mobility(k));
  }
  /// Solves the present problem.  @param creep as ConeOptions::creep.
  bool find_forces(bool at_rest, const S& creep) noexcept;
  /// Reduces the settling compliance, but not to one with which forces were not found, if its effect is not this many times smaller than
  /// after the last solution, and above a bound. After some slow solutions with the least such compliance the smallest is tried again.
  void soften_if_slow(const S& times, const S& above) noexcept {
    constexpr int patience = 4;
    const bool is_slow = times * creep_ > std::exchange(last_creep_, creep_) && creep_ > above;
    if (!is_slow) num_slow_ = 0;
    else if (softness_ > least_softness_) soften(std::max(least_softness_, S(softness_ / S(10))));
    else if (++num_slow_ == patience) num_slow_ = 0, soften(least_softness_ = settling_softness<S>());
  }
  /// Makes one attempt at the present problem.  @param last whether it is the last one.
  ConeResult<S> attempt(bool at_rest, bool last, const S& creep) noexcept;
  /// Solves the present problem by the options, in blocks island by island.
  ConeResult<S> solve_rows(ConeOptions<S> how) noexcept;

  /// A matrix with the pose (nq), what was added to its diagonal (nv), and the length of the step for which it was begun; 0: for none.
  struct Matrix {
    CompliantTree<Model> tree;
    VectorX<S> q, added;
    S h{};
  };

  std::vector<JointBound<S>> bounds_;
  StepPointSprings<Model> point_springs_;
  Eigen::Index closures_, capacity_, num_rows_ = 0, num_solved_ = 0;  // num_solved_: of the last solve, -1 if R changed since
  StepContacts<Model> contacts_;
  std::vector<StepSpring<S>> closure_springs_;  // (rows of closures), or empty if they are rigid
  std::vector<Matrix> matrices_;  // of M, and of M with dampers and springs: at rest both stay as they are
  std::size_t used_ = 0;          // the matrix of the present problem
  ConeIslands<S, ConeNewton<S>> solver_;
  std::vector<Eigen::Index> slots_;  // of the rows
  std::vector<char> is_rigid_;       // of the rows: whether R is the settling compliance
  std::vector<char> is_row_;         // of the bounds
  VectorX<S> zero_, free_, in_blocks_, guess_w_;  // (nv); in_blocks_: in the order of the trees
  VectorX<S> R_;      // (rows of closures) compliance
  VectorX<S> guess_;  // (rows) with guess_w_: lambda and w as they were given to solve()
  ConeLaw law_ = ConeLaw::convex;
  Status failure_ = Status::max_iterations;
  S h_{};
  S softness_{};        // R / (h A) of rigid rows, by which they settle
  S least_softness_{};  // to which it may be reduced
  S creep_{};     // what the settling compliance left in the last solution: see ConeResult
  S last_creep_{};  // that of the solution before
  S residual_{};  // of the last solution
  S rounding_;    // rounding error of trees of this depth, see DiscreteEulerLagrange::tree_floor(), relative to that of one body
  S share_{1};    // share of the bound of rounding errors up to which a guess at rest is a solution
  int iterations_ = 0, factorizations_ = 0, num_slow_ = 0;
  BodyIndex singular_ = 0;
  bool has_friction_;
};

template <class Model>
bool StepProblem<Model>::find_forces(bool at_rest, const S& creep) noexcept {
  const Eigen::Index rows = num_rows_;
  if (rows == 0) {  // only friction acts whose direction is kept
    tree().set_free_motion(zero_, momentum, w);
    num_solved_ = 0;
    creep_ = residual_ = S(0);
    return true;
  }
  const bool may_soften = softness_ < softest;
  if (may_soften) {
    guess_.head(rows) = lambda.head(rows);
    guess_w_ = w;
  }
  ConeResult<S> solved = attempt(at_rest, !may_soften, creep);
  if (may_soften && !solved) {
    lambda.head(rows) = guess_.head(rows);
    w = guess_w_;
    soften(std::min(softest, S(S(10) * softness_)));
    least_softness_ = softness_;
    solved = attempt(at_rest, true, creep);
  }
  creep_ = solved.creep;
  residual_ = solved.residual;
  return bool(solved) && !solved.is_convex;
}

template <class Model>
auto StepProblem<Model>::attempt(bool at_rest, bool last, const S& creep) noexcept -> ConeResult<S> {
  const Eigen::Index rows = num_rows_;
  // At rest, values decay from step to step. They are set to zero before their squares underflow.
  static const S least = std::sqrt(std::numeric_limits<S>::min() / epsilon<S>);
  for (VectorX<S>* x : {&rates, &momentum, &w, &lambda}) *x = (x->array().abs() < least).select(S(0), *x);
  tree().set_bias(rates.head(rows));
  tree().settle_from(lambda.head(rows));
  tree().set_free_motion(zero_, momentum, free_);
  // Impulses are solved to rounding, because momenta are conserved to rounding. At rest, errors do no work, so that a guess within rounding
  // errors is accepted; the errors remain in the momentum. If P needed an update, V accepts only a guess that is more accurate: otherwise
  // forces would alternate, and every step would need an update. If P accepted its guess, V accepts the errors that P left.
  const bool same = std::exchange(num_solved_, rows) == rows;
  const S of_guess = at_rest ? S(share_ * rounding_) : S(0);
  ConeOptions<S> how{.law = law_, .tolerance = S(16) * epsilon<S>, .solves_again = true, .creep = creep, .of_guess = of_guess, .same_matrix = same};
  // Shorter steps find solutions of Coulomb's law faster; there is no fallback after the convex law.
  if (law_ == ConeLaw::coulomb || !last) how.max_factorizations = last ? 100 : 24;
  how.only_searches = !last;
  const ConeResult<S> solved = solve_rows(how);
  if (solved) tree().settle_from(lambda.head(rows));  // for certificate()
  else num_solved_ = -1;                              // islands after the first that was not solved have no factors
  share_ = solved.iterations == 0 ? S(4) : S(0.25F);
  iterations_ += solved.iterations;
  factorizations_ += solved.factorizations;
  return solved;
}

template <class Model>
auto StepProblem<Model>::solve_rows(ConeOptions<S> how) noexcept -> ConeResult<S> {
  VectorRef<S> forces_of_rows = lambda.head(num_rows_);
  const bool in_blocks = tree().is_in_blocks();
  ConeOptions<S> of_whole = how;
  if (in_blocks) of_whole.max_factorizations = 0;  // at rest the guess is the solution
  if (!in_blocks || how.of_guess > S(0)) {
    const ConeResult<S> solved = solver_.solve(tree(), of_whole, w, forces_of_rows);
    if (!in_blocks || solved) return solved;
  }
  // Islands are solved one by one: a difficult one takes iterations of its own only.
  CompliantForest<Model>* const forest = tree().blocks();
  if (forest == nullptr) {
    failure_ = Status::capacity;
    return {};
  }
  BlockVelocities<S>& islands = forest->problem();
  forest->to_problem(tree().v_free(), in_blocks_);
  islands.set(tree().rows(), tree().mobility(), in_blocks_);
  forest->to_problem(w, in_blocks_);
  const ConeResult<S> solved = solver_.solve(islands, how, in_blocks_, forces_of_rows);
  forest->to_model(in_blocks_, w);
  return solved;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepProblem<Model<double>>;
#endif

}  // namespace actio::detail
