// SPDX-License-Identifier: BSD-3-Clause
// Elastic balls: what impacts with restitution 1 keep of the energy where few, and where very many bodies strike.
//                                                                                            [variational_contact.md, section 4]
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/report.hpp"

using namespace variational_balls;

namespace {

using experiments::Curve;
using experiments::Report;
using experiments::Table;

std::string number(double x) { return experiments::text(x, 2); }

/// Seven times seven balls that fall from 5 m.
Scene bouncing(bool is_short) {
  Scene scene{"49 balls", {}, 0.01, is_short ? 1.2 : 20};
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) scene.centres.push_back({0.4 * i, 0.4 * j, 5});
  }
  return scene;
}
/// A cube of six times six times six balls, 1 cm apart, each displaced by up to 1 mm.
Scene cube(bool is_short) {
  Scene scene{"666 balls", {}, 0.001, is_short ? 0.6 : 10};
  std::mt19937_64 random(42);
  const auto jitter = [&] { return 1e-3 * static_cast<double>(random() >> 11U) / 9007199254740992.; };
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        const double x = 0.21 * i + jitter(), y = 0.21 * j + jitter();
        scene.centres.push_back({x, y, 1.101 + 0.21 * k + jitter()});
      }
    }
  }
  return scene;
}

/// Returns the mean energy over a tenth of a run, relative to that at the start, minus 1.
double tenth(const Run& run, std::size_t which) {
  const auto n = static_cast<std::ptrdiff_t>(run.energy.size() / 10), first = static_cast<std::ptrdiff_t>(which) * n;
  return std::accumulate(run.energy.begin() + first, run.energy.begin() + first + n, 0.) / static_cast<double>(n) / run.start - 1;
}

void compare(const Report& report, const Scene& scene, const std::string& file, const std::vector<Contestant>& who) {
  Table table{{"integrator", "lowest E/E_0 - 1", "highest", "mean of the first tenth", "of the last tenth", "mean (E - E_0)^2 [J^2]", "impacts", "relaxed",
               "ms a step"},
              {}};
  experiments::Panel panel{scene.name + ", steps of " + experiments::text(1e3 * scene.h, 2) + " ms", "t [s]", "|E/E_0 - 1|", false, true, {}};
  for (const Contestant& contestant : who) {
    const std::optional<Run> run = variational_balls::run(contestant, scene);
    const bool ours = contestant.kind != Contestant::mujoco;
    if (!run) {
      if (ours) report.check(scene.name + ", " + name(contestant) + ": every step is solved", false);
      continue;
    }
    const auto [least, most] = std::minmax_element(run->energy.begin(), run->energy.end());
    const double low = *least / run->start - 1, high = *most / run->start - 1, steps = static_cast<double>(run->energy.size());
    double squared = 0;
    Curve curve{name(contestant), {}, {}};
    for (std::size_t k = 0; k < run->energy.size(); ++k) {
      const double off = run->energy[k] - run->start;
      squared += off * off / steps;
      curve.x.push_back(scene.h * static_cast<double>(k + 1));
      curve.y.push_back(std::max(std::abs(off / run->start), 1e-16));
    }
    panel.curves.push_back(curve);
    table.rows.push_back({name(contestant), low, high, tenth(*run, 0), tenth(*run, 9), squared, static_cast<double>(run->impacts),
                          static_cast<double>(run->relaxed), 1e3 * run->seconds / steps});
    if (!ours) continue;
    report.check(scene.name + ", " + name(contestant) + ": every step is solved, and no impact is reduced or plastic", run->guarded == 0);
    report.check(scene.name + ", " + name(contestant) + ": impacts occur", run->impacts > 0);
    const double band = std::max(-low, high);
    report.check(scene.name + ", " + name(contestant) + ": the energy changes by less than 1e-10 of itself: " + number(band), band < 1e-10);
  }
  report.table(file, table);
  report.figure(file, {panel});
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "variational_balls", "Elastic balls by the variational step");
  if (!experiments::mujocos().empty()) {
    report.say(experiments::names_of_mujocos() + ": Runge-Kutta 4, springs without dampers, h omega = 0.2. Energy without that of the springs.\n");
  }
  std::vector<Contestant> all{{Contestant::located}, {Contestant::in_place}};
  for (const experiments::Mujoco& mujoco : experiments::mujocos()) all.push_back({Contestant::mujoco, &mujoco});
  compare(report, bouncing(report.is_short()), "bouncing", all);
  // Located impacts of so many bodies would each shorten the step of all.
  all.erase(all.begin());
  compare(report, cube(report.is_short()), "cube", all);
  return report.verdict();
}
