// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Contact points and their materials, sources of contacts, and the constraint rows of a contact.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "actio/constraints/compliance.hpp"
#include "actio/constraints/row.hpp"
#include "actio/core/error.hpp"
#include "actio/core/options.hpp"
#include "actio/core/text.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/small.hpp"
#include "actio/model/shape.hpp"

namespace actio {

/// The contact law of two surfaces.
template <Scalar S>
struct ContactMaterial {
  std::variant<Compliance<S>, PowerLaw<S>> normal = Compliance<S>{};    ///< compliance of the normal; rigid by default
  S friction{};                                                          ///< coefficient, >= 0
  /// Damping of a contact that sticks, > 0 [N s/m]. A step limits it to 1e5 times the normal's C + h K, at which creep is negligible.
  S tangential_damping = std::numeric_limits<S>::infinity();
  /// Stiffness of a spring parallel to that damper, >= 0 [N/m]; the damper must then be finite and may be zero. The spring
  /// stores the tangential displacement of a contact while the contact keeps its id. 0: friction without memory.
  ///                                                                                                  [Drumwright 2019, (94), (97)]
  S tangential_stiffness{};
  /// Coefficient of restitution, 0 ... 1: the rate of separation after an impact over that of approach. Only of a rigid normal.
  ///                                                                                       [variational_contact.md, section 4]
  S restitution{};
  friend bool operator==(const ContactMaterial&, const ContactMaterial&) = default;  ///< the same in every entry

  /// Returns the spring and damper along the tangents of a contact that sticks.
  Compliance<S> tangential() const { return {tangential_stiffness, tangential_damping}; }

  /// Returns whether there is neither spring nor damper, along the normal and where a contact sticks.
  bool is_rigid() const noexcept {
    const auto* spring = std::get_if<Compliance<S>>(&normal);
    return spring != nullptr && !is_finite(spring->stiffness) && !is_finite(tangential_damping) && !(tangential_stiffness > S(0));
  }
  bool has_tangential_spring() const noexcept { return tangential_stiffness > S(0); }  ///< whether friction has a memory
  /// Returns whether all numbers are in the ranges above.
  bool is_valid() const noexcept {
    bool valid = true;
    require_all([&](bool sound, auto&&...) { valid = valid && sound; });
    return valid;
  }
  /// Checks that all numbers are in the ranges above.  @param source of the contacts, for the message.
  /// @throws OptionsError that names the first number that is not, its value and its range.
  void check(std::string_view source) const {
    require_all([&](bool sound, std::string_view number, const S& value, const char* expected) {
      if (!sound) detail::require_option(false, source, detail::concat({"the material's ", number}), value, expected);
    });
  }

 private:
  template <class Require>
  void require_all(Require require) const {
    std::visit([&](const auto& law) {
      if constexpr (requires { law.stiffness; }) {
        require(law.stiffness >= S(0), "stiffness", law.stiffness, ">= 0");
        require(law.damping >= S(0), "damping", law.damping, ">= 0");
      } else {
        require(law.coefficient > S(0) && is_finite(law.coefficient), "coefficient", law.coefficient, "a finite number > 0");
        require(law.exponent >= S(1) && is_finite(law.exponent), "exponent", law.exponent, "a finite number >= 1");
        require(law.dissipation >= S(0), "dissipation", law.dissipation, ">= 0");
      }
    }, normal);
    require(friction >= S(0) && is_finite(friction), "friction", friction, "a finite number >= 0");
    const S &spring = tangential_stiffness, &damper = tangential_damping;
    require(spring >= S(0) && is_finite(spring), "tangential_stiffness", spring, "a finite number >= 0");
    if (spring > S(0)) require(damper >= S(0) && is_finite(damper), "tangential_damping", damper, "a finite number >= 0 beside a spring");
    else require(damper > S(0), "tangential_damping", damper, "> 0");
    require(restitution >= S(0) && restitution <= S(1), "restitution", restitution, "0 ... 1");
    const auto* linear = std::get_if<Compliance<S>>(&normal);
    const bool soft = linear == nullptr || is_finite(linear->stiffness);
    require(!(soft && restitution > S(0)), "restitution", restitution, "0 where the normal has a spring, whose damper determines bounces");
  }
};

namespace detail {

/// Returns the unit normal of a contact source's plane.  @throws OptionsError if the normal has no direction or the height is not finite.
template <Scalar S>
Vector3<S> plane_normal(const Vector3<S>& normal, const S& height, std::string_view source) {
  const Vector3<S> unit = normal / normal.norm();
  const std::string given = to_text(normal[0]) + ' ' + to_text(normal[1]) + ' ' + to_text(normal[2]);
  require_option(is_finite(unit.sum()), source, "the normal", given, "a finite vector other than 0 0 0");
  require_option(is_finite(height), source, "the height", height, "a finite number");
  return unit;
}

/// Checks a shape.  @param first lowest index that the body may have.  @throws OptionsError that names the first number out of its range.
template <Scalar S>
void require_shape(std::string_view source, BodyIndex body, BodyIndex first, const Geometry<S>& geometry) {
  require_option(body >= first, source, "the body of a shape", body, first > 0 ? ">= 1; the world is body 0" : ">= 0");
  if (const std::string why = why_not_sound(geometry); !why.empty()) {
    throw OptionsError(concat({source, ": a shape of body ", std::to_string(body), ": ", why}));
  }
}

}  // namespace detail

/// One point of contact between body a, or the world (0), and body b.
template <Scalar S>
struct ContactPoint {
  BodyIndex a = 0,                               ///< 0: the world
      b = 0;                                     ///< not the world
  Vector3<S> p = Vector3<S>::Zero();             ///< point at which the force acts, in the world [m]
  Vector3<S> normal = Vector3<S>::UnitZ();       ///< from a to b, unit, in the world
  S gap{};                                       ///< along the normal; negative where they overlap [m]
  std::uint64_t id = 0;                          ///< below 2^60; the same from step to step for the same features of the same shapes
  const ContactMaterial<S>* material = nullptr;  ///< owned by its source, valid until the next call of find()
};

/// A list of contact points whose capacity is fixed at construction.
template <Scalar S>
class ContactList {
 public:
  explicit ContactList(std::size_t capacity = 0) : points_(capacity) {}  ///< allocates for this many points
  std::size_t capacity() const noexcept { return points_.size(); }       ///< largest number of points
  ///@{
  /// Returns the points in use, in the order in which they were added.
  std::span<const ContactPoint<S>> points() const noexcept { return {points_.data(), size_}; }
  std::span<ContactPoint<S>> points() noexcept { return {points_.data(), size_}; }
  ///@}
  bool overflowed() const noexcept { return overflowed_; }  ///< whether points were left out because the capacity was exhausted
  /// To be called by a source that could not find all points: the step then fails with Status::callback_failed.
  void fail() noexcept { failed_ = true; }
  bool failed() const noexcept { return failed_; }  ///< whether fail() was called
  /// Removes all points and resets overflowed() and failed(); keeps the capacity.
  void clear() noexcept {
    size_ = 0;
    overflowed_ = failed_ = false;
  }
  /// Appends a point, or leaves it out if the capacity is exhausted: see overflowed().
  void add(const ContactPoint<S>& point) noexcept {
    if (size_ == points_.size()) overflowed_ = true;
    else points_[size_++] = point;
  }

 private:
  std::vector<ContactPoint<S>> points_;
  std::size_t size_ = 0;
  bool overflowed_ = false, failed_ = false;
};

/// A source of contacts: find() appends the points where bodies touch or soon will. It does not throw, and does not allocate unless its
/// documentation says so. The same poses give the same points, in ascending order of their ids. A source may have a member last_body(), the
/// largest body index that it uses; integrators refuse it for models without that body.
/// @param T_WB (bodies) poses of the bodies in the world.  @param margin points with larger gaps may be left out [m].
template <class C, class S>
concept ContactSource = std::copy_constructible<C> &&
    requires(C source, const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) {
  { source.find(T_WB, margin, found) } noexcept;
};

namespace detail {

/// A source of contacts that states the largest number of points it can find.
template <class C>
concept CountsPoints = requires(const C& source) { { source.most_points() } noexcept -> std::same_as<std::size_t>; };

/// Returns a capacity of contact points for a source: the number that it declares by most_points(), if it does, and at least 64.
template <class Contacts>
std::size_t contact_capacity_for([[maybe_unused]] const Contacts& contacts) {
  if constexpr (CountsPoints<Contacts>) return std::max(std::size_t(64), contacts.most_points());
  else return 64;
}

}  // namespace detail

/// Returns whether a source is known to have a material with a tangential spring: one without a member has_tangential_spring() is not.
template <class Contacts>
bool has_tangential_spring([[maybe_unused]] const Contacts& contacts) {
  if constexpr (requires { contacts.has_tangential_spring(); }) return contacts.has_tangential_spring();
  else return false;
}

/// Returns whether a source is known to have a material with restitution: one without a member has_restitution() is not.
template <class Contacts>
bool has_restitution([[maybe_unused]] const Contacts& contacts) {
  if constexpr (requires { contacts.has_restitution(); }) return contacts.has_restitution();
  else return false;
}

/// Checks the bodies of a source.  @throws ModelError if the source has last_body() and the model has no such body.
template <class Model, class Contacts>
void require_bodies(const Model& model, const Contacts& contacts) {
  if constexpr (requires { contacts.last_body(); }) {
    if (contacts.last_body() >= model.num_bodies()) {
      throw ModelError(detail::concat(
          {"model '", model.name(), "' has no body ", std::to_string(contacts.last_body()), ", to which the contact source refers; its last is ",
           std::to_string(model.num_bodies() - 1)}));
    }
  }
}

/// What to do with shapes for which a source has no closed form, and with half-spaces, which only PlaneContacts supports.
enum class Meshes {
  refuse,     ///< throw ModelError
  leave_out,  ///< ignore them
};

/// A source without contacts.
struct NoContacts {
  /// See ContactSource.
  template <Scalar S>
  void find(const BodyArray<Pose<S>>&, const S&, ContactList<S>&) const noexcept {}
};

namespace detail {

/// A reference to a ContactSource of any type: code that uses it is compiled once for all types, at the cost of an indirect call per step.
template <Scalar S>
class ContactFinder {
 public:
  ContactFinder() = default;  ///< without contacts
  /// @param source outlives this; with NoContacts there are no contacts.
  template <class Source>
    requires(!std::same_as<std::remove_const_t<Source>, ContactFinder>) && ContactSource<Source, S>
  explicit ContactFinder(Source& source) noexcept {
    if constexpr (!std::same_as<Source, NoContacts>) {
      source_ = &source;
      find_ = [](void* any, const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) noexcept {
        static_cast<Source*>(any)->find(T_WB, margin, found);
      };
    }
  }
  explicit operator bool() const noexcept { return source_ != nullptr; }  ///< whether there may be contacts
  /// See ContactSource.  @pre there may be contacts.
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) const noexcept { find_(source_, T_WB, margin, found); }

 private:
  void* source_ = nullptr;
  void (*find_)(void*, const BodyArray<Pose<S>>&, const S&, ContactList<S>&) noexcept = nullptr;
};

template <Scalar S, std::size_t n>
std::array<ConstraintRow<S>, n> contact_rows_along(const std::array<Vector3<S>, n>& directions, const ContactPoint<S>& point,
                                                   const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  std::array<ConstraintRow<S>, n> rows{};
  const auto set_parts = [&](std::size_t part, BodyIndex body, const Pose<S>& T, const S& sign) {
    const Matrix3<S> R = T.R.transpose();
    const Vector3<S> arm = point.p - T.p, p = times(R, arm[0], arm[1], arm[2]);
    for (std::size_t k = 0; k < n; ++k) {
      const Vector3<S> f = times(R, S(sign * directions[k][0]), S(sign * directions[k][1]), S(sign * directions[k][2]));
      rows[k].bodies[part] = {body, spatial<S>(p.cross(f), f)};
    }
  };
  set_parts(0, point.b, T_Wb, S(1));
  if (point.a > 0) set_parts(1, point.a, T_Wa, S(-1));
  rows[0].value = point.gap;
  return rows;
}

}  // namespace detail

/// Returns the rows of a contact's normal and two tangents: rates are those of b relative to a [m/s]; the first value is the gap [m].
/// @param T_Wa, T_Wb poses of the two bodies in the world.
template <Scalar S>
std::array<ConstraintRow<S>, 3> contact_rows(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  const auto [t1, t2] = detail::perpendiculars(point.normal);
  return detail::contact_rows_along<S, 3>({point.normal, t1, t2}, point, T_Wa, T_Wb);
}

/// Returns the row of the normal only, for contacts without friction.
template <Scalar S>
std::array<ConstraintRow<S>, 1> contact_normal_row(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  return detail::contact_rows_along<S, 1>({point.normal}, point, T_Wa, T_Wb);
}

}  // namespace actio
