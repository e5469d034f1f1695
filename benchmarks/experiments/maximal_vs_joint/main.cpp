// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 8: maximal against joint coordinates at three tolerances, time and success against the number of
// links. Assumed: planar chains of rods of 1 m and 1 kg, released at rest from horizontal.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "racers.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::Lap;
using maximal_vs_joint::Made;

struct Contestant {
  std::string name;
  Made (*make)(const Model<double>&, const State<double>&, double, double);
  int largest;  ///< links
};
const std::vector<Contestant> contestants{{"maximal", maximal_vs_joint::maximal, 1000},
                                          {"maximal as published", maximal_vs_joint::maximal_published, 1000},
                                          {"joint, default", maximal_vs_joint::automatic, 1000},
                                          {"joint, RIQN as published", maximal_vs_joint::riqn_published, 1000},
                                          {"joint, RIQN", maximal_vs_joint::riqn, 1000},
                                          {"joint, order 4 (stands in for 3)", maximal_vs_joint::composition, 1000},
                                          {"joint, dense Newton", maximal_vs_joint::dense_newton, 100}};

struct Motion {
  std::string name;
  bool thrown;  ///< from random q and v in +-pi/2, else released at rest from horizontal
  int steps;
};

struct Sum {
  double runs = 0, ended = 0, steps = 0, halved = 0, evaluations = 0;
  int smallest_ended = 0;  ///< links of the shortest chain on which it ended early; 0: none
  std::string why = "-";
};

std::string words(double tolerance) {
  char text[40];
  std::snprintf(text, sizeof text, "tolerance %g", tolerance);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_vs_joint",
                                   "Maximal against joint coordinates at three tolerances [Brüdigam and Manchester 2020, Fig. 8]");
  const std::vector<int> sizes = report.is_short() ? std::vector<int>{2, 5, 10} : std::vector<int>{2, 5, 10, 20, 35, 50, 75, 100, 150, 200};
  const double h = 0.01, spend = report.is_short() ? 0.02 : 0.25;
  const std::vector<Motion> motions{{"released", false, report.is_short() ? 200 : 1000}, {"thrown", true, 100}};
  report.say("Planar chains of rods of 1 m and 1 kg, steps of 10 ms. Released: at rest from horizontal, " +
             std::to_string(motions[0].steps) + " steps. Thrown: q and v uniform in +-pi/2, " + std::to_string(motions[1].steps) +
             " steps.");
  report.say(
      "Tolerances are relative to the motion, in the same norm for all. `joint, order 4` is a composition and stands in for the "
      "third-order integrator of the figure;");
  report.say(
      "`joint, RIQN as published` is the second-order integrator of the figure: logarithm on SE(3), guess by forward dynamics, absolute "
      "tolerance on "
      "|f| [N m s], broken off");
  report.say(
      "after 100 updates, no step halved; so is `maximal as published`, which ends where updates differ by less than the tolerance. "
      "`joint, "
      "dense Newton`, with the same residual and guess, runs up to 100 links. Of all others a "
      "step that does not converge");
  report.say("at once is halved. The paper has the released chains; the thrown ones are ours.\n");

  experiments::Table runs{{"motion", "tolerance", "links", "integrator", "steps", "halved", "failed", "evaluations", "us/step", "end"}, {}};
  experiments::Table times{{"motion", "tolerance", "links"}, {}},
      sums{{"motion", "tolerance", "integrator", "runs", "ended early", "steps", "halved", "evaluations", "from links", "why"}, {}};
  for (const Contestant& contestant : contestants) times.columns.push_back(contestant.name + " [us]");
  std::vector<experiments::Panel> of_times, of_success;
  std::vector<double> of_contestant(contestants.size(), 0);  // runs that ended early
  for (const Motion& motion : motions) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      of_times.push_back({"Time of a step, " + motion.name + ", " + words(tolerance), "links", "us", true, true, {}});
      of_success.push_back({"Steps that converge at once, " + motion.name + ", " + words(tolerance), "links", "%", true, false, {}});
      for (const Contestant& contestant : contestants) {
        of_times.back().curves.push_back({contestant.name, {}, {}});
        of_success.back().curves.push_back({contestant.name, {}, {}});
      }
      std::vector<Sum> sum(contestants.size());
      for (const int n : sizes) {
        const Model<double> model = models::planar_chain<double>(n);
        const State<double> start =
            motion.thrown ? experiments::random_state(model, 1) : State<double>{models::horizontal(model), VectorX<double>::Zero(n), 0};
        std::vector<Made> racers;
        for (const Contestant& contestant : contestants) {
          if (n <= contestant.largest) racers.push_back(contestant.make(model, start, h, tolerance));  // only the last are left out
        }
        const std::vector<Lap> laps = experiments::race(racers, motion.steps, spend);
        std::vector<experiments::Cell> row{motion.name, tolerance, static_cast<double>(n)};
        for (std::size_t c = 0; c < contestants.size(); ++c) {
          if (c >= laps.size()) {
            row.push_back("-");
            continue;
          }
          const Lap& lap = laps[c];
          const double made = std::max(lap.steps, 1);
          const bool failed = lap.end != Status::converged;
          runs.rows.push_back({motion.name, tolerance, static_cast<double>(n), contestants[c].name, static_cast<double>(lap.steps),
                               static_cast<double>(lap.halved), failed ? 1.0 : 0.0, lap.evaluations / made, 1e6 * lap.seconds / made,
                               std::string(describe(lap.end))});
          sum[c].runs += 1;
          sum[c].steps += lap.steps;
          sum[c].halved += lap.halved;
          sum[c].evaluations += lap.evaluations;
          of_success.back().curves[c].x.push_back(n);
          of_success.back().curves[c].y.push_back(100.0 * (lap.steps - lap.halved) / motion.steps);
          if (failed) {
            sum[c].ended += 1;
            sum[c].why = describe(lap.end);
            if (sum[c].smallest_ended == 0) sum[c].smallest_ended = n;
            of_contestant[c] += 1;
            row.push_back("failed");
            continue;
          }
          of_times.back().curves[c].x.push_back(n);
          of_times.back().curves[c].y.push_back(1e6 * lap.seconds / made);
          row.push_back(1e6 * lap.seconds / made);
        }
        times.rows.push_back(row);
      }
      for (std::size_t c = 0; c < contestants.size(); ++c) {
        sums.rows.push_back({motion.name, tolerance, contestants[c].name, sum[c].runs, sum[c].ended, sum[c].steps, sum[c].halved,
                             sum[c].evaluations / std::max(sum[c].steps, 1.0),
                             sum[c].smallest_ended == 0 ? experiments::Cell("-") : experiments::Cell(double(sum[c].smallest_ended)),
                             sum[c].why});
      }
    }
  }
  for (std::size_t c = 0; c < contestants.size(); ++c) {
    const bool published = contestants[c].name.ends_with("published");
    report.beside_paper(contestants[c].name + ": runs that end early",
                        !published ? "not there" : c == 1 ? "none" : "none at 1e-6, at 1e-8 and 1e-10 on many links",
                        experiments::text(of_contestant[c], 4));
    if (!published)
      report.check(contestants[c].name + ": no run ends early: " + experiments::text(of_contestant[c], 4), of_contestant[c] == 0);
  }
  if (!report.is_short()) {
    report.check("joint, RIQN as published: some runs end early: " + experiments::text(of_contestant[3], 4), of_contestant[3] > 0);
  }
  report.csv("runs", runs);
  report.say("Time of a step: of the thread, the best of interleaved repetitions");
  report.table("times", times);
  report.say("Success over all sizes; ended early: runs in which a step failed even in substeps");
  report.table("success", sums);
  report.figure("times", of_times);
  report.figure("success", of_success);
  return report.verdict();
}
