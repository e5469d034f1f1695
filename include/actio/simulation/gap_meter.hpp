// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer of the gaps of loops, joints and rolling contacts.
#include <algorithm>
#include <limits>
#include <optional>

#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/nonholonomic.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Returns the largest gap [m] of active loops and rolling contacts in the pose of q and, for integrators with gap(), of these and of
/// joints in their own poses of the bodies. Empty if nothing can open.
template <class N>
std::optional<typename N::Scalar> gap_at(N& node) {
  using S = typename N::Scalar;
  std::optional<S> largest;
  const auto widen = [&](const S& gap) {
    const S counts = is_finite(gap) ? gap : S(std::numeric_limits<ValueOf<S>>::infinity());
    largest = largest ? std::max(*largest, counts) : counts;
  };
  if constexpr (requires { node.integrator().gap(); }) widen(node.integrator().gap());
  for (const Loop<S>& loop : node.model().loops()) {
    if (!loop.active) continue;
    const BodyArray<Pose<S>>& T_WB = node.kinematics().T_WB;
    widen(detail::closure_gap(loop, Pose<S>((T_WB[loop.body_a] * loop.T_A).inverse() * (T_WB[loop.body_b] * loop.T_B))));
  }
  for (const Nonholonomic<S>& constraint : node.model().nonholonomic()) {
    const auto* rolling = std::get_if<Rolling<S>>(&constraint.type);
    if (!constraint.active || !rolling) continue;
    using std::abs;
    widen(S(abs(detail::contact_gap(*rolling, node.kinematics().T_WB[constraint.body]))));
  }
  return largest;
}

/// An observer of the largest gap of a run.
template <Scalar S>
class GapMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) {
    if (const std::optional<S> gap = gap_at(node)) add(*gap);
  }

  /// Adds a gap.  @param gap >= 0 [m]; infinite if it is not finite.
  void add(const S& gap) {
    can_open_ = true;
    largest_ = std::max(largest_, is_finite(gap) ? gap : S(std::numeric_limits<ValueOf<S>>::infinity()));
  }

  bool can_open() const { return can_open_; }  ///< whether there is a gap to measure
  const S& largest() const { return largest_; }  ///< [m]; 0 if nothing can open

 private:
  S largest_{};
  bool can_open_ = false;
};

}  // namespace actio
