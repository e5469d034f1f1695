// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/sources.hpp"

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace sources_test {

using namespace actio;
using Eigen::Vector3d;
using Planes = ContactSources<PlaneContacts<double>, PlaneContacts<double>>;
using Mixed = ContactSources<PlaneContacts<double>, BodyContacts<double>>;
static_assert(ContactSource<Planes, double> && ContactSource<Mixed, double> && ContactSource<ContactSources<>, double>);
static_assert(!ContactSource<Mixed, float>);

template <class C>
concept SaysMostPoints = requires(const C& source) { source.most_points(); };
static_assert(SaysMostPoints<Planes> && !SaysMostPoints<Mixed>);

TEST_CASE("contact sources: the points of all parts are listed part by part", "[contacts][fast]") {
  const ContactMaterial<double> ground{Compliance<double>{1e5, 10}, 0.5}, wall{Compliance<double>{1e6, 10}, 0.1};
  PlaneContacts<double> floor(ground), side(wall, Vector3d::UnitX(), -1.2);
  BodyContacts<double> bodies(wall);
  for (BodyIndex body = 1; body <= 2; ++body) {
    for (PlaneContacts<double>* plane : {&floor, &side}) plane->add(body, Pose<double>::identity(), Box<double>{{1, 1, 1}});
    bodies.add(body, Pose<double>::identity(), Box<double>{{1, 1, 1}});
  }
  BodyArray<Pose<double>> poses(3, Pose<double>::identity());
  poses[1].p = {-0.7, 0, 0.5};
  poses[2].p = {-0.7, 0, 1.5};
  ContactSources sources{floor, side, bodies};
  CHECK(sources.last_body() == 2);
  static_assert(std::same_as<decltype(sources), ContactSources<PlaneContacts<double>, PlaneContacts<double>, BodyContacts<double>>>);
  ContactList<double> found(40), alone(40);
  const test::AllocationCounter allocations;
  sources.find(poses, 0.01, found);
  CHECK(allocations.count() == 0);
  floor.find(poses, 0.01, alone);
  side.find(poses, 0.01, alone);
  bodies.find(poses, 0.01, alone);
  REQUIRE((found.points().size() == 4 + 8 + 4 && alone.points().size() == found.points().size()));
  for (std::size_t k = 0; k < found.points().size(); ++k) {
    const ContactPoint<double>&one = found.points()[k], &other = alone.points()[k];
    CHECK((one.p == other.p && one.gap == other.gap && *one.material == *other.material));
    CHECK((one.id & ((std::uint64_t(1) << 56) - 1)) == other.id);
    CHECK((one.id < std::uint64_t(1) << 60 && (k == 0 || found.points()[k - 1].id < one.id)));
  }
  CHECK(ContactSources{floor, side}.most_points() == floor.most_points() + side.most_points());
}

}  // namespace sources_test
