// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>

#include "actio/core/text.hpp"
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace simulate {
namespace {

bool is_terminal() {
#if __has_include(<unistd.h>)
  return isatty(STDERR_FILENO) == 1;
#else
  return false;
#endif
}

}  // namespace

ProgressBar::ProgressBar(std::string label, double duration, bool wanted)
    : label_(std::move(label)), duration_(duration), wanted_(wanted && is_terminal()) {}

void ProgressBar::show(double time) {
  const Clock::time_point now = Clock::now();
  if (!wanted_ || now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  constexpr int width = 32;
  const double share = std::clamp(time / duration_, 0.0, 1.0);
  const int filled = static_cast<int>(share * width);
  std::string bar = "\r" + label_ + "  ";
  for (int k = 0; k < width; ++k) bar += k < filled ? "\u2588" : "\u2591";
  bar += "  " + actio::detail::to_text(std::floor(100 * share)) + " %  t = " + actio::detail::to_text(time, 3) + " s";
  const double passed = std::chrono::duration<double>(now - begin_).count();
  if (share > 0.02) bar += ", " + actio::detail::to_text(std::ceil(passed / share - passed), 6) + " s left";
  std::cerr << bar << "\033[K" << std::flush;
  is_drawn_ = true;
}

void ProgressBar::wipe() {
  if (is_drawn_) std::cerr << "\r\033[K" << std::flush;
  is_drawn_ = false;
}

}  // namespace simulate
