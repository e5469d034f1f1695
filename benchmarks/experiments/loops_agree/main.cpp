// SPDX-License-Identifier: BSD-3-Clause
// Whether the integrators that support closed loops converge to the same motion as the step decreases, and with which order.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "actio/integrators/close_loops.hpp"
#include "actio/io/sdf.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "support/exponent.hpp"
#include "support/loop_racers.hpp"
#include "support/models.hpp"
#include "support/report.hpp"

namespace {

using namespace experiments;
using loop_racers::Made;
using Model = loop_racers::Model;
using State = loop_racers::State;

/// Additional effort of srm where rows connect dissimilar bodies, or constrain more than points.
struct Effort {
  int iterations = 1;  ///< factor on the number of iterations
  int substeps = 1;    ///< factor by which its steps are shorter
};
struct Contestant {
  std::string name;
  double order;  ///< required order
  Made (*make)(const Model&, const State&, double h, const Effort&);
};
const std::vector<Contestant> contestants{
    {"variational", 2,
     [](const Model& model, const State& start, double h, const Effort&) { return loop_racers::variational(model, start, h, 1e-12); }},
    {"maximal", 2,
     [](const Model& model, const State& start, double h, const Effort&) { return loop_racers::maximal(model, start, h, 0); }},
    {"srm, midpoint", 2,
     [](const Model& model, const State& start, double h, const Effort& effort) {
       return loop_racers::srm(
           model, start, h, {.iterations = 2 * effort.iterations, .epsilon = 0.5, .lambda_0 = loop_racers::forces_at_rest(model, start)});
     }},
    // Four iterations have an error of epsilon^4, but steps as long as epsilon do not resolve the initial transient of the loop forces.
    {"srm, rk4", 3,
     [](const Model& model, const State& start, double h, const Effort& effort) {
       return loop_racers::srm(model, start, h,
                               {.iterations = 4 * effort.iterations, .order = 4, .lambda_0 = loop_racers::forces_at_rest(model, start)});
     }},
    {"compliant", 1,
     [](const Model& model, const State& start, double h, const Effort&) { return loop_racers::compliant(model, start, h); }}};

struct Mechanism {
  std::string name;
  Model model;
  State start;     ///< at rest
  Effort effort{};
  bool has_independent_rows = true;  ///< and no rows of rotations
  int coarsest = 25;                 ///< number of steps, at first
  std::size_t shown_in_short = 5;    ///< with --short, the orders are shown for this number of contestants, from the first
};
/// Cassie with a fixed pelvis, with cranks and feet bent: otherwise its plantar linkages are stretched, a configuration with two branches.
/// Without its dampers, which make rods of some grams too stiff for explicit steps; steps must resolve its heel springs' milliseconds.
Mechanism cassie(const std::string& file) {
  const Model damped = actio::read_sdf(file, {.base = actio::Base::fixed}).model;
  actio::ModelProperties<double> properties = damped.properties();
  properties.damping.setZero();
  const Model model = damped.with_properties(properties);
  State start = rest_state(model);
  for (const std::string side : {"left", "right"}) {
    for (const auto& [joint, angle] :
         {std::pair("-foot-op", -1.3), std::pair("-tarsus-crank-joint", -1.3), std::pair("-crank-rod-joint", 1.3)}) {
      start.q[model.q_index(model.find_joint(side + joint))] = angle;
    }
  }
  start.q = close_loops(model, start.q);
  return {"Cassie", model, start, {.substeps = 8}, false, 100, 0};
}
std::vector<Mechanism> mechanisms(const Report& report) {
  std::vector<Mechanism> all;
  for (const auto& [name, n] : {std::pair("square_chain", 4), {"square_net", 3}, {"ladder", 4}, {"four_bar", 1}}) {
    const Model model = bench::make_model(name, n);
    all.push_back({std::string(name) + ' ' + std::to_string(n), model, bench::start(model)});
  }
  const auto at_rest = [&](const std::string& name, const Model& model, const Effort& effort = {}, bool has_independent_rows = true) {
    all.push_back({name, model, rest_state(model), effort, has_independent_rows, 25, 2});  // variational and maximal
  };
  at_rest("Jansen's leg", actio::models::jansen_leg());
  at_rest("Stewart platform", actio::models::stewart_platform(actio::Matrix3<double>::Identity(), 5000.), {.iterations = 4});
  at_rest("8R weld", actio::models::eight_bar(actio::Matrix3<double>::Identity(), 5.), {.substeps = 128}, false);
  const std::string file = std::string(ACTIO_SHARED_DIR) + "/robots/loops/cassie.sdf";
  if (std::filesystem::exists(file)) all.push_back(cassie(file));
  else report.say("No collection of robots: Cassie is omitted.\n");
  return all;
}

/// Returns the larger of two, or NaN if either is NaN.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Returns the order fitted to the last points of a curve.
double last_order(Curve curve, std::size_t points) {
  const auto from = static_cast<std::ptrdiff_t>(curve.x.size() - std::min(points, curve.x.size()));
  curve.x.erase(curve.x.begin(), curve.x.begin() + from);
  curve.y.erase(curve.y.begin(), curve.y.begin() + from);
  return exponent(curve, 0);
}

/// The end of a motion, and its uncertainty [m].
struct Reference {
  Centres end;
  double doubt;
};
Reference reference(const Model& model, const State& start, double duration, int steps, bool has_independent_rows) {
  const auto end = [&](int n) {
    const double h = duration / n;
    const Made racer = has_independent_rows ? loop_racers::in_accelerations(model, start, h) : loop_racers::maximal(model, start, h, 0);
    const LoopMotion motion = follow(*racer, model, n);
    if (!motion.complete) throw std::runtime_error("the reference of " + model.name() + " fails: " + std::string(describe(motion.lap.end)));
    return centres_of_mass(model, motion.q);
  };
  const Centres coarse = end(steps / 2), fine = end(steps);
  if (has_independent_rows) return {fine, farthest_apart(coarse, fine)};
  Centres extrapolated = fine;
  for (actio::BodyIndex i = 1; i < model.num_bodies(); ++i) extrapolated[i] += (fine[i] - coarse[i]) / 3;
  return {extrapolated, farthest_apart(fine, extrapolated)};
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "loops_agree", "Four integrators of closed loops compared as their steps decrease");
  const double duration = 0.25;
  const int halvings = report.is_short() ? 3 : 5;
  report.say("Mechanisms from rest, after 0.25 s: positions of the centres of mass, the largest difference over all bodies [m] from");
  report.say(
      "Runge-Kutta 4 with loops closed at acceleration level and half the shortest step, which supports neither welds nor redundant rows: "
      "there from");
  report.say("`maximal` with this step and twice this step, extrapolated; and the largest difference of any two.");
  report.say(
      "`srm` by the midpoint rule with two iterations and epsilon = h/2, by Runge-Kutta 4 with four and epsilon = h; lambda_0 as at the "
      "start.");
  report.say(
      "Four times these iterations on the Stewart platform, 128 steps for each step of the others on the weld, 8 on Cassie: rows that "
      "connect dissimilar bodies,");
  report.say("or constrain rotations, have directions in which an iteration makes little progress.");
  report.say("`compliant` with rigid closures.\n");

  Table table{{"mechanism", "h [ms]"}, {}}, orders{{"mechanism"}, {}}, gaps{{"mechanism", "h [ms]"}, {}};
  for (const Contestant& contestant : contestants) {
    table.columns.push_back(contestant.name);
    gaps.columns.push_back(contestant.name);
    orders.columns.push_back(contestant.name);
  }
  table.columns.insert(table.columns.end(), {"any two", "doubt"});
  std::vector<Panel> panels;
  double lacking = -INFINITY, left = 0;  // worst over all: deficit of an order, and ratio of the last difference to the first
  for (const auto& [name, model, start, effort, has_independent_rows, coarsest, shown_in_short] : mechanisms(report)) {
    const int fine = 2 * (coarsest << halvings);
    const Reference truth = reference(model, start, duration, fine, has_independent_rows);
    panels.push_back({name, "h [ms]", "m", true, true, {}});
    for (const Contestant& contestant : contestants) panels.back().curves.push_back({contestant.name, {}, {}});
    std::vector<double> first(contestants.size()), last = first;
    for (int k = 0; k <= halvings; ++k) {
      const int steps = coarsest << k;
      const double h = duration / steps;
      std::vector<Centres> ends;
      std::vector<Cell> row{name, 1e3 * h}, gap = row;
      double between = 0;
      for (std::size_t c = 0; c < contestants.size(); ++c) {
        const int substeps = contestants[c].name.starts_with("srm") ? effort.substeps : 1;
        const LoopMotion motion = follow(*contestants[c].make(model, start, h / substeps, effort), model, steps * substeps);
        ends.push_back(centres_of_mass(model, motion.q));
        const double error = motion.complete ? farthest_apart(ends.back(), truth.end) : std::numeric_limits<double>::quiet_NaN();
        row.push_back(error);
        (k == 0 ? first : last)[c] = error;
        gap.push_back(motion.gap);
        for (const Centres& other : ends) between = std::max(between, farthest_apart(ends.back(), other));
        if (!(error > 0)) continue;
        panels.back().curves[c].x.push_back(1e3 * h);
        panels.back().curves[c].y.push_back(error);
      }
      row.insert(row.end(), {between, truth.doubt});
      table.rows.push_back(row);
      gaps.rows.push_back(gap);
    }
    std::vector<Cell> row{name};
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      const double order = last_order(panels.back().curves[c], 3);
      row.push_back(order);
      const bool is_slow = effort.substeps > 1 && contestants[c].name.starts_with("srm");  // some directions converge late
      if (!report.is_short() || c < shown_in_short) lacking = worse(lacking, (is_slow ? 1 : contestants[c].order) - order);
      left = worse(left, last[c] / first[c]);
    }
    orders.rows.push_back(row);
  }
  report.say("Differences [m]; doubt: the reference compared with itself at double steps");
  report.table("differences", table);
  report.say("Orders, fitted to the three shortest steps");
  report.table("orders", orders);
  report.say("Largest gap of a loop at a node [m]");
  report.table("gaps", gaps);
  report.figure("differences", panels, 2);
  if (report.is_short()) {
    report.say(
        "These steps are too long to measure the orders of srm and compliant on Jansen's leg, the platform and the weld, and any order on "
        "Cassie.");
  }
  report.check("every measurable order is less than 0.3 below the expected one; largest deficit: " + text(lacking, 3), lacking < 0.3);
  report.check("with the shortest steps every difference is less than 0.7 of that with the longest: " + text(left, 3), left < 0.7);
  return report.verdict();
}
