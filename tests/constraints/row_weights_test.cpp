// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/closure_weights.hpp"

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace row_weights_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;

TEST_CASE("row weights: the blocks are the inverse of the mobility on free bodies", "[constraints][row_weights][fast]") {
  const Model<double> model = models::random_tree(3, 4);
  BodyArray<int> acts_on(model.num_bodies(), 0);
  acts_on[1] = 2, acts_on[3] = 5;
  RowWeights<double> weights(model, acts_on);
  models::Random random(1);
  for (std::size_t count = 1; count <= 6; ++count) {
    const auto n = static_cast<Eigen::Index>(count);
    std::array<std::array<Vector6<double>, 6>, 2> wrench;
    for (auto& side : wrench) {
      for (Vector6<double>& F : side) F = random.in_box<double, 6>(1);
    }
    Matrix6<double> E;
    {
      const test::AllocationCounter allocations;
      weights.begin(count);
      weights.add(1, [&](int r) { return wrench[0][static_cast<std::size_t>(r)]; });
      weights.add(3, [&](int r) { return wrench[1][static_cast<std::size_t>(r)]; });
      weights.add(0, [&](int r) { return wrench[1][static_cast<std::size_t>(r)]; });  // the world has no mobility
      const bool regular = weights.finish(E);
      CHECK(allocations.count() == 0);
      REQUIRE(regular);
    }
    MatrixXd J(12, n), mobility = MatrixXd::Zero(n, n);
    for (Eigen::Index r = 0; r < n; ++r) J.col(r) << wrench[0][static_cast<std::size_t>(r)], wrench[1][static_cast<std::size_t>(r)];
    mobility += 2 * test::delassus(J.topRows(6).transpose(), model.inertia(1).matrix());
    mobility += 5 * test::delassus(J.bottomRows(6).transpose(), model.inertia(3).matrix());
    CHECK((MatrixXd(E.topLeftCorner(n, n)) * mobility - MatrixXd::Identity(n, n)).norm() <
          1e-10 * mobility.norm() * E.topLeftCorner(n, n).norm());
  }
  weights.begin(2);
  weights.add(1, [](int r) { return r == 0 ? Vector6<double>::Unit(3).eval() : Vector6<double>::Zero().eval(); });
  Matrix6<double> E;
  CHECK_FALSE(weights.finish(E));
}

}  // namespace row_weights_test
