// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// n four-link segments, one below the other: each is a rhombus of rods on hinges about x, a above b and c above d, that closes where b and
/// d end; there the next one hangs. 4 n bodies, n loops, 2 n freedoms. At q = 0 all rods hang along -z and overlap, which no motion of
/// joint coordinates leaves or passes without trouble.              [Brudigam and Manchester 2020, fig. 7]
/// @param closure `point_on_line` leaves two rows a loop; `revolute` has three more, redundant ones.
template <Scalar S = double>
Model<S> four_link_segments(int n, LoopType closure = LoopType::point_on_line) {
  ModelBuilder<S> builder("four_link_segments");
  const Pose<S> tip{Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), S(-1))};
  const Revolute<S> hinge(Vector3<S>::UnitX());
  std::string above = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    const auto rod = [&](const char* name, const std::string& parent, const Pose<S>& at) {
      detail::add_rod(builder, name + number);
      builder.add_joint("joint_" + (name + number), parent, name + number, at, hinge);
    };
    const Pose<S> top = k == 1 ? Pose<S>::identity() : tip;
    rod("a", above, top);
    rod("b", "a" + number, tip);
    rod("c", above, top);
    rod("d", "c" + number, tip);
    Loop<S> loop;
    loop.name = "loop_" + number;
    loop.type = closure;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A = loop.T_B = tip;
    builder.add_loop(loop, "b" + number, "d" + number);
    above = "b" + number;
  }
  return builder.build();
}

/// The k-th segment (k = 0 ... n - 1) opened: its upper rods at +-`half` [rad] about its middle line, which turns by `lean` [rad] against
/// the rod above; closed for all values.  @param q (nq), of which the segment's entries are set.
template <Scalar S>
void open_segment(const Model<S>& segments, int k, const std::type_identity_t<S>& half, const std::type_identity_t<S>& lean, VectorX<S>& q) {
  const auto entry = [&](const char* name) { return segments.q_index(segments.find_body(name + std::to_string(k + 1))); };
  q[entry("a")] = lean + half;
  q[entry("b")] = S(-2) * half;
  q[entry("c")] = lean - half;
  q[entry("d")] = S(2) * half;
}

}  // namespace actio::models
