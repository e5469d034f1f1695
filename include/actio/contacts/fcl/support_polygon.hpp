// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where two convex shapes touch, given the direction: the farthest face, edge or corner of each, and the part that both have in common.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "actio/contacts/pairs/points.hpp"
#include "actio/math/small.hpp"

namespace actio::detail {

/// Coordinates for a direction n: u and v perpendicular to it, z along it.
template <Scalar S>
struct Projection {
  Vector3<S> origin;
  Matrix3<S> R;  ///< (u, v, n)
  Projection(const Vector3<S>& n, const Vector3<S>& at) : origin(at) {
    const auto across = perpendiculars(n);
    R << across[0], n.cross(across[0]), n;
  }
  Vector3<S> of(const Vector3<S>& x) const { return R.transpose() * (x - origin); }
  Vector3<S> back(const Vector3<S>& x) const { return origin + R * x; }
};

/// A corner of a face or edge, or a single corner; polygons are counterclockwise in the plane of u and v.
template <Scalar S>
struct SupportCorner {
  Vector3<S> x;
  std::uint32_t feature;
  std::uint32_t edge;  ///< towards the next corner
};
template <Scalar S>
using SupportPolygon = std::vector<SupportCorner<S>>;

template <Scalar S>
S turn(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) noexcept {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Keeps the corners of the convex hull in u and v, at most eight, beginning with the lowest feature. Corners within the slack of others,
/// or of the line through their neighbours, are removed.
template <Scalar S>
void keep_hull(SupportPolygon<S>& polygon, const S& slack = S(0)) {
  using Corner = SupportCorner<S>;
  std::sort(polygon.begin(), polygon.end(), [](const Corner& a, const Corner& b) {
    return a.x[0] != b.x[0] ? a.x[0] < b.x[0] : a.x[1] != b.x[1] ? a.x[1] < b.x[1] : a.feature < b.feature;
  });
  SupportPolygon<S> hull;
  for (const int side : {0, 1}) {  // from left to right below, and back above                                       [Andrew 1979]
    const std::size_t begin = hull.size();
    for (const Corner& corner : polygon) {
      while (hull.size() > begin + 1 && !(turn(hull[hull.size() - 2].x, hull.back().x, corner.x) > S(0))) hull.pop_back();
      hull.push_back(corner);
    }
    hull.pop_back();
    if (side == 0) std::reverse(polygon.begin(), polygon.end());
  }
  if (polygon.size() == 1) hull = polygon;
  const auto next = [&](std::size_t k) { return k + 1 < hull.size() ? k + 1 : 0; };
  S size(0);
  for (const Corner& corner : hull) size = std::max(size, S((corner.x - hull[0].x).template head<2>().norm()));
  while (hull.size() > 1) {
    std::size_t least = 0;
    S least_height = std::numeric_limits<S>::infinity();
    for (std::size_t k = 0; k < hull.size(); ++k) {  // distance of the corner from the line through its neighbours
      const Corner &before = hull[k > 0 ? k - 1 : hull.size() - 1], &after = hull[next(k)];
      const S width = (after.x - before.x).template head<2>().norm();
      const S height = width > S(0) ? S(turn(before.x, hull[k].x, after.x) / width) : S((hull[k].x - after.x).template head<2>().norm());
      if (height < least_height) least = k, least_height = height;
    }
    if (hull.size() <= 8 && least_height > std::max(slack, S(feature_tolerance<S> * size))) break;
    hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(least));
  }
  const auto by_feature = [](const Corner& a, const Corner& b) { return a.feature < b.feature; };
  std::rotate(hull.begin(), std::min_element(hull.begin(), hull.end(), by_feature), hull.end());
  polygon = std::move(hull);
}

/// Returns the hull of the corners within `band` of the farthest one along n times `sign`; features and edges are numbered from `first` on.
template <Scalar S>
SupportPolygon<S> support_polygon(std::span<const Vector3<S>> corners, const Projection<S>& view, const S& sign, const S& band,
                                  std::uint32_t first) {
  S farthest = -std::numeric_limits<S>::infinity();
  for (const Vector3<S>& x : corners) farthest = std::max(farthest, S(sign * view.of(x)[2]));
  SupportPolygon<S> polygon;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vector3<S> x = view.of(corners[k]);
    if (sign * x[2] >= farthest - band) polygon.push_back({x, static_cast<std::uint32_t>(k), 0});
  }
  keep_hull(polygon);
  for (std::size_t k = 0; k < polygon.size(); ++k) polygon[k].feature = polygon[k].edge = first + static_cast<std::uint32_t>(k);
  return polygon;
}

/// Returns z at (u, v) of the plane of a face, the line of an edge, or a corner.
template <Scalar S>
S height_at(const SupportPolygon<S>& polygon, const Vector3<S>& x) noexcept {
  const Vector3<S>& from = polygon[0].x;
  if (polygon.size() == 1) return from[2];
  if (polygon.size() == 2) {
    const Vector3<S> along = polygon[1].x - from;
    const S s = along.template head<2>().dot((x - from).template head<2>()) / along.template head<2>().squaredNorm();
    return from[2] + along[2] * std::clamp(s, S(0), S(1));
  }
  Vector3<S> normal = Vector3<S>::Zero();
  for (std::size_t k = 2; k < polygon.size(); ++k) normal += (polygon[k - 1].x - from).cross(polygon[k].x - from);
  return from[2] - normal.template head<2>().dot((x - from).template head<2>()) / normal[2];
}

/// Returns the part of a polygon, edge or corner that lies over a face.
template <Scalar S>
SupportPolygon<S> clipped(SupportPolygon<S> polygon, const SupportPolygon<S>& face, std::uint32_t face_first, const S& slack) {
  for (std::size_t j = 0; j < face.size() && !polygon.empty(); ++j) {
    const Vector3<S>&begin = face[j].x, &end = face[j + 1 < face.size() ? j + 1 : 0].x;
    const S bound = -slack * (end - begin).template head<2>().norm();
    const bool is_segment = polygon.size() == 2;
    SupportPolygon<S> kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const SupportCorner<S>&from = polygon[k], &to = polygon[k + 1 < polygon.size() ? k + 1 : 0];
      const S at_from = turn(begin, end, from.x) - bound, at_to = turn(begin, end, to.x) - bound;
      const bool is_inside = at_from >= S(0);
      if (is_inside) kept.push_back(from);
      if (is_inside == (at_to >= S(0)) || (is_segment && k == 1)) continue;
      SupportCorner<S> corner{from.x + at_from / (at_from - at_to) * (to.x - from.x), 0, is_inside ? face[j].edge : from.edge};
      const bool of_face = from.edge - face_first < 8;  // two edges of the face meet
      const std::uint32_t low = std::min(from.edge, face[j].edge), high = std::max(from.edge, face[j].edge);
      corner.feature = of_face ? (high == low + 1 ? high : low) : 16 + 8 * (low % 8) + high % 8;
      kept.push_back(corner);
    }
    polygon = std::move(kept);
  }
  return polygon;
}

/// Returns the common part of two edges: the point where they cross, or both ends of the stretch along which they run beside each other.
template <Scalar S>
SupportPolygon<S> common_of_edges(const SupportPolygon<S>& a, const SupportPolygon<S>& b) {
  const Vector3<S> along_a = a[1].x - a[0].x, along_b = b[1].x - b[0].x, apart = b[0].x - a[0].x;
  const S area = along_a[0] * along_b[1] - along_a[1] * along_b[0];
  using std::abs;
  if (abs(area) > S(0.01F) * along_a.template head<2>().norm() * along_b.template head<2>().norm()) {
    const S s = (apart[0] * along_b[1] - apart[1] * along_b[0]) / area, t = (apart[0] * along_a[1] - apart[1] * along_a[0]) / area;
    const auto within = [](const S& x) { return x >= S(-1e-6F) && x <= S(1.000001F); };
    if (!within(s) || !within(t)) return {};
    return {{a[0].x + s * along_a, 16, 0}};
  }
  const S length = along_a.template head<2>().squaredNorm();
  SupportPolygon<S> ends;
  const auto place = [&](const Vector3<S>& x) { return S(along_a.template head<2>().dot((x - a[0].x).template head<2>()) / length); };
  const S first = place(b[0].x), second = place(b[1].x), low = std::max(S(0), std::min(first, second)),
          high = std::min(S(1), std::max(first, second));
  if (!(low <= high)) return {};
  for (const S& s : {low, high}) ends.push_back({a[0].x + s * along_a, s == S(0) ? 0U : s == S(1) ? 1U : s == first ? 8U : 9U, 0});
  return ends;
}

/// Returns the common part, in u and v, of the support polygons of a (features below 8) and b (from 8 on); if one is a corner, that corner.
template <Scalar S>
SupportPolygon<S> common_part(const SupportPolygon<S>& a, const SupportPolygon<S>& b, const S& slack) {
  if (b.size() > 2) return clipped(a, b, 8U, slack);
  if (a.size() > 2) return clipped(b, a, 0U, slack);
  if (a.size() == 1 || b.size() == 1) return {a.size() == 1 ? a[0] : b[0]};
  return common_of_edges(a, b);
}

}  // namespace actio::detail
