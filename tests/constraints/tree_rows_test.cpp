// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/tree_rows.hpp"

#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/moving_tree.hpp"

namespace tree_rows_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d, Eigen::VectorXd;

TEST_CASE("tree rows: the rates of loop closures are the derivatives of their values", "[constraints][compliant][fast]") {
  for (int type = 0; type <= static_cast<int>(LoopType::distance); ++type) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const test::MovingTree moving(seed);
      test::Random random(seed);
      Loop<double> loop;
      loop.type = static_cast<LoopType>(type);
      loop.body_a = static_cast<BodyIndex>(seed % 7);
      loop.body_b = (loop.body_a + 3) % 7;
      loop.T_A = {so3::exp<double>(Vector3d(random.matrix(3, 1, 2))), random.matrix(3, 1)};
      loop.T_B = {so3::exp<double>(Vector3d(random.matrix(3, 1, 2))), random.matrix(3, 1)};
      loop.axis = Vector3d(random.matrix(3, 1)).normalized();
      loop.axis2 = Vector3d(random.matrix(3, 1)).normalized();
      loop.length = 0.7;
      const auto rows_of = [&](const KinematicsData<double>& data) {
        std::array<ConstraintRow<double>, 6> rows;
        const std::size_t count = loop_rows(loop, data.T_WB[loop.body_a], data.T_WB[loop.body_b], rows);
        REQUIRE(count == static_cast<std::size_t>(num_rows(loop.type)));
        return rows;
      };
      for (std::size_t k = 0; k < static_cast<std::size_t>(num_rows(loop.type)); ++k) {
        CAPTURE(name(loop.type), seed, k);
        const double expected = moving.rate([&](const KinematicsData<double>& data) { return rows_of(data)[k].value; });
        CHECK(std::abs(rows_of(moving.now)[k].rate(moving.now.V, moving.v) - expected) < 1e-8 * (1 + std::abs(expected)));
      }
    }
  }
}

TEST_CASE("tree rows: values and rates of joint limits, dry friction and couplings", "[constraints][compliant][fast]") {
  ModelProperties<double> properties;
  properties.lower = VectorXd::Constant(3, -1);
  properties.upper = VectorXd::Constant(3, 2);
  const VectorXd q = Eigen::Vector3d(0.5, 0.25, 0.125), v = Eigen::Vector3d(1, 2, 4);
  const BodyArray<Vector6<double>> V(1, Vector6<double>::Zero());
  const auto lower = limit_row<double>(properties, q, 1, 1, 1), upper = limit_row<double>(properties, q, 1, 1, -1);
  CHECK((lower.value == 1.25 && lower.rate(V, v) == 2));
  CHECK((upper.value == 1.75 && upper.rate(V, v) == -2));
  CHECK(friction_row<double>(2).rate(V, v) == 4);
  Coupling<double> gear;
  gear.follower_q = gear.follower_v = 2;
  gear.leader_q = gear.leader_v = 0;
  gear.ratio = -3;
  gear.offset = 0.1;
  const auto row = coupling_row<double>(gear, q);
  CHECK(std::abs(row.value - (0.125 + 1.5 - 0.1)) < 1e-15);
  CHECK(row.rate(V, v) == 7);
}

}  // namespace tree_rows_test
