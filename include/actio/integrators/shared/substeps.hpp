// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halving: a step that does not converge is repeated in 2, 4, ... substeps.
#include <algorithm>

#include "actio/core/status.hpp"

namespace actio::detail {

/// The substeps of a step, which is made as a whole or, if that does not converge, in 2, 4, ... substeps of equal length. Begins with half
/// the substeps of the last step, since a step after a difficult one is often difficult too.
/// The work has a bound: after 2000 updates (StepResult::iterations), and 8 for each of the shortest substeps, the step fails with
/// max_iterations.
/// Use:  for (Substeps substeps(...); substeps.next();)  make one of length h() that covers the shares [begin(), end()] of the step; its
/// outcome goes to `result`, and on failure it changes nothing.
template <class Memory, class S>
class Substeps {
 public:
  /// @param node the integrator's memory, with `substeps` and `time`; after a step that failed as it was before.  @param backup another
  /// memory, as workspace.  @param h length of the step [s].  @param result of the step.
  Substeps(Memory& node, Memory& backup, const S& h, int max_halvings, StepResult<S>& result) noexcept
      : node_(&node), backup_(&backup), result_(&result), h_(h), limit_(1 << max_halvings),
        most_(result.iterations + 2000 + (8 << max_halvings)) {
    begin_with(std::max(1, node.substeps / 2));
  }
  /// Goes on to the next substep.  @returns false if the step is done or failed.
  bool next() noexcept {
    StepResult<S>& result = *result_;
    const bool exhausted = result.iterations > most_;
    if (result && made_ == count_) {
      if (count_ > 1) node_->time = backup_->time + h_;  // not the sum of the substeps
      node_->substeps = count_;
      return false;
    }
    if (result && made_ > 0 && exhausted) result.status = Status::max_iterations;
    if (!result) {
      if (count_ > 1) *node_ = *backup_;
      if (result.status == Status::callback_failed || count_ >= limit_ || exhausted) return false;
      begin_with(2 * count_);
    }
    ++made_;
    return true;
  }
  S h() const noexcept { return h_ / S(count_); }                  ///< length of the substep [s]
  S begin() const noexcept { return S(made_ - 1) / S(count_); }    ///< where it begins, as a share of the step
  S end() const noexcept { return S(made_) / S(count_); }          ///< where it ends

 private:
  void begin_with(int count) noexcept {
    count_ = count;
    made_ = 0;
    result_->status = Status::converged;
    result_->substeps = count;
    result_->residual = ValueOf<S>(0);
    if (count > 1) *backup_ = *node_;
  }

  Memory *node_, *backup_;
  StepResult<S>* result_;
  S h_;
  int limit_, most_, count_ = 1, made_ = 0;
};

}  // namespace actio::detail
