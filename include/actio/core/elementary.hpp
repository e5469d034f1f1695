// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The elementary functions that the library calls. Those of the standard library differ in their last bits from one library and processor
// to the next; with ACTIO_REPRODUCIBLE, which the CMake target actio::reproducible defines, they are those of same_bits, which do not.
#include <concepts>

#include "actio/core/same_bits/angles.hpp"
#include "actio/core/same_bits/powers.hpp"

/// Elementary functions whose bits depend on neither compiler, processor nor C library: they consist of additions, subtractions,
/// multiplications, divisions and square roots, which IEEE 754 defines to the last bit, comparisons and operations on integers. The
/// compiler must not fuse multiplications and additions (-ffp-contract=off). Errors are at most 1 or 2 units in the last place.
namespace actio::same_bits {}

/// The functions that the library calls: `using elementary::sin;` where else would stand `using std::sin;`, so that dual numbers and SIMD
/// batches find their own by argument-dependent lookup.
namespace actio::elementary {
#ifdef ACTIO_REPRODUCIBLE
namespace chosen = same_bits;
#else
namespace chosen = std;
#endif
using chosen::acos, chosen::asin, chosen::atan2, chosen::cos, chosen::sin;
using chosen::cbrt, chosen::exp, chosen::expm1, chosen::hypot, chosen::log, chosen::log1p, chosen::log2, chosen::pow;
using same_bits::SinCos;

/// Returns sin(x) and cos(x), with the same bits, for less than both take.  @param x [rad].
template <class S>
SinCos<S> sin_cos(const S& x) {
#ifdef ACTIO_REPRODUCIBLE
  if constexpr (std::floating_point<S>) return same_bits::sin_cos(x);
  else
#endif
    return {sin(x), cos(x)};  // compilers merge those of the standard library
}
}  // namespace actio::elementary
