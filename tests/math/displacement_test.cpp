// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/displacement.hpp"

#include <cmath>
#include <random>

#include "actio/math/se3.hpp"
#include "support/catch.hpp"

namespace displacement_test {

using namespace actio;

template <class S>
struct Source {
  std::mt19937 engine{5};
  S number() { return std::uniform_real_distribution<S>(-1, 1)(engine); }
  Vector3<S> vector() { return Vector3<S>(number(), number(), number()); }
  Vector6<S> six() { return spatial<S>(vector(), vector()); }
  Pose<S> pose() { return {so3::exp<S>(3 * vector()), 2 * vector()}; }
};

template <class S>
const S few = 40 * epsilon<S>;

TEMPLATE_TEST_CASE("displacement: every operation matches that of a pose", "[math][displacement][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 20; ++i) {
    const Displacement<S> a = Displacement<S>::exp(random.six()), b = Displacement<S>::exp(random.six());
    const Pose<S> A = a.pose(), B = b.pose(), T = random.pose();
    const Vector3<S> x = random.vector();
    const Vector6<S> F = random.six();
    CHECK(distance((a * b).pose(), A * B) < few<S>);
    CHECK(distance(a.inverse().pose(), A.inverse()) < few<S>);
    CHECK(distance(a.seen_from(T).pose(), T.inverse() * A * T) < few<S>);
    CHECK((a.rotate(x) - A.R * x).norm() < few<S>);
    CHECK((a.rotate_inverse(x) - A.R.transpose() * x).norm() < few<S>);
    CHECK((a.minus_identity(x) - (A.R * x - x)).norm() < few<S>);
    CHECK((a.minus_identity_inverse(x) - (A.R.transpose() * x - x)).norm() < few<S>);
    CHECK((a.wrench_to_end(F) - A.wrench_to_child(F)).norm() < few<S>);
    CHECK((a.twist_to_start(F) - se3::adjoint(A) * F).norm() < few<S>);
    CHECK((a.wrench_to_start(F) - A.wrench_to_parent(F)).norm() < few<S>);
    CHECK((a.log() - se3::log(A)).norm() < few<S>);
    const PureRotation<S> turn{b.dQ};
    const PureTranslation<S> shift{x};
    CHECK(distance((a * turn).pose(), A * Displacement<S>(turn).pose()) < few<S>);
    CHECK(distance((a * shift).pose(), A * Displacement<S>(shift).pose()) < few<S>);
    CHECK(distance((a * Displacement<S>::identity()).pose(), A) < few<S>);
    CHECK(distance((Displacement<S>::identity() * a).pose(), A) < few<S>);
  }
}

TEMPLATE_TEST_CASE("displacement: log inverts exp with a small relative error at any magnitude", "[math][displacement][fast]", float,
                   double) {
  using S = TestType;
  Source<S> random;
  for (const S size : {S(1e-30), S(1e-12), S(1e-8), S(1e-3), S(0.2), S(0.55), S(1.5)}) {
    CAPTURE(size);
    const Vector6<S> x = size * random.six();
    const Displacement<S> dT = Displacement<S>::exp(x);
    CHECK((dT.log() / size - x / size).norm() < 8 * epsilon<S>);
    CHECK(distance(dT.pose(), se3::exp(x)) < 8 * epsilon<S>);
  }
  CHECK(Displacement<S>::exp(Vector6<S>::Zero()).log() == Vector6<S>::Zero());
}

// The sweep along a chain: the displacement is expressed in the next frame, then composed with the joint's increment [vi_math.md, section
// 4].
TEST_CASE("displacement: tiny displacements keep their relative precision over a hundred changes of frame", "[math][displacement][fast]") {
  using Exact = long double;
  for (const double size : {1e-3, 1e-8, 1e-15}) {
    CAPTURE(size);
    Source<double> random;
    Displacement<double> dT = Displacement<double>::identity();
    Displacement<Exact> exact = Displacement<Exact>::identity();
    for (int link = 0; link < 100; ++link) {
      const Pose<double> T = random.pose();
      const Vector6<double> x = size * random.six();
      // T is rounded too: its rotation is orthogonal only to rounding, which both results must reflect
      const Pose<Exact> T_exact{T.R.cast<Exact>(), T.p.cast<Exact>()};
      dT = dT.seen_from(T) * Displacement<double>::exp(x);
      exact = exact.seen_from(T_exact) * Displacement<Exact>::exp(x.cast<Exact>());
    }
    const Vector3<Exact> v = dT.dQ.vec().cast<Exact>(), v_exact = exact.dQ.vec();
    CHECK(static_cast<double>((v - v_exact).norm() / v_exact.norm()) < 1e-14);
    CHECK(static_cast<double>((dT.d.cast<Exact>() - exact.d).norm() / exact.d.norm()) < 1e-14);
    CHECK(static_cast<double>((dT.log().cast<Exact>() - exact.log()).norm() / exact.log().norm()) < 1e-14);
    CHECK(std::abs(dT.dQ.norm() - 1) < 1e-14);
  }
}

TEMPLATE_TEST_CASE("displacement: a momentum that changes frame is unchanged in world coordinates", "[math][displacement][fast]", float,
                   double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 10; ++i) {
    const Pose<S> T0 = random.pose();
    const Displacement<S> dT = Displacement<S>::exp(random.six());
    const Pose<S> T1 = T0 * dT.pose();
    const Vector6<S> mu = random.six();
    CHECK((T1.wrench_to_parent(dT.wrench_to_end(mu)) - T0.wrench_to_parent(mu)).norm() < few<S>);
    CHECK((dT.wrench_to_start(dT.wrench_to_end(mu)) - mu).norm() < few<S>);
  }
}

}  // namespace displacement_test
