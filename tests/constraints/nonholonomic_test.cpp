// SPDX-License-Identifier: BSD-3-Clause
// Rows of rolling and of knife edges, against differences and the motion of contact points.
#include "actio/constraints/nonholonomic.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace nonholonomic_test {

using namespace actio;
using namespace actio::detail;
using Vector = Vector6<double>;

Rolling<double> random_rolling(models::Random& random, bool wheel) {
  Rolling<double> rolling;
  rolling.center = random.in_box<double, 3>(0.3);
  rolling.radius = random.uniform(0.2, 1);
  if (wheel) rolling.axle = random.direction<double>();
  rolling.normal = random.direction<double>();
  rolling.height = random.uniform(-1, 1);
  return rolling;
}

template <class Constraint>
void derivatives_are_right(const Constraint& constraint, models::Random& random) {
  const Inertia<double> G = models::detail::random_inertia<double>(random);
  const Pose<double> T = random.pose<double>(1.0);
  const Vector u = random.in_box<double, 6>(3);
  const double h = 0.1;
  const auto rows_at = [&](const Vector& velocities) {
    BodyStep<double> step;
    REQUIRE(step.set(G, velocities, h));
    BodyRows<double> rows;
    step_rows(constraint, T, G.com, step, h, rows);
    return rows;
  };
  const BodyRows<double> rows = rows_at(u);
  REQUIRE(rows.count == static_cast<std::size_t>(num_rows(constraint)));
  for (int k = 0; k < 6; ++k) {
    constexpr double e = 1e-4;
    const auto at = [&](double s) { return rows_at(u + s * Vector::Unit(k)); };
    const BodyRows<double> a = at(e), b = at(-e), c = at(2 * e), d = at(-2 * e);
    for (std::size_t r = 0; r < rows.count; ++r) {
      const double difference = (8 * (a.value[r] - b.value[r]) - (c.value[r] - d.value[r])) / (12 * e) / h;
      CAPTURE(k, r);
      CHECK(std::abs(rows.on_b[r][k] - difference) < 1e-8 * (1 + std::abs(difference)));
    }
  }
  // For short steps the rows tend to those of the node along the motion.
  BodyRows<double> node;
  node_rows(constraint, T, G.com, node);
  BodyStep<double> step;
  const double tiny = 1e-6;
  REQUIRE(step.set(G, u, tiny));
  BodyRows<double> over;
  step_rows(constraint, T, G.com, step, tiny, over);
  for (std::size_t r = 0; r < rows.count; ++r) CHECK(std::abs((over.value[r] - node.value[r]) / tiny - node.on_b[r].dot(u)) < 1e-4);
  // A step backward undoes a step forward: the displacements add up to zero, and the gaps are the same from both ends.
  REQUIRE(step.set(G, u, h));
  BodyStep<double> back;
  REQUIRE(back.set(G, step.velocity_at_end(), -h));
  BodyRows<double> returned;
  step_rows(constraint, T * step.dT.pose(), G.com, back, -h, returned);
  for (std::size_t r = 0; r < rows.count; ++r) {
    if (static_cast<int>(r) < num_gaps(constraint)) CHECK(std::abs(returned.value[r] - node.value[r]) < 1e-13);
    else CHECK(std::abs(rows.value[r] + returned.value[r]) < 1e-13);
  }
}

TEST_CASE("nonholonomic: rows over a step are symmetric in time, and their derivatives match differences",
          "[constraints][nonholonomic][fast]") {
  models::Random random(1);
  for (int trial = 0; trial < 30; ++trial) {
    derivatives_are_right(random_rolling(random, false), random);
    Rolling<double> wheel = random_rolling(random, true);
    wheel.axle = (wheel.normal.cross(wheel.axle) + 0.2 * wheel.normal).normalized();  // the wheel does not lie flat
    derivatives_are_right(wheel, random);
    KnifeEdge<double> knife;
    knife.point = random.in_box<double, 3>(0.5);
    knife.across = random.direction<double>();
    derivatives_are_right(knife, random);
  }
}

TEST_CASE("nonholonomic: a wheel touches the plane at the lowest point of its rim", "[constraints][nonholonomic][fast]") {
  models::Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const Rolling<double> wheel = random_rolling(random, true);
    const Vector3<double> n = wheel.normal, A = wheel.axle;
    if (n.cross(A).norm() < 0.05) continue;  // the wheel lies flat
    const Vector3<double> arm = detail::ContactArm<double>(wheel, n, A).arm();
    CHECK(std::abs(arm.norm() - wheel.radius) < 1e-13);
    CHECK(std::abs(arm.dot(A)) < 1e-13);
    for (int k = 0; k < 100; ++k) {
      const Vector3<double> rim = wheel.radius * A.cross(random.direction<double>()).normalized();
      CHECK(n.dot(arm) <= n.dot(rim) + 1e-13);
    }
    CHECK(std::abs(n.dot(arm) + detail::ContactArm<double>(wheel, n, A).height()) < 1e-13);
    const Pose<double> T_WB = random.pose<double>(1.0);
    Rolling<double> turned = wheel;
    turned.normal = T_WB.R * n;
    CHECK(std::abs(contact_gap(turned, T_WB) - (turned.normal.dot(T_WB * (wheel.center + arm)) - wheel.height)) < 1e-13);
  }
}

}  // namespace nonholonomic_test
