// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the options of all integrators have in common: the default tolerance, and how a value outside its range is refused.
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

/// Refuses an option that is out of range.
/// @param options type of the options, option name of the one in question, value what it is: a number or words, expected its range.
/// @throws OptionsError "VariationalOptions: tolerance is -1, expected >= 0" unless `sound`.
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
