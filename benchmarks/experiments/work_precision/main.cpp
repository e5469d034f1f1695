// SPDX-License-Identifier: BSD-3-Clause
// What accuracy costs: error in energy and in position against processor time, by integrator and step length.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "actio/model/ready/chain.hpp"
#include "actio/model/ready/quadruped.hpp"
#include "actio/model/ready/random.hpp"
#include "run.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::Cell, experiments::Table;
using work_precision::Run, work_precision::System;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

struct Scheme {
  std::string name;
  Run (*run)(const System&, double, double, const std::vector<double>&);
};
/// A further integrator is one more line.
const std::vector<Scheme> schemes{{"euler", work_precision::euler}, {"rk4", work_precision::rk4}, {"variational", work_precision::variational}};

std::vector<System> systems() {
  std::vector<System> all;
  Model<double> chain = experiments::lee2016_chain(10), pair = models::planar_chain<double>(2),
                quadruped = models::quadruped<double>().with_gravity(Vector3<double>::Zero());
  State<double> horizontal{models::horizontal(chain), VectorX<double>::Zero(10), 0}, swing{VectorX<double>(2), VectorX<double>::Zero(2), 0},
      tumbling{models::random_configuration(quadruped, 1, 0.3), models::random_velocity(quadruped, 2, 1), 0};
  swing.q << 0.6, 0.4;
  all.push_back({"double pendulum", std::move(pair), swing});
  all.push_back({"floating quadruped", std::move(quadruped), tumbling});
  all.push_back({"10-link chain", std::move(chain), horizontal});
  return all;
}

/// What a scheme's runs on a system came to, the longest step first.
struct Series {
  std::string scheme;
  std::vector<double> cost;    ///< [s] of processor for a second simulated
  std::vector<double> energy;  ///< relative to the largest kinetic energy
  std::vector<std::vector<double>> position;  ///< [m] at each mark
};

/// The cost at which an error falls below a target for good, between two step lengths by powers; NaN where it never does.
double cost_of(const std::vector<double>& cost, const std::vector<double>& error, double target) {
  std::size_t k = error.size();
  while (k > 0 && error[k - 1] <= target) --k;  // the first of the runs that are all good enough
  if (k == error.size()) return none;
  if (k == 0 || !std::isfinite(error[k - 1]) || error[k] <= 0) return cost[k];
  const double share = std::log(error[k - 1] / target) / std::log(error[k - 1] / error[k]);
  return cost[k - 1] * std::pow(cost[k] / cost[k - 1], share);
}

/// Rows: what an error costs by each scheme and which is cheapest.
void add_costs(Table& table, const std::string& system, const std::string& what, const std::vector<Series>& all, auto error_of) {
  for (const double target : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    std::vector<Cell> row{system, what, target};
    std::string cheapest = "-";
    double least = std::numeric_limits<double>::infinity();
    for (const Series& series : all) {
      const double cost = cost_of(series.cost, error_of(series), target);
      row.push_back(std::isfinite(cost) ? Cell(1e3 * cost) : Cell(std::string("-")));
      if (cost < least) least = cost, cheapest = series.scheme;
    }
    if (cheapest == "-") continue;
    row.push_back(cheapest);
    table.rows.push_back(row);
  }
}

experiments::Curve curve(const Series& series, const std::vector<double>& error) {
  experiments::Curve curve{series.scheme, {}, {}};
  for (std::size_t k = 0; k < error.size(); ++k) {
    if (!(error[k] > 0)) continue;
    curve.x.push_back(1e3 * series.cost[k]);
    curve.y.push_back(error[k]);
  }
  return curve;
}

}  // namespace

int main(int argc, char** argv) {
  bool hour = false;
  const experiments::Report report(argc, argv, "work_precision", "Error in energy and position against processor time",
                                   {{"--hour", "An hour simulated instead of 10 s, the energy only: takes half an hour", hour}});
  const double duration = hour ? (report.is_short() ? 60 : 3600) : (report.is_short() ? 1 : 10);
  const std::string tag = hour ? "_hour" : "";
  std::vector<double> marks{1, 10};
  while (!marks.empty() && (hour || marks.back() > duration)) marks.pop_back();
  std::vector<double> lengths = hour ? std::vector<double>{50, 25, 10, 5, 2.5, 1}
                                     : std::vector<double>{50, 25, 10, 5, 2.5, 1, 0.5, 0.25, 0.1};  // [ms], parts of 50
  if (report.is_short()) lengths = {10, 5};

  Table runs{{"system", "integrator", "h [ms]", "ms/s", "simulated [s]", "max |dE|/K"}, {}};
  for (const double mark : marks) runs.columns.push_back("position at " + std::to_string(static_cast<int>(mark)) + " s [m]");
  Table costs{{"system", "error", "at most"}, {}};
  for (const Scheme& scheme : schemes) costs.columns.push_back(scheme.name + " [ms/s]");
  costs.columns.push_back("cheapest");
  std::vector<experiments::Panel> energies, positions;
  report.say("The largest error of energy over " + std::to_string(static_cast<int>(duration)) + " s, relative to the largest kinetic energy. Cost: ms of processor a second simulated.\n");
  for (const System& system : systems()) {
    std::vector<work_precision::Places> reference;
    double kinetic = work_precision::rk4(system, 1e-3, std::min(duration, 10.0), {}).largest_kinetic;
    if (!marks.empty()) {
      const double h = report.is_short() ? 1e-3 : 5e-5;
      reference = work_precision::rk4(system, h, duration, marks).places;
      const Run twice = work_precision::rk4(system, 2 * h, duration, marks);
      std::string words = system.name + ": the reference, Runge-Kutta 4 at " + std::to_string(1e3 * h) + " ms, is good to about";
      for (std::size_t m = 0; m < reference.size(); ++m) {
        char text[40];
        std::snprintf(text, sizeof text, " %.1e m at %g s", work_precision::distance(reference[m], twice.places[m]), marks[m]);
        words += text;
      }
      report.say(words);
    }
    std::vector<Series> all;
    for (const Scheme& scheme : schemes) {
      Series series{scheme.name, {}, {}, std::vector<std::vector<double>>(marks.size())};
      for (const double ms : lengths) {
        const Run run = scheme.run(system, 1e-3 * ms, duration, marks);
        const bool good = run.reached(duration);
        series.cost.push_back(run.seconds / std::max(run.simulated, 1e-3));
        series.energy.push_back(good ? run.energy_error / kinetic : none);
        std::vector<Cell> row{system.name, scheme.name, ms, 1e3 * series.cost.back(), run.simulated, series.energy.back()};
        for (std::size_t m = 0; m < marks.size(); ++m) {
          series.position[m].push_back(m < run.places.size() ? work_precision::distance(run.places[m], reference[m]) : none);
          row.push_back(series.position[m].back());
        }
        runs.rows.push_back(row);
      }
      all.push_back(std::move(series));
    }
    add_costs(costs, system.name, "energy", all, [](const Series& s) { return s.energy; });
    energies.push_back({system.name, "ms of processor a second simulated", "max |E - E0| / K", true, true, {}});
    for (const Series& series : all) energies.back().curves.push_back(curve(series, series.energy));
    for (std::size_t m = 0; m < marks.size(); ++m) {
      const std::string when = "position at " + std::to_string(static_cast<int>(marks[m])) + " s [m]";
      add_costs(costs, system.name, when, all, [&](const Series& s) { return s.position[m]; });
      positions.push_back({system.name, "ms of processor a second simulated", when, true, true, {}});
      for (const Series& series : all) positions.back().curves.push_back(curve(series, series.position[m]));
    }
  }
  report.say("");
  report.table("runs" + tag, runs);
  report.say("What an error costs: ms of processor a second simulated, between step lengths by powers. '-': not with the steps tried");
  report.table("costs" + tag, costs);
  report.figure("energy" + tag, energies);
  if (!positions.empty()) report.figure("position" + tag, positions);
  return 0;
}
