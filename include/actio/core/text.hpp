// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers as text in messages, the same in every locale.
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "actio/core/scalar.hpp"

namespace actio::detail {

/// Returns a number as text.  @param digits largest number of significant digits: by default 9, for float the 6 that it represents.
template <Scalar S>
std::string to_text(const S& number, int digits = std::min(9, std::numeric_limits<ValueOf<S>>::digits10)) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value_of(number), std::chars_format::general, digits);
  return std::string(text.data(), error == std::errc() ? end : text.data());
}

inline std::string concat(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace actio::detail
