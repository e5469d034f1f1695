// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/html/base64.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace base64_test {

std::string base64_of(std::string_view text) { return actio::detail::base64<char>(text); }

TEST_CASE("base64: the test vectors of RFC 4648 are reproduced", "[io][fast]") {
  CHECK(base64_of("") == "");
  CHECK(base64_of("f") == "Zg==");
  CHECK(base64_of("fo") == "Zm8=");
  CHECK(base64_of("foo") == "Zm9v");
  CHECK(base64_of("foob") == "Zm9vYg==");
  CHECK(base64_of("fooba") == "Zm9vYmE=");
  CHECK(base64_of("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64: numbers are little-endian, and every digit is used", "[io][fast]") {
  CHECK(actio::detail::base64<std::uint16_t>(std::vector<std::uint16_t>{0x0201, 0x0403, 0xfeff}) == "AQIDBP/+");
  CHECK(actio::detail::base64<float>(std::vector<float>{1}) == "AACAPw==");
}

}  // namespace base64_test
