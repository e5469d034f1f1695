// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/fcl/support_polygon.hpp"

#include "support/convex_pairs.hpp"

namespace support_polygon_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;

SupportPolygon<double> polygon_of(const std::vector<Vector3d>& corners, std::uint32_t first) {
  SupportPolygon<double> polygon;
  for (const Vector3d& x : corners) polygon.push_back({x, 0, 0});
  for (std::size_t k = 0; k < corners.size(); ++k) polygon[k].feature = static_cast<std::uint32_t>(k);
  keep_hull(polygon);
  for (std::size_t k = 0; k < polygon.size(); ++k) polygon[k].feature = polygon[k].edge = first + static_cast<std::uint32_t>(k);
  return polygon;
}
double area(const SupportPolygon<double>& polygon) {
  double twice = 0;
  for (std::size_t k = 2; k < polygon.size(); ++k) twice += turn(polygon[0].x, polygon[k - 1].x, polygon[k].x);
  return twice / 2;
}

TEST_CASE("support polygon: hulls keep extreme points only, counterclockwise, with at most eight corners", "[contacts][fast]") {
  const SupportPolygon<double> square = polygon_of({{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0}, {1, 1, 0}, {0.5, 1, 0}, {0, 1, 0}, {0, 0, 0}}, 0);
  CHECK((square.size() == 4 && std::abs(area(square) - 1) < 1e-12 && square[0].x.isZero()));
  CHECK(polygon_of({{0, 0, 0}, {1, 1, 0}, {0.3, 0.3, 0}, {2, 2, 0}}, 0).size() == 2);
  CHECK(polygon_of({{1, 2, 0}, {1, 2, 0}, {1, 2, 0}}, 0).size() == 1);
  std::vector<Vector3d> circle;
  for (int k = 0; k < 100; ++k) circle.emplace_back(std::cos(0.0628318 * k), std::sin(0.0628318 * k), 0);
  const SupportPolygon<double> octagon = polygon_of(circle, 0);
  CHECK((octagon.size() == 8 && area(octagon) > 2.6));
}

TEST_CASE("support polygon: the intersection lies in both polygons, does not depend on their order, and has distinct features",
          "[contacts][fast]") {
  test::Random random(2);
  int met = 0;
  for (int k = 0; k < 300; ++k) {
    std::vector<Vector3d> of_a, of_b;
    for (int corner = 0; corner < 6; ++corner) {
      of_a.emplace_back(random.matrix(3, 1));
      of_b.emplace_back(Vector3d(random.matrix(3, 1)) + Vector3d(0.7, 0.3, 0));
      of_a.back()[2] = 0.1 * of_a.back()[0], of_b.back()[2] = 2 - 0.2 * of_b.back()[1];
    }
    const SupportPolygon<double> a = polygon_of(of_a, 0), b = polygon_of(of_b, 8), common = common_part(a, b, 0.);
    std::set<std::uint32_t> features;
    for (const SupportCorner<double>& corner : common) {
      CHECK((corner.feature < 80 && features.insert(corner.feature).second));
      CHECK(std::abs(height_at(a, corner.x) - 0.1 * corner.x[0]) < 1e-9);
      CHECK(std::abs(height_at(b, corner.x) - (2 - 0.2 * corner.x[1])) < 1e-9);
      for (const SupportPolygon<double>* polygon : {&a, &b}) {
        for (std::size_t j = 0; j < polygon->size(); ++j)
          CHECK(turn((*polygon)[j].x, (*polygon)[(j + 1) % polygon->size()].x, corner.x) > -1e-9);
      }
    }
    CHECK(std::abs(area(common) - area(clipped(b, a, 0U, 0.))) < 1e-9);
    met += !common.empty();
  }
  CHECK(met > 200);
}

TEST_CASE("support polygon: edges cross, are parallel or do not meet", "[contacts][fast]") {
  const SupportPolygon<double> edge = polygon_of({{-1, 0, 0}, {1, 0, 0}}, 0);
  const auto common = [&](const Vector3d& from, const Vector3d& to) { return common_part(edge, polygon_of({from, to}, 8), 1e-9); };
  const auto crossed = common({0.5, -1, 0}, {0.5, 1, 0});
  REQUIRE(crossed.size() == 1);
  CHECK((crossed[0].x - Vector3d(0.5, 0, 0)).norm() < 1e-12);
  const auto beside = common({0.5, 0, 0}, {3, 0, 0});
  REQUIRE(beside.size() == 2);
  CHECK(std::abs(std::abs(beside[0].x[0] - beside[1].x[0]) - 0.5) < 1e-12);
  CHECK((common({2, -1, 0}, {2, 1, 0}).empty() && common({2, 0, 0}, {3, 0, 0}).empty()));
}

}  // namespace support_polygon_test
