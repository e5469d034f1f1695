// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Corners, edges and faces of boxes, numbered 0 ... 25: corner k lies towards +x, +y, +z where bits 0, 1, 2 of k are set.
#include "actio/contacts/pair_points.hpp"

namespace actio::detail {

template <Scalar S>
Vector3<S> box_corner(const Vector3<S>& half, unsigned corner) {
  return {corner & 1U ? half[0] : -half[0], corner & 2U ? half[1] : -half[1], corner & 4U ? half[2] : -half[2]};
}

/// The corner farthest along a direction.
template <Scalar S>
unsigned corner_towards(const Vector3<S>& direction) {
  return unsigned(direction[0] > S(0)) | unsigned(direction[1] > S(0)) << 1U | unsigned(direction[2] > S(0)) << 2U;
}

/// The edge along axis k that ends in a corner.
template <Scalar S>
Segment<S> box_edge(const Vector3<S>& half, Eigen::Index k, unsigned corner) {
  Vector3<S> middle = box_corner(half, corner);
  middle[k] = S(0);
  return {middle, Vector3<S>::Unit(k), half[k]};
}

constexpr std::uint32_t edge_feature(Eigen::Index k, unsigned corner) {
  const unsigned first = 1U << unsigned((k + 1) % 3), second = 1U << unsigned((k + 2) % 3);
  return 8 + 4 * static_cast<std::uint32_t>(k) + (corner & first ? 1U : 0U) + (corner & second ? 2U : 0U);
}
constexpr std::uint32_t face_feature(Eigen::Index k, bool positive) { return 20 + 2 * static_cast<std::uint32_t>(k) + positive; }

}  // namespace actio::detail
