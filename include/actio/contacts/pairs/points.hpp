// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What two shapes have in common where they touch: points, and balls around two centres, of which spheres and capsules are made.
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include "actio/math/pose.hpp"

namespace actio::detail {

/// One point where shapes a and b touch or soon will.
template <Scalar S>
struct PairPoint {
  Vector3<S> p;           ///< half way between both surfaces, in the world [m]
  Vector3<S> normal;      ///< from a to b, unit, in the world
  S gap;                  ///< along the normal; negative where they overlap [m]
  std::uint32_t feature;  ///< which of the pair's points it is, the same while the same corners, edges and faces meet; below 2^10
};

/// Points of a pair, at most eight.
template <Scalar S>
class PairPoints {
 public:
  static constexpr std::size_t capacity = 8;  ///< a face clipped against a face has no more corners
  ///@{
  /// Points in use, in the order they were added.
  std::span<const PairPoint<S>> points() const noexcept { return {points_.data(), size_}; }
  std::span<PairPoint<S>> points() noexcept { return {points_.data(), size_}; }
  ///@}
  void shrink(std::size_t size) noexcept { size_ = std::min(size, size_); }  ///< keeps the first `size`
  void clear() noexcept { size_ = 0; }                                       ///< keeps none
  /// The ninth and those behind it are left out.
  void add(const PairPoint<S>& point) noexcept {
    if (size_ < capacity) points_[size_++] = point;
  }

 private:
  std::array<PairPoint<S>, capacity> points_;
  std::size_t size_ = 0;
};

/// A feature of the pair from one of each shape, both below 32.
constexpr std::uint32_t pair_feature(std::uint32_t of_a, std::uint32_t of_b) { return 32 * of_a + of_b; }
constexpr std::uint32_t swapped_feature(std::uint32_t feature) { return pair_feature(feature % 32, feature / 32); }
inline constexpr std::uint32_t nearest_feature = 31;  ///< whatever part of a shape is nearest

/// Of features that say the same to so small a part the first is taken: what is aligned to rounding keeps its features.
template <Scalar S>
inline constexpr S feature_tolerance = sizeof(S) >= 8 ? S(1e-7) : S(1e-4);

/// The axis of a capsule: center + s axis, |s| <= half.
template <Scalar S>
struct Segment {
  Vector3<S> center, axis;
  S half;  ///< [m]
  Vector3<S> at(const S& s) const { return center + s * axis; }
  S nearest(const Vector3<S>& x) const { return std::clamp(S(axis.dot(x - center)), -half, half); }
};

/// Balls of radii r_a and r_b about x_a and x_b.  @param across unit, the normal where both centres are one.
template <Scalar S>
void add_balls(const Vector3<S>& x_a, const S& r_a, const Vector3<S>& x_b, const S& r_b, const Vector3<S>& across, std::uint32_t feature,
               const S& margin, PairPoints<S>& points) noexcept {
  const Vector3<S> apart = x_b - x_a;
  const S distance = apart.norm(), gap = distance - (r_a + r_b);
  if (!(gap <= margin)) return;
  const Vector3<S> normal = distance > std::numeric_limits<S>::min() ? Vector3<S>(apart / distance) : across;
  points.add({x_a + (r_a + gap / S(2)) * normal, normal, gap, feature});
}

/// The points of (a, b) from a function that finds those of (b, a).
template <Scalar S, class Find>
void find_swapped(PairPoints<S>& points, Find find) noexcept {
  const std::size_t before = points.points().size();
  find();
  for (PairPoint<S>& point : points.points().subspan(before)) {
    point.normal = -point.normal;
    point.feature = detail::swapped_feature(point.feature);
  }
}

}  // namespace actio::detail
