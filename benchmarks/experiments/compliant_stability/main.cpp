// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Figs. 1 to 3: a mass on a spring and damper in steps of explicit, semi-implicit and implicit Euler.
// Assumed: 1 kg; stiffnesses, dampings and steps are ours.                                          [compliant_math.md, section 1]
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "actio/core/text.hpp"
#include "runs.hpp"
#include "support/report.hpp"

namespace {

using namespace compliant_stability;
using Eigen::Matrix2d;

double spectral_radius(const Matrix2d& B) { return B.eigenvalues().cwiseAbs().maxCoeff(); }

struct Contestant {
  Scheme scheme;
  std::string name;
  std::function<Matrix2d(const Spring&, double)> matrix;      ///< in closed form
  std::function<double(const Spring&, double)> criterion;     ///< <= 0 where it is stable, by Jury's test; scaled by the size of its terms
  std::function<double(double)> largest_step;                 ///< h sqrt(k/m) up to which it is stable, as a function of the damping ratio
};

Matrix2d matrix(double xx, double xv, double vx, double vv) { return (Matrix2d() << xx, xv, vx, vv).finished(); }

std::vector<Contestant> contestants() {
  const auto implicit = [](const Spring& s, double h) {
    const double d = 1 + h * s.c + h * h * s.k;
    return matrix((1 + h * s.c) / d, h / d, -h * s.k / d, 1 / d);
  };
  const auto always = [](const Spring&, double) { return -1.0; };
  const auto any = [](double) { return std::numeric_limits<double>::infinity(); };
  return {{Scheme::explicit_euler, "explicit Euler", [](const Spring& s, double h) { return matrix(1, h, -h * s.k, 1 - h * s.c); },
           [](const Spring& s, double h) { return std::max(h * s.k / s.c - 1, (2 * h * s.c) / (4 + h * h * s.k) - 1); },
           [](double zeta) { return zeta <= 1 ? 2 * zeta : 2 / (zeta + std::sqrt(zeta * zeta - 1)); }},
          {Scheme::semi_implicit, "semi-implicit Euler",
           [](const Spring& s, double h) { return matrix(1 - h * h * s.k, h * (1 - h * s.c), -h * s.k, 1 - h * s.c); },
           [](const Spring& s, double h) { return std::max(h * s.c / 2 - 1, (h * h * s.k + 2 * h * s.c) / 4 - 1); },
           [](double zeta) { return 2 / (zeta + std::sqrt(zeta * zeta + 1)); }},
          {Scheme::semi_implicit_damping, "the same, implicit damper",
           [](const Spring& s, double h) {
             const double a = 1 / (1 + h * s.c);
             return matrix(1 - h * h * s.k * a, h * a, -h * s.k * a, a);
           },
           [](const Spring& s, double h) { return h * h * s.k / (4 + 2 * h * s.c) - 1; },
           [](double zeta) { return 2 * (zeta + std::sqrt(zeta * zeta + 1)); }},
          {Scheme::implicit, "implicit Euler", implicit, always, any},
          {Scheme::compliant, "compliant rows", implicit, always, any}};
}

/// Returns the difference of the entries, in units that make those of an implicit step at most 1.
double difference(const Matrix2d& A, const Matrix2d& B, double h) {
  const Matrix2d D = A - B;
  return std::max({std::abs(D(0, 0)), std::abs(D(0, 1)) / h, std::abs(D(1, 0)) * h, std::abs(D(1, 1))}) /
         std::max({1.0, std::abs(B(0, 0)), std::abs(B(0, 1)) / h, std::abs(B(1, 0)) * h, std::abs(B(1, 1))});
}

double bisected_step(Scheme scheme, double zeta) {
  double low = 1e-4, high = 1e4;  // at k = 1 N/m and 1 kg the step itself
  while (high / low > 1 + 1e-12) {
    const double h = std::sqrt(low * high);
    (spectral_radius(step_matrix(scheme, {1, 2 * zeta}, h)) <= 1 + 1e-13 ? low : high) = h;
  }
  return low;
}

double power(double from, double to, int k, int n) { return std::pow(10, from + (to - from) * k / (n - 1)); }

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_stability",
                                   "A mass on a spring and damper in steps of Euler's methods [Drumwright 2019, Figs. 1 to 3]");
  report.say(
      "1 kg. One step of each integrator from (x, v) = (1, 0) and (0, 1) gives its matrix; its eigenvalues determine whether it is "
      "stable.");
  report.say(
      "`compliant rows`: the spring and damper as constraint rows; `implicit Euler`: as those of the joint. Both are "
      "CompliantIntegrator.\n");

  // Comparison with the closed forms, on a grid of steps, stiffnesses and dampings.
  const int every = report.is_short() ? 3 : 1;
  const std::vector<Contestant> all = contestants();
  experiments::Table table{
      {"scheme", "cases", "step matrix differs by", "stable", "criterion disagrees", "of these on its edge", "largest radius"}, {}},
      cases{{"scheme", "k [N/m]", "c [N s/m]", "h [s]", "spectral radius", "criterion"}, {}};
  const auto number = [](double x) { return actio::detail::to_text(x, 3); };
  for (const Contestant& one : all) {
    double apart = 0, largest = 0, count = 0, stable = 0, wrong = 0, at_edge = 0;
    for (int ih = 0; ih < 4; ++ih) {
      for (int ik = 0; ik < 15; ik += every) {
        for (int ic = -1; ic < 9; ic += every) {
          const double h = std::pow(10, ih - 4), k = std::pow(10, ik), c = ic < 0 ? 0 : std::pow(10, ic - 2);
          const Matrix2d B = step_matrix(one.scheme, {k, c}, h);
          const double rho = spectral_radius(B), criterion = one.criterion({k, c}, h);
          apart = std::max(apart, difference(B, one.matrix({k, c}, h), h));
          largest = std::max(largest, rho);
          ++count;
          stable += rho <= 1 + 1e-12;
          if ((rho <= 1 + 1e-12) != (criterion <= 0)) {
            ++wrong;
            at_edge += std::abs(criterion) < 1e-12;
          }
          cases.rows.push_back({one.name, k, c, h, rho, criterion});
        }
      }
    }
    table.rows.push_back({one.name, count, apart, stable, wrong, at_edge, largest});
    report.beside_paper(one.name + ": stable in", one.scheme == Scheme::compliant ? "all: unconditionally stable" : experiments::plotted,
                        experiments::text(stable, 4) + " of " + experiments::text(count, 4));
    report.check(one.name + ": its step matrix matches the closed form to 1e-12: " + number(apart), apart < 1e-12);
    report.check(one.name + ": its stability matches the criterion except on its boundary; elsewhere they differ in " +
                     number(wrong - at_edge) + " of " + number(count),
                 wrong == at_edge);
    const bool always = !std::isfinite(one.largest_step(1));
    report.check(one.name + (always ? ": stable in all cases: " : ": not stable in all cases: ") + number(stable) + " of " + number(count),
                 (stable == count) == always);
  }
  report.table("criteria", table);
  report.csv("cases", cases);

  // The stability map: damping ratio c / (2 sqrt(k m)) and h sqrt(k / m) determine stability completely.
  experiments::Panel map{"Largest stable step", "damping ratio c / (2 sqrt(k m))", "h sqrt(k/m)", true, true, {}};
  const int marks = report.is_short() ? 9 : 25;
  double off_map = 0;
  std::vector<experiments::Curve> measured;
  for (const Contestant& one : all) {
    if (!std::isfinite(one.largest_step(1))) continue;
    experiments::Curve law{one.name, {}, {}}, found{"measured", {}, {}, true};
    for (int k = 0; k < 201; ++k) {
      law.x.push_back(power(-2, 2, k, 201));
      law.y.push_back(one.largest_step(law.x.back()));
    }
    for (int k = 0; k < marks; ++k) {
      const double zeta = power(-2, 2, k, marks);
      if (std::abs(zeta - 1) < 1e-9) continue;  // a double eigenvalue: its boundary is known to half the digits
      found.x.push_back(zeta);
      found.y.push_back(bisected_step(one.scheme, zeta));
      off_map = std::max(off_map, std::abs(found.y.back() / one.largest_step(zeta) - 1));
    }
    map.curves.push_back(law);
    measured.push_back(found);
  }
  experiments::Curve found{"measured", {}, {}, true};
  for (const experiments::Curve& curve : measured) {
    found.x.insert(found.x.end(), curve.x.begin(), curve.x.end());
    found.y.insert(found.y.end(), curve.y.begin(), curve.y.end());
  }
  map.curves.push_back(found);

  std::vector<experiments::Panel> panels{map};
  for (const auto& [spring, name, decade] :
       {std::tuple(Spring{100, 1}, "k = 100 N/m, c = 1 N s/m", -3), std::tuple(Spring{1e8, 3e3}, "k = 1e8 N/m, c = 3e3 N s/m", -6)}) {
    experiments::Panel radius{std::string("Spectral radius, ") + name, "h [s]", "spectral radius", true, true, {}};
    for (const Contestant& one : all) {
      if (one.scheme == Scheme::implicit) continue;  // the same as compliant rows
      experiments::Curve curve{one.name, {}, {}};
      for (int k = 0; k < 201; ++k) {
        const double h = power(decade, decade + 4, k, 201), rho = spectral_radius(step_matrix(one.scheme, spring, h));
        if (rho > 100) break;
        curve.x.push_back(h);
        curve.y.push_back(rho);
      }
      radius.curves.push_back(curve);
    }
    panels.push_back(radius);
  }
  report.figure("stability", panels);

  // The motions.
  const Spring soft{100, 1};
  const double duration = 2;
  std::vector<experiments::Panel> motions;
  for (const Contestant& one : all) {
    if (one.scheme == Scheme::semi_implicit_damping || one.scheme == Scheme::implicit) continue;
    experiments::Panel panel{one.name + ", k = 100 N/m, c = 1 N s/m", "time [s]", "x [m]", false, false, {}};
    experiments::Curve exact{"exact", {}, {}};
    const double decay = soft.c / 2, omega = std::sqrt(soft.k - decay * decay);
    for (int k = 0; k <= 400; ++k) {
      const double t = duration * k / 400;
      exact.x.push_back(t);
      exact.y.push_back(std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t)));
    }
    for (const auto& [h, label] : {std::pair(0.005, "h = 5 ms"), std::pair(0.02, "20 ms"), std::pair(0.2, "200 ms")}) {
      experiments::Curve curve{label, {}, {}};
      for (const Eigen::Vector2d& z : motion(one.scheme, soft, {1, 0}, h, static_cast<int>(std::lround(duration / h)), 3)) {
        if (std::abs(z[0]) > 3) break;  // outside the picture
        curve.x.push_back(h * static_cast<double>(curve.x.size()));
        curve.y.push_back(z[0]);
      }
      panel.curves.push_back(curve);
    }
    panel.curves.push_back(exact);
    motions.push_back(panel);
  }
  report.figure("motion", motions);

  report.check("the boundaries in the map match the closed forms with a relative error of 1e-6: " + number(off_map), off_map < 1e-6);
  return report.verdict();
}
