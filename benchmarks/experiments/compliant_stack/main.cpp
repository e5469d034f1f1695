// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Fig. 10: the time of a step against the number of spheres that stand one on the other.
#include <cmath>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/report.hpp"

using namespace compliant_stack;

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_stack", "Spheres that stand one on the other [Drumwright 2019, Fig. 10]");
  report.say("Spheres of 1 kg and 0.5 m, contacts of 1e7 N/m, 1e3 N s/m and friction 0.5, steps of 2 ms; a cube of 1 kg on the same ground.");
  report.say(has_mujoco() ? "MuJoCo with its defaults, from 0.1 s after it begins to settle; its contacts are soft by other parameters.\n"
                          : "MuJoCo was not found: its columns stay empty.\n");

  std::vector<Scene> scenes{{0}, {1}, {2}, {5}, {10}, {20}, {50}, {100}};
  if (!report.is_short()) scenes.insert(scenes.end(), {{200}, {500}, {1000}, {2000}, {5000}, {10000}});
  constexpr int most_of_mujoco = 100;
  experiments::Table table{{"scene", "step [us]", "a body [us]", "factorisations", "contacts", "sink [m]", "of the predicted", "speed [m/s]",
                            "force error", "MuJoCo step [us]", "ratio", "its contacts", "sink [m]"}, {}};
  experiments::Curve us{"compliant", {}, {}}, them{"MuJoCo", {}, {}}, line{"in proportion", {}, {}};
  bool stands = true;
  double at_100 = 0;
  for (const Scene& scene : scenes) {
    const Run run = ours(scene, scene.bodies() > 100 ? 5 : 10);
    const double n = scene.bodies(), sink = run.sink / predicted_sink(scene);
    const std::string name = scene.spheres > 0 ? std::to_string(scene.spheres) : "cube";
    std::vector<experiments::Cell> row{name, 1e6 * run.seconds, 1e6 * run.seconds / n, run.factorizations,
                                       static_cast<double>(run.contacts), run.sink, sink, run.speed, run.force_error};
    // The tolerance is relative to the energy of the whole pile, of which the uppermost contact bears little.
    const double allowed = n > 1000 ? 1e-7 : 1e-8;
    stands = stands && run.complete && std::abs(sink - 1) < 1e-6 && run.speed < 1e-9 && run.force_error < allowed;
    if (has_mujoco() && scene.bodies() <= most_of_mujoco) {
      const Run other = mujoco(scene, 10);
      row.insert(row.end(), {1e6 * other.seconds, run.seconds / other.seconds, static_cast<double>(other.contacts), other.sink});
      if (scene.spheres > 0) {
        them.x.push_back(n);
        them.y.push_back(other.seconds);
      }
    } else {
      row.insert(row.end(), 4, std::string());
    }
    table.rows.push_back(row);
    if (scene.spheres == 0) continue;
    us.x.push_back(n);
    us.y.push_back(run.seconds);
    if (scene.spheres == 100) at_100 = run.seconds;
  }
  report.table("times", table);
  for (const double n : us.x) {
    line.x.push_back(n);
    line.y.push_back(at_100 * n / 100);
  }
  std::vector<experiments::Curve> curves{us, line};
  if (has_mujoco()) curves.push_back(them);
  report.figure("times", {{"A step of a stack", "spheres", "seconds", true, true, curves}});
  report.beside_paper("100 spheres: time of a step", experiments::plotted, experiments::text(1e6 * at_100, 3) + " us");
  bool linear = true;
  if (!report.is_short()) {
    const double exponent = std::log(us.y.back() / at_100) / std::log(us.x.back() / 100);
    report.say("exponent of the time from 100 to 10 000 spheres: " + std::to_string(exponent));
    report.beside_paper("Time grows as n to the power of, 100 to 10 000 spheres", "up to 100 spheres; plotted, no number", experiments::text(exponent, 3));
    linear = exponent < 1.15;  // 1.09 to 1.11 have been seen
  }
  report.say(stands && linear ? "verdict: all stand, each on the weight above it; time in proportion" : "verdict: NOT as predicted");
  return stands && linear ? 0 : 1;
}
