// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Base64 for the numbers of a web page.
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace actio::detail {

/// Returns the bytes of the numbers in base64, in the byte order of little-endian machines.                           [RFC 4648, section 4]
template <class T>
std::string base64(std::span<const T> numbers) {
  static_assert(std::endian::native == std::endian::little, "only little-endian machines are supported");
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::span<const std::byte> bytes = std::as_bytes(numbers);
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t n) { return k + n < bytes.size() ? std::to_integer<unsigned>(bytes[k + n]) : 0u; };
    const unsigned triple = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) text += digits[triple >> shift & 63u];
  }
  const std::size_t missing = (3 - bytes.size() % 3) % 3;
  text.replace(text.size() - missing, missing, missing, '=');
  return text;
}

}  // namespace actio::detail
