// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <limits>

#include "actio/constraints/loop_closure.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// An observer that keeps the largest gap of what should be closed: of active loops where q has the bodies and, of integrators that tell
/// it by gap(), where they have the bodies themselves, whose joints may open too.
template <Scalar S>
class GapMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) {
    if constexpr (requires { node.integrator().gap(); }) add(node.integrator().gap());
    for (const Loop<S>& loop : node.model().loops()) {
      if (!loop.active) continue;
      const BodyArray<Pose<S>>& T_WB = node.kinematics().T_WB;
      add(closure_gap(loop, Pose<S>((T_WB[loop.body_a] * loop.T_A).inverse() * (T_WB[loop.body_b] * loop.T_B))));
    }
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
