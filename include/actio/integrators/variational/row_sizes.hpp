// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Sizes by which the rank of the rows of a derivative is judged.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "actio/core/types.hpp"

namespace actio::detail {

/// Prepares the sizes of rows for invert_in_place(): rigid rows in which nothing can move get the size zero, since theirs is a rounding
/// error.  @param size (n); rows of size zero stay out.  @param R (n) compliances; 0: rigid.
template <class S, class Compliances>
void drop_immovable(S* size, std::size_t n, const Compliances& R) noexcept {
  const auto is_rigid = [&](std::size_t k) { return !(R[static_cast<Eigen::Index>(k)] > S(0)); };
  S largest(0);
  for (std::size_t k = 0; k < n; ++k) largest = is_rigid(k) ? std::max(largest, size[k]) : largest;
  for (std::size_t k = 0; k < n; ++k) {
    if (is_rigid(k) && size[k] < std::sqrt(epsilon<S>) * largest) size[k] = S(0);
  }
}

}  // namespace actio::detail
