// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shows on the terminal how far a run is.
#include <chrono>
#include <cstdint>
#include <string>

namespace simulate {

/// A progress bar on the terminal, erased when the run ends. Does nothing if the standard error stream is not a terminal.
class ProgressBar {
 public:
  ProgressBar(std::string label, double duration, bool wanted);
  ~ProgressBar() { wipe(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Returns whether to call show() at a step: several times a second, without looking at the clock at every step.
  bool is_due(std::int64_t step) const noexcept { return step >= due_; }
  void show(std::int64_t step, double time);
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  double duration_;
  bool wanted_, is_drawn_ = false;
  Clock::time_point begin_ = Clock::now(), drawn_ = begin_, asked_ = begin_;
  std::int64_t due_ = 0, stride_ = 1;  ///< the step at which to look at the clock, and how many steps later again
};

}  // namespace simulate
