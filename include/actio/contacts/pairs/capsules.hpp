// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points between capsules, in closed form. Two capsules that lie along each other touch at both ends of the common stretch, besides
// the nearest points: each such point is that of the ball at the end of one and the other capsule, and two of them prevent rocking.
#include "actio/contacts/pairs/spheres.hpp"

namespace actio::detail {
inline constexpr std::uint32_t on_axis = 2;  // feature of a capsule; its ends are 0 and 1

template <Scalar S>
struct NearestOnSegments {
  S s, t, distance;
};

/// Returns the nearest points of two segments: both are in the interior, or one is an end.
template <Scalar S>
NearestOnSegments<S> nearest_points(const Segment<S>& a, const Segment<S>& b) noexcept {
  using std::abs;
  NearestOnSegments<S> best{S(0), S(0), std::numeric_limits<S>::infinity()};
  const auto consider = [&](const S& s, const S& t) {
    const S distance = (b.at(t) - a.at(s)).norm();
    if (distance < best.distance) best = {s, t, distance};
  };
  for (const S& s : {S(-a.half), a.half}) consider(s, b.nearest(a.at(s)));
  for (const S& t : {S(-b.half), b.half}) consider(a.nearest(b.at(t)), t);
  const S squared_sine = a.axis.cross(b.axis).squaredNorm();
  if (squared_sine > S(epsilon<S>)) {
    // |r + t v - s u| is least:  s = (r u - c r v) / (1 - c^2),  t = c s - r v
    const Vector3<S> r = b.center - a.center;
    const S c = a.axis.dot(b.axis), along_b = r.dot(b.axis), s = (r.dot(a.axis) - c * along_b) / squared_sine, t = c * s - along_b;
    if (abs(s) <= a.half && abs(t) <= b.half) consider(s, t);
  }
  return best;
}

/// Adds the points of two capsules: the nearest one and, if the axes are within 13 degrees of parallel and lie beside each other, both ends
/// of the common stretch. The nearest one is left out if it is one of these ends.
/// @param T_WA, T_WB poses of the shapes in the world.  @param margin the largest gap [m].
template <Scalar S>
void find_points(const Capsule<S>& a, const Pose<S>& T_WA, const Capsule<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  using namespace detail;
  using std::abs;
  const Segment<S> on_a = axis_of(a, T_WA), on_b = axis_of(b, T_WB);
  const Vector3<S> cross = on_a.axis.cross(on_b.axis);
  const S sine = cross.norm(), c = on_a.axis.dot(on_b.axis);
  const Vector3<S> across = sine > feature_tolerance<S> ? Vector3<S>(cross / sine) : Vector3<S>(T_WA.R.col(0));
  const auto add = [&](const S& s, const S& t, std::uint32_t of_a, std::uint32_t of_b) {
    add_balls<S>(on_a.at(s), a.radius, on_b.at(t), b.radius, across, pair_feature(of_a, of_b), margin, points);
  };
  const NearestOnSegments<S> nearest = nearest_points(on_a, on_b);
  S least = std::numeric_limits<S>::infinity();
  // Coordinate of b's centre along the bisector of both axes, in units in which the capsules keep their lengths.
  const Vector3<S> between = on_a.axis + (c < S(0) ? Vector3<S>(-on_b.axis) : on_b.axis);
  const S middle = between.dot(on_b.center - on_a.center) / (S(1) + abs(c)), tolerance = feature_tolerance<S> * (on_a.half + on_b.half);
  if (sine < S(0.225F) && std::max(-on_a.half, middle - on_b.half) + tolerance < std::min(on_a.half, middle + on_b.half)) {
    for (const S& side : {S(-1), S(1)}) {
      const bool ends_a = on_a.half <= side * middle + on_b.half + tolerance;  // the end of a comes before that of b
      const S t_end = c < S(0) ? S(-side * on_b.half) : S(side * on_b.half);
      const S s = ends_a ? S(side * on_a.half) : on_a.nearest(on_b.at(t_end)), t = ends_a ? on_b.nearest(on_a.at(s)) : t_end;
      least = std::min(least, S((on_b.at(t) - on_a.at(s)).norm()));
      if (ends_a) add(s, t, side > S(0), on_axis);
      else add(s, t, on_axis, t_end > S(0));
    }
  }
  if (!(least <= nearest.distance * (S(1) + feature_tolerance<S>))) add(nearest.s, nearest.t, on_axis, on_axis);
}

}  // namespace actio::detail
