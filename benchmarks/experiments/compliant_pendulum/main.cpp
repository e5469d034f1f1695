// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Fig. 4: a pendulum whose bob is a free body, pinned by stiff springs.
// Assumed: 1 kg, 0.025 kg m^2, 1 m, 9.8 m/s^2, springs of 1e14 N/m, from rest at horizontal.      [compliant_math.md, section 3]
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace compliant_pendulum;

double largest(const std::vector<double>& all) {
  double most = 0;
  for (const double x : all) most = std::max(most, std::abs(x));
  return most;
}

struct Contestant {
  std::string name;
  Freedom freedom;
  bool predictor;
};
const std::vector<Contestant> contestants{{"absolute", Freedom::absolute, false},
                                          {"absolute, predictor", Freedom::absolute, true},
                                          {"free", Freedom::free, false},
                                          {"free, predictor", Freedom::free, true}};

experiments::Curve over_time(const std::string& name, const Run& run, const std::vector<double>& y) {
  experiments::Curve curve{name, {}, {}};
  for (std::size_t k = 1; k < y.size(); ++k) {
    curve.x.push_back(static_cast<double>(k) * run.h);
    curve.y.push_back(y[k]);
  }
  return curve;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_pendulum", "A pendulum pinned by stiff springs [Drumwright 2019, Fig. 4]");
  report.say(
      "1 kg, 0.025 kg m^2, 1 m from the pin, 9.8 m/s^2, K = 1e14 N/m, C = 0, one second from rest at horizontal, with a potential energy "
      "of 9.8 J.");
  report.say(
      "`absolute`: coordinates (x, y, theta), as published; `free`: a free joint and a revolute closure. `predictor`: rows count how they");
  report.say("turn.\n");

  std::vector<double> steps{1e-2, 5e-3, 2e-3};
  if (!report.is_short()) steps.insert(steps.end(), {2e-2, 1e-3, 5e-4, 2e-4});
  std::sort(steps.rbegin(), steps.rend());
  experiments::Table table{{"bob", "h [ms]", "largest gap [m]", "max |E-E0| [J]", "error of the angle after 1 s [rad]"}, {}},
      orders{{"bob", "order of the gap", "of the energy error", "of the angle"}, {}},
      reach{{"bob", "h [s]", "h omega", "seconds", "fastest [rad/s]"}, {}};
  std::vector<experiments::Panel> panels{{"Gap of the pin, h = 10 ms", "time [s]", "m", false, true, {}},
                                         {"Gap of the pin, h = 1 ms", "time [s]", "m", false, true, {}},
                                         {"Largest gap of the pin", "h [s]", "m", true, true, {}},
                                         {"Energy error, h = 10 ms", "time [s]", "E - E0 [J]", false, false, {}},
                                         {"Energy error, h = 1 ms", "time [s]", "E - E0 [J]", false, false, {}},
                                         {"Fastest in 200 steps", "h [s]", "rad/s", false, true, {}}};
  const auto measured = [](double x) { return experiments::text(x, 3); };
  std::vector<double> gap_at_10_ms;
  for (const Contestant& one : contestants) {
    bool complete = true;
    experiments::Curve gap{one.name, {}, {}}, energy = gap, angle = gap, fastest = gap;
    const auto run_at = [&](double h, double duration) {
      return compliant({.freedom = one.freedom, .predictor = one.predictor, .h = h, .duration = duration});
    };
    for (const double h : steps) {
      const Run run = run_at(h, 1);
      const double angle_error = std::abs(run.angle_error);
      table.rows.push_back({one.name, 1e3 * h, largest(run.gap), largest(run.error), angle_error});
      for (const auto& [curve, y] :
           {std::pair(&gap, largest(run.gap)), std::pair(&energy, largest(run.error)), std::pair(&angle, angle_error)}) {
        curve->x.push_back(h);
        curve->y.push_back(y);
      }
      complete = complete && run.complete;
      if (h == 1e-2) gap_at_10_ms.push_back(largest(run.gap));
    }
    const double of_gap = experiments::exponent(gap, 0), of_energy = experiments::exponent(energy, 0),
                 of_angle = experiments::exponent(angle, 0);
    orders.rows.push_back({one.name, of_gap, of_energy, of_angle});
    const double order = one.predictor ? 3 : 2;
    report.check(one.name + ": every run is solved", complete);
    report.check(one.name + ": the gap of the pin falls with h^" + measured(order) + ", to 0.1: " + measured(of_gap),
                 std::abs(of_gap - order) < 0.1);
    report.check(
        one.name + ": the errors of energy and angle are of first order, to 0.1: " + measured(of_energy) + ", " + measured(of_angle),
        std::abs(of_energy - 1) < 0.1 && std::abs(of_angle - 1) < 0.1);
    panels[2].curves.push_back(gap);
    for (const std::size_t fine : {std::size_t(0), std::size_t(1)}) {
      const Run run = run_at(fine ? 1e-3 : 1e-2, 1);
      panels[fine].curves.push_back(over_time(one.name, run, run.gap));
      panels[3 + fine].curves.push_back(over_time(one.name, run, run.error));
      if (one.freedom != Freedom::absolute) continue;
      const std::string which = one.name + (fine ? ", h = 1 ms" : ", h = 10 ms");
      report.beside_paper(which + ": largest gap", experiments::plotted, experiments::text(largest(run.gap), 2) + " m");
      if (!one.predictor)
        report.beside_paper(which + ": largest energy error", "precisely zero", experiments::text(largest(run.error), 2) + " J of 9.8 J");
    }
    // The longest stable step. The bob of the rigid pendulum rotates at omega at its lowest point.
    const double omega = std::sqrt(2 * 9.8 / 1.025);
    double within = 0, beyond = 0;
    for (int k = 1; k <= 12; ++k) {
      const double h = 0.05 * k;
      const Run run = run_at(h, 200 * h);
      fastest.x.push_back(h);
      fastest.y.push_back(largest(run.speed));
      reach.rows.push_back({one.name, h, h * omega, static_cast<double>(run.gap.size() - 1) * h, fastest.y.back()});
      if (h * omega <= 1) within = std::max(within, fastest.y.back() / omega);
      if (h * omega > 2) beyond = std::max(beyond, fastest.y.back() / omega);
    }
    report.check(one.name + ": stable while h omega <= 1, speeds below 1.2 omega: " + measured(within) + " omega", within < 1.2);
    report.check(one.name + ": not stable at every step: where h omega > 2, faster than 10 omega: " + measured(beyond) + " omega",
                 beyond > 10);
    panels[5].curves.push_back(fastest);
  }
  report.table("errors", table);
  report.say("Orders in h");
  report.table("orders", orders);
  report.say("Long steps, 200 of them; omega = 4.37 rad/s where the bob is lowest");
  report.table("long_steps", reach);
  report.figure("gap", panels);
  const double less = gap_at_10_ms[0] / gap_at_10_ms[1];
  report.check("with the predictor the gap at 10 ms is more than 30 times smaller: " + measured(less), less > 30);
  const double apart = std::max(std::abs(gap_at_10_ms[2] / gap_at_10_ms[0] - 1), std::abs(gap_at_10_ms[3] / gap_at_10_ms[1] - 1));
  report.check(
      "a free joint with a revolute closure has the same gap at 10 ms as three coordinates, to 1 %: " + measured(100 * apart) + " %",
      apart < 0.01);
  return report.verdict();
}
