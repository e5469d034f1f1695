// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Halving: a step that does not converge is repeated in 2, 4, ... substeps. They may be cut in pieces.
#include <algorithm>
#include <utility>

#include "actio/core/status.hpp"
#include "actio/model/state.hpp"
#include "actio/solvers/cone/law.hpp"

namespace actio::detail {

/// A part of a step: its length [s], the shares of the input that it covers, and the laws that it may break.
template <class S>
struct StepPart {
  const Input<S>& input;
  S h, begin, end;
  RelaxedLaws relaxed;
  ConeLaw law() const noexcept { return relaxed.friction ? ConeLaw::convex : ConeLaw::coulomb; }  ///< of contacts
  /// Returns its beginning, up to a share of its length.
  StepPart up_to(const S& share) const noexcept {
    return share < S(1) ? StepPart{input, share * h, begin, begin + share * (end - begin), relaxed} : *this;
  }
};

/// Relaxes one more law of a step that was not solved: the first of loops, friction and restitution that may be and is not yet.
/// @returns false if there is none.
inline bool relax_one_more(const RelaxedLaws& may_be, RelaxedLaws& relaxed) noexcept {
  for (bool RelaxedLaws::*law : {&RelaxedLaws::loops, &RelaxedLaws::friction, &RelaxedLaws::restitution}) {
    if (may_be.*law && !(relaxed.*law)) return relaxed.*law = true;
  }
  return false;
}

/// The substeps of a step, which is made as a whole or, if that does not converge, in 2, 4, ... substeps of equal length. Begins with half
/// the substeps of the last step, since a step after a difficult one is often difficult too.
/// The work has a bound: after 2000 updates (StepResult::iterations), and 8 for each of the shortest substeps, the step fails with
/// max_iterations.
/// A substep may end early by cut(); the next one is then what remains of it. An integrator that changes its memory in a substep before it
/// succeeds, or cuts one, calls keep() before.
/// Use:  for (Substeps substeps(...); substeps.next();)  make one of length h() that covers the shares [begin(), end()] of the step; its
/// outcome goes to `result`, and on failure it changes nothing.
template <class Memory, class S>
class Substeps {
 public:
  /// @param node the integrator's memory, with `substeps` and `time`; after a failed step it is as before.  @param backup another
  /// memory, as workspace.  @param h length of the step [s].  @param result of the step.
  Substeps(Memory& node, Memory& backup, const S& h, int max_halvings, StepResult<S>& result) noexcept
      : node_(&node), backup_(&backup), result_(&result), h_(h), limit_(1 << max_halvings),
        most_(result.iterations + 2000 + (8 << max_halvings)) {
    begin_with(std::max(1, node.substeps / 2));
  }
  /// Begins the next substep.  @returns false if the step is done or failed.
  bool next() noexcept {
    StepResult<S>& result = *result_;
    const bool exhausted = result.iterations > most_, was_cut = std::exchange(is_cut_, false);
    if (result && made_ == count_ && !was_cut) {
      if (is_kept_) node_->time = backup_->time + h_;  // not the sum of the substeps
      node_->substeps = count_;
      return false;
    }
    if (result && made_ > 0 && exhausted) result.status = Status::max_iterations;
    if (!result) {
      if (is_kept_) *node_ = *backup_;
      if (result.status == Status::callback_failed || count_ >= limit_ || exhausted) return false;
      begin_with(2 * count_);
    } else if (was_cut) {
      ++pieces_;
      return true;
    }
    ++made_;
    pieces_ = 1;
    done_ = S(0);
    return true;
  }
  S h() const noexcept { return h_ * (S(1) - done_) / S(count_); }         ///< length of the substep [s]
  S begin() const noexcept { return (S(made_ - 1) + done_) / S(count_); }  ///< where it begins, as a share of the step
  S end() const noexcept { return S(made_) / S(count_); }                  ///< where it ends
  int pieces() const noexcept { return pieces_; }                          ///< number of pieces of the substep, with the present one
  /// Keeps the memory as it is before the step, if that has not been done.
  void keep() noexcept {
    if (!std::exchange(is_kept_, true)) *backup_ = *node_;
  }
  /// Ends the substep at a share of its length.  @pre keep()
  void cut(const S& share) noexcept {
    done_ += share * (S(1) - done_);
    is_cut_ = true;
  }

 private:
  void begin_with(int count) noexcept {
    count_ = count;
    made_ = 0;
    result_->status = Status::converged;
    result_->substeps = count;
    result_->residual = ValueOf<S>(0);
    result_->impacts = result_->reversals = 0;
    result_->relaxed.restitution = false;
    is_kept_ = is_cut_ = false;
    if (count > 1) keep();
  }

  Memory *node_, *backup_;
  StepResult<S>* result_;
  S h_;
  S done_{};  // share of the substep that earlier pieces covered
  int limit_, most_, count_ = 1, made_ = 0, pieces_ = 1;
  bool is_kept_ = false, is_cut_ = false;
};

}  // namespace actio::detail
