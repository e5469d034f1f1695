// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Fig. 9: how far a box slides down an incline, against the coefficient of friction.
// Assumed: 30 degrees, a ramp of 2e11 Pa, 1e6 N s/m for sticking friction; the paper's values are missing in our copy of the text. As in
// the paper: Hertzian feet of 0.01 m radius, a damping of one, 10 ms.                                     [compliant_math.md, section 6]
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/core/text.hpp"
#include "runs.hpp"
#include "support/report.hpp"

namespace {

using namespace compliant_incline;
using actio::ConeLaw;

/// Returns the displacement of semi-implicit Euler for a point under constant acceleration.
double closed_form(const Settings& s) {
  const double a = g * (std::sin(slope) - s.friction * std::cos(slope));
  return a > 0 ? a / 2 * s.duration * s.duration * (1 + s.h / s.duration) : 0;
}
/// Returns the creep of a sticking box.
double creep(const Settings& s) { return g * std::sin(slope) / (4 * s.tangential_damping) * s.duration; }

double highest(const Path& path) { return *std::max_element(path.z.begin(), path.z.end()); }
bool is_complete(const Path& path, const Settings& s) {
  return path.x.size() == static_cast<std::size_t>(std::lround(s.duration / s.h)) + 1;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_incline",
                                   "A box on an incline, the coefficient of friction varied [Drumwright 2019, Fig. 9]");
  report.say(
      "1 kg, 0.2 x 0.1 x 0.05 m, 30 degrees, 9.8 m/s^2, h = 10 ms, a second from rest; four rigid feet of 0.01 m radius on a half-space");
  report.say(
      "of 2e11 Pa: F = 4/3 E sqrt(r) d^1.5, in each step by its tangent at the depth that a foot has or reaches; damping 1 N s/m at rest;");
  report.say("C_t = 1e6 N s/m for sticking feet. Closed form: a T^2 / 2 (1 + h/T), a = g (sin - mu cos); a box that sticks creeps 1.2 um.");
  report.say(
      "`published` minimises forces, with a weight on normal ones: 0.01 C_t^2 is good for the first 0.2 s, 0.03 C_t^2 keeps the box on the "
      "ramp for the");
  report.say("whole second. A run ends early if a program is not solved or the box is thrown 1 m high.\n");

  std::vector<double> frictions;
  for (int k = 0; k <= (report.is_short() ? 6 : 36); ++k) frictions.push_back(report.is_short() ? 0.15 * k : 0.025 * k);
  struct Contestant {
    std::string name;
    Path (*run)(const Settings&);
    double tolerance;  ///< of the distance slid [m]; 0: not checked
  };
  const std::vector<Contestant> contestants{
      {"Coulomb", [](const Settings& s) { return compliant(ConeLaw::coulomb, s); }, 1e-6},
      {"Coulomb, dense", [](const Settings& s) { return dense(ConeLaw::coulomb, s); }, 1e-6},
      {"convex", [](const Settings& s) { return compliant(ConeLaw::convex, s); }, 0.05},
      {"published, 0.03 C_t^2", [](const Settings& s) { return published(0.03 * s.tangential_damping * s.tangential_damping, s); }, 0},
      {"published, 0.01 C_t^2", [](const Settings& s) { return published(0.01 * s.tangential_damping * s.tangential_damping, s); }, 0},
      {"published, 1/h", [](const Settings& s) { return published(1 / s.h, s); }, 0}};
  experiments::Table table{{"law", "friction", "slid [m]", "closed form [m]", "difference [m]", "highest [mm]"}, {}},
      summary{{"law", "runs", "ended early", "largest difference, sliding [m]", "sticking [m]", "highest [mm]"}, {}};
  experiments::Panel slid{"Distance slid in 1 s", "coefficient of friction", "m", false, false, {}},
      apart{"Its difference from the closed form", "coefficient of friction", "m", false, true, {}},
      height{"Highest point in 1 s, where it rises", "coefficient of friction", "mm", false, true, {}};
  experiments::Curve law{"closed form", {}, {}}, ride{"h mu v", {}, {}};
  for (int k = 0; k <= 360; ++k) {
    const Settings s{.friction = 0.0025 * k};
    law.x.push_back(s.friction);
    law.y.push_back(closed_form(s));
    const double speed = g * (std::sin(slope) - s.friction * std::cos(slope)) * s.duration;
    if (s.friction * speed <= 0) continue;
    ride.x.push_back(s.friction);
    ride.y.push_back(1e3 * s.h * s.friction * speed);
  }
  slid.curves.push_back(law);
  apart.curves.push_back({law.label, {}, {}});  // not drawn; keeps the colours of the laws
  height.curves.push_back(ride);
  for (const Contestant& one : contestants) {
    experiments::Curve distance{one.name, {}, {}}, difference = distance, above = distance;
    double sliding = 0, sticking = 0, most = 0, early = 0, creeps = 0, least_ride = 1e300, most_ride = 0;
    bool falls = true;
    for (const double mu : frictions) {
      const Settings s{.friction = mu};
      const Path path = one.run(s);
      const double expected = closed_form(s), wrong = std::abs(path.x.back() - expected);
      const bool sticks = mu > std::tan(slope);
      const double top = 1e3 * highest(path);
      most = std::max(most, top);
      if (!is_complete(path, s)) {
        ++early;
        continue;
      }
      falls = falls && (distance.y.empty() || path.x.back() < distance.y.back() || sticks);
      if (sticks) creeps = std::max(creeps, path.x.back() / creep(s));
      const double end_speed = g * (std::sin(slope) - mu * std::cos(slope)) * s.duration;
      if (mu >= 0.1 && mu <= 0.5) {
        const double risen = top / (1e3 * s.h * mu * end_speed);
        least_ride = std::min(least_ride, risen);
        most_ride = std::max(most_ride, risen);
      }
      (sticks ? sticking : sliding) = std::max(sticks ? sticking : sliding, wrong);
      table.rows.push_back({one.name, mu, path.x.back(), expected, wrong, top});
      distance.x.push_back(mu);
      distance.y.push_back(path.x.back());
      difference.x.push_back(mu);
      difference.y.push_back(std::max(wrong, 1e-14));
      if (top > 1e-3) {
        above.x.push_back(mu);
        above.y.push_back(top);
      }
    }
    const auto measured = [](double x) { return actio::detail::to_text(x, 2); };
    if (one.tolerance > 0) {
      report.check(one.name + ": every run is solved, and the distance decreases with friction", early == 0 && falls);
      report.check(one.name + ": the distance slid is within " + measured(one.tolerance) +
                       " m of the closed form, linear in friction: " + measured(sliding),
                   early == 0 && sliding < one.tolerance);
      report.check(one.name + ": from tan 30 = 0.577 on it sticks, and creeps at most 1.3 times 1.2 um: " + measured(creeps) + " times",
                   early == 0 && creeps > 0 && creeps < 1.3);
    }
    if (one.name == "convex") {
      report.check("convex: the sliding box rises by 0.8 to 3 times h mu v, for frictions of 0.1 to 0.5: " + measured(least_ride) + " to " +
                       measured(most_ride),
                   least_ride > 0.8 && most_ride < 3);
    }
    if (one.name == "published, 1/h") {
      report.check("published, 1/h: the result is wrong by more than 0.1 m, or runs end early: " + measured(sliding) + " m, " +
                       measured(early) + " runs",
                   sliding > 0.1 || early > 0);
    }
    if (one.name != "Coulomb, dense") {
      report.beside_paper(one.name + ": distance slid against friction", "'inversely proportional'",
                          "linear to " + experiments::text(sliding, 2) + " m; at most " + experiments::text(most, 2) + " mm high");
    }
    summary.rows.push_back({one.name, static_cast<double>(frictions.size()), early, sliding, sticking, most});
    if (one.name == "Coulomb, dense") continue;  // the points coincide
    slid.curves.push_back(distance);
    apart.curves.push_back(difference);
    height.curves.push_back(above);
  }
  report.csv("sweep", table);
  report.table("laws", summary);

  // The weight of the published program.
  experiments::Table weights{{"C_t [N s/m]", "seconds", "weight / C_t^2", "slid [m]", "closed form [m]", "highest [mm]"}, {}};
  experiments::Panel by_weight{"Published, friction 0.3: slid, of the closed form", "weight / C_t^2", "", true, false, {}},
      thrown{"Published, friction 0.3: highest, where it rises", "weight / C_t^2", "mm", true, true, {}};
  for (const auto& [C_t, duration] : {std::pair(1e2, 0.2), std::pair(1e4, 0.2), std::pair(1e6, 0.2), std::pair(1e6, 1.0)}) {
    experiments::Curve x{"C_t = " + actio::detail::to_text(C_t, 3) + ", " + actio::detail::to_text(duration, 2) + " s", {}, {}}, z = x;
    for (int k = 0; k <= (report.is_short() ? 5 : 20); ++k) {
      const double weight = std::pow(10, -6 + (report.is_short() ? 2.0 : 0.5) * k);
      const Settings s{.tangential_damping = C_t, .duration = duration};
      const Path path = published(weight * C_t * C_t, s);
      if (!is_complete(path, s)) continue;
      weights.rows.push_back({C_t, duration, weight, path.x.back(), closed_form(s), 1e3 * highest(path)});
      x.x.push_back(weight);
      x.y.push_back(path.x.back() / closed_form(s));
      if (highest(path) < 1e-6) continue;
      z.x.push_back(weight);
      z.y.push_back(1e3 * highest(path));
    }
    if (C_t == 1e4) {
      const auto off = [&](double weight) {
        for (std::size_t k = 0; k < x.x.size(); ++k) {
          if (std::abs(x.x[k] / weight - 1) < 1e-6) return std::abs(x.y[k] - 1);
        }
        return 1e300;  // the run ended early
      };
      const double top = z.y.empty() ? 0 : *std::max_element(z.y.begin(), z.y.end());
      report.check(
          "published: with a weight of 0.01 C_t^2 the distance is right to 1e-4, with 1 C_t^2 more than 20 % too large, and small weights "
          "throw the box over 1 mm high: " +
              actio::detail::to_text(off(1e-2), 2) + ", " + actio::detail::to_text(off(1), 2) + ", " + actio::detail::to_text(top, 2) +
              " mm",
          off(1e-2) < 1e-4 && off(1) > 0.2 && top > 1);
    }
    by_weight.curves.push_back(x);
    thrown.curves.push_back(z);
  }
  report.csv("weights", weights);
  experiments::Panel over_time{"Coulomb: way over time", "time [s]", "m", false, false, {}};
  for (const double mu : {0.0, 0.2, 0.4, 0.5, 0.55, 0.6}) {
    const Path path = compliant(ConeLaw::coulomb, {.friction = mu});
    experiments::Curve curve{"mu = " + actio::detail::to_text(mu, 3), {}, path.x};
    for (std::size_t k = 0; k < path.x.size(); ++k) curve.x.push_back(static_cast<double>(k) * path.h);
    over_time.curves.push_back(curve);
  }
  report.figure("slide", {slid, apart, height, over_time, by_weight, thrown});
  // Check of Hertz' law itself: released without friction where the feet just touch, the box settles at the depth of the law.
  const Path settled = compliant(ConeLaw::coulomb, {.friction = 0, .duration = 0.5, .touching = true});
  const double off_depth = std::abs(settled.z.back()) / hertz_depth();
  report.beside_paper(
      "Force and depth of a foot at rest", "stated; the numbers are missing in our copy",
      experiments::text(g * std::cos(slope) / 4, 3) + " N, " + experiments::text(hertz_depth() - settled.z.back(), 4) + " m");
  report.check("feet settle at the depth of Hertz' law, " + actio::detail::to_text(hertz_depth(), 4) +
                   " m, to 1e-4: " + actio::detail::to_text(off_depth, 2),
               is_complete(settled, {.duration = 0.5}) && off_depth < 1e-4);
  return report.verdict();
}
