// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Where bodies touch or soon will, and what holds them apart there.
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "actio/constraints/compliance.hpp"
#include "actio/constraints/row.hpp"
#include "actio/core/error.hpp"
#include "actio/core/text.hpp"
#include "actio/math/pose.hpp"
#include "actio/math/small.hpp"

namespace actio {

/// How two surfaces answer each other.
template <Scalar S>
struct ContactMaterial {
  std::variant<Compliance<S>, PowerLaw<S>> normal = Compliance<S>{};    ///< rigid unless told otherwise
  S friction{};                                                          ///< coefficient, >= 0
  /// Of what sticks, > 0 [N s/m]. At most 1e5 times what the normal's spring and damper are over a step, beyond which nobody sees it creep.
  S tangential_damping = std::numeric_limits<S>::infinity();
  /// Stiffness of a spring beside that damper, >= 0 [N/m]; the damper must then be finite and may be zero. The spring remembers how far a contact
  /// that keeps its id has been displaced along its tangents. 0 means friction without memory.  [Drumwright 2019, (94), (97)]
  S tangential_stiffness{};
  friend bool operator==(const ContactMaterial&, const ContactMaterial&) = default;  ///< the same in every entry

  /// Spring and damper along the tangents of a contact that sticks.
  Compliance<S> tangential() const { return {tangential_stiffness, tangential_damping}; }

  /// Whether all numbers are in the ranges above.
  bool is_valid() const {
    const bool sound = std::visit([](const auto& law) {
      if constexpr (requires { law.is_valid(); }) return law.is_valid();
      else return law.coefficient > S(0) && law.exponent >= S(1) && law.dissipation >= S(0) && is_finite(law.coefficient * law.exponent);
    }, normal);
    const bool has_spring = tangential_stiffness > S(0);
    const bool holds = has_spring ? tangential_damping >= S(0) && is_finite(tangential_damping + tangential_stiffness)
                                  : tangential_damping > S(0) && tangential_stiffness == S(0);
    return sound && friction >= S(0) && is_finite(friction) && holds;
  }
};

/// One point of contact between body a, or the world (0), and body b.
template <Scalar S>
struct ContactPoint {
  BodyIndex a = 0,                               ///< 0: the world
      b = 0;                                     ///< not the world
  Vector3<S> p = Vector3<S>::Zero();             ///< where the force acts, in the world [m]
  Vector3<S> normal = Vector3<S>::UnitZ();       ///< from a to b, unit, in the world
  S gap{};                                       ///< along the normal; negative where they overlap [m]
  std::uint64_t id = 0;                          ///< below 2^60, of the same features of the same shapes the same from step to step
  const ContactMaterial<S>* material = nullptr;  ///< of its source, valid until that is asked again
};

/// Points in room made once.
template <Scalar S>
class ContactList {
 public:
  explicit ContactList(std::size_t capacity = 0) : points_(capacity) {}  ///< room for so many points, made once
  std::size_t capacity() const noexcept { return points_.size(); }       ///< points that there is room for
  ///@{
  /// Points in use, in the order they were added.
  std::span<const ContactPoint<S>> points() const noexcept { return {points_.data(), size_}; }
  std::span<ContactPoint<S>> points() noexcept { return {points_.data(), size_}; }
  ///@}
  bool overflowed() const noexcept { return overflowed_; }  ///< whether points were left out for want of room
  /// A source says that it could not find all: the step that asked fails with Status::callback_failed.
  void fail() noexcept { failed_ = true; }
  bool failed() const noexcept { return failed_; }  ///< whether fail() was called
  /// Keeps the room; forgets that points were left out or a source failed.
  void clear() noexcept {
    size_ = 0;
    overflowed_ = failed_ = false;
  }
  /// Leaves the point out where there is no room: see overflowed().
  void add(const ContactPoint<S>& point) noexcept {
    if (size_ == points_.size()) overflowed_ = true;
    else points_[size_++] = point;
  }

 private:
  std::vector<ContactPoint<S>> points_;
  std::size_t size_ = 0;
  bool overflowed_ = false, failed_ = false;
};

/// Finds what touches. Neither throws nor, unless it says so, allocates; the same poses give the same points, in ascending order of their ids.
/// Where it tells last_body(), the largest index of a body that it asks for, models without that body refuse it.
/// @param T_WB (bodies) poses of the bodies in the world.  @param margin points with larger gaps may be left out [m].
template <class C, class S>
concept ContactSource = std::copy_constructible<C> && requires(C source, const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) {
  { source.find(T_WB, margin, found) } noexcept;
};

namespace detail {

/// A source of contacts that says how many points it can find at most.
template <class C>
concept CountsPoints = requires(const C& source) { { source.most_points() } noexcept -> std::same_as<std::size_t>; };

}  // namespace detail

/// @throws ModelError when the source tells last_body() and the model has no such body.
template <class Model, class Contacts>
void require_bodies(const Model& model, const Contacts& contacts) {
  if constexpr (requires { contacts.last_body(); }) {
    if (contacts.last_body() >= model.num_bodies()) {
      throw ModelError(detail::concat({"model '", model.name(), "' has no body ", std::to_string(contacts.last_body()), ", which its contacts speak of"}));
    }
  }
}

/// What to do with shapes that a source has no closed form for, or that are half-spaces, which only PlaneContacts has.
enum class Meshes {
  refuse,     ///< throw ModelError
  leave_out,  ///< they touch nothing of that source
};

/// Nothing touches anything.
struct NoContacts {
  /// See ContactSource.
  template <Scalar S>
  void find(const BodyArray<Pose<S>>&, const S&, ContactList<S>&) const noexcept {}
};

/// A ContactSource of any type, by reference: what uses it is compiled once for all of them, and pays an indirect call a step.
template <Scalar S>
class ContactFinder {
 public:
  /// @param source outlives this; NoContacts is as good as none.
  template <ContactSource<S> Source>
  explicit ContactFinder(Source& source) noexcept {
    if constexpr (!std::same_as<Source, NoContacts>) {
      source_ = &source;
      find_ = [](void* any, const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) noexcept {
        static_cast<Source*>(any)->find(T_WB, margin, found);
      };
    }
  }
  explicit operator bool() const noexcept { return source_ != nullptr; }  ///< whether there may be contacts at all
  /// See ContactSource.  @pre there may be contacts.
  void find(const BodyArray<Pose<S>>& T_WB, const S& margin, ContactList<S>& found) const noexcept { find_(source_, T_WB, margin, found); }

 private:
  void* source_ = nullptr;
  void (*find_)(void*, const BodyArray<Pose<S>>&, const S&, ContactList<S>&) noexcept = nullptr;
};

namespace detail {

template <Scalar S, std::size_t n>
std::array<ConstraintRow<S>, n> contact_rows_along(const std::array<Vector3<S>, n>& directions, const ContactPoint<S>& point, const Pose<S>& T_Wa,
                                                   const Pose<S>& T_Wb) {
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

/// A contact's normal and two tangents: rates are those of b against a [m/s], the first value is the gap [m].
/// @param T_Wa, T_Wb poses of the two bodies in the world.
template <Scalar S>
std::array<ConstraintRow<S>, 3> contact_rows(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  const auto [t1, t2] = detail::perpendiculars(point.normal);
  return detail::contact_rows_along<S, 3>({point.normal, t1, t2}, point, T_Wa, T_Wb);
}

/// Its normal alone, of what has no friction.
template <Scalar S>
std::array<ConstraintRow<S>, 1> contact_normal_row(const ContactPoint<S>& point, const Pose<S>& T_Wa, const Pose<S>& T_Wb) {
  return detail::contact_rows_along<S, 1>({point.normal}, point, T_Wa, T_Wb);
}

}  // namespace actio
