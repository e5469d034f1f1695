// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The slip of a contact or of a joint with dry friction in a variational step, and its reversal.
#include "actio/core/types.hpp"

namespace actio {

/// How reversals of slip against friction, of contacts and of joints with dry friction, are made.   [variational_contact.md, section 4]
enum class Reversals {
  in_step,  ///< within the step in which they occur: of first order
  located,  ///< at their time, which is searched for: of second order. A stop is located too, since it may become a reversal.
};

namespace detail {

/// The slip of a contact or joint that slides where a step begins. Where it ends or reverses before the end of the step, its direction is
/// kept: friction in P and V then opposes that direction, whatever the slip becomes, and the step is shortened to where the rate vanishes.
template <Scalar S>
struct Sliding {
  Vector2<S> direction = Vector2<S>::Zero();  ///< at the beginning, along the tangents, of length 1; zero: it does not slide
  S begin{}, end{};                           ///< rates along it: see StepReversals
  bool is_kept = false;                       ///< whether friction opposes this direction in P and V

  bool any() const noexcept { return direction[0] != S(0) || direction[1] != S(0); }  ///< whether it slides
  /// Returns the direction if it is kept, else zero.
  Vector2<S> kept() const noexcept { return is_kept ? direction : Vector2<S>(Vector2<S>::Zero()); }
};

}  // namespace detail
}  // namespace actio
