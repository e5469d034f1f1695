// SPDX-License-Identifier: BSD-3-Clause
#include "actio/math/inertia.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "actio/math/se3.hpp"
#include "support/catch.hpp"

namespace inertia_test {

using namespace actio;

template <class S>
struct Source {
  std::mt19937 engine{3};
  S number() { return std::uniform_real_distribution<S>(-1, 1)(engine); }
  Vector3<S> vector() { return Vector3<S>(number(), number(), number()); }
  Vector6<S> six() { return spatial<S>(vector(), vector()); }
  Pose<S> pose() { return {so3::exp<S>(3 * vector()), 2 * vector()}; }
  Inertia<S> body() {
    const Inertia<S> box = Inertia<S>::box(S(2) + number(), Vector3<S>(S(0.3), S(0.7), S(1.1)));
    return box.seen_from_parent(pose());
  }
};

template <class S>
const S few = 100 * epsilon<S>;

template <class S>
bool equal(const Inertia<S>& a, const Inertia<S>& b) {
  return (a.matrix() - b.matrix()).norm() < few<S> * b.matrix().norm();
}

template <class S>
Inertia<S> moved(const Inertia<S>& G, S x, S y, S z) {
  return G.seen_from_parent(Pose<S>::translation(x, y, z));
}

TEMPLATE_TEST_CASE("inertia: momentum, energy and bias match the 6x6 matrix", "[math][inertia][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 20; ++i) {
    const Inertia<S> body = random.body();
    const Vector6<S> V = random.six();
    const Matrix6<S> G = body.matrix();
    CHECK(G == G.transpose());
    CHECK((body.momentum(V) - G * V).norm() < few<S>);
    CHECK(std::abs(body.kinetic_energy(V) - V.dot(G * V) / 2) < few<S>);
    CHECK((body.bias(V) + se3::ad(V).transpose() * G * V).norm() < few<S>);
    CHECK(std::abs(V.dot(body.bias(V))) < few<S>);  // gyroscopic forces do no work
  }
}

TEMPLATE_TEST_CASE("inertia: the matrix is the sum over mass points", "[math][inertia][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  Inertia<S> sum = Inertia<S>::zero();
  const Vector6<S> V = random.six();
  const Vector3<S> w = V.template head<3>(), v = V.template tail<3>();
  S energy = 0;
  Vector3<S> linear = Vector3<S>::Zero(), angular = Vector3<S>::Zero();
  for (int i = 0; i < 8; ++i) {
    const S mass = S(1.5) + random.number();
    const Vector3<S> at = random.vector(), velocity = v + w.cross(at);
    sum += Inertia<S>::point(mass, at);
    energy += mass * velocity.squaredNorm() / 2;
    linear += mass * velocity;
    angular += mass * at.cross(velocity);
  }
  CHECK(std::abs(sum.kinetic_energy(V) - energy) < few<S>);
  CHECK((sum.momentum(V) - spatial<S>(angular, linear)).norm() < few<S>);
  CHECK(sum.is_positive_semidefinite());
  CHECK(sum.satisfies_triangle_inequality());
}

TEMPLATE_TEST_CASE("inertia: expressed in the parent it is Ad^-T G Ad^-1, and sums add matrices", "[math][inertia][fast]", float, double) {
  using S = TestType;
  Source<S> random;
  for (int i = 0; i < 20; ++i) {
    const Inertia<S> a = random.body(), b = random.body();
    const Pose<S> T = random.pose();
    const Matrix6<S> X = T.inverse().adjoint();
    CHECK((a.seen_from_parent(T).matrix() - X.transpose() * a.matrix() * X).norm() < few<S> * a.matrix().norm());
    CHECK(((a + b).matrix() - a.matrix() - b.matrix()).norm() < few<S> * a.matrix().norm());
    const Vector6<S> V = random.six();
    CHECK(std::abs(a.seen_from_parent(T).kinetic_energy(T.twist_to_parent(V)) - a.kinetic_energy(V)) < few<S>);
    CHECK((a.seen_from_parent(T).momentum(T.twist_to_parent(V)) - T.wrench_to_parent(a.momentum(V))).norm() < few<S>);
    CHECK(a.seen_from_parent(T).I_com == a.seen_from_parent(T).I_com.transpose());
  }
}

TEMPLATE_TEST_CASE("inertia: zero and massless inertias can be added to any inertia", "[math][inertia][fast]", float, double) {
  using S = TestType;
  const Inertia<S> none = Inertia<S>::zero(), body = Source<S>().body(), massless{S(0), Vector3<S>(1, 2, 3), Matrix3<S>::Identity()};
  CHECK((none + none).is_finite());
  CHECK((none + none).matrix() == Matrix6<S>::Zero());
  CHECK(equal(none + body, body));
  CHECK(equal(body + none, body));
  CHECK(((body + massless).matrix() - body.matrix() - massless.matrix()).norm() < few<S>);
  CHECK(((massless + none).matrix() - massless.matrix()).norm() < few<S>);
}

TEMPLATE_TEST_CASE("inertia: solids are the sums of their parts", "[math][inertia][fast]", float, double) {
  using S = TestType;
  Inertia<S> eight = Inertia<S>::zero();
  const Inertia<S> part = Inertia<S>::box(S(0.5), Vector3<S>(S(0.1), S(0.2), S(0.3)));
  for (const S x : {S(-0.05), S(0.05)}) {
    for (const S y : {S(-0.1), S(0.1)}) {
      for (const S z : {S(-0.15), S(0.15)}) eight += moved(part, x, y, z);
    }
  }
  CHECK(equal(eight, Inertia<S>::box(S(4), Vector3<S>(S(0.2), S(0.4), S(0.6)))));

  const Inertia<S> half_rod = Inertia<S>::rod(S(1), S(0.5), Vector3<S>::UnitX());
  CHECK(equal(moved(half_rod, S(-0.25), S(0), S(0)) + moved(half_rod, S(0.25), S(0), S(0)),
              Inertia<S>::rod(S(2), S(1), Vector3<S>::UnitX())));
  CHECK(equal(Inertia<S>::rod(S(2), S(1), Vector3<S>::UnitZ()), Inertia<S>::box(S(2), Vector3<S>(0, 0, 1))));
  const Vector3<S> slanted(S(0.48), S(-0.6), S(0.64));
  CHECK((Inertia<S>::rod(S(2), S(1), slanted).I_com * slanted).norm() < few<S>);

  const Inertia<S> disc = Inertia<S>::cylinder(S(1), S(0.3), S(0.2));
  CHECK(equal(moved(disc, S(0), S(0), S(-0.1)) + moved(disc, S(0), S(0), S(0.1)), Inertia<S>::cylinder(S(2), S(0.3), S(0.4))));
  CHECK(equal(Inertia<S>::cylinder(S(2), S(0), S(1)), Inertia<S>::rod(S(2), S(1), Vector3<S>::UnitZ())));

  CHECK(equal(Inertia<S>::capsule(S(2), S(0.3), S(0)), Inertia<S>::sphere(S(2), S(0.3))));
  CHECK(equal(Inertia<S>::capsule(S(2), S(0), S(1)), Inertia<S>::rod(S(2), S(1), Vector3<S>::UnitZ())));
}

TEST_CASE("inertia: ball and capsule match a sum of thin discs", "[math][inertia][fast]") {
  const double radius = 0.3, length = 0.8;
  const auto stack = [&](double half_length) {
    const int slices = 4000;
    const double top = half_length + radius, thickness = 2 * top / slices;
    Inertia<double> sum = Inertia<double>::zero();
    for (int i = 0; i < slices; ++i) {
      const double z = -top + (i + 0.5) * thickness, beyond = std::max(0.0, std::abs(z) - half_length);
      const double r = std::sqrt(radius * radius - beyond * beyond);
      sum += moved(Inertia<double>::cylinder(r * r * thickness, r, thickness), 0.0, 0.0, z);
    }
    return sum;
  };
  const Inertia<double> ball = stack(0), capsule = stack(length / 2);
  CHECK((ball.I_com - Inertia<double>::sphere(ball.mass, radius).I_com).norm() < 1e-6 * ball.I_com.norm());
  CHECK((capsule.I_com - Inertia<double>::capsule(capsule.mass, radius, length).I_com).norm() < 1e-6 * capsule.I_com.norm());
}

TEMPLATE_TEST_CASE("inertia: predicates accept physical bodies and refuse others", "[math][inertia][fast]", float, double) {
  using S = TestType;
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const Inertia<S> body = Source<S>().body();
  const Vector3<S> squares = S(body.mass / 12) * Vector3<S>(S(0.09), S(0.49), S(1.21));
  const Vector3<S> expected(squares[0] + squares[1], squares[0] + squares[2], squares[1] + squares[2]);
  CHECK((body.principal_moments() - expected).norm() < few<S>);
  const auto accepted = [](const Inertia<S>& G) {
    return G.is_finite() && G.is_positive_semidefinite() && G.satisfies_triangle_inequality();
  };
  CHECK(accepted(body));
  CHECK(accepted(Inertia<S>::zero()));
  CHECK(accepted(Inertia<S>::point(S(1), Vector3<S>(1, 2, 3))));
  Source<S> random;
  for (int i = 0; i < 50; ++i) {  // on the boundary of both conditions, rotated at random
    CHECK(accepted(Inertia<S>::rod(S(1), S(2), Vector3<S>::UnitX()).seen_from_parent(random.pose()).seen_from_parent(random.pose())));
  }

  Inertia<S> wrong = body;
  wrong.mass = S(-1);
  CHECK(wrong.is_finite());
  CHECK_FALSE(wrong.is_positive_semidefinite());
  wrong = body;
  wrong.com[1] = nan;
  CHECK_FALSE(wrong.is_finite());
  CHECK_FALSE(wrong.is_positive_semidefinite());
  wrong = body;
  wrong.I_com(2, 0) = std::numeric_limits<S>::infinity();
  CHECK_FALSE(wrong.is_finite());
  wrong = body;
  wrong.I_com(0, 1) += S(0.1);
  CHECK_FALSE(wrong.is_positive_semidefinite());  // not symmetric
  wrong.I_com = Vector3<S>(1, 1, S(-0.01)).asDiagonal();
  CHECK_FALSE(wrong.is_positive_semidefinite());
  wrong.I_com = Vector3<S>(1, 1, S(2.1)).asDiagonal();
  CHECK(wrong.is_positive_semidefinite());
  CHECK_FALSE(wrong.satisfies_triangle_inequality());
  CHECK(wrong.satisfies_triangle_inequality(S(0.06)));
}

}  // namespace inertia_test
