// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Describes how other libraries lay out the state of a tree; io/peers.hpp converts states.
#include <string_view>

#include "actio/io/peers/rotation_form.hpp"

namespace actio {

/// The axes in which a joint's velocity is expressed: those of the frame on the parent (for a free joint, of the world) or those of the
/// frame on the child.
enum class VelocityAxes { parent, child };

/// Where another library's layout differs from this one. Everything else is the same: revolute, prismatic and helical joints have one
/// number, universal joints have two angles in the order of their axes, velocities are the rates of these; SI units and radians.
/// The configuration of a free joint on the world is the pose of its link in the world, its velocity that of the link's origin, wherever
/// the joint is. That of any other free joint is the pose of the joint's child frame in its parent frame, as for ball and planar joints.
///
/// | | Pinocchio | MuJoCo | Drake | DART |
/// |---|---|---|---|---|
/// | continuous (revolute) | cos, sin | angle | angle | angle |
/// | planar, q | x, y, cos, sin | x, y, angle | x, y, angle | x, y, angle |
/// | planar, v | in the child | rates of x, y | rates of x, y | rates of x, y |
/// | ball, q | quaternion xyzw | quaternion wxyz | roll, pitch, yaw | rotation vector |
/// | ball, v | in the child | in the child | in the parent | in the child |
/// | free, q | p, quaternion xyzw | p, quaternion wxyz | quaternion wxyz, p | rotation vector, p |
/// | free, v | v, w in the child | v in the world, w in the child | w, v in the world | w, v in the child |
/// | has no | cylindrical | cylindrical, helical, free below others | cylindrical | cylindrical |
///
/// In MuJoCo a universal joint consists of two hinges of one body, a planar joint of two slides and a hinge. Pinocchio and Drake build
/// universal joints with perpendicular axes only. Cylindrical joints are two joints in all of them: PeerOptions::joints gives their order.
struct PeerConvention {
  std::string_view name;        ///< of the library, for messages
  bool circle = false;          ///< continuous joints and the angle of planar joints are (cos, sin)
  VelocityAxes planar{};        ///< of (vx, vy) of a planar joint
  RotationForm ball{};          ///< q of a ball joint
  VelocityAxes ball_velocity{};  ///< of v of a ball joint
  RotationForm free{};          ///< the rotation in q of a free joint
  bool linear_first = false;    ///< position and linear velocity come first in q and v of a free joint
  VelocityAxes linear{};        ///< of the linear part of a free joint's v
  VelocityAxes angular{};       ///< of the angular part
  bool helical = true;          ///< whether helical joints exist
  bool free_below = true;       ///< whether free joints may be attached to bodies other than the world
};

/// The layouts of q and v in other libraries.
namespace peers {

/// Taken from joint-free-flyer, -spherical, -planar, -revolute-unbounded, -universal of Pinocchio 3.
inline constexpr PeerConvention pinocchio{.name = "Pinocchio",
                                          .circle = true,
                                          .planar = VelocityAxes::child,
                                          .ball = RotationForm::quaternion_xyzw,
                                          .ball_velocity = VelocityAxes::child,
                                          .free = RotationForm::quaternion_xyzw,
                                          .linear_first = true,
                                          .linear = VelocityAxes::child,
                                          .angular = VelocityAxes::child};

/// Compared with MuJoCo 2.2.2. A joint's `ref` is not known here: q counts from the pose of the file, qpos from `ref`.
inline constexpr PeerConvention mujoco{.name = "MuJoCo",
                                       .planar = VelocityAxes::parent,
                                       .ball = RotationForm::quaternion_wxyz,
                                       .ball_velocity = VelocityAxes::child,
                                       .free = RotationForm::quaternion_wxyz,
                                       .linear_first = true,
                                       .linear = VelocityAxes::parent,
                                       .angular = VelocityAxes::child,
                                       .helical = false,
                                       .free_below = false};

/// Taken from the headers QuaternionFloatingJoint, BallRpyJoint, PlanarJoint, UniversalJoint and ScrewJoint of Drake 1.
inline constexpr PeerConvention drake{.name = "Drake",
                                      .planar = VelocityAxes::parent,
                                      .ball = RotationForm::roll_pitch_yaw,
                                      .ball_velocity = VelocityAxes::parent,
                                      .free = RotationForm::quaternion_wxyz,
                                      .linear_first = false,
                                      .linear = VelocityAxes::parent,
                                      .angular = VelocityAxes::parent};

/// Compared with DART 6.12.1.
inline constexpr PeerConvention dart{.name = "DART",
                                     .planar = VelocityAxes::parent,
                                     .ball = RotationForm::rotation_vector,
                                     .ball_velocity = VelocityAxes::child,
                                     .free = RotationForm::rotation_vector,
                                     .linear_first = false,
                                     .linear = VelocityAxes::child,
                                     .angular = VelocityAxes::child};

}  // namespace peers
}  // namespace actio
