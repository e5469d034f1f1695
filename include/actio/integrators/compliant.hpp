// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Stiff springs and dampers, limits, loops and frictional contact, stable at any stiffness.
#include <concepts>
#include <utility>

#include "actio/integrators/constraint_forces.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// One step of implicit Euler in the constraints and of semi-implicit Euler in the bodies: constraints are springs and dampers taken at
/// the end of the step, whose rates follow from one Newton iteration in the bodies' velocities; then all goes straight on for h. First
/// order, stable for any stiffness and damping while bodies turn by less than about a radian a step; impacts are plastic where the step is
/// longer than they last.                                           [Drumwright 2019; compliant_math.md, sections 2.1, 4.1 and 5.2]
/// Joint damping and springs of flat joints are implicit too; inputs are those at the beginning of the step.
/// @tparam Contacts a ContactSource.  @tparam Solver as in ConstraintForces: DenseCone<PublishedForms<double>> is the paper's formulation.
template <class ModelType, class Contacts = NoContacts, class Solver = detail::ConeNewton<typename ModelType::Scalar>>
class CompliantIntegrator {
 public:
  using Model = ModelType;                                   ///< a Model of any joints
  using Scalar = typename Model::Scalar;                     ///< of all numbers
  using Options = CompliantOptions<Scalar>;                  ///< what can be chosen
  using Forces = ConstraintForces<Model, Contacts, Solver>;  ///< what finds the forces of a step
  static constexpr int order = 1;                            ///< of the error at a given time, in h
  static constexpr bool reversible = false;                  ///< h > 0 only

  /// All that the next step depends on.
  struct Memory {
    State<Scalar> state;             ///< q_k, v_k, t_k
    typename Forces::Memory forces;  ///< of the last step's rows, the next one's guess
  };

  /// @param model outlives the integrator.  @throws ModelError when a joint moves no mass, contact is enforced without a source of contacts,
  /// contacts are of bodies that it has not, or CompliantBodies::maximal is asked for and a body lacks mass or inertia; OptionsError when an
  /// option is out of range.
  explicit CompliantIntegrator(const Model& model, const Options& options = {}, Contacts contacts = {})
    requires std::constructible_from<Solver, Eigen::Index, Eigen::Index>
      : forces_(model, options, std::move(contacts)), node_(rest_state(model)), next_(node_) {}
  /// The same with a solver of the caller's making, with room for its rows.
  CompliantIntegrator(const Model& model, const Options& options, Contacts contacts, Solver solver);
  explicit CompliantIntegrator(Model&&, const Options& = {}, Contacts = {}) = delete;  // would dangle

  const Model& model() const noexcept { return forces_.model(); }            ///< as given to the constructor
  const Options& options() const noexcept { return forces_.options(); }      ///< as given
  const VectorX<Scalar>& configuration() const noexcept { return node_.q; }  ///< q_k (nq)
  Scalar time() const noexcept { return node_.time; }                        ///< t_k [s]

  /// Velocities stay as given: what rows do not allow is stopped within the next step.
  /// @throws OptionsError when x is no state of the model; nothing changes then.
  void reset(const State<Scalar>& x);
  /// A copy of q_k, v_k and t_k: never fails.
  Status read(State<Scalar>& state) noexcept {
    state = node_;
    return Status::converged;
  }
  /// @param input as it is where the step begins.  @param h > 0 [s].  @returns why not, where it failed; the culprit is a body whose joint moves no
  /// mass. `relaxed` where Coulomb's law was asked for and the convex one took its place.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept;

  // Of the last step, if that went well: of no use after one that failed, a reset or a restore.
  std::span<const ContactPoint<Scalar>> contacts() const noexcept { return forces_.contacts(); }  ///< materials are valid until the next copy
  const ConeRows<Scalar>& rows() const noexcept { return forces_.rows(); }                        ///< contacts behind all others
  auto row_forces() const noexcept { return forces_.row_forces(); }                               ///< (rows) [N, N m]
  const State<Scalar>& step_begin() const noexcept { return next_; }                              ///< where it began
  /// What the rows did on the bodies [J]: their impulse along the mean of the velocities at both ends.
  Scalar row_work() noexcept { return h_ / Scalar(2) * forces_.joint_forces().dot(next_.v + forces_.velocity()); }
  Scalar row_energy() noexcept { return forces_.elastic_energy(node_.q); }  ///< what their springs hold at the node [J]
  Forces& forces() noexcept { return forces_; }                             ///< for certificates, and the last step's problem

  Memory make_memory() const { return {node_, forces_.memory()}; }  ///< sized for save(); allocates
  /// The state, and the row forces that the next solve begins with.
  void save(Memory& memory) const noexcept {
    memory.state = node_;
    memory.forces = forces_.memory();
  }
  /// As saved: goes on bitwise alike.
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
CompliantIntegrator<ModelType, Contacts, Solver>::CompliantIntegrator(const Model& model, const Options& options, Contacts contacts, Solver solver)
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
