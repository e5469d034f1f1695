// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include "actio/constraints/loop_closure.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// The largest gap of what should be closed [m]: of active loops where q has the bodies and, of integrators that tell it by gap(), where
/// they have the bodies themselves, whose joints may open too. Empty where nothing can open.
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
  return largest;
}

/// An observer that keeps the largest gap of a run.
template <Scalar S>
class GapMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) {
    if (const std::optional<S> gap = gap_at(node)) add(*gap);
  }

  /// @param gap >= 0 [m]; what is not finite counts as infinite.
  void add(const S& gap) {
    can_open_ = true;
    largest_ = std::max(largest_, is_finite(gap) ? gap : S(std::numeric_limits<ValueOf<S>>::infinity()));
  }

  bool can_open() const { return can_open_; }  ///< there is something to measure
  const S& largest() const { return largest_; }  ///< [m]; 0 where nothing can open

 private:
  S largest_{};
  bool can_open_ = false;
};

}  // namespace actio
