// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/row.hpp"

#include <utility>

#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace row_test {

using namespace actio;

/// A row on two bodies and two joints; the first body is the world if `to_world`.
template <class S>
ConstraintRow<S> random_row(models::Random& random, bool to_world) {
  ConstraintRow<S> row;
  row.bodies[0] = {to_world ? BodyIndex{0} : BodyIndex{2}, random.in_box<S, 6>(1)};
  row.bodies[1] = {3, random.in_box<S, 6>(1)};
  row.joints[0] = {4, S(2)};
  row.joints[1] = {1, S(-0.5f)};
  return row;
}

TEMPLATE_TEST_CASE("row: the maps to the rate and to the forces are adjoint", "[constraints][fast]", float, double) {
  using S = TestType;
  models::Random random(1);
  for (int sample = 0; sample < 20; ++sample) {
    const ConstraintRow<S> row = random_row<S>(random, sample % 2 == 0);
    BodyArray<Vector6<S>> V(5, Vector6<S>::Zero()), F = V;
    for (BodyIndex i = 1; i < 5; ++i) V[i] = random.in_box<S, 6>(1);
    const VectorX<S> v = random.in_box<S, 6>(1);
    VectorX<S> tau = VectorX<S>::Zero(6);
    const S lambda = S(0.7f);
    row.apply(lambda, F, tau);
    S power = tau.dot(v);
    for (BodyIndex i = 0; i < 5; ++i) power += F[i].dot(V[i]);
    CHECK(std::abs(power - lambda * row.rate(V, v)) < 20 * epsilon<S>);
  }
}

TEST_CASE("row: entries of the world are ignored, and forces are added", "[constraints][fast]") {
  models::Random random(2);
  const ConstraintRow<double> row = random_row<double>(random, true);
  const Vector6<double> poison = Vector6<double>::Constant(std::numeric_limits<double>::quiet_NaN());
  BodyArray<Vector6<double>> V(5, Vector6<double>::Ones()), F(5, Vector6<double>::Zero());
  V[0] = poison;
  CHECK(std::isfinite(row.rate(V, VectorX<double>::Ones(6))));
  VectorX<double> tau = VectorX<double>::Zero(6);
  row.apply(1, F, tau);
  row.apply(1, F, tau);
  CHECK(F[0] == Vector6<double>::Zero());
  CHECK(F[3] == 2 * row.bodies[1].wrench);
  CHECK(tau[4] == 4);
  CHECK(tau[1] == -1);
}

TEST_CASE("row: an empty row does nothing", "[constraints][fast]") {
  const ConstraintRow<double> empty;
  BodyArray<Vector6<double>> V(2, Vector6<double>::Ones());
  VectorX<double> tau = VectorX<double>::Ones(2);
  CHECK(empty.rate(V, tau) == 0);
  empty.apply(5, V, tau);
  CHECK(V[1] == Vector6<double>::Ones());
  CHECK(tau == VectorX<double>::Ones(2));

}

TEST_CASE("rows: the capacity is kept, also by copies, and never exceeded", "[constraints][fast]") {
  detail::ConstraintRows<double> original(3);
  CHECK(original.size() == 0);
  detail::ConstraintRows<double> rows = original;
  CHECK(rows.capacity() == 3);
  ConstraintRow<double> row;
  const test::AllocationCounter allocations;
  std::size_t added = 0;
  for (int round = 0; round < 2; ++round) {
    rows.clear();
    for (int k = 0; k < 5; ++k) {
      row.value = k;
      added += rows.add(row) ? 1 : 0;
    }
    original = rows;
  }
  CHECK(allocations.count() == 0);
  CHECK(added == 6);
  CHECK(original.size() == 3);
  CHECK(original[2].value == 2);
  double sum = 0;
  for (const ConstraintRow<double>& each : std::as_const(rows)) sum += each.value;
  for (ConstraintRow<double>& each : rows) each.value = 0;
  CHECK(sum == 3);
  CHECK(rows[2].value == 0);
}

}  // namespace row_test
