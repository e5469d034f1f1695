// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a build with ACTIO_REPRODUCIBLE requires: refuses settings with which bits would depend on compiler or processor, as far as a program
// can see them. The CMake target actio::reproducible sets all of them.
#ifdef ACTIO_REPRODUCIBLE
#include <Eigen/Core>

#include <cfloat>

#ifndef EIGEN_DONT_VECTORIZE
#error "ACTIO_REPRODUCIBLE: Eigen adds numbers in an order that depends on the processor; define EIGEN_DONT_VECTORIZE for the whole program, or link actio::reproducible."
#endif
#if defined(_OPENMP) && !defined(EIGEN_DONT_PARALLELIZE)
#error "ACTIO_REPRODUCIBLE: with OpenMP, Eigen divides products by the number of threads; define EIGEN_DONT_PARALLELIZE for the whole program, or link actio::reproducible."
#endif
#if defined(EIGEN_USE_BLAS) || defined(EIGEN_USE_MKL) || defined(EIGEN_USE_LAPACKE)
#error "ACTIO_REPRODUCIBLE: a BLAS rounds as it likes; do not define EIGEN_USE_BLAS, EIGEN_USE_MKL or EIGEN_USE_LAPACKE."
#endif
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "ACTIO_REPRODUCIBLE: -ffast-math (/fp:fast) and its parts let the compiler change results; compile without it."
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "ACTIO_REPRODUCIBLE: this target computes in a wider format than double; on 32-bit x86 compile with -msse2 -mfpmath=sse."
#endif
#if defined(ACTIO_PRECOMPILED) && !defined(ACTIO_PRECOMPILED_REPRODUCIBLE)
#error "ACTIO_REPRODUCIBLE: actio::precompiled was compiled without it; configure actio with -DACTIO_REPRODUCIBLE=ON, or do not link it."
#endif

namespace actio::detail {

/// Sets the sizes of caches that Eigen would read from the processor, because large products are summed in blocks of a size that depends
/// on them; the values are those that Eigen takes for an unknown x86 processor [bytes].
inline const bool are_caches_set = [] {
  Eigen::setCpuCacheSizes(32 * 1024, 256 * 1024, 2 * 1024 * 1024);
  return true;
}();

}  // namespace actio::detail
#elif defined(ACTIO_PRECOMPILED_REPRODUCIBLE)
#error "actio::precompiled was compiled with ACTIO_REPRODUCIBLE; link actio::reproducible too."
#endif
