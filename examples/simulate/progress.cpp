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

void ProgressBar::show(std::int64_t step, double time) {
  const Clock::time_point now = Clock::now();
  const bool is_late = now - asked_ > std::chrono::milliseconds(50);
  stride_ = is_late ? std::max<std::int64_t>(stride_ / 2, 1) : std::min<std::int64_t>(2 * stride_, 1 << 16);
  due_ = step + stride_;
  asked_ = now;
  if (!wanted_ || !(duration_ > 0) || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  constexpr int width = 32;
  const double share = std::clamp(time / duration_, 0.0, 1.0);
  const int filled = static_cast<int>(share * width);
  std::string bar = "\r" + label_ + "  ";
  for (int k = 0; k < width; ++k) bar += k < filled ? "\u2588" : "\u2591";
  bar += "  " + actio::detail::to_text(std::floor(100 * share)) + " %  t = " + actio::detail::to_text(time, 3) + " s";
  const double passed = std::chrono::duration<double>(now - begin_).count();
  const double left = passed / share - passed;
  if (passed > 1 && left < 7200) bar += ", " + actio::detail::to_text(std::ceil(left), 6) + " s left";
  else if (passed > 1 && share > 0) bar += ", " + actio::detail::to_text(left / 3600, 3) + " h left";
  std::cerr << bar << "\033[K" << std::flush;
  is_drawn_ = true;
}

void ProgressBar::wipe() {
  if (is_drawn_) std::cerr << "\r\033[K" << std::flush;
  is_drawn_ = false;
}

}  // namespace simulate
