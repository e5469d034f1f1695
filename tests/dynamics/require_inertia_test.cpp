// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/requirements.hpp"

#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"

namespace require_inertia_test {

using namespace actio;
using namespace actio::detail;

/// A chain world - a - b of two revolute joints about z, 1 m apart along x.
Model<double> two_links(const Inertia<double>& a, const Inertia<double>& b, double armature = 0) {
  ModelBuilder<double> builder("two links");
  builder.add_body("a", a).add_body("b", b);
  builder.add_joint("first", "world", "a", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("second", "a", "b", Pose<double>::translation(1, 0, 0), Revolute<double>({0, 0, 1}), {.armature = armature});
  return builder.build();
}

TEST_CASE("require_inertia: models whose joints all move some inertia pass", "[integrators][inertia][long]") {
  const auto rod = Inertia<double>::rod(1, 1, {1, 0, 0});
  CHECK_NOTHROW(require_inertia(two_links(rod, rod), "test"));
  CHECK_NOTHROW(require_inertia(two_links(Inertia<double>::zero(), rod), "test"));  // a massless link that carries another
  CHECK_NOTHROW(require_inertia(two_links(rod, Inertia<double>::zero(), 0.01), "test"));  // armature is inertia enough
  CHECK_NOTHROW(require_inertia(models::revolute_chain(1000), "test"));
  CHECK_NOTHROW(require_inertia(cast<float>(models::revolute_chain(100)), "test"));
  CHECK_NOTHROW(require_inertia(models::humanoid(), "test"));
  for (std::uint64_t seed = 1; seed <= 50; ++seed) CHECK_NOTHROW(require_inertia(models::random_tree(seed, 10), "test"));
}

TEST_CASE("require_inertia: joints that move no inertia are refused by name", "[integrators][inertia][long]") {
  const auto rod = Inertia<double>::rod(1, 1, {1, 0, 0});
  CHECK_THROWS_WITH(require_inertia(two_links(rod, Inertia<double>::zero()), "test"), test::contains("'second'") && test::contains("'b'"));
  // A point mass on its joint's axis.
  CHECK_THROWS_WITH(require_inertia(two_links(rod, Inertia<double>::point(1, {0, 0, 1})), "test"), test::contains("'second'"));
  // A thin rod on a ball joint has no inertia about its axis; rounding leaves 1e-17 of it.
  ModelBuilder<double> builder("rod");
  builder.add_body("rod", Inertia<double>::rod(1, 1, Eigen::Vector3d(1, 2, 3).normalized()));
  builder.add_joint("ball", "world", "rod", Pose<double>::identity(), Spherical<double>());
  CHECK_THROWS_WITH(require_inertia(builder.build(), "test"), test::contains("'ball'"));
}

}  // namespace require_inertia_test
