// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The compliant integrator: stiff springs and dampers, limits, loops and frictional contact, stable at any stiffness.
#include <concepts>
#include <utility>

#include "actio/integrators/constraint_forces.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// A step of implicit Euler for the constraints and of semi-implicit Euler for the bodies. Constraints are springs and dampers, evaluated
/// at the end of the step; their forces and the velocities are solved for together, and the bodies then move with these velocities for h.
/// First order, stable for any stiffness and damping while bodies rotate by less than about a radian a step. Impacts are plastic where the
/// step is longer than they last.                                   [Drumwright 2019; compliant_math.md, sections 2.1, 4.1 and 5.2]
/// Joint damping and springs of flat joints are implicit too; inputs are those at the beginning of the step. Joint damping of any strength
/// brings no energy: see velocity_shares().
/// @tparam Contacts a ContactSource.  @tparam Solver as in ConstraintForces: DenseCone<PublishedForms<double>> is the paper's formulation.
template <class ModelType, class Contacts = NoContacts, class Solver = detail::ConeNewton<typename ModelType::Scalar>>
class CompliantIntegrator {
 public:
  using Model = ModelType;                                   ///< a Model of any joints
  using Scalar = typename Model::Scalar;                     ///< scalar type of all numbers
  using Options = CompliantOptions<Scalar>;                  ///< options of the constructor
  using Forces = ConstraintForces<Model, Contacts, Solver>;  ///< solves for the forces and velocities of a step
  static constexpr int order = 1;                            ///< of the error at a given time, in h
  static constexpr bool springs_at_end = true;               ///< joint springs have the force of the end of a step: see ActuatorControl
  static constexpr bool reversible = false;                  ///< h > 0 only

  /// All that the next step depends on.
  struct Memory {
    State<Scalar> state;             ///< q_k, v_k, t_k
    typename Forces::Memory forces;  ///< forces of the last step's rows, for warm starting
  };

  /// @param model outlives the integrator.  @throws ModelError if a joint moves no mass, contact is enforced without a source of contacts,
  /// the source refers to bodies that the model lacks, or Factorization::sparse is chosen and a body lacks mass or inertia; OptionsError
  /// if an option is out of range.
  explicit CompliantIntegrator(const Model& model, const Options& options = {}, Contacts contacts = {})
    requires std::constructible_from<Solver, Eigen::Index, Eigen::Index>
      : forces_(model, options, std::move(contacts)), node_(rest_state(model)), next_(node_) {}
  /// The same with a solver from the caller, which has room for the rows.
  CompliantIntegrator(const Model& model, const Options& options, Contacts contacts, Solver solver);
  explicit CompliantIntegrator(Model&&, const Options& = {}, Contacts = {}) = delete;  // would dangle

  const Model& model() const noexcept { return forces_.model(); }            ///< as given to the constructor
  const Options& options() const noexcept { return forces_.options(); }      ///< as given, with what was left open filled in
  const VectorX<Scalar>& configuration() const noexcept { return node_.q; }  ///< q_k (nq)
  Scalar time() const noexcept { return node_.time; }                        ///< t_k [s]

  /// Begins anew at x. Velocities stay as given; velocities that constraints do not allow are stopped in the next step.
  /// @throws OptionsError if x is not a state of the model; nothing changes then.
  void reset(const State<Scalar>& x);
  /// Copies q_k, v_k and t_k; never fails.
  Status read(State<Scalar>& state) noexcept {
    state = node_;
    return Status::converged;
  }
  /// Advances to q_{k+1} and v_{k+1}.  @param input its beginning counts.  @param h > 0 [s].  @returns the status; on failure, its reason;
  /// the culprit is a body whose joint moves no mass, or what the row belongs to that is solved worst. `relaxed` if the convex law replaced
  /// Coulomb's.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept;

  // Results of the last step if it converged; invalid after a step that failed, a reset or a restore.
  std::span<const ContactPoint<Scalar>> contacts() const noexcept {
    return forces_.contacts();
  }  ///< materials are valid until the next copy
  /// Returns the force on body b of a contact, in the world [N]; zero if the contact is open.  @param k index in contacts().
  Vector3<Scalar> contact_force(std::size_t k) const noexcept { return forces_.contact_force(k); }
  const ConeRows<Scalar>& rows() const noexcept { return forces_.rows(); }                        ///< contacts are the last rows
  auto row_forces() const noexcept { return forces_.row_forces(); }                               ///< (rows) [N, N m]
  const State<Scalar>& step_begin() const noexcept { return next_; }                              ///< the state at its beginning
  /// Returns the factors (nv) by which velocities were reduced at the end of the step, 1 except in trees with joint dampers so stiff that
  /// the step does not resolve them: the velocity-dependent forces of the beginning of the step would let their motion grow.
  const VectorX<Scalar>& velocity_shares() const noexcept { return forces_.velocity_shares(); }
  /// Returns the work of the rows on the bodies [J]: their impulse along the mean of the velocities at both ends.
  Scalar row_work() noexcept { return h_ / Scalar(2) * forces_.joint_forces().dot(next_.v + forces_.velocity()); }
  /// Returns the part of that work by which violations of rigid rows are corrected [J]: see ConstraintForces.
  Scalar correction_work() const noexcept { return forces_.correction_work(h_); }
  Scalar row_energy() noexcept { return forces_.elastic_energy(node_.q); }  ///< elastic energy of the rows' springs at the node [J]
  Forces& forces() noexcept { return forces_; }                             ///< for certificates, and the last step's problem

  Memory make_memory() const { return {node_, forces_.memory()}; }  ///< sized for save(); allocates
  /// Saves the state and the row forces with which the next solve begins.
  void save(Memory& memory) const noexcept {
    memory.state = node_;
    memory.forces = forces_.memory();
  }
  /// Restores a saved memory; steps continue bitwise as they did from there.
  void restore(const Memory& memory) noexcept {
    node_ = memory.state;
    forces_.restore(memory.forces);
  }

 private:
  Forces forces_;
  State<Scalar> node_, next_;
  Scalar h_{};
};

template <class ModelType, class Contacts, class Solver>
CompliantIntegrator<ModelType, Contacts, Solver>::CompliantIntegrator(const Model& model, const Options& options, Contacts contacts,
                                                                      Solver solver)
    : forces_(model, options, std::move(contacts), std::move(solver)), node_(rest_state(model)), next_(node_) {}

template <class ModelType, class Contacts, class Solver>
void CompliantIntegrator<ModelType, Contacts, Solver>::reset(const State<Scalar>& x) {
  detail::require_state(model(), x);
  node_ = x;
  forces_.forget();
}

template <class ModelType, class Contacts, class Solver>
auto CompliantIntegrator<ModelType, Contacts, Solver>::step(const Input<Scalar>& input, Scalar h) noexcept -> StepResult<Scalar> {
  StepResult<Scalar> result = forces_.attempt(node_, input, h);
  if (!result) return result;
  go_straight(model(), node_.q, forces_.velocity(), h, next_);
  next_.time = node_.time + h;
  forces_.bound_energy(node_, h, next_);
  if (!detail::is_finite_vector(next_.q) || !detail::is_finite_vector(next_.v)) {
    result.status = Status::not_finite;
    return result;
  }
  forces_.accept();
  h_ = h;
  std::swap(node_, next_);
  return result;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class CompliantIntegrator<Model<double>>;
ACTIO_INSTANTIATE class CompliantIntegrator<Model<double>, PlaneContacts<double>>;
#endif

}  // namespace actio
