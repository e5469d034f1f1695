// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/properties.hpp"

#include "support/catch.hpp"

TEST_CASE("properties: one number for all entries, one for each entry, or none", "[model][fast]") {
  using actio::detail::PerEntry;
  const PerEntry<double> none, all = 2.0, each = {1.0, 3.0};
  CHECK(none.empty());
  CHECK(none(1, 7) == 7);
  CHECK(none.fits(2));
  CHECK_FALSE(all.empty());
  CHECK(all(0, 7) == 2);
  CHECK(all(1, 7) == 2);
  CHECK(all.fits(6));
  CHECK(each(1, 7) == 3);
  CHECK(each.fits(2));
  CHECK_FALSE(each.fits(3));
  const PerEntry<double> vector = Eigen::VectorXd(Eigen::Vector3d(4, 5, 6));
  CHECK(vector(2, 7) == 6);
}

TEST_CASE("properties: by default all properties of a joint are empty", "[model][fast]") {
  const actio::JointProperties<float> properties;
  CHECK(properties.rest.empty());
  int count = 0;
  actio::detail::for_each_property(properties, [&](const char*, const actio::detail::PerEntry<float>& values, bool, bool) {
    ++count;
    CHECK(values.empty());
  });
  CHECK(count == 10);
}
