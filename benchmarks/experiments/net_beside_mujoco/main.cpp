// SPDX-License-Identifier: BSD-3-Clause
// Nets of n by n squares in MuJoCo and here: the time of a step and the largest gap of a loop, in one run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "actio/model/ready/square_net.hpp"
#include "runs.hpp"
#include "support/models.hpp"
#include "support/report.hpp"

namespace {

using namespace experiments;
using namespace net_beside_mujoco;

constexpr double duration = 0.1;  // [s]
constexpr double common = 1e-3;   // the step at which all are compared [s]

struct Contestant {
  std::string name, settings;
  bool ours;
  std::vector<double> steps;  ///< [s]
  int largest;                ///< n
  std::function<Made(const Model&, const State&, double)> make;
};

std::vector<Contestant> contestants(bool is_short) {
  const std::vector<double> few{1e-2, 5e-3, 2e-3, 1e-3}, short_ones{2e-3, 1e-3};
  const auto steps = [&](std::vector<double> of) { return is_short ? short_ones : of; };
  std::vector<Contestant> all;
  if (has_mujoco()) {
    for (const bool newton : {false, true}) {
      const std::string name = newton ? "MuJoCo Newton" : "MuJoCo CG";
      const auto add = [&](const std::string& settings, std::vector<double> lengths, MujocoSettings wanted) {
        const int largest = newton || wanted.tolerance < 1e-8 ? 16 : 32;  // else minutes
        wanted.newton = newton;
        all.push_back({name, settings, false, steps(std::move(lengths)), largest,
                       [wanted](const Model& model, const State& start, double h) {
                         MujocoSettings here = wanted;
                         here.timeconst = std::max(here.timeconst, 2 * h);  // no less is stable
                         return mujoco(model, start, h, here);
                       }});
      };
      const std::vector<double> many{5e-3, 2e-3, 1e-3, 5e-4}, some{2e-3, 1e-3};
      add("defaults", newton ? some : many, {});
      add("timeconst 2 h", newton ? some : many, {.timeconst = 0});
      add("timeconst 2 h, solimp .9999, tolerance 1e-14", newton ? some : many,
          {.timeconst = 0, .least = 0.9999, .most = 0.9999, .iterations = 1000, .tolerance = 1e-14});
    }
  }
  // Dense matrices of the loops' rows are out of the question for larger nets.
  all.push_back({"variational", "tolerance 1e-10", true, steps(few), 8,
                 [](const Model& model, const State& start, double h) { return variational(model, start, h); }});
  for (const double tolerance : {1e-10, 1e-3}) {
    all.push_back({"maximal", tolerance < 1e-8 ? "tolerance 1e-10" : "tolerance 1e-3", true, steps(few), 32,
                   [tolerance](const Model& model, const State& start, double h) { return maximal(model, start, h, tolerance); }});
  }
  for (const int iterations : {1, 2}) {
    all.push_back({"srm", "midpoint, s = " + std::to_string(iterations), true, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) { return srm(model, start, h, {.iterations = iterations, .epsilon = 0.5}); }});
  }
  for (const int iterations : {4, 6}) {
    all.push_back({"srm", "midpoint, s = " + std::to_string(iterations) + ", lambda_0", true, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) {
                     return srm(model, start, h,
                                {.iterations = iterations, .epsilon = iterations < 5 ? 0.5 : 1, .lambda_0 = forces_at_rest(model, start)});
                   }});
  }
  all.push_back({"srm", "rk4, s = 5, lambda_0", true, steps({5e-3, 2e-3, 1e-3, 5e-4}), 32, [](const Model& model, const State& start, double h) {
                   return srm(model, start, h, {.iterations = 5, .order = 4, .epsilon = 0.5, .lambda_0 = forces_at_rest(model, start)});
                 }});
  all.push_back({"compliant", "rigid", true, steps(few), 32, compliant});
  return all;
}

struct Point {
  std::size_t contestant;
  double h, gap, apart, us;
};

/// The same bodies and joints: loops released, Runge-Kutta 4 in both.
void compare_trees(const Report& report) {
  Table table{{"n", "h [ms]", "apart after 0.1 s [m]"}, {}};
  for (const int n : {4, 8}) {
    const Model net = bench::make_model("square_net", n), tree = net.with_loops(false);
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const int steps = static_cast<int>(std::lround(0.1 / h));
      table.rows.push_back({double(n), 1e3 * h, farthest_apart(tree, follow(*mujoco(tree, bench::start(net), h, {.rk4 = true}), tree, steps).q,
                                                               follow(*rk4(tree, bench::start(net), h), tree, steps).q)});
    }
  }
  report.say("The same bodies and joints? All loops released, Runge-Kutta 4 by MuJoCo and by us: how far a body's centre of mass is apart");
  report.table("trees", table);
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "net_beside_mujoco", "Nets of rods on ball joints beside MuJoCo's: the time of a step against the gap of the loops");
  report.say("n by n squares of rods of 1 m and 1 kg, hung up along one edge, from rest leaning by 30 degrees, 0.1 s. MuJoCo: the same bodies and joints,");
  report.say("`connect` equalities, semi-implicit Euler steps, no contacts. Times of the processor, the best of interleaved repetitions.");
  report.say("`srm` with s iterations, with lambda_0 those of the start, else zero.");
  report.say(has_mujoco() ? "" : "MuJoCo was not found: its rows are left out.\n");
  if (has_mujoco()) compare_trees(report);

  const std::vector<Contestant> all = contestants(report.is_short());
  Table verdicts{{"n", "bodies", "loops", "MuJoCo CG [us]", "its gap [m]", "ours within it", "[us]", "ratio", "ours within 1e-8 m", "[us]", "ratio"}, {}};
  std::vector<Panel> panels;
  report.say("Apart: how far a body's centre of mass is at the end from `maximal` with steps of 0.25 ms, of 1 ms for n = 32");
  const std::vector<int> sizes = report.is_short() ? std::vector<int>{4} : std::vector<int>{4, 8, 16, 32};
  for (const int n : sizes) {
    const Model model = bench::make_model("square_net", n);
    const State start = bench::start(model);
    const double fine = n < 32 ? 2.5e-4 : 1e-3;
    const LoopMotion truth = follow(*maximal(model, start, fine, 1e-12), model, static_cast<int>(std::lround(duration / fine)));
    std::vector<Point> points;
    std::vector<std::vector<Cell>> rows;
    std::vector<double> lengths;
    for (const Contestant& contestant : all) lengths.insert(lengths.end(), contestant.steps.begin(), contestant.steps.end());
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    for (const double h : lengths) {  // those of equal steps race with each other
      const int steps = static_cast<int>(std::lround(duration / h));
      std::vector<Made> racers;
      std::vector<Point> here;
      for (std::size_t c = 0; c < all.size(); ++c) {
        if (n > all[c].largest || std::find(all[c].steps.begin(), all[c].steps.end(), h) == all[c].steps.end()) continue;
        if (n >= 32 && (h < common || h > 5e-3)) continue;
        Made racer = all[c].make(model, start, h);
        if (!racer) continue;
        const LoopMotion motion = follow(*racer, model, steps);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        here.push_back({c, h, motion.complete ? motion.gap : nan, motion.complete ? farthest_apart(model, motion.q, truth.q) : nan, nan});
        racers.push_back(std::move(racer));
      }
      const std::vector<Lap> laps = race(racers, steps, report.is_short() ? 0.02 : 0.3);
      for (std::size_t k = 0; k < here.size(); ++k) {
        const double made = std::max(laps[k].steps, 1);
        here[k].us = 1e6 * laps[k].seconds / made;
        const Contestant& contestant = all[here[k].contestant];
        rows.push_back({double(n), contestant.name, contestant.settings, 1e3 * h, here[k].us, here[k].us / h / 1e3, here[k].gap, here[k].apart,
                        laps[k].iterations / made});
      }
      points.insert(points.end(), here.begin(), here.end());
    }
    std::vector<std::size_t> order(points.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a].contestant < points[b].contestant; });
    Table table{{"n", "integrator", "settings", "h [ms]", "us a step", "ms a second of motion", "largest gap [m]", "apart [m]", "evaluations a step"}, {}};
    panels.push_back({std::to_string(n) + " x " + std::to_string(n) + " squares", "ms of processor a second of motion", "largest gap [m]", true, true, {}});
    for (const std::size_t k : order) {
      table.rows.push_back(rows[k]);
      const Contestant& contestant = all[points[k].contestant];
      const std::string label = contestant.name + ", " + contestant.settings;
      std::vector<Curve>& curves = panels.back().curves;
      if (curves.empty() || curves.back().label != label) curves.push_back({label, {}, {}});
      if (!(points[k].gap > 0)) continue;
      curves.back().x.push_back(points[k].us / points[k].h / 1e3);
      curves.back().y.push_back(points[k].gap);
    }
    report.table("times_" + std::to_string(n), table);

    const Point* theirs = nullptr;
    for (const Point& point : points) {
      if (point.h == common && !all[point.contestant].ours && theirs == nullptr) theirs = &point;  // CG with its defaults comes first
    }
    if (theirs == nullptr) continue;
    std::vector<Cell> verdict{double(n), bench::bodies(model), double(model.loops().size()), theirs->us, theirs->gap};
    for (const double allowed : {theirs->gap, 1e-8}) {
      const Point* best = nullptr;
      for (const Point& point : points) {
        const bool counts = all[point.contestant].ours && point.h == common && point.gap <= allowed;
        if (counts && (best == nullptr || point.us < best->us)) best = &point;
      }
      if (best == nullptr) verdict.insert(verdict.end(), {std::string("-"), std::string("-"), std::string("-")});
      else verdict.insert(verdict.end(), {all[best->contestant].name + ", " + all[best->contestant].settings, best->us, best->us / theirs->us});
    }
    verdicts.rows.push_back(verdict);
  }
  report.figure("gaps", panels, 2);
  if (has_mujoco()) {
    report.say("Steps of 1 ms: MuJoCo's conjugate gradients with its defaults, and the fastest of ours whose gap is no larger, or no larger than 1e-8 m");
    report.table("verdicts", verdicts);
  }
  return 0;
}
