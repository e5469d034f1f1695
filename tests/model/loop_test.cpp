// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/loop.hpp"

#include "support/catch.hpp"

TEST_CASE("loop: every type has a name", "[model][fast]") {
  using actio::LoopType;
  CHECK(name(LoopType::ball) == "ball");
  CHECK(name(LoopType::revolute) == "revolute");
  CHECK(name(LoopType::universal) == "universal");
  CHECK(name(LoopType::fixed) == "fixed");
  CHECK(name(LoopType::prismatic) == "prismatic");
  CHECK(name(LoopType::cylindrical) == "cylindrical");
  CHECK(name(LoopType::planar) == "planar");
  CHECK(name(LoopType::point_on_line) == "point_on_line");
  CHECK(name(LoopType::distance) == "distance");
}
