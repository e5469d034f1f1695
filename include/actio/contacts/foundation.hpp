// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Elastic foundations: beds of independent springs between flat faces of bodies and a plane of the world.
#include <algorithm>
#include <limits>
#include <vector>

#include "actio/contacts/points.hpp"
#include "actio/core/error.hpp"
#include "actio/model/shape.hpp"

namespace actio {

/// An elastic layer of independent points:  pressure = modulus / thickness * depth + damping * rate of depth,  where that is positive.
///                                                          [Winkler 1867; Drumwright 2019, Tables 1 and 2; compliant_math.md, section 4.6]
template <Scalar S>
struct FoundationMaterial {
  S modulus{};      ///< Young's modulus, > 0 [Pa]
  S thickness{};    ///< thickness of the layer, > 0 [m]
  S damping{};      ///< damping per area, >= 0 [N s/m^3]
  S friction{};     ///< coefficient, >= 0
  S tangential_damping = std::numeric_limits<S>::infinity();  ///< damping per area of contacts that stick, > 0 [N s/m^3]
  S tangential_stiffness{};                                    ///< per area, as in ContactMaterial, >= 0 [N/m^3]
  friend bool operator==(const FoundationMaterial&, const FoundationMaterial&) = default;  ///< the same in every entry

  /// Returns the material of one element.  @param area of the element [m^2].
  ContactMaterial<S> over(const S& area) const {
    return {Compliance<S>{modulus / thickness * area, damping * area}, friction, tangential_damping * area, tangential_stiffness * area};
  }
};

/// A half-space of the world, and elastic layers on flat faces of bodies that may touch it. A layer is a rectangle of nx x ny elements
/// fixed to its body, each of which acts at its centre.  A ContactSource.
template <Scalar S>
class FoundationContacts {
 public:
  /// @param normal of the plane, out of the ground, any length.  @param height of the plane above the world's origin, along the normal [m].
  /// @throws OptionsError if the normal has no direction.
  explicit FoundationContacts(const Vector3<S>& normal = Vector3<S>::UnitZ(), const S& height = S(0))
      : normal_(detail::plane_normal(normal, height, "FoundationContacts")), height_(height) {}
  /// Adds a layer on a rectangle in the x-y plane of a frame F on the body, centred at F's origin.
  /// @param body that carries it, not 0.  @param T_BF pose of F in the body.  @param size edges along x and y of F [m].
  /// @param nx, ny numbers of elements along the edges.
  /// @throws OptionsError if the body is the world, there is no element, the area is not positive, or the material is not valid.
  FoundationContacts& add(BodyIndex body, const Pose<S>& T_BF, const Vector2<S>& size, int nx, int ny,
                          const FoundationMaterial<S>& material) {
    const auto require = [](bool sound, const char* what, const auto& value, const char* expected) {
      detail::require_option(sound, "FoundationContacts", what, value, expected);
    };
    require(body >= 1, "the body of a layer", body, ">= 1; the world is body 0");
    for (const int n : {nx, ny}) require(n >= 1, "the number of elements along an edge", n, ">= 1");
    for (const S& edge : size) require(edge > S(0) && is_finite(edge), "an edge of a layer", edge, "a finite number > 0");
    require(material.modulus > S(0), "the material's modulus", material.modulus, "> 0");
    require(material.thickness > S(0), "the material's thickness", material.thickness, "> 0");
    material.over(S(1)).check("FoundationContacts");  // of one square metre, so that a message has the number that was given
    const Vector2<S> edges(size[0] / S(nx), size[1] / S(ny));
    const Vector3<S> x = T_BF.R.col(0) * edges[0], y = T_BF.R.col(1) * edges[1];
    layers_.push_back({body, nx, ny, T_BF.p - (S(nx - 1) / S(2)) * x - (S(ny - 1) / S(2)) * y, x, y, material.over(edges.prod())});
    last_body_ = std::max(last_body_, body);
    num_elements_ += static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    return *this;
  }
  /// Adds a layer on the -z face of a box.  @param T_BS pose of the box in the body.  @throws OptionsError as add() does.
  FoundationContacts& add_bottom(BodyIndex body, const Pose<S>& T_BS, const Box<S>& box, int nx, int ny,
                                 const FoundationMaterial<S>& material) {
    const Pose<S> T_BF{T_BS.R, T_BS * Vector3<S>(S(0), S(0), -box.size[2] / S(2))};
    return add(body, T_BF, box.size.template head<2>(), nx, ny, material);
  }

  /// Returns the number of elements of all layers: a capacity that always suffices. Ids count the elements, layer by layer, along x first.
  std::size_t most_points() const noexcept { return num_elements_; }
  /// Returns whether the material of a layer has: see ContactMaterial.
  bool has_tangential_spring() const noexcept {
    return std::any_of(layers_.begin(), layers_.end(), [](const Layer& layer) { return layer.element.has_tangential_spring(); });
  }
  BodyIndex last_body() const noexcept { return last_body_; }  ///< largest index of a body with layers; 0 if there is none
  /// See ContactSource.
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) const noexcept {
    std::uint64_t id = 0;
    for (const Layer& layer : layers_) {
      const Pose<S>& T = T_WB[layer.body];
      const Vector3<S> first = T * layer.first, x = T.R * layer.x, y = T.R * layer.y;
      const S rise = normal_.dot(x);
      for (int j = 0; j < layer.ny; ++j) {
        const Vector3<S> begin = first + S(j) * y;
        const S above = normal_.dot(begin) - height_;
        for (int i = 0; i < layer.nx; ++i, ++id) {
          const S gap = above + S(i) * rise;
          // The force acts half way between both surfaces.
          if (gap <= margin) found.add({0, layer.body, begin + S(i) * x - (gap / S(2)) * normal_, normal_, gap, id, &layer.element});
        }
      }
    }
  }

 private:
  struct Layer {
    BodyIndex body;
    int nx, ny;
    Vector3<S> first, x, y;  ///< centre of the first element, and steps to the next along x and y, in the body [m]
    ContactMaterial<S> element;
  };
  Vector3<S> normal_;
  S height_;
  std::vector<Layer> layers_;
  std::size_t num_elements_ = 0;
  BodyIndex last_body_ = 0;
};

}  // namespace actio
