// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points of a pair of shapes, and the helpers that all pairs share: feature numbers, segments and balls.
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
  std::uint32_t feature;  ///< number of the point within the pair, the same while the same corners, edges and faces meet; below 2^10
};

/// The contact points of a pair, at most eight.
template <Scalar S>
class PairPoints {
 public:
  static constexpr std::size_t capacity = 8;  ///< a rectangle clipped against a rectangle has no more corners
  ///@{
  /// Returns the points in use, in the order in which they were added.
  std::span<const PairPoint<S>> points() const noexcept { return {points_.data(), size_}; }
  std::span<PairPoint<S>> points() noexcept { return {points_.data(), size_}; }
  ///@}
  void shrink(std::size_t size) noexcept { size_ = std::min(size, size_); }  ///< keeps only the first `size` points
  void clear() noexcept { size_ = 0; }                                       ///< removes all points
  /// Appends a point, or leaves it out if there are eight already.
  void add(const PairPoint<S>& point) noexcept {
    if (size_ < capacity) points_[size_++] = point;
  }

 private:
  std::array<PairPoint<S>, capacity> points_;
  std::size_t size_ = 0;
};

/// Returns the feature of a pair for one feature of each shape, both below 32.
constexpr std::uint32_t pair_feature(std::uint32_t of_a, std::uint32_t of_b) { return 32 * of_a + of_b; }
constexpr std::uint32_t swapped_feature(std::uint32_t feature) { return pair_feature(feature % 32, feature / 32); }
inline constexpr std::uint32_t nearest_feature = 31;  ///< stands for the nearest part of a shape, of any kind

/// Relative tolerance within which features count as equally good, so that the first is taken: shapes that are aligned up to rounding
/// errors keep their features.
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

/// Adds the point of two balls of radii r_a and r_b about x_a and x_b, if its gap is at most the margin.
/// @param across unit, the normal to be used if the centres coincide.
template <Scalar S>
void add_balls(const Vector3<S>& x_a, const S& r_a, const Vector3<S>& x_b, const S& r_b, const Vector3<S>& across, std::uint32_t feature,
               const S& margin, PairPoints<S>& points) noexcept {
  const Vector3<S> apart = x_b - x_a;
  const S distance = apart.norm(), gap = distance - (r_a + r_b);
  if (!(gap <= margin)) return;
  const Vector3<S> normal = distance > std::numeric_limits<S>::min() ? Vector3<S>(apart / distance) : across;
  points.add({x_a + (r_a + gap / S(2)) * normal, normal, gap, feature});
}

/// Adds the points of (a, b) by means of a function that finds those of (b, a).
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
