// SPDX-License-Identifier: BSD-3-Clause
#include "actio/core/dual.hpp"

#include "actio/core/types.hpp"
#include "support/catch.hpp"

namespace dual_test {

using namespace actio;

static_assert(Scalar<Dual<double>> && Scalar<Dual<float>> && has_derivatives<Dual<float>>);
static_assert(std::same_as<ValueOf<Dual<float>>, float>);

TEST_CASE("dual: derivatives match central differences, with dual numbers in one argument and in both", "[core][dual][fast]") {
  const auto check = [](const auto& f, double x, double y) {
    const double dx = 0.7, dy = -0.4, e = 1e-5;
    const Dual<double> exact = f(Dual<double>(x, dx), Dual<double>(y, dy));
    const auto at = [&](double t) { return f(Dual<double>(x + t * dx), Dual<double>(y + t * dy)).value; };
    CHECK(exact.value == at(0));
    CHECK(std::abs(exact.derivative - (at(e) - at(-e)) / (2 * e)) < 1e-8 * (1 + std::abs(exact.derivative)));
  };
  using D = Dual<double>;
  for (const double x : {0.3, 1.7}) {
    for (const double y : {0.9, 2.2}) {
      check([](D a, const D& b) { a += b; return a; }, x, y);
      check([](D a, const D& b) { a -= b; return -a; }, x, y);
      check([](D a, const D& b) { a *= b; return a; }, x, y);
      check([](D a, const D& b) { a /= b; return a; }, x, y);
      check([](const D& a, const D& b) { return sqrt(a) + abs(-b) + abs(a); }, x, y);
      check([](const D& a, const D& b) { return sin(a) * cos(b); }, x, y);
      check([](const D& a, const D& b) { return atan2(a, b) - atan2(-a, b); }, x, y);
      check([](const D& a, const D& b) { return exp(a) + log(b); }, x, y);
      check([](const D& a, const D& b) { return pow(a, b); }, x, y);
    }
  }
}

TEST_CASE("dual: vectors of dual numbers, infinity and machine epsilon", "[core][dual][fast]") {
  const Vector3<double> x(1, -2, 3), dx(0.1, 0.2, 0.3);
  const Vector3<Dual<double>> both = dual_vector(x, dx);
  CHECK(values(both) == x);
  CHECK(derivatives(both) == dx);
  CHECK(std::abs(both.norm().derivative - x.dot(dx) / x.norm()) < 1e-15);
  CHECK(both.cwiseAbs().maxCoeff().derivative == 0.3);
  CHECK_FALSE(is_finite(std::numeric_limits<Dual<double>>::infinity() + Dual<double>(1)));
  CHECK(epsilon<Dual<float>> == epsilon<float>);
}

}  // namespace dual_test
