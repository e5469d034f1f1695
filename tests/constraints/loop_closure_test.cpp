// SPDX-License-Identifier: BSD-3-Clause
// Closures: satisfied along their degrees of freedom, violated elsewhere, with derivatives against finite differences.
#include "actio/constraints/loop_closure.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace loop_closure_test {

using namespace actio;
using namespace actio::detail;
using Vector = Vector3<double>;

constexpr LoopType types[] = {LoopType::ball,        LoopType::revolute, LoopType::universal,     LoopType::fixed,   LoopType::prismatic,
                              LoopType::cylindrical, LoopType::planar,   LoopType::point_on_line, LoopType::distance};

Loop<double> random_loop(LoopType type, models::Random& random) {
  Loop<double> loop;
  loop.type = type;
  loop.axis = random.direction<double>();
  loop.axis2 = random.direction<double>();
  loop.length = 0.7;
  return loop;
}

/// A pose that satisfies the closure, far along its degrees of freedom.
Pose<double> closed_pose(const Loop<double>& loop, models::Random& random) {
  const Vector& n = loop.axis;
  const Matrix3<double> about = so3::rotation<double>(n, random.uniform(-3, 3)), any = random.pose<double>(1).R;
  const Vector along = n * random.uniform(-1, 1), none = Vector::Zero(), across = n.cross(random.direction<double>());
  switch (loop.type) {
    case LoopType::ball: return {any, none};
    case LoopType::revolute: return {about, none};
    case LoopType::universal: return {about * so3::rotation<double>(loop.axis2, random.uniform(-3, 3)), none};
    case LoopType::fixed: return Pose<double>::identity();
    case LoopType::prismatic: return Pose<double>::translation(along);
    case LoopType::cylindrical: return {about, along};
    case LoopType::planar: return {about, across};
    case LoopType::point_on_line: return {any, along};
    case LoopType::distance: return {any, loop.length * random.direction<double>()};
  }
  return Pose<double>::identity();
}

PoseRows<double> rows_at(const Loop<double>& loop, const Pose<double>& T) {
  PoseRows<double> rows;
  closure_rows(loop, PoseRowsAt<double>(T), rows);
  return rows;
}

TEST_CASE("loop closure: rows are zero along its degrees of freedom, and independent", "[constraints][loop_closure][fast]") {
  models::Random random(1);
  for (const LoopType type : types) {
    for (int trial = 0; trial < 20; ++trial) {
      const Loop<double> loop = random_loop(type, random);
      const PoseRows<double> rows = rows_at(loop, closed_pose(loop, random));
      CAPTURE(name(type), trial);
      REQUIRE(static_cast<int>(rows.count) == num_rows(type));
      Eigen::MatrixXd W(rows.count, 6);
      for (std::size_t k = 0; k < rows.count; ++k) {
        CHECK(std::abs(rows.value[k]) < 1e-14);
        W.row(static_cast<Eigen::Index>(k)) = rows.wrench[k];
      }
      CHECK(test::singular_values(W).minCoeff() > 0.01);
    }
  }
}

TEST_CASE("loop closure: wrenches are the derivatives of the rows, also where the loop is open", "[constraints][loop_closure][fast]") {
  models::Random random(2);
  for (const LoopType type : types) {
    for (int trial = 0; trial < 20; ++trial) {
      const Loop<double> loop = random_loop(type, random);
      const Pose<double> T = random.pose<double>(1.0);
      if (PoseRowsAt<double>(T).w < 0.05) continue;
      const PoseRows<double> rows = rows_at(loop, T);
      double largest = 0;
      for (std::size_t r = 0; r < rows.count; ++r) largest = std::max(largest, std::abs(rows.value[r]));
      CHECK(largest > 1e-3);  // a random pose violates the closure
      for (int k = 0; k < 6; ++k) {
        constexpr double e = 1e-4;
        const auto row = [&](double s) { return rows_at(loop, T * Displacement<double>::exp(s * Vector6<double>::Unit(k)).pose()); };
        const PoseRows<double> a = row(e), b = row(-e), c = row(2 * e), d = row(-2 * e);
        for (std::size_t r = 0; r < rows.count; ++r) {
          CHECK(std::abs(rows.wrench[r][k] - (8 * (a.value[r] - b.value[r]) - (c.value[r] - d.value[r])) / (12 * e)) < 1e-10);
        }
      }
    }
  }
}

}  // namespace loop_closure_test
