// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A double pendulum with a light upper link as long as the lower one, whose end is heavy: that end passes close to the pivot,
// and there the links turn fast while hardly any inertia resists.
#include "actio/model/builder.hpp"
#include "actio/model/state.hpp"

namespace actio::test {

inline Model<double> folding_pendulum() {
  ModelBuilder<double> builder("folding_pendulum");
  const auto link = [](double mass) { return Inertia<double>{mass, {0, 0, -1}, 0.002 * mass * Matrix3<double>::Identity()}; };
  const Revolute<double> hinge(Vector3<double>::UnitX());
  builder.gravity({0, 0, -1}).add_body("upper", link(0.1)).add_body("lower", link(1));
  builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), hinge);
  builder.add_joint("elbow", "upper", "lower", {Matrix3<double>::Identity(), {0, 0, -1}}, hinge);
  return builder.build();
}

/// At rest, the elbow bent.
inline State<double> folding_start() { return {VectorX<double>{{0.5, 2.2}}, VectorX<double>::Zero(2), 0}; }

}  // namespace actio::test
