// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What limits, friction and contacts did in a step: the pieces on which it is differentiable.
#include <cstdint>

#include "actio/core/types.hpp"

namespace actio {

/// A joint limit, the dry friction of a joint entry or a servo on it, and what it did in a step: whether the limit was closed, friction
/// stuck, or the servo's force was below its largest.
struct HeldPiece {
  BodyIndex body = 0;        ///< whose joint it is
  Eigen::Index v = 0;        ///< the entry
  int side = 0;              ///< 1: lower limit, -1: upper limit, 0: dry friction or servo
  bool in_position = false,  ///< the limit pushed where the step began, or the entry did not move; otherwise it was open or slid
      in_velocity = false;   ///< the same for the velocity at the end of the step
  int servo = -1;            ///< index of the servo; -1: none
  friend bool operator==(const HeldPiece&, const HeldPiece&) = default;  ///< whether all members are the same
};

/// What a contact did in one half of a step, at its positions or at its velocities.
enum class ContactPiece {
  open,     ///< it did not push
  sticks,   ///< it pushed, with friction below its bound
  slides,   ///< it pushed and slid; friction at the velocities opposes the slip of the positions
  reverses  ///< of the velocities: it pushed, and friction opposes the velocity at the end of the step
};

/// A contact of a step and what it did.
struct ContactPieces {
  std::uint64_t id = 0;                             ///< of the source
  BodyIndex a = 0,                                  ///< first body; 0: the world
      b = 0;                                        ///< second body
  ContactPiece in_position = ContactPiece::open,    ///< where the step began
      in_velocity = ContactPiece::open;             ///< where it ended
  friend bool operator==(const ContactPieces&, const ContactPieces&) = default;  ///< whether all members are the same
};

}  // namespace actio
