// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads numbers from text files, independently of the locale.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "actio/core/text.hpp"

namespace actio::detail {

/// Returns a part of a file in a form fit for messages: short, printable, in quotes.
inline std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, longest)) out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return out + (text.size() > longest ? "...'" : "'");
}

/// The whitespace of XML; std::isspace depends on the locale.
inline constexpr std::string_view xml_space = " \t\r\n";

inline bool is_blank(std::string_view text) { return text.find_first_not_of(xml_space) == std::string_view::npos; }

/// Splits a text at whitespace.
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(xml_space); at != std::string_view::npos; at = text.find_first_not_of(xml_space, at)) {
    const std::size_t end = std::min(text.find_first_of(xml_space, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Reads one number; a leading '+' is accepted, because robot files have it.
/// @returns why it is not a number; empty on success.
inline std::string read_number(std::string_view token, double& number) {
  const bool signed_plus = token.size() > 1 && token[0] == '+' && token[1] != '-';
  const char* const begin = token.data() + (signed_plus ? 1 : 0);
  const char* const end = token.data() + token.size();
  double value = 0;
  const auto [stop, error] = number_from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) return excerpt(token) + " is out of range";
  if (error != std::errc{} || stop != end) {
    const bool comma = error == std::errc{} && *stop == ',';
    const bool xacro = token.find("${") != std::string_view::npos;
    return excerpt(token) + " is not a number" + (comma ? ": the decimal separator is a point" : "") +
           (xacro ? ": expand the file with xacro first" : "");
  }
  if (!std::isfinite(value)) return excerpt(token) + " is not finite";
  number = value;
  return {};
}

/// Reads exactly `count` numbers separated by whitespace.  @returns why this fails; empty on success.
inline std::string read_numbers(std::string_view text, std::size_t count, double* numbers) {
  std::size_t found = 0;
  std::string trouble;
  for (std::size_t at = text.find_first_not_of(xml_space); at != std::string_view::npos; at = text.find_first_not_of(xml_space, at)) {
    const std::size_t end = std::min(text.find_first_of(xml_space, at), text.size());
    double value = 0;
    if (found < count && trouble.empty()) {
      trouble = read_number(text.substr(at, end - at), value);
      numbers[found] = value;
    }
    ++found;
    at = end;
  }
  if (found != count) {
    return "has " + std::to_string(found) + (found == 1 ? " number" : " numbers") + ", expected " + std::to_string(count) + ": " +
           excerpt(text);
  }
  return trouble;
}

}  // namespace actio::detail
