// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Nonholonomic constraints: rolling without slipping, and blades or casters that do not slide sideways.
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "actio/math/pose.hpp"
#include "actio/model/checks.hpp"

namespace actio {

/// A ball or a thin wheel that rolls without slipping on a plane of the world and keeps touching it: three rows.
template <Scalar S>
struct Rolling {
  Vector3<S> center = Vector3<S>::Zero();   ///< centre of the ball or wheel, in the body's frame [m]
  S radius = S(1);                          ///< > 0 [m]
  Vector3<S> axle = Vector3<S>::Zero();     ///< axle of the wheel, in the body's frame, unit, never along the normal; zero: a ball
  Vector3<S> normal = Vector3<S>::UnitZ();  ///< normal of the plane, in the world, unit, towards the side of the centre
  S height{};                               ///< height of the plane above the world's origin, along the normal [m]
  friend bool operator==(const Rolling&, const Rolling&) = default;  ///< whether all entries are equal
};

/// A blade or a caster that does not slide sideways: one row.
template <Scalar S>
struct KnifeEdge {
  Vector3<S> point = Vector3<S>::Zero();    ///< point that does not slide, in the body's frame [m]
  Vector3<S> across = Vector3<S>::UnitY();  ///< the direction in which the point does not move, in the body's frame, unit
  friend bool operator==(const KnifeEdge&, const KnifeEdge&) = default;  ///< whether all entries are equal
};

/// A nonholonomic constraint on a body, in addition to its joint, loops and couplings.
template <Scalar S>
struct Nonholonomic {
  std::string name;                                            ///< for messages
  BodyIndex body = 0;                                          ///< the body that rolls or carries the blade, not 0
  std::variant<Rolling<S>, KnifeEdge<S>> type = Rolling<S>{};  ///< what the constraint prevents
  bool active = true;                                          ///< enforced; otherwise released and only recorded
  friend bool operator==(const Nonholonomic&, const Nonholonomic&) = default;  ///< whether all entries are equal
};

namespace detail {
/// Returns a constraint in words, for messages: "rolling constraint 'wheel'", "knife edge 'blade'".
template <Scalar S>
std::string title(const Nonholonomic<S>& constraint) {
  return (std::holds_alternative<Rolling<S>>(constraint.type) ? "rolling constraint '" : "knife edge '") + constraint.name + "'";
}
/// Makes the directions of a constraint unit vectors.  @returns what is wrong with its numbers, such as "radius -1 m, expected > 0".
template <Scalar S>
std::vector<std::string> normalize(Nonholonomic<S>& constraint) {
  std::vector<std::string> problems;
  const auto require_finite = [&](bool is_finite, const char* what) {
    if (!is_finite) problems.push_back(std::string(what) + " is not finite");
  };
  const auto make_unit = [&](Vector3<S>& direction, const char* what) {
    using std::sqrt;
    const S square = direction.squaredNorm();
    const ValueOf<S> length = std::sqrt(value_of(square));
    if (length > ValueOf<S>(1e-10) && std::isfinite(length)) direction /= sqrt(square);
    else problems.push_back(std::string(what) + " has length " + to_text(length) + ", expected a direction");
  };
  if (auto* rolling = std::get_if<Rolling<S>>(&constraint.type)) {
    const ValueOf<S> radius = value_of(rolling->radius);
    if (!(radius > 0 && std::isfinite(radius))) problems.push_back("radius " + to_text(radius) + " m, expected > 0");
    require_finite(all_finite(rolling->center), "center");
    require_finite(is_finite(rolling->height), "height");
    make_unit(rolling->normal, "normal");
    if (!rolling->axle.isZero(0)) make_unit(rolling->axle, "axle");
  } else {
    auto& knife = std::get<KnifeEdge<S>>(constraint.type);
    require_finite(all_finite(knife.point), "point");
    make_unit(knife.across, "across");
  }
  return problems;
}
}  // namespace detail

}  // namespace actio
