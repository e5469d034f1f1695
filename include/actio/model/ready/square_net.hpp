// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// A net of n by n squares: n + 1 threads of n rods hang side by side along y, and on the tip of each rod but those of the last thread a rod
/// hangs that goes along y and that a ball joint ties to the neighbour's tip. All on ball joints; (2 n + 1) n bodies, n^2 loops. At q = 0 it
/// hangs upright.                                                                          [Ascher and Lin 1999, ex. 4.2]
template <Scalar S = double>
Model<S> square_net(int n) {
  ModelBuilder<S> builder("square_net");
  const Pose<S> tip{Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), S(-1))};
  const Pose<S> along{so3::rotation<S>(Vector3<S>::UnitX(), S(std::numbers::pi_v<ValueOf<S>> / 2)), tip.p};
  const auto name = [](const char* what, int thread, int k) { return what + std::to_string(thread) + "_" + std::to_string(k); };
  const auto rod = [&](const std::string& link, const std::string& parent, const Pose<S>& at) {
    detail::add_rod(builder, link);
    builder.add_joint("joint_" + link, parent, link, at, Spherical<S>());
  };
  for (int thread = 0; thread <= n; ++thread) {
    for (int k = 0; k < n; ++k) {
      const Pose<S> knot{Matrix3<S>::Identity(), Vector3<S>(S(0), S(static_cast<ValueOf<S>>(thread)), S(0))};
      rod(name("thread_", thread, k), k == 0 ? "world" : name("thread_", thread, k - 1), k == 0 ? knot : tip);
      if (thread < n) rod(name("cross_", thread, k), name("thread_", thread, k), along);
    }
  }
  for (int thread = 0; thread < n; ++thread) {
    for (int k = 0; k < n; ++k) {
      Loop<S> loop;
      loop.name = name("loop_", thread, k);
      loop.type = LoopType::ball;
      loop.T_A = loop.T_B = tip;
      builder.add_loop(loop, name("thread_", thread + 1, k), name("cross_", thread, k));
    }
  }
  return builder.build();
}

/// (nq) all threads lean by an angle [rad] about y, closed.
template <Scalar S>
VectorX<S> leaning(const Model<S>& net, const std::type_identity_t<S>& angle) {
  VectorX<S> x = VectorX<S>::Zero(net.nv());
  for (BodyIndex i = 1; i < net.num_bodies(); ++i) {
    if (net.parent(i) == 0) x[net.v_index(i) + 1] = angle;
  }
  return net.integrate(net.neutral(), x);
}

}  // namespace actio::models
