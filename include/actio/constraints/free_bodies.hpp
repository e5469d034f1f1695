// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Bodies that nothing holds.
#include "actio/constraints/body_rows.hpp"
#include "actio/math/invert.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// The inverse inertia of single bodies. Those which on their own do not resist every motion, and the world, are taken to be moved by nothing.
template <Scalar S>
class FreeBodies {
 public:
  /// Inverts the inertia of each body.
  template <class Joints>
  explicit FreeBodies(const Model<S, Joints>& model) : bodies_(model.num_bodies()) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const Inertia<S>& G = model.inertia(i);
      bodies_[i].com = G.com;
      if (!G.is_full()) continue;
      [[maybe_unused]] const bool regular = invert<S, 3>(G.I_com, bodies_[i].turn);
      ACTIO_ASSERT(regular);
      bodies_[i].shift = S(1) / G.mass;
    }
  }

  /// A wrench in the body's frame, seen from its centre of mass.
  Vector6<S> about_com(BodyIndex i, const Vector6<S>& wrench) const noexcept { return detail::about_point<S>(wrench, bodies_[i].com); }
  /// I^-1 F: the twist [rad/s, m/s] that an impulse makes [N m s, N s], both about the centre of mass, in the body's axes.
  Vector6<S> twist(BodyIndex i, const Vector6<S>& F) const noexcept {
    const Body& body = bodies_[i];
    const Vector3<S> w = detail::times(body.turn, F[0], F[1], F[2]);
    return vector6<S>(w[0], w[1], w[2], body.shift * F[3], body.shift * F[4], body.shift * F[5]);
  }

 private:
  struct Body {
    Vector3<S> com = Vector3<S>::Zero();
    S shift{};  // 1/m
    Matrix3<S> turn = Matrix3<S>::Zero();  // I_com^-1
  };
  BodyArray<Body> bodies_;
};

}  // namespace actio
