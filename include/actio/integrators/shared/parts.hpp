// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Results and inputs of the sub-steps of a step that consists of several, for StagedSteps and PassiveSteps.
#include <algorithm>

#include "actio/core/status.hpp"
#include "actio/model/state.hpp"

namespace actio::detail {

/// Adds the result of a part to that of the whole step. `substeps` and `residual` are those of the worst part.
template <class S>
void add_part(StepResult<S>& whole, const StepResult<S>& part) noexcept {
  whole.status = part.status;
  whole.culprit = part.culprit;
  whole.relaxed.loops |= part.relaxed.loops;
  whole.relaxed.friction |= part.relaxed.friction;
  whole.relaxed.restitution |= part.relaxed.restitution;
  whole.impacts += part.impacts;
  whole.reversals += part.reversals;
  whole.iterations += part.iterations;
  whole.evaluations += part.evaluations;
  whole.factorizations += part.factorizations;
  whole.substeps = std::max(whole.substeps, part.substeps);
  if (!(part.residual <= whole.residual)) whole.residual = part.residual;
}

/// The input of a step between two shares of it, without forces of servos.
template <Scalar S>
class InputPart {
 public:
  template <class Joints>
  explicit InputPart(const Model<S, Joints>& model) {
    without_wrenches_.tau_begin = without_wrenches_.tau_end = VectorX<S>::Zero(model.nv());
    with_wrenches_ = without_wrenches_;
    with_wrenches_.wrench_begin = with_wrenches_.wrench_end = BodyArray<Vector6<S>>(model.num_bodies(), Vector6<S>::Zero());
  }

  /// Returns the input between two shares of the step, which may lie outside of [0, 1]; valid until the next call.
  const Input<S>& over(const Input<S>& input, const S& begin, const S& end) noexcept {
    if (input.tau_end.size() == 0 && input.wrench_end.size() == 0) return input;  // constant
    Input<S>& part = input.has_wrenches() ? with_wrenches_ : without_wrenches_;  // each of fixed sizes, so that nothing allocates
    part.tau_begin.setZero();
    part.tau_end.setZero();
    input.add_tau_at(begin, part.tau_begin);
    input.add_tau_at(end, part.tau_end);
    for (BodyIndex i = 0; input.has_wrenches() && i < part.wrench_begin.size(); ++i) {
      part.wrench_begin[i] = input.wrench_at(begin, i);
      part.wrench_end[i] = input.wrench_at(end, i);
    }
    return part;
  }

 private:
  Input<S> without_wrenches_, with_wrenches_;
};

}  // namespace actio::detail
