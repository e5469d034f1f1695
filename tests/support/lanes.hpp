// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Motions for tests of lane integrators: motion number k of a model is the same in any of them.
#include <array>
#include <cstddef>
#include <cstdint>

#include "actio/model/samples/random.hpp"
#include "actio/model/state.hpp"

namespace actio::test {

constexpr std::array<int, 4> in_order{0, 1, 2, 3};

inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Where motion number k begins.
template <class S>
State<S> start(const Model<S>& model, int k, double speed = 1) {
  const auto seed = static_cast<std::uint64_t>(k);
  return {models::random_configuration(model, 10 + seed, 0.5), models::random_velocity(model, 100 + seed, speed), S(0.25F) * static_cast<S>(k)};
}

/// Lanes in which motion[k] runs in lane k.
template <class Lanes, class... Options>
Lanes begun(const typename Lanes::Model& model, const std::array<int, static_cast<std::size_t>(Lanes::lanes)>& motion,
            const Options&... options) {
  Lanes lanes(model, options...);
  for (int k = 0; k < Lanes::lanes; ++k) lanes.reset(k, start(model, motion[at(k)]));
  return lanes;
}

/// A model with a constant force at a point.
inline Model<double> pushed(const Model<double>& model) {
  PointForce<double> push;
  push.name = "push";
  push.body = model.num_bodies() - 1;
  push.point = Vector3<double>(0.1, 0.2, -0.3);
  push.force = Vector3<double>(1, -2, 3);
  return model.with_forces({push});
}

}  // namespace actio::test
