// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Converts numbers of files, which are read in double, to the scalar of a model.
#include <concepts>
#include <variant>

#include "actio/math/inertia.hpp"
#include "actio/model/properties.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

template <Scalar S>
S cast_number(double x) {
  return S(static_cast<ValueOf<S>>(x));
}
template <Scalar S>
Vector3<S> cast_numbers(const Vector3<double>& v) {
  return v.unaryExpr([](double x) { return cast_number<S>(x); });
}
template <Scalar S>
Pose<S> cast_numbers(const Pose<double>& T) {
  return {T.R.unaryExpr([](double x) { return cast_number<S>(x); }), cast_numbers<S>(T.p)};
}
template <Scalar S>
Inertia<S> cast_numbers(const Inertia<double>& G) {
  return {cast_number<S>(G.mass), cast_numbers<S>(G.com), G.I_com.unaryExpr([](double x) { return cast_number<S>(x); })};
}
template <Scalar S>
PerEntry<S> cast_entries(const VectorX<double>& v) {
  return PerEntry<S>(VectorX<S>(v.unaryExpr([](double x) { return cast_number<S>(x); })));
}

template <Scalar S>
Geometry<S> cast_geometry(const Geometry<double>& geometry) {
  const auto as = [](double x) { return cast_number<S>(x); };
  return std::visit(
      [&]<class G>(const G& g) -> Geometry<S> {
        if constexpr (std::same_as<G, Sphere<double>>) return Sphere<S>{as(g.radius)};
        else if constexpr (std::same_as<G, Box<double>>) return Box<S>{cast_numbers<S>(g.size)};
        else if constexpr (std::same_as<G, Cylinder<double>>) return Cylinder<S>{as(g.radius), as(g.length)};
        else if constexpr (std::same_as<G, Capsule<double>>) return Capsule<S>{as(g.radius), as(g.length)};
        else if constexpr (std::same_as<G, ConvexPoints<double>>) {
          ConvexPoints<S> hull;
          for (const Vector3<double>& x : g.points) hull.points.push_back(cast_numbers<S>(x));
          return hull;
        } else return g;
      },
      geometry);
}

}  // namespace actio::detail
