// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/builder.hpp"
#include "actio/model/state.hpp"

namespace actio::models {

/// A double pendulum that equal steps suit ill: links of 1 m, the upper one light (0.1 kg), the lower one with its 1 kg at the
/// end. When it folds, the end passes close to the pivot: there the links turn fast, and hardly any inertia resists.
/// Gravity is 1 m/s^2, so that small swings are slow. On hinges about x; it hangs along -z at q = 0.
template <Scalar S = double>
Model<S> folding_pendulum() {
  ModelBuilder<S> builder("folding_pendulum");
  const auto link = [](double mass) { return Inertia<S>{S(mass), Vector3<S>(S(0), S(0), S(-1)), S(0.002 * mass) * Matrix3<S>::Identity()}; };
  const Revolute<S> hinge(Vector3<S>::UnitX());
  builder.gravity(Vector3<S>(S(0), S(0), S(-1))).add_body("upper", link(0.1)).add_body("lower", link(1));
  builder.add_joint("shoulder", "world", "upper", Pose<S>::identity(), hinge);
  builder.add_joint("elbow", "upper", "lower", {Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), S(-1))}, hinge);
  return builder.build();
}

/// At rest, the elbow bent: from here it passes within 3 cm of its pivot now and then.
template <Scalar S>
State<S> folded(const Model<S>& folding_pendulum) {
  State<S> state = rest_state(folding_pendulum);
  state.q << S(0.5), S(2.2);
  return state;
}

}  // namespace actio::models
