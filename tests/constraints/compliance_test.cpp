// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/compliance.hpp"

#include "support/catch.hpp"
#include "support/dense.hpp"

namespace compliance_test {

using namespace actio;
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST_CASE("compliance: limits of stiffness and damping", "[constraints][compliant][fast]") {
  const double h = 0.01;
  const auto is = [&](double K, double C, double R, double gain) {
    const detail::StepCompliance<double> step = Compliance<double>{K, C}.over(h);
    return step.R == R && step.gain == gain;
  };
  CHECK(is(infinite, 0, 0, 100));
  CHECK(is(infinite, 5, 0, 100));
  CHECK(is(0, 0, infinite, 0));
  CHECK(is(0, 4, 0.25, 0));
  CHECK(is(0, infinite, 0, 0));
  CHECK(is(300, 1, 0.25, 75));
  const detail::StepCompliance<double> stiff = Compliance<double>{1e300, 1e6}.over(h);
  CHECK((stiff.R > 0 && std::abs(stiff.gain * h - 1) < 1e-15));
}

TEST_CASE("compliance: implicit and semi-implicit Euler on a spring are as stable as the stability criterion predicts",
          "[constraints][compliant][fast]") {
  // z = (x, v) -> B z; the implicit step from the compliance of one row with A = 1/m.       [compliant_math.md, section 1]
  const double m = 1;
  int cases = 0, stiff = 0;
  for (const double h : {1e-4, 1e-3, 1e-2, 1e-1}) {
    for (int K_exponent = 0; K_exponent <= 14; ++K_exponent) {
      for (const double c : {0., 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}) {
        const double k = std::pow(10., K_exponent);
        Eigen::Matrix2d explicit_, semi, implicit;
        explicit_ << 1, h, -h * k / m, 1 - h * c / m;
        semi << 1 - h * h * k / m, h * (1 - h * c / m), -h * k / m, 1 - h * c / m;
        const detail::StepCompliance<double> step = Compliance<double>{k, c}.over(h);
        const auto implicit_step = [&](double x, double v) {
          const double lambda = -(v + step.gain * x) / (h / m + step.R), v1 = v + h / m * lambda;
          return Eigen::Vector2d(x + h * v1, v1);
        };
        implicit << implicit_step(1, 0), implicit_step(0, 1);
        const double a = h * c / m, b = h * h * k / m, delta = 1 + a + b;
        CAPTURE(h, k, c);
        const bool explicit_is_stable = h * k <= c && 2 * a - b <= 4, semi_is_stable = a <= 2 && b + 2 * a <= 4;
        const bool on_the_edge = std::abs(h * k - c) <= 1e-12 * c || std::abs(2 * a - b - 4) < 1e-9;
        if (!on_the_edge) CHECK((test::spectral_radius(explicit_) <= 1 + 1e-12) == explicit_is_stable);
        if (std::abs(b + 2 * a - 4) > 1e-9) CHECK((test::spectral_radius(semi) <= 1 + 1e-7) == semi_is_stable);
        CHECK(test::spectral_radius(implicit) <= 1 + 1e-12);
        if (4 * delta > (2 + a) * (2 + a)) {  // oscillates: rho = delta^(-1/2)
          CHECK(std::abs(test::spectral_radius(implicit) * std::sqrt(delta) - 1) < 1e-7 + 1e-15 * delta);  // x + h v cancels to 1/delta
          stiff += b > 1e6;
        }
        ++cases;
      }
    }
  }
  CHECK(cases == 600);
  CHECK(stiff > 50);
}

TEST_CASE("compliance: the tangent of a power law has the same force and slope", "[constraints][compliant][fast]") {
  const auto hertz = PowerLaw<double>::hertz(2e11, 0.01, 0.3);
  CHECK(std::abs(hertz.coefficient - 2.667e10) < 1e7);  // compliant_math.md, section 6.1
  CHECK(std::abs(hertz.force(1.85e-7) - 2.12) < 0.01);
  for (const double depth : {1e-9, 1e-6, 1e-3}) {
    const auto tangent = hertz.tangent(depth);
    CHECK(std::abs(-tangent.spring.stiffness * (-depth - tangent.slack_gap) - hertz.force(depth)) < 1e-12 * hertz.force(depth));
    const double slope = (hertz.force(depth * (1 + 1e-5)) - hertz.force(depth * (1 - 1e-5))) / (2e-5 * depth);
    CHECK(std::abs(tangent.spring.stiffness - slope) < 1e-8 * slope);
    CHECK(tangent.spring.damping == 0.3 * hertz.force(depth));
  }
  CHECK(hertz.tangent(-1).spring == Compliance<double>{0, 0});
  CHECK(PowerLaw<double>{100, 1, 0}.tangent(0.1).slack_gap == 0);
}

TEST_CASE("compliance: the stored energy is the work of compression", "[constraints][compliant][fast]") {
  const auto check = [](const auto& law, const auto& force) {
    const double depth = 0.01;
    const int n = 4000;
    double work = 0;
    for (int k = 0; k < n; ++k) work += force((k + 0.5) * depth / n) * depth / n;
    CHECK(law.energy(depth) == Approx(work).epsilon(1e-6));
    CHECK(law.energy(0.0) == 0);
  };
  const PowerLaw<double> hertz = PowerLaw<double>::hertz(1e6, 0.1, 0.3), cubic{2e9, 3};
  check(hertz, [&](double depth) { return hertz.force(depth); });
  check(cubic, [&](double depth) { return cubic.force(depth); });
  check(Compliance<double>{3e4, 7}, [](double depth) { return 3e4 * depth; });
  CHECK(hertz.energy(-1) == 0);
  CHECK(Compliance<double>{}.energy(0.01) == 0);
}

}  // namespace compliance_test
