// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/drawing/solid_mesh.hpp"

#include <numbers>

#include "support/catch.hpp"

using namespace actio;
using namespace actio::detail;

namespace solid_mesh_test {

Vector3<double> point(const SolidMesh& mesh, std::size_t corner) { return mesh.points[mesh.corners[corner]].cast<double>(); }

/// Volume by the divergence theorem: correct only for a closed surface with all triangles facing outwards.
double volume(const SolidMesh& mesh) {
  double six_volumes = 0;
  for (std::size_t k = 0; k < mesh.corners.size(); k += 3) six_volumes += point(mesh, k).dot(point(mesh, k + 1).cross(point(mesh, k + 2)));
  return six_volumes / 6;
}

Vector3<double> total_area(const SolidMesh& mesh) {
  Vector3<double> sum = Vector3<double>::Zero();
  for (std::size_t k = 0; k < mesh.corners.size(); k += 3)
    sum += (point(mesh, k + 1) - point(mesh, k)).cross(point(mesh, k + 2) - point(mesh, k)) / 2;
  return sum;
}

TEST_CASE("solid_mesh: surfaces are closed, with correct volume, and triangles and normals face outwards", "[io][film]") {
  const double pi = std::numbers::pi;
  const auto [name, geometry, exact] = GENERATE_COPY(table<const char*, Geometry<double>, double>({
      {"sphere", Sphere<double>{0.5}, 4.0 / 3 * pi * 0.125},
      {"box", Box<double>{{1, 2, 3}}, 6.0},
      {"cylinder", Cylinder<double>{0.5, 2}, pi * 0.25 * 2},
      {"capsule", Capsule<double>{0.5, 2}, pi * 0.25 * 2 + 4.0 / 3 * pi * 0.125},
  }));
  CAPTURE(name);
  const SolidMesh mesh = solid_mesh(geometry);
  REQUIRE(mesh.points.size() == mesh.normals.size());
  REQUIRE(mesh.corners.size() % 3 == 0);
  CHECK(volume(mesh) <= exact * (1 + 1e-6));  // round surfaces are inscribed
  CHECK(volume(mesh) > exact * 0.95);
  CHECK(total_area(mesh).norm() < 1e-5);  // zero for a closed surface
  for (std::size_t k = 0; k < mesh.corners.size(); k += 3) {
    const Vector3<double> facing = (point(mesh, k + 1) - point(mesh, k)).cross(point(mesh, k + 2) - point(mesh, k));
    CHECK(facing.norm() > 1e-7);  // every triangle has an area
    for (std::size_t c = k; c < k + 3; ++c) CHECK(mesh.normals[mesh.corners[c]].cast<double>().dot(facing) > 0.85 * facing.norm());
  }
  for (const Vector3<float>& normal : mesh.normals) CHECK(std::abs(normal.norm() - 1) < 1e-6f);
}

TEST_CASE("solid_mesh: a half-space is a square that faces up, and a mesh file is empty", "[io][film]") {
  CHECK(total_area(solid_mesh(HalfSpace{})).isApprox(Vector3<double>::UnitZ()));
  CHECK(solid_mesh(MeshFile{"x.stl"}).corners.empty());
}

}  // namespace solid_mesh_test
