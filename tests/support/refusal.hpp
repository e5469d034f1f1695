// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The messages of exceptions, for tests; Catch2's string matchers have other names in version 3.
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace actio::test {

/// Returns the message of the Error that a call throws; the test fails if it throws none, and other exceptions pass through.
template <class Error, class Call>
std::string refusal(Call call) {
  try {
    (void)call();
  } catch (const Error& error) {
    return error.what();
  }
  FAIL_CHECK("nothing was refused");
  return {};
}

/// Returns the parts that a text does not contain; empty if it contains all.
inline std::string missing(std::string_view text, std::initializer_list<std::string_view> parts) {
  std::string lacking;
  for (const std::string_view part : parts) {
    if (text.find(part) == std::string_view::npos) lacking += "'" + std::string(part) + "' is not in: " + std::string(text) + '\n';
  }
  return lacking;
}

}  // namespace actio::test
