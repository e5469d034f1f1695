// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Numbers as text and back, exactly and the same in every locale, also with standard libraries that cannot read or write floating point.
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#if !defined(__cpp_lib_to_chars)  // libc++ before 20
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#endif

#include "actio/core/types.hpp"

namespace actio::detail {

/// Writes a number as std::to_chars does.  @param format general or fixed.  @param digits significant ones, or after the point if fixed.
/// @returns the end of the text, and value_too_large if it does not fit.
inline std::to_chars_result number_to_chars(char* begin, char* end, double value, std::chars_format format, int digits) {
#if defined(__cpp_lib_to_chars)
  return std::to_chars(begin, end, value, format, digits);
#else
  // snprintf rounds correctly, but takes its decimal point from the C locale.
  const char* const pattern = format == std::chars_format::fixed ? "%.*f" : "%.*g";
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, pattern, digits, value)) + 1, ' ');
  std::snprintf(text.data(), text.size(), pattern, digits, value);
  text.pop_back();
  const std::string_view point = std::localeconv()->decimal_point;
  if (const std::size_t at = text.find(point); at != std::string::npos) text.replace(at, point.size(), 1, '.');
  if (static_cast<std::ptrdiff_t>(text.size()) > end - begin) return {end, std::errc::value_too_large};
  return {std::copy(text.begin(), text.end(), begin), std::errc()};
#endif
}

/// Reads a number as std::from_chars does: correctly rounded, without a leading '+' or space; inf and nan are numbers.
/// @returns where the number ends, and the error: invalid_argument or result_out_of_range, value is unchanged then.
inline std::from_chars_result number_from_chars(const char* begin, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(begin, end, value);
#else
  const char* at = begin;
  const auto skip_digits = [&] {
    const char* const from = at;
    while (at != end && *at >= '0' && *at <= '9') ++at;
    return at - from;
  };
  if (at != end && *at == '-') ++at;
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  const auto begins = [&](std::string_view word) {
    return rest.size() >= word.size() && std::equal(word.begin(), word.end(), rest.begin(), [](char a, char b) { return a == (b | 0x20); });
  };
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (!begins(word)) continue;
    const double found = word == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    value = *begin == '-' ? -found : found;
    return {at + word.size(), std::errc()};
  }
  auto digits = skip_digits();
  if (at != end && *at == '.') {
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return {begin, std::errc::invalid_argument};
  if (at != end && (*at == 'e' || *at == 'E')) {
    const char* const before = at++;
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (skip_digits() == 0) at = before;
  }
  // strtod rounds correctly, but takes its decimal point from the C locale.
  std::string text(begin, at);
  if (const std::size_t point = text.find('.'); point != std::string::npos) text.replace(point, 1, std::localeconv()->decimal_point);
  const double found = std::strtod(text.c_str(), nullptr);
  const bool is_zero =
      std::none_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find_first_of("eE"), text.size())),
                   [](char c) { return c >= '1' && c <= '9'; });
  if (!std::isfinite(found) || (found == 0 && !is_zero)) return {at, std::errc::result_out_of_range};
  value = found;
  return {at, std::errc()};
#endif
}

/// Returns a number as text, that of every lane of a batch.  @param digits largest number of significant digits: by default 9, for float the 6 that it represents.
template <Scalar S>
std::string to_text(const S& number, int digits = std::min(9, std::numeric_limits<ValueOf<S>>::digits10)) {
  if constexpr (has_lanes<S>) {
    std::string text;
    for (int k = 0; k < S::lanes; ++k) text += (k == 0 ? "" : " ") + to_text(number[k], digits);
    return text;
  } else {
    std::array<char, 64> text;
    const auto [end, error] =
        number_to_chars(text.data(), text.data() + text.size(), double(value_of(number)), std::chars_format::general, digits);
    return std::string(text.data(), error == std::errc() ? end : text.data());
  }
}

/// Returns the entries of a vector as text, separated by spaces.
template <class Derived>
std::string to_text(const Eigen::MatrixBase<Derived>& entries) {
  std::string text;
  for (Eigen::Index k = 0; k < entries.size(); ++k) text += (k == 0 ? "" : " ") + to_text(typename Derived::Scalar(entries[k]));
  return text;
}

inline std::string concat(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

}  // namespace actio::detail
