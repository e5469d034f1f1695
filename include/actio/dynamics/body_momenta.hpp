// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The momenta of the bodies over a step, each by itself, before they are summed along the joints.
#include "actio/dynamics/mixed_kind.hpp"
#include "actio/dynamics/packed_bodies.hpp"

namespace actio {

/// The left momentum of each body at its displacement, by its kind.                     [vi_math.md, section 2]
/// @param dT (bodies).  @param inverse_h 1/h [1/s].  @param mu (bodies) out, in their frames at node k [N m s, N s];
/// of the world left alone, as below.
/// @returns twice the kinetic energy, to first order in h [J].  O(bodies); allocates and throws nothing, as below.
template <class Kind, Scalar S, class Joints>
S left_momenta(const Model<S, Joints>& model, const PackedBodies<S>& bodies, const BodyArray<Displacement<S>>& dT, const S& inverse_h,
               BodyArray<Vector6<S>>& mu) noexcept {
  if constexpr (std::same_as<Kind, Mixed>) {
    const S energy = left_momenta<Split>(model, bodies, dT, inverse_h, mu);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (detail::is_on_fixed_axis(model, i)) mu[i] = Se3::left_momentum(model.inertia(i), dT[i], inverse_h);
    }
    return energy;
  } else {
    using Packed = PackedBodies<S>;
    using P = typename Packed::Packet;
    P energy(S(0));
    bodies.for_each([&](const typename Packed::Bodies& of) {
      const Displacement<P> d = Packed::pack(of, dT);
      const Vector6<P> m = Kind::left_momentum(bodies.inertia(of), d, P(inverse_h));
      energy += P(S(2)) * (m[0] * d.dQ.x() + m[1] * d.dQ.y() + m[2] * d.dQ.z()) + (m[3] * d.d[0] + m[4] * d.d[1] + m[5] * d.d[2]);
      Packed::unpack(m, of, mu);
    });
    return Packed::sum(energy) * inverse_h;
  }
}

/// The exact rate of each of them.                                                     [vi_math.md, section 7.1]
/// @param dT (bodies).  @param inverse_h 1/h [1/s].  @param K (bodies) out, in their frames at node k.
template <class Kind, Scalar S, class Joints>
void left_momentum_rates(const Model<S, Joints>& model, const PackedBodies<S>& bodies, const BodyArray<Displacement<S>>& dT, const S& inverse_h,
                         BodyArray<MomentumRate<S>>& K) noexcept {
  if constexpr (std::same_as<Kind, Mixed>) {
    left_momentum_rates<Split>(model, bodies, dT, inverse_h, K);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (detail::is_on_fixed_axis(model, i)) K[i] = Se3::left_momentum_rate(model.inertia(i), dT[i], inverse_h);
    }
  } else {
    using Packed = PackedBodies<S>;
    using P = typename Packed::Packet;
    bodies.for_each([&](const typename Packed::Bodies& of) {
      Packed::unpack(Kind::left_momentum_rate(bodies.inertia(of), Packed::pack(of, dT), P(inverse_h)), of, K);
    });
  }
}

/// The right momentum Ad_dT^T mu of each body, in its frame at the end of the step [N m s, N s].   [vi_math.md, section 3]
/// @param dT, mu (bodies) as in left_momenta().  @param mu_end (bodies) out.
template <Scalar S>
void right_momenta(const PackedBodies<S>& bodies, const BodyArray<Displacement<S>>& dT, const BodyArray<Vector6<S>>& mu,
                   BodyArray<Vector6<S>>& mu_end) noexcept {
  using Packed = PackedBodies<S>;
  bodies.for_each([&](const typename Packed::Bodies& of) { Packed::unpack(Packed::pack(of, dT).wrench_to_end(Packed::pack(of, mu)), of, mu_end); });
}

}  // namespace actio
