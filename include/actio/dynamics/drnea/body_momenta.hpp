// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Discrete momenta of each body over a step, and their rates, computed for four bodies at a time.
#include <algorithm>
#include <array>
#include <concepts>
#include <vector>

#include "actio/dynamics/drnea/kinetic_kind.hpp"
#include "actio/math/displacement.hpp"
#include "actio/math/momentum_rate.hpp"
#include "actio/math/packet.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// The bodies 1, 2, ... of a model in packets of four for plain numbers, of one for numbers with derivatives. The last packet is filled
/// with massless copies of the last body; what they compute is overwritten by the body itself.
template <Scalar S>
class PackedBodies {
 public:
  static constexpr int width = std::floating_point<S> ? 4 : 1;            ///< bodies in a packet
  using Packet = std::conditional_t<width == 1, S, Packet4<S>>;           ///< one number of each body in a packet
  using Bodies = std::array<BodyIndex, static_cast<std::size_t>(width)>;  ///< indices of the bodies in a packet

  /// Packs the inertias of the model.
  template <class Joints>
  explicit PackedBodies(const Model<S, Joints>& model) : last_(model.num_bodies() - 1) {
    for_each([&](const Bodies& of) {
      std::array<Inertia<S>, static_cast<std::size_t>(width)> own;
      for (std::size_t k = 0; k < own.size(); ++k) own[k] = k > 0 && of[k] == of[k - 1] ? Inertia<S>::zero() : model.inertia(of[k]);
      const auto entry = [&](auto of_body) {
        if constexpr (width == 1) return of_body(own[0]);
        else return Packet::of(of_body(own[0]), of_body(own[1]), of_body(own[2]), of_body(own[3]));
      };
      Inertia<Packet> G;
      G.mass = entry([](const Inertia<S>& g) { return g.mass; });
      for (int r = 0; r < 3; ++r) {
        G.com[r] = entry([=](const Inertia<S>& g) { return g.com[r]; });
        for (int c = 0; c < 3; ++c) G.I_com(r, c) = entry([=](const Inertia<S>& g) { return g.I_com(r, c); });
      }
      inertia_.push_back(G);
    });
  }

  /// Calls kernel(the bodies of a packet) for every packet.
  template <class Kernel>
  ACTIO_INLINE void for_each(Kernel kernel) const {
    for (BodyIndex first = 1; first <= last_; first += width) {
      Bodies of;
      for (int k = 0; k < width; ++k) of[static_cast<std::size_t>(k)] = std::min(first + k, last_);
      kernel(of);
    }
  }
  /// Returns the inertia of each body of the packet, massless for copies.
  const Inertia<Packet>& inertia(const Bodies& of) const { return inertia_[static_cast<std::size_t>((of[0] - 1) / width)]; }

  /// Returns entry(i) of each body i.
  template <class Entry>
  ACTIO_INLINE static Packet pack(const Bodies& of, Entry entry) {
    if constexpr (width == 1) return entry(of[0]);
    else return Packet::of(entry(of[0]), entry(of[1]), entry(of[2]), entry(of[3]));
  }
  /// Returns the displacement dT[i] of each body i.
  ACTIO_INLINE static Displacement<Packet> pack(const Bodies& of, const BodyArray<Displacement<S>>& dT) {
    const auto of_dQ = [&](auto entry) { return pack(of, [&](BodyIndex i) -> const S& { return entry(dT[i].dQ); }); };
    const auto of_d = [&](int r) { return pack(of, [&](BodyIndex i) -> const S& { return dT[i].d[r]; }); };
    using Q = Quaternion<S>;
    return {Quaternion<Packet>(of_dQ([](const Q& q) -> const S& { return q.w(); }), of_dQ([](const Q& q) -> const S& { return q.x(); }),
                               of_dQ([](const Q& q) -> const S& { return q.y(); }), of_dQ([](const Q& q) -> const S& { return q.z(); })),
            Vector3<Packet>(of_d(0), of_d(1), of_d(2))};
  }
  /// Returns the twist or wrench F[i] of each body i.
  ACTIO_INLINE static Vector6<Packet> pack(const Bodies& of, const BodyArray<Vector6<S>>& F) {
    const auto entry = [&](int r) { return pack(of, [&](BodyIndex i) -> const S& { return F[i][r]; }); };
    return vector6<Packet>(entry(0), entry(1), entry(2), entry(3), entry(4), entry(5));
  }
  /// Returns the number of body k of a packet.
  ACTIO_INLINE static S unpack(const Packet& p, int k) {
    if constexpr (width == 1) return p;
    else return p[k];
  }
  /// Returns the sum over the bodies of a packet of a quantity that is linear in the mass: the copies have none.
  ACTIO_INLINE static S sum(const Packet& p) {
    if constexpr (width == 1) return p;
    else return (p[0] + p[1]) + (p[2] + p[3]);
  }
  /// Writes a packet to F[i] of each body i.
  ACTIO_INLINE static void unpack(const Vector6<Packet>& p, const Bodies& of, BodyArray<Vector6<S>>& F) {
    for (int k = width - 1; k >= 0; --k) {  // the massless copies before the body itself
      detail::store<S>(F[of[static_cast<std::size_t>(k)]],
                       vector6<S>(unpack(p[0], k), unpack(p[1], k), unpack(p[2], k), unpack(p[3], k), unpack(p[4], k), unpack(p[5], k)));
    }
  }
  /// Writes a packet to K[i] of each body i.
  ACTIO_INLINE static void unpack(const MomentumRate<Packet>& p, const Bodies& of, BodyArray<MomentumRate<S>>& K) {
    for (int k = width - 1; k >= 0; --k) {
      const auto lane = [&](const typename MomentumRate<Packet>::Block& b) {
        return MomentumRate<S>::Block::rows(unpack(b(0, 0), k), unpack(b(0, 1), k), unpack(b(0, 2), k), unpack(b(1, 0), k),
                                            unpack(b(1, 1), k), unpack(b(1, 2), k), unpack(b(2, 0), k), unpack(b(2, 1), k),
                                            unpack(b(2, 2), k));
      };
      K[of[static_cast<std::size_t>(k)]] = {lane(p.nw), lane(p.nv), lane(p.fw), lane(p.fv)};
    }
  }

 private:
  BodyIndex last_;
  std::vector<Inertia<Packet>> inertia_;
};

/// Computes the left momentum of each body at its displacement.                         [vi_math.md, section 2]
/// @param dT (bodies).  @param inverse_h 1/h [1/s].  @param mu (bodies) result, in their frames at node k
/// [N m s, N s]; that of the world does not change, as below.
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

/// Computes the exact rates of the momenta.                                            [vi_math.md, section 7.1]
/// @param dT (bodies).  @param inverse_h 1/h [1/s].  @param K (bodies) result, in their frames at node k.
template <class Kind, Scalar S, class Joints>
void left_momentum_rates(const Model<S, Joints>& model, const PackedBodies<S>& bodies, const BodyArray<Displacement<S>>& dT,
                         const S& inverse_h, BodyArray<MomentumRate<S>>& K) noexcept {
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

/// Computes the right momentum Ad_dT^T mu of each body, in its frame at the end of the step [N m s, N s].   [vi_math.md, section 3]
/// @param dT, mu (bodies) as in left_momenta().  @param mu_end (bodies) result.
template <Scalar S>
void right_momenta(const PackedBodies<S>& bodies, const BodyArray<Displacement<S>>& dT, const BodyArray<Vector6<S>>& mu,
                   BodyArray<Vector6<S>>& mu_end) noexcept {
  using Packed = PackedBodies<S>;
  bodies.for_each(
      [&](const typename Packed::Bodies& of) { Packed::unpack(Packed::pack(of, dT).wrench_to_end(Packed::pack(of, mu)), of, mu_end); });
}

}  // namespace actio::detail
