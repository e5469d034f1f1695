// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The chain of Lee et al. 2016.
#include <cstdint>
#include <numbers>
#include <string>

#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/state.hpp"

namespace experiments {

/// The chain of the experiments of Lee, Liu, Park and Srinivasa 2016, from their released code: links of 1.5 m and 1 kg, unit inertia
/// about a centre of mass in mid-link, all axes x. Assumed: gravity 9.81 m/s^2 along -z, in which it hangs at q = 0; the released one
/// is upright.
inline actio::Model<double> lee2016_chain(int n) {
  using namespace actio;
  ModelBuilder<double> builder("lee2016_chain");
  std::string parent = "world";
  const Inertia<double> link{1.0, Vector3<double>(0, 0, -0.75), Matrix3<double>::Identity()};
  for (int k = 0; k < n; ++k) {
    const std::string name = "link_" + std::to_string(k + 1);
    const Pose<double> at = Pose<double>::translation(0, 0, k == 0 ? 0 : -1.5);
    builder.add_body(name, link).add_joint("joint_" + std::to_string(k + 1), parent, name, at, Revolute<double>(Vector3<double>::UnitX()));
    parent = name;
  }
  return builder.build();
}

/// Returns q and v uniform in +-pi/2, the start of their experiments.
inline actio::State<double> random_state(const actio::Model<double>& model, std::uint64_t seed) {
  constexpr double quarter = std::numbers::pi / 2;
  return {actio::models::random_configuration(model, seed, quarter), actio::models::random_velocity(model, seed + 1, quarter), 0};
}

}  // namespace experiments
