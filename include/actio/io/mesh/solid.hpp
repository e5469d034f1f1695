// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Volume and inertia of the solid that a closed mesh bounds.
#include <cmath>
#include <optional>

#include "actio/core/elementary.hpp"
#include "actio/io/xml/inertia.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

/// Returns the uniform solid inside of a mesh, as the sum of the signed tetrahedra between its triangles and a point; nothing if the mesh
/// is not closed or has no volume.
inline std::optional<Solid> solid_of(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return std::nullopt;
  const auto corner = [&](int k) -> const Vector3<double>& { return mesh.vertices[static_cast<std::size_t>(k)]; };
  const Vector3<double> middle = corner(mesh.triangles[0][0]);  // nearby, so that little cancels
  Vector3<double> areas = Vector3<double>::Zero(), moment = Vector3<double>::Zero();
  Matrix3<double> second = Matrix3<double>::Zero();
  double surface = 0, volume = 0;
  for (const auto& triangle : mesh.triangles) {
    const Vector3<double> a = corner(triangle[0]) - middle, b = corner(triangle[1]) - middle, c = corner(triangle[2]) - middle;
    const Vector3<double> sum = a + b + c, area = (b - a).cross(c - a) / 2;
    const double piece = a.dot(b.cross(c)) / 6;
    areas += area;
    surface += area.norm();
    volume += piece;
    moment += piece / 4 * sum;
    second += piece / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  if (!(areas.norm() <= 1e-4 * surface)) return std::nullopt;  // of a closed surface the areas cancel
  if (!(std::abs(volume) > 1e-6 * elementary::pow(surface, 1.5))) return std::nullopt;
  const Vector3<double> com = moment / volume;
  const Matrix3<double> spread = second / volume - com * com.transpose();
  const Matrix3<double> I = spread.trace() * Matrix3<double>::Identity() - spread;
  if (!(Eigen::SelfAdjointEigenSolver<Matrix3<double>>(spread, Eigen::EigenvaluesOnly).eigenvalues()[0] > 0)) return std::nullopt;
  return Solid{std::abs(volume), {1, middle + com, I}};
}

}  // namespace actio::detail
