// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/rows.hpp"

#include "support/catch.hpp"

namespace cone_rows_test {

using namespace actio;

TEST_CASE("cone rows: the capacity is set once and copied", "[solvers][cone][fast]") {
  ConeRows<double> rows(4);
  CHECK(rows.add(RowKind::bilateral, 1, 2));
  const ConeRows<double> copy = rows;
  CHECK(rows.add_contact(2, 1, 3, 0.5, 4));
  CHECK_FALSE(rows.add(RowKind::unilateral, 1, 0));
  CHECK(rows.size() == 4);
  CHECK(rows.groups().size() == 2);
  CHECK((rows.bias() - Eigen::Vector4d(2, 4, 0, 0)).isZero(0));
  CHECK((rows.R() - Eigen::Vector4d(1, 1, 3, 3)).isZero(0));
  rows = copy;
  CHECK(rows.size() == 1);
  CHECK(rows.add_contact(2, 1, 3, 0.5, 4));
  rows.clear();
  CHECK((rows.size() == 0 && rows.groups().empty() && rows.capacity() == 4));
  CHECK_FALSE(ConeRows<double>(2).add_contact(2, 1, 1, 1, 0));
}

}  // namespace cone_rows_test
