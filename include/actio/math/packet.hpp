// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Four numbers that are computed with at once. Eigen's fixed matrices go through memory between expressions where a recursion wants
// registers; the compilers' own vectors stay there.
#include "actio/core/scalar.hpp"
#include "actio/core/types.hpp"

namespace actio {

/// Four numbers side by side; one register where there is one that wide.
template <class S>
struct Packet4 {
  S v[4];
  ACTIO_INLINE static Packet4 of(const S& a, const S& b, const S& c, const S& d) { return {{a, b, c, d}}; }
  ACTIO_INLINE friend Packet4 operator+(const Packet4& a, const Packet4& b) { return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}}; }
  ACTIO_INLINE friend Packet4 operator-(const Packet4& a, const Packet4& b) { return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]}}; }
  ACTIO_INLINE friend Packet4 operator*(const Packet4& a, const S& s) { return {{a.v[0] * s, a.v[1] * s, a.v[2] * s, a.v[3] * s}}; }
  ACTIO_INLINE S operator[](int k) const { return v[k]; }
};

#ifdef __AVX__
template <>
struct Packet4<double> {
  typedef double Register __attribute__((vector_size(32)));
  Register v;
  ACTIO_INLINE static Packet4 of(double a, double b, double c, double d) { return {Register{a, b, c, d}}; }
  ACTIO_INLINE friend Packet4 operator+(const Packet4& a, const Packet4& b) { return {a.v + b.v}; }
  ACTIO_INLINE friend Packet4 operator-(const Packet4& a, const Packet4& b) { return {a.v - b.v}; }
  ACTIO_INLINE friend Packet4 operator*(const Packet4& a, double s) { return {a.v * s}; }
  ACTIO_INLINE double operator[](int k) const { return v[k]; }
};
#endif

}  // namespace actio
