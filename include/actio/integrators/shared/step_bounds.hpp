// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What limits, dry friction of joints, servos and contacts add to a variational step.
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "actio/integrators/shared/bounded_root.hpp"
#include "actio/integrators/shared/step_impacts.hpp"

namespace actio::detail {

/// The problems P and V of StepCones, for the enforced limits, friction and servos of a model and a source of contacts. A substep calls
/// begin(); has_landed() after a free motion; if they act(), solve(), end_positions() and add_momentum(); and store(). Scalars with
/// derivatives have none. Only the constructor allocates.
template <class Model, class Contacts>
class StepBounds {
 public:
  using S = typename Model::Scalar;  ///< the scalar type
  static constexpr bool supported = std::floating_point<S>;                             ///< whether limits and friction may be enforced
  static constexpr bool finds_contacts = !std::same_as<Contacts, NoContacts>;           ///< whether there is a source of contacts

  /// @param scheme name of the integrator, for messages.  @param options of the integrator.  @param closures number of rows of loops and
  /// couplings.  @param unknowns of P.  @param model outlives this.
  /// @throws ModelError as StepCones, or if the source refers to bodies that the model lacks; OptionsError if a material has a
  /// tangential spring.
  template <class Options>
  StepBounds(const Model& model, std::string_view scheme, const Options& options, Factorization factorization, Eigen::Index closures,
             Eigen::Index unknowns, Contacts contacts)
      : contacts_(std::move(contacts)), root_(unknowns), guess_(VectorX<S>::Zero(unknowns)), refined_(guess_), recovery_(options.recovery) {
    impacts_ = options.impacts;
    locates_reversals_ = options.reversals == Reversals::located;
    if constexpr (finds_contacts) {
      require_bodies(model, contacts_);
      if (has_tangential_spring(contacts_)) {
        throw OptionsError("the contact material has a tangential spring, which " + std::string(scheme) +
                           " does not support: use a spring along the normal and a tangential damper, or use compliant");
      }
    }
    if constexpr (supported) {
      if (!finds_contacts && joint_bounds(model).empty() && !is_finite(options.closure.stiffness) && model.springs().empty()) return;
      const std::size_t capacity = !finds_contacts ? 0 : options.contact_capacity.value_or(contact_capacity_for(contacts_));
      cones_.emplace(model, closures, factorization, capacity, options.tie_capacity, options.contact_margin, options.limit,
                     options.closure);
      impact_ = StepImpacts<Model>(cones_->problem());
      impulses_.setZero(model.nv());
      servo_impulses_.setZero(model.nv());
    }
  }
  /// Gives a node's memory the sizes that store() needs.
  template <class Node>
  void size(Node& node) const {
    if constexpr (supported) {
      if (!cones_) return;
      node.contacts = cones_->problem().contacts().make_forces();
      node.forces.setZero(cones_->problem().size());
    }
  }

  const Contacts& source() const noexcept { return contacts_; }  ///< as given
  ContactFinder<S> finder() const noexcept { return ContactFinder<S>(contacts_); }  ///< of the source; valid while this stays where it is
  bool act() const noexcept { return supported && acts_; }       ///< whether any of them acts in this substep
  bool may_act() const noexcept { return supported && cones_; }  ///< whether any of them may ever act
  ///@{
  /// P and V.  @pre any limit or friction is enforced, or there is a source of contacts.
  auto& cones() noexcept { return *cones_; }
  const auto& cones() const noexcept { return *cones_; }
  ///@}
  const VectorX<S>& impulses() const noexcept { return impulses_; }  ///< (nv) over the step, if any limit, friction or contact may act
  const VectorX<S>& servo_impulses() const noexcept { return servo_impulses_; }  ///< the same of servos
  /// Returns the energy of the springs of limits and contacts in the pose of a node [J].  @pre supported
  /// @param closures placed there.
  S elastic_energy(const TreePose<S>& tree, const TreeClosures<Model>& closures) noexcept {
    return cones_ ? cones_->problem().elastic_energy(ContactFinder<S>(contacts_), tree, closures) : S(0);
  }
  /// Forgets the impulses of the last step.
  void clear_impulses() noexcept {
    impulses_.setZero();
    servo_impulses_.setZero();
  }
  /// Forgets the last step.
  void forget() noexcept {
    if constexpr (supported) {
      if (cones_) cones_->forget();
    }
  }

  /// Begins to follow slip in a substep, if reversals are located.  @param enabled whether they may be.
  void follow_slip(bool enabled) noexcept {
    if constexpr (supported) {
      if (cones_) cones_->reversals().begin(cones_->problem(), enabled && locates_reversals_);
    }
  }
  /// Returns whether something slides whose reversal is to be located. V is then needed to know whether it reversed.
  bool follows_slip() const noexcept {
    if constexpr (supported) return acts_ && cones_->reversals().any();
    return false;
  }
  /// Keeps the directions of slip that stopped or reversed, after add_momentum().  @returns whether there is any.
  bool keep_reversed() noexcept {
    if constexpr (supported) return cones_->reversals().keep_reversed(cones_->problem());
    return false;
  }
  /// Returns the smallest rate in a kept direction: see StepReversals. If it is at most `touch`, the slip has reversed.  @param at_end
  /// after add_momentum(), else where the substep begins.
  S kept_rate(bool at_end) const noexcept {
    if constexpr (supported) {
      if (cones_) return cones_->reversals().least(cones_->problem(), at_end);
    }
    return std::numeric_limits<S>::infinity();
  }
  /// Decides, once for a substep, which limits and contacts wait: see StepImpacts.  @param enabled whether any may.  @param q (nq).
  void let_wait(bool enabled, const VectorX<S>& q) noexcept {
    if constexpr (supported) {
      if (cones_) impact_.let_wait(cones_->problem(), enabled && impacts_ != Impacts::plastic, q);
    }
  }
  /// Returns whether a limit, or a contact of this substep, has restitution that is used.
  bool may_bounce() const noexcept {
    if constexpr (supported) return cones_ && impacts_ != Impacts::plastic && impact_.may_bounce(cones_->problem());
    return false;
  }
  /// Returns the smallest gap of the limits and contacts that wait: see StepImpacts [m, rad]. If it is at most `touch`, an impact is due.
  /// @param q (nq) where the substep begins.  @param x (nv) its increment, by which contacts were moved; null:
  /// the gaps at q.
  S waiting_gap(const VectorX<S>& q, const VectorX<S>* x) const noexcept {
    if constexpr (supported) {
      if (cones_) return impact_.waiting_gap(cones_->problem(), q, x);
    }
    return std::numeric_limits<S>::infinity();
  }
  static constexpr ValueOf<S> touch = closed_gap<ValueOf<S>>;  ///< see waiting_gap()
  static constexpr int most_events = 4;  ///< in a substep; further impacts are plastic, and further reversals in the step
  bool impacts_in_place() const noexcept { return impacts_ == Impacts::in_place; }  ///< as opposed to located ones
  /// Applies an impact to the momentum of a node: at the beginning of the substep, with half of the impulses (nv) of forces there, or with
  /// null at its end.  @param mass begun for the substep.  @param from, x as for waiting_gap().  @param node at the end with its tree, or
  /// at the beginning.  @param result out: its counts, and on failure its status and culprit.
  template <class Node>
  void strike(NodeMass<Model>& mass, const VectorX<S>& from, const VectorX<S>& x, const VectorX<S>* half, ConeLaw law, Node& node,
              StepResult<S>& result) noexcept {
    if constexpr (supported) {
      typename StepImpacts<Model>::Impact impact{half == nullptr, half};
      if (impact.at_end && mass.closures().size() > 0) {
        node.rotations = mass.rotations();
        mass.closures().place(node.tree, node.rotations);
      }
      cones_->forget();
      auto& problem = cones_->problem();
      if (!impact_.strike(problem, mass, from, x, node.tree.q, law, impact, node.p, impulses_)) fail(mass, result);
      result.impacts += impact.any ? 1 : 0;
      result.relaxed.restitution |= impact.guarded;
      result.iterations += problem.iterations();
      result.factorizations += problem.factorizations();
    }
  }
  /// Begins a substep at a node: finds the contacts there, and which bounds are closed.  @param applied begun for it.
  /// @returns converged, or why the source failed.
  template <class Node>
  Status begin(const Node& node, const AppliedForces<Model>& applied) noexcept {
    acts_ = landed_freely_ = false;
    if constexpr (supported) {
      if (cones_) cones_->problem().point_springs().begin(node.tree, applied);
    }
    if constexpr (finds_contacts) {
      StepContacts<Model>& contacts = cones_->problem().contacts();
      if (!contacts.begin(ContactFinder<S>(contacts_), node.tree, node.contacts)) return contacts.failure();
    }
    if constexpr (supported) acts_ = cones_ && cones_->problem().act_at(node.tree.q);
    return Status::converged;
  }
  /// Sets entries of an increment x to zero that are smaller than tolerated gaps: otherwise a body at rest drifts within the tolerance of
  /// the gap.  @param q (nq).
  void round_guess(const VectorX<S>& q, VectorRef<S> x) const noexcept {
    if constexpr (supported) {
      if (!acts_) return;
      const S least = StepProblem<Model>::tolerated * (S(1) + q.template lpNorm<Eigen::Infinity>());
      x = (x.array().abs() <= least).select(S(0), x);
    }
  }
  /// Finds out whether a limit or contact closes in a free motion from q (nq) by x (nv), from where they act().
  /// @param equation evaluated at x.  @returns converged, or why the source failed.
  template <class Equation>
  Status has_landed(Equation& equation, const VectorX<S>& q, const VectorX<S>& x) noexcept {
    if constexpr (finds_contacts) {
      if (!cones_->problem().move(equation.displacements())) return cones_->problem().failure();
    }
    if constexpr (supported) acts_ = landed_freely_ = cones_ && cones_->problem().are_closed(q, x);
    return Status::converged;
  }
  /// Solves P; without recovery, if there is no solution with it.  @param mass begun for the substep.  @param node where it begins.
  /// @param p (nv) momentum there [N m s, N s].
  /// @param law of contacts.  @param servo (servos) as Input::servo.  @param input if this is finite, but a norm is not, a cone problem was
  /// not solved.
  /// @param x in: the guess; out: the root, or where the search ended.  @param culprit out: on failure.
  /// @param problem (P and V, begun) -> P in the unknowns x, such as PositionCone.
  template <class Node, class Problem>
  RootResult<ValueOf<S>> solve(NodeMass<Model>& mass, const Node& node, const VectorX<S>& p, const RootOptions<ValueOf<S>>& options,
                               ConeLaw law, const VectorX<S>& servo, const VectorX<S>& input, VectorX<S>& x, Culprit& culprit,
                               Problem&& problem) noexcept {
    RootResult<ValueOf<S>> root{};
    root.status = Status::singular;
    if constexpr (supported) {
      guess_ = x;
      RootResult<ValueOf<S>> with_recovery{};
      for (S recovery = recovery_;; recovery = S(0)) {
        if (cones_->begin_positions(mass, node.forces, p, recovery, law, servo, node.fresh ? &node.v : nullptr)) {
          auto positions = problem(*cones_);
          root = find_bounded_root(positions, *cones_, x, root_, options);
          if (root.status == Status::not_finite && is_finite_vector(input)) root.status = cones_->problem().failure();
          positions.update(refined_);
          refined_ += x;
        }
        if (root.status == Status::converged || !(recovery > S(0)) || !cones_->recovers()) break;
        x = guess_;  // in this pose loops, limits and contacts may allow no recovery
        with_recovery = root;
      }
      root.iterations += with_recovery.iterations;
      root.evaluations += with_recovery.evaluations;
      root.factorizations += with_recovery.factorizations;
      if (cones_->problem().failure() == Status::capacity) root.status = Status::capacity;
      if (root.status != Status::converged) culprit = cones_->problem().culprit(mass.closures());
    }
    return root;
  }
  /// Returns whether P left everything where it is, and an update of it would only move what positions round off: the residual of such
  /// steps, if it were carried, would add up to a momentum that is never used.  @param q (nq).  @param x (nv) the increment, which are the
  /// unknowns of P.
  bool rests(const VectorX<S>& q, const VectorX<S>& x) const noexcept {
    if (!act() || !x.isZero(S(0))) return false;
    return refined_.template lpNorm<Eigen::Infinity>() <= epsilon<S> * (S(1) + q.template lpNorm<Eigen::Infinity>());
  }
  /// Ends P.  @param impulses (nv) out: J^T Lm [N m s, N s].
  void end_positions(VectorX<S>& impulses) noexcept {
    if constexpr (supported) cones_->end_positions(impulses);
  }
  /// Solves V.  @param mass begun for the substep.  @param x (nv) its increment.  @param next in: the pose of the node where the substep
  /// ends, p without the impulses of V; out: p, rotations.  @param result out: its counts, and on failure its status and culprit.
  template <class Node>
  void add_momentum(NodeMass<Model>& mass, const VectorX<S>& x, Node& next, StepResult<S>& result) noexcept {
    if constexpr (supported) {
      const auto& problem = cones_->problem();
      const int iterations = problem.iterations(), factorizations = problem.factorizations();
      next.rotations = mass.rotations();
      if (mass.closures().size() > 0) mass.closures().place(next.tree, next.rotations);
      if (!cones_->solve_momentum(mass.closures(), next.tree.q, x, next.p)) fail(mass, result);
      result.iterations += problem.iterations() - iterations;
      result.factorizations += problem.factorizations() - factorizations;
    }
  }
  /// Adds the impulses of the substep to those over the step, after add_momentum().
  void add_impulses() noexcept {
    if constexpr (supported) {
      if (acts_) cones_->add_bound_impulses(impulses_, servo_impulses_);
    }
  }
  /// Returns whether a limit or contact closed in the substep, so that its history ends.
  bool landed() const noexcept {
    if constexpr (supported) return landed_freely_ || (finds_contacts && acts_ && cones_->landed());
    return false;
  }
  /// Stores in a node the forces with which its next substep begins.  @param y in: the unknowns of P, and further impulses of loops and
  /// couplings; out: what guesses extrapolate: the increment with the last update, which the tolerance allows to skip, and those
  /// impulses at the end.
  template <class Node>
  void store(Node& node, const S& h, VectorX<S>& y) noexcept {
    if constexpr (supported) {
      if (!cones_) return;
      if (acts_) {
        node.forces = cones_->problem().forces;
        cones_->problem().contacts().store(node.contacts);
        y << refined_, -h * node.forces.head(y.size() - refined_.size());
      } else {
        node.forces.setZero();
        node.contacts.size = 0;
        cones_->forget();
      }
    }
  }
  /// Sets the impulses in y (nv + rows) to those of both problems.
  void set_closure_impulses(VectorX<S>& y) const noexcept {
    if constexpr (supported) {
      if (acts_) y.tail(y.size() - refined_.size()) = cones_->closure_impulses();
    }
  }

 private:
  struct Nothing {};
  using Cones = typename std::conditional_t<supported, std::type_identity<StepCones<Model>>, std::type_identity<Nothing>>::type;

  /// Notes why the last problem was not solved.
  void fail(NodeMass<Model>& mass, StepResult<S>& result) noexcept {
    result.status = cones_->problem().failure();
    result.culprit = cones_->problem().culprit(mass.closures());
  }

  [[no_unique_address]] mutable Contacts contacts_;  // find() may change memory of a source
  Impacts impacts_ = Impacts::plastic;
  bool locates_reversals_ = false;
  StepImpacts<Model> impact_;
  std::optional<Cones> cones_;  // if any limit or friction is enforced, or there is a source of contacts
  Riqn::Workspace<S> root_;
  VectorX<S> impulses_, servo_impulses_;  // (nv): over the step
  VectorX<S> guess_, refined_;  // of P: the guess, and the root with what the tolerance left
  S recovery_{};
  bool acts_ = false, landed_freely_ = false;  // in this substep; the second: whether a free motion closed a limit or contact
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepBounds<Model<double>, NoContacts>;
#endif

}  // namespace actio::detail
