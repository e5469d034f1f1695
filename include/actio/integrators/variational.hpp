// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The variational integrator in joint coordinates, position-momentum form.
#include <algorithm>
#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "actio/core/text.hpp"
#include "actio/dynamics/drnea/residual.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/dynamics/velocity_forces.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/shared/applied_forces.hpp"
#include "actio/integrators/shared/events.hpp"
#include "actio/integrators/shared/step_bounds.hpp"
#include "actio/integrators/shared/substeps.hpp"
#include "actio/integrators/variational/discrete_euler_lagrange.hpp"
#include "actio/integrators/variational/options.hpp"
#include "actio/integrators/variational/residual_carrier.hpp"
#include "actio/model/capabilities.hpp"
#include "actio/model/describe.hpp"
#include "actio/solvers/root/automatic.hpp"
#ifdef ACTIO_PRECOMPILED
#include "actio/contacts/plane.hpp"
#endif

namespace actio {

/// Makes the discrete action stationary. Symplectic, symmetric, of second order, conserves momenta; O(bodies) a step.
/// Given (q_k, p_k) it finds the increment x with   -D1 L_d(q_k, q_k (+) x) = p_k + F_d^-   and sets
/// p_{k+1} = D2 L_d + F_d^+.                                          [Lee et al. 2016; vi_math.md, sections 3, 4, 6-8]
/// Closed loops and couplings are satisfied at every node. Their impulses enter the equation, so that p is a momentum up to these impulses.
/// Where they cannot be satisfied exactly, as in singular poses, a step closes them with a small compliance and sets
/// StepResult::relaxed.                                                                 [srm_math.md, section 5.3]
/// Limits and dry friction that the model enforces, and contacts with Coulomb's friction, act by impulses at both ends of a step: no
/// joint ends a step beyond its limit, and no body in another if the contact is rigid. After a plastic impact they rest there, and stick
/// without creep. With restitution they bounce: see Impacts. Springs and dampers of limits and along the normals of contacts may have any
/// stiffness. All this adds no energy, apart from O(h^3) a step where M and J change. Second order, apart from a step with an impact or
/// a reversal of slip that is not located, which has an error of O(h): see Impacts, Reversals. Servos of the model are solved implicitly
/// with all of these, within the limits of their forces.
///                                                                                 [variational_contact.md, sections 3 to 7 and 10]
/// @tparam Residual how the equation is evaluated: Drnea or Svi.  @tparam Root how it is solved where no limits, friction or contacts act:
/// with them it is an iteration over cone problems.  @tparam Force a ForceField, evaluated at the middle of the step (t + h/2, q (+) x/2,
/// x/h).  @tparam Contacts a ContactSource.
template <class ModelType, class Residual = Drnea<Split>, class Root = Automatic, class Force = NoForce, class Contacts = NoContacts>
class VariationalIntegrator {
 public:
  using Model = ModelType;                     ///< a Model of any joints
  using Scalar = typename Model::Scalar;       ///< scalar type of all numbers
  using Options = VariationalOptions<Scalar>;  ///< options of the constructor
  static_assert(
      Root::jacobian != JacobianUse::factored || requires { typename Residual::template Factors<Scalar>; },
      "this root finder needs the exact Jacobian in factored form, which this residual does not provide: use DenseNewton, DenseBroyden or "
      "Riqn");
  static_assert(!has_derivatives<Scalar> || std::same_as<Force, NoForce>,
                "the exact Jacobian does not include the force field, so derivatives of a step would be wrong: pass its forces as input, "
                "or use a scalar type without derivatives");
  static constexpr int order = 2;  ///< of the error at a given time, in h
  /// Whether limits and friction may be enforced: not with ConstantCost, which makes one update.
  static constexpr bool takes_bounds = detail::StepBounds<Model, Contacts>::supported && !std::same_as<Root, ConstantCost>;
  static constexpr bool finds_contacts = detail::StepBounds<Model, Contacts>::finds_contacts;  ///< whether there is a source of contacts
  static constexpr bool reversible = !finds_contacts;  ///< a step of -h undoes a step of h, where nothing dissipates
  static_assert(ContactSource<Contacts, Scalar>);
  static_assert(!finds_contacts || takes_bounds, "contact in a variational step needs float or double, and any root finder but ConstantCost");
  static constexpr bool has_force_field = !std::same_as<Force, NoForce>;  ///< whether a Force acts

  /// The discrete state at a node and the quantities that are computed from it once.
  struct Memory {
    TreePose<Scalar> tree;               ///< at q_k
    VectorX<Scalar> p;                   ///< (nv) discrete momentum p_k [N m s, N s]
    VectorX<Scalar> gravity;             ///< (nv) joint forces of gravity at q_k [N m, N]
    VectorX<Scalar> v;                   ///< (nv) as given to reset, until the first step
    bool fresh = true;                   ///< v is valid
    int substeps = 1;                      ///< number of substeps of the last step
    Scalar energy{};                     ///< twice the kinetic energy of the last step, the scale of the next residual [J]
    AbiData<Scalar> mass;                ///< factors of M at the last step, or at an earlier one where M changes little
    /// What the root finder keeps from one root to the next.
    [[no_unique_address]] RootMemory<Root, Scalar> root;
    Scalar time{};                              ///< t_k [s]
    IncrementHistory<Scalar> history;           ///< of x, followed by the impulses of loops and couplings
    typename detail::TreeClosures<Model>::Rotations rotations;  ///< relative rotations of the loops' frames, with continuous signs
    bool redundant = false;                     ///< whether the rows of loops and couplings were redundant at the reset
    VectorX<Scalar> forces;  ///< of limits and friction with loops and couplings, half of the last step's impulses over h
    detail::ContactForces<Scalar> contacts;  ///< the same of contacts
  };

  /// @param model outlives the integrator.  @throws ModelError if it has something active that this scheme does not support, a joint that
  /// moves no mass or that the residual does not support, or a body without the inertia that the Factorization needs; OptionsError if
  /// an option is out of range.
  explicit VariationalIntegrator(const Model& model, const Options& options = {}, Force force = {})
    requires std::same_as<Contacts, NoContacts>
      : VariationalIntegrator(model, options, std::move(force), Contacts()) {}
  explicit VariationalIntegrator(Model&&, const Options& = {}, Force = {}) requires std::same_as<Contacts, NoContacts> = delete;  // would dangle
  ///@{
  /// The same with contacts: rigid, with or without restitution, or with a spring and damper or a power law along the normal; and a damper
  /// along the tangents.  @throws ModelError also if the source refers to bodies that the model lacks; OptionsError if its material has a
  /// spring along the tangents.
  explicit VariationalIntegrator(const Model& model, const Options& options, Contacts contacts)
    requires std::same_as<Force, NoForce>
      : VariationalIntegrator(model, options, Force(), std::move(contacts)) {}
  explicit VariationalIntegrator(const Model& model, const Options& options, Force force, Contacts contacts);
  ///@}
  explicit VariationalIntegrator(Model&&, const Options&, Contacts) requires std::same_as<Force, NoForce> = delete;
  explicit VariationalIntegrator(Model&&, const Options&, Force, Contacts) = delete;

  const Model& model() const noexcept { return *model_; }                         ///< as given to the constructor
  const Options& options() const noexcept { return options_; }                    ///< as given to the constructor
  const VectorX<Scalar>& configuration() const noexcept { return node_.tree.q; }  ///< q_k (nq)
  const VectorX<Scalar>& momentum() const noexcept { return node_.p; }            ///< p_k (nv) [N m s, N s]
  Scalar time() const noexcept { return node_.time; }                             ///< t_k [s]
  /// Returns the impulses L (rows) of closed loops, then couplings, over the last step or its last substep [N s, N m s]; -G^T L acts on the
  /// joints. Where rows are redundant, L is the smallest of all with the same -G^T L, in the norm  sum of (G M^-1 G^T)_kk L_k^2, unless
  /// limits or friction acted.
  auto closure_impulses() const noexcept { return y_.tail(L_.size()); }
  /// Returns the impulses (nv) of limits, dry friction of joints and contacts over the last step [N m s, N s]; empty if there are none.
  const VectorX<Scalar>& bound_impulses() const noexcept { return bounds_.impulses(); }
  /// Returns the impulses (nv) of the model's servos over the last step [N m s, N s]; empty without limits, friction, servos and contacts.
  const VectorX<Scalar>& servo_impulses() const noexcept { return bounds_.servo_impulses(); }
  ///@{
  /// Results of the last step, or its last substep, if it converged: the contacts that were closed at its end, in the order of their rows,
  /// which are the last rows; and the mean forces (rows) over the step [N, N m].
  std::span<const ContactPoint<Scalar>> contacts() const noexcept requires finds_contacts {
    return bounds_.cones().problem().contacts().acting();
  }  ///< materials are valid until the next copy
  /// Returns the force on body b of a contact, the mean over the last step without impacts with restitution, in the world [N].
  /// @param k index in contacts().
  Vector3<Scalar> contact_force(std::size_t k) const noexcept requires finds_contacts {
    return bounds_.cones().problem().contacts().acting_force(k);
  }
  const ConeRows<Scalar>& rows() const noexcept requires finds_contacts { return bounds_.cones().rows(); }
  auto row_forces() const noexcept requires finds_contacts { return bounds_.cones().row_forces(); }
  ///@}
  /// Returns how far the rates and impulses at the end of the last step are from the laws of their rows, with Coulomb's friction, also where
  /// the step relaxed it.  Allocates.
  ConeCertificate<Scalar> certificate() requires finds_contacts { return bounds_.cones().certificate(); }
  /// Returns the energy of the springs of limits, loops, couplings and contacts at the node [J].
  Scalar row_energy() noexcept requires takes_bounds {
    if (has_soft_closures()) {
      next_.rotations = node_.rotations;
      mass_.closures().place(node_.tree, next_.rotations);
    }
    return bounds_.elastic_energy(node_.tree, mass_.closures());
  }
  /// Returns the increments that initial guesses extrapolate; a caller that interleaves several sequences of steps exchanges them.
  IncrementHistory<Scalar>& increment_history() noexcept { return node_.history; }
  /// The last step. h is 0 before the first step, and after one that failed, had substeps or impacts, or relaxed a law.
  struct LastStep {
    const VectorX<Scalar>& q;  ///< (nq) q_k, where it began
    const VectorX<Scalar>& x;  ///< (nv) its increment q_{k+1} (-) q_k
    Scalar h;                  ///< its length [s]
    ConstVectorRef<Scalar> L;  ///< (rows) closure_impulses() [N s, N m s]
    const typename detail::TreeClosures<Model>::Rotations& rotations;  ///< of the loops' frames at q_k, from which signs of L follow
    const TreePose<Scalar>& tree;                                      ///< at q_k
    const typename Residual::template Data<Scalar>& data;              ///< of the residual at x
  };
  LastStep last_step() const noexcept {
    return {next_.tree.q, x_, last_h_, closure_impulses(), node_.rotations, next_.tree, equation_.data()};
  }  ///< valid until the next step
  /// Returns what limits, friction and contacts did in the last step, for StepDerivatives; valid until the next step.
  const detail::StepBounds<Model, Contacts>& last_bounds() const noexcept { return bounds_; }

  /// Sets p = M(q) v: the Legendre transform, no half step.                                    [vi_math.md, section 6]
  /// Projects velocities that closed loops and couplings do not allow on those that they allow, in the metric of M.
  /// @throws OptionsError if x is not a state of the model or violates a loop or coupling by more than the tolerance; nothing changes then.
  void reset(const State<Scalar>& x);
  /// Continues with another model, such as one with a grasped load. Throws as the constructor does; nothing changes then.
  void reset(const Model& model, const State<Scalar>& x) requires std::is_move_assignable_v<Force> && std::is_move_assignable_v<Contacts> {
    VariationalIntegrator other(model, options_, equation_.force(), bounds_.source());
    other.reset(x);
    *this = std::move(other);
  }

  /// Continues at a state near one that reset() takes, for schemes that combine steps: closes loops and couplings rather than to throw.
  /// @returns converged, or why not; the integrator is then to be restored.
  Status continue_at(const State<Scalar>& x) noexcept;

  /// Reads q, time and v = M(q)^-1 p: one factorisation and one solve.                         [vi_math.md, section 6]
  /// @returns converged, or singular if M has no inverse.
  Status read(State<Scalar>& state) noexcept;

  /// Advances to q_{k+1} and p_{k+1}; where no root is found, in 2, 4, ... substeps.  @param input enters at both nodes, half a step each.
  /// @param h [s], negative only where the model dissipates nothing.  @returns the status; on failure, its reason. The culprit is a loop or
  /// coupling, or a body if that is singular or rotated too far, or if its joint's limit or friction was not solved.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept;

  /// Makes a step again whose increment is known, for sweeps back over a run: the next node and last_step() have the same bits. In free
  /// motion without closed loops that takes half of the time of a step, and the next step() begins as after a reset; otherwise this is step().
  /// @param x (nv) last_step().x after the step, made from this node with the same input and h.
  StepResult<Scalar> repeat(const Input<Scalar>& input, Scalar h, const ConstVectorRef<Scalar>& x) noexcept;

  Memory make_memory() const { return node_; }                  ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = node_; }  ///< saves all that the next step depends on
  /// Restores a saved memory; steps continue bitwise as they did from there.
  void restore(const Memory& memory) noexcept {
    node_ = memory;
    last_h_ = Scalar(0);
  }

 private:
  using Equation = detail::DiscreteEulerLagrange<Model, Residual, Force, Root::jacobian>;

  static const Options& checked(const Options& options) {
    options.check();
    return options;
  }
  /// Returns whether loops and couplings have springs.
  bool has_soft_closures() const noexcept { return is_finite(options_.closure.stiffness); }
  /// Returns whether a step of length h takes springs between points that it does not resolve.
  bool may_be_stiff(const Scalar& h) const noexcept { return takes_bounds && h > Scalar(0); }
  static Memory blank_memory(const Model& model);
  /// Begins at a configuration in which closures are closed.  @returns false if M is singular there, and v is not projected.
  bool begin(const VectorX<Scalar>& q, const VectorX<Scalar>& v, const Scalar& time) noexcept;

  /// Adds to tau the input's joint forces and body wrenches at a share of the step, in the pose of `tree`.
  void add_input(const Input<Scalar>& input, const Scalar& share, const TreePose<Scalar>& tree, VectorX<Scalar>& tau) noexcept;

  /// Sets x_ and the impulses with which the root finder starts, after begin() of the equation.  @param start becomes `momentum` where the
  /// history does not suffice.  @returns false if M is singular.
  bool guess(InitialGuess& start, const Scalar& h) noexcept;
  /// Returns the norm above which the root finder does not start from a guess. Measured: where an extrapolation led to another root than
  /// that of the motion, its norm was 0.24 or more; from 0.03 to 0.1 on `momentum`, which includes the forces, is the better guess.
  static ValueOf<Scalar> farthest(InitialGuess start) noexcept {
    return start >= InitialGuess::linear ? ValueOf<Scalar>(0.05) : std::numeric_limits<ValueOf<Scalar>>::infinity();
  }
  /// Computes a = M^-1 (forces + springs - D v - C(q, v) v): forward dynamics with the present factors. Loops and couplings act with the
  /// forces -dL_, without the rate of change of their Jacobian.  @returns a^T M a.
  Scalar acceleration(const VectorX<Scalar>& v, VectorX<Scalar>& a) noexcept;

  using Part = detail::StepPart<Scalar>;
  using Substeps = detail::Substeps<Memory, Scalar>;
  friend struct detail::StepEvents;
  /// Sets the forces where a part begins, and the momenta that its increment must leave.
  void begin_forces(const Part& part) noexcept;
  /// Sets x_ to the increment over a part.
  void find_increment(const Part& part, StepResult<Scalar>& result) noexcept;
  /// Computes the node at the end of a part, after find_increment().
  void find_end(const Part& part, StepResult<Scalar>& result) noexcept;
  /// Returns the smallest gap of what waits for an impact.  @param at_end of the part, else at its beginning.
  Scalar waiting_gap(bool at_end) const noexcept { return bounds_.waiting_gap(node_.tree.q, at_end ? &x_ : nullptr); }
  /// Applies an impact to the node at the end of a part, or where it begins.
  void impact(const Part& part, bool at_end, StepResult<Scalar>& result) noexcept {
    const int impacts = result.impacts;
    if (!at_end) z_ = known_ - node_.p;
    bounds_.strike(mass_, node_.tree.q, x_, at_end ? nullptr : &z_, part.law(), at_end ? next_ : node_, result);
    if (result.impacts > impacts) node_.history.clear();
  }
  /// Goes to the end of a part, after find_end().  @param jumps whether velocities or forces jump there.
  void finish(const Part& part, bool jumps, StepResult<Scalar>& result) noexcept;

  const Model* model_;
  Options options_;
  Memory node_, next_, backup_;
  detail::NodeMass<Model> mass_;
  Equation equation_;
  typename Root::template Workspace<Scalar> root_;
  RootMemory<Root, Scalar> learned_;  // in the present substep
  detail::VelocityData<Scalar> sweeps_;
  JointMomentumData<Scalar> momentum_;
  GravityData<Scalar> gravity_;
  detail::AppliedForces<Model> applied_;
  detail::ResidualCarrier<Model> carrier_;
  detail::StepBounds<Model, Contacts> bounds_;
  VectorX<Scalar> x_, y_, guess_, z_, forces_, known_, v_, f_, L_, dL_;  // y = (x, L) of the last step
  Scalar last_h_{};
  BodyArray<Vector6<Scalar>> wrench_;
};

///@{
/// Deduce the type from a source of contacts or a force field as the last argument, which constructors alone do not tell apart.
template <class ModelType, ContactSource<typename ModelType::Scalar> Contacts>
VariationalIntegrator(const ModelType&, const VariationalOptions<typename ModelType::Scalar>&, Contacts)
    -> VariationalIntegrator<ModelType, Drnea<Split>, Automatic, NoForce, Contacts>;
template <class ModelType, class Force>
  requires(!ContactSource<Force, typename ModelType::Scalar>)
VariationalIntegrator(const ModelType&, const VariationalOptions<typename ModelType::Scalar>&, Force)
    -> VariationalIntegrator<ModelType, Drnea<Split>, Automatic, Force>;
template <class ModelType, class Force, ContactSource<typename ModelType::Scalar> Contacts>
VariationalIntegrator(const ModelType&, const VariationalOptions<typename ModelType::Scalar>&, Force, Contacts)
    -> VariationalIntegrator<ModelType, Drnea<Split>, Automatic, Force, Contacts>;
///@}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::VariationalIntegrator(const Model& model, const Options& options,
                                                                                     Force force, Contacts contacts)
    : model_(&model),
      options_(checked(options)),
      node_(blank_memory(model)),
      next_(node_),
      backup_(node_),
      mass_(model, options.springs, options.factorization, has_soft_closures()),
      equation_(model, mass_, std::move(force)),
      root_(model.nv()),
      sweeps_(model),
      momentum_(model),
      gravity_(model),
      applied_(model),
      carrier_(model),
      bounds_(model, "variational", options_, options_.factorization, mass_.closures().size(), model.nv(), std::move(contacts)) {
  constexpr bool closes = Equation::takes_loops && Root::jacobian != JacobianUse::dense;
  constexpr std::string_view scheme = std::same_as<Root, ConstantCost> ? "variational with ConstantCost"
                                      : closes                         ? "variational"
                                      : Equation::takes_loops          ? "variational with a dense Jacobian"
                                                                       : "variational with Svi";
  static_assert(!finds_contacts || Equation::takes_loops, "contact needs the displacements of bodies, which Drnea provides");
  constexpr bool bounds = takes_bounds;
  require_support(model, {.loops = closes, .couplings = closes, .limits = bounds, .friction = bounds, .contact = finds_contacts,
                          .servos = bounds, .restitution = bounds, .dampers = bounds}, scheme);
  detail::require_inertia(model, "variational");
  if (has_soft_closures() && !takes_bounds) detail::refuse(scheme, "springs of loops", "leave VariationalOptions::closure rigid");
  for (VectorX<Scalar>* work : {&x_, &z_, &forces_, &known_, &v_, &f_}) work->setZero(model.nv());
  L_ = dL_ = VectorX<Scalar>::Zero(mass_.closures().size());
  y_ = guess_ = VectorX<Scalar>::Zero(model.nv() + L_.size());
  for (Memory* node : {&node_, &next_, &backup_}) bounds_.size(*node);
  if (model.num_bodies() > 0) wrench_ = BodyArray<Vector6<Scalar>>(model.num_bodies(), Vector6<Scalar>::Zero());
  begin(model.neutral(), v_, Scalar(0));
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::reset(const State<Scalar>& x) {
  detail::require_state(*model_, x);
  if (mass_.has_rows()) {
    place(*model_, next_.tree, x.q);
    detail::TreeClosures<Model>& closures = mass_.closures();
    auto rotations = closures.make_rotations();
    closures.place(next_.tree, rotations);
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      using std::abs;
      if (value_of(Scalar(abs(closures[k].value))) <= options_.closure_tolerance) continue;
      throw OptionsError("state of model '" + model_->name() + "': " + describe(*model_, closures.culprit(k)) +
                         " has a constraint violation of " + detail::to_text(double(value_of(closures[k].value)), 3) +
                         "; close_loops(model, q) returns a closed configuration close to q");
    }
  }
  std::fill(node_.rotations.begin(), node_.rotations.end(), Quaternion<Scalar>(Scalar(1), Scalar(0), Scalar(0), Scalar(0)));
  begin(x.q, x.v, x.time);
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
Status VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::continue_at(const State<Scalar>& x) noexcept {
  next_.tree.q = x.q;
  for (int k = 0; k < 3 && mass_.has_rows(); ++k) {  // twice as many digits each time, of which only the last few lack
    place(*model_, node_.tree, next_.tree.q);
    mass_.begin(node_, Scalar(0), next_.mass);
    if (mass_.most_open() <= ValueOf<Scalar>(16) * epsilon<Scalar>) break;
    if (!mass_.factor()) return Status::singular;
    mass_.to_closed(z_, L_);
    model_->integrate(node_.tree.q, z_, next_.tree.q);
  }
  if (!begin(next_.tree.q, x.v, x.time)) return Status::singular;
  return detail::is_finite_vector(node_.tree.q) && detail::is_finite_vector(node_.p) ? Status::converged : Status::not_finite;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
Status VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::read(State<Scalar>& state) noexcept {
  z_ = node_.v;
  if (!node_.fresh) {
    mass_.begin(node_, Scalar(0), next_.mass);
    if (!mass_.factor()) return Status::singular;
    mass_.solve(node_.p, z_, L_);
  }
  state.v = z_;
  state.q = node_.tree.q;
  state.time = node_.time;
  return Status::converged;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
auto VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::step(const Input<Scalar>& input, Scalar h) noexcept
    -> StepResult<Scalar> {
  StepResult<Scalar> result;
  last_h_ = Scalar(0);
  if (!detail::is_valid_step(*model_, h, reversible && !has_soft_closures())) result.status = Status::invalid_step;
  else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
  if (!result) return result;
  const bool may_relax = mass_.has_rows() && options_.relaxation > 0;
  const int last_substeps = node_.substeps;
  bool is_whole = true;
  for (RelaxedLaws relaxed;;) {
    // In a pose in which loops cannot be closed exactly smaller substeps do not help.
    const int enough = may_relax && !relaxed.loops ? 4 : options_.max_halvings;
    for (Substeps substeps(node_, backup_, h, std::min(enough, options_.max_halvings), result); substeps.next();) {
      detail::StepEvents::advance(*this, bounds_, input, relaxed, substeps, result);
      is_whole = substeps.pieces() == 1;
    }
    if (result) {
      relaxed.restitution |= result.relaxed.restitution;
      result.relaxed = relaxed;
    }
    if (result || result.status == Status::callback_failed) break;
    const bool has_room = result.status != Status::capacity;
    if (!detail::relax_one_more({.loops = may_relax, .friction = finds_contacts && has_room, .restitution = bounds_.may_bounce() && has_room},
                                relaxed)) break;
    if (relaxed.friction || relaxed.restitution) node_.substeps = 1;  // the convex law is solved as well in a whole step
  }
  if (!result) node_.substeps = last_substeps;
  if (result && result.substeps == 1 && is_whole && result.impacts == 0 && result.reversals == 0 && !result.relaxed) last_h_ = h;
  return result;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
auto VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::repeat(const Input<Scalar>& input, Scalar h,
                                                                              const ConstVectorRef<Scalar>& x) noexcept -> StepResult<Scalar> {
  if (mass_.has_rows() || has_soft_closures() || bounds_.may_act()) return step(input, h);
  StepResult<Scalar> result;
  last_h_ = Scalar(0);
  if (!detail::is_valid_step(*model_, h, reversible)) result.status = Status::invalid_step;
  else if (!is_valid(*model_, input) || x.size() != x_.size()) result.status = Status::invalid_input;
  if (!result) return result;
  const Part part{input, h, Scalar(0), Scalar(1), {}};
  begin_forces(part);
  x_ = x;
  learned_ = {};
  equation_.begin(mass_, node_, known_, h, next_.mass);
  equation_.evaluate(x_);
  if (equation_.field_failed()) result.status = Status::callback_failed;
  else find_end(part, result);
  if (result) finish(part, false, result);
  if (!result) return result;
  node_.energy = Scalar(0);
  node_.history.clear();
  node_.substeps = 1;
  last_h_ = h;
  return result;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
auto VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::blank_memory(const Model& model) -> Memory {
  const VectorX<Scalar> zero = VectorX<Scalar>::Zero(model.nv());
  const detail::TreeClosures<Model> closures(model);
  return {TreePose<Scalar>(model), zero, zero, zero, true, 1, Scalar(0), AbiData<Scalar>(model), {}, Scalar(0),
          IncrementHistory<Scalar>(model.nv() + closures.size()), closures.make_rotations(), false, {}, {}};
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
bool VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::begin(const VectorX<Scalar>& q, const VectorX<Scalar>& v,
                                                                           const Scalar& time) noexcept {
  place(*model_, node_.tree, q);
  node_.v = v;
  node_.fresh = true;
  node_.time = time;
  last_h_ = Scalar(0);
  node_.history.clear();
  node_.substeps = 1;
  node_.energy = Scalar(0);
  node_.root = {};
  node_.redundant = false;
  node_.forces.setZero();
  node_.contacts.size = 0;
  bounds_.forget();
  node_.p = joint_momentum(*model_, node_.tree, momentum_, v);
  gravity_forces(*model_, node_.tree, gravity_, node_.gravity);
  if (!mass_.has_rows()) return true;
  mass_.begin(node_, Scalar(0), next_.mass);
  if (!mass_.factor()) return false;
  node_.redundant = mass_.finds_redundant();
  mass_.solve(node_.p, node_.v, L_);
  node_.p = joint_momentum(*model_, node_.tree, momentum_, node_.v);
  return true;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::add_input(const Input<Scalar>& input, const Scalar& share,
                                                                        const TreePose<Scalar>& tree, VectorX<Scalar>& tau) noexcept {
  input.add_tau_at(share, tau);
  if (!input.has_wrenches()) return;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) wrench_[i] = input.wrench_at(share, i);
  add_wrench_forces(*model_, tree, wrench_, tau);
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
bool VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::guess(InitialGuess& start, const Scalar& h) noexcept {
  x_.setZero();
  if (start == InitialGuess::zero) return true;
  Scalar energy(0);
  const int wanted = start >= InitialGuess::linear ? static_cast<int>(start) - static_cast<int>(InitialGuess::linear) + 2 : 1;
  // With a short history the momentum is the better guess, unless it would push against limits and contacts.
  if (start != InitialGuess::momentum && node_.history.extrapolate(wanted, h, guess_) < std::min(wanted, bounds_.act() ? 1 : 3)) {
    start = InitialGuess::momentum;
  }
  if ((start == InitialGuess::momentum || start == InitialGuess::dynamics) && !mass_.factor()) return false;
  if (start == InitialGuess::momentum) {
    const Scalar of_momentum = mass_.solve(node_.p, v_, L_);
    energy = of_momentum + h * h * acceleration(v_, z_);
    x_ = h * v_ + (h * h / Scalar(2)) * z_;
    L_ = -L_ - (h / Scalar(2)) * dL_;
  } else {
    x_ = guess_.head(x_.size());
    bounds_.round_guess(node_.tree.q, x_);
    L_ = guess_.tail(L_.size());
    if (start == InitialGuess::dynamics) {
      v_ = x_ / h;
      acceleration(v_, z_);
      x_ += (h * h) * z_;
    }
  }
  equation_.set_guess(L_, energy);
  return true;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
auto VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::acceleration(const VectorX<Scalar>& v, VectorX<Scalar>& a) noexcept
    -> Scalar {
  velocity_forces(*model_, node_.tree, sweeps_, v, f_);
  f_ = forces_ - f_;
  add_spring_forces(*model_, node_.tree.q, f_);
  add_damping_forces(*model_, v, f_);
  return mass_.solve(f_, a, dL_);
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::begin_forces(const Part& part) noexcept {
  const Scalar half = part.h / Scalar(2);
  forces_ = node_.gravity;
  applied_.begin(node_.tree, part.h);
  applied_.add(node_.tree, forces_);
  add_input(part.input, part.begin, node_.tree, forces_);
  known_ = node_.p + half * forces_;
  if constexpr (Residual::includes_gravity) known_ -= half * node_.gravity;
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::find_increment(const Part& part, StepResult<Scalar>& result) noexcept {
  const Scalar& h = part.h;
  const Scalar compliance(part.relaxed.loops ? options_.relaxation : 0);  // of closed loops, relative to their mobility
  begin_forces(part);
  if (applied_.any_stiff() && !may_be_stiff(h)) {
    result.status = Status::max_iterations;  // shorter substeps resolve the springs
    result.culprit = applied_.culprit();
    return;
  }
  learned_ = node_.root;
  RootResult<ValueOf<Scalar>> root{};
  InitialGuess start = options_.guess;
  for (bool keeps_mass = detail::keeps_inverse(node_.root);; keeps_mass = false, start = InitialGuess::momentum) {
    result.status = bounds_.begin(node_, applied_);
    if (!result) return;
    equation_.begin(mass_, node_, known_, h, next_.mass, keeps_mass, compliance);
    const bool has_guess = guess(start, h);
    const RootOptions<ValueOf<Scalar>> how{options_.tolerance, options_.max_iterations, farthest(start)};
    const auto count = [&] {
      result.method = root.method;
      result.iterations += root.iterations;
      result.evaluations += root.evaluations;
      result.factorizations += root.factorizations;
    };
    root = {};
    root.status = Status::singular;
    if (has_guess && !bounds_.act()) {
      root = find_root<Root, Scalar>(equation_, x_, root_, learned_, how);
      if (root.status == Status::converged) root.status = bounds_.has_landed(equation_, node_.tree.q, x_);
      if (bounds_.act()) count();
    }
    if (has_guess && bounds_.act()) {
      z_ = known_ - node_.p;
      root = bounds_.solve(mass_, node_, node_.p, how, part.law(), part.input.servo, z_, x_, result.culprit, [&](auto& cones) {
        equation_.add_to_scale(cones.problem().energy_of(z_));  // at rest, limits and contacts balance these
        return detail::PositionCone(equation_, cones, how.tolerance);
      });
    }
    count();
    result.factorizations += mass_.factorizations();
    if (root.status == Status::converged || start == InitialGuess::momentum || equation_.field_failed()) break;
  }
  if (!(root.norm <= result.residual)) result.residual = root.norm;  // of the worst substep
  const auto [violation, most_open] = equation_.rows().most_open();
  if (root.status != Status::converged && !bounds_.act()) result.culprit = most_open;
  if (equation_.singular() != 0) {
    root.status = is_finite(Scalar(x_.squaredNorm())) ? Status::singular : Status::not_finite;
    result.culprit = Culprit::body(static_cast<int>(equation_.singular()));
  }
  result.status = root.status;
  if (equation_.field_failed()) result.status = Status::callback_failed;
  constexpr ValueOf<Scalar> widest(1e-3F);  // largest violation of loops with compliance; shorter substeps violate less
  if (result && compliance > Scalar(0) && violation > widest) {
    result.status = Status::max_iterations;
    result.culprit = most_open;
  }
  if (!result) return;
  if (const BodyIndex body = equation_.overturned(); body != 0) {
    result.status = Status::rotation_too_large;
    result.culprit = Culprit::body(static_cast<int>(body));
  }
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::find_end(const Part& part, StepResult<Scalar>& result) noexcept {
  const Scalar &h = part.h, half = h / Scalar(2);
  model_->integrate(node_.tree.q, x_, next_.tree.q);
  place(*model_, next_.tree, next_.tree.q);
  if (bounds_.act()) bounds_.end_positions(f_);
  equation_.finish(next_.tree, x_, bounds_.act() ? &f_ : nullptr, z_, next_.p);
  gravity_forces(*model_, next_.tree, gravity_, next_.gravity);
  if constexpr (Residual::includes_gravity) forces_.setZero();
  else forces_ = next_.gravity;
  applied_.add(next_.tree, forces_);
  add_input(part.input, part.end, next_.tree, forces_);
  next_.p += half * forces_;
  if (options_.carry_residual && !bounds_.rests(node_.tree.q, x_)) {
    carrier_.carry(*model_, node_.tree, next_.tree, x_, known_, h, z_);
    next_.p -= z_;
  }
  if (bounds_.act()) bounds_.add_momentum(mass_, x_, next_, result);
}

template <class ModelType, class Residual, class Root, class Force, class Contacts>
void VariationalIntegrator<ModelType, Residual, Root, Force, Contacts>::finish(const Part& part, bool jumps,
                                                                              StepResult<Scalar>& result) noexcept {
  if (!detail::is_finite_vector(next_.p) || !detail::is_finite_vector(next_.tree.q)) {
    result.status = Status::not_finite;
    return;
  }
  std::swap(node_.tree, next_.tree);
  std::swap(node_.p, next_.p);
  std::swap(node_.gravity, next_.gravity);
  if (mass_.factorizations() > 0) std::swap(node_.mass, next_.mass);
  node_.fresh = false;
  node_.energy = equation_.energy();
  node_.root = learned_;
  node_.time += part.h;
  if (bounds_.act() && detail::keeps_inverse(node_.root)) node_.root = {};
  y_ << x_, equation_.rows().impulses();
  bounds_.store(node_, part.h, y_);
  if (bounds_.landed() || jumps) node_.history.clear();
  node_.history.push(y_, part.h);
  bounds_.set_closure_impulses(y_);
  node_.rotations = mass_.rotations();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class detail::DiscreteEulerLagrange<Model<double>, Drnea<Split>, NoForce, JacobianUse::factored>;
ACTIO_INSTANTIATE class VariationalIntegrator<Model<double>>;
ACTIO_INSTANTIATE class VariationalIntegrator<Model<double>, Drnea<Split>, Newton>;
ACTIO_INSTANTIATE class VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost>;
ACTIO_INSTANTIATE class VariationalIntegrator<Model<double>, Drnea<Quat>>;
ACTIO_INSTANTIATE class VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>>;
#endif

}  // namespace actio
