// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The forces of a model's constraints (loops, couplings, limits, friction, springs, contacts, rows of the caller) at a state, and the velocities
// that they lead to: a compliant step that does not move the bodies, for control and estimation.
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/equations/compliant_forest.hpp"
#include "actio/equations/compliant_tree.hpp"
#include "actio/integrators/compliant/damper_guard.hpp"
#include "actio/integrators/compliant/momentum_balance.hpp"
#include "actio/integrators/compliant/recovery.hpp"
#include "actio/integrators/compliant/rows.hpp"
#include "actio/model/capabilities.hpp"
#include "actio/solvers/cone/certificate.hpp"
#include "actio/solvers/cone/islands.hpp"
#include "actio/solvers/cone/newton.hpp"
#ifdef ACTIO_PRECOMPILED
#include "actio/contacts/plane.hpp"
#endif

namespace actio {

/// Solves for the velocities v1 a time h after a state, and for the row forces lambda,
///   M (v1 - v) + (h damping + h^2 stiffness) v1 = h (tau + springs - c(q, v) + G^T lambda),
/// with springs and dampers of rows and joints evaluated at the end.    [Drumwright 2019; compliant_math.md, sections 2.1, 4.1 and 5.2]
///
///   ConstraintForces forces(model);
///   if (forces.solve(state, Input(tau), h)) use(forces.velocity(), forces.row_forces());
///
/// The model's own rows are those of its loops, couplings, limits, dry friction, springs between points and contacts, in this order;
/// those of the caller follow. All members but the constructors and `certificate` neither allocate nor throw.
/// @tparam Contacts a ContactSource.  @tparam Solver ConeNewton; or a DenseCone, which allocates, for comparison.
template <class ModelType, class Contacts = NoContacts, class Solver = detail::ConeNewton<typename ModelType::Scalar>>
class ConstraintForces {
 public:
  using Model = ModelType;                   ///< a Model of any joints
  using Scalar = typename Model::Scalar;     ///< scalar type of all numbers
  using Options = CompliantOptions<Scalar>;  ///< options of the constructor
  using Callers = std::span<const CallerRows<Scalar>>;  ///< rows of the caller
  static_assert(ContactSource<Contacts, Scalar>);
  static_assert(std::floating_point<Scalar>, "compliant supports float and double only: use CompliantDerivatives for derivatives");

 private:
  using Tree = detail::CompliantTree<Model>;
  using Forest = detail::CompliantForest<Model>;
  using Rows = detail::CompliantRows<Model>;

 public:
  /// Forces and row ids of the last solve, for warm starting, and the stretches of the contacts' tangential springs.
  struct Memory {
    VectorX<Scalar> lambda;          ///< forces [N, N m]; the first `size` are in use
    std::vector<std::uint64_t> ids;  ///< ascending; the first `size` are in use
    std::size_t size = 0;            ///< number of rows
    std::vector<detail::TangentialStretch<Scalar>> stretches;  ///< by ascending id; the first `num_stretches` are in use
    std::size_t num_stretches = 0;                     ///< number of tangential springs
  };

  /// @param model outlives this.  @param options rows of the caller count as contacts for the capacity.  @throws ModelError if a joint
  /// moves no mass, contact is enforced without a source of contacts, or Factorization::sparse is chosen and a body lacks mass or
  /// inertia; OptionsError if an option is out of range.
  explicit ConstraintForces(const Model& model, const Options& options = {}, Contacts contacts = {})
    requires std::constructible_from<Solver, Eigen::Index, Eigen::Index>
      : ConstraintForces(detail::CompletedOptions<Scalar>{options.completed(contacts)}, model, std::move(contacts)) {}
  /// The same with a solver from the caller, which has room for CompliantRows::capacity() rows.
  ConstraintForces(const Model& model, const Options& options, Contacts contacts, Solver solver);
  explicit ConstraintForces(Model&&, const Options& = {}, Contacts = {}) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }       ///< as given to the constructor
  const Options& options() const noexcept { return options_; }  ///< as given, with what was left open filled in

  /// Solves and accepts the solution. It counts as a step of h for the tangential springs of contacts: the next solve begins with their
  /// stretches at its end.
  /// @param x not changed.  @param input its beginning counts.  @param h > 0 [s].  @param caller_rows further rows, evaluated at x.
  /// @returns the status; on failure, its reason: invalid_input also if `caller_rows` does not fit the model, capacity if there is no room
  /// for all rows; the culprit is a body whose joint moves no mass, or what the row belongs to that is solved worst. `relaxed` if the
  /// convex law replaced Coulomb's.
  StepResult<Scalar> solve(const State<Scalar>& x, const Input<Scalar>& input, const Scalar& h, Callers caller_rows = {},
                           Deformation deformation = Deformation::counts) noexcept {
    const StepResult<Scalar> result = attempt(x, input, h, caller_rows, deformation);
    if (result) accept();
    return result;
  }
  /// Solves without accepting: warm start and tangential springs stay as they are until accept().
  StepResult<Scalar> attempt(const State<Scalar>& x, const Input<Scalar>& input, const Scalar& h, Callers caller_rows = {},
                             Deformation deformation = Deformation::counts) noexcept;
  void accept() noexcept { std::swap(last_, next_); }  ///< makes the last attempt, which converged, the last solve

  // Results of the last solve, if it converged and was accepted.
  const VectorX<Scalar>& velocity() const noexcept { return v_; }                               ///< (nv) v1 [rad/s, m/s]
  auto row_forces() const noexcept { return last_.lambda.head(static_cast<Eigen::Index>(last_.size)); }  ///< (rows) [N, N m]
  std::uint64_t row_id(std::size_t row) const noexcept { return last_.ids[row]; }  ///< the same in every solve that has the row
  std::span<const ContactPoint<Scalar>> contacts() const noexcept { return rows_.contacts(); }  ///< materials are valid until the next copy
  /// Returns the force on body b of a contact, in the world [N]; zero if the contact is open.  @param k index in contacts().
  Vector3<Scalar> contact_force(std::size_t k) const noexcept;
  /// Returns kinds, R and bias (rows), in the order of row_forces(): contacts after the model's other rows, the caller's rows last.
  const ConeRows<Scalar>& rows() const noexcept {
    return std::visit([](const auto& bodies) -> const ConeRows<Scalar>& { return bodies.problem().rows(); }, bodies_);
  }
  /// Returns G^T lambda (nv), the joint forces of the rows [N m, N]; valid until the next call.
  const VectorX<Scalar>& joint_forces() noexcept;
  /// Returns a certificate of the last solve, with rates relative to the largest free rate.  Allocates.
  ConeCertificate<Scalar> certificate();
  /// Whether the last attempt converged with the law of the options.
  bool is_solved() const noexcept { return is_solved_; }
  /// Returns the tangential springs of contacts at the end of the last solve, by ascending id.
  std::span<const detail::TangentialStretch<Scalar>> stretches() const noexcept { return {last_.stretches.data(), last_.num_stretches}; }
  /// Returns the elastic energy of the model's rows at q (nq), and of tangential springs at the end of the last solve [J]; 0 for rigid
  /// rows.
  Scalar elastic_energy(const VectorX<Scalar>& q) noexcept {
    Scalar sum = rows_.elastic_energy(q, detail::ContactFinder<Scalar>(contacts_));
    for (const detail::TangentialStretch<Scalar>& spring : stretches()) sum += spring.energy();
    return sum;
  }
  /// Returns the work [J] by which the last solve, over a step of h [s], corrected violations: of joints beyond the rigid ends of their
  /// ranges, of rigid bodies that overlap, and of rigid loops.
  Scalar correction_work(const Scalar& h) const noexcept { return rows_.recovery().work(rows(), recovery_share_, row_forces(), h); }
  /// Lets the next solve begin without a warm start and with slack tangential springs.
  void forget() noexcept {
    is_solved_ = false;
    last_.size = last_.num_stretches = 0;
  }
  /// Calls f(bodies, v1 in the order of bodies.problem()), where bodies is the CompliantTree or CompliantForest of the last attempt.
  template <class F>
  decltype(auto) visit_problem(F&& f) noexcept {
    return std::visit([&](auto& bodies) { return f(bodies, std::as_const(work_)); }, bodies_);
  }

  /// Reduces the velocities of `end`, a step of h after `begin` by the last attempt, if stiff dampers let them grow: see DamperGuard.
  void bound_energy(const State<Scalar>& begin, const Scalar& h, State<Scalar>& end) noexcept {
    std::visit([&](auto& bodies) { guard_.bound(bodies, balance_, begin, v_, h, end); }, bodies_);
  }
  const VectorX<Scalar>& velocity_shares() const noexcept { return guard_.shares(); }  ///< (nv) the factors of the last bound_energy()
  const Memory& memory() const noexcept { return last_; }  ///< all that the next solve depends on
  /// Sets what the next solve begins with; results of the last solve become invalid: see is_solved().
  void restore(const Memory& memory) noexcept {
    last_ = memory;
    is_solved_ = false;
  }

 private:
  ConstraintForces(const detail::CompletedOptions<typename ModelType::Scalar>& with, const Model& model, Contacts&& contacts)
      : ConstraintForces(model, with.options, std::move(contacts),
                         Solver(model.nv(), static_cast<Eigen::Index>(Rows::capacity(model, with.options)))) {}

  static std::variant<Tree, Forest> make_bodies(const Model& model, const Options& options);
  static std::size_t contact_capacity(const Options& options) { return std::same_as<Contacts, NoContacts> ? 0 : *options.contact_capacity; }
  static Memory blank_memory(const Model& model, const Options& options);

  template <class Bodies>
  void solve(Bodies& bodies, const State<Scalar>& x, const Input<Scalar>& input, const Scalar& h, Callers caller_rows,
             Deformation deformation, StepResult<Scalar>& result) noexcept;

  /// Solves for lambda and v_, beginning with work_ and lambda.
  template <class Bodies>
  void solve_rows(Bodies& bodies, const Scalar& tolerance, VectorRef<Scalar> lambda, StepResult<Scalar>& result) noexcept;
  /// Solves again with a slower recovery of constraint violations if the recovery leads to more energy than there was and than
  /// CompliantRows allows: a row with a short lever arm turns a small rate into a large angular velocity. Derivatives of a
  /// step take the recovery as given. @param v (nv) at the beginning of the step.
  template <class Bodies>
  void bound_recovery(Bodies& bodies, const VectorX<Scalar>& v, VectorRef<Scalar> lambda, StepResult<Scalar>& result) noexcept;

  /// Begins the bodies at x and computes v_, the velocity at the end without the forces of rows.
  template <class Bodies>
  Status set_free_motion(Bodies& bodies, const State<Scalar>& x, const Input<Scalar>& input, const Scalar& h, Culprit& culprit) noexcept;

  /// Sets the initial forces from those of the same rows in the last solve; 0 for new rows.
  void guess_forces() noexcept;

  const Model* model_;
  Options options_;
  Memory last_, next_;
  std::variant<Tree, Forest> bodies_;
  Rows rows_;
  [[no_unique_address]] Contacts contacts_;
  detail::ConeIslands<Scalar, Solver> solver_;
  detail::MomentumBalance<Model> balance_;
  detail::DamperGuard<Model> guard_;
  VectorX<Scalar> v_, free_, work_, ordered_, tau_, rates_;
  Scalar recovery_share_{};  // of the rows' recovery in the last solve
  bool is_solved_ = false;
};

template <class ModelType, class Contacts, class Solver>
ConstraintForces<ModelType, Contacts, Solver>::ConstraintForces(const Model& model, const Options& options, Contacts contacts,
                                                                Solver solver)
    : model_(&model), options_((options.check(), options.completed(contacts))), last_(blank_memory(model, options_)), next_(last_),
      bodies_(make_bodies(model, options_)), rows_(model, options_, contact_capacity(options_)), contacts_(std::move(contacts)),
      solver_(model.nv(), last_.lambda.size(), std::move(solver)), balance_(model), guard_(model),
      v_(VectorX<Scalar>::Zero(model.nv())), free_(v_), work_(v_), ordered_(v_), tau_(v_), rates_(last_.lambda) {
  constexpr bool finds_contacts = !std::same_as<Contacts, NoContacts>;
  require_support(model, {.loops = true, .couplings = true, .limits = true, .friction = true, .contact = finds_contacts, .dampers = true},
                  "compliant");
  detail::require_inertia(model, "compliant");
  require_bodies(model, contacts_);
  if (has_restitution(contacts_)) {
    detail::refuse("compliant", "restitution of contacts", "take VariationalIntegrator, or a material with a spring and damper");
  }
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::attempt(const State<Scalar>& x, const Input<Scalar>& input, const Scalar& h,
                                                            Callers caller_rows, Deformation deformation) noexcept -> StepResult<Scalar> {
  StepResult<Scalar> result;
  result.method = Method::cone;
  is_solved_ = false;
  const bool fits = std::all_of(caller_rows.begin(), caller_rows.end(), [&](const auto& group) { return group.fits(*model_); });
  const bool is_state = x.q.size() == model_->nq() && x.v.size() == model_->nv();
  if (!is_finite(h) || !(h > Scalar(0))) result.status = Status::invalid_step;
  else if (!fits || !is_state || !is_valid(*model_, input)) result.status = Status::invalid_input;
  if (result) std::visit([&](auto& bodies) { solve(bodies, x, input, h, caller_rows, deformation, result); }, bodies_);
  is_solved_ = result && !result.relaxed;
  return result;
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::joint_forces() noexcept -> const VectorX<Scalar>& {
  visit_problem([&](auto& bodies, const VectorX<Scalar>&) {
    bodies.problem().forces(row_forces(), ordered_);
    bodies.to_model(ordered_, tau_);
  });
  return tau_;
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::contact_force(std::size_t k) const noexcept -> Vector3<Scalar> {
  const ContactPoint<Scalar>& point = contacts()[k];
  const auto begin = last_.ids.begin(), end = begin + static_cast<std::ptrdiff_t>(last_.size);
  const auto row = std::lower_bound(begin, end, rows_.id_of(point));
  if (row == end || *row != rows_.id_of(point)) return Vector3<Scalar>::Zero();
  const auto first = static_cast<Eigen::Index>(row - begin);
  const Vector3<Scalar> along_normal = last_.lambda[first] * point.normal;
  if (!(point.material->friction > Scalar(0))) return along_normal;
  const auto [t1, t2] = detail::perpendiculars(point.normal);
  return along_normal + last_.lambda[first + 1] * t1 + last_.lambda[first + 2] * t2;
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::certificate() -> ConeCertificate<Scalar> {
  return visit_problem([&](auto& bodies, const VectorX<Scalar>& v1) {
    return detail::certify_solution<Scalar>(bodies.problem(), options_.law, v1, VectorX<Scalar>(row_forces()));
  });
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::make_bodies(const Model& model, const Options& options) -> std::variant<Tree, Forest> {
  const std::size_t rows = Rows::capacity(model, options), closures = Rows::internal_closing_rows(model);
  const std::size_t ties = Rows::tie_capacity(model, options), trees = Forest::num_trees(model);
  const Factorization how = detail::choose_factorization(model, static_cast<Eigen::Index>(closures), options.factorization, trees);
  if (how == Factorization::blocks) return Forest(model, rows, ties + closures + options.fill_capacity);
  return Tree(model, rows, ties, how, closures);
}

template <class ModelType, class Contacts, class Solver>
auto ConstraintForces<ModelType, Contacts, Solver>::blank_memory(const Model& model, const Options& options) -> Memory {
  const std::size_t rows = Rows::capacity(model, options);
  return {VectorX<Scalar>::Zero(static_cast<Eigen::Index>(rows)), std::vector<std::uint64_t>(rows), 0,
          std::vector<detail::TangentialStretch<Scalar>>(contact_capacity(options)), 0};
}

template <class ModelType, class Contacts, class Solver>
template <class Bodies>
void ConstraintForces<ModelType, Contacts, Solver>::solve(Bodies& bodies, const State<Scalar>& x, const Input<Scalar>& input,
                                                          const Scalar& h, Callers caller_rows, Deformation deformation,
                                                          StepResult<Scalar>& result) noexcept {
  const detail::ContactFinder<Scalar> contacts(contacts_);
  result.status = set_free_motion(bodies, x, input, h, result.culprit);
  if (result && !rows_.add(bodies, x, v_, h, contacts, caller_rows, deformation, stretches())) {
    result.status = rows_.contacts_failed() ? Status::callback_failed : Status::capacity;
  }
  if (!result) return;

  next_.size = static_cast<std::size_t>(bodies.problem().rows().size());
  auto lambda = next_.lambda.head(bodies.problem().rows().size());
  result.factorizations = 1;
  recovery_share_ = Scalar(1);
  if (next_.size == 0) {
    bodies.to_problem(v_, work_);
  } else {
    bodies.to_problem(x.v, work_);
    guess_forces();
    free_ = v_;
    solve_rows(bodies, options_.tolerance, lambda, result);
    if (result && rows_.recovery().energy() > Scalar(0)) bound_recovery(bodies, x.v, lambda, result);
  }
  if (result && !detail::all_finite(v_)) result.status = Status::not_finite;
  next_.num_stretches = rows_.tangential_springs().size();
  rows_.tangential_springs().follow(lambda, next_.stretches);
}

template <class ModelType, class Contacts, class Solver>
template <class Bodies>
void ConstraintForces<ModelType, Contacts, Solver>::solve_rows(Bodies& bodies, const Scalar& tolerance, VectorRef<Scalar> lambda,
                                                               StepResult<Scalar>& result) noexcept {
  const detail::ConeOptions<Scalar> how{options_.law, tolerance, options_.max_factorizations};
  const detail::ConeResult<Scalar> solved = solver_.solve(bodies.problem(), how, work_, lambda);
  result.status = solved.status;
  result.iterations += solved.iterations;
  result.factorizations += solved.factorizations;
  result.residual = solved.residual;
  result.relaxed.friction = solved.is_convex;
  if (result) bodies.to_model(work_, v_);
  else if (lambda.size() > 0) {
    bodies.problem().rates(work_, rates_.head(lambda.size()));
    result.culprit = rows_.culprit(detail::worst_row<Scalar>(rows(), options_.law, rates_.head(lambda.size()), lambda));
  }
}

template <class ModelType, class Contacts, class Solver>
template <class Bodies>
void ConstraintForces<ModelType, Contacts, Solver>::bound_recovery(Bodies& bodies, const VectorX<Scalar>& v, VectorRef<Scalar> lambda,
                                                                   StepResult<Scalar>& result) noexcept {
  const auto energy = [&](const VectorX<Scalar>& velocities) { return kinetic_energy(*model_, bodies.twists(velocities), velocities); };
  Scalar enough = rows_.recovery().energy();
  const Scalar at_most = (Scalar(1) + Scalar(4) * options_.tolerance) * energy(v_);  // an upper bound, given the tolerance
  if (at_most > enough) enough = std::max(enough, energy(free_));
  if (at_most > enough) enough = std::max(enough, energy(v));
  if (!(at_most > enough)) return;
  // Solved to rounding, since a small difference of energies decides. Springs may add energy too, so that the reference is the energy
  // without any recovery.
  bodies.to_problem(v_, work_);
  solve_rows(bodies, Scalar(0), lambda, result);
  if (!result) return;
  detail::bound_recovery(enough, energy(v_), v_, tau_, energy, [&](const Scalar& less) {
    bodies.problem().add_to_bias(Scalar(-less), rows_.recovery().rates());
    recovery_share_ -= less;
    lambda.setZero();
    bodies.to_problem(free_, work_);
    solve_rows(bodies, Scalar(0), lambda, result);
    return bool(result);
  });
}

template <class ModelType, class Contacts, class Solver>
template <class Bodies>
Status ConstraintForces<ModelType, Contacts, Solver>::set_free_motion(Bodies& bodies, const State<Scalar>& x, const Input<Scalar>& input,
                                                                    const Scalar& h, Culprit& culprit) noexcept {
  if (const BodyIndex body = bodies.begin(x.q, balance_.added(h), h); body != 0) {
    culprit = Culprit::body(static_cast<int>(body));
    return detail::all_finite(x.q) ? Status::singular : Status::not_finite;
  }
  work_ = -balance_.missing(x, x.v, input, h);
  bodies.set_free_motion(x.v, work_, v_);
  return Status::converged;
}

template <class ModelType, class Contacts, class Solver>
void ConstraintForces<ModelType, Contacts, Solver>::guess_forces() noexcept {
  std::size_t old = 0;
  for (std::size_t k = 0; k < next_.size; ++k) {
    next_.ids[k] = rows_.id(k);
    while (old < last_.size && last_.ids[old] < next_.ids[k]) ++old;  // both in ascending order
    const bool known = old < last_.size && last_.ids[old] == next_.ids[k];
    next_.lambda[static_cast<Eigen::Index>(k)] = known ? last_.lambda[static_cast<Eigen::Index>(old)] : Scalar(0);
  }
}

/// The result of constraint_forces().
template <Scalar S>
struct ConstrainedMotion {
  StepResult<S> result;  ///< the status; on failure, its reason: the other members are then empty
  VectorX<S> v;          ///< (nv) velocities after the time h [rad/s, m/s]
  /// (rows) forces of the model's rows, then of the caller's, group by group; without rows that are open or have no spring [N, N m]
  VectorX<S> lambda;
  VectorX<S> tau;        ///< (nv) joint forces of the rows [N m, N]
};

/// Computes the forces of constraint rows on a model at (q, v) under joint forces tau, and the velocities after a time h, as
/// ConstraintForces::solve().  @param q (nq), v (nv), tau (nv) [N m, N].  @param rows besides those that the model enforces.
/// @param h > 0 [s].  Allocates; keep a ConstraintForces for repeated calls.  @throws ModelError, OptionsError as its constructor.
template <Scalar S, class Joints>
ConstrainedMotion<S> constraint_forces(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q,
                                const std::type_identity_t<ConstVectorRef<S>>& v, const std::type_identity_t<ConstVectorRef<S>>& tau,
                                const std::vector<CallerRows<S>>& rows, const std::type_identity_t<S>& h,
                                Deformation deformation = Deformation::counts, CompliantOptions<S> options = {}) {
  options.contact_capacity = std::max(*options.completed(NoContacts()).contact_capacity, rows.size());
  options.tie_capacity = std::max(options.tie_capacity, rows.size());
  ConstraintForces<Model<S, Joints>> forces(model, options);
  ConstrainedMotion<S> motion{forces.solve({q, v, S(0)}, Input<S>(VectorX<S>(tau)), h, rows, deformation), {}, {}, {}};
  if (motion.result) motion = {motion.result, forces.velocity(), forces.row_forces(), forces.joint_forces()};
  return motion;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class detail::CompliantRows<Model<double>>;
ACTIO_INSTANTIATE bool detail::CompliantRows<Model<double>>::add(
    detail::CompliantTree<actio::Model<double>>&, const State<double>&, const ConstVectorRef<double>&, const double&,
    const detail::ContactFinder<double>&, std::span<const CallerRows<double>>, Deformation,
    std::span<const detail::TangentialStretch<double>>) noexcept;
ACTIO_INSTANTIATE bool detail::CompliantRows<Model<double>>::add(
    detail::CompliantForest<actio::Model<double>>&, const State<double>&, const ConstVectorRef<double>&, const double&,
    const detail::ContactFinder<double>&, std::span<const CallerRows<double>>, Deformation,
    std::span<const detail::TangentialStretch<double>>) noexcept;
ACTIO_INSTANTIATE class ConstraintForces<Model<double>>;
ACTIO_INSTANTIATE class ConstraintForces<Model<double>, PlaneContacts<double>>;
#endif

}  // namespace actio
