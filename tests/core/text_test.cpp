// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/text.hpp"

#include <clocale>
#include <limits>
#include <string>

#include "support/catch.hpp"

TEST_CASE("text: numbers read the same under every locale", "[model][fast]") {
  using actio::detail::to_text;
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {  // locales that are not installed change nothing
    std::setlocale(LC_ALL, locale);
    CHECK(to_text(-1.0) == "-1");
    CHECK(to_text(0.1f) == "0.1");
    CHECK(to_text(1.0 / 3) == "0.333333333");
    CHECK(to_text(1.0 / 3, 3) == "0.333");
    CHECK(to_text(1e300) == "1e+300");
    CHECK(to_text(std::numeric_limits<double>::infinity()) == "inf");
    CHECK(to_text(std::numeric_limits<double>::quiet_NaN()) == "nan");
  }
  std::setlocale(LC_ALL, before.c_str());
  CHECK(actio::detail::concat({"a", std::string("b"), ""}) == "ab");
}
