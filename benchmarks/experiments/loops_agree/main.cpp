// SPDX-License-Identifier: BSD-3-Clause
// Whether the integrators that take closed loops come to the same motion as their steps get shorter, and how fast.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/exponent.hpp"
#include "support/loop_racers.hpp"
#include "support/models.hpp"
#include "support/report.hpp"

namespace {

using namespace experiments;
using loop_racers::Made;
using Model = loop_racers::Model;
using State = loop_racers::State;

struct Contestant {
  std::string name;
  double order;  ///< that it must have at least
  Made (*make)(const Model&, const State&, double);
};
const std::vector<Contestant> contestants{
    {"variational", 2, [](const Model& model, const State& start, double h) { return loop_racers::variational(model, start, h, 1e-12); }},
    {"maximal", 2, [](const Model& model, const State& start, double h) { return loop_racers::maximal(model, start, h, 1e-12); }},
    {"srm, midpoint", 2, [](const Model& model, const State& start, double h) {
       return loop_racers::srm(model, start, h, {.iterations = 2, .epsilon = 0.5, .lambda_0 = loop_racers::forces_at_rest(model, start)});
     }},
    // Four iterations come to epsilon^4, but steps as long as epsilon do not resolve how the loops' forces settle at the start.
    {"srm, rk4", 3, [](const Model& model, const State& start, double h) {
       return loop_racers::srm(model, start, h, {.iterations = 4, .order = 4, .lambda_0 = loop_racers::forces_at_rest(model, start)});
     }},
    {"compliant", 1, loop_racers::compliant}};

struct Mechanism {
  std::string_view name;
  int n;
};
const std::vector<Mechanism> mechanisms{{"square_chain", 4}, {"square_net", 3}, {"ladder", 4}, {"four_bar", 1}};

/// Fitted to the last points of a curve.
double last_order(Curve curve, std::size_t points) {
  const auto from = static_cast<std::ptrdiff_t>(curve.x.size() - std::min(points, curve.x.size()));
  curve.x.erase(curve.x.begin(), curve.x.begin() + from);
  curve.y.erase(curve.y.begin(), curve.y.begin() + from);
  return exponent(curve, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "loops_agree", "Four integrators of closed loops against each other as their steps get shorter");
  const double duration = 0.25;
  const int coarsest = 25, halvings = report.is_short() ? 3 : 5;
  report.say("Mechanisms of rods from rest, after 0.25 s: where the bodies' centres of mass are, the largest difference over all bodies [m], against");
  report.say("Runge-Kutta 4 with loops closed in the accelerations and half the shortest step; beside it the largest difference of any two.");
  report.say("`srm` by the midpoint rule with two iterations and epsilon = h/2, by Runge-Kutta 4 with four and epsilon = h; lambda_0 that of the start.");
  report.say("`compliant` with rigid closures.\n");

  Table table{{"mechanism", "n", "h [ms]"}, {}}, orders{{"mechanism", "n"}, {}}, gaps{{"mechanism", "n", "h [ms]"}, {}};
  for (const Contestant& contestant : contestants) {
    table.columns.push_back(contestant.name);
    gaps.columns.push_back(contestant.name);
    orders.columns.push_back(contestant.name);
  }
  table.columns.insert(table.columns.end(), {"any two", "doubt"});
  std::vector<Panel> panels;
  bool agree = true;
  for (const Mechanism& mechanism : mechanisms) {
    const Model model = bench::make_model(mechanism.name, mechanism.n);
    const State start = bench::start(model);
    const std::string name(mechanism.name);
    const double n = mechanism.n;
    const int fine = 2 * (coarsest << halvings);
    const auto refer = [&](int steps) { return follow(*loop_racers::in_accelerations(model, start, duration / steps), model, steps); };
    const LoopMotion truth = refer(fine);
    const double doubt = farthest_apart(model, truth.q, refer(fine / 2).q);
    panels.push_back({name + ", n = " + std::to_string(mechanism.n), "h [ms]", "m", true, true, {}});
    for (const Contestant& contestant : contestants) panels.back().curves.push_back({contestant.name, {}, {}});
    for (int k = 0; k <= halvings; ++k) {
      const int steps = coarsest << k;
      const double h = duration / steps;
      std::vector<LoopMotion> motions;
      std::vector<Cell> row{name, n, 1e3 * h}, gap = row;
      double between = 0;
      for (std::size_t c = 0; c < contestants.size(); ++c) {
        motions.push_back(follow(*contestants[c].make(model, start, h), model, steps));
        const LoopMotion& motion = motions.back();
        const double error = motion.complete ? farthest_apart(model, motion.q, truth.q) : std::numeric_limits<double>::quiet_NaN();
        row.push_back(error);
        gap.push_back(motion.gap);
        for (const LoopMotion& other : motions) between = std::max(between, farthest_apart(model, motion.q, other.q));
        if (!(error > 0)) continue;
        panels.back().curves[c].x.push_back(1e3 * h);
        panels.back().curves[c].y.push_back(error);
      }
      row.insert(row.end(), {between, doubt});
      table.rows.push_back(row);
      gaps.rows.push_back(gap);
    }
    std::vector<Cell> row{name, n};
    for (std::size_t c = 0; c < contestants.size(); ++c) {
      const double order = last_order(panels.back().curves[c], 3);
      row.push_back(order);
      agree = agree && order > contestants[c].order - 0.3;
    }
    orders.rows.push_back(row);
  }
  report.say("Differences [m]; doubt: the reference against itself with double steps");
  report.table("differences", table);
  report.say("Orders, fitted to the three shortest steps");
  report.table("orders", orders);
  report.say("Largest gap of a loop at a node [m]");
  report.table("gaps", gaps);
  report.figure("differences", panels, 2);
  report.say(agree ? "verdict: all go to the same motion, each at least with its order" : "verdict: NOT all with their orders");
  return agree || report.is_short() ? 0 : 1;
}
