// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Closed loops without solving for them: copies of the tree, of which each closes what the one before left open.
#include <utility>

#include "actio/dynamics/requirements.hpp"
#include "actio/integrators/srm/joints.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

/// Sequential regularisation by an explicit Runge-Kutta method, in joint coordinates.       [Ascher and Lin 1999; srm_math.md, section 5.1]
/// A step is `iterations` times `stages` tree evaluations, O(bodies), whatever the loops; redundant loops and singular poses do it no harm.
/// Loops are open by O(epsilon^iterations), and close with the rate alpha. It wants many loops between like bodies: where a loop gives way
/// by far less than its bodies alone would, as a weld at the end of a long light chain, iterations come no nearer to closing it.
/// @tparam Tableau as for RungeKutta.  @tparam Force a ForceField, taken at the stages' own times.
template <class ModelType, class Tableau = Midpoint, class Force = NoForce>
class SequentialRegularization {
 public:
  using Model = ModelType;                                                              ///< a Model of any joints
  using Scalar = typename Model::Scalar;                                                ///< of all numbers
  using Options = SrmOptions<Scalar>;                                        ///< what can be chosen
  using March = detail::Waveform<detail::JointLoops<Model, Force>, Tableau, SequentialForces<Scalar>>;  ///< the copies of the tree, and their loop forces
  using Memory = typename March::Memory;                                                ///< all that the next step depends on
  static constexpr int order = Tableau::order;                                          ///< with as many iterations, where epsilon goes with h
  static constexpr bool reversible = false;                                             ///< h > 0 only

  /// @param model outlives the integrator.  @throws ModelError when it has something active that this scheme cannot take, a joint that moves
  /// no mass, or a loop on a body without full inertia; OptionsError when an option is out of range.
  explicit SequentialRegularization(const Model& model, const Options& options = {}, Force force = {})
      : march_(make_march(model, options, std::move(force))) {}
  explicit SequentialRegularization(Model&&, const Options& = {}, Force = {}) = delete;  // would dangle

  const Model& model() const noexcept { return march_.tree().space(); }                  ///< as given to the constructor
  const Options& options() const noexcept { return march_.forces().options(); }          ///< as given
  const VectorX<Scalar>& configuration() const noexcept { return march_.node().q; }      ///< q_k (nq) of the last copy
  Scalar time() const noexcept { return march_.node().time; }                            ///< t_k [s]
  const std::vector<State<Scalar>>& copies() const noexcept { return march_.copies(); }  ///< all iterates; the last is the answer
  /// (rows) lambda of active loops, then active couplings, at the last stage evaluated: -G^T lambda acts on the tree [N, N m].
  const VectorX<Scalar>& row_forces() const noexcept { return march_.loop_forces(); }

  /// Loops that are open at x close as the rest does.  @throws OptionsError when x is no state of the model; nothing changes then.
  void reset(const State<Scalar>& x) {
    detail::require_state(model(), x);
    march_.reset(x);
  }
  /// A copy of q_k, v_k and t_k of the last copy: never fails.
  Status read(State<Scalar>& state) noexcept {
    state = march_.node();
    return Status::converged;
  }
  /// @param input taken at the stages' own times.  @param h > 0 [s].  @returns why not, where it failed; the culprit is an index in
  /// model.loops(), couplings counting on behind them; where a joint moves no mass it is a body.
  StepResult<Scalar> step(const Input<Scalar>& input, Scalar h) noexcept {
    StepResult<Scalar> result;
    if (!detail::is_valid_step(model(), h, reversible)) result.status = Status::invalid_step;
    else if (!is_valid(model(), input)) result.status = Status::invalid_input;
    return result ? march_.step(input, h) : result;
  }

  Memory make_memory() const { return march_.make_memory(); }              ///< sized for save(); allocates
  void save(Memory& memory) const noexcept { march_.save(memory); }        ///< q_k, v_k, t_k of all copies
  void restore(const Memory& memory) noexcept { march_.restore(memory); }  ///< as saved: goes on bitwise alike

 private:
  static March make_march(const Model& model, const Options& options, Force force) {
    require_support(model, {.loops = true, .couplings = true}, "srm");
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
