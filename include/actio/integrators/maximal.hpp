// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The variational integrator in maximal coordinates.
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "actio/core/text.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/maximal/bounds.hpp"
#include "actio/integrators/maximal/equations.hpp"
#include "actio/integrators/maximal/options.hpp"
#include "actio/integrators/shared/applied_forces.hpp"
#include "actio/integrators/shared/events.hpp"
#include "actio/integrators/shared/increment_history.hpp"
#include "actio/integrators/shared/substeps.hpp"
#include "actio/model/capabilities.hpp"
#include "actio/model/describe.hpp"
#include "actio/solvers/root/newton.hpp"

namespace actio {

/// Makes the discrete action stationary in the coordinates of all bodies. Joints, loops, couplings and nonholonomic constraints have
/// impulses, so that closed loops are treated as joints are; poses satisfy all constraints at every node. One sparse system a Newton
/// update, in linear time on trees. Without nonholonomic constraints the same map as VariationalIntegrator of the kind Quat.
///                                                             [Brüdigam and Manchester 2020; vi_math.md, section 11]
/// Limits and dry friction that the model enforces, its servos, and contacts act as in VariationalIntegrator, by impulses at both ends of a
/// step, and impacts with restitution between two, on models with nonholonomic constraints too.
///                                                                                           [variational_contact.md, sections 3, 4, 5 and 9]
/// @tparam Root how the equations are solved where no limits, friction or contacts act, without a dense Jacobian: with them it is an
/// iteration over cone problems.  @tparam Force a ForceField, evaluated at the middle of the step (t + h/2, q (+) x/2, x/h).
/// @tparam Contacts a ContactSource.
template <class ModelType, class Root = Newton, class Force = NoForce, class Contacts = NoContacts>
class MaximalIntegrator {
 public:
  using Model = ModelType;                 ///< a Model of any joints
  using Scalar = typename Model::Scalar;   ///< scalar type of all numbers
  using Options = MaximalOptions<Scalar>;  ///< options of the constructor
  static_assert(!has_derivatives<Scalar> || std::same_as<Force, NoForce>,
                "the Jacobian of a step does not include the force field, so derivatives would be wrong: pass its forces as input, or use "
                "a scalar type without derivatives");
  static constexpr int order = 2;           ///< of the error at a given time, in h
  static constexpr bool takes_bounds = detail::StepBounds<Model, Contacts>::supported;    ///< whether limits and friction may be enforced
  static constexpr bool finds_contacts = detail::StepBounds<Model, Contacts>::finds_contacts;  ///< whether there is a source of contacts
  static constexpr bool reversible = !finds_contacts;  ///< a step of -h undoes a step of h, where nothing dissipates
  static_assert(ContactSource<Contacts, Scalar>);
  static_assert(!finds_contacts || takes_bounds, "contact in a variational step needs float or double");
  static constexpr bool has_force_field = !std::same_as<Force, NoForce>;  ///< whether a Force acts

  /// The discrete state at a node and the quantities that are computed from it once.
  struct Memory {
    detail::ConstrainedPose<Scalar> at;                  ///< the bodies' poses and constraint rows
    BodyArray<Vector6<Scalar>> P;         ///< discrete momenta of the bodies about their centres of mass, in their axes, up to constraint
                                          ///< impulses [N m s, N s]
    BodyArray<Vector3<Scalar>> gravity;   ///< in the bodies' axes [m/s^2]
    BodyArray<Vector6<Scalar>> interval;  ///< twists about the centres of mass over the last step, in the bodies' axes at its end;
                                          ///< with NodeVelocity::interval only [rad/s, m/s]
    VectorX<Scalar> v;                    ///< (nv) as given to reset, until the first step
    bool fresh = true;                    ///< v is valid
    int substeps = 1;                       ///< number of substeps of the last step
    Scalar time{};                        ///< t_k [s]
    IncrementHistory<Scalar> history;     ///< of velocities times h, and impulses
    VectorX<Scalar> forces;  ///< of limits and friction with loops and couplings, half of the last step's impulses over h
    detail::ContactForces<Scalar> contacts;  ///< the same of contacts
  };

  /// Begins at rest at the neutral configuration; call reset before step if loops are open there.
  /// @param model outlives the integrator.  @throws ModelError if it has something active that this scheme does not support, or a body that
  /// lacks mass or inertia; OptionsError if an option is out of range.
  explicit MaximalIntegrator(const Model& model, const Options& options = {}, Force force = {})
    requires std::same_as<Contacts, NoContacts>
      : MaximalIntegrator(model, options, std::move(force), Contacts()) {}
  explicit MaximalIntegrator(Model&&, const Options& = {}, Force = {}) requires std::same_as<Contacts, NoContacts> = delete;  // would dangle
  ///@{
  /// The same with contacts, as for VariationalIntegrator.  @throws ModelError also if the source refers to bodies that the model lacks;
  /// OptionsError if its material has a spring along the tangents.
  explicit MaximalIntegrator(const Model& model, const Options& options, Contacts contacts)
    requires std::same_as<Force, NoForce>
      : MaximalIntegrator(model, options, Force(), std::move(contacts)) {}
  explicit MaximalIntegrator(const Model& model, const Options& options, Force force, Contacts contacts);
  ///@}
  explicit MaximalIntegrator(Model&&, const Options&, Contacts) requires std::same_as<Force, NoForce> = delete;
  explicit MaximalIntegrator(Model&&, const Options&, Force, Contacts) = delete;

  const Model& model() const noexcept { return *model_; }                       ///< as given to the constructor
  const Options& options() const noexcept { return options_; }                  ///< as given to the constructor
  const VectorX<Scalar>& configuration() const noexcept { return node_.at.q; }  ///< q_k (nq)
  Scalar time() const noexcept { return node_.time; }                           ///< t_k [s]

  /// Projects velocities that active loops, couplings and nonholonomic constraints do not allow on those that they allow, in the metric of
  /// the inertia.  @throws OptionsError if x is not a state of the model or violates a loop, coupling or rolling contact by more than the
  /// tolerance; nothing changes then.
  void reset(const State<Scalar>& x);
  /// Continues with another model, such as one with a grasped load. Throws as the constructor does; nothing changes then.
  void reset(const Model& model, const State<Scalar>& x) requires std::is_move_assignable_v<Force> && std::is_move_assignable_v<Contacts> {
    MaximalIntegrator other(model, options_, equations_.force(), source());
    other.reset(x);
    *this = std::move(other);
  }

  /// Continues at a state near one that reset() takes, for schemes that combine steps: closes constraints rather than to throw.
  /// @returns converged, or why not; the integrator is then to be restored.
  Status continue_at(const State<Scalar>& x) noexcept;

  /// Reads q, time and v from the momenta, projected on the constraints: one factorisation and one solve.  [vi_math.md, section 11.4]
  /// @returns converged, or singular if that cannot be factored.
  Status read(State<Scalar>& state) noexcept;
  /// Returns the largest gap of a joint, a loop or a rolling contact at the node [m].
  Scalar gap() const noexcept { return equations_.bodies().gap(node_.at); }
  /// Returns the impulses (nv) of limits, dry friction of joints and contacts over the last step [N m s, N s]; empty if there are none.
  const VectorX<Scalar>& bound_impulses() const noexcept {
    if constexpr (takes_bounds) return bounds_ ? bounds_->bounds().impulses() : none_;
    else return none_;
  }
  /// Returns the impulses (nv) of the model's servos over the last step [N m s, N s]; empty without limits, friction, servos and contacts.
  const VectorX<Scalar>& servo_impulses() const noexcept {
    if constexpr (takes_bounds) return bounds_ ? bounds_->bounds().servo_impulses() : none_;
    else return none_;
  }
  ///@{
  /// Results of the last step, or its last substep, if it converged: the contacts that were closed at its end, in the order of their rows,
  /// which are the last rows; and the mean forces (rows) over the step [N, N m].
  std::span<const ContactPoint<Scalar>> contacts() const noexcept requires finds_contacts {
    return bounds_->bounds().cones().problem().contacts().acting();
  }  ///< materials are valid until the next copy
  /// Returns the force on body b of a contact, the mean over the last step, in the world [N].
  /// @param k index in contacts().
  Vector3<Scalar> contact_force(std::size_t k) const noexcept requires finds_contacts {
    return bounds_->bounds().cones().problem().contacts().acting_force(k);
  }
  const ConeRows<Scalar>& rows() const noexcept requires finds_contacts { return bounds_->bounds().cones().rows(); }
  auto row_forces() const noexcept requires finds_contacts { return bounds_->bounds().cones().row_forces(); }
  ///@}
  /// Returns how far the rates and impulses at the end of the last step are from the laws of their rows, with Coulomb's friction, also where
  /// the step relaxed it.  Allocates.
  ConeCertificate<Scalar> certificate() requires finds_contacts { return bounds_->bounds().cones().certificate(); }
  /// Returns the energy of the springs of limits, loops, couplings and contacts at the node [J].
  Scalar row_energy() noexcept requires takes_bounds { return bounds_ ? bounds_->elastic_energy(node_.at) : Scalar(0); }

  /// Advances to the next node; where no root is found, in 2, 4, ... substeps.  @param input enters at both nodes, half a step each.
  /// @param h [s], negative only where the model dissipates nothing.  @returns the status; on failure, its reason; the culprit is a
  /// body or constraint that is singular, a body that rotated too far or whose contact or joint's limit or friction was not solved, or else
  /// the loop, coupling or nonholonomic constraint with the largest violation at the last iterate.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept;

  Memory make_memory() const { return node_; }                     ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { memory = node_; }     ///< saves all that the next step depends on
  void restore(const Memory& memory) noexcept { node_ = memory; }  ///< restores a saved memory; steps continue bitwise

 private:
  struct Nothing {};
  using Bounds = typename std::conditional_t<takes_bounds, std::type_identity<detail::MaximalBounds<Model, Contacts>>,
                                             std::type_identity<Nothing>>::type;

  static const Model& checked(const Model& model);
  Memory blank_memory();
  Contacts source() const {
    if constexpr (finds_contacts) return bounds_->bounds().source();
    else return Contacts();
  }
  /// Returns whether loops and couplings have springs.
  bool has_soft_closures() const noexcept { return is_finite(options_.closure.stiffness); }
  /// Returns whether limits, friction, servos, contacts or springs of loops act in this substep.
  bool act() const noexcept {
    if constexpr (takes_bounds) return bounds_ && bounds_->bounds().act();
    return false;
  }
  /// Returns whether impacts with restitution may be relaxed.
  bool may_bounce() const noexcept {
    if constexpr (takes_bounds) return bounds_ && bounds_->bounds().may_bounce();
    return false;
  }

  /// Begins at a configuration in which closures are closed.  @returns false if the matrix is singular there, and v is not projected.
  bool begin(const VectorX<Scalar>& q, const VectorX<Scalar>& v, const Scalar& time) noexcept;
  detail::MaximalSystem<Model>& system() noexcept { return equations_.system(); }
  static auto entries(BodyIndex i, VectorX<Scalar>& y) { return detail::MaximalSystem<Model>::u_of(i, y); }

  /// Sets tau_ to the velocities v with the momenta at the node that the constraints allow.  @returns false if that is singular.
  bool set_velocities() noexcept;
  /// Computes the twists of the bodies' frames at joint velocities v at the node.
  void set_twists(const VectorX<Scalar>& v, BodyArray<Vector6<Scalar>>& twists) const noexcept;
  /// Sets P = M V from the velocities v at the node, with the armature.
  void set_momenta() noexcept;
  /// Adds to P the difference between the momenta that a preceding interval with the same velocities and forces would have led to and those
  /// at the start.
  void add_interval_before(const Input<Scalar>& input, const Scalar& share, const Scalar& h, BodyArray<Vector6<Scalar>>& P) noexcept;
  void set_gravity(Memory& node) const noexcept;
  /// Returns the tree at a node; valid until the next call.
  const TreePose<Scalar>& set_tree(const Memory& node) noexcept {
    place(*model_, tree_, node.at.q);
    return tree_;
  }

  /// Adds h/2 (gravity + constant forces + springs + input at a share of the step) to P, at a node.
  void add_forces(const Memory& node, const Input<Scalar>& input, const Scalar& share, const Scalar& half,
                  BodyArray<Vector6<Scalar>>& P) noexcept;

  /// Returns the norm above which the root finder does not start from a guess: an extrapolated one may lead to another root than that of
  /// the motion.
  static ValueOf<Scalar> farthest(bool extrapolates) noexcept {
    return extrapolates ? ValueOf<Scalar>(0.05) : std::numeric_limits<ValueOf<Scalar>>::infinity();
  }
  using Part = detail::StepPart<Scalar>;
  using Substeps = detail::Substeps<Memory, Scalar>;
  friend struct detail::StepEvents;
  /// Finds y_ for a part.
  void find_increment(const Part& part, StepResult<Scalar>& result) noexcept;
  /// Computes the node at the end of a part, after find_increment().
  void find_end(const Part& part, StepResult<Scalar>& result) noexcept;
  /// Returns the smallest gap of what waits for an impact.  @param at_end of the part, else at its beginning.
  Scalar waiting_gap(bool at_end) const noexcept { return bounds_->waiting_gap(at_end ? next_.at.q : node_.at.q, at_end); }
  /// Applies an impact to the node at the end of a part, or where it begins.
  void impact(const Part& part, bool at_end, StepResult<Scalar>& result) noexcept;
  /// Goes to the end of a part, after find_end().  @param jumps whether velocities or forces jump there.
  void finish(const Part& part, bool jumps, StepResult<Scalar>& result) noexcept;

  /// Finds y_ for a substep of length h, and adds to the counts of `result`.  @param servo as Input::servo.
  RootResult<ValueOf<Scalar>> solve(const Scalar& h, ConeLaw law, const VectorX<Scalar>& servo, StepResult<Scalar>& result) noexcept;

  const Model* model_;
  Options options_;
  detail::MaximalEquations<Model, Force> equations_;
  Memory node_, next_, backup_;
  typename Root::template Workspace<Scalar> root_;
  BodyArray<Vector6<Scalar>> known_;
  TreePose<Scalar> tree_;
  detail::AppliedForces<Model> applied_;
  bool has_joint_forces_;
  VectorX<Scalar> y_, tau_, left_, none_;
  std::optional<Bounds> bounds_;  // if any limit or friction is enforced, or there are servos or a source of contacts
};

///@{
/// Deduce the type from a source of contacts or a force field as the last argument, which constructors alone do not tell apart.
template <class ModelType, ContactSource<typename ModelType::Scalar> Contacts>
MaximalIntegrator(const ModelType&, const MaximalOptions<typename ModelType::Scalar>&, Contacts)
    -> MaximalIntegrator<ModelType, Newton, NoForce, Contacts>;
template <class ModelType, class Force>
  requires(!ContactSource<Force, typename ModelType::Scalar>)
MaximalIntegrator(const ModelType&, const MaximalOptions<typename ModelType::Scalar>&, Force)
    -> MaximalIntegrator<ModelType, Newton, Force>;
template <class ModelType, class Force, ContactSource<typename ModelType::Scalar> Contacts>
MaximalIntegrator(const ModelType&, const MaximalOptions<typename ModelType::Scalar>&, Force, Contacts)
    -> MaximalIntegrator<ModelType, Newton, Force, Contacts>;
///@}

template <class ModelType, class Root, class Force, class Contacts>
MaximalIntegrator<ModelType, Root, Force, Contacts>::MaximalIntegrator(const Model& model, const Options& options, Force force,
                                                                           Contacts contacts)
    : model_(&model), options_((options.check(), options)),
      equations_(checked(model), options.springs, std::move(force)), node_(blank_memory()), next_(node_),
      backup_(node_), root_(system().size()), known_(node_.P), tree_(model), applied_(model),
      has_joint_forces_(!model.properties().force.isZero(Scalar(0))), y_(VectorX<Scalar>::Zero(system().size())), tau_(node_.v), left_(node_.v) {
  if (has_soft_closures()) {  // they have no rows here, but in the problems P and V
    if (!takes_bounds) detail::refuse("maximal", "springs of loops with these scalars", "leave MaximalOptions::closure rigid");
    const auto closures = detail::closures_of(model);
    for (std::size_t k = 0; k < detail::num_rows(closures); ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      if (!detail::closure_of(closures, row).nonholonomic) system().set_closure(row, Scalar(0), Scalar(1));
    }
  }
  if constexpr (takes_bounds) {
    if (finds_contacts || has_soft_closures() || !detail::joint_bounds(model).empty() || !model.springs().empty()) {
      bounds_.emplace(model, options_, system().size(), std::move(contacts));
      for (Memory* node : {&node_, &next_, &backup_}) bounds_->bounds().size(*node);
    }
  }
  begin(model.neutral(), VectorX<Scalar>::Zero(model.nv()), Scalar(0));
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::reset(const State<Scalar>& x) {
  detail::require_state(*model_, x);
  equations_.bodies().place(next_.at, x.q);
  const auto [k, open] = equations_.bodies().most_open(next_.at);
  if (!has_soft_closures() && !(value_of(open) <= options_.closure_tolerance)) {
    throw OptionsError("state of model '" + model_->name() + "': " + describe(*model_, equations_.bodies().culprit(k)) +
                       " has a constraint violation of " + detail::to_text(double(value_of(open)), 3) +
                       "; close_loops(model, q) returns a closed configuration close to q");
  }
  begin(x.q, x.v, x.time);
}

template <class ModelType, class Root, class Force, class Contacts>
Status MaximalIntegrator<ModelType, Root, Force, Contacts>::continue_at(const State<Scalar>& x) noexcept {
  const auto& bodies = equations_.bodies();
  next_.at.q = x.q;
  for (int k = 0; k < 3 && bodies.size() > model_->num_bodies() && !has_soft_closures(); ++k) {  // twice as many digits each time
    bodies.place(node_.at, next_.at.q);
    if (value_of(bodies.most_open(node_.at).second) <= ValueOf<Scalar>(16) * epsilon<Scalar>) break;
    y_.setZero();
    for (BodyIndex i = 1; i < bodies.size(); ++i) {
      for (int r = 0; r < bodies[i].rows; ++r) y_[system().row(i) + r] -= node_.at.rows[i].value[static_cast<std::size_t>(r)];
    }
    if (!system().project(node_.at, model_->properties().armature, y_)) return Status::singular;
    system().joint_velocities(node_.at, y_, tau_);
    model_->integrate(node_.at.q, tau_, next_.at.q);
  }
  if (!begin(next_.at.q, x.v, x.time)) return Status::singular;
  return detail::is_finite_vector(node_.at.q) && detail::is_finite_vector(node_.v) ? Status::converged : Status::not_finite;
}

template <class ModelType, class Root, class Force, class Contacts>
Status MaximalIntegrator<ModelType, Root, Force, Contacts>::read(State<Scalar>& state) noexcept {
  if (node_.fresh) {
    state.v = node_.v;
  } else {
    if (options_.velocity == NodeVelocity::interval) equations_.bodies().joint_velocities(node_.at, node_.interval, tau_);
    else if (!set_velocities()) return Status::singular;
    state.v = tau_;
  }
  state.q = node_.at.q;
  state.time = node_.time;
  return Status::converged;
}

template <class ModelType, class Root, class Force, class Contacts>
auto MaximalIntegrator<ModelType, Root, Force, Contacts>::step(const Input<Scalar>& input, Scalar h) noexcept -> StepResult<Scalar> {
  StepResult<Scalar> result;
  if (!detail::is_valid_step(*model_, h, reversible && !has_soft_closures())) result.status = Status::invalid_step;
  else if (!is_valid(*model_, input)) result.status = Status::invalid_input;
  if (!result) return result;
  const int last_substeps = node_.substeps;
  for (RelaxedLaws relaxed;;) {
    for (Substeps substeps(node_, backup_, h, options_.max_halvings, result); substeps.next();) {
      if (bounds_) {
        if constexpr (takes_bounds) detail::StepEvents::advance(*this, bounds_->bounds(), input, relaxed, substeps, result);
      } else {
        const Part whole{input, substeps.h(), substeps.begin(), substeps.end(), relaxed};
        find_increment(whole, result);
        if (result) find_end(whole, result);
        if (result) finish(whole, false, result);
      }
    }
    if (result) {
      relaxed.restitution |= result.relaxed.restitution;
      result.relaxed = relaxed;
    }
    if (result || result.status == Status::callback_failed || result.status == Status::capacity) break;
    if (!detail::relax_one_more({.friction = finds_contacts, .restitution = may_bounce()}, relaxed)) break;
    node_.substeps = 1;  // the convex law is solved as well in a whole step
  }
  if (!result) node_.substeps = last_substeps;
  return result;
}

template <class ModelType, class Root, class Force, class Contacts>
auto MaximalIntegrator<ModelType, Root, Force, Contacts>::checked(const Model& model) -> const Model& {
  require_support(model, {.loops = true, .couplings = true, .limits = takes_bounds, .friction = takes_bounds, .contact = finds_contacts,
                          .nonholonomic = true, .servos = takes_bounds, .restitution = takes_bounds, .dampers = takes_bounds}, "maximal");
  detail::require_body_inertia(model, "maximal");
  return model;
}

template <class ModelType, class Root, class Force, class Contacts>
auto MaximalIntegrator<ModelType, Root, Force, Contacts>::blank_memory() -> Memory {
  const BodyIndex n = model_->num_bodies();
  return {equations_.bodies().make_pose(),
          BodyArray<Vector6<Scalar>>(n, Vector6<Scalar>::Zero()),
          BodyArray<Vector3<Scalar>>(n, model_->gravity()),
          BodyArray<Vector6<Scalar>>(n, Vector6<Scalar>::Zero()),
          VectorX<Scalar>::Zero(model_->nv()),
          true,
          1,
          Scalar(0),
          IncrementHistory<Scalar>(system().size()),
          {},
          {}};
}

template <class ModelType, class Root, class Force, class Contacts>
bool MaximalIntegrator<ModelType, Root, Force, Contacts>::begin(const VectorX<Scalar>& q, const VectorX<Scalar>& v, const Scalar& time) noexcept {
  equations_.bodies().place(node_.at, q);
  node_.v = v;
  node_.fresh = true;
  node_.time = time;
  node_.history.clear();
  node_.substeps = 1;
  node_.forces.setZero();
  node_.contacts.size = 0;
  if constexpr (takes_bounds) {
    if (bounds_) bounds_->bounds().forget();
  }
  set_momenta();
  set_gravity(node_);
  if (equations_.bodies().size() == model_->num_bodies()) return true;
  if (!set_velocities()) return false;
  node_.v = tau_;
  set_momenta();
  return true;
}

template <class ModelType, class Root, class Force, class Contacts>
bool MaximalIntegrator<ModelType, Root, Force, Contacts>::set_velocities() noexcept {
  y_.setZero();
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) entries(i, y_) = node_.P[i];
  if (!system().project(node_.at, model_->properties().armature, y_)) return false;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) next_.P[i] = entries(i, y_);
  equations_.bodies().joint_velocities(node_.at, next_.P, tau_);
  return true;
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::set_twists(const VectorX<Scalar>& v, BodyArray<Vector6<Scalar>>& twists) const noexcept {
  const detail::ConstrainedPose<Scalar>& at = node_.at;
  twists[0].setZero();
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    twists[i] = at.pose[i].T_aM.twist_to_child(twists[model_->parent(i)]);
    visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
      twists[i] += joint.motion_subspace(typename J::Config(model_->template q_of<J>(i, at.q))) * model_->template v_of<J>(i, v);
    });
  }
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::set_momenta() noexcept {
  set_twists(node_.v, next_.P);
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    node_.P[i] = detail::about_point<Scalar>(model_->inertia(i).momentum(next_.P[i]), model_->inertia(i).com);
  }
  tau_ = model_->properties().armature.cwiseProduct(node_.v);
  equations_.bodies().add_joint_forces(node_.at, tau_, node_.P);
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::add_interval_before(const Input<Scalar>& input, const Scalar& share, const Scalar& h,
                                                               BodyArray<Vector6<Scalar>>& P) noexcept {
  set_twists(node_.v, next_.P);
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    const Inertia<Scalar>& G = model_->inertia(i);
    const Vector3<Scalar> w = next_.P[i].template head<3>(), Iw = G.I_com * w;
    const Scalar half = h / Scalar(2);
    using std::sqrt;
    const Scalar q0 = sqrt(Scalar(1) - half * half * w.squaredNorm());
    P[i].template head<3>() += (q0 - Scalar(1)) * Iw - half * w.cross(Iw);
  }
  add_forces(node_, input, share, h / Scalar(2), P);
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::set_gravity(Memory& node) const noexcept {
  node.gravity[0] = model_->gravity();
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    node.gravity[i] = node.at.pose[i].T_aM.R.transpose() * node.gravity[model_->parent(i)];
  }
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::add_forces(const Memory& node, const Input<Scalar>& input, const Scalar& share,
                                                           const Scalar& half, BodyArray<Vector6<Scalar>>& P) noexcept {
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) P[i].template tail<3>() += (half * model_->inertia(i).mass) * node.gravity[i];
  for (BodyIndex i = 1; input.has_wrenches() && i < model_->num_bodies(); ++i) {
    P[i] += half * detail::about_point<Scalar>(input.wrench_at(share, i), model_->inertia(i).com);
  }
  if (detail::has_point_forces(*model_)) {
    const BodyArray<Vector6<Scalar>>& applied = applied_.wrenches(set_tree(node));
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) P[i] += half * detail::about_point<Scalar>(applied[i], model_->inertia(i).com);
  }
  if (input.tau_at_end().size() == 0 && !has_joint_forces_) return;
  tau_ = model_->properties().force;
  input.add_tau_at(share, tau_);
  tau_ *= half;
  equations_.bodies().add_joint_forces(node.at, tau_, P);
}

template <class ModelType, class Root, class Force, class Contacts>
auto MaximalIntegrator<ModelType, Root, Force, Contacts>::solve(const Scalar& h, ConeLaw law, const VectorX<Scalar>& servo,
                                                                  StepResult<Scalar>& result) noexcept -> RootResult<ValueOf<Scalar>> {
  const auto begin = [&] { equations_.begin({&node_.at, &next_.at, &known_, h, node_.time, act()}); };
  std::optional<bool> begun;  // whether with increments
  RootMemory<Root, Scalar> memory{};
  const auto counted = [&](const RootResult<ValueOf<Scalar>>& root) {
    result.method = root.method;
    result.iterations += root.iterations;
    result.evaluations += root.evaluations;
    result.factorizations += root.factorizations;
    return root;
  };
  for (bool extrapolates = node_.history.extrapolate(IncrementHistory<Scalar>::capacity, h, y_) >= 1;; extrapolates = false) {
    RootResult<ValueOf<Scalar>> root{};
    if constexpr (takes_bounds) {
      if (bounds_) root.status = bounds_->begin(node_, applied_);
      if (root.status != Status::converged) return root;
      if (bounds_ && extrapolates) bounds_->bounds().round_guess(node_.at.q, y_.head(system().first_row()));
    }
    if (std::exchange(begun, act()) != act()) begin();
    if (extrapolates) y_.head(system().first_row()) /= h;
    const RootOptions<ValueOf<Scalar>> stop{options_.tolerance, options_.max_iterations, farthest(extrapolates)};
    bool has_guess = extrapolates;
    if (!act()) {
      if (extrapolates || equations_.guess(y_)) root = counted(find_root<Root, Scalar>(equations_, y_, root_, memory, stop));
      else root.status = Status::singular;
      if (root.status == Status::converged && !extrapolates && equations_.is_far_from_guess(y_)) root.status = Status::max_iterations;
    }
    if constexpr (takes_bounds) {
      if (bounds_ && !act() && root.status == Status::converged) {
        equations_.bodies().set_coordinates(node_.at.q, next_.at);
        tau_.setZero();
        root.status = bounds_->bounds().has_landed(equations_, next_.at.q, tau_);
        has_guess = true;
        if (act()) begun = true, begin();
      }
      if (act()) root = counted(bounds_->solve(equations_, node_, stop, law, servo, has_guess, y_, result.culprit));
    }
    if (root.status == Status::converged || !extrapolates || equations_.field_failed()) return root;
  }
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::find_increment(const Part& part, StepResult<Scalar>& result) noexcept {
  const auto& [input, h, begin, end, relaxed] = part;
  const Scalar half = h / Scalar(2);
  if (!model_->springs().empty()) applied_.begin(set_tree(node_), h);
  if (applied_.any_stiff() && !(takes_bounds && h > Scalar(0))) {
    result.status = Status::max_iterations;  // shorter substeps resolve the springs
    result.culprit = applied_.culprit();
    return;
  }
  known_ = node_.P;
  add_forces(node_, input, begin, half, known_);
  if (equations_.terms().any()) {
    tau_.setZero();
    left_.setZero();
    equations_.terms().add_left(*model_, node_.at.q, tau_, h, left_);  // the part that does not depend on the increment
    tau_ = -left_;
    equations_.bodies().add_joint_forces(node_.at, tau_, known_);
  }
  if (options_.velocity == NodeVelocity::interval && node_.fresh) add_interval_before(input, begin, h, known_);
  const RootResult<ValueOf<Scalar>> root = solve(h, part.law(), input.servo, result);
  if (!(root.norm <= result.residual)) result.residual = root.norm;  // of the worst substep
  result.status = root.status;
  if (root.status == Status::singular) {
    if (system().singular()) result.culprit = system().singular();
  } else if (root.status != Status::converged && !equations_.field_failed() && !act()) {
    if (const BodyIndex k = equations_.bodies().most_open(next_.at).first; k > 0) result.culprit = equations_.bodies().culprit(k);
  }
  if (equations_.overturned() != 0) {
    result.status = Status::rotation_too_large;
    result.culprit = Culprit::body(static_cast<int>(equations_.overturned()));
  }
  if (equations_.field_failed()) result.status = Status::callback_failed;
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::find_end(const Part& part, StepResult<Scalar>& result) noexcept {
  equations_.finish(options_.carry_residual, next_.P);
  set_gravity(next_);
  add_forces(next_, part.input, part.end, part.h / Scalar(2), next_.P);
  if constexpr (takes_bounds) {
    if (act()) bounds_->add_momentum(equations_, next_.at, next_.P, result);
  }
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::impact(const Part& part, bool at_end, StepResult<Scalar>& result) noexcept {
  const int impacts = result.impacts;
  for (BodyIndex i = 1; !at_end && i < model_->num_bodies(); ++i) known_[i] -= node_.P[i];
  Memory& node = at_end ? next_ : node_;
  bounds_->strike(equations_, node.at, next_.at.q, at_end ? nullptr : &known_, part.h, part.law(), node.P, result);
  if (result.impacts == impacts) return;
  node_.history.clear();
  node.fresh = false;
}

template <class ModelType, class Root, class Force, class Contacts>
void MaximalIntegrator<ModelType, Root, Force, Contacts>::finish(const Part& part, bool jumps, StepResult<Scalar>& result) noexcept {
  for (const Vector6<Scalar>& P : next_.P) {
    if (!detail::is_finite_vector(P)) result.status = Status::not_finite;
  }
  if (!detail::is_finite_vector(next_.at.q)) result.status = Status::not_finite;
  if (!result) return;
  std::swap(node_.at, next_.at);
  std::swap(node_.P, next_.P);
  std::swap(node_.gravity, next_.gravity);
  if (options_.velocity == NodeVelocity::interval) {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) node_.interval[i] = equations_.motion(i).velocity_at_end();
  }
  node_.fresh = false;
  node_.time += part.h;
  if constexpr (takes_bounds) {
    if (bounds_) bounds_->bounds().store(node_, part.h, y_);
    if (bounds_ && (bounds_->bounds().landed() || jumps)) node_.history.clear();
  }
  y_.head(system().first_row()) *= part.h;
  node_.history.push(y_, part.h);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalIntegrator<Model<double>>;
ACTIO_INSTANTIATE class MaximalIntegrator<Model<double>, Newton, NoForce, PlaneContacts<double>>;
#endif

}  // namespace actio
