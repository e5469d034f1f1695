// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 5: the time of 1000 steps against the number of links, on hinges and on ball joints, open and closed.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "racers.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::Cell, experiments::Lap;

struct System {
  std::string name;
  bool closed;
  Model<double> (*make)(int);
  int smallest;
};
const std::vector<System> systems{{"hinges, open", false, models::planar_chain<double>, 2},
                                  {"hinges, closed", true, models::closed_planar_chain<double>, 3},
                                  {"ball joints, open", false, models::spherical_chain<double>, 2},
                                  {"ball joints, closed", true, models::closed_chain<double>, 2}};

struct Contestant {
  std::string name;
  maximal_time::Made (*make)(const Model<double>&, const State<double>&, double);
  bool takes_loops = true;
};
const std::vector<Contestant> contestants{{"maximal", maximal_time::maximal},
                                          {"Heun", maximal_time::heun},
                                          {"Runge-Kutta 4", maximal_time::rk4},
                                          {"joint variational", maximal_time::variational, false}};

/// Open chains are released at rest from horizontal, closed ones as a regular polygon with small velocities.
State<double> start_of(const System& system, const Model<double>& model) {
  if (!system.closed) return {models::horizontal(model), VectorX<double>::Zero(model.nv()), 0};
  return maximal_time::allowed(model, {model.neutral(), models::random_velocity(model, 1, 0.1), 0});
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_time",
                                   "Time of 1000 steps against the number of links [Brüdigam and Manchester 2020, Fig. 5]");
  struct Length {
    double h;  ///< [s]
    std::vector<int> sizes;
    double spend;  ///< [s] on each run
    int steps;
    double most_evaluations;  ///< of a step, averaged over a run
  };
  const std::vector<Length> lengths = report.is_short() ? std::vector<Length>{{1e-3, {2, 8, 16, 32, 64}, 0.1, 50, 2.5},
                                                                              {1e-2, {2, 8, 16, 32}, 0.05, 200, 8}}  // until chains whip
                                                        : std::vector<Length>{{1e-3, {2, 3, 4, 8, 16, 32, 64, 128, 256}, 1, 1000, 2.5},
                                                                              {1e-2, {2, 3, 4, 8, 16, 32, 48, 64}, 0.5, 1000, 8}};
  report.say(
      "Rods of 1 m and 1 kg; open chains released at rest from horizontal, closed ones as a slowly moving regular polygon. The "
      "maximal integrator");
  report.say(
      "has its default tolerance, 1e-10. Heun and Runge-Kutta 4 are explicit steps on the manifold of joint coordinates, with loops closed "
      "at "
      "the");
  report.say(
      "acceleration level without stabilisation. In the one second of 1000 steps of 1 ms motions stay calm; in the ten seconds at 10 ms "
      "long chains "
      "whip.");
  report.say("Thread time, the best of interleaved repetitions; of runs that ended early in proportion.\n");

  experiments::Table times{{"h [ms]", "system", "links"}, {}},
      counts{{"h [ms]", "system", "links", "integrator", "steps", "halved", "evaluations", "end"}, {}},
      exponents{{"h [ms]", "time grows as n^"}, {}}, ratios{{"h [ms]", "links", "hinges over ball joints, open", "closed",
                                                            "closed over open, hinges", "ball joints"}, {}};
  for (const Contestant& contestant : contestants) {
    times.columns.push_back(contestant.name + " [ms]");
    exponents.columns.push_back(contestant.name);
  }
  for (const char* column : {"evaluations a step", "halved", "ended early"}) times.columns.push_back(column);
  for (const Length& length : lengths) {
    const double h_ms = 1e3 * length.h;
    const std::string tag = std::to_string(static_cast<int>(h_ms)) + "ms";
    std::vector<experiments::Panel> panels;
    std::vector<experiments::Curve> of_evaluations, counted;  // of the maximal integrator: time of an evaluation, evaluations a step
    for (const System& system : systems) {
      bool complete = true;
      of_evaluations.push_back({system.name, {}, {}});
      counted.push_back({system.name, {}, {}});
      panels.push_back({"1000 steps of " + std::to_string(static_cast<int>(h_ms)) + " ms: " + system.name, "links", "ms", true, true, {}});
      for (const Contestant& contestant : contestants) panels.back().curves.push_back({contestant.name, {}, {}});
      for (const int n : length.sizes) {
        if (n < system.smallest) continue;
        const Model<double> model = system.make(n);
        const State<double> start = start_of(system, model);
        std::vector<maximal_time::Made> racers;
        for (const Contestant& contestant : contestants) {
          if (!system.closed || contestant.takes_loops)
            racers.push_back(contestant.make(model, start, length.h));  // only the last contestant is left out
        }
        const std::vector<Lap> laps = experiments::race(racers, length.steps, length.spend);
        std::vector<Cell> row{h_ms, system.name, static_cast<double>(n)};
        std::string early;
        for (std::size_t c = 0; c < contestants.size(); ++c) {
          if (c >= laps.size()) {
            row.push_back("-");
            continue;
          }
          const Lap& lap = laps[c];
          const double made = std::max(lap.steps, 1), ms = 1e6 * lap.seconds / made;
          if (lap.end != Status::converged) early += (early.empty() ? "" : ", ") + contestants[c].name + " at " + std::to_string(lap.steps);
          panels.back().curves[c].x.push_back(n);
          panels.back().curves[c].y.push_back(ms);
          row.push_back(ms);
          counts.rows.push_back({h_ms, system.name, static_cast<double>(n), contestants[c].name, static_cast<double>(lap.steps),
                                 static_cast<double>(lap.halved), lap.evaluations / made, std::string(describe(lap.end))});
        }
        complete = complete && laps[0].end == Status::converged;
        of_evaluations.back().x.push_back(n);
        of_evaluations.back().y.push_back(laps[0].seconds / laps[0].evaluations);
        counted.back().x.push_back(n);
        counted.back().y.push_back(laps[0].evaluations / std::max(laps[0].steps, 1));
        row.push_back(counted.back().y.back());
        row.push_back(static_cast<double>(laps[0].halved));
        row.push_back(early.empty() ? "-" : early);
        times.rows.push_back(row);
      }
      std::vector<Cell> row{h_ms, system.name};
      for (const experiments::Curve& curve : panels.back().curves) row.push_back(experiments::exponent(curve, length.sizes.back() / 4.0));
      exponents.rows.push_back(row);
      report.beside_paper(system.name + ", " + experiments::text(h_ms, 2) + " ms: a `maximal` step grows as n to the power of", "linear",
                          experiments::text(row[2], 3));
      const std::string where = system.name + ", " + experiments::text(h_ms, 2) + " ms, `maximal`: ";
      const double p = experiments::exponent(of_evaluations.back(), length.sizes.back() / 4.0);
      report.check(where + "every step of every run converges", complete);
      const double most = *std::max_element(counted.back().y.begin(), counted.back().y.end());
      report.check(where + "fewer than " + experiments::text(length.most_evaluations, 2) +
                       " evaluations a step at every size: " + experiments::text(most, 3),
                   most < length.most_evaluations);
      report.check(where + "the time of an evaluation with its solve grows with an exponent below 1.5: " + experiments::text(p, 3),
                   p < 1.5);
    }
    report.figure(tag, panels, 2);
    // Hinges and ball joints, open and closed, in the order of `systems`; sizes that all four have.
    const auto at = [&](std::size_t system, double n) {
      const experiments::Curve& curve = panels[system].curves[0];
      for (std::size_t k = 0; k < curve.x.size(); ++k) {
        if (curve.x[k] == n) return curve.y[k];
      }
      return std::nan("");
    };
    for (const int n : length.sizes) {
      const double a = at(0, n), b = at(1, n), c = at(2, n), d = at(3, n);
      ratios.rows.push_back({h_ms, static_cast<double>(n), a / c, b / d, b / a, d / c});
    }
    const double most = length.sizes.back(), joints = at(0, most) / at(2, most), loop = at(1, most) / at(0, most);
    const std::string where = std::to_string(length.sizes.back()) + " links, " + experiments::text(h_ms, 2) + " ms, `maximal`: ";
    report.beside_paper(where + "time on hinges over that on ball joints, open", "more than 1", experiments::text(joints, 3));
    report.beside_paper(where + "time with one loop over that without, on hinges", "little more than 1; plotted",
                        experiments::text(loop, 3));
    double unlike = 0;
    for (std::size_t k = 0; k < counted[0].y.size(); ++k) unlike = std::max(unlike, std::abs(counted[0].y[k] / counted[2].y[k] - 1));
    report.check(
        experiments::text(h_ms, 2) +
            " ms, `maximal`: open chains of hinges and of ball joints with the same motion need equally many evaluations, to 2 %: " +
            experiments::text(100 * unlike, 2) + " %",
        unlike < 0.02);
    report.check(where + "open chains of ball joints cost at most twice as much as those of hinges: " + experiments::text(1 / joints, 3),
                 joints > 0.5);
    if (length.h < 5e-3) report.check(where + "on hinges one loop less than doubles the time: " + experiments::text(loop, 3), loop < 2);
  }
  report.say("\nTime of 1000 steps; evaluations and halved steps are those of the maximal integrator");
  report.table("times", times);
  report.say("From a quarter of the largest number of links on");
  report.table("exponents", exponents);
  report.say("Ratios of the times of `maximal`; a dash: one of them is missing");
  report.table("ratios", ratios);
  report.csv("counts", counts);
  return report.verdict();
}
