// SPDX-License-Identifier: BSD-3-Clause
// The cost of keeping loops closed to a hundredth of a micrometre, by sweeps, by conjugate gradients, by sparse and by dense
// factorisation, against the size.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "actio/constraints/loop_closure.hpp"
#include "support/exponent.hpp"
#include "support/loop_racers.hpp"
#include "support/models.hpp"
#include "support/report.hpp"

namespace {

using namespace experiments;
using actio::Factorization;
using loop_racers::Made;
using loop_racers::Sweeps;
using Model = loop_racers::Model;
using State = loop_racers::State;

constexpr double duration = 0.2, most_drift = 1e-8;  // [s], [m]

/// A scheme with its settings, and its effort, which is larger for shorter steps and more iterations.
struct Choice {
  double h, effort;
  std::string settings;
  std::function<Made(const Model&, const State&)> make;
};
struct Way {
  std::string name;
  double most_rows;              ///< of all loops
  std::vector<Choice> choices;   ///< least effort first
};

/// Variational steps with one method of closing loops.
auto variational_by(Factorization closures) {
  return [=](const Model& model, const State& start, double h) { return loop_racers::variational(model, start, h, 1e-10, closures); };
}

int steps_of(double h) { return static_cast<int>(std::lround(duration / h)); }

std::vector<Way> ways() {
  std::vector<double> lengths;
  for (double h = 1e-2; h > 1e-4; h /= 2) lengths.push_back(h);
  const auto by_length = [&](const auto& make) {
    std::vector<Choice> choices;
    for (const double h : lengths) {
      choices.push_back({h, 1 / h, "-", [=](const Model& model, const State& start) { return make(model, start, h); }});
    }
    return choices;
  };
  std::vector<Choice> sweeps;
  for (const double h : lengths) {
    for (const int order : {2, 4}) {
      for (int iterations = 1; iterations <= 8; ++iterations) {
        for (const double epsilon : {0.5, 1.0}) {
          const std::string settings = std::string(order == 2 ? "midpoint" : "rk4") + ", s = " + std::to_string(iterations) +
                                       ", epsilon = " + (epsilon < 1 ? "h/2" : "h");
          sweeps.push_back({h, order * iterations / h, settings, [=](const Model& model, const State& start) {
                              return loop_racers::srm(model, start, h, {.iterations = iterations, .order = order, .epsilon = epsilon,
                                                                        .lambda_0 = loop_racers::forces_at_rest(model, start)});
                            }});
        }
      }
    }
  }
  std::stable_sort(sweeps.begin(), sweeps.end(), [](const Choice& a, const Choice& b) { return a.effort < b.effort; });
  return {{"srm sweeps", 1e4, std::move(sweeps)},
          {"maximal, sparse", 1e4,
           by_length([](const Model& model, const State& start, double h) { return loop_racers::maximal(model, start, h); })},
          {"compliant, sparse", 1e4, by_length(loop_racers::compliant)},
          {"variational, sparse", 1e4, by_length(variational_by(Factorization::sparse))},
          {"variational, conjugate gradients", 1e4, by_length(variational_by(Factorization::iterated))},
          {"variational, dense", 200, by_length(variational_by(Factorization::dense))},
          {"accelerations, dense", 200, by_length(loop_racers::in_accelerations)}};
}

double rows(const Model& model) {
  double sum = 0;
  for (const actio::Loop<double>& loop : model.loops()) sum += actio::detail::num_rows(loop.type);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "loops_drift", "Loops closed to 1e-8 m by sweeps, conjugate gradients, sparse and dense factorisations");
  report.say(
      "Mechanisms from rest, 0.2 s. For each method the cheapest settings with loops open by at most 1e-8 m at all nodes: h = 10 ms");
  report.say(
      "divided by powers of two; `srm` by the midpoint rule and by Runge-Kutta 4, one to eight iterations, lambda_0 as at the start. "
      "`accelerations`: loops");
  report.say(
      "closed at acceleration level by a dense Schur complement, Runge-Kutta 4. Methods with dense matrices run up to 200 loop rows.");
  report.say("Apart: largest distance of a centre of mass at the end from `maximal` with steps of 0.16 ms.\n");
  struct Family {
    std::string_view name;
    std::vector<int> n;
  };
  const std::vector<Family> families =
      report.is_short() ? std::vector<Family>{{"square_chain", {1, 2, 4}}, {"square_net", {1, 2}}}
                        : std::vector<Family>{{"square_chain", {1, 2, 4, 8, 16, 32, 64}}, {"square_net", {1, 2, 4, 8, 16}}};
  Table table{{"mechanism", "n", "bodies", "way", "settings", "h [ms]", "gap [m]", "apart [m]", "us a step", "ms a second of motion"}, {}},
      exponents{{"mechanism", "way", "largest n", "exponent in bodies"}, {}};
  std::vector<Panel> panels;
  bool all_reach = true;
  for (const Family& family : families) {
    const std::vector<Way> all = ways();
    std::vector<std::size_t> first(all.size(), 0);  // larger mechanisms start with the choice of smaller ones
    std::vector<double> largest(all.size(), 0);
    panels.push_back(
        {"Loops closed to 1e-8 m, " + std::string(family.name), "bodies", "ms of processor a second of motion", true, true, {}});
    for (const Way& way : all) panels.back().curves.push_back({way.name, {}, {}});
    for (const int n : family.n) {
      const Model model = bench::make_model(family.name, n);
      const State start = bench::start(model);
      const double fine = 1e-2 / 64;
      const LoopMotion truth = follow(*loop_racers::maximal(model, start, fine, 1e-12), model, steps_of(fine));
      struct Found {
        std::size_t way;
        const Choice* choice;
        LoopMotion motion;
      };
      std::vector<Found> found;
      for (std::size_t w = 0; w < all.size(); ++w) {
        if (rows(model) > all[w].most_rows) continue;
        for (std::size_t& k = first[w]; k < all[w].choices.size(); ++k) {
          const Choice& choice = all[w].choices[k];
          const LoopMotion motion = follow(*choice.make(model, start), model, steps_of(choice.h));
          if (!motion.complete || !(motion.gap <= most_drift)) continue;
          found.push_back({w, &choice, motion});
          break;
        }
        all_reach = all_reach && !found.empty() && found.back().way == w;
      }
      for (const Found& one : found) {  // their steps differ, so that they are timed separately
        std::vector<Made> racers;
        racers.push_back(one.choice->make(model, start));
        const int steps = steps_of(one.choice->h);
        const double seconds = race(racers, steps, report.is_short() ? 0.02 : 0.5)[0].seconds;
        const double apart = farthest_apart(centres_of_mass(model, one.motion.q), centres_of_mass(model, truth.q));
        table.rows.push_back({std::string(family.name), double(n), bench::bodies(model), all[one.way].name, one.choice->settings,
                              1e3 * one.choice->h, one.motion.gap, apart, 1e6 * seconds / steps, 1e3 * seconds / duration});
        panels.back().curves[one.way].x.push_back(bench::bodies(model));
        panels.back().curves[one.way].y.push_back(1e3 * seconds / duration);
        largest[one.way] = n;
      }
    }
    for (std::size_t w = 0; w < all.size(); ++w) {
      const double p = exponent(panels.back().curves[w], 10);  // of at least two points
      exponents.rows.push_back({std::string(family.name), all[w].name, largest[w], std::isfinite(p) ? Cell(p) : Cell("-")});
    }
  }
  report.table("cost", table);
  report.say("Exponents of the time for a second of motion, from 10 bodies on");
  report.table("exponents", exponents);
  report.figure("cost", panels, 2);
  report.check("every method keeps every loop closed to 1e-8 m with some of its settings", all_reach);
  return report.verdict();
}
