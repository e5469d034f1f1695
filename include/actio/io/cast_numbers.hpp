// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Files are read in double; models may hold another scalar.
#include "actio/math/inertia.hpp"
#include "actio/model/properties.hpp"

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

}  // namespace actio::detail
