// SPDX-License-Identifier: BSD-3-Clause
// Momenta of bodies in packets, against the same momenta body by body.
#include "actio/dynamics/drnea/body_momenta.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace body_momenta_test {

using namespace actio;
using namespace actio::detail;

template <class S>
BodyArray<Displacement<S>> displacements(BodyIndex bodies, double largest, std::uint64_t seed) {
  models::Random random(seed);
  BodyArray<Displacement<S>> dT(bodies, Displacement<S>::identity());
  for (BodyIndex i = 1; i < bodies; ++i) {
    dT[i] = {quaternion::about<S>(random.direction<S>(), S(random.uniform(0, largest))),
             random.direction<S>() * S(random.uniform(0, largest))};
  }
  return dT;
}

/// Calls f with the kinetic kind of body i.
template <class Kind, class S, class F>
auto by_kind(const Model<S>& model, BodyIndex i, F f) {
  if constexpr (std::same_as<Kind, Mixed>) return detail::is_on_fixed_axis(model, i) ? f(Se3{}) : f(Split{});
  else return f(Kind{});
}

template <class Kind, class S>
void check() {
  const S h = S(1) / 128;
  for (const int bodies : {1, 2, 3, 4, 5, 8, 11}) {  // the last packet is full or not
    const Model<S> model = models::random_tree<S>(static_cast<std::uint64_t>(bodies), bodies);
    const PackedBodies<S> packed(model);
    for (const double largest : {1e-6, 0.05, 2.0}) {
      CAPTURE(bodies, largest);
      const BodyArray<Displacement<S>> dT = displacements<S>(model.num_bodies(), largest, 7);
      BodyArray<Vector6<S>> mu(model.num_bodies(), Vector6<S>::Zero()), mu_end = mu;
      BodyArray<MomentumRate<S>> K(model.num_bodies(), MomentumRate<S>::zero());
      left_momentum_rates<Kind>(model, packed, dT, S(1) / h, K);
      const S energy = left_momenta<Kind>(model, packed, dT, S(1) / h, mu);
      right_momenta(packed, dT, mu, mu_end);
      S expected(0);
      for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
        const Vector6<S> m = by_kind<Kind, S>(model, i, [&](auto kind) { return kind.left_momentum(model.inertia(i), dT[i], S(1) / h); });
        CHECK((mu[i] - m).norm() <= 50 * epsilon<S> * m.norm());
        CHECK((mu_end[i] - dT[i].wrench_to_end(m)).norm() <= 100 * epsilon<S> * m.norm());
        const Matrix6<S> rate =
            by_kind<Kind, S>(model, i, [&](auto kind) { return kind.left_momentum_rate(model.inertia(i), dT[i], S(1) / h).matrix(); });
        CHECK((K[i].matrix() - rate).norm() <= 100 * epsilon<S> * rate.norm());
        expected += (Vector6<S>() << S(2) * dT[i].dQ.vec(), dT[i].d).finished().dot(m) / h;
      }
      CHECK(mu[0].norm() == 0);
      if constexpr (!std::same_as<Kind, Mixed>) CHECK(std::abs(energy - expected) <= 100 * epsilon<S> * expected);
      else if (largest < 1) CHECK(std::abs(energy - expected) <= S(0.1) * expected);  // to first order for every kind
    }
  }
}

TEMPLATE_TEST_CASE("body momenta: packets give the same as single bodies", "[dynamics][body_momenta][long]", Split, Se3, Quat, Mixed) {
  check<TestType, double>();
  check<TestType, float>();
}

}  // namespace body_momenta_test
