// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/mesh/hull.hpp"

#include <algorithm>
#include <limits>

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace hull_test {

using namespace actio;
using detail::Points;

/// Random points: of a ball, its surface, a cube with many coplanar points, a disc, a line, a thin rod along (1, 1, 1), or one and the
/// same.
Points cloud(int kind, int count, models::Random& random) {
  Points points;
  for (int k = 0; k < count; ++k) {
    Vector3<double> x = random.direction<double>();
    if (kind == 0) x *= random.unit();
    if (kind == 2) x = (2 * x).cwiseMax(-1).cwiseMin(1).eval();
    if (kind == 3) x[2] = 0;
    if (kind == 4) x[1] = x[2] = 0;
    if (kind == 5) x = Vector3<double>::Ones() * random.unit() + 0.01 * x;
    if (kind == 6) x << 1, 2, 3;
    points.push_back(x);
  }
  return points;
}

double reach(const Points& points, const Vector3<double>& direction) {
  double most = -std::numeric_limits<double>::infinity();
  for (const Vector3<double>& x : points) most = std::max(most, direction.dot(x));
  return most;
}

TEST_CASE("hulls of few corners reach as far as all points, up to the stated error", "[io][mesh][fast]") {
  const int kind = GENERATE(range(0, 7)), count = GENERATE(1, 2, 3, 4, 5, 40, 3000);
  CAPTURE(kind, count);
  models::Random random(static_cast<std::uint64_t>(100 * kind + count));
  const Points points = cloud(kind, count, random);
  const detail::FewCorners few = detail::few_corners(points);
  CHECK(few.hull.points.size() <= 32);
  for (const Vector3<double>& corner : few.hull.points) CHECK(std::find(points.begin(), points.end(), corner) != points.end());
  for (int k = 0; k < 300; ++k) {
    const Vector3<double> u = random.direction<double>();
    CHECK(reach(points, u) - reach(few.hull.points, u) <= few.error + 1e-12);
  }
  if (kind == 2 && count == 3000) CHECK(few.hull.points.size() == 8);
  if (few.hull.points.size() < 32) CHECK(few.error <= 2e-3);  // of an extent of 2
  CHECK(few.error < 0.2);
}

TEST_CASE("the distance to a hull lies between the bounds of its supports and of its points", "[io][mesh][fast]") {
  models::Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const Points hull = cloud(round % 6, 1 + round % 12, random);
    const Vector3<double> p = round % 2 == 0 ? cloud(2, 1, random)[0] : Vector3<double>(2 * random.direction<double>());
    const double distance = detail::distance_to_hull(hull, p);
    Vector3<double> x = hull[0] - p;  // Frank and Wolfe's steps, from above; the support in its direction, from below
    double below = 0;
    for (int k = 0; k < 200; ++k) {
      const Vector3<double> corner =
          *std::min_element(hull.begin(), hull.end(), [&](const auto& a, const auto& b) { return x.dot(a) < x.dot(b); }) - p;
      if (x.norm() > 0) below = std::max(below, corner.dot(x) / x.norm());
      const double square = (x - corner).squaredNorm();
      if (!(square > 0)) break;
      x += std::clamp(x.dot(x - corner) / square, 0.0, 1.0) * (corner - x);
    }
    REQUIRE(distance >= below - 1e-9);
    REQUIRE(distance <= x.norm() * (1 + 1e-6) + 1e-9);
  }
}

TEST_CASE("capsules and boxes contain all points and follow the axes of a rod", "[io][mesh][fast]") {
  const int kind = GENERATE(range(0, 7)), count = GENERATE(1, 2, 5, 3000);
  CAPTURE(kind, count);
  models::Random random(static_cast<std::uint64_t>(kind + 10 * count));
  const Points points = cloud(kind, count, random);
  const detail::Fitted capsule = detail::fit_capsule(points), box = detail::fit_box(points);
  const auto& [radius, length] = std::get<Capsule<double>>(capsule.geometry);
  const Vector3<double> half = std::get<Box<double>>(box.geometry).size / 2;
  CHECK(std::abs(capsule.T.R.determinant() - 1) < 1e-9);
  CHECK(std::abs(box.T.R.determinant() - 1) < 1e-9);
  for (const Vector3<double>& x : points) {
    Vector3<double> y = capsule.T.inverse() * x;
    y[2] -= std::clamp(y[2], -length / 2, length / 2);
    REQUIRE(y.norm() <= radius + 1e-9);
    REQUIRE(((box.T.inverse() * x).cwiseAbs() - half).maxCoeff() <= 1e-9);
  }
  if (kind == 5 && count == 3000) {
    CHECK(radius < 0.02);
    CHECK(half.minCoeff() < 0.02);
  }
}

}  // namespace hull_test
