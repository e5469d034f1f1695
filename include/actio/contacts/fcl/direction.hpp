// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The direction along which two convex shapes are farthest apart or overlap least, by FCL, and the contact points for that direction.
#include <algorithm>
#include <concepts>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "actio/contacts/fcl/support_corners.hpp"
#include "actio/contacts/fcl/support_polygon.hpp"
#include "actio/contacts/points.hpp"

namespace actio::detail {

inline fcl::Transform3d to_fcl(const Pose<double>& T) {
  fcl::Transform3d X = fcl::Transform3d::Identity();
  X.linear() = T.R;
  X.translation() = T.p;
  return X;
}

/// A convex shape, as support corners and as FCL's shape. Copies share the latter, which FCL only reads.
class FclSolid {
 public:
  using Corners = detail::Corners<double>;
  /// @param name of the shape, for messages.  @throws OptionsError if a size is negative or not a number, or a hull has no point.
  template <class G>
  FclSolid(const G& geometry, const std::string& name) : solid_(geometry) {
    if (const std::string why = why_not_sound<double>(geometry); !why.empty()) throw OptionsError(name + ": " + why);
    if constexpr (std::same_as<G, ConvexPoints<double>>) {
      if (geometry.points.empty()) throw OptionsError(name + " is a convex hull with no points");
      // FCL asks a hull without faces for its farthest corner only, and nothing else is needed.
      shape_ = std::make_shared<fcl::Convexd>(std::make_shared<Corners>(geometry.points), 0, std::make_shared<std::vector<int>>());
    } else {
      if constexpr (std::same_as<G, Box<double>>) shape_ = std::make_shared<fcl::Boxd>(geometry.size);
      else if constexpr (std::same_as<G, Sphere<double>>) shape_ = std::make_shared<fcl::Sphered>(geometry.radius);
      else if constexpr (std::same_as<G, Capsule<double>>) shape_ = std::make_shared<fcl::Capsuled>(geometry.radius, geometry.length);
      else shape_ = std::make_shared<fcl::Cylinderd>(geometry.radius, geometry.length);
    }
    Vector3<double> low, high;
    for (int k = 0; k < 3; ++k) {
      high[k] = reach(Pose<double>::identity(), Vector3<double>::Unit(k));
      low[k] = -reach(Pose<double>::identity(), -Vector3<double>::Unit(k));
    }
    center_ = (low + high) / 2;
    half_ = (high - low) / 2;
    // Corners within this distance of the farthest one count as level with it: 0.2 degrees for a shape as wide as thick. In flat shapes all
    // corners are level.
    const double thickness = half_.minCoeff();
    band_ = thickness < 1e-6 * size() ? 0.007 * size() : std::min(0.007 * size(), thickness / 8);
  }
  const Vector3<double>& center() const noexcept { return center_; }
  const Vector3<double>& half() const noexcept { return half_; }
  double size() const noexcept { return half_.norm(); }
  double band() const noexcept { return band_; }
  const fcl::CollisionGeometryd& shape() const noexcept { return *shape_; }
  void corners(const Pose<double>& T, const Vector3<double>& n, Corners& x) const {
    std::visit([&](const auto& solid) { support_corners(solid, T, n, x); }, solid_);
  }
  /// Returns the support function of the shape: how far it reaches from the origin along n [m].
  double reach(const Pose<double>& T, const Vector3<double>& n) const {
    thread_local Corners x;
    corners(T, n, x);
    double farthest = -std::numeric_limits<double>::infinity();
    for (const Vector3<double>& corner : x) farthest = std::max(farthest, n.dot(corner));
    return farthest;
  }

 private:
  std::variant<Sphere<double>, Capsule<double>, Box<double>, Cylinder<double>, ConvexPoints<double>> solid_;
  std::shared_ptr<const fcl::CollisionGeometryd> shape_;
  Vector3<double> center_, half_;
  double band_;
};

/// Two shapes and their poses. The separation along any direction is a lower bound of the signed distance: directions can be compared
/// without FCL, and a wrong answer of FCL is never preferred. FCL's own GJK is used, not libccd, whose assertions are active in Debian's
/// build and abort on flat shapes.
struct FclPair {
  const FclSolid& a;
  const Pose<double>& T_WA;
  const FclSolid& b;
  const Pose<double>& T_WB;

  double apart(const Vector3<double>& n) const { return -b.reach(T_WB, -n) - a.reach(T_WA, n); }
  /// Returns the direction from a to b translated by `shift`; zero if FCL finds that they touch.
  Vector3<double> towards(const Vector3<double>& shift) const {
    const fcl::DistanceRequestd request(true, false, 0, 0, 1e-9, fcl::GST_INDEP);
    fcl::DistanceResultd result;
    const double distance = fcl::distance(&a.shape(), to_fcl(T_WA), &b.shape(), to_fcl({T_WB.R, T_WB.p + shift}), request, result);
    if (!(distance > 0)) return Vector3<double>::Zero();
    return (result.nearest_points[1] - result.nearest_points[0]).stableNormalized();
  }
  /// Returns the normal at the deepest point by EPA; zero if there is none. FCL 0.7 reverses it for all pairs for which it has no formula.
  Vector3<double> out_of() const {
    fcl::CollisionResultd result;
    fcl::collide(&a.shape(), to_fcl(T_WA), &b.shape(), to_fcl(T_WB), fcl::CollisionRequestd(1, true, 1, false, true, fcl::GST_INDEP),
                 result);
    if (result.numContacts() == 0) return Vector3<double>::Zero();
    const Vector3<double> n = result.getContact(0).normal.stableNormalized();
    return apart(n) < apart(-n) ? Vector3<double>(-n) : n;
  }
};

/// Returns the direction along which two shapes are farthest apart or overlap least. The nearest points of shapes that almost touch do not
/// determine a direction. The shapes are therefore translated apart along the present direction, by a twentieth of their size, and FCL is
/// asked again, until the direction no longer changes; the nearest faces, edges and corners remain the nearest meanwhile. For shapes that
/// are not clearly apart the iteration begins with the direction of FCL's EPA, with the line of centres, and with a better axis of a
/// shape's frame if there is one; the best result is taken.
/// @throws the exception of FCL if FCL did not answer at all.
inline Vector3<double> fcl_direction(const FclPair& pair) {
  const double clear = 0.05 * std::min(pair.a.size(), pair.b.size());
  Vector3<double> best = Vector3<double>::UnitZ();
  double most = -std::numeric_limits<double>::infinity();
  std::exception_ptr failure;
  bool answered = false;
  const auto ask = [&](auto question) -> Vector3<double> {
    try {
      const Vector3<double> n = question();
      answered = true;
      return n;
    } catch (const std::exception&) {  // EPA fails now and then
      failure = std::current_exception();
      return Vector3<double>::Zero();
    }
  };
  const auto climb = [&](Vector3<double> n) {
    for (int k = 0; k < 20 && std::abs(n.squaredNorm() - 1) < 1e-6; ++k) {
      const double apart = pair.apart(n), shift = std::max(0., clear - apart);
      if (apart > most) most = apart, best = n;
      const Vector3<double> next = ask([&] { return pair.towards(shift * n); });
      if (next.dot(n) < 0) break;  // impossible for shapes translated apart along n
      const double turned = (next - n).norm();
      n = next;
      if (turned < 1e-9) break;
    }
  };
  const Vector3<double> nearest = ask([&] { return pair.towards(Vector3<double>::Zero()); });
  climb(nearest);
  if (most > clear) return best;
  climb(ask([&] { return pair.out_of(); }));
  climb((pair.T_WB * pair.b.center() - pair.T_WA * pair.a.center()).stableNormalized());
  Vector3<double> axis = best;
  for (const Matrix3<double>* R : {&pair.T_WA.R, &pair.T_WB.R}) {
    for (int k = 0; k < 6; ++k) {
      const Vector3<double> n = (k < 3 ? 1. : -1.) * R->col(k % 3);
      if (pair.apart(n) > pair.apart(axis)) axis = n;
    }
  }
  if (axis != best) climb(axis);
  if (!answered) std::rethrow_exception(failure);
  return best;
}

/// The farthest faces, edges or corners of both shapes along a direction, which fcl_aligned_features() adjusts slightly to fit their faces.
struct FclFeatures {
  Projection<double> view;
  double gap;
  SupportPolygon<double> a, b;
};
inline FclFeatures fcl_features(const FclPair& pair, const Vector3<double>& n) {
  const Projection<double> view(n, (pair.T_WA * pair.a.center() + pair.T_WB * pair.b.center()) / 2);
  FclSolid::Corners of_a, of_b;
  pair.a.corners(pair.T_WA, n, of_a);
  pair.b.corners(pair.T_WB, -n, of_b);
  return {view, pair.apart(n), support_polygon<double>(of_a, view, 1, pair.a.band(), 0),
          support_polygon<double>(of_b, view, -1, pair.b.band(), 8)};
}
inline FclFeatures fcl_aligned_features(const FclPair& pair, const Vector3<double>& n) {
  FclFeatures best = fcl_features(pair, n);
  const double slack = 1e-9 * (pair.a.size() + pair.b.size());
  std::vector<Vector3<double>> normals;
  const auto add = [&](const Vector3<double>& x, const Vector3<double>& y) { normals.push_back(best.view.R * x.cross(y)); };
  for (const SupportPolygon<double>* polygon : {&best.a, &best.b}) {
    const SupportPolygon<double>& face = *polygon;
    if (face.size() > 2) add(face[1].x - face[0].x, face[2].x - face[0].x);
  }
  if (best.a.size() == 2 && best.b.size() == 2) add(best.a[1].x - best.a[0].x, best.b[1].x - best.b[0].x);
  for (Vector3<double> normal : normals) {
    normal = (normal.dot(n) < 0 ? -1. : 1.) * normal.stableNormalized();
    if (normal.dot(n) > 0.9999 && pair.apart(normal) >= best.gap - slack) best = fcl_features(pair, normal);
  }
  return best;
}

/// Adds the points of the common part of both features, with gaps up to the margin.
/// @param lone adds one point between the deepest corners if there is no common part or it is less deep.
inline void add_common_points(const FclPair& pair, const FclFeatures& features, double margin, bool lone,
                              std::vector<PairPoint<double>>& points) {
  if (!(features.gap <= margin)) return;
  const double slack = 1e-7 * (pair.a.size() + pair.b.size());
  const Vector3<double> normal = features.view.R.col(2);
  const auto add = [&](const Vector3<double>& x, double z, double gap, std::uint32_t feature) {
    points.push_back({features.view.back({x[0], x[1], z}), normal, gap, feature});
  };
  double least = std::numeric_limits<double>::infinity();
  for (const SupportCorner<double>& corner : common_part(features.a, features.b, slack)) {
    const double z_a = height_at(features.a, corner.x), z_b = height_at(features.b, corner.x), gap = std::max(z_b - z_a, features.gap);
    if (gap <= margin) add(corner.x, (z_a + z_b) / 2, gap, corner.feature);
    least = std::min(least, gap);
  }
  if (!lone || least <= features.gap + slack) return;
  // The corner of the smaller feature: a corner or edge that lies against an edge or a face is there.
  const auto deepest = [](const SupportPolygon<double>& polygon, double sign) {
    return std::max_element(polygon.begin(), polygon.end(), [&](const auto& x, const auto& y) { return sign * x.x[2] < sign * y.x[2]; })->x;
  };
  const Vector3<double> of_a = deepest(features.a, 1), of_b = deepest(features.b, -1);
  add(features.a.size() <= features.b.size() ? of_a : of_b, (of_a[2] + of_b[2]) / 2, features.gap, 127);
}

inline void find_points(const FclSolid& a, const Pose<double>& T_WA, const FclSolid& b, const Pose<double>& T_WB, double margin,
                        std::vector<PairPoint<double>>& points) {
  const FclPair pair{a, T_WA, b, T_WB};
  const Vector3<double> n = fcl_direction(pair);
  if (pair.apart(n) <= margin) add_common_points(pair, fcl_aligned_features(pair, n), margin, true, points);
}

}  // namespace actio::detail
