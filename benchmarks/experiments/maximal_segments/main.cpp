// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 7: chains of segments of four links that begin with their links overlapping, or opened.
// Assumed: rods of 1 m and 1 kg, steps of 10 ms, released at rest.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "actio/model/samples/nets.hpp"
#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::Cell, experiments::Lap;
using maximal_segments::Quality;

/// All rods overlap, the first segment horizontal and the others in line with it.
State<double> overlapping(const Model<double>& model) {
  State<double> start = rest_state(model);
  models::open_segment(model, 0, 0, std::numbers::pi / 2, start.q);
  return start;
}
/// All segments are rhombs in line; the first one is inclined.
State<double> opened(const Model<double>& model, int n) {
  const double half = 0.5;
  State<double> start = rest_state(model);
  for (int k = 0; k < n; ++k)
    models::open_segment(model, k, half, k == 0 ? std::numbers::pi / 3 : half, start.q);  // the rod above leans back by `half`
  return start;
}

struct Contestant {
  std::string name;
  maximal_segments::Made (*make)(const Model<double>&, const State<double>&);
  Quality (*quality)(const Model<double>&, const State<double>&, int);
  LoopType closure;
  int largest;  ///< segments
};
const std::vector<Contestant> contestants{
    {"maximal", maximal_segments::maximal, maximal_segments::maximal_quality, LoopType::point_on_line, 1000},
    {"maximal, redundant rows", maximal_segments::maximal, maximal_segments::maximal_quality, LoopType::revolute, 1000},
    {"Runge-Kutta 4", maximal_segments::rk4, maximal_segments::rk4_quality, LoopType::point_on_line, 16}};

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_segments",
                                   "Chains of segments of four links [Brüdigam and Manchester 2020, Fig. 7]");
  const std::vector<int> sizes = report.is_short() ? std::vector<int>{1, 2, 4, 8, 16} : std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  const int steps = report.is_short() ? 50 : 1000;
  const double spend = report.is_short() ? 0.05 : 0.5;
  report.say("Rods of 1 m and 1 kg, h = 10 ms, " + std::to_string(steps) +
             " steps from rest. Overlapping: all rods of a segment coincide, horizontal at first, so that the");
  report.say(
      "rows of its loop are dependent. Opened: rhombs, the first of which is inclined by 60 degrees. Redundant rows: each loop is closed "
      "by a hinge,");
  report.say(
      "three of whose five rows are redundant. Runge-Kutta 4: in joint coordinates, loops closed at acceleration level, up to 16 "
      "segments;");
  report.say("no points are drawn where it failed.\n");

  experiments::Table table{{"start", "segments", "integrator", "us/step", "evaluations", "halved", "largest gap [m]", "max |E-E0| [J]",
                            "of kinetic", "opens by [rad]", "steps"},
                           {}};
  experiments::Table exponents{{"start", "time grows as n^", "exponent"}, {}};
  std::vector<experiments::Panel> panels;
  for (const bool overlaps : {true, false}) {
    bool complete = true, explicit_fails = true;
    double widest = 0, most_energy = 0;
    experiments::Curve of_evaluations;  // of `maximal`: the time of one evaluation
    const std::string name = overlaps ? "overlapping" : "opened";
    experiments::Panel time{"Time of a step, " + name, "segments", "us", true, true, {}},
        gap{"Largest gap of a loop, " + name, "segments", "m", true, true, {}},
        energy{"Largest energy error, " + name, "segments", "relative to the kinetic energy", true, true, {}};
    for (const Contestant& contestant : contestants) {
      for (experiments::Panel* panel : {&time, &gap, &energy}) panel->curves.push_back({contestant.name, {}, {}});
    }
    for (const int n : sizes) {
      const Model<double> few = models::four_link_segments<double>(n, LoopType::point_on_line),
                          redundant = models::four_link_segments<double>(n, LoopType::revolute);
      const State<double> start = overlaps ? overlapping(few) : opened(few, n);
      std::vector<maximal_segments::Made> racers;
      for (const Contestant& contestant : contestants) {
        if (n <= contestant.largest)
          racers.push_back(contestant.make(contestant.closure == LoopType::revolute ? redundant : few, start));  // the last may be left out
      }
      const std::vector<Lap> laps = experiments::race(racers, steps, spend);
      for (std::size_t c = 0; c < laps.size(); ++c) {
        const Contestant& contestant = contestants[c];
        const Quality q = contestant.quality(contestant.closure == LoopType::revolute ? redundant : few, start, steps);
        const double made = std::max(laps[c].steps, 1), us = 1e6 * laps[c].seconds / made, error = q.error / std::max(q.kinetic, 1e-10);
        table.rows.push_back({name, static_cast<double>(n), contestant.name, us, laps[c].evaluations / made,
                              static_cast<double>(laps[c].halved), q.gap, q.error, error, q.opened,
                              static_cast<double>(std::min(q.steps, laps[c].steps))});
        const auto add = [&](experiments::Panel& panel, double y) {
          if (!(y > 0)) return;  // a logarithmic axis cannot show zero
          panel.curves[c].x.push_back(n);
          panel.curves[c].y.push_back(y);
        };
        if (laps[c].steps == steps) add(time, us);
        if (q.steps == steps) {
          add(gap, q.gap);
          add(energy, error);
        }
        if (contestant.make == maximal_segments::maximal) {
          complete = complete && laps[c].steps == steps && q.steps == steps;
          widest = std::max(widest, q.gap);
          most_energy = std::max(most_energy, error);
        } else if (n > 1) {
          explicit_fails = explicit_fails && (q.steps < steps || q.gap > 1e-3 || error > 0.1);
        }
        if (c == 0) {
          of_evaluations.x.push_back(n);
          of_evaluations.y.push_back(laps[0].seconds / laps[0].evaluations);
        }
      }
    }
    for (const experiments::Curve& curve : time.curves)
      exponents.rows.push_back({name, curve.label, experiments::exponent(curve, curve.x.empty() ? 0 : curve.x.back() / 4)});
    report.beside_paper("starts " + name + ": the time of a `maximal` step grows as n to the power of", experiments::plotted,
                        experiments::text(exponents.rows[exponents.rows.size() - contestants.size()][2], 3));
    report.beside_paper("starts " + name + ": largest gap of `maximal`", experiments::plotted,
                        experiments::text(*std::max_element(gap.curves[0].y.begin(), gap.curves[0].y.end()), 2) + " m");
    const double p = experiments::exponent(of_evaluations, sizes.back() / 4.0);
    report.check("starts " + name + ", `maximal`, both closures: every step of every run converges", complete);
    report.check("starts " + name + ", `maximal`, both closures: no gap above 1e-6 m: " + experiments::text(widest, 2) + " m",
                 widest < 1e-6);
    report.check("starts " + name +
                     ", `maximal`: the time of an evaluation with its solve grows with an exponent below 1.5: " + experiments::text(p, 3),
                 p < 1.5);
    report.say("starts " + name + ", `maximal`: largest energy error relative to the kinetic energy " + experiments::text(most_energy, 2));
    if (!report.is_short()) {
      report.check(
          "starts " + name +
              ", Runge-Kutta 4: with two or more segments it always ends early, opens a loop by 1 mm or has an error of a tenth of "
              "the energy",
          explicit_fails);
    }
    panels.insert(panels.end(), {time, gap, energy});
  }
  report.table("runs", table);
  report.say("From a quarter of the largest number of segments on");
  report.table("exponents", exponents);
  report.figure("runs", panels);
  return report.verdict();
}
