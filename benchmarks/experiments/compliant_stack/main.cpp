// SPDX-License-Identifier: BSD-3-Clause
// Drumwright 2019, Fig. 10: the time of a step against the number of spheres in a stack.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

using namespace compliant_stack;

namespace {

/// The paper's run.
void drop(const experiments::Report& report) {
  report.say(
      "The paper's run: aligned spheres at rest in mid-air, evenly spaced, 500 steps of 10 ms. Its modulus and damping are missing in our "
      "copy,");
  report.say(
      "its gaps are not given: 1e9 N/m, 1e3 N s/m and 0.05 m are assumed. MuJoCo with its defaults except for the step. Height: of the "
      "highest centre; 1 in a stack.\n");
  const std::vector<int> sizes =
      report.is_short() ? std::vector<int>{1, 5, 20} : std::vector<int>{1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  experiments::Table table{{"spheres", "steps", "relaxed", "factorisations", "step [us]", "seconds", "speed [m/s]", "force error",
                            "sideways [m]", "height"}, {}};
  std::vector<experiments::Curve> curves{{"compliant", {}, {}}};
  for (const experiments::Mujoco& mujoco : experiments::mujocos()) {
    table.columns.insert(table.columns.end(), {mujoco.name() + " step [us]", "speed [m/s]", "sideways [m]", "height"});
    curves.push_back({mujoco.name(), {}, {}});
  }
  bool complete = true, rests = true;
  int relaxed = 0;
  double speed = 0, force_error = 0, sideways = 0, most_factorizations = 0;
  for (const int n : sizes) {
    const Drop run{.spheres = n};
    const Fallen fallen = drop_ours(run);
    complete = complete && fallen.steps == run.steps;
    rests = rests && fallen.stands(n);
    relaxed += fallen.relaxed;
    speed = std::max(speed, fallen.speed);
    force_error = std::max(force_error, fallen.force_error);
    sideways = std::max(sideways, fallen.sideways);
    most_factorizations = std::max(most_factorizations, fallen.factorizations);
    std::vector<experiments::Cell> row{double(n), double(fallen.steps), double(fallen.relaxed), fallen.factorizations,
                                       1e6 * fallen.seconds / std::max(fallen.steps, 1), fallen.seconds, fallen.speed, fallen.force_error,
                                       fallen.sideways, fallen.highest};
    curves[0].x.push_back(n);
    curves[0].y.push_back(fallen.seconds);
    for (std::size_t k = 1; k < curves.size(); ++k) {
      const Fallen other = drop_mujoco(experiments::mujocos()[k - 1], run);
      row.insert(row.end(), {1e6 * other.seconds / std::max(other.steps, 1), other.speed, other.sideways, other.highest});
      curves[k].x.push_back(n);
      curves[k].y.push_back(other.seconds);
    }
    table.rows.push_back(row);
  }
  report.table("drop", table);
  report.figure("drop", {{"500 steps of falling spheres", "spheres", "seconds", true, true, curves}});
  const experiments::Curve& us = curves[0];
  const auto number = [](double x) { return experiments::text(x, 3); };
  report.beside_paper(std::to_string(sizes.back()) + " spheres from mid-air, 500 steps", experiments::plotted, number(us.y.back()) + " s");
  report.check("in falls from mid-air no step fails", complete);
  report.check("in falls from mid-air no step is relaxed to the convex law: " + std::to_string(relaxed), relaxed == 0);
  report.check("after falls from mid-air all stacks are at rest, slower than 1e-6 m/s: " + number(speed) + " m/s, " + number(sideways) +
                   " m sideways",
               rests && speed < 1e-6);
  report.check("each contact carries the weight above it to 1e-6: " + number(force_error), force_error < 1e-6);
  report.check("less than 20 factorisations per step on average: " + number(most_factorizations), most_factorizations < 20);
  const double least = report.is_short() ? 5 : 10, growth = experiments::exponent(us, least);
  report.beside_paper("Time of the drop grows as n to the power of, from " + number(least) + " spheres on", "plotted, no number",
                      number(growth));
  report.check("the time of the drop grows less than as n^2: n^" + number(growth), growth < 2);
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "compliant_stack", "Spheres that stand on each other [Drumwright 2019, Fig. 10]");
  report.say(
      "Spheres of 1 kg and 0.5 m, contacts of 1e7 N/m, 1e3 N s/m and friction 0.5, steps of 2 ms; a cube of 1 kg on the same ground.");
  if (experiments::mujocos().empty()) report.say("MuJoCo was not found.\n");
  else {
    report.say(experiments::names_of_mujocos() +
               " with defaults, but without islands, from 0.1 s after the start; contacts have other parameters of softness.\n");
  }

  std::vector<Scene> scenes{{0}, {1}, {2}, {5}, {10}, {20}, {50}, {100}};
  if (!report.is_short()) scenes.insert(scenes.end(), {{200}, {500}, {1000}, {2000}, {5000}, {10000}});
  constexpr int most_of_mujoco = 100;
  experiments::Table table{{"scene", "step [us]", "a body [us]", "factorisations", "contacts", "sink [m]", "of the predicted",
                            "speed [m/s]", "force error"}, {}};
  experiments::Curve us{"compliant", {}, {}}, line{"in proportion", {}, {}};
  std::vector<experiments::Curve> them;
  for (const experiments::Mujoco& mujoco : experiments::mujocos()) {
    table.columns.insert(table.columns.end(), {mujoco.name() + " step [us]", "ratio", "its contacts", "sink [m]"});
    them.push_back({mujoco.name(), {}, {}});
  }
  bool stands = true;
  double at_100 = 0, worst_sink = 0, fastest = 0, worst_force = 0;
  for (const Scene& scene : scenes) {
    const Run run = ours(scene, scene.bodies() > 100 ? 5 : 10);
    const double n = scene.bodies(), sink = run.sink / predicted_sink(scene);
    const std::string name = scene.spheres > 0 ? std::to_string(scene.spheres) : "cube";
    std::vector<experiments::Cell> row{name, 1e6 * run.seconds, 1e6 * run.seconds / n, run.factorizations,
                                       static_cast<double>(run.contacts), run.sink, sink, run.speed, run.force_error};
    // The tolerance is relative to the energy of the whole stack, of which the uppermost contact carries little.
    const double allowed = n > 1000 ? 1e-7 : 1e-8;
    stands = stands && run.complete && std::abs(sink - 1) < 1e-6 && run.speed < 1e-9 && run.force_error < allowed;
    worst_sink = std::max(worst_sink, std::abs(sink - 1));
    fastest = std::max(fastest, run.speed);
    worst_force = std::max(worst_force, run.force_error);
    for (std::size_t k = 0; k < them.size(); ++k) {
      if (scene.bodies() > most_of_mujoco) {
        row.insert(row.end(), 4, std::string());
        continue;
      }
      const Run other = run_mujoco(experiments::mujocos()[k], scene, 10);
      row.insert(row.end(), {1e6 * other.seconds, run.seconds / other.seconds, static_cast<double>(other.contacts), other.sink});
      if (scene.spheres == 0) continue;
      them[k].x.push_back(n);
      them[k].y.push_back(other.seconds);
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
  curves.insert(curves.end(), them.begin(), them.end());
  report.figure("times", {{"A step of a stack", "spheres", "seconds", true, true, curves}});
  report.beside_paper("100 spheres: time of a step", experiments::plotted, experiments::text(1e6 * at_100, 3) + " us");
  const auto number = [](double x) { return experiments::text(x, 3); };
  report.check("all stacks and the cube are at rest: they sink as predicted to 1e-6 (" + number(worst_sink) +
                   "), move by less than 1e-9 m/s (" + number(fastest) + "), and carry their weight to 1e-8 (above 1000 spheres: 1e-7)  (" +
                   number(worst_force) + ")",
               stands);
  const double least = report.is_short() ? 10 : 100, most = report.is_short() ? 1.6 : 1.3, growth = experiments::exponent(us, least);
  report.check("the time of a step at rest grows less than as n^" + experiments::text(most, 2) + " from " + experiments::text(least, 3) +
               " spheres on: n^" + experiments::text(growth, 3), growth < most);
  drop(report);
  return report.verdict();
}
