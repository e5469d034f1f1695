// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/pairs/pairs.hpp"

#include "support/catch.hpp"

namespace body_pairs_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("body pairs: all pairs of different bodies except the excluded ones, in either order", "[contacts][fast]") {
  BodyPairs pairs;
  for (BodyIndex a = 0; a < 5; ++a) {
    for (BodyIndex b = 0; b < 5; ++b) CHECK(pairs.may_touch(a, b) == (a != b));
  }
  pairs.exclude(3, 1);
  pairs.exclude(0, 2);
  pairs.exclude(1, 3);
  for (BodyIndex a = 0; a < 5; ++a) {
    for (BodyIndex b = 0; b < 5; ++b) {
      const std::pair<BodyIndex, BodyIndex> pair = std::minmax(a, b);
      CHECK(pairs.may_touch(a, b) ==
            (a != b && pair != std::pair<BodyIndex, BodyIndex>(1, 3) && pair != std::pair<BodyIndex, BodyIndex>(0, 2)));
    }
  }
}

}  // namespace body_pairs_test
