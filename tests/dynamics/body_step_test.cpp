// SPDX-License-Identifier: BSD-3-Clause
// The step of one body, against the kinetic kind Quat and finite differences.
#include "actio/dynamics/body_step.hpp"

#include "actio/dynamics/drnea/kinetic_kind.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace body_step_test {

using namespace actio;
using namespace actio::detail;
using Vector = Vector6<double>;

struct Case {
  Inertia<double> G;
  Vector u;
  double h;
};
Case make(models::Random& random) {
  const double h = random.happens(0.5) ? random.uniform(0.01, 0.2) : random.uniform(-0.2, -0.01);
  return {models::detail::random_inertia<double>(random), random.in_box<double, 6>(5), h};
}
BodyStep<double> step_of(const Case& c, const Vector& u) {
  BodyStep<double> step;
  REQUIRE(step.set(c.G, u, c.h));
  return step;
}
/// Converts a wrench about the centre of mass to one about the body's origin.
Vector about_origin(const Vector& F, const Vector3<double>& com) {
  return spatial<double>(F.head<3>() + com.cross(Vector3<double>(F.tail<3>())), F.tail<3>());
}

TEST_CASE("body step: the momenta match those of the kinetic kind Quat", "[dynamics][body_step][fast]") {
  models::Random random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const Case c = make(random);
    const BodyStep<double> step = step_of(c, c.u);
    const Vector left = about_origin(step.left_momentum(c.G, c.h), c.G.com), right = about_origin(step.right_momentum(c.G, c.h), c.G.com);
    const Vector wanted = Quat::left_momentum(c.G, step.dT, 1 / c.h);
    CHECK((left - wanted).norm() < 1e-13 * wanted.norm());
    CHECK((right - step.dT.wrench_to_end(wanted)).norm() < 1e-13 * wanted.norm());
    const double twice = 2 * c.G.kinetic_energy(spatial<double>(c.u.head<3>(), c.u.tail<3>() - c.u.head<3>().cross(c.G.com)));
    CHECK(std::abs(step.twice_energy(c.G) - twice) < 1e-13 * twice);
    CHECK((step.dT.rotate(c.G.com) + step.dT.d - c.G.com - c.h * c.u.tail<3>()).norm() < 1e-14);  // the centre of mass moves by h v
  }
}

TEST_CASE("body step: rates match the derivatives by differences", "[dynamics][body_step][fast]") {
  models::Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Case c = make(random);
    const BodyStep<double> step = step_of(c, c.u);
    const Vector F = random.in_box<double, 6>(1);  // about the centre of mass, at the end
    const Vector on_u = step.on_velocities(F, c.h);
    Matrix6<double> D = Matrix6<double>::Zero();
    D.topLeftCorner<3, 3>() = step.angular_rate(c.G, c.h);
    D.bottomRightCorner<3, 3>() = c.G.mass * Matrix3<double>::Identity();
    for (int k = 0; k < 6; ++k) {
      constexpr double e = 1e-4;
      const auto at = [&](double s) { return step_of(c, c.u + s * Vector::Unit(k)); };
      const auto difference = [&](const auto& f) -> Vector { return (8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * e); };
      const Vector of_momentum = difference([&](double s) { return at(s).left_momentum(c.G, c.h); });
      CHECK((D.col(k) - of_momentum).norm() < 1e-10 * D.norm());
      // how the final pose moves, as a twist about the centre of mass at the end, divided by h
      const Vector moved = difference([&](double s) -> Vector {
        const Displacement<double> E = step.dT.inverse() * at(s).dT;
        const Vector3<double> turn = quaternion::log<double>(E.dQ);
        return spatial<double>(turn, E.rotate(c.G.com) + E.d - c.G.com) / c.h;
      });
      CHECK(std::abs(on_u[k] - F.dot(moved)) < 1e-9);
    }
  }
}

TEST_CASE("body step: rotations of half a turn or more are refused", "[dynamics][body_step][fast]") {
  const Inertia<double> G = Inertia<double>::sphere(1, 1);
  BodyStep<double> step;
  const auto turning = [](double rate) { return spatial<double>(Vector3<double>(0, rate, 0), Vector3<double>::Zero()); };
  CHECK(step.set(G, turning(1.99), 1));
  CHECK_FALSE(step.set(G, turning(2.0), 1));
  CHECK_FALSE(step.set(G, turning(-3), 1));
  CHECK_FALSE(step.set(G, turning(std::numeric_limits<double>::quiet_NaN()), 1));
}

}  // namespace body_step_test
