// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a model looks like: its own shapes, and limbs where it has none.
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "actio/model/model.hpp"

namespace actio {
namespace detail {

template <class S, int Rows, int Columns>
Eigen::Matrix<double, Rows, Columns> in_double(const Eigen::Matrix<S, Rows, Columns>& x) {
  return x.unaryExpr([](const S& e) { return static_cast<double>(value_of(e)); });
}

template <Scalar S>
Pose<double> in_double(const Pose<S>& T) {
  return {in_double(T.R), in_double(T.p)};
}

/// The same solid in double; a mesh file stays one.
template <Scalar S>
Geometry<double> in_double(const Geometry<S>& geometry) {
  const auto value = [](const S& x) { return static_cast<double>(value_of(x)); };
  return std::visit(
      [&]<class G>(const G& g) -> Geometry<double> {
        if constexpr (std::same_as<G, Sphere<S>>) return Sphere<double>{value(g.radius)};
        else if constexpr (std::same_as<G, Box<S>>) return Box<double>{in_double(g.size)};
        else if constexpr (std::same_as<G, Cylinder<S>>) return Cylinder<double>{value(g.radius), value(g.length)};
        else if constexpr (std::same_as<G, Capsule<S>>) return Capsule<double>{value(g.radius), value(g.length)};
        else return g;
      },
      geometry);
}

/// The frame whose z axis leads from a to b, at their middle.
inline Pose<double> between(const Vector3<double>& a, const Vector3<double>& b) {
  const Vector3<double> z = (b - a).normalized(), x = z.unitOrthogonal();
  Pose<double> T;
  T.R << x, z.cross(x), z;
  T.p = (a + b) / 2;
  return T;
}

/// Where something else holds on to body i, in its frame: joints of children and closed loops.
template <Scalar S, class Joints>
std::vector<Vector3<double>> holds_of(const Model<S, Joints>& model, BodyIndex i) {
  std::vector<Vector3<double>> points;
  for (BodyIndex k = i + 1; k < model.subtree_end(i); ++k) {
    if (model.parent(k) == i) points.push_back(in_double(model.placement(k).p));
  }
  for (const Loop<S>& loop : model.loops()) {
    if (loop.body_a == i) points.push_back(in_double(loop.T_A.p));
    if (loop.body_b == i) points.push_back(in_double(loop.T_B.p));
  }
  return points;
}

/// Whether a point of the body lies within the ball about a shape.
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

/// The uniform box that has this inertia, of sizes that can be seen.
inline Shape<double> box_of(const std::string& name, BodyIndex body, double mass, const Vector3<double>& com, const Matrix3<double>& I_com) {
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> axes(I_com);
  const Vector3<double> I = axes.eigenvalues();
  Pose<double> T{axes.eigenvectors(), com};
  if (T.R.determinant() < 0) T.R.col(2) = -T.R.col(2);
  const Vector3<double> squares = Vector3<double>::Constant(I.sum()) - 2 * I;  // I_x = m (s_y^2 + s_z^2) / 12
  const Vector3<double> sizes = (squares.cwiseMax(0) * 6 / mass).cwiseSqrt();
  return {name, body, T, Box<double>{sizes.cwiseMax(std::max(sizes.maxCoeff() / 16, 0.01))}};
}

}  // namespace detail

/// Solids to draw a model with: its primitive collision shapes, and limbs, which are capsules from the joint that a body hangs on to whatever
/// hangs on it where these shapes do not lead there, and at the end of a chain to twice the centre of mass, which is where a rod ends; for
/// bodies of neither the box of their inertia. Meshes are left out; half-spaces are kept: they are grounds.
/// @returns shapes in double, body by body; body 0 is the world. Sizes in m.
template <Scalar S, class Joints>
std::vector<Shape<double>> drawn_shapes(const Model<S, Joints>& model) {
  constexpr double shortest = 1e-3;  // [m], below which there is no limb to see
  std::vector<Shape<double>> drawn;
  std::vector<double> lengths;
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    const std::size_t first = drawn.size();
    for (const Shape<S>& shape : model.shapes()) {
      if (shape.body != i || std::holds_alternative<MeshFile>(shape.geometry)) continue;
      drawn.push_back({shape.name, i, detail::in_double(shape.T_BS), detail::in_double(shape.geometry)});
    }
    if (i == 0) continue;

    const std::size_t own = drawn.size();
    const double mass = static_cast<double>(value_of(model.inertia(i).mass));
    const Vector3<double> com = detail::in_double(model.inertia(i).com);
    std::vector<Vector3<double>> ends = detail::holds_of(model, i);
    if (ends.empty() && own == first && mass > 0) ends.push_back(2 * com);
    for (const Vector3<double>& end : ends) {
      const auto leads_there = [&](const Shape<double>& shape) { return detail::reaches(shape, end); };
      if (end.norm() < shortest || std::any_of(drawn.data() + first, drawn.data() + own, leads_there)) continue;
      drawn.push_back({model.body_name(i), i, detail::between(Vector3<double>::Zero(), end), Capsule<double>{0, end.norm()}});
      lengths.push_back(end.norm());
    }
    if (drawn.size() == first && mass > 0) drawn.push_back(detail::box_of(model.body_name(i), i, mass, com, detail::in_double(model.inertia(i).I_com)));
  }
  if (lengths.empty()) return drawn;

  // Limbs are about as thick as each other; of whole proportions, so that many are alike and can share a mesh.
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  for (Shape<double>& shape : drawn) {
    auto* limb = std::get_if<Capsule<double>>(&shape.geometry);
    if (limb && limb->radius == 0) limb->radius = limb->length / std::clamp(std::round(10 * limb->length / *middle), 3.0, 24.0);
  }
  return drawn;
}

}  // namespace actio
