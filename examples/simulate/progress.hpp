// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <string>

namespace simulate {

/// A progress bar on the terminal, erased when the run ends. Does nothing if the standard error stream is not a terminal.
class ProgressBar {
 public:
  ProgressBar(std::string label, double duration, bool wanted);
  ~ProgressBar() { wipe(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double time);
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  double duration_;
  bool wanted_, is_drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace simulate
