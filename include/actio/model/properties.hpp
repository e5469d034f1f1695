// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Properties of joints, one by one and for a whole model: damping, armature, springs, friction and limits.
#include <algorithm>
#include <concepts>
#include <initializer_list>

#include "actio/core/types.hpp"

namespace actio {

namespace detail {

/// One number for each entry of a joint, one number for all entries, or none for the default.
template <Scalar S>
class PerEntry {
 public:
  PerEntry() = default;  ///< the default
  ///@{
  /// One number for all entries, or one for each.
  PerEntry(S all) : values_(VectorX<S>::Constant(1, all)) {}  // NOLINT: .damping = 0.1 reads well
  PerEntry(ValueOf<S> all) requires(!std::same_as<S, ValueOf<S>>) : PerEntry(S(all)) {}  // NOLINT
  PerEntry(const VectorX<S>& values) : values_(values) {}  // NOLINT
  PerEntry(std::initializer_list<S> values) : values_(static_cast<Eigen::Index>(values.size())) {
    std::copy(values.begin(), values.end(), values_.begin());
  }
  ///@}
  bool empty() const { return values_.size() == 0; }  ///< whether the default applies
  /// Returns whether it fits a joint of n entries.
  bool fits(Eigen::Index n) const { return values_.size() <= 1 || values_.size() == n; }
  /// Returns the number of entry k, or `otherwise` if none is given.
  S operator()(Eigen::Index k, S otherwise) const { return empty() ? otherwise : values_[values_.size() == 1 ? 0 : k]; }
  const VectorX<S>& values() const { return values_; }  ///< none, one for all, or one for each entry

 private:
  VectorX<S> values_;
};

}  // namespace detail

/// Properties along the coordinates of a joint. Units per entry: N m s/rad or N s/m, kg m^2 or kg, N m/rad or N/m, and so on.
/// The default is zero unless stated otherwise.
template <Scalar S>
struct JointProperties {
  detail::PerEntry<S> damping{};         ///< viscous, >= 0; active                                   [N m s/rad, N s/m]
  detail::PerEntry<S> armature{};        ///< reflected rotor inertia of flat joints, >= 0; active    [kg m^2, kg]
  detail::PerEntry<S> stiffness{};       ///< spring, >= 0; active                                    [N m/rad, N/m]
  detail::PerEntry<S> rest{};            ///< configuration (nq) where the spring is slack; default neutral  [rad, m]
  detail::PerEntry<S> friction{};        ///< dry, >= 0; recorded                                     [N m, N]
  detail::PerEntry<S> lower{},           ///< lower end of the range of flat joints; recorded; default unlimited [rad, m]
      upper{};                   ///< upper end of the range                                  [rad, m]
  detail::PerEntry<S> restitution{};     ///< of impacts on both ends of the range, 0 ... 1; acts where limits are enforced  [-]
  detail::PerEntry<S> velocity_limit{};  ///< >= 0; recorded; default unlimited                       [rad/s, m/s]
  detail::PerEntry<S> effort_limit{};    ///< >= 0; recorded; default unlimited                       [N m, N]
  detail::PerEntry<S> force{};           ///< constant, along the coordinates of flat joints; active  [N m, N]
};

/// The properties of all joints of a model: one number for each entry of v (`rest`: of q).
template <Scalar S>
struct ModelProperties {
  ///@{
  /// As in JointProperties and with its units: (nv), `rest` (nq).
  VectorX<S> damping, armature, stiffness, rest, friction, lower, upper, restitution, velocity_limit, effort_limit, force;
  ///@}
};

/// A spring and damper on one entry of a joint whose force is limited, as that of a position servo is.
///   tau = -k (q - rest) - d v, limited to -limit ... limit;  on a joint whose q is not a vector  tau = -d v, limited, and k is 0
template <Scalar S>
struct Servo {
  BodyIndex body = 0;      ///< the child of its joint
  Eigen::Index entry = 0;  ///< of the joint's velocity, 0 ... nv(body) - 1
  S stiffness{},           ///< k >= 0 [N m/rad, N/m]
      damping{},           ///< d >= 0; one of both > 0 [N m s/rad, N s/m]
      rest{},              ///< [rad, m]
      limit{};             ///< > 0 [N m, N]
};

namespace detail {

/// Calls check(name, values, may_be_negative, may_be_infinite) for each property with an entry for each freedom: all but `rest`.
/// @param p JointProperties or ModelProperties.
template <class Properties, class Check>
void for_each_property(const Properties& p, Check check) {
  check("damping", p.damping, false, false);
  check("armature", p.armature, false, false);
  check("stiffness", p.stiffness, false, false);
  check("friction", p.friction, false, false);
  check("lower limit", p.lower, true, true);
  check("upper limit", p.upper, true, true);
  check("restitution", p.restitution, false, false);
  check("velocity limit", p.velocity_limit, false, true);
  check("effort limit", p.effort_limit, false, true);
  check("force", p.force, true, false);
}

}  // namespace detail
}  // namespace actio
