// SPDX-License-Identifier: BSD-3-Clause
// Joint coordinates as rows, against the definitions of the joints.
#include "actio/constraints/coupling.hpp"

#include "actio/model/joints/default_joints.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace coordinate_rows_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("coordinate rows: rates are the joint velocities, and wrenches do the work of the joint forces",
          "[constraints][coordinate_rows][fast]") {
  models::Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::visit([&]<class J>(const J& joint) {
      typename J::Tangent x, v, tau;
      for (int k = 0; k < J::nv; ++k) x[k] = random.uniform(-1, 1), v[k] = random.uniform(-1, 1), tau[k] = random.uniform(-1, 1);
      const typename J::Config q0 = joint.integrate(joints::neutral(joint), v), q = joint.integrate(q0, x);
      const joints::Subspace<J> S = joint.motion_subspace(q), dual = dual_subspace<J>(S);
      CHECK((dual.transpose() * (S * v) - v).norm() < 1e-13);
      CHECK(std::abs((dual * tau).dot(S * v) - tau.dot(v)) < 1e-13);
      PoseRows<double> rows;
      increment_rows(joint, q, x, rows);
      REQUIRE(rows.count == static_cast<std::size_t>(J::nv));
      for (int k = 0; k < J::nv; ++k) {
        CHECK(rows.value[static_cast<std::size_t>(k)] == x[k]);
        CHECK(std::abs(rows.wrench[static_cast<std::size_t>(k)].dot(S * v) - v[k]) < 1e-13);
      }
    }, models::detail::random_joint<double>(random));
  }
}

}  // namespace coordinate_rows_test
