// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Loop closures between frames, and couplings between joint coordinates.
#include <string>
#include <string_view>

#include "actio/math/pose.hpp"

namespace actio {

/// The relative motion that a closure between two frames leaves free. Axes are lines fixed in frame A; the axis about which B rotates has
/// the same components in B.
enum class LoopType {
  ball,           ///< the origins coincide, B rotates freely: 3 rows
  revolute,       ///< the origins coincide, B rotates about the axis: 5 rows
  universal,      ///< the origins coincide, the axis in A and axis2 in B keep the angle that they have where A and B are parallel: 4 rows
  fixed,          ///< no motion: 6 rows
  prismatic,      ///< B slides along the axis: 5 rows
  cylindrical,    ///< B slides along the axis and rotates about it: 4 rows
  planar,         ///< B slides perpendicular to the axis and rotates about it: 3 rows
  point_on_line,  ///< the origin of B slides along the axis, B rotates freely: 2 rows
  distance,       ///< the origins stay `length` apart, B rotates freely: 1 row
};

/// Returns the name of the enumerator, such as "point_on_line".
constexpr std::string_view name(LoopType type) {
  constexpr std::string_view names[] = {"ball",        "revolute", "universal",     "fixed",   "prismatic",
                                        "cylindrical", "planar",   "point_on_line", "distance"};
  return names[static_cast<int>(type)];
}

/// A loop closure: a joint that is not part of the tree, between frame A on one body and frame B on another or the world.
template <Scalar S>
struct Loop {
  std::string name;                        ///< for messages
  LoopType type = LoopType::ball;          ///< what the closure leaves free
  BodyIndex body_a = 0,                    ///< body that carries frame A, 0 for the world
      body_b = 0;                          ///< body that carries frame B, 0 for the world
  Pose<S> T_A = Pose<S>::identity(),       ///< pose of frame A in body a
      T_B = Pose<S>::identity();           ///< pose of frame B in body b
  Vector3<S> axis = Vector3<S>::UnitZ();   ///< in frame A, unit
  Vector3<S> axis2 = Vector3<S>::UnitX();  ///< in frame B, unit; universal only
  S length{};                              ///< distance only, > 0 [m]
  bool active = true;                      ///< closed; otherwise released and only recorded
};

/// A linear relation between two joint coordinates (mimic joint, gear): q[follower] = ratio q[leader] + offset.
template <Scalar S>
struct Coupling {
  std::string name;             ///< name of the joint that follows
  BodyIndex follower_body = 0,  ///< the joint that follows
      leader_body = 0;          ///< the joint that leads
  Eigen::Index follower_q = 0,  ///< its entry in q
      leader_q = 0;             ///< its entry in q
  Eigen::Index follower_v = 0,  ///< its entry in v
      leader_v = 0;             ///< its entry in v
  S ratio = S(1),               ///< [unit of the follower's q / unit of the leader's]
      offset{};                 ///< q of the follower where that of the leader is zero [rad, m]
  bool active = true;           ///< enforced; otherwise released and only recorded
};

}  // namespace actio
