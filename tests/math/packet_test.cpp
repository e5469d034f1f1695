// SPDX-License-Identifier: BSD-3-Clause
// Packets against the same operations on single numbers.
#include "actio/math/packet.hpp"

#include <array>

#include "actio/math/displacement.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dual.hpp"

namespace packet_test {

using namespace actio;

template <class S>
using Numbers = std::array<S, 4>;

template <class S>
detail::Packet4<S> packed(const Numbers<S>& n) { return detail::Packet4<S>::of(n[0], n[1], n[2], n[3]); }

/// Checks that f of packets is f of each number, up to a few roundings: multiplications and additions may be fused.
template <class S, class F>
void check_lanes(const Numbers<S>& x, const Numbers<S>& y, F f) {
  const detail::Packet4<S> all = f(packed(x), packed(y));
  for (int k = 0; k < 4; ++k) {
    const S alone = f(x[static_cast<std::size_t>(k)], y[static_cast<std::size_t>(k)]);
    CHECK(std::abs(all[k] - alone) <= 4 * epsilon<S> * std::abs(alone));
  }
}

static_assert(Scalar<detail::Packet4<double>> && Scalar<detail::Packet4<float>>);
static_assert(!has_derivatives<detail::Packet4<double>> && has_derivatives<detail::Packet4<test::Dual>>);

TEMPLATE_TEST_CASE("packet: arithmetic matches that of single numbers", "[math][packet][fast]", double, float) {
  using S = TestType;
  using std::atan2, std::cos, std::sin, std::sqrt;
  const Numbers<S> x{S(1.5), S(-2), S(0.25), S(7)}, y{S(-3), S(5), S(0.125), S(2)};
  check_lanes<S>(x, y, [](auto a, auto b) { return a + b; });
  check_lanes<S>(x, y, [](auto a, auto b) { return a - b; });
  check_lanes<S>(x, y, [](auto a, auto b) { return a * b; });
  check_lanes<S>(x, y, [](auto a, auto b) { return a / b; });
  check_lanes<S>(x, y, [](auto a, auto) { return -a; });
  check_lanes<S>(x, y, [](auto a, auto b) { return a += b, a *= b, a -= b, a /= b; });
  check_lanes<S>(x, y, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), S>) return a + b * b;
    else return plus_product(a, b, b);
  });
  check_lanes<S>(x, y, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), S>) return a - b * b;
    else return minus_product(a, b, b);
  });
  check_lanes<S>(x, y, [](auto a, auto b) { return sqrt(a * a + b * b); });
  check_lanes<S>(x, y, [](auto a, auto) { return sin(a); });
  check_lanes<S>(x, y, [](auto a, auto) { return cos(a); });
  check_lanes<S>(x, y, [](auto a, auto b) { return atan2(a, b); });
  CHECK(detail::Packet4<S>(S(3))[2] == S(3));
}

TEMPLATE_TEST_CASE("packet: comparisons and masks match those of single numbers", "[math][packet][fast]", double, float) {
  using S = TestType;
  const auto x = packed<S>({1, 5, 3, 4}), four = detail::Packet4<S>(S(4));
  CHECK(any(x < four));
  CHECK_FALSE(all(x < four));
  CHECK(all(x < detail::Packet4<S>(S(6))));
  CHECK_FALSE(any(x > detail::Packet4<S>(S(6))));
  CHECK_FALSE(any(x < packed<S>({1, 5, std::numeric_limits<S>::quiet_NaN(), 4})));
  const detail::Packet4<S> least = select(x < four, x, four);
  for (int k = 0; k < 4; ++k) CHECK(least[k] == std::min(x[k], S(4)));
}

TEMPLATE_TEST_CASE("packet: entries are loaded, stored, broadcast and replaced", "[math][packet][fast]", double, float, test::Dual) {
  using S = TestType;
  const std::array<S, 5> from{S(9), S(1), S(2), S(3), S(4)};  // read and written at addresses that are not aligned
  const auto p = detail::Packet4<S>::load(from.data() + 1);
  std::array<S, 6> to{};
  p.store(to.data() + 1);
  CHECK(to == std::array<S, 6>{S(0), S(1), S(2), S(3), S(4), S(0)});
  p.template spread<2>().store(to.data());
  CHECK(to == std::array<S, 6>{S(3), S(3), S(3), S(3), S(4), S(0)});
  const detail::Packet4<S> seven(S(7));
  p.template with<0>(seven).store(to.data());
  CHECK(to == std::array<S, 6>{S(7), S(2), S(3), S(4), S(4), S(0)});
  p.template with<3>(seven).store(to.data());
  CHECK(to == std::array<S, 6>{S(1), S(2), S(3), S(7), S(4), S(0)});
}

TEMPLATE_TEST_CASE("packet: displacements at small and large angles in one packet do not affect each other", "[math][packet][fast]", double,
                   float) {
  using S = TestType;
  using P = detail::Packet4<S>;
  models::Random random(3);
  for (const auto& angles :
       {Numbers<S>{S(1e-9), S(1e-3), S(0.01), S(0.1)}, Numbers<S>{S(1e-6), S(2), S(0.3), S(3)}, Numbers<S>{2, 3, 1, S(2.5)}}) {
    std::array<Displacement<S>, 4> alone;
    Displacement<P> all;
    Vector6<P> F;
    for (int r = 0; r < 6; ++r) F[r] = P(S(random.uniform(-1, 1)));
    for (std::size_t k = 0; k < 4; ++k) alone[k] = {quaternion::about<S>(random.direction<S>(), angles[k]), random.direction<S>()};
    const auto entry = [&](auto of) { return P::of(of(alone[0]), of(alone[1]), of(alone[2]), of(alone[3])); };
    for (int r = 0; r < 4; ++r) all.dQ.coeffs()[r] = entry([=](const Displacement<S>& d) { return d.dQ.coeffs()[r]; });
    for (int r = 0; r < 3; ++r) all.d[r] = entry([=](const Displacement<S>& d) { return d.d[r]; });
    const Vector6<P> log = all.log(), carried = all.wrench_to_end(F);
    for (int k = 0; k < 4; ++k) {
      const Displacement<S>& d = alone[static_cast<std::size_t>(k)];
      const Vector6<S> F_k = F.unaryExpr([=](const P& p) { return p[k]; });
      const auto lane = [=](const Vector6<P>& v) { return Vector6<S>(v.unaryExpr([=](const P& p) { return p[k]; })); };
      CAPTURE(k, angles[static_cast<std::size_t>(k)]);
      CHECK((lane(log) - d.log()).norm() <= 20 * epsilon<S> * d.log().norm());
      CHECK((lane(carried) - d.wrench_to_end(F_k)).norm() <= 20 * epsilon<S> * F_k.norm());
    }
  }
}

}  // namespace packet_test
