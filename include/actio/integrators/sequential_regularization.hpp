// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sequential regularisation: closed loops without a system of equations, by copies of the tree of which each corrects the one before.
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/srm/joints.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Sequential regularisation by an explicit Runge-Kutta method, in joint coordinates.       [Ascher and Lin 1999; srm_math.md, section 5.1]
/// A step takes `iterations` times `stages` tree evaluations, O(bodies) each, for any loops; redundant loops and singular poses are
/// allowed. Loops are violated by O(epsilon^iterations), and violations decay with the rate alpha. Suits many loops between similar bodies:
/// where the mobility of a loop is far smaller than that of its bodies alone, as for a weld at the end of a long light chain, iterations do
/// not improve.
/// @tparam Tableau as for RungeKutta.  @tparam Force a ForceField, evaluated at the stages' times.
template <class ModelType, class Tableau = Midpoint, class Force = NoForce>
class SequentialRegularization {
 public:
  using Model = ModelType;                                                              ///< a Model of any joints
  using Scalar = typename Model::Scalar;                                                ///< scalar type of all numbers
  using Options = SrmOptions<Scalar>;                                        ///< options of the constructor
  /// The copies of the tree, and their loop forces.
  using March = detail::Waveform<detail::JointLoops<Model, Force>, Tableau, SequentialForces<Scalar>>;
  using Memory = typename March::Memory;                                                ///< all that the next step depends on
  static constexpr int order = Tableau::order;                                          ///< with as many iterations, for epsilon ~ h
  static constexpr bool reversible = false;                                             ///< h > 0 only

  /// @param model outlives the integrator.  @throws ModelError if it has something active that this scheme does not support, a joint that
  /// moves no mass, or a loop on a body without full inertia; OptionsError if an option is out of range.
  explicit SequentialRegularization(const Model& model, const Options& options = {}, Force force = {})
      : march_(make_march(model, options, std::move(force))) {}
  explicit SequentialRegularization(Model&&, const Options& = {}, Force = {}) = delete;  // would dangle

  const Model& model() const noexcept { return march_.tree().space(); }                  ///< as given to the constructor
  const Options& options() const noexcept { return march_.forces().options(); }          ///< as given to the constructor
  const VectorX<Scalar>& configuration() const noexcept { return march_.node().q; }      ///< q_k (nq) of the last copy
  Scalar time() const noexcept { return march_.node().time; }                            ///< t_k [s]
  const std::vector<State<Scalar>>& copies() const noexcept { return march_.copies(); }  ///< all iterates; the last is the result
  /// Returns lambda (rows) of active loops, then active couplings, at the last stage: -G^T lambda acts on the tree [N, N m].
  const VectorX<Scalar>& row_forces() const noexcept { return march_.loop_forces(); }

  /// Begins anew at x. Constraint violations of x decay with the rate alpha.  @throws OptionsError if x is not a state of the model;
  /// nothing changes then.
  void reset(const State<Scalar>& x) {
    detail::require_state(model(), x);
    march_.reset(x);
  }
  /// Reads q_k, v_k and t_k of the last copy; never fails.
  Status read(State<Scalar>& state) noexcept {
    state = march_.node();
    return Status::converged;
  }
  /// Advances all copies.  @param input evaluated at the stages' times.  @param h > 0 [s].  @returns the status; on failure, its reason;
  /// the culprit is a loop or coupling, or a body whose joint moves no mass.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    if (!detail::is_valid_step(model(), h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(model(), input)) result.status = Status::invalid_input;
    return result ? march_.step(input, h) : result;
  }

  Memory make_memory() const { return march_.make_memory(); }              ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { march_.save(memory); }        ///< saves q_k, v_k, t_k of all copies
  void restore(const Memory& memory) noexcept { march_.restore(memory); }  ///< restores a saved memory; steps continue bitwise

 private:
  static March make_march(const Model& model, const Options& options, Force force) {
    require_support(model, {.loops = true, .couplings = true, .dampers = true}, "srm");
    detail::require_inertia(model, "srm");
    detail::JointLoops<Model, Force> tree(model, std::move(force));
    const Eigen::Index rows = tree.rows();
    return March(std::move(tree), rest_state(model), SequentialForces<Scalar>(rows, options));
  }

  March march_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class SequentialRegularization<Model<double>>;
#endif

}  // namespace actio
