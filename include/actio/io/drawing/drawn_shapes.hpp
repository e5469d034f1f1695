// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Chooses the solids that a model is drawn with: its own shapes, and limbs between joints where it has none.
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "actio/io/mesh/hull.hpp"
#include "actio/model/cast.hpp"

namespace actio {
namespace detail {

/// Returns the frame at the midpoint of a and b whose z axis points from a to b.
inline Pose<double> between(const Vector3<double>& a, const Vector3<double>& b) {
  const Vector3<double> z = (b - a).normalized(), x = z.unitOrthogonal();
  Pose<double> T;
  T.R << x, z.cross(x), z;
  T.p = (a + b) / 2;
  return T;
}

/// Returns the attachment points on each body, in its frame: joints of children other than free joints, and closed loops.
template <Scalar S, class Joints>
BodyArray<std::vector<Vector3<double>>> holds_of(const Model<S, Joints>& model) {
  constexpr Cast<double> in_double;
  BodyArray<std::vector<Vector3<double>>> points(model.num_bodies());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (!is_joint<Free<S>>(model, i)) points[model.parent(i)].push_back(in_double(model.placement(i).p));
  }
  for (const Loop<S>& loop : model.loops()) {
    points[loop.body_a].push_back(in_double(loop.T_A.p));
    points[loop.body_b].push_back(in_double(loop.T_B.p));
  }
  return points;
}

/// Returns whether a point of the body lies within the bounding ball of a shape.
inline bool reaches(const Shape<double>& shape, const Vector3<double>& point) {
  const double radius = std::visit(
      []<class G>(const G& g) -> double {
        if constexpr (std::same_as<G, Sphere<double>>) return g.radius;
        else if constexpr (std::same_as<G, Box<double>>) return g.size.norm() / 2;
        else if constexpr (std::same_as<G, Cylinder<double>>) return std::hypot(g.radius, g.length / 2);
        else if constexpr (std::same_as<G, Capsule<double>>) return g.radius + g.length / 2;
        else return 0;
      },
      shape.geometry);
  return (point - shape.T_BS.p).norm() <= radius;
}

/// Returns the uniform box that has this inertia, at least large enough to be visible.
inline Shape<double> box_of(const std::string& name, BodyIndex body, const Inertia<double>& inertia) {
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> axes(inertia.I_com);
  const Vector3<double> I = axes.eigenvalues();
  Pose<double> T{axes.eigenvectors(), inertia.com};
  if (T.R.determinant() < 0) T.R.col(2) = -T.R.col(2);
  const Vector3<double> squares = Vector3<double>::Constant(I.sum()) - 2 * I;  // I_x = m (s_y^2 + s_z^2) / 12
  const Vector3<double> sizes = (squares.cwiseMax(0) * 6 / inertia.mass).cwiseSqrt();
  return {name, body, T, Box<double>{sizes.cwiseMax(std::max(sizes.maxCoeff() / 16, 0.01))}};
}

inline bool is_on_earlier_body(const Shape<double>& a, const Shape<double>& b) { return a.body < b.body; }

}  // namespace detail

/// Returns the collision shapes of a model without its meshes: primitive shapes, and half-spaces as grounds. Convex hulls become boxes that
/// contain them.
/// @returns shapes in double, body by body; body 0 is the world. Sizes in m.
template <Scalar S, class Joints>
std::vector<Shape<double>> primitive_shapes(const Model<S, Joints>& model) {
  constexpr detail::Cast<double> in_double;
  std::vector<Shape<double>> shapes;
  for (const Shape<S>& shape : model.shapes()) {
    if (std::holds_alternative<MeshFile>(shape.geometry)) continue;
    Shape<double>& solid = shapes.emplace_back(
        Shape<double>{shape.name, shape.body, in_double(shape.T_BS), in_double(shape.geometry), shape.filter});
    if (const auto* hull = std::get_if<ConvexPoints<double>>(&solid.geometry)) {
      if (hull->points.empty()) {
        shapes.pop_back();
        continue;
      }
      const detail::Fitted box = detail::fit_box(hull->points);
      solid.T_BS = solid.T_BS * box.T;
      solid.geometry = Geometry<double>(box.geometry);
    }
  }
  std::stable_sort(shapes.begin(), shapes.end(), detail::is_on_earlier_body);
  return shapes;
}

/// Returns solids that are drawn where a model has no primitive shapes: limbs, which are capsules from a body's joint to each attachment
/// point that these shapes do not reach, and at the end of a chain to twice the centre of mass, which is where a rod ends; and for a body
/// with neither the box of its inertia. A fixed base with mass is drawn in the same way if the world has no shapes.
/// @param drawn primitive_shapes of the model.  @returns shapes in double, body by body; body 0 is the world. Sizes in m.
template <Scalar S, class Joints>
std::vector<Shape<double>> limb_shapes(const Model<S, Joints>& model, const std::vector<Shape<double>>& drawn) {
  constexpr double shortest = 1e-3;  // [m], limbs shorter than this are not drawn
  constexpr detail::Cast<double> in_double;
  std::vector<Shape<double>> limbs;
  const BodyArray<std::vector<Vector3<double>>> holds = detail::holds_of(model);
  std::vector<double> lengths;
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    const auto own = std::equal_range(drawn.begin(), drawn.end(), Shape<double>{.body = i}, detail::is_on_earlier_body);
    const Inertia<double> inertia = in_double(model.inertia(i));
    std::vector<Vector3<double>> ends = holds[i];
    bool is_seen = own.first != own.second;
    if (i == 0 && (is_seen || !(inertia.mass > 0))) continue;
    if (ends.empty() && !is_seen && inertia.mass > 0) ends.push_back(2 * inertia.com);
    for (const Vector3<double>& end : ends) {
      const auto leads_there = [&](const Shape<double>& shape) { return detail::reaches(shape, end); };
      if (end.norm() < shortest || std::any_of(own.first, own.second, leads_there)) continue;
      limbs.push_back({model.body_name(i), i, detail::between(Vector3<double>::Zero(), end), Capsule<double>{0, end.norm()}});
      lengths.push_back(end.norm());
      is_seen = true;
    }
    if (!is_seen && inertia.mass > 0) limbs.push_back(detail::box_of(model.body_name(i), i, inertia));
  }

  // Limbs have similar radii; length/radius is rounded, so that many limbs are alike and can share a mesh.
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  for (Shape<double>& shape : limbs) {
    auto* limb = std::get_if<Capsule<double>>(&shape.geometry);
    if (limb) limb->radius = limb->length / std::clamp(std::round(10 * limb->length / *middle), 3.0, 24.0);
  }
  return limbs;
}

}  // namespace actio
