// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points between boxes, in closed form. The features of a box are numbered 0 ... 25: corners, edges, then faces. Corner k lies
// towards +x, +y, +z where bits 0, 1, 2 of k are set.
#include "actio/contacts/pairs/capsules.hpp"
#include "actio/contacts/pairs/points.hpp"

namespace actio::detail {

template <Scalar S>
Vector3<S> box_corner(const Vector3<S>& half, unsigned corner) {
  return {corner & 1U ? half[0] : -half[0], corner & 2U ? half[1] : -half[1], corner & 4U ? half[2] : -half[2]};
}

/// Returns the corner that is farthest along a direction.
template <Scalar S>
unsigned corner_towards(const Vector3<S>& direction) {
  return unsigned(direction[0] > S(0)) | unsigned(direction[1] > S(0)) << 1U | unsigned(direction[2] > S(0)) << 2U;
}

/// Returns the edge along axis k that ends in a corner.
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

/// Two boxes, with the pose of box b in box a.
template <Scalar S>
struct BoxPair {
  Vector3<S> half_a, half_b;
  Pose<S> T_AB;
  S size() const { return half_a.sum() + half_b.sum(); }
};

/// The separating axes of two boxes, by faces and by edges, along which they are farthest apart or overlap least.
template <Scalar S>
struct BoxSeparation {
  S by_face, by_edge;                         ///< [m]
  bool face_of_b;                             ///< whether the face belongs to b, else to a
  Eigen::Index face, edge_of_a, edge_of_b;    ///< axes of the boxes
  Vector3<S> edge_normal;                     ///< from a to b, in a
  /// Returns whether the direction is that of the face. An edge normal within a degree of the face normal is treated as the face: such
  /// edges cross at a corner of the clipped faces, the relative error of the gap is below 2 %, and boxes that almost lie on each other keep
  /// all points.
  bool is_face(const BoxPair<S>& boxes) const {
    using std::abs;
    if (!(by_edge > by_face + feature_tolerance<S> * boxes.size())) return true;
    const Vector3<S> normal = face_of_b ? Vector3<S>(boxes.T_AB.R.col(face)) : Vector3<S>(Vector3<S>::Unit(face));
    return abs(S(edge_normal.dot(normal))) > S(0.99985F);
  }
};

template <Scalar S>
BoxSeparation<S> separation(const BoxPair<S>& boxes) noexcept {
  using std::abs;
  const Matrix3<S>& R = boxes.T_AB.R;
  const Matrix3<S> absolute = R.cwiseAbs();
  const Vector3<S>& t = boxes.T_AB.p;
  BoxSeparation<S> best;
  const Vector3<S> by_a = t.cwiseAbs() - boxes.half_a - absolute * boxes.half_b;
  const Vector3<S> by_b = (R.transpose() * t).cwiseAbs() - boxes.half_b - absolute.transpose() * boxes.half_a;
  best.by_face = by_a.maxCoeff(&best.face);
  best.face_of_b = by_b.maxCoeff() > best.by_face + feature_tolerance<S> * boxes.size();
  if (best.face_of_b) best.by_face = by_b.maxCoeff(&best.face);
  best.by_edge = -std::numeric_limits<S>::infinity();
  best.edge_of_a = best.edge_of_b = 0;
  best.edge_normal = Vector3<S>::UnitZ();
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Vector3<S> cross = Vector3<S>::Unit(i).cross(R.col(j));
      const S sine = cross.norm(), along = cross.dot(t);
      if (!(sine > feature_tolerance<S>)) continue;
      const S reach = cross.cwiseAbs().dot(boxes.half_a) + (R.transpose() * cross).cwiseAbs().dot(boxes.half_b);
      const S apart = (abs(along) - reach) / sine;
      if (!(apart > best.by_edge)) continue;
      best.by_edge = apart;
      best.edge_of_a = i, best.edge_of_b = j;
      best.edge_normal = (along < S(0) ? S(-1) : S(1)) / sine * cross;
    }
  }
  return best;
}

/// A polygon over a face of one box (below): the facing face of the other (above), clipped.
template <Scalar S>
struct FacePolygon {
  struct Corner {
    Vector3<S> x;           ///< in the frame of the box below
    std::uint32_t feature;  ///< that of the box below, then that of the box above
    std::uint32_t edge;     ///< towards the next corner: an edge of the box above, or the face of the box below that cuts there
  };
  std::array<Corner, 8> corners;
  std::size_t size = 0;
  void add(const Corner& corner) noexcept {
    if (size < corners.size()) corners[size++] = corner;
  }
};

/// Returns the part of a polygon with +-x_side <= bound.
template <Scalar S>
FacePolygon<S> clipped(const FacePolygon<S>& polygon, const S& bound, Eigen::Index face, bool face_positive, std::uint32_t face_above,
                       Eigen::Index side, bool positive) noexcept {
  const S sign = positive ? S(1) : S(-1);
  const std::uint32_t cut = face_feature(side, positive);
  const Eigen::Index other = 3 - face - side;
  FacePolygon<S> result;
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const auto &from = polygon.corners[k], &to = polygon.corners[k + 1 < polygon.size ? k + 1 : 0];
    const S begin = sign * from.x[side] - bound, end = sign * to.x[side] - bound;
    const bool begins_inside = begin <= S(0), ends_inside = end <= S(0);
    if (begins_inside) result.add(from);
    if (begins_inside == ends_inside) continue;
    typename FacePolygon<S>::Corner corner{from.x + begin / (begin - end) * (to.x - from.x), 0, begins_inside ? cut : from.edge};
    const unsigned at_face = (positive ? 1U << unsigned(side) : 0U) | (face_positive ? 1U << unsigned(face) : 0U);
    if (from.edge < face_feature(0, false)) {
      corner.feature = pair_feature(edge_feature(other, at_face), from.edge);  // two edges cross
    } else {
      const bool other_positive = from.edge == face_feature(other, true);
      corner.feature = pair_feature(at_face | (other_positive ? 1U << unsigned(other) : 0U), face_above);  // a corner of the box below
    }
    result.add(corner);
  }
  return result;
}

/// Adds the points of box b over a face of box a, with normals from a to b.
/// @returns the least gap, also if it exceeds the margin; infinite if there is no point.
template <Scalar S>
S add_face_points(const BoxPair<S>& boxes, Eigen::Index face, const Pose<S>& T_WA, const S& margin, PairPoints<S>& points) noexcept {
  const Matrix3<S>& R = boxes.T_AB.R;
  const Vector3<S>& half = boxes.half_a;
  const bool positive = boxes.T_AB.p[face] >= S(0);
  const S out = positive ? S(1) : S(-1);
  // The face of b that faces it, corners in cyclic order.
  Eigen::Index facing = 0;
  R.row(face).cwiseAbs().maxCoeff(&facing);
  const bool facing_positive = out * R(face, facing) < S(0);
  const unsigned first = unsigned(facing + 1) % 3, second = unsigned(facing + 2) % 3;
  const std::uint32_t face_above = face_feature(facing, facing_positive);
  FacePolygon<S> polygon;
  for (unsigned k = 0; k < 4; ++k) {  // 00, 10, 11, 01
    const unsigned corner =
        (facing_positive ? 1U << unsigned(facing) : 0U) | (k == 1 || k == 2 ? 1U << first : 0U) | (k >= 2 ? 1U << second : 0U);
    polygon.add({boxes.T_AB * box_corner(boxes.half_b, corner), pair_feature(face_feature(face, positive), corner),
                 edge_feature(k % 2 == 0 ? first : second, corner)});
  }
  for (const Eigen::Index side : {(face + 1) % 3, (face + 2) % 3}) {
    const S bound = half[side] + feature_tolerance<S> * boxes.size();
    for (const bool upper : {false, true}) polygon = clipped(polygon, bound, face, positive, face_above, side, upper);
  }
  S least = std::numeric_limits<S>::infinity();
  const Vector3<S> normal = out * T_WA.R.col(face);
  for (std::size_t k = 0; k < polygon.size; ++k) {
    const S gap = out * polygon.corners[k].x[face] - half[face];
    least = std::min(least, gap);
    if (gap <= margin) points.add({T_WA * polygon.corners[k].x - gap / S(2) * normal, normal, gap, polygon.corners[k].feature});
  }
  return least;
}

/// Returns the feature of a box centred on the origin that is nearest to a point outside.
template <Scalar S>
std::uint32_t feature_towards(const Vector3<S>& x, const Vector3<S>& half) noexcept {
  using std::abs;
  std::array<Eigen::Index, 3> beside{}, across{};  // axes along which the point is beside the box, and those along which it is not
  std::size_t n = 0, others = 0;
  for (Eigen::Index k = 0; k < 3; ++k) (abs(x[k]) <= half[k] ? beside[n++] : across[others++]) = k;
  if (n == 0) return corner_towards(x);
  return n == 1 ? edge_feature(beside[0], corner_towards(x)) : face_feature(across[0], x[across[0]] > S(0));
}

/// Returns the point at the corner of b that is nearest to a.  @pre all corners of b are outside of a.
template <Scalar S>
PairPoint<S> nearest_corner(const BoxPair<S>& boxes, const Pose<S>& T_WA) noexcept {
  PairPoint<S> best{Vector3<S>::Zero(), Vector3<S>::UnitZ(), std::numeric_limits<S>::infinity(), 0};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vector3<S> x = boxes.T_AB * box_corner(boxes.half_b, corner);
    const BoxDistance<S> from = distance_from_box<S>(x, boxes.half_a);
    if (!(from.distance < best.gap)) continue;
    best = {T_WA * Vector3<S>(x - from.distance / S(2) * from.normal), T_WA.R * from.normal, from.distance,
            pair_feature(feature_towards(x, boxes.half_a), corner)};
  }
  return best;
}

/// Returns the point where two edges cross, if these separate the boxes; otherwise its gap is infinite.
template <Scalar S>
PairPoint<S> edge_point(const BoxPair<S>& boxes, const BoxSeparation<S>& apart, const Pose<S>& T_WA, const S& tolerance) noexcept {
  using std::abs;
  const unsigned corner_a = corner_towards<S>(apart.edge_normal),
                 corner_b = corner_towards<S>(-(boxes.T_AB.R.transpose() * apart.edge_normal));
  const Segment<S> edge_a = box_edge(boxes.half_a, apart.edge_of_a, corner_a), in_b = box_edge(boxes.half_b, apart.edge_of_b, corner_b);
  const Segment<S> edge_b{boxes.T_AB * in_b.center, boxes.T_AB.R * in_b.axis, in_b.half};
  const NearestOnSegments<S> nearest = nearest_points(edge_a, edge_b);
  const bool crosses = nearest.distance <= abs(apart.by_edge) + tolerance;
  return {T_WA * Vector3<S>((edge_a.at(nearest.s) + edge_b.at(nearest.t)) / S(2)), T_WA.R * apart.edge_normal,
          crosses ? apart.by_edge : std::numeric_limits<S>::infinity(),
          pair_feature(edge_feature(apart.edge_of_a, corner_a), edge_feature(apart.edge_of_b, corner_b))};
}

/// Adds the points of two boxes. If faces meet, these are the corners of their common part, seen along the normal of one of them. If edges
/// cross, there is one point. If separate boxes are nearest at a corner and an edge, or at two corners, the point is at that corner.
/// @param T_WA, T_WB poses of the shapes in the world.  @param margin the largest gap [m].
template <Scalar S>
void find_points(const Box<S>& a, const Pose<S>& T_WA, const Box<S>& b, const Pose<S>& T_WB, const S& margin,
                 PairPoints<S>& points) noexcept {
  using namespace detail;
  const BoxPair<S> boxes{a.size / S(2), b.size / S(2), T_WA.inverse() * T_WB};
  const BoxSeparation<S> apart = separation(boxes);
  const S most = std::max(apart.by_face, apart.by_edge);  // no two points of the boxes are nearer to each other
  if (!(most <= margin)) return;
  const auto seen_from_b = [&] { return BoxPair<S>{boxes.half_b, boxes.half_a, boxes.T_AB.inverse()}; };
  const std::size_t before = points.points().size();
  S least = std::numeric_limits<S>::infinity();
  if (apart.is_face(boxes)) {
    if (!apart.face_of_b) least = add_face_points(boxes, apart.face, T_WA, margin, points);
    else find_swapped(points, [&] { least = add_face_points(seen_from_b(), apart.face, T_WB, margin, points); });
  }
  const S tolerance = feature_tolerance<S> * boxes.size();
  const bool tilted = apart.by_edge > apart.by_face;
  if (least <= most + tolerance + (tilted ? S(3e-4F) * std::max(S(0), most) : S(0))) return;

  PairPoint<S> nearest = edge_point(boxes, apart, T_WA, tolerance);
  if (!tilted) nearest.gap = std::numeric_limits<S>::infinity();
  if (most > S(0)) {
    const PairPoint<S> of_b = nearest_corner(boxes, T_WA);
    PairPoint<S> of_a = nearest_corner(seen_from_b(), T_WB);
    of_a.normal = -of_a.normal, of_a.feature = swapped_feature(of_a.feature);
    for (const PairPoint<S>& corner : {of_b, of_a}) {
      if (corner.gap < nearest.gap) nearest = corner;
    }
  }
  if (!(nearest.gap < least)) return;
  points.shrink(before);
  if (nearest.gap <= margin) points.add(nearest);
}

}  // namespace actio::detail
