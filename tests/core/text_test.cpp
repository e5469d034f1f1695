// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/text.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
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

TEST_CASE("text: every double is written and read back to the last bit", "[model][fast]") {
  using actio::detail::number_from_chars, actio::detail::number_to_chars;
  const auto back = [](double number) {
    std::array<char, 32> text;
    const auto written = number_to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 17);
    REQUIRE(written.ec == std::errc());
    double read = -99;
    const auto result = number_from_chars(text.data(), written.ptr, read);
    return result.ec == std::errc() && result.ptr == written.ptr ? read : std::numeric_limits<double>::quiet_NaN();
  };
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::mt19937_64 bits(7);
  int lost = 0;
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    for (int k = 0; k < 100'000; ++k) {
      const double number = std::bit_cast<double>(bits());
      if (std::isfinite(number)) lost += back(number) != number;
    }
    for (const double number :
         {0.0, 5e-324, -5e-324, 2.2250738585072009e-308, 2.2250738585072014e-308, std::numeric_limits<double>::max()}) {
      CHECK(std::bit_cast<std::uint64_t>(back(number)) == std::bit_cast<std::uint64_t>(number));
    }
  }
  std::setlocale(LC_ALL, before.c_str());
  CHECK(lost == 0);
}

TEST_CASE("text: numbers of a thousand digits, and what ends or is none", "[model][fast]") {
  using actio::detail::number_from_chars;
  const auto check = [](const std::string& text, double expected, std::size_t length, std::errc error = {}) {
    CAPTURE(text);
    double value = -99;
    const auto [end, why] = number_from_chars(text.data(), text.data() + text.size(), value);
    CHECK(why == error);
    CHECK(value == expected);
    CHECK(static_cast<std::size_t>(end - text.data()) == length);
  };
  const std::string zeros(1000, '0');
  check("1" + zeros + "e-1000", 1, 1007);
  check("0." + zeros + "1e1001", 1, 1008);
  check("9007199254740993." + zeros + "1", 9007199254740994, 1018);  // just above the middle between two doubles
  check("9007199254740993", 9007199254740992, 16);                   // the middle: to even
  check("1.5m", 1.5, 3);
  check("2.e", 2, 2);
  check("1e+", 1, 1);
  check("1,5", 1, 1);
  check("-0x10", 0, 2);
  check("-INF", -std::numeric_limits<double>::infinity(), 4);
  for (const char* none : {"", "-", "+1", " 1", ".", "e5", "x"}) check(none, -99, 0, std::errc::invalid_argument);
  check("1e400", -99, 5, std::errc::result_out_of_range);
  check("-1e-400", -99, 7, std::errc::result_out_of_range);
}
