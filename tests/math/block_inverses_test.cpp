// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/block_inverses.hpp"

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace block_inverses_test {

using namespace actio;
using Eigen::MatrixXd, Eigen::VectorXd;

TEST_CASE("block inverses: they undo products with the blocks, in place too, and refuse singular ones", "[math][fast]") {
  models::Random random(1);
  detail::BlockInverses<double> inverses(7);
  MatrixXd A = MatrixXd::Zero(21, 21);
  Eigen::Index first = 0;
  for (Eigen::Index size = 1; size <= 6; first += size++) {
    auto block = A.block(first, first, size, size);
    for (double& entry : block.reshaped()) entry = random.uniform(-1, 1);  // not symmetric
    REQUIRE(inverses.set(static_cast<std::size_t>(size - 1), first, size, block));
  }
  const VectorXd wanted = VectorXd::LinSpaced(21, -1, 2);
  VectorXd x = A * wanted, out = VectorXd::Zero(21);
  const test::AllocationCounter allocations;
  inverses.multiply(x, out);
  inverses.multiply(x, x, 3);  // blocks of 1, 2 and 3 rows
  CHECK(allocations.count() == 0);
  CHECK((out - wanted).norm() < 1e-11);
  CHECK((x.head(6) - wanted.head(6)).norm() < 1e-11);
  CHECK((x.tail(15) - (A * wanted).tail(15)).norm() == 0);
  CHECK_FALSE(inverses.set(6, 0, 2, Eigen::Matrix2d::Ones()));
}

}  // namespace block_inverses_test
