// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points of spheres with spheres, capsules and boxes, in closed form. Gaps are signed distances: the gap of overlapping shapes is
// minus the length of the shortest translation that separates them.
#include "actio/contacts/pairs/points.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {
template <Scalar S>
Segment<S> axis_of(const Capsule<S>& capsule, const Pose<S>& T_WS) {
  return {T_WS.p, T_WS.R.col(2), capsule.length / S(2)};
}

/// The position of a point relative to a box centred on the origin.
template <Scalar S>
struct BoxDistance {
  S distance;         ///< negative inside [m]
  Vector3<S> normal;  ///< unit, outward
};
template <Scalar S>
BoxDistance<S> distance_from_box(const Vector3<S>& x, const Vector3<S>& half) noexcept {
  const Vector3<S> outside = x - x.cwiseMax(-half).cwiseMin(half);
  const S distance = outside.norm();
  if (distance > std::numeric_limits<S>::min()) return {distance, outside / distance};
  Eigen::Index nearest = 0;  // of the three axes that with the nearest face
  const S depth = (half - x.cwiseAbs()).minCoeff(&nearest);
  return {-depth, (x[nearest] < S(0) ? S(-1) : S(1)) * Vector3<S>::Unit(nearest)};
}

/// Adds the point of a ball of radius r about x, in the frame of a box, with the normal from the ball to the box.
template <Scalar S>
void add_ball_and_box(const Vector3<S>& x, const S& r, const Vector3<S>& half, const Pose<S>& T_WB, std::uint32_t feature, const S& margin,
                      PairPoints<S>& points) noexcept {
  const BoxDistance<S> from = distance_from_box<S>(x, half);
  const S gap = from.distance - r;
  if (!(gap <= margin)) return;
  points.add({T_WB * Vector3<S>(x - (r + gap / S(2)) * from.normal), -(T_WB.R * from.normal), gap, feature});
}

/// Adds the points of a and b whose gap is at most the margin [m].  @param T_WA, T_WB poses of the shapes in the world.
template <Scalar S>
void find_points(const Sphere<S>& a, const Pose<S>& T_WA, const Sphere<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  detail::add_balls<S>(T_WA.p, a.radius, T_WB.p, b.radius, Vector3<S>::UnitZ(), 0, margin, points);
}

/// The same for a sphere and a capsule: the point is at the place on the capsule's axis nearest to the sphere's centre.
template <Scalar S>
void find_points(const Sphere<S>& a, const Pose<S>& T_WA, const Capsule<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  const detail::Segment<S> axis = detail::axis_of(b, T_WB);
  detail::add_balls<S>(T_WA.p, a.radius, axis.at(axis.nearest(T_WA.p)), b.radius, T_WB.R.col(0), 0, margin, points);
}

/// The same for a sphere and a box: a sphere whose centre is inside the box is pushed out of the nearest face.
template <Scalar S>
void find_points(const Sphere<S>& a, const Pose<S>& T_WA, const Box<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  const Vector3<S> x = T_WB.R.transpose() * (T_WA.p - T_WB.p);
  detail::add_ball_and_box<S>(x, a.radius, b.size / S(2), T_WB, 0, margin, points);
}

}  // namespace actio::detail
