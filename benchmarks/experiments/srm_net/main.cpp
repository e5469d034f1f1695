// SPDX-License-Identifier: BSD-3-Clause
// Ascher and Lin 1999, example 4.2: a net of rods in a breeze, in redundant coordinates, by sequential regularisation.
// Assumed, because the text at hand has lost its formulas: rods of 1 m and 1 kg on ball joints, 9.8 m/s^2, the breeze an acceleration of
// 2 m/s^2, a start inclined by pi/6, h = 5 ms, midpoint rule, epsilon = h/2, alpha = a1 = a2 = 10, lambda_0 = 0. [srm_math.md, section 4.2]
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "support/exponent.hpp"
#include "support/report.hpp"
#include "support/rod_runs.hpp"

namespace {

using namespace experiments;
using Rods = actio::models::PlacedRods<double, 3>;

/// Returns the larger of two, or NaN if either is NaN.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// Table 4.3: drift against the size of the net; it must not depend on it.
void drift_of_nets(const Report& report) {
  std::vector<int> sizes{1, 2, 4, 8};
  if (!report.is_short()) sizes = {1, 2, 3, 4, 5, 6, 8, 16, 32, 64, 100, 128};
  Table table{{"net", "rods", "loops", "drift, s = 1 [m]", "s = 2 [m]", "s = 3 [m]", "tree [m]"}, {}};
  Panel panel{"Drift until 0.5 s", "squares along a side", "m", true, true, {}};
  for (int s = 1; s <= 3; ++s) panel.curves.push_back({"s = " + std::to_string(s), {}, {}});
  bool complete = true;
  double first = 0, second = 0, left = 0;  // the worst of all nets
  for (const int n : sizes) {
    const Rods rods = actio::models::rod_net(n, n);
    const RodRun run = run_rods(rods, {});
    complete = complete && run.complete;
    const auto drift = [&](std::size_t k) { return run.largest_drift(k); };
    table.rows.push_back({std::to_string(n) + " x " + std::to_string(n), double(rods.tree.num_rods()), double(rods.tree.loops().size()),
                          drift(0), drift(1), drift(2), *std::max_element(run.tree_drift.begin(), run.tree_drift.end())});
    for (std::size_t k = 0; k < 3; ++k) {
      panel.curves[k].x.push_back(n);
      panel.curves[k].y.push_back(drift(k));
    }
    first = worse(first, drift(0) / panel.curves[0].y[0]);
    second = worse(second, drift(1) / panel.curves[1].y[0]);
    left = worse(left, drift(1) / drift(0));
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [least, most] = std::minmax_element(panel.curves[k].y.begin(), panel.curves[k].y.end());
    report.beside_paper("Drift of iterate " + std::to_string(k + 1) + " over all nets", "does not grow with the net",
                        text(1e3 * *least, 2) + " to " + text(1e3 * *most, 2) + " mm");
  }
  report.say("Table 4.3: largest drift of the iterates; it does not grow with the net");
  report.table("drift", table);
  report.figure("drift", {panel}, 1);
  report.check("no run ends early, and the first iterate drifts less than 1.1 times as far as on the 1 x 1 net: " + text(first, 4),
               complete && first < 1.1);
  report.check("the second iterate drifts less than 1.5 times as far as on the 1 x 1 net: " + text(second, 4), second < 1.5);
  report.check("a second iteration reduces the drift of every net to less than a tenth: " + text(left, 3), left < 0.1);
}

/// The time of a step, which must be linear in the number of rods.
void cost(const Report& report) {
  Table table{{"net", "rods", "us a step", "ns a rod, stage and copy"}, {}};
  Curve curve{"two iterations", {}, {}}, dense{"dense Schur complement", {}, {}};
  for (int n = 1; n <= (report.is_short() ? 8 : 128); n *= 2) {
    const Rods rods = actio::models::rod_net(n, n);
    const double seconds = seconds_a_step(rods, {.iterations = 2}, report.is_short() ? 0.02 : 0.5);
    const double bodies = static_cast<double>(rods.tree.num_rods());
    curve.x.push_back(bodies);
    curve.y.push_back(1e6 * seconds);
    table.rows.push_back({std::to_string(n) + " x " + std::to_string(n), bodies, 1e6 * seconds, 1e9 * seconds / (4 * bodies)});
    if (n > 8) continue;
    dense.x.push_back(bodies);
    dense.y.push_back(1e6 * seconds_a_step(rods, {.method = RodMethod::schur}, report.is_short() ? 0.02 : 0.2));
  }
  const double p = exponent(curve, 1);
  report.say("Time of a step of two iterations: exponent " + std::to_string(p) + " in the rods");
  report.table("cost", table);
  report.figure("cost", {{"A step", "rods", "us", true, true, {curve, dense}}}, 1);
  const double most = report.is_short() ? 1.5 : 1.1;
  report.check("the time of a step grows with the number of rods by an exponent of at most " + text(most, 2) + ": " + text(p, 3),
               p <= most);
}

/// Fig. 4.4: the net at different times, seen from the side and from above.
void motion(const Report& report) {
  const int n = 6;
  const Rods rods = actio::models::rod_net(n, n);
  const RodSettings settings{.h = 2.5e-3, .duration = 2};
  const RodRun run = run_rods(rods, settings);
  const auto project = [](const actio::Vector3<double>& x) { return std::pair(x[0] + 0.5 * x[1], x[2] + 0.25 * x[1]); };
  std::vector<Drawing> drawings;
  for (const double t : {0.0, 0.4, 0.8, 1.2, 1.6, 2.0}) {
    const auto k = static_cast<std::size_t>(std::lround(t / settings.h));
    if (k < run.p.size()) drawings.push_back(draw(std::to_string(t).substr(0, 3) + " s", rods.tree, run.p[k], project));
  }
  report.picture("motion", svg(drawings, 3));
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "srm_net", "A net in a breeze by sequential regularisation [Ascher and Lin 1999, ex. 4.2]");
  report.say("Rods of 1 m and 1 kg, 9.8 m/s^2 and a breeze of 2 m/s^2, from rest at 30 degrees; h = 5 ms, midpoint rule, epsilon = h/2.\n");
  drift_of_nets(report);
  cost(report);
  motion(report);
  return report.verdict();
}
