// SPDX-License-Identifier: BSD-3-Clause
// Nets of n by n squares in MuJoCo and here: the time of a step and the largest gap of a loop, in one run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runs.hpp"
#include "support/exponent.hpp"
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
        const int largest = newton || wanted.tolerance < 1e-8 ? 16 : 32;  // otherwise it takes minutes
        wanted.newton = newton;
        all.push_back({name, settings, false, steps(std::move(lengths)), largest,
                       [wanted](const Model& model, const State& start, double h) {
                         MujocoSettings here = wanted;
                         here.timeconst = std::max(here.timeconst, 2 * h);  // shorter ones are unstable
                         return mujoco(model, start, h, here);
                       }});
      };
      const std::vector<double> many{5e-3, 2e-3, 1e-3, 5e-4}, some{2e-3, 1e-3};
      add("defaults", newton ? some : many, {});
      add("stiff", newton ? some : many, {.timeconst = 0});
      add("stiffest", newton ? some : many,
          {.timeconst = 0, .least = 0.9999, .most = 0.9999, .iterations = 1000, .tolerance = 1e-14});
    }
  }
  for (const double tolerance : {1e-10, 1e-3}) {
    all.push_back({"variational", tolerance < 1e-8 ? "1e-10" : "1e-3", true, steps(few), 32,
                   [tolerance](const Model& model, const State& start, double h) { return variational(model, start, h, tolerance); }});
  }
  for (const double tolerance : {1e-10, 1e-3}) {
    all.push_back({"maximal", tolerance < 1e-8 ? "1e-10" : "1e-3", true, steps(few), 32,
                   [tolerance](const Model& model, const State& start, double h) { return maximal(model, start, h, tolerance); }});
  }
  for (const int iterations : {1, 2}) {
    all.push_back({"srm", "midpoint " + std::to_string(iterations), true, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) {
                     return srm(model, start, h, {.iterations = iterations, .epsilon = 0.5});
                   }});
  }
  for (const int iterations : {4, 6}) {
    all.push_back({"srm", "midpoint " + std::to_string(iterations) + ", lambda_0", true, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) {
                     return srm(model, start, h, {.iterations = iterations, .lambda_0 = forces_at_rest(model, start)});
                   }});
  }
  all.push_back({"srm", "rk4 5, lambda_0", true, steps({5e-3, 2e-3, 1e-3, 5e-4}), 32,
                 [](const Model& model, const State& start, double h) {
                   return srm(model, start, h, {.iterations = 5, .order = 4, .epsilon = 0.5, .lambda_0 = forces_at_rest(model, start)});
                 }});
  all.push_back({"compliant", "rigid", true, steps(few), 32, compliant});
  return all;
}

/// One integrator with its settings at one step length.
struct Point {
  const Contestant* contestant;
  double h, us, gap, apart, iterations, evaluations;
  double ms_a_second() const { return 1e-3 * us / h; }
  std::string label() const { return contestant->name + ", " + contestant->settings; }
};

int steps_of(double h) { return static_cast<int>(std::lround(duration / h)); }

/// The same bodies and joints with the loops released, Runge-Kutta 4 in both programs.
void compare_trees(const Report& report) {
  Table table{{"n", "h [ms]", "apart after 0.1 s [m]"}, {}};
  double farthest = 0;
  for (const int n : {4, 8}) {
    const Model net = bench::make_model("square_net", n), tree = net.with_loops(false);
    const State start = bench::start(net);
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const Made theirs = mujoco(tree, start, h, {.rk4 = true});
      if (!theirs) continue;
      const LoopMotion other = follow(*theirs, tree, steps_of(h)), own = follow(*rk4(tree, start, h), tree, steps_of(h));
      const double apart = farthest_apart(centres_of_mass(tree, other.q), centres_of_mass(tree, own.q));
      table.rows.push_back({double(n), 1e3 * h, apart});
      farthest = std::isnan(apart) ? apart : std::fmax(farthest, apart);
    }
  }
  report.say(
      "Check that bodies and joints are the same: all loops released, Runge-Kutta 4 by MuJoCo and by us: largest distance of the centres "
      "of mass");
  report.table("trees", table);
  report.check("without loops the bodies agree with MuJoCo's to 1e-7 m, the error of the steps: " + text(farthest, 3) + " m",
               farthest < 1e-7);
}

/// Runs all contestants that support an n by n net.  @param spend [s] on each race, for each racer.
std::vector<Point> run_net(const Model& model, int n, const std::vector<Contestant>& all, double spend) {
  const State start = bench::start(model);
  const double fine = n < 32 ? 2.5e-4 : 1e-3;
  const LoopMotion truth = follow(*maximal(model, start, fine, 1e-12), model, steps_of(fine));
  std::vector<double> lengths;
  for (const Contestant& contestant : all) lengths.insert(lengths.end(), contestant.steps.begin(), contestant.steps.end());
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  std::vector<Point> points;
  for (const double h : lengths) {  // those with equal steps race with each other
    if (n >= 32 && (h < common || h > 5e-3)) continue;
    const std::size_t first = points.size();
    std::vector<Made> racers;
    for (const Contestant& contestant : all) {
      if (n > contestant.largest || std::find(contestant.steps.begin(), contestant.steps.end(), h) == contestant.steps.end()) continue;
      Made racer = contestant.make(model, start, h);
      if (!racer) continue;
      const LoopMotion motion = follow(*racer, model, steps_of(h));
      Point point{&contestant, h, 0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), 0, 0};
      if (motion.complete) {
        point.gap = motion.gap;
        point.apart = farthest_apart(centres_of_mass(model, motion.q), centres_of_mass(model, truth.q));
      }
      points.push_back(point);
      racers.push_back(std::move(racer));
    }
    const std::vector<Lap> laps = race(racers, steps_of(h), spend);
    for (std::size_t k = 0; k < laps.size(); ++k) {
      const double made = std::max(laps[k].steps, 1);
      points[first + k].us = 1e6 * laps[k].seconds / made;
      points[first + k].iterations = laps[k].iterations / made;
      points[first + k].evaluations = laps[k].evaluations / made;
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.contestant < b.contestant; });
  return points;
}

/// Returns the fastest of ours at the common step whose loops open no more than `gap`, or null.
const Point* fastest(const std::vector<Point>& points, double gap) {
  const Point* best = nullptr;
  for (const Point& point : points) {
    if (point.contestant->ours && point.h == common && point.gap <= gap && (best == nullptr || point.us < best->us)) best = &point;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "net_beside_mujoco",
                      "Nets of rods on ball joints compared with MuJoCo: the time of a step against the gap of the loops");
  report.say(
      "n by n squares of rods of 1 m and 1 kg, suspended along one edge, from rest inclined by 30 degrees, 0.1 s. MuJoCo: the same bodies "
      "and");
  report.say("joints, `connect` equalities, semi-implicit Euler steps, no contacts. Processor times, the best of interleaved repetitions.");
  report.say(
      "Stiff: solref of twice the step instead of 20 ms; stiffest: solimp 0.9999 and tolerance 1e-14 too. `variational` and `maximal` by "
      "their");
  report.say(
      "tolerances; `srm` by its method and iterations, lambda_0 as at the start where stated. Gap: the largest of a loop at a node. Apart: "
      "largest");
  report.say(
      "distance of a centre of mass at the end from `maximal` with steps of 0.25 ms, of 1 ms for n = 32; semi-implicit Euler steps and");
  report.say("`compliant` are of first order.\n");
  if (has_mujoco()) compare_trees(report);
  else report.say("MuJoCo was not found: its rows are omitted.\n");

  const std::vector<Contestant> all = contestants(report.is_short());
  Table verdicts{
      {"n", "bodies", "loops", "MuJoCo CG [us]", "its gap [m]", "ours within it", "[us]", "ratio", "ours within 1e-8 m", "[us]", "ratio"},
      {}};
  std::vector<Panel> panels;
  Curve cost{"maximal, 1e-10", {}, {}};
  for (const int n : report.is_short() ? std::vector<int>{4, 8} : std::vector<int>{4, 8, 16, 32}) {
    const Model model = bench::make_model("square_net", n);
    const std::vector<Point> points = run_net(model, n, all, report.is_short() ? 0.01 : 0.3);
    const std::string size = std::to_string(n);
    Table table{{"n", "integrator", "settings", "h [ms]", "us a step", "ms a second of motion", "gap [m]", "apart [m]", "iterations a step",
                 "evaluations"},
                {}};
    panels.push_back({size + " x " + size + " squares", "ms of processor a second of motion", "largest gap [m]", true, true, {}});
    std::vector<Curve>& curves = panels.back().curves;  // curves of all, so that colours are the same in every panel
    for (const Contestant& contestant : all) curves.push_back({contestant.name + ", " + contestant.settings, {}, {}});
    const Point* theirs = nullptr;  // conjugate gradients with MuJoCo's defaults, which come first
    for (const Point& point : points) {
      table.rows.push_back({double(n), point.contestant->name, point.contestant->settings, 1e3 * point.h, point.us, point.ms_a_second(),
                            point.gap, point.apart, point.iterations, point.evaluations});
      if (point.gap > 0) {
        Curve& curve = curves[static_cast<std::size_t>(point.contestant - all.data())];
        curve.x.push_back(point.ms_a_second());
        curve.y.push_back(point.gap);
      }
      if (theirs == nullptr && !point.contestant->ours && point.h == common) theirs = &point;
    }
    report.table("times_" + size, table);
    double closed = 0;
    for (const Point& point : points) {
      const std::string& name = point.contestant->name;
      if (point.contestant->settings != "1e-10") continue;
      closed = std::isfinite(point.gap) ? std::fmax(closed, point.gap) : INFINITY;
      if (name == "maximal" && point.h == common) {
        cost.x.push_back(static_cast<double>(bench::bodies(model)));
        cost.y.push_back(point.us);
      }
    }
    report.check(
        size + " x " + size + ": `variational` and `maximal` with tolerance 1e-10 keep loops closed to 1e-8 m: " + text(closed, 3) + " m",
        closed < 1e-8);
    if (theirs == nullptr) continue;
    std::vector<Cell> verdict{double(n), bench::bodies(model), double(model.loops().size()), theirs->us, theirs->gap};
    for (const double gap : {theirs->gap, 1e-8}) {
      const Point* best = fastest(points, gap);
      if (best) verdict.insert(verdict.end(), {best->label(), best->us, best->us / theirs->us});
      else verdict.insert(verdict.end(), 3, Cell("-"));
    }
    verdicts.rows.push_back(verdict);
    report.check(size + " x " + size + ": MuJoCo's soft loops are open by 1e-5 to 1e-3 m: " + text(theirs->gap, 3) + " m",
                 theirs->gap > 1e-5 && theirs->gap < 1e-3);
    if (report.is_short()) continue;  // the checks compile ours with less optimisation than MuJoCo
    for (const auto& [gap, most] : {std::pair(theirs->gap, 1.0), std::pair(1e-8, 3.0)}) {
      const Point* best = fastest(points, gap);
      const double ratio = best == nullptr ? INFINITY : best->us / theirs->us;
      report.check(size + " x " + size + ": with loops open by no more than " + text(gap, 2) + " m ours take less than " + text(most, 2) +
                   " of the time of MuJoCo's conjugate gradients: " + text(ratio, 3), ratio < most);
    }
  }
  report.figure("gaps", panels, 2);
  const double growth = exponent(cost, 1);
  report.check("the time of a step of `maximal` grows less than as bodies^2.5: ^" + text(growth, 3), growth < 2.5);
  if (!has_mujoco()) return report.verdict();
  report.say(
      "Steps of 1 ms: MuJoCo's conjugate gradients with its defaults, and the fastest of ours whose gap is no larger, or no larger than "
      "1e-8 m");
  report.table("verdicts", verdicts);
  return report.verdict();
}
