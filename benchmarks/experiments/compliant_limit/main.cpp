// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Fig. 6: a pendulum that hits the end of its range.
// Assumed: a point of 1 kg on 1 m, 9.8 m/s^2, from rest at horizontal, the stop straight down.   [compliant_math.md, section 4.5]
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/core/text.hpp"
#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace compliant_limit;
using actio::Compliance;

const double impact_speed = std::sqrt(2 * 9.8);                       // [rad/s]
const double impact_time = 1.8540746773013719 / std::sqrt(9.8);       // complete elliptic integral of modulus sin(pi/4)   [s]

/// Returns the speed when the stop is first left, relative to the speed of impact; 0 if it is never left.
double restitution(const Run& run) {
  const auto met = std::find_if(run.theta.begin(), run.theta.end(), [](double theta) { return theta < 0; });
  const auto left = std::find_if(met, run.theta.end(), [](double theta) { return theta > 0; });
  if (left == run.theta.end()) return 0;
  return run.omega[static_cast<std::size_t>(left - run.theta.begin())] / impact_speed;
}

/// Returns the largest distance from the truth at common nodes.  The truth has shorter steps than the run.
double error(const Run& run, const Run& truth) {
  const auto every = static_cast<std::size_t>(std::lround(run.h / truth.h));
  double most = 0;
  for (std::size_t k = 0; k < run.theta.size() && k * every < truth.theta.size(); ++k) {
    most = std::max(most, std::abs(run.theta[k] - truth.theta[k * every]));
  }
  return most;
}

experiments::Curve motion(const std::string& name, const Run& run) {
  experiments::Curve curve{name, {}, run.theta};
  for (std::size_t k = 0; k < run.theta.size(); ++k) curve.x.push_back(static_cast<double>(k) * run.h);
  return curve;
}

std::string milliseconds(double h) { return "h = " + actio::detail::to_text(1e3 * h, 3) + " ms"; }

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_limit", "A pendulum that hits the end of its range [Drumwright 2019, Fig. 6]");
  report.say(
      "A point of 1 kg on 1 m, 9.8 m/s^2, from rest at horizontal; it meets the stop, straight down, after 0.592 s with 4.43 rad/s.");
  report.say(
      "`truth`: the same spring and damper as a force, Runge-Kutta 4 in steps much shorter than the impact; for a rigid stop, rest after "
      "the impact.\n");
  const double duration = 2;

  // Two springs that steps can resolve, and one that they cannot.
  struct Case {
    std::string name;
    Compliance<double> spring;
    double truth;  // its step [s]; 0: rigid, plastic
    std::vector<double> steps;
  };
  std::vector<double> fine{1e-2, 1e-3, 5e-4, 2.5e-4, 1e-4, 5e-5, 2e-5};
  if (report.is_short()) fine.resize(4);
  const std::vector<Case> cases{{"K = 1e3, C = 10", {1e3, 10}, report.is_short() ? 1e-5 : 2e-6, fine},
                                {"K = 1e6, C = 100", {1e6, 100}, report.is_short() ? 1e-5 : 1e-6, fine},
                                {"K = 1e14, C = 0", {1e14, 0}, 0, {0.1, 1e-2, 1e-3}}};
  experiments::Table table{{"stop [N m/rad, N m s/rad]", "h [ms]", "h sqrt(K/m)", "restitution", "deepest [rad]", "error [rad]"}, {}},
      nodes{{"stop", "h [s]", "t [s]", "theta [rad]", "omega [rad/s]"}, {}};
  std::vector<experiments::Panel> motions;
  experiments::Panel errors{"Largest error in 2 s", "h [s]", "rad", true, true, {}};
  const auto measured = [](double x) { return actio::detail::to_text(x, 3); };
  bool complete = true;
  double rigid_bounce = 0, rigid_depth = 0, rigid_error = 0;
  for (const Case& one : cases) {
    Run truth{1e-3, {}, {}};
    if (one.truth > 0) {
      truth = as_force(one.spring, one.truth, duration);
    } else {
      truth = as_force({1e14, 0}, truth.h, impact_time);  // free fall, then rest
      while (truth.theta.size() <= static_cast<std::size_t>(std::lround(duration / truth.h))) truth.theta.push_back(0);
    }
    const auto lowest = [](const Run& run) { return *std::min_element(run.theta.begin(), run.theta.end()); };
    table.rows.push_back({one.name, "truth", "", one.truth > 0 ? restitution(truth) : 0, lowest(truth), ""});
    experiments::Panel panel{one.name, "time [s]", "theta [rad]", false, false, {}};
    experiments::Curve of_error{one.name, {}, {}};
    for (const double h : one.steps) {
      const Run run = compliant(one.spring, h, duration);
      const double wrong = error(run, truth), bounce = restitution(run), deepest = lowest(run),
                   length = h * std::sqrt(one.spring.stiffness);
      table.rows.push_back({one.name, actio::detail::to_text(1e3 * h, 3), actio::detail::to_text(length, 3), bounce, deepest,
                            actio::detail::to_text(wrong, 3)});
      if (one.truth == 0 || h == 1e-2 || h == 1e-3 || h == 1e-4) panel.curves.push_back(motion(milliseconds(h), run));
      of_error.x.push_back(h);
      of_error.y.push_back(wrong);
      for (std::size_t k = 0; k < run.theta.size() && h > 5e-4; ++k) {
        nodes.rows.push_back({one.name, h, static_cast<double>(k) * h, run.theta[k], run.omega[k]});
      }
      complete = complete && run.theta.size() == static_cast<std::size_t>(std::lround(duration / h)) + 1;
      if (one.truth > 0) continue;
      rigid_bounce = std::max(rigid_bounce, bounce);
      rigid_depth = std::max(rigid_depth, -deepest);
      rigid_error = std::max(rigid_error, wrong / h);
    }
    panel.curves.push_back(motion("truth", truth));
    motions.push_back(panel);
    errors.curves.push_back(of_error);
  }
  report.table("runs", table);
  report.csv("motions", nodes);
  const double order = experiments::exponent(errors.curves[0], 0);
  report.check("every run is solved", complete);
  report.check("K = 1e3: the error is of first order, to 0.2: " + measured(order), std::abs(order - 1) < 0.2);
  report.check("K = 1e14: the pendulum leaves the stop with less than 1e-6 of its speed: " + measured(rigid_bounce), rigid_bounce < 1e-6);
  report.check("K = 1e14: the stop is violated by at most 1e-9 rad with steps of 1 to 100 ms: " + measured(rigid_depth),
               rigid_depth < 1e-9);
  report.check("K = 1e14: the error is less than one step of the fall, 5 rad/s h: " + measured(rigid_error) + " h", rigid_error < 5);

  // Without a damper implicit Euler multiplies the speed by 1 / sqrt(1 + x^2) a step, x = h sqrt(K/m), and advances the phase by atan x.
  experiments::Panel bounces{"Restitution without damper", "h sqrt(K/m)", "speed after / before", true, false, {}};
  experiments::Curve law{"closed form", {}, {}}, found{"measured, K = 1e4, 1e6, 1e10", {}, {}, true};
  const auto predicted = [](double x) { return std::exp(-std::acos(-1.0) / 2 * std::log1p(x * x) / std::atan(x)); };
  for (int k = 0; k <= 200; ++k) {
    law.x.push_back(std::pow(10, -3 + 5.0 * k / 200));
    law.y.push_back(predicted(law.x.back()));
  }
  double off_law = 0, long_steps = 0;
  for (const double K : {1e4, 1e6, 1e10}) {
    for (int k = 0; k < 17; ++k) {
      const double x = std::pow(10, -2 + 4.0 * k / 16), h = x / std::sqrt(K);
      if (h > 0.05 || h < (report.is_short() ? 5e-5 : 5e-6)) continue;
      found.x.push_back(x);
      found.y.push_back(restitution(compliant({K, 0}, h, 1)));
      if (x > 5) long_steps = std::max(long_steps, found.y.back());
      if (x < 0.1) off_law = std::max(off_law, std::abs(found.y.back() / predicted(x) - 1));
    }
  }
  bounces.curves = {law, found};
  motions.push_back(errors);
  motions.push_back(bounces);
  report.figure("motion", motions);
  report.beside_paper("Order of the method, a stop of 1e3 N m/rad", "1", actio::detail::to_text(order, 3));
  report.say("order of the error at K = 1e3: " + actio::detail::to_text(order, 3));
  report.check("without damper, restitution is (1 + x^2)^(-pi / (2 atan x)), x = h sqrt(K/m), to 1e-3 where x < 0.1: " + measured(off_law),
               off_law < 1e-3);
  report.check("without damper, after steps longer than the impact, x > 5, less than 0.15 of the speed remains: " + measured(long_steps),
               long_steps < 0.15);
  return report.verdict();
}
