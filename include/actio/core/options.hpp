// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the options of all integrators: the default tolerance, and the error for a value outside its range.
#include <string>
#include <string_view>
#include <type_traits>

#include "actio/core/error.hpp"
#include "actio/core/text.hpp"

namespace actio {

/// Default relative tolerance of residuals: 1e-10 in double, 1e-5 in float.
template <class V>
inline constexpr V default_tolerance = sizeof(V) >= 8 ? V(1e-10) : V(1e-5);

namespace detail {

/// Throws OptionsError unless `sound`, for example "VariationalOptions: tolerance is -1, expected >= 0".
/// @param options name of the type of the options.  @param option name of the option.  @param value its value, a number or text.
/// @param expected the range of the option, in words.
template <class T>
void require_option(bool sound, std::string_view options, std::string_view option, const T& value, std::string_view expected) {
  if (sound) return;
  std::string text;
  if constexpr (std::is_convertible_v<T, std::string_view>) text = value;
  else if constexpr (std::is_integral_v<T>) text = std::to_string(value);
  else text = to_text(value);
  throw OptionsError(concat({options, ": ", option, " is ", text, ", expected ", expected}));
}

}  // namespace detail
}  // namespace actio
