// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/xml/numbers.hpp"

#include <array>
#include <limits>
#include <locale>
#include <string>

#include "support/catch.hpp"

using namespace actio::detail;

namespace numbers_test {

/// Decimal commas and grouped digits, as the global locale of a program may have them.
struct CommaPunctuation : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_CASE("numbers: the text of files is read to the last bit", "[io][numbers][fast]") {
  const auto [text, expected] = GENERATE(table<std::string, double>({{"1", 1.0},
                                                                     {"-0.5", -0.5},
                                                                     {"+3.25", 3.25},
                                                                     {".1", 0.1},
                                                                     {"2.", 2.0},
                                                                     {"1e-3", 1e-3},
                                                                     {"-1.94289029309402E-16", -1.94289029309402E-16},
                                                                     {"0.1000000000000000055511151231257827", 0.1},
                                                                     {"1.7976931348623157e308", std::numeric_limits<double>::max()}}));
  CAPTURE(text);
  double x = -99;
  CHECK(read_number(text, x) == "");
  CHECK(x == expected);
}

TEST_CASE("numbers: invalid numbers are refused with the text and a reason", "[io][numbers][fast]") {
  const auto [text, reason] = GENERATE(table<std::string, std::string>({{"", "not a number"},
                                                                        {"+", "not a number"},
                                                                        {"+-1", "not a number"},
                                                                        {"abc", "not a number"},
                                                                        {"1.5m", "not a number"},
                                                                        {"0x10", "not a number"},
                                                                        {"1,57", "the decimal separator is a point"},
                                                                        {"${pi/2}", "xacro"},
                                                                        {"1e400", "out of range"},
                                                                        {"-1e400", "out of range"},
                                                                        {"inf", "not finite"},
                                                                        {"-Infinity", "not finite"},
                                                                        {"nan", "not finite"}}));
  CAPTURE(text);
  double x = -99;
  const std::string why = read_number(text, x);
  CHECK(why.find(reason) != std::string::npos);
  CHECK(why.find('\'' + text + '\'') != std::string::npos);
  CHECK(x == -99);
}

TEST_CASE("numbers: a list has exactly the expected number of entries", "[io][numbers][fast]") {
  std::array<double, 3> v{};
  CHECK(read_numbers(" 1\t-2\r\n +3 ", 3, v.data()) == "");
  CHECK(v == std::array<double, 3>{1, -2, 3});
  CHECK(read_numbers("1 2", 3, v.data()) == "has 2 numbers, expected 3: '1 2'");
  CHECK(read_numbers("1 2 3 4", 3, v.data()) == "has 4 numbers, expected 3: '1 2 3 4'");
  CHECK(read_numbers("", 1, v.data()) == "has 0 numbers, expected 1: ''");
  CHECK(read_numbers("1 x 3", 3, v.data()) == "'x' is not a number");
}

TEST_CASE("numbers: a decimal comma in the program's locale changes nothing", "[io][numbers][fast]") {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  double x = 0;
  const std::string why = read_number("1234.57", x), comma = read_number("1,57", x);
  std::locale::global(before);
  CHECK(why == "");
  CHECK(x == 1234.57);
  CHECK(comma != "");
}

TEST_CASE("numbers: an excerpt is short and printable", "[io][numbers][fast]") {
  CHECK(excerpt("two\nlines\x1b") == "'two?lines?'");
  CHECK(excerpt(std::string(1000, 'a')) == "'" + std::string(60, 'a') + "...'");
}

}  // namespace numbers_test
