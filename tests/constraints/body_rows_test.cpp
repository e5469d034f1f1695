// SPDX-License-Identifier: BSD-3-Clause
// Rows about two centres of mass: the same rate, and opposite wrenches in space.
#include "actio/constraints/body_rows.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace body_rows_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("body rows: rates match the relative twist, and both wrenches are opposite in space", "[constraints][body_rows][fast]") {
  models::Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Pose<double> T_WA = random.pose<double>(1), T_AM = random.pose<double>(1), T_BM = random.pose<double>(1);
    const Pose<double> T_WB = T_WA * T_AM * T_BM.inverse();
    const Vector3<double> com_a = random.in_box<double, 3>(1), com_b = random.in_box<double, 3>(1);
    PoseRows<double> rows;
    for (int k = 0; k < 3; ++k) rows.add(0.1 * k, random.in_box<double, 3>(1), random.in_box<double, 3>(1));
    const bool framed = trial % 2 == 0;
    const Pose<double> T_bM = framed ? T_BM : Pose<double>::identity(), T_WBody = framed ? T_WB : T_WA * T_AM;
    BodyRows<double> out;
    to_bodies<double>(rows, T_AM, framed ? &T_bM : nullptr, com_a, com_b, out);
    REQUIRE(out.count == 3);
    const Vector6<double> V_a = random.in_box<double, 6>(1), V_b = random.in_box<double, 6>(1);  // twists of the body frames
    const Vector6<double> relative = T_bM.twist_to_child(V_b) - T_AM.twist_to_child(V_a);
    const auto about_com = [](const Vector6<double>& V, const Vector3<double>& com) {
      const Vector3<double> w = V.head<3>();
      return spatial<double>(w, V.tail<3>() + w.cross(com));
    };
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(out.value[k] == rows.value[k]);
      CHECK(std::abs(out.on_a[k].dot(about_com(V_a, com_a)) + out.on_b[k].dot(about_com(V_b, com_b)) - rows.wrench[k].dot(relative)) <
            1e-13);
      const auto about_origin = [](const Vector6<double>& F, const Vector3<double>& com) { return detail::about_point<double>(F, -com); };
      const Vector6<double> in_space =
          T_WA.wrench_to_parent(about_origin(out.on_a[k], com_a)) + T_WBody.wrench_to_parent(about_origin(out.on_b[k], com_b));
      CHECK(in_space.norm() < 1e-13);
    }
  }
}

}  // namespace body_rows_test
