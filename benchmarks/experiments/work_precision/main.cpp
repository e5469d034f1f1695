// SPDX-License-Identifier: BSD-3-Clause
// The cost of accuracy: error in energy and in position against processor time, by integrator and step length.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
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
  Run (*run)(const System&, double, const std::vector<double>&);
  int order;
  bool bounded = false;  ///< its energy error does not grow with time
};
/// Another integrator is one more line; Runge-Kutta 4 must remain the second.
const std::vector<Scheme> schemes{{"euler", work_precision::euler, 1},
                                  {"rk4", work_precision::rk4, 4},
                                  {"variational", work_precision::variational, 2, true},
                                  {"constant_cost", work_precision::constant_cost, 2, true},
                                  {"variational4", work_precision::variational4, 4, true},
                                  {"variational6", work_precision::variational6, 6, true}};

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

std::string digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2g", x);
  return text;
}
std::string energy_until(double t) { return "dE/K, " + std::to_string(static_cast<int>(t)) + " s"; }
std::string position_at(double t) { return "position at " + std::to_string(static_cast<int>(t)) + " s [m]"; }

/// The results of a scheme on a system, longest step first.
struct Series {
  std::string scheme;
  std::vector<double> cost;                           ///< [s] of processor time for a simulated second
  std::vector<std::vector<double>> energy, position;  ///< by mark: relative to the largest kinetic energy; [m]
};

/// Returns the cost from which on an error stays below a target, interpolated by powers between step lengths; NaN if there is none.
double cost_of(const std::vector<double>& cost, const std::vector<double>& error, double target) {
  std::size_t k = error.size();
  while (k > 0 && error[k - 1] <= target) --k;  // the first of the runs from which on all are accurate enough
  if (k == error.size()) return none;
  if (k == 0 || !std::isfinite(error[k - 1]) || error[k] <= 0) return cost[k];
  const double share = std::log(error[k - 1] / target) / std::log(error[k - 1] / error[k]);
  return cost[k - 1] * std::pow(cost[k] / cost[k - 1], share);
}

/// Adds rows: the cost of an error by each scheme, and the cheapest scheme.
void add_costs(Table& table, const std::string& system, const std::string& what, const std::vector<Series>& all, auto error_of) {
  for (const double target : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
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

/// Returns the error at a cost, interpolated by powers between step lengths; NaN outside.
double error_at(const std::vector<double>& cost, const std::vector<double>& error, double wanted) {
  for (std::size_t k = 1; k < cost.size(); ++k) {
    if (cost[k - 1] > wanted || wanted > cost[k] || cost[k - 1] == cost[k]) continue;
    return error[k - 1] * std::pow(error[k] / error[k - 1], std::log(wanted / cost[k - 1]) / std::log(cost[k] / cost[k - 1]));
  }
  return none;
}

/// Adds rows: Runge-Kutta 4 at the cost of a scheme whose error does not grow, and the time at which its error becomes as large.
void add_equal_costs(Table& table, const std::string& system, const std::vector<double>& lengths, double mark,
                     const std::vector<Series>& all) {
  for (std::size_t s = 0; s < schemes.size(); ++s) {
    if (!schemes[s].bounded) continue;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const double error = all[s].energy.back()[k], of_rk4 = error_at(all[1].cost, all[1].energy.back(), all[s].cost[k]);
      if (std::isfinite(error) && std::isfinite(of_rk4))
        table.rows.push_back({system, all[s].scheme, lengths[k], 1e3 * all[s].cost[k], error, of_rk4, mark * error / of_rk4 / 3600});
    }
  }
}

/// Returns the order from the two shortest steps whose errors are well above those of the reference and of rounding; NaN if there are none.
double order_of(const std::vector<double>& lengths, const std::vector<double>& error) {
  constexpr double well_above = 5e-12;  ///< [m]
  double order = none;
  for (std::size_t k = 1; k < error.size(); ++k) {
    if (error[k] > well_above) order = std::log(error[k - 1] / error[k]) / std::log(lengths[k - 1] / lengths[k]);
  }
  return order;
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
                                   {{"--hour", "Run the energy over an hour instead of 10 s, which takes twenty minutes", hour}});
  std::vector<double> marks = hour ? std::vector<double>{10, 60, 600, 3600} : std::vector<double>{1, 10};
  if (report.is_short()) marks.resize(hour ? 2 : 1);
  std::vector<double> lengths{50, 25, 10, 5, 2.5, 1, 0.5, 0.25, 0.1};  // [ms], divisors of 50
  if (hour) lengths.resize(6);
  if (report.is_short()) lengths = {25, 10, 5};
  const std::string tag = hour ? "_hour" : "";

  Table runs{{"system", "integrator", "h [ms]", "ms/s", "simulated [s]"}, {}};
  for (const double mark : marks) runs.columns.push_back(energy_until(mark));
  for (const double mark : marks) {
    if (!hour) runs.columns.push_back(position_at(mark));
  }
  Table costs{{"system", "error", "at most"}, {}};
  for (const Scheme& scheme : schemes) costs.columns.push_back(scheme.name + " [ms/s]");
  costs.columns.push_back("cheapest");
  Table equal{{"system", "integrator", "h [ms]", "ms/s", energy_until(marks.back()), "rk4 at that cost", "as large after [h]"}, {}};
  std::vector<experiments::Panel> energies, positions;
  std::vector<std::vector<double>> orders(schemes.size());
  double cost_matters = 0;  // largest relative difference between the errors of variational and constant_cost at 5 ms and less
  bool complete = true;     // at 5 ms and less
  report.say(
      "dE: the largest |E - E0| until then, relative to K, the largest kinetic energy. ms/s: processor time per simulated second.\n");
  for (const System& system : systems()) {
    const double kinetic = work_precision::rk4(system, 1e-3, {std::min(marks.back(), 10.0)}).largest_kinetic;
    std::vector<work_precision::Places> reference;
    if (!hour) {
      const double h = report.is_short() ? 1e-4 : 5e-5;
      reference = work_precision::rk4(system, h, marks).places;
      const Run twice = work_precision::rk4(system, 2 * h, marks);
      std::string words = system.name + ": the reference, Runge-Kutta 4 at " + digits(1e3 * h) + " ms, has an accuracy of about";
      for (std::size_t m = 0; m < marks.size(); ++m) {
        words += " " + digits(work_precision::distance(reference[m], twice.places[m])) + " m at " + digits(marks[m]) + " s";
      }
      report.say(words);
    }
    std::vector<Series> all;
    for (const Scheme& scheme : schemes) {
      Series series{scheme.name, {}, std::vector<std::vector<double>>(marks.size()), std::vector<std::vector<double>>(reference.size())};
      for (const double ms : lengths) {
        const Run run = scheme.run(system, 1e-3 * ms, marks);
        series.cost.push_back(run.seconds / std::max(run.simulated, 1e-3));
        std::vector<Cell> row{system.name, scheme.name, ms, 1e3 * series.cost.back(), run.simulated};
        for (std::size_t m = 0; m < marks.size(); ++m) {
          series.energy[m].push_back(m < run.energy_error.size() ? run.energy_error[m] / kinetic : none);
          row.push_back(series.energy[m].back());
        }
        for (std::size_t m = 0; m < reference.size(); ++m) {
          series.position[m].push_back(m < run.places.size() ? work_precision::distance(run.places[m], reference[m]) : none);
          row.push_back(series.position[m].back());
        }
        runs.rows.push_back(row);
      }
      all.push_back(std::move(series));
    }
    for (std::size_t s = 0; s < schemes.size(); ++s) {
      if (!reference.empty()) orders[s].push_back(order_of(lengths, all[s].position[0]));
      for (std::size_t k = 0; k < lengths.size(); ++k) {
        if (lengths[k] > 5) continue;
        complete = complete && std::isfinite(all[s].energy.back()[k]);
        if (!reference.empty()) cost_matters = std::max(cost_matters, std::abs(all[3].position[0][k] / all[2].position[0][k] - 1));
      }
    }
    add_equal_costs(equal, system.name, lengths, marks.back(), all);
    const auto show = [&](const std::string& what, std::vector<experiments::Panel>& panels, const auto& error_of) {
      add_costs(costs, system.name, what, all, error_of);
      panels.push_back({system.name, "ms of processor a second simulated", what, true, true, {}});
      for (const Series& series : all) panels.back().curves.push_back(curve(series, error_of(series)));
    };
    for (std::size_t m = 0; m < marks.size(); ++m) show(energy_until(marks[m]), energies, [m](const Series& s) { return s.energy[m]; });
    for (std::size_t m = 0; m < reference.size(); ++m)
      show(position_at(marks[m]), positions, [m](const Series& s) { return s.position[m]; });
  }
  report.say("");
  report.table("runs" + tag, runs);
  report.say("Cost of a given error in ms/s, interpolated by powers between step lengths; '-' where no tested step is short enough");
  report.table("costs" + tag, costs);
  report.say(
      "Where Runge-Kutta 4 loses its advantage: its energy drifts, that of the others oscillates; at this rate its error is as large after "
      "that many "
      "hours");
  report.table("equal_cost" + tag, equal);
  report.figure("energy" + tag, energies, marks.size());
  if (!hour) report.figure("position", positions, marks.size());

  report.check("no run fails at steps of 5 ms and less", complete);
  if (hour) return report.verdict();
  for (std::size_t s = 0; s < schemes.size(); ++s) {
    std::string measured;
    int found = 0;
    bool good = true;
    for (const double order : orders[s]) {
      if (!std::isfinite(order)) continue;  // all errors are at the level of the reference
      measured += (found++ == 0 ? "" : ", ") + experiments::text(order, 3);
      good = good && std::abs(order - schemes[s].order) <= 0.3;
    }
    report.check(schemes[s].name + ": the position at 1 s is of order " + std::to_string(schemes[s].order) +
                     ", to 0.3, on two systems at least; measured " + measured,
                 good && found >= 2);
  }
  report.check("the position error of constant_cost at 1 s equals that of variational to 1 %, at steps of 5 ms and less; measured " +
                   experiments::text(100 * cost_matters, 2) + " %",
               cost_matters <= 0.01);
  return report.verdict();
}
