// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contacts of a triangle mesh with convex shapes: FCL finds the triangles nearby, each of which is a convex shape with an outside.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>

#include "actio/contacts/fcl/direction.hpp"
#include "actio/contacts/pairs/grid.hpp"

namespace actio {

namespace detail {

class FclMesh {
 public:
  /// Leaves out triangles without area; vertices at the same position count as one.
  /// @param name of the shape, for messages.
  /// @throws OptionsError if a vertex is not finite, a triangle has a corner that is not a vertex, or no triangle is left.
  FclMesh(const TriangleMesh& mesh, const std::string& name) {
    const auto built = std::make_shared<Built>();
    for (const Vector3<double>& x : mesh.vertices) {
      if (!is_finite(x.sum())) throw OptionsError(name + " is a mesh with a vertex that is not finite");
    }
    std::vector<fcl::Triangle> kept;
    std::map<std::array<double, 3>, int> welded;
    std::map<std::pair<int, int>, std::pair<std::size_t, int>> open_edges;
    for (const std::array<int, 3>& corners : mesh.triangles) {
      Facet facet{};
      std::array<int, 3>& id = facet.corner;
      for (std::size_t k = 0; k < 3; ++k) {
        if (corners[k] < 0 || static_cast<std::size_t>(corners[k]) >= mesh.vertices.size()) {
          throw OptionsError(name + " is a mesh with a triangle of vertex " + std::to_string(corners[k]) + ", but with " +
                             std::to_string(mesh.vertices.size()) + " vertices");
        }
        facet.x[k] = mesh.vertices[static_cast<std::size_t>(corners[k])];
        id[k] = welded.try_emplace({facet.x[k][0], facet.x[k][1], facet.x[k][2]}, static_cast<int>(welded.size())).first->second;
      }
      facet.normal = (facet.x[1] - facet.x[0]).cross(facet.x[2] - facet.x[0]).stableNormalized();
      if (!(facet.normal.squaredNorm() > 0.5)) continue;
      const std::size_t place = built->facets.size();
      for (std::size_t k = 0; k < 3; ++k) {  // its neighbour runs along their edge the other way
        facet.neighbour[k] = Vector3<double>::Zero();
        const std::pair<int, int> edge(id[k], id[(k + 1) % 3]);
        if (const auto other = open_edges.find({edge.second, edge.first}); other != open_edges.end()) {
          Facet& beside = built->facets[other->second.first];
          facet.neighbour[k] = beside.normal;
          beside.neighbour[static_cast<std::size_t>(other->second.second)] = facet.normal;
          open_edges.erase(other);
        } else {
          open_edges.emplace(edge, std::pair(place, static_cast<int>(k)));
        }
      }
      built->facets.push_back(facet);
      built->around.resize(welded.size());
      for (const int corner : id) built->around[static_cast<std::size_t>(corner)].push_back(place);
      kept.emplace_back(static_cast<std::size_t>(corners[0]), static_cast<std::size_t>(corners[1]), static_cast<std::size_t>(corners[2]));
    }
    if (kept.empty()) throw OptionsError(name + " is a mesh in which no triangle has an area");
    built->tree.beginModel(static_cast<int>(kept.size()), static_cast<int>(mesh.vertices.size()));
    built->tree.addSubModel(mesh.vertices, kept);
    built->tree.endModel();
    built->low = built->high = built->facets[0].x[0];
    for (const Facet& facet : built->facets) {
      for (const Vector3<double>& x : facet.x) built->low = built->low.cwiseMin(x), built->high = built->high.cwiseMax(x);
    }
    built_ = built;
  }
  Vector3<double> center() const noexcept { return (built_->low + built_->high) / 2; }
  Vector3<double> half() const noexcept { return (built_->high - built_->low) / 2; }

  /// A triangle: its corners, its outward normal, and the normal of the neighbour across the edge that begins at each corner; zero if there
  /// is none.
  struct Facet {
    std::array<Vector3<double>, 3> x, neighbour;
    Vector3<double> normal;
    std::array<int, 3> corner;
  };
  const Facet& facet(std::size_t k) const noexcept { return built_->facets[k]; }
  /// Returns the direction in which a triangle pushes if the corners that touch are the farthest along n. This is the triangle's normal if
  /// n leans over an edge that is not convex, where the neighbour is level or rises, and n otherwise. Zero: the triangle has no contact,
  /// because n points inward, or because the normal of a triangle beside it is closer to n.
  Vector3<double> direction(std::size_t place, const Vector3<double>& n, const std::array<bool, 3>& touches) const {
    const Facet& facet = built_->facets[place];
    const double along = n.dot(facet.normal);
    const auto corners = std::count(touches.begin(), touches.end(), true);
    if (along < 0) return Vector3<double>::Zero();
    bool leans = false;
    for (std::size_t k = 0; k < 3; ++k) {
      if (touches[k] && corners == 1) {
        for (const std::size_t other : built_->around[static_cast<std::size_t>(facet.corner[k])]) {
          if (n.dot(built_->facets[other].normal) > along + 1e-9) return Vector3<double>::Zero();
        }
      }
      const std::size_t next = (k + 1) % 3;
      const Vector3<double>& neighbour = facet.neighbour[k];
      if (neighbour.isZero() || touches[k] + touches[next] < std::min<std::ptrdiff_t>(corners, 2)) continue;
      const Vector3<double> out = (facet.x[next] - facet.x[k]).normalized().cross(facet.normal);
      if (neighbour.dot(out) <= 1e-6) leans |= n.dot(out) > 1e-9;
      else if (corners == 2 && n.dot(neighbour) > along + 1e-9) return Vector3<double>::Zero();
    }
    return leans ? facet.normal : n;
  }
  /// Returns the indices of the triangles that a box in the world reaches, in ascending order.
  std::vector<std::size_t> near(const Pose<double>& T, const ProximityGrid<double>::Bounds& bounds, double margin) const {
    const fcl::Boxd box(2.0001 * (bounds.half.array() + margin).matrix());
    fcl::CollisionResultd result;
    fcl::collide(&built_->tree, to_fcl(T), &box, to_fcl(Pose<double>::translation(bounds.center)),
                 fcl::CollisionRequestd(built_->facets.size(), false, 1, false, true, fcl::GST_INDEP), result);
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < result.numContacts(); ++k) found.push_back(static_cast<std::size_t>(result.getContact(k).b1));
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  struct Built {
    fcl::BVHModel<fcl::OBBRSSd> tree;
    std::vector<Facet> facets;
    std::vector<std::vector<std::size_t>> around;  ///< the triangles about each corner
    Vector3<double> low, high;
  };
  std::shared_ptr<const Built> built_;
};

/// Adds, for each plane of the mesh, the corners of the contact with it, independently of how the plane is divided into triangles.
inline void find_points(const FclMesh& a, const Pose<double>& T_WA, const FclSolid& b, const Pose<double>& T_WB,
                        const ProximityGrid<double>::Bounds& of_b, double margin, std::vector<PairPoint<double>>& points) {
  std::vector<PairPoint<double>> found, beneath;
  double least = -std::numeric_limits<double>::infinity(), deepest = 0;
  for (const std::size_t place : a.near(T_WA, of_b, margin)) {
    ConvexPoints<double> corners;
    for (const Vector3<double>& x : a.facet(place).x) corners.points.push_back(x);
    const FclSolid triangle(corners, "a mesh");
    const FclPair pair{triangle, T_WA, b, T_WB};
    const Vector3<double> n = fcl_direction(pair);
    const double apart = pair.apart(n);
    if (!(apart <= margin)) continue;
    FclFeatures features = fcl_aligned_features(pair, n);
    const Vector3<double> level = T_WA.R.transpose() * features.view.R.col(2);
    const double farthest = triangle.reach(Pose<double>::identity(), level) - triangle.band();
    std::array<bool, 3> touches;
    for (std::size_t k = 0; k < 3; ++k) touches[k] = level.dot(corners.points[k]) >= farthest;
    const Vector3<double> direction = a.direction(place, level, touches);
    if (direction.isZero()) {
      if (level.dot(a.facet(place).normal) < 0) continue;  // the shape is on the inner side
      deepest = std::min(deepest, apart);
      const Vector3<double> out = T_WA.R * a.facet(place).normal;
      if (const double below = pair.apart(out); apart < 0 && below > least) {
        least = below;
        beneath.clear();
        add_common_points(pair, fcl_features(pair, out), margin, true, beneath);
      }
      continue;
    }
    const bool is_own = direction != level;
    if (is_own) features = fcl_features(pair, T_WA.R * direction);
    const std::size_t before = found.size();
    add_common_points(pair, features, margin, !is_own, found);
    for (std::size_t k = before; k < found.size(); ++k) found[k].feature |= static_cast<std::uint32_t>(place) << 7U;
  }
  // If edges overlap, each triangle alone may be left in another direction, so that no triangle has a contact. Then the shape is pushed out
  // of the face that it penetrates least, but no farther than out of one triangle.
  if (found.empty()) {
    found = std::move(beneath);
    for (PairPoint<double>& point : found) point.gap = std::max(point.gap, deepest);
  }
  // Points of one plane have the same normal and the same height of the surface below them.
  const double slack = 1e-6 * (a.half().norm() + b.size());
  while (!found.empty()) {
    const PairPoint<double> one = found.front();
    const auto height = [&](const PairPoint<double>& x) { return one.normal.dot(x.p) - x.gap / 2; };
    const auto others = std::stable_partition(found.begin(), found.end(), [&](const PairPoint<double>& x) {
      return (x.normal - one.normal).norm() < 1e-6 && std::abs(height(x) - height(one)) < slack;
    });
    const Projection<double> view(one.normal, one.p);
    SupportPolygon<double> hull;
    for (auto x = found.begin(); x != others; ++x) hull.push_back({view.of(x->p), static_cast<std::uint32_t>(x - found.begin()), 0});
    keep_hull(hull, slack);
    for (const SupportCorner<double>& corner : hull) points.push_back(found[corner.feature]);
    found.erase(found.begin(), others);
  }
}

}  // namespace detail
}  // namespace actio
