// SPDX-License-Identifier: BSD-3-Clause
// Ascher and Lin 1999, example 4.1: a chain of squares of rods, in redundant coordinates, by sequential regularisation.
// Assumed, because the text at hand has lost its formulas: rods of 1 m and 1 kg, 9.8 m/s^2, squares in a row, h = 5 ms, midpoint rule,
// epsilon = h/2, alpha = a1 = a2 = 10, lambda_0 = 0; both readings of how squares are connected.               [srm_math.md, section 4.1]
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/exponent.hpp"
#include "support/report.hpp"
#include "support/rod_runs.hpp"

namespace {

using namespace experiments;
using Rods = actio::models::PlacedRods<double, 2>;

Rods corner(int n) { return actio::models::corner_joined_squares(n); }
Rods edge(int n) { return actio::models::edge_sharing_squares(n); }
struct Reading {
  std::string name;
  Rods (*make)(int);
};
const std::vector<Reading> readings{{"corner", corner}, {"edge", edge}};

/// Whether a claim is true, and the number that decides it.
struct Found {
  bool holds = true;
  double measured = 0;
};

/// Returns the larger of two, or NaN if either is NaN.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

double bodies(const Rods& rods) { return static_cast<double>(rods.tree.num_rods()); }

/// Table 4.1: drift against the number of squares, for three iterations.
/// @returns whether every run succeeds, and the relative difference between the drifts of more than 8 corner-joined squares and of 8.
Found drift_of_squares(const Report& report) {
  std::vector<int> sizes{1, 4, 8, 16, 64};
  if (!report.is_short()) sizes = {1, 2, 4, 8, 16, 32, 64, 128, 200, 512};
  Table table{{"squares share a", "squares", "rods", "T [s]", "drift, s = 1 [m]", "s = 2 [m]", "s = 3 [m]", "tree [m]"}, {}};
  std::vector<Panel> panels{{"Drift until 0.3 s", "squares", "m", true, true, {}}, {"Drift until 0.5 s", "squares", "m", true, true, {}}};
  Found found;
  for (const Reading& reading : readings) {
    std::map<double, std::vector<Curve>> curves;
    for (const double until : {0.3, 0.5}) {
      for (int s = 1; s <= 3; ++s) curves[until].push_back({reading.name + ", s = " + std::to_string(s), {}, {}});
    }
    for (const int n : sizes) {
      const Rods rods = reading.make(n);
      const RodSettings settings;
      const RodRun run = run_rods(rods, settings);
      found.holds = found.holds && run.complete;
      for (const double until : {0.3, 0.5}) {
        const auto drift = [&](std::size_t k) { return run.largest_drift(k, until, settings.h); };
        table.rows.push_back({reading.name, double(n), bodies(rods), until, drift(0), drift(1), drift(2),
                              *std::max_element(run.tree_drift.begin(), run.tree_drift.end())});
        for (std::size_t k = 0; k < 3; ++k) {
          Curve& curve = curves[until][k];
          curve.x.push_back(n);
          curve.y.push_back(drift(k));
          const double of_eight =
              n > 8 ? curve.y[static_cast<std::size_t>(std::find(curve.x.begin(), curve.x.end(), 8) - curve.x.begin())] : 0;
          if (n == 64 && until == 0.5 && k > 0) {
            report.beside_paper(reading.name + ", 64 squares, 0.5 s: drift of iterate " + std::to_string(k + 1),
                                k == 1 ? "almost that of the third" : "almost that of the second", text(drift(k), 3) + " m");
          }
          if (reading.name == "corner" && n > 8) found.measured = worse(found.measured, std::abs(drift(k) / of_eight - 1));
        }
      }
    }
    for (std::size_t panel = 0; panel < 2; ++panel) {
      for (const Curve& curve : curves[panel == 0 ? 0.3 : 0.5]) panels[panel].curves.push_back(curve);
    }
  }
  report.say("Table 4.1: largest drift of the iterates. The paper lists three iterations for seven numbers of squares; the second and the");
  report.say("third drift almost equally; here they do so once squares have passed the pose in which their rods are in line (0.5 s).");
  report.table("drift", table);
  report.figure("drift", panels, 2);
  return found;
}

/// Table 4.2: loops regularised, or all constraints. Five squares, forward Euler, h = 10 ms.
void two_forms(const Report& report) {
  Table table{{"method", "E", "s", "epsilon [s]", "t = 0.4", "0.5", "0.6", "1.0 s: drift [m]"}, {}};
  const std::vector<double> times{0.4, 0.5, 0.6, 1.0};
  const double h = 0.01;
  const auto row = [&](const std::string& method, const std::string& weight, double s, double epsilon, const std::vector<double>& drift) {
    table.rows.push_back({method, weight, s, epsilon, drift[0], drift[1], drift[2], drift[3]});
  };
  // Decimal points are missing in the text at hand: its "005" and "05" may be .005 or 0.05, and .05 or 0.5.
  row("(3.12), paper", "?", 1, 0.005, {7.763e-3, 1.289e-2, 1.744e-2, 2.959e-2});
  row("(3.12), paper", "?", 2, 0.05, {7.763e-3, 1.289e-2, 1.744e-2, 3.107e-2});
  row("(3.10), paper", "?", 2, 0.05, {0.1008, 0.1640, 0.2270, 0.4794});
  row("(3.10), paper", "?", 4, 0.05, {5.869e-2, 8.514e-2, 0.1129, 0.1155});
  const Rods rods = corner(5);
  using actio::RowWeight;
  struct Result {
    std::vector<double> drift;  ///< at these times [m]
    double end;                 ///< of the run [s]
  };
  std::map<std::tuple<RodMethod, RowWeight, int, double>, Result> results;
  for (const RowWeight weight : {RowWeight::bodies, RowWeight::identity}) {
    for (const double epsilon : {h / 2, 5 * h, 50 * h}) {
      for (const int s : {1, 2, 4}) {
        for (const RodMethod method : {RodMethod::sequential, RodMethod::all_regularized}) {
          const RodSettings settings{.method = method,
                                     .iterations = s,
                                     .epsilon = epsilon,
                                     .alpha = 5,
                                     .a1 = 5,
                                     .a2 = 5,
                                     .h = h,
                                     .duration = 1,
                                     .order = 1,
                                     .weight = weight};
          const RodRun run = run_rods(rods, settings);
          Result& result = results[{method, weight, s, epsilon}];
          result.end = h * static_cast<double>(run.p.size() - 1);
          for (const double t : times) {
            const auto n = static_cast<std::size_t>(std::lround(t / h));
            result.drift.push_back(n < run.p.size() ? std::max(run.drift.back()[n], run.tree_drift[n]) : INFINITY);
          }
          row(method == RodMethod::sequential ? "(3.12)" : "(3.10)", weight == RowWeight::bodies ? "blocks" : "identity", s, epsilon,
              result.drift);
        }
      }
    }
  }
  report.say(
      "Table 4.2 and ours: largest drift of all constraints for the last iterate at given times; inf: the run ended earlier. Paper: "
      "decimal");
  report.say("points are lost in our copy; its number of squares, gravity, alpha, E and norm are not known: compare orders of magnitude.");
  report.table("two_forms", table);
  // These bounds do not come from the paper's digits: they detect changes of our code, and confirm nothing of the paper.
  // A drift is finite if the run has reached its time.
  const auto drift = [&](RodMethod method, RowWeight weight, int s, double epsilon, std::size_t k) {
    return results[{method, weight, s, epsilon}].drift[k];
  };
  const auto within = [](double x, double least, double most) { return std::isfinite(x) && x > least && x < most; };
  using enum RodMethod;
  const double first = drift(sequential, RowWeight::bodies, 2, h / 2, 3);
  report.check("(3.12), E by blocks, two iterations, epsilon = h/2: drift at 1 s below 1 m: " + text(first, 3), within(first, 0, 1));
  double latest = 0, farthest = 0, by_blocks = 0, of_first = 0;
  bool in_turn = true;
  for (const int s : {2, 4}) {
    for (const double epsilon : {h / 2, 5 * h})
      latest = worse(latest, results[{RodMethod::all_regularized, RowWeight::identity, s, epsilon}].end);
    in_turn = in_turn &&
              results[{all_regularized, RowWeight::identity, s, h / 2}].end < results[{all_regularized, RowWeight::identity, s, 5 * h}].end;
    farthest = worse(farthest, drift(all_regularized, RowWeight::identity, s, 50 * h, 3));
    for (const double epsilon : {h / 2, 5 * h, 50 * h})
      by_blocks = worse(by_blocks, drift(all_regularized, RowWeight::bodies, s, epsilon, 3));
    of_first = worse(of_first, results[{sequential, RowWeight::identity, s, h / 2}].end);
  }
  report.check("(3.10), E = I, two and four iterations, epsilon = h/2 and 5 h: runs overflow before 0.3 s, the last one at " +
                   text(latest, 3) + " s",
               latest < 0.3);
  report.check("those at h/2 before those at 5 h", in_turn);
  report.check("the same at epsilon = 50 h: drift at 1 s below 2 m: " + text(farthest, 3), within(farthest, 0, 2));
  report.check("(3.10), E by blocks, two and four iterations: stable at all three epsilon, drift at 1 s below 5 m: " + text(by_blocks, 3),
               within(by_blocks, 0, 5));
  report.check(
      "(3.12), E = I, two and four iterations, epsilon = h/2: runs overflow before 1 s, the last one at " + text(of_first, 3) + " s",
      of_first < 1 - h / 2);
  const double ratio = drift(all_regularized, RowWeight::bodies, 2, h / 2, 0) / drift(sequential, RowWeight::bodies, 2, h / 2, 0);
  report.check("E by blocks, two iterations, epsilon = h/2, at 0.4 s: (3.10) drifts 3 to 6 times as far as (3.12): " + text(ratio, 3),
               within(ratio, 3, 6));
  const double later = drift(all_regularized, RowWeight::bodies, 2, 5 * h, 3) / drift(sequential, RowWeight::bodies, 2, 5 * h, 3);
  report.check("but not everywhere: epsilon = 5 h, at 1 s, less than 0.8 times as far: " + text(later, 3), within(later, 0, 0.8));
  const double fewer =
      drift(all_regularized, RowWeight::identity, 2, 50 * h, 0) / drift(all_regularized, RowWeight::identity, 4, 50 * h, 0);
  report.check("(3.10), E = I, epsilon = 50 h, at 0.4 s: two iterations drift 1.3 to 3 times as far as four: " + text(fewer, 3),
               within(fewer, 1.3, 3));
}

/// Errors of the iterates against epsilon, in the regular phase.
/// @returns the deviation of the orders from 1, 2, 3, and with two iterations in h from 2.
double orders(const Report& report) {
  const Rods rods = corner(2);
  const double duration = 0.2;
  const RodRun truth = run_rods(rods, {.method = RodMethod::schur, .h = 1e-3, .duration = duration, .order = 4});
  Panel panel{"Error of the iterates, two squares, 0.2 s", "epsilon [s]", "m", true, true, {}};
  for (int s = 1; s <= 3; ++s) panel.curves.push_back({"s = " + std::to_string(s), {}, {}});
  for (const double epsilon : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const RodRun run = run_rods(rods, {.epsilon = epsilon, .h = 2.5e-4, .duration = duration, .order = 4, .matched = true});
    for (std::size_t k = 0; k < 3; ++k) {
      panel.curves[k].x.push_back(epsilon);
      panel.curves[k].y.push_back((run.p_end[k] - truth.p.back()).cwiseAbs().maxCoeff());
    }
  }
  Table table{{"s", "eps = 4 ms", "2 ms", "1 ms", "0.5 ms: error [m]", "last order"}, {}};
  double off = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double>& y = panel.curves[k].y;
    const double order = std::log2(y[2] / y[3]);
    table.rows.push_back({double(k + 1), y[0], y[1], y[2], y[3], order});
    report.beside_paper("Order in epsilon of iterate " + std::to_string(k + 1), std::to_string(k + 1), text(order, 3));
    off = worse(off, std::abs(order - double(k + 1)));
  }
  report.say(
      "Theorem 3.1: errors of the iterates, two corner-joined squares, 0.2 s, h = 0.25 ms by Runge-Kutta 4, lambda_0 that of the start");
  report.table("orders", table);

  // Two iterations for a method of order two.
  Panel steps{"Error after 0.3 s, epsilon = h/2, midpoint", "h [s]", "m", true, true, {}};
  for (int s = 1; s <= 4; ++s) steps.curves.push_back({"s = " + std::to_string(s), {}, {}});
  const RodRun later = run_rods(rods, {.method = RodMethod::schur, .h = 1e-3, .duration = 0.3, .order = 4});
  for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
    const RodRun run = run_rods(rods, {.iterations = 4, .epsilon = h / 2, .h = h, .duration = 0.3});
    for (std::size_t k = 0; k < 4; ++k) {
      steps.curves[k].x.push_back(h);
      steps.curves[k].y.push_back((run.p_end[k] - later.p.back()).cwiseAbs().maxCoeff());
    }
  }
  Table of_steps{{"s", "h = 10 ms", "5 ms", "2.5 ms", "1.25 ms: error [m]", "last order"}, {}};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<double>& y = steps.curves[k].y;
    of_steps.rows.push_back({double(k + 1), y[0], y[1], y[2], y[3], std::log2(y[2] / y[3])});
  }
  off = worse(off, std::abs(std::log2(steps.curves[1].y[2] / steps.curves[1].y[3]) - 2));
  report.say("Two iterations restore the second order of the midpoint rule; a third only reduces the constant");
  report.table("steps", of_steps);
  report.figure("orders", {panel, steps}, 2);
  return off;
}

/// Comparison with other methods: drift, error and time. Regular phase.
void methods(const Report& report) {
  Table table{{"method", "squares", "epsilon", "drift [m]", "error [m]", "us a step"}, {}};
  std::vector<int> sizes{4, 16};
  if (!report.is_short()) sizes.push_back(64);
  for (const int n : sizes) {
    const Rods rods = corner(n);
    const RodRun truth = run_rods(rods, {.method = RodMethod::schur, .h = 2e-3, .duration = 0.3, .order = 4});
    const auto add = [&](const std::string& name, RodSettings settings) {
      settings.duration = 0.3;
      const RodRun run = run_rods(rods, settings);
      const double error = run.complete ? (run.p.back() - truth.p.back()).cwiseAbs().maxCoeff() : NAN;
      table.rows.push_back({name, double(n), settings.epsilon, run.largest_drift(run.drift.size() - 1), error,
                            1e6 * seconds_a_step(rods, settings, report.is_short() ? 0.02 : 0.2)});
    };
    for (int s = 1; s <= 3; ++s) add("(3.12), s = " + std::to_string(s), {.iterations = s});
    for (int s = 2; s <= 4; s += 2) add("(3.10), s = " + std::to_string(s), {.method = RodMethod::all_regularized, .iterations = s});
    for (const double epsilon : {4e-4, 2.5e-3}) add("penalty", {.method = RodMethod::penalty, .epsilon = epsilon, .h = 5e-3});
    add("dense Schur complement", {.method = RodMethod::schur});
  }
  report.say("Methods for comparison, corner-joined squares, 0.3 s, h = 5 ms, midpoint rule; epsilon [s], of the penalty method [s^2]");
  report.table("methods", table);
}

/// The time of a step against the number of squares.  @returns the larger exponent of both readings.
double cost(const Report& report) {
  const int largest = report.is_short() ? 64 : 4096;
  Panel panel{"A step of two iterations", "squares", "us", true, true, {}};
  Table table{{"squares share a", "squares", "rods", "us a step", "ns a rod, stage and copy"}, {}};
  double largest_exponent = 0;
  for (const Reading& reading : readings) {
    Curve curve{reading.name, {}, {}};
    for (int n = 1; n <= largest; n *= 2) {
      const Rods rods = reading.make(n);
      const double seconds = seconds_a_step(rods, {.iterations = 2}, report.is_short() ? 0.02 : 0.3);
      curve.x.push_back(n);
      curve.y.push_back(1e6 * seconds);
      table.rows.push_back({reading.name, double(n), bodies(rods), 1e6 * seconds, 1e9 * seconds / (4 * bodies(rods))});
    }
    const double p = exponent(curve, 1);
    report.say(reading.name + ": exponent " + std::to_string(p) + " from 1 to " + std::to_string(largest) + " squares");
    largest_exponent = worse(largest_exponent, p);
    panel.curves.push_back(curve);
  }
  Curve dense{"corner, dense Schur complement", {}, {}};
  for (int n = 1; n <= (report.is_short() ? 16 : 128); n *= 2) {
    dense.x.push_back(n);
    dense.y.push_back(1e6 * seconds_a_step(corner(n), {.method = RodMethod::schur}, report.is_short() ? 0.02 : 0.2));
  }
  panel.curves.push_back(dense);
  const double of_dense = exponent(dense, dense.x.back() / 4);
  report.say("corner, dense Schur complement: exponent " + text(of_dense, 3) + " from " + text(dense.x.back() / 4, 3) + " to " +
             text(dense.x.back(), 3) + " squares");
  report.check("a step by the dense Schur complement grows faster, by an exponent above 1.5: " + text(of_dense, 3), of_dense > 1.5);
  report.table("cost", table);
  report.figure("cost", {panel}, 1);
  return largest_exponent;
}

/// Fig. 4.2: the squares at different times.
void motion(const Report& report) {
  std::vector<Drawing> drawings;
  for (const Reading& reading : readings) {
    const Rods rods = reading.make(5);
    const RodSettings settings{.epsilon = 1e-3, .h = 2e-3, .duration = 1};
    const RodRun run = run_rods(rods, settings);
    for (const double t : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
      const auto n = static_cast<std::size_t>(std::lround(t / settings.h));
      if (n >= run.p.size()) continue;
      const auto project = [](const actio::Vector2<double>& x) { return std::pair(x[0], x[1]); };
      drawings.push_back(draw(reading.name + ", " + std::to_string(t).substr(0, 3) + " s", rods.tree, run.p[n], project));
    }
  }
  report.picture("motion", svg(drawings, 6));
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "srm_square_chain", "A chain of squares by sequential regularisation [Ascher and Lin 1999, ex. 4.1]");
  report.say(
      "Rods of 1 m and 1 kg, 9.8 m/s^2, from rest; h = 5 ms, midpoint rule, epsilon = h/2, alpha = a1 = a2 = 10, lambda_0 = 0 unless "
      "stated.\n");
  const Found same = drift_of_squares(report);
  two_forms(report);
  const double off = orders(report);
  methods(report);
  const double p = cost(report), most = report.is_short() ? 1.5 : 1.1;
  motion(report);
  report.check(
      "no run ends early, and the drift of 16 and more corner-joined squares equals that of 8 with a relative difference of 1e-5: " +
          text(same.measured, 2),
      same.holds && same.measured < 1e-5);
  report.check("errors are of order 1, 2, 3 in epsilon and, with two iterations, of order 2 in h; exponents within 0.25: " + text(off, 3),
               off < 0.25);
  report.check("the time of a step grows with the number of squares by an exponent of at most " + text(most, 2) + ": " + text(p, 3),
               p <= most);
  return report.verdict();
}
