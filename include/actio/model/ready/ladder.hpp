// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// A rope ladder with n rungs in the y-z plane: two rails, each n rods in a row, and between their tips a rung on the left rail's that a loop
/// ties to the right one's. All on hinges about x; 3 n bodies, n loops, n freedoms. It hangs along -z at q = 0, closed.
template <Scalar S = double>
Model<S> ladder(int n) {
  ModelBuilder<S> builder("ladder");
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const Revolute<S> hinge(Vector3<S>::UnitX());
  const Pose<S> tip{Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), S(-1))};
  const Inertia<S> rung = Inertia<S>::box(S(1), Vector3<S>(number(0.1), S(1), number(0.1)))
                              .seen_from_parent({Matrix3<S>::Identity(), Vector3<S>(S(0), number(0.5), S(0))});
  std::string left = "world", right = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string name = std::to_string(k);
    const auto rod = [&](const std::string& link, const std::string& parent, const Pose<S>& at) {
      detail::add_rod(builder, link);
      builder.add_joint("joint_" + link, parent, link, at, hinge);
    };
    rod("left_" + name, left, k == 1 ? Pose<S>::identity() : tip);
    rod("right_" + name, right, k == 1 ? Pose<S>{Matrix3<S>::Identity(), Vector3<S>::UnitY()} : tip);
    left = "left_" + name;
    right = "right_" + name;
    builder.add_body("rung_" + name, rung);
    builder.add_joint("joint_rung_" + name, left, "rung_" + name, tip, hinge);
    Loop<S> loop;
    loop.name = "loop_" + name;
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A.p = Vector3<S>::UnitY();
    loop.T_B = tip;
    builder.add_loop(loop, "rung_" + name, right);
  }
  return builder.build();
}

/// (nq) sheared, closed: both rods of the k-th square (k = 0 ...) lean by angles[k] [rad] against those above, all rungs stay level.
/// @param angles (n), or fewer for the first squares.
template <Scalar S>
VectorX<S> sheared(const Model<S>& ladder, const std::type_identity_t<VectorX<S>>& angles) {
  VectorX<S> q = ladder.neutral();
  S lean(0);
  for (Eigen::Index k = 0; k < angles.size(); ++k) {
    const std::string name = std::to_string(k + 1);
    const auto entry = [&](const std::string& link) -> S& { return q[ladder.q_index(ladder.find_body(link + name))]; };
    entry("left_") = entry("right_") = angles[k];
    lean += angles[k];
    entry("rung_") = -lean;
  }
  return q;
}

}  // namespace actio::models
