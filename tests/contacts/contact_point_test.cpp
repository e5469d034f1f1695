// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/points.hpp"

#include "support/catch.hpp"

namespace contact_point_test {

using namespace actio;

static_assert(ContactSource<NoContacts, double>);

TEST_CASE("contact list: points beyond the capacity are reported, and copies have the same capacity", "[contacts][fast]") {
  ContactList<double> list(2);
  const ContactList<double> empty = list;
  for (std::uint64_t id = 1; id <= 3; ++id) {
    ContactPoint<double> point;
    point.id = id;
    list.add(point);
  }
  CHECK((list.overflowed() && list.points().size() == 2 && list.points()[1].id == 2));
  list.clear();
  CHECK((!list.overflowed() && list.points().empty() && list.capacity() == 2));
  list = empty;
  list.add({});
  CHECK((!list.overflowed() && list.points().size() == 1));
  list.fail();
  CHECK((list.failed() && !list.overflowed()));
  list.clear();
  CHECK(!list.failed());
}

TEST_CASE("contact material: invalid parameters are recognised", "[contacts][fast]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Compliance<double> spring{1e5, 10};
  CHECK(ContactMaterial<double>{}.is_valid());
  CHECK(ContactMaterial<double>{spring, 0.5, 1e3}.is_valid());
  CHECK(ContactMaterial<double>{PowerLaw<double>::hertz(2e11, 0.01), 0.5}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{Compliance<double>{-1, 0}, 0.5}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{Compliance<double>{1, none}, 0.5}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{PowerLaw<double>{1, 0.5, 0}, 0.5}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{PowerLaw<double>{0, 1.5, 0}, 0.5}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{spring, -0.1}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{spring, none}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{spring, 0.5, 0}.is_valid());
  CHECK(ContactMaterial<double>{spring, 0.5, 0, 1e4}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{spring, 0.5, -1, 1e4}.is_valid());
  CHECK_FALSE(ContactMaterial<double>{spring, 0.5, 1, -1e4}.is_valid());
  // parallel to a rigid damper the spring has no effect
  CHECK_FALSE(ContactMaterial<double>{.friction = 0.5, .tangential_stiffness = 1e4}.is_valid());
}

}  // namespace contact_point_test
