// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points of a capsule with a box, in closed form: balls along the capsule's axis, at both ends of its part over the nearest face
// and at the point nearest to the box.
#include "actio/contacts/pairs/boxes.hpp"
#include "actio/contacts/pairs/capsules.hpp"

namespace actio::detail {
template <Scalar S>
struct AxisPoint {
  S s;  ///< along the axis of a capsule [m]
  std::uint32_t feature;
};

/// Computes both ends of the part of a segment that lies over a face of a box centred on the origin.
/// @returns whether there is such a part.
template <Scalar S>
bool clip_over_face(const Segment<S>& axis, const Vector3<S>& half, Eigen::Index face, std::array<AxisPoint<S>, 2>& ends) noexcept {
  using std::abs;
  ends = {AxisPoint<S>{-axis.half, pair_feature(0, nearest_feature)}, AxisPoint<S>{axis.half, pair_feature(1, nearest_feature)}};
  for (Eigen::Index side = 0; side < 3; ++side) {
    if (side == face) continue;
    for (AxisPoint<S>& end : ends) {
      const S x = axis.center[side] + end.s * axis.axis[side];
      if (abs(x) <= half[side] + feature_tolerance<S> * half.sum()) continue;
      const S s = ((x < S(0) ? S(-half[side]) : half[side]) - axis.center[side]) / axis.axis[side];
      if (!(abs(s) <= axis.half)) return false;
      end = {s, pair_feature(on_axis, face_feature(side, x > S(0)))};
    }
  }
  return ends[0].s + feature_tolerance<S> * axis.half < ends[1].s;
}

/// Returns the point of a segment that is nearest to a box it does not pierce: one of its ends, or the point nearest to an edge or corner.
template <Scalar S>
S nearest_to_box(const Segment<S>& axis, const Vector3<S>& half) noexcept {
  S best{}, least = std::numeric_limits<S>::infinity();
  const auto consider = [&](const S& s) {
    const S distance = distance_from_box<S>(axis.at(s), half).distance;
    if (distance < least) best = s, least = distance;
  };
  consider(-axis.half);
  consider(axis.half);
  for (Eigen::Index k = 0; k < 3; ++k) {
    for (unsigned corner = 0; corner < 8; ++corner) {
      if (!(corner >> k & 1U)) consider(nearest_points(axis, box_edge(half, k, corner)).s);
    }
  }
  return best;
}

/// Adds up to three points. If the axis itself pierces the box, these are both ends of its part inside the nearest face or, if the shortest
/// way out is across an edge, one point there.  @param T_WA, T_WB poses of the shapes in the world.  @param margin the largest gap [m].
template <Scalar S>
void find_points(const Capsule<S>& a, const Pose<S>& T_WA, const Box<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  using namespace detail;
  using std::abs;
  const Vector3<S> half = b.size / S(2);
  const Pose<S> T_BA = T_WB.inverse() * T_WA;
  const Segment<S> axis = axis_of(a, T_BA);
  // Separation along the face normals and along the normals of axis and edge: a segment and a box have no other separating axes.
  Eigen::Index face = 0, edge = 0;
  const S by_face = (axis.center.cwiseAbs() - axis.half * axis.axis.cwiseAbs() - half).maxCoeff(&face);
  S by_edge = -std::numeric_limits<S>::infinity();
  Vector3<S> off_edge = Vector3<S>::UnitZ();  // outward
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Vector3<S> cross = Vector3<S>::Unit(k).cross(axis.axis);
    const S sine = cross.norm(), along = cross.dot(axis.center);
    if (!(sine > feature_tolerance<S>)) continue;
    const S apart = (abs(along) - cross.cwiseAbs().dot(half)) / sine;
    if (apart > by_edge) by_edge = apart, off_edge = (along < S(0) ? S(-1) : S(1)) / sine * cross, edge = k;
  }
  const bool pierces = !(std::max(by_face, by_edge) > S(0));
  if (pierces && by_edge > by_face + feature_tolerance<S> * half.sum()) {
    const S gap = by_edge - a.radius;
    if (!(gap <= margin)) return;
    const Segment<S> pierced = box_edge(half, edge, corner_towards(off_edge));
    const Vector3<S> p = pierced.at(nearest_points(pierced, axis).s) + gap / S(2) * off_edge;
    points.add({T_WB * p, -(T_WB.R * off_edge), gap, pair_feature(on_axis, nearest_feature)});
    return;
  }

  std::array<AxisPoint<S>, 2> ends;
  S least = std::numeric_limits<S>::infinity();
  const bool lies_over = clip_over_face(axis, half, face, ends);
  if (lies_over) {
    const Vector3<S> out = (axis.center[face] < S(0) ? S(-1) : S(1)) * Vector3<S>::Unit(face);
    for (const AxisPoint<S>& end : ends) {
      const Vector3<S> x = axis.at(end.s);
      const S above = out.dot(x) - half[face], gap = above - a.radius;
      if (!pierces && !(above > S(0))) continue;  // beyond the opposite face
      least = std::min(least, above);
      if (gap <= margin) points.add({T_WB * Vector3<S>(x - (a.radius + gap / S(2)) * out), -(T_WB.R * out), gap, end.feature});
    }
  }
  if (pierces && lies_over) return;
  const Vector3<S> x = axis.at(nearest_to_box(axis, half));
  const S distance = distance_from_box<S>(x, half).distance;
  if (!(least <= distance * (S(1) + feature_tolerance<S>))) {
    add_ball_and_box<S>(x, a.radius, half, T_WB, pair_feature(on_axis, nearest_feature), margin, points);
  }
}

}  // namespace actio::detail
