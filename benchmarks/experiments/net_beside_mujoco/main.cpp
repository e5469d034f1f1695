// SPDX-License-Identifier: BSD-3-Clause
// Nets of n by n squares in MuJoCo and here: the time of a step and the largest gap of a loop, in one run.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pinocchio.hpp"
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
  const Mujoco* mujoco;       ///< null: another
  std::vector<double> steps;  ///< [s]
  int largest;                ///< n
  std::function<Made(const Model&, const State&, double)> make;
  bool is_pinocchio() const { return name.starts_with("Pinocchio"); }
  bool is_ours() const { return mujoco == nullptr && !is_pinocchio(); }
};

std::vector<Contestant> contestants(bool is_short) {
  const std::vector<double> few{1e-2, 5e-3, 2e-3, 1e-3}, short_ones{2e-3, 1e-3};
  const auto steps = [&](std::vector<double> of) { return is_short ? short_ones : of; };
  std::vector<Contestant> all;
  for (const Mujoco& mujoco : mujocos()) {
    for (const bool newton : {false, true}) {
      const std::string name = mujoco.name() + (newton ? " Newton" : " CG");
      const auto add = [&](const std::string& settings, std::vector<double> lengths, MujocoSettings wanted) {
        const int largest = newton || wanted.tolerance < 1e-8 ? 16 : 32;  // otherwise it takes minutes
        wanted.newton = newton;
        all.push_back({name, settings, &mujoco, steps(std::move(lengths)), largest,
                       [wanted, &mujoco](const Model& model, const State& start, double h) {
                         MujocoSettings here = wanted;
                         here.timeconst = std::max(here.timeconst, 2 * h);  // shorter ones are unstable
                         return mujoco_racer(mujoco, model, start, h, here);
                       }});
      };
      const std::vector<double> many{5e-3, 2e-3, 1e-3, 5e-4}, some{2e-3, 1e-3};
      add("defaults", newton ? some : many, {});
      add("stiff", newton ? some : many, {.timeconst = 0});
      add("stiffest", newton ? some : many,
          {.timeconst = 0, .least = 0.9999, .most = 0.9999, .iterations = 1000, .tolerance = 1e-14});
    }
  }
  const auto add_pinocchio = [&](const std::string& name, const std::string& settings, int largest, PinocchioSettings wanted) {
    if (pinocchio_version().empty()) return;
    all.push_back({"Pinocchio " + name, settings, nullptr, steps({2e-3, 1e-3}), largest,
                   [wanted](const Model& model, const State& start, double h) { return in_pinocchio(model, start, h, wanted); }});
  };
  add_pinocchio("proximal", "mu 1e-6", 16, {.mu = 1e-6});
  add_pinocchio("lcaba", "mu 1e-5", 8, {.recursive = true, .mu = 1e-5, .iterations = 1});  // fails with 16 x 16 squares
  add_pinocchio("lcaba", "mu 0.3", 16, {.recursive = true, .mu = 0.3, .accuracy = 1e-2, .iterations = 100});
  for (const double tolerance : {1e-10, 1e-3}) {
    all.push_back({"variational", tolerance < 1e-8 ? "1e-10" : "1e-3", nullptr, steps(few), 32,
                   [tolerance](const Model& model, const State& start, double h) { return variational(model, start, h, tolerance); }});
  }
  for (const double tolerance : {1e-10, 1e-3}) {
    all.push_back({"maximal", tolerance < 1e-8 ? "1e-10" : "1e-3", nullptr, steps(few), 32,
                   [tolerance](const Model& model, const State& start, double h) { return maximal(model, start, h, tolerance); }});
  }
  for (const int iterations : {1, 2}) {
    all.push_back({"srm", "midpoint " + std::to_string(iterations), nullptr, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) {
                     return srm(model, start, h, {.iterations = iterations, .epsilon = 0.5});
                   }});
  }
  for (const int iterations : {4, 6}) {
    all.push_back({"srm", "midpoint " + std::to_string(iterations) + ", lambda_0", nullptr, steps({2e-3, 1e-3, 5e-4}), 32,
                   [=](const Model& model, const State& start, double h) {
                     return srm(model, start, h, {.iterations = iterations, .lambda_0 = forces_at_rest(model, start)});
                   }});
  }
  all.push_back({"srm", "rk4 5, lambda_0", nullptr, steps({5e-3, 2e-3, 1e-3, 5e-4}), 32,
                 [](const Model& model, const State& start, double h) {
                   return srm(model, start, h, {.iterations = 5, .order = 4, .epsilon = 0.5, .lambda_0 = forces_at_rest(model, start)});
                 }});
  all.push_back({"compliant", "rigid", nullptr, steps(few), 32, compliant});
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
  Table table{{"beside", "n", "h [ms]", "apart after 0.1 s [m]"}, {}};
  double farthest = 0;
  for (const int n : {4, 8}) {
    const Model net = bench::make_model("square_net", n), tree = net.with_loops(false);
    const State start = bench::start(net);
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const LoopMotion own = follow(*rk4(tree, start, h), tree, steps_of(h));
      for (const Mujoco& mujoco : mujocos()) {
        const Made theirs = mujoco_racer(mujoco, tree, start, h, {.rk4 = true});
        if (!theirs) continue;
        const LoopMotion other = follow(*theirs, tree, steps_of(h));
        const double apart = farthest_apart(centres_of_mass(tree, other.q), centres_of_mass(tree, own.q));
        table.rows.push_back({mujoco.name(), double(n), 1e3 * h, apart});
        farthest = std::isnan(apart) ? INFINITY : std::fmax(farthest, apart);
      }
    }
  }
  report.say(
      "Check that bodies and joints are the same: all loops released, Runge-Kutta 4 by MuJoCo and by us: largest distance of the centres "
      "of mass");
  report.table("trees", table);
  report.check("without loops the bodies agree with MuJoCo's to 1e-7 m, the error of the steps: " + text(farthest, 3) + " m",
               farthest < 1e-7);
}

/// The same with Pinocchio, by semi-implicit Euler steps in both.
void compare_trees_with_pinocchio(const Report& report) {
  double farthest = 0;
  for (const int n : {4, 8}) {
    const Model net = bench::make_model("square_net", n), tree = net.with_loops(false);
    const State start = bench::start(net);
    const double h = 1e-3;
    const LoopMotion theirs = follow(*in_pinocchio(tree, start, h), tree, steps_of(h));
    const LoopMotion own = follow(*euler(tree, start, h), tree, steps_of(h));
    const double apart = farthest_apart(centres_of_mass(tree, theirs.q), centres_of_mass(tree, own.q));
    farthest = std::isnan(apart) ? apart : std::fmax(farthest, apart);
  }
  report.check("without loops, after 0.1 s of semi-implicit Euler steps, the bodies agree with Pinocchio's to 1e-12 m: " +
                   text(farthest, 3) + " m", farthest < 1e-12);
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

/// Returns the fastest at the common step that fulfils a condition, or null.
template <class Condition>
const Point* fastest(const std::vector<Point>& points, const Condition& condition) {
  const Point* best = nullptr;
  for (const Point& point : points) {
    if (point.h == common && condition(point) && (best == nullptr || point.us < best->us)) best = &point;
  }
  return best;
}

/// Returns the fastest of ours whose loops open no more than `gap`, or null.
const Point* fastest_of_ours(const std::vector<Point>& points, double gap) {
  return fastest(points, [gap](const Point& point) { return point.contestant->is_ours() && point.gap <= gap; });
}

/// The fastest of Pinocchio and the fastest of ours, in a table of its own.
class BesidePinocchio {
 public:
  void add(const Report& report, int n, const Model& model, const std::vector<Point>& points) {
    const Point* theirs = nullptr;
    for (const Point& point : points) {
      if (!point.contestant->is_pinocchio() || point.h != common) continue;
      largest_gap_ = std::isfinite(point.gap) ? std::fmax(largest_gap_, point.gap) : INFINITY;
      if (theirs == nullptr || point.us < theirs->us) theirs = &point;
      for (const Point& longer : points) {
        if (longer.contestant != point.contestant || longer.h != 2 * common) continue;
        least_ratio_ = std::isfinite(longer.apart) ? std::fmin(least_ratio_, longer.apart / point.apart) : -INFINITY;
        largest_ratio_ = std::fmax(largest_ratio_, longer.apart / point.apart);
      }
    }
    if (theirs == nullptr) return;
    std::vector<Cell> verdict{double(n), bench::bodies(model), double(model.loops().size()), theirs->label(), theirs->us, theirs->gap};
    for (const double gap : {theirs->gap, 1e-8}) {
      const Point* best = fastest_of_ours(points, gap);
      if (best) verdict.insert(verdict.end(), {best->label(), best->us, best->us / theirs->us});
      else verdict.insert(verdict.end(), 3, Cell("-"));
      if (best == nullptr || report.is_short()) continue;
      slowest_ = std::fmax(slowest_, best->us / theirs->us);
    }
    table_.rows.push_back(verdict);
  }

  void write(const Report& report) const {
    if (table_.rows.empty()) return;
    report.say("Steps of 1 ms: the fastest of Pinocchio, and the fastest of ours whose gap is no larger, or no larger than 1e-8 m");
    report.table("beside_pinocchio", table_);
    report.check("Pinocchio's loops are open by less than 2e-7 m: " + text(largest_gap_, 3) + " m", largest_gap_ < 2e-7);
    report.check("with twice the step, Pinocchio's bodies are twice as far from ours, as a first-order method's: " + text(least_ratio_, 3) +
                     " to " + text(largest_ratio_, 3), least_ratio_ > 1.5 && largest_ratio_ < 2.5);
    if (report.is_short()) return;
    report.check("ours take less than twice the time of Pinocchio: " + text(slowest_, 3), slowest_ < 2);
  }

 private:
  Table table_{{"n", "bodies", "loops", "Pinocchio", "[us]", "its gap [m]", "ours within it", "[us]", "ratio", "ours within 1e-8 m", "[us]",
                "ratio"},
               {}};
  double largest_gap_ = 0, slowest_ = 0, least_ratio_ = INFINITY, largest_ratio_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "net_beside_mujoco",
                      "Nets of rods on ball joints compared with MuJoCo: the time of a step against the gap of the loops");
  report.say(
      "n by n squares of rods of 1 m and 1 kg, suspended along one edge, from rest inclined by 30 degrees, 0.1 s. MuJoCo: the same bodies "
      "and");
  report.say(
      "joints, `connect` equalities, semi-implicit Euler steps, no contacts. Processor times, the best of interleaved "
      "repetitions.");
  report.say(
      "Stiff: solref of twice the step instead of 20 ms; stiffest: solimp 0.9999 and tolerance 1e-14 too. `variational` and `maximal` by "
      "their");
  report.say(
      "tolerances; `srm` by its method and iterations, lambda_0 as at the start where stated. Gap: the largest of a loop at a node. Apart: "
      "largest");
  report.say(
      "distance of a centre of mass at the end from `maximal` with steps of 0.25 ms, of 1 ms for n = 32; semi-implicit Euler steps and");
  report.say("`compliant` are of first order.\n");
  if (!mujocos().empty()) compare_trees(report);
  else report.say("MuJoCo was not found: its rows are omitted.\n");

  if (!pinocchio_version().empty()) {
    report.say("Pinocchio " + pinocchio_version() +
               ": its proximal constraint solver (dense) and `lcaba` (recursive), semi-implicit Euler steps, loops corrected with gains");
    report.say("1/h^2 and 1/h; not for n = 32, where the first takes too long and the second fails.\n");
    compare_trees_with_pinocchio(report);
  }

  const std::vector<Contestant> all = contestants(report.is_short());
  Table verdicts{
      {"n", "bodies", "loops", "MuJoCo", "[us]", "its gap [m]", "ours within it", "[us]", "ratio", "ours within 1e-8 m", "[us]", "ratio"},
      {}};
  BesidePinocchio beside_pinocchio;
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
    for (const Point& point : points) {
      table.rows.push_back({double(n), point.contestant->name, point.contestant->settings, 1e3 * point.h, point.us, point.ms_a_second(),
                            point.gap, point.apart, point.iterations, point.evaluations});
      if (point.gap > 0) {
        Curve& curve = curves[static_cast<std::size_t>(point.contestant - all.data())];
        curve.x.push_back(point.ms_a_second());
        curve.y.push_back(point.gap);
      }
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
    beside_pinocchio.add(report, n, model, points);
    for (const Mujoco& mujoco : mujocos()) {
      const Point* const theirs = fastest(points, [&](const Point& point) {
        return point.contestant->mujoco == &mujoco && point.contestant->settings == "defaults" && std::isfinite(point.gap);
      });
      if (theirs == nullptr) continue;
      std::vector<Cell> verdict{double(n), bench::bodies(model), double(model.loops().size()), theirs->label(), theirs->us, theirs->gap};
      report.check(size + " x " + size + ": the soft loops of " + mujoco.name() + " are open by 1e-5 to 1e-3 m: " + text(theirs->gap, 3) + " m",
                   theirs->gap > 1e-5 && theirs->gap < 1e-3);
      for (const auto& [gap, most] : {std::pair(theirs->gap, 1.0), std::pair(1e-8, 3.0)}) {
        const Point* const best = fastest_of_ours(points, gap);
        const double ratio = best == nullptr ? INFINITY : best->us / theirs->us;
        if (best) verdict.insert(verdict.end(), {best->label(), best->us, ratio});
        else verdict.insert(verdict.end(), 3, Cell("-"));
        if (report.is_short()) continue;  // the checks compile ours with less optimisation than MuJoCo
        report.check(size + " x " + size + ": with loops open by no more than " + text(gap, 2) + " m ours take less than " + text(most, 2) +
                         " of the time of " + theirs->label() + ": " + text(ratio, 3),
                     ratio < most);
      }
      verdicts.rows.push_back(verdict);
    }
  }
  report.figure("gaps", panels, 2);
  const double growth = exponent(cost, 1);
  report.check("the time of a step of `maximal` grows less than as bodies^2.5: ^" + text(growth, 3), growth < 2.5);
  beside_pinocchio.write(report);
  if (mujocos().empty()) return report.verdict();
  report.say(
      "Steps of 1 ms: the faster method of each MuJoCo with its defaults, and the fastest of ours whose gap is no larger, or no "
      "larger than 1e-8 m");
  report.table("verdicts", verdicts);
  return report.verdict();
}
