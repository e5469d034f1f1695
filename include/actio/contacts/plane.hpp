// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contacts of a model's shapes with a plane of the world, in closed form.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/core/error.hpp"
#include "actio/math/small.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// A half-space of the world and the shapes that may touch it: spheres at one point, capsules at two, boxes and hulls at their corners,
/// cylinders at the lowest and the highest point of each rim and at the two points between them.  A ContactSource.
template <Scalar S>
class PlaneContacts {
 public:
  /// @param normal of the plane, out of the ground, any length.  @param height of the plane above the world's origin, along the normal [m].
  /// @throws OptionsError if the normal has no direction or the material is not valid.
  explicit PlaneContacts(const ContactMaterial<S>& material, const Vector3<S>& normal = Vector3<S>::UnitZ(), const S& height = S(0))
      : material_(material), normal_(detail::plane_normal(normal, height, "PlaneContacts")), height_(height) {
    material.check("PlaneContacts");
  }
  /// Returns the ground of a model: the first half-space among the shapes of its world, else the plane z = 0.
  /// @throws OptionsError as the constructor does.
  template <class Joints>
  static PlaneContacts ground_of(const Model<S, Joints>& model, const ContactMaterial<S>& material) {
    for (const Shape<S>& shape : model.shapes()) {
      if (shape.body != 0 || !std::holds_alternative<HalfSpace>(shape.geometry)) continue;
      const Vector3<S> up = shape.T_BS.R.col(2);
      return PlaneContacts(material, up, up.dot(shape.T_BS.p));
    }
    return PlaneContacts(material);
  }
  /// Adds all shapes of a model that are not fixed to the world.
  /// @throws ModelError if one is a mesh (its hull can be added as ConvexPoints) or a half-space and `meshes` is not leave_out, or if there
  /// is no shape that could touch the plane.
  template <class Joints>
  PlaneContacts& add_shapes_of(const Model<S, Joints>& model, Meshes meshes = Meshes::refuse) {
    const std::size_t before = most_points();
    for (const Shape<S>& shape : model.shapes()) {
      if (shape.body == 0) continue;
      std::visit([&]<class G>(const G& geometry) {
        if constexpr (std::same_as<G, MeshFile> || std::same_as<G, HalfSpace>) {
          if (meshes == Meshes::leave_out) return;
          throw ModelError("PlaneContacts: shape '" + shape.name + "' of body '" + model.body_name(shape.body) + "' is a " +
                           (std::same_as<G, MeshFile> ? "mesh file: replace_meshes() makes a hull of it, and" : "half-space:") +
                           " Meshes::leave_out ignores it");
        } else {
          add(shape.body, shape.T_BS, geometry);
        }
      }, shape.geometry);
    }
    if (most_points() == before) {
      throw ModelError("model '" + model.name() +
                       "' has no collision shape that can touch the ground: expected a sphere, box, cylinder, capsule or convex hull");
    }
    return *this;
  }
  ///@{
  /// Adds a shape that may touch the plane.  @param body that carries it, not 0.  @param T_BS pose of the shape in the body.
  /// @throws OptionsError if the body is not positive, or a size is negative or not a number.
  PlaneContacts& add(BodyIndex body, const Pose<S>& T_BS, const Sphere<S>& sphere) {
    require(body, sphere);
    return add_points(body, sphere.radius, {T_BS.p});
  }
  PlaneContacts& add(BodyIndex body, const Pose<S>& T_BS, const Capsule<S>& capsule) {
    require(body, capsule);
    const Vector3<S> end = T_BS.R.col(2) * (capsule.length / S(2));
    return add_points(body, capsule.radius, {T_BS.p - end, T_BS.p + end});
  }
  PlaneContacts& add(BodyIndex body, const Pose<S>& T_BS, const Box<S>& box) {
    require(body, box);
    std::vector<Vector3<S>> corners;
    for (int k = 0; k < 8; ++k) {
      corners.push_back(T_BS *
                        Vector3<S>(box.size.cwiseProduct(Vector3<S>(S(k & 1 ? 0.5 : -0.5), S(k & 2 ? 0.5 : -0.5), S(k & 4 ? 0.5 : -0.5)))));
    }
    return add_points(body, S(0), std::move(corners));
  }
  PlaneContacts& add(BodyIndex body, const Pose<S>& T_BS, const ConvexPoints<S>& hull) {
    require(body, hull);
    std::vector<Vector3<S>> corners;
    for (const Vector3<S>& point : hull.points) corners.push_back(T_BS * point);
    return add_points(body, S(0), std::move(corners));
  }
  PlaneContacts& add(BodyIndex body, const Pose<S>& T_BS, const Cylinder<S>& cylinder) {
    require(body, cylinder);
    cylinders_.push_back({body, T_BS, cylinder});
    return *this;
  }
  ///@}

  /// Returns the largest number of points at a time: a capacity that always suffices.
  std::size_t most_points() const noexcept { return balls_.size() + 8 * cylinders_.size(); }
  bool has_tangential_spring() const noexcept { return material_.has_tangential_spring(); }  ///< see ContactMaterial
  bool has_restitution() const noexcept { return material_.restitution > 0; }                ///< see ContactMaterial
  BodyIndex last_body() const noexcept { return last_body_; }  ///< largest index of a body with shapes; 0 if there is none
  /// See ContactSource.
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) const noexcept {
    std::uint64_t id = 0;
    for (const Ball& ball : balls_) report(ball.body, T_WB[ball.body] * ball.center, ball.radius, id++, margin, found);
    for (const Rims& rims : cylinders_) {
      const Pose<S> T_WS = T_WB[rims.body] * rims.T_BS;
      const Vector3<S> axis = T_WS.R.col(2), in_disc = axis * axis.dot(normal_) - normal_;
      // Steepest descent within the discs; any direction if they are level.
      const S slope = in_disc.norm();
      const Vector3<S> down = slope > S(1e-9F) ? Vector3<S>(in_disc / slope) : detail::perpendiculars(axis)[0], side = axis.cross(down);
      for (const S end : {S(-0.5), S(0.5)}) {
        const Vector3<S> center = T_WS.p + axis * (end * rims.cylinder.length);
        for (const Vector3<S>& direction : {down, Vector3<S>(-down), side, Vector3<S>(-side)}) {
          report(rims.body, center + rims.cylinder.radius * direction, S(0), id++, margin, found);
        }
      }
    }
  }

 private:
  struct Ball {
    BodyIndex body;
    Vector3<S> center;
    S radius;
  };
  struct Rims {
    BodyIndex body;
    Pose<S> T_BS;
    Cylinder<S> cylinder;
  };
  template <class G>
  void require(BodyIndex body, const G& geometry) {
    detail::require_shape<S>("PlaneContacts", body, 1, geometry);
    last_body_ = std::max(last_body_, body);
  }
  PlaneContacts& add_points(BodyIndex body, const S& radius, std::vector<Vector3<S>> centers) {
    for (const Vector3<S>& center : centers) balls_.push_back({body, center, radius});
    return *this;
  }
  void report(BodyIndex body, const Vector3<S>& center, const S& radius, std::uint64_t id, const S& margin,
              ContactList<S>& found) const noexcept {
    const S above = normal_.dot(center) - height_, gap = above - radius;
    if (gap > margin) return;
    found.add({0, body, center - (radius + gap / S(2)) * normal_, normal_, gap, id, &material_});  // half way between both surfaces
  }

  ContactMaterial<S> material_;
  Vector3<S> normal_;
  S height_;
  std::vector<Ball> balls_;
  std::vector<Rims> cylinders_;
  BodyIndex last_body_ = 0;
};

}  // namespace actio
