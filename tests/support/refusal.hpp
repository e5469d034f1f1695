// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a refused call says, for tests of messages; Catch2's own string matchers have other names in version 3.
#include <initializer_list>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace actio::test {

/// The message of the Error that a call throws; a call that throws none fails the test, another exception passes through.
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

/// The parts that a text lacks; empty when it has them all.
inline std::string missing(std::string_view text, std::initializer_list<std::string_view> parts) {
  std::string lacking;
  for (const std::string_view part : parts) {
    if (text.find(part) == std::string_view::npos) lacking += "'" + std::string(part) + "' is not in: " + std::string(text) + '\n';
  }
  return lacking;
}

}  // namespace actio::test
