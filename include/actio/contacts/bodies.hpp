// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contacts of spheres, capsules and boxes on bodies, with each other and with shapes fixed to the world.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "actio/contacts/pairs/boxes.hpp"
#include "actio/contacts/pairs/capsule_box.hpp"
#include "actio/contacts/pairs/grid.hpp"
#include "actio/contacts/pairs/pairs.hpp"
#include "actio/contacts/points.hpp"
#include "actio/core/error.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// Contacts between spheres, capsules and boxes on bodies and on the world. All pairs of shapes on different bodies are considered if their
/// filters let them touch. Body a of a point is the one with the lower index, hence the world if it takes part.  A ContactSource, in
/// O(shapes + pairs that are near), however much moved since the last step. Ids consist of the ranks of both shapes in the grid and of the
/// pair's feature; they are valid until a shape is added.
template <Scalar S>
class BodyContacts {
 public:
  static constexpr std::size_t most_shapes = std::size_t(1) << 23U;  ///< largest number of shapes, limited by the ids

  /// @param material of every pair.  @throws OptionsError if it is not valid.
  explicit BodyContacts(const ContactMaterial<S>& material) : material_(material) {
    material.check("BodyContacts");
  }
  /// Adds all shapes of a model, including those of the world.
  /// @param meshes what to do with meshes, convex hulls, cylinders and half-spaces, for which there is no closed form.
  /// @param neighbours whether bodies that a joint or a loop connects may touch.
  /// @throws ModelError if there is such a shape and `meshes` is not leave_out, or if there are no two bodies with shapes.
  template <class Joints>
  BodyContacts& add_shapes_of(const Model<S, Joints>& model, Meshes meshes = Meshes::refuse,
                              Neighbours neighbours = Neighbours::pass_through) {
    BodyIndex one = -1;
    bool several = false;
    for (const Shape<S>& shape : model.shapes()) {
      std::visit([&]<class G>(const G& geometry) {
        if constexpr (std::constructible_from<Solid, G>) {
          add(shape.body, shape.T_BS, geometry, shape.filter);
          several |= one >= 0 && one != shape.body;
          one = shape.body;
        } else if (meshes == Meshes::refuse) {
          throw ModelError("BodyContacts: shape '" + shape.name + "' of body '" + model.body_name(shape.body) + "' is a " +
                           (std::same_as<G, MeshFile>          ? "mesh"
                            : std::same_as<G, HalfSpace>       ? "half-space"
                            : std::same_as<G, ConvexPoints<S>> ? "convex hull"
                                                               : "cylinder") +
                           ", expected a sphere, capsule or box; Meshes::leave_out ignores it");
        }
      }, shape.geometry);
    }
    if (!several) throw ModelError("BodyContacts: model '" + model.name() + "' has fewer than two bodies with shapes that can touch");
    if (neighbours == Neighbours::pass_through) pairs_.exclude_neighbours_of(model);
    return *this;
  }
  /// Adds a shape.  @param body that carries it; 0: the world.  @param T_BS pose of the shape in the body.
  /// @param filter what it may touch.
  /// @throws OptionsError if the index or a size is negative or not a number, or there are more than most_shapes.
  template <class G>
    requires std::same_as<G, Sphere<S>> || std::same_as<G, Capsule<S>> || std::same_as<G, Box<S>>
  BodyContacts& add(BodyIndex body, const Pose<S>& T_BS, const G& geometry, const ContactFilter& filter = {}) {
    detail::require_shape<S>("BodyContacts", body, 0, geometry);
    if (shapes_.size() == most_shapes) throw OptionsError("BodyContacts: the shapes exceed their limit of 2^23");
    last_body_ = std::max(last_body_, body);
    shapes_.push_back({body, T_BS, geometry, filter, Pose<S>::identity()});
    if constexpr (std::same_as<G, Sphere<S>>) grid_.add(value_of(geometry.radius));
    else if constexpr (std::same_as<G, Capsule<S>>) grid_.add(value_of(S(geometry.radius + geometry.length / S(2))));
    else grid_.add(value_of(S(geometry.size.norm() / S(2))));
    return *this;
  }
  /// Lets the shapes of these two bodies pass through each other.
  BodyContacts& exclude(BodyIndex a, BodyIndex b) {
    pairs_.exclude(a, b);
    return *this;
  }

  bool has_tangential_spring() const noexcept { return material_.has_tangential_spring(); }  ///< see ContactMaterial
  bool has_restitution() const noexcept { return material_.restitution > 0; }                ///< see ContactMaterial
  BodyIndex last_body() const noexcept { return last_body_; }  ///< largest index of a body with shapes; 0 if there is none
  /// See ContactSource.
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) noexcept {
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      Placed& shape = shapes_[k];
      shape.T_WS = T_WB[shape.body] * shape.T_BS;
      grid_.bounds(k) = {values(shape.T_WS.p),
                         values(std::visit([&](const auto& solid) { return half_extents(solid, shape.T_WS.R); }, shape.solid))};
    }
    grid_.for_each_pair(value_of(margin), [&](std::size_t first, std::size_t second) {
      const Placed &one = shapes_[first], &other = shapes_[second];
      if (pairs_.may_touch(one.body, other.body) && one.filter.may_touch(other.filter)) add_points(first, second, margin, found);
    });
  }

 private:
  using Solid = std::variant<Sphere<S>, Capsule<S>, Box<S>>;
  struct Placed {
    BodyIndex body;
    Pose<S> T_BS;
    Solid solid;
    ContactFilter filter;
    Pose<S> T_WS;
  };
  static Vector3<S> half_extents(const Sphere<S>& sphere, const Matrix3<S>&) noexcept { return Vector3<S>::Constant(sphere.radius); }
  static Vector3<S> half_extents(const Capsule<S>& capsule, const Matrix3<S>& R) noexcept {
    return (R.col(2).cwiseAbs() * (capsule.length / S(2))).array() + capsule.radius;
  }
  static Vector3<S> half_extents(const Box<S>& box, const Matrix3<S>& R) noexcept { return R.cwiseAbs() * (box.size / S(2)); }

  static Vector3<ValueOf<S>> values(const Vector3<S>& x) { return {value_of(x[0]), value_of(x[1]), value_of(x[2])}; }
  void add_points(std::size_t first, std::size_t second, const S& margin, ContactList<S>& found) noexcept {
    const bool swapped = shapes_[first].body > shapes_[second].body;
    const Placed &a = shapes_[swapped ? second : first], &b = shapes_[swapped ? first : second];
    detail::PairPoints<S> points;
    std::visit([&](const auto& solid_a, const auto& solid_b) {
      if constexpr (requires { find_points(solid_a, a.T_WS, solid_b, b.T_WS, margin, points); }) {
        find_points(solid_a, a.T_WS, solid_b, b.T_WS, margin, points);
      } else {
        find_swapped(points, [&] { find_points(solid_b, b.T_WS, solid_a, a.T_WS, margin, points); });
      }
    }, a.solid, b.solid);
    if (points.points().empty()) return;
    const auto by_feature = [](const detail::PairPoint<S>& x, const detail::PairPoint<S>& y) { return x.feature < y.feature; };
    std::sort(points.points().begin(), points.points().end(), by_feature);
    const std::uint64_t pair = std::uint64_t(grid_.rank(first)) << 33U | std::uint64_t(grid_.rank(second)) << 10U;
    for (const detail::PairPoint<S>& point : points.points()) {
      found.add({a.body, b.body, point.p, point.normal, point.gap, pair | point.feature, &material_});
    }
  }

  ContactMaterial<S> material_;
  std::vector<Placed> shapes_;
  BodyIndex last_body_ = 0;
  detail::BodyPairs pairs_;
  detail::ProximityGrid<ValueOf<S>> grid_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class BodyContacts<double>;
#endif

}  // namespace actio
