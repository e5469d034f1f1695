// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/points.hpp"

#include "support/catch.hpp"
#include "support/refusal.hpp"

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
  using Material = ContactMaterial<double>;
  for (const Material& material :
       {Material{}, Material{spring, 0.5, 1e3}, Material{PowerLaw<double>::hertz(2e11, 0.01), 0.5}, Material{spring, 0.5, 0, 1e4}}) {
    CHECK(material.is_valid());
    CHECK_NOTHROW(material.check("Ground"));
  }
  const std::vector<std::pair<Material, std::string>> wrong{
      {{Compliance<double>{-1, 0}, 0.5}, "stiffness is -1, expected >= 0"},
      {{Compliance<double>{1, none}, 0.5}, "damping is nan, expected >= 0"},
      {{PowerLaw<double>{1, 0.5, 0}, 0.5}, "exponent is 0.5, expected a finite number >= 1"},
      {{PowerLaw<double>{0, 1.5, 0}, 0.5}, "coefficient is 0, expected a finite number > 0"},
      {{PowerLaw<double>{1, 1.5, -2}, 0.5}, "dissipation is -2, expected >= 0"},
      {{spring, -0.1}, "friction is -0.1, expected a finite number >= 0"},
      {{spring, none}, "friction is nan, expected a finite number >= 0"},
      {{spring, 0.5, 0}, "tangential_damping is 0, expected > 0"},
      {{spring, 0.5, -1, 1e4}, "tangential_damping is -1, expected a finite number >= 0 beside a spring"},
      {{spring, 0.5, 1, -1e4}, "tangential_stiffness is -10000, expected a finite number >= 0"},
      // parallel to a rigid damper the spring has no effect
      {{.friction = 0.5, .tangential_stiffness = 1e4}, "tangential_damping is inf, expected a finite number >= 0 beside a spring"}};
  for (const auto& [material, message] : wrong) {
    CHECK_FALSE(material.is_valid());
    CHECK(test::refusal<OptionsError>([&material = material] { return material.check("Ground"), 0; }) ==
          "Ground: the material's " + message);
  }
}

}  // namespace contact_point_test
