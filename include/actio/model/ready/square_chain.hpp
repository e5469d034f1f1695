// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/ready/chain.hpp"

namespace actio::models {

/// n squares in the y-z plane, neighbours share a corner: from its entry, the origin or the corner opposite to that of the square before,
/// rod a goes along y, b down from it, c down and d along y from it, which a loop ties to b. All on hinges about x; 4 n bodies, n loops,
/// 2 n freedoms. At q = 0 they are squares.                                                [Ascher and Lin 1999, ex. 4.1]
template <Scalar S = double>
Model<S> square_chain(int n) {
  ModelBuilder<S> builder("square_chain");
  const S quarter(std::numbers::pi_v<ValueOf<S>> / 2);
  const Revolute<S> hinge(Vector3<S>::UnitX());
  const Vector3<S> tip(S(0), S(0), S(-1));
  std::string entry = "world";
  for (int k = 1; k <= n; ++k) {
    const std::string number = std::to_string(k);
    const auto rod = [&](const char* name, const std::string& parent, const S& turn, const Vector3<S>& at) {
      detail::add_rod(builder, name + number);
      builder.add_joint("joint_" + (name + number), parent, name + number, {so3::rotation<S>(Vector3<S>::UnitX(), turn), at}, hinge);
    };
    const Vector3<S> corner = k == 1 ? Vector3<S>(Vector3<S>::Zero()) : tip;
    rod("a", entry, quarter, corner);
    rod("b", "a" + number, -quarter, tip);
    rod("c", entry, S(0), corner);
    rod("d", "c" + number, quarter, tip);
    Loop<S> loop;
    loop.name = "loop_" + number;
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<S>::UnitX();
    loop.T_A.p = loop.T_B.p = tip;
    builder.add_loop(loop, "b" + number, "d" + number);
    entry = "b" + number;
  }
  return builder.build();
}

}  // namespace actio::models
