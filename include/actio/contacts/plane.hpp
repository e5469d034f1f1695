// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contacts of a model's shapes with a plane of the world, in closed form.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/core/elementary.hpp"
#include "actio/core/error.hpp"
#include "actio/math/small.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// A half-space of the world and the shapes that may touch it: spheres at one point, capsules at two, boxes and hulls at their corners,
/// cylinders at points of both rims. A cylinder that stands, to 1e-3 rad, has four fixed points on each rim. If it is tilted, the lowest point
/// of the rim is reported in place of the nearest of them, and if it lies, by more than 30 degrees, the lowest point only.  A ContactSource.
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
      report_rims(rims, T_WB[rims.body] * rims.T_BS, id, margin, found);
      id += 2 * ids_of_rim;
    }
  }

 private:
  struct Ball {
    BodyIndex body;
    Vector3<S> center;
    S radius;
  };
  static constexpr std::uint64_t sectors = 32, ids_of_rim = 4 + sectors + 1;  // fixed points; the lowest one of a tilted and of a lying cylinder
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
  /// Reports points of both rims of a cylinder. The lowest point of a rim that is almost level runs round it within a step: its id says in
  /// which sector of the rim it is, so that it does not take over the forces of the place that it left.
  ///                                                                                              [variational_contact.md, section 8.1]
  void report_rims(const Rims& rims, const Pose<S>& T_WS, std::uint64_t id, const S& margin, ContactList<S>& found) const noexcept {
    const Vector3<S> x = T_WS.R.col(0), y = T_WS.R.col(1), axis = T_WS.R.col(2);
    const Vector3<S> in_disc = axis * axis.dot(normal_) - normal_;  // downwards in the discs
    const S slope = in_disc.norm();
    const bool stands = !(slope >= S(1e-3F)), lies = slope > S(0.5);
    const Vector3<S> down = stands ? Vector3<S>(Vector3<S>::Zero()) : Vector3<S>(in_disc / slope);
    std::uint64_t sector = 0;
    if (!stands && !lies) {
      const auto turn = elementary::atan2(value_of(in_disc.dot(y)), value_of(in_disc.dot(x))) / (2 * std::numbers::pi);  // -1/2 ... 1/2
      sector = static_cast<std::uint64_t>(std::lround((turn + 1) * sectors)) % sectors;
    }
    const std::uint64_t nearest = (4 * sector + sectors / 2) / sectors % 4;
    for (const S end : {S(-0.5), S(0.5)}) {
      const Vector3<S> center = T_WS.p + axis * (end * rims.cylinder.length);
      const auto report_at = [&](const Vector3<S>& direction, std::uint64_t number) {
        report(rims.body, center + rims.cylinder.radius * direction, S(0), id + number, margin, found);
      };
      for (std::uint64_t k = 0; k < 4 && !lies; ++k) {
        const Vector3<S> direction = k % 2 == 0 ? x : y;
        if (stands || k != nearest) report_at(k < 2 ? direction : Vector3<S>(-direction), k);
      }
      if (!stands) report_at(down, lies ? 4 + sectors : 4 + sector);
      id += ids_of_rim;
    }
  }

  ContactMaterial<S> material_;
  Vector3<S> normal_;
  S height_;
  std::vector<Ball> balls_;
  std::vector<Rims> cylinders_;
  BodyIndex last_body_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class PlaneContacts<double>;
#endif

}  // namespace actio
