// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Chains of uniform rods: the models by which schemes are compared and complexity is measured.
#include <numbers>
#include <string>

#include "actio/model/builder.hpp"

namespace actio::models {
namespace detail {

/// A rod of 0.1 x 0.1 x 1 m and 1 kg that hangs from its origin along -z, with its shape.
template <Scalar S>
void add_rod(ModelBuilder<S>& builder, const std::string& name) {
  const auto number = [](double x) { return S(static_cast<ValueOf<S>>(x)); };
  const Vector3<S> size(number(0.1), number(0.1), S(1));
  const Pose<S> middle{Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), number(-0.5))};
  builder.add_body(name, Inertia<S>::box(S(1), size).seen_from_parent(middle));
  builder.add_shape({.name = name, .T_BS = middle, .geometry = Box<S>{size}}, name);
}

/// n rods in a row from the world, each at the tip of the one before.  @param joint_of (k) joint of link k = 0, 1, ...
template <Scalar S, class JointOf>
Model<S> chain(std::string name, int n, JointOf joint_of) {
  ModelBuilder<S> builder(std::move(name));
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string number = std::to_string(k + 1), link = "link_" + number;
    const Pose<S> at{Matrix3<S>::Identity(), Vector3<S>(S(0), S(0), S(k == 0 ? 0 : -1))};
    add_rod(builder, link);
    builder.add_joint("joint_" + number, parent, link, at, joint_of(k));
    parent = link;
  }
  return builder.build();
}

}  // namespace detail

/// n rods on revolute joints about x, y, x, y, ...; they hang along -z at q = 0.
template <Scalar S = double>
Model<S> revolute_chain(int n) {
  return detail::chain<S>("revolute_chain", n, [](int k) { return Revolute<S>(Vector3<S>::Unit(k % 2)); });
}

/// n rods on revolute joints about x: a pendulum in the y-z plane, which hangs along -z at q = 0.
template <Scalar S = double>
Model<S> planar_chain(int n) {
  return detail::chain<S>("planar_chain", n, [](int) { return Revolute<S>(Vector3<S>::UnitX()); });
}

/// n rods on ball joints; they hang along -z at neutral.
template <Scalar S = double>
Model<S> spherical_chain(int n) {
  return detail::chain<S>("spherical_chain", n, [](int) { return Spherical<S>(); });
}

/// (nq) a chain stretched out along +y: neutral but for the first joint, turned by pi/2 about x.
template <Scalar S>
VectorX<S> horizontal(const Model<S>& chain) {
  VectorX<S> x = VectorX<S>::Zero(chain.nv());
  x[0] = S(std::numbers::pi_v<ValueOf<S>> / 2);
  return chain.integrate(chain.neutral(), x);
}

}  // namespace actio::models
