// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contacts of convex shapes and meshes by means of FCL, which finds the direction; the points are found here. Link actio::fcl.
#include <algorithm>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "actio/contacts/fcl/direction.hpp"
#include "actio/contacts/fcl/mesh.hpp"
#include "actio/contacts/pairs/grid.hpp"
#include "actio/contacts/pairs/pairs.hpp"

namespace actio {

/// Contacts between spheres, capsules, boxes, cylinders, hulls of points and meshes on bodies and on the world. All pairs of shapes on
/// different bodies are considered, except mesh with mesh; body a of a point is the one with the lower index.
/// A ContactSource that allocates in every call, because FCL does; hence a step with it allocates too.
/// The direction of a pair is the best that FCL finds (see detail::fcl_direction), which for deep overlaps may not be the optimum; gaps
/// along it are exact. Faces that meet touch at the corners of their common part, where discs count as inscribed octagons. Edges touch at
/// two points if they run beside each other, or where they cross.
/// A mesh is a surface whose outside is where its triangles appear counterclockwise: a shape that has passed more than half way through it
/// is not pushed back.
/// Ids consist of the ranks of both shapes in the grid, the triangle and the indices of corners in their faces. They are valid until a
/// shape is added, and are below 2^56, as ContactSources requires.
/// If FCL fails on a pair, the step fails with Status::callback_failed.
class FclContacts {
 public:
  static constexpr std::size_t most_shapes = std::size_t(1) << 14U,  ///< largest number of shapes, limited by the ids
      most_triangles = std::size_t(1) << 21U;                        ///< largest number of triangles of a mesh, limited by the ids

  /// @param material of every pair.  @throws OptionsError if it is not valid.
  explicit FclContacts(const ContactMaterial<double>& material) : material_(material) {
    material.check("FclContacts");
  }
  /// Adds all shapes of a model, including those of the world.
  /// @param neighbours whether bodies that a joint or a loop connects may touch.
  /// @throws ModelError if one is a mesh file (load it and pass it to add()) or a half-space and `meshes` is not leave_out, or if there are
  /// no two bodies with shapes.  @throws OptionsError if there are more than most_shapes.
  template <class Joints>
  FclContacts& add_shapes_of(const Model<double, Joints>& model, Meshes meshes = Meshes::refuse,
                             Neighbours neighbours = Neighbours::pass_through) {
    BodyIndex one = -1;
    bool several = false;
    for (const Shape<double>& shape : model.shapes()) {
      std::visit([&]<class G>(const G& geometry) {
        if constexpr (!std::same_as<G, MeshFile> && !std::same_as<G, HalfSpace>) {
          add(shape.body, shape.T_BS, geometry, shape.filter);
          several |= one >= 0 && one != shape.body;
          one = shape.body;
        } else if (meshes == Meshes::refuse) {
          throw ModelError(
              "FclContacts: shape '" + shape.name + "' of body '" + model.body_name(shape.body) + "' is a " +
              (std::same_as<G, MeshFile> ? "mesh file: add its triangles as a TriangleMesh" : "half-space: use PlaneContacts for it"));
        }
      }, shape.geometry);
    }
    if (!several) throw ModelError("FclContacts: model '" + model.name() + "' has fewer than two bodies with shapes that can touch");
    if (neighbours == Neighbours::pass_through) pairs_.exclude_neighbours_of(model);
    return *this;
  }
  /// Adds a shape.  @param body that carries it; 0: the world.  @param T_BS pose of the shape in the body.
  /// @param geometry a Sphere, Capsule, Box, Cylinder, ConvexPoints or TriangleMesh [m].  @param filter what it may touch.
  /// @throws OptionsError if the body or a size is negative; a size, vertex or pose is not finite; a triangle's corner is not a vertex; the
  /// hull or mesh is empty; the mesh could meet another; or there are too many shapes or triangles.
  template <class G>
  FclContacts& add(BodyIndex body, const Pose<double>& T_BS, const G& geometry, const ContactFilter& filter = {}) {
    const std::string name = "FclContacts: a shape of body " + std::to_string(body);
    if (body < 0) throw OptionsError(name + ", expected a body >= 0");
    if (!is_finite(T_BS.p.sum()) || !is_finite(T_BS.R.sum())) throw OptionsError(name + ": its pose in the body is not finite");
    if (shapes_.size() == most_shapes) throw OptionsError(name + " exceeds the limit of 2^14 shapes");
    if constexpr (std::same_as<G, TriangleMesh>) {
      if (geometry.triangles.size() > most_triangles) throw OptionsError(name + " has more than 2^21 triangles, the limit");
      for (const Placed& other : shapes_) {
        if (std::holds_alternative<detail::FclMesh>(other.solid) && pairs_.may_touch(body, other.body)) {
          throw OptionsError(
              name + " and one of body " + std::to_string(other.body) +
              " are both meshes, between which contact is not supported: add one as ConvexPoints, or exclude() the two bodies first");
        }
      }
      place(body, T_BS, detail::FclMesh(geometry, name), filter);
    } else {
      place(body, T_BS, detail::FclSolid(geometry, name), filter);
    }
    return *this;
  }
  /// Lets the shapes of these two bodies pass through each other. If both are to have meshes, call this before add().
  FclContacts& exclude(BodyIndex a, BodyIndex b) {
    pairs_.exclude(a, b);
    return *this;
  }

  bool has_tangential_spring() const noexcept { return material_.has_tangential_spring(); }  ///< see ContactMaterial
  bool has_restitution() const noexcept { return material_.restitution > 0; }                ///< see ContactMaterial
  BodyIndex last_body() const noexcept { return last_body_; }  ///< largest index of a body with shapes; 0 if there is none
  /// See ContactSource; allocates.
  void find(const BodyArray<Pose<double>>& T_WB, double margin, ContactList<double>& found) noexcept {
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      Placed& shape = shapes_[k];
      shape.T_WS = T_WB[shape.body] * shape.T_BS;
      const auto& [center, half] = shape.local;
      grid_.bounds(k) = {shape.T_WS * center, shape.T_WS.R.cwiseAbs() * half};
    }
    grid_.for_each_pair(margin, [&](std::size_t first, std::size_t second) {
      const Placed &one = shapes_[first], &other = shapes_[second];
      if (!pairs_.may_touch(one.body, other.body) || !one.filter.may_touch(other.filter)) return;
      try {
        add_points(first, second, margin, found);
      } catch (...) {  // thrown by FCL, or out of memory
        found.fail();
      }
    });
  }

 private:
  struct Placed {
    BodyIndex body;
    Pose<double> T_BS;
    std::variant<detail::FclSolid, detail::FclMesh> solid;  // copies share their constant data
    ContactFilter filter;
    detail::ProximityGrid<double>::Bounds local;
    Pose<double> T_WS;
  };
  template <class Solid>
  void place(BodyIndex body, const Pose<double>& T_BS, Solid solid, const ContactFilter& filter) {
    const detail::ProximityGrid<double>::Bounds local{solid.center(), solid.half()};
    shapes_.push_back({body, T_BS, std::move(solid), filter, local, Pose<double>::identity()});
    last_body_ = std::max(last_body_, body);
    grid_.add(local.half.norm());
  }
  void add_points(std::size_t first, std::size_t second, double margin, ContactList<double>& found) {
    const bool swapped = shapes_[first].body > shapes_[second].body;
    const std::size_t at_a = swapped ? second : first, at_b = swapped ? first : second;
    const Placed &a = shapes_[at_a], &b = shapes_[at_b];
    points_.clear();
    std::visit([&]<class A, class B>(const A& solid_a, const B& solid_b) {
      if constexpr (std::same_as<A, detail::FclSolid> && std::same_as<B, detail::FclSolid>) {
        find_points(solid_a, a.T_WS, solid_b, b.T_WS, margin, points_);
      } else if constexpr (std::same_as<A, detail::FclMesh> && std::same_as<B, detail::FclSolid>) {
        find_points(solid_a, a.T_WS, solid_b, b.T_WS, grid_.bounds(at_b), margin, points_);
      } else if constexpr (std::same_as<A, detail::FclSolid>) {
        find_points(solid_b, b.T_WS, solid_a, a.T_WS, grid_.bounds(at_a), margin, points_);
        for (detail::PairPoint<double>& point : points_) point.normal = -point.normal;
      }
    }, a.solid, b.solid);
    std::sort(points_.begin(), points_.end(), [](const auto& x, const auto& y) { return x.feature < y.feature; });
    const std::uint64_t pair = std::uint64_t(grid_.rank(first)) << 42U | std::uint64_t(grid_.rank(second)) << 28U;
    for (const detail::PairPoint<double>& point : points_) {
      found.add({a.body, b.body, point.p, point.normal, point.gap, pair | point.feature, &material_});
    }
  }

  ContactMaterial<double> material_;
  std::vector<Placed> shapes_;
  BodyIndex last_body_ = 0;
  detail::BodyPairs pairs_;
  detail::ProximityGrid<double> grid_;
  std::vector<detail::PairPoint<double>> points_;  // those of the present pair
};

}  // namespace actio
