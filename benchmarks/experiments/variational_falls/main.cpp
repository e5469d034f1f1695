// SPDX-License-Identifier: BSD-3-Clause
// Random falls on rigid ground by the variational step, and robots of files that fall and come to rest.   [variational_contact.md]
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "runs.hpp"
#include "support/report.hpp"

using namespace variational_falls;

namespace {

using experiments::Report;
using experiments::Table;

constexpr double touch = 1e-10;  // the gap of a closed contact [m]
std::string number(double x) { return experiments::text(x, 2); }

/// Chains, quadrupeds and humanoids from random states.
void falls(const Report& report, int count, int first) {
  Table table{{"what", "restitution", "h [s]", "falls", "steps", "failed", "halved", "convex law", "guarded", "impacts", "iterations",
               "certificate", "of convex law: least", "largest", "lowest gap [m]", "largest rise of the energy / start"}, {}};
  for (const double restitution : {0., 0.3}) {
    int failed = 0;
    std::string where;
    double deepest = 0, certificate = 0;
    for (const Faller faller : {Faller::chain, Faller::quadruped, Faller::humanoid}) {
      for (const double h : {1e-3, 5e-3, 1e-2}) {
        const Tally tally = fall({faller, h, restitution, 1.5}, count, static_cast<std::uint64_t>(first));
        table.rows.push_back({name(faller), restitution, h, double(tally.falls), double(tally.steps), double(tally.failed), double(tally.halved),
                              double(tally.convex), double(tally.guarded), double(tally.impacts), tally.iterations, tally.certificate,
                              tally.convex > 0 ? tally.least : 0, tally.most, tally.deepest, tally.rise});
        failed += tally.failed;
        deepest = std::min(deepest, tally.deepest);
        certificate = std::max(certificate, tally.certificate);
        if (tally.failed > 0) where += std::string("; ") + name(faller) + " by " + number(h) + " s, " + tally.failure;
      }
    }
    const std::string with = "restitution " + number(restitution) + ": ";
    report.check(with + "no step fails: " + std::to_string(failed) + where, failed == 0);
    report.check(with + "steps that do not relax Coulomb's law satisfy it to 1e-6: " + number(certificate), certificate < 1e-6);
    report.check(with + "no gap is below -1e-10 m at the end of a step: " + number(deepest), deepest >= -touch);
  }
  report.table("falls", table);
}

/// Returns the files of robots, those with loops last; none if the folder does not exist.
std::vector<std::filesystem::path> robots() {
  namespace fs = std::filesystem;
  std::vector<fs::path> all;
  for (const char* folder : {"robots", "robots/loops"}) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(ACTIO_SHARED_DIR) / folder, none)) {
      const fs::path suffix = entry.path().extension();
      if (suffix == ".urdf" || suffix == ".sdf" || suffix == ".xml") all.push_back(entry.path());
    }
    std::sort(all.begin() + first, all.end());
  }
  return all;
}

/// Robots that are dropped and should be at rest after 10 s.
void rests(const Report& report) {
  std::vector<std::filesystem::path> files = robots();
  if (files.empty()) return report.say("The folder of robots is absent: they are not dropped.");
  if (report.is_short()) files.resize(std::min<std::size_t>(files.size(), 3));
  constexpr double slow = 1e-3;
  Table table{{"robot", "bodies", "shapes", "h [s]", "steps", "halved", "convex law", "fastest body", "its speed [m/s]", "its rotation [rad/s]",
               "speed of the base [m/s]", "result"}, {}};
  int rest_count = 0, move = 0, fail = 0, refused = 0;
  for (const std::filesystem::path& file : files) {
    double h = 5e-3;
    const double time = report.is_short() ? 1 : 10;
    Rest robot = rest(file, h, time);
    if (!robot.failure.empty()) h = 1e-3, robot = rest(file, h, time);
    std::string result = "rests";
    if (!robot.refused.empty()) result = robot.refused, ++refused;
    else if (!robot.failure.empty()) result = "fails: " + robot.failure, ++fail;
    else if (robot.speed > slow) result = "moves", ++move;
    else ++rest_count;
    table.rows.push_back({file.filename().string(), double(robot.bodies), double(robot.shapes), h, double(robot.steps), double(robot.halved),
                          double(robot.convex), robot.fastest, robot.speed, robot.rotation, robot.base, result});
  }
  report.table("robots", table);
  report.say(std::to_string(rest_count) + " robots are at rest, " + std::to_string(move) + " move faster than 1e-3 m/s, " + std::to_string(fail) +
             " failed and " + std::to_string(refused) + " cannot fall on the ground.");
  report.check("no robot fails at 5 ms and at 1 ms: " + std::to_string(fail), fail == 0);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 20, first = 1;
  bool skip_robots = false;
  const Report report(argc, argv, "variational_falls", "Random falls on rigid ground by the variational step",
                      {{"--no-robots", "Only falls from random states", skip_robots}},
                      {{"--falls", "Number of falls of each kind; at most 3 in the short version", count},
                       {"--first", "Seed of the first fall; the others follow", first}});
  if (report.is_short()) count = std::min(count, 3);
  report.say("Friction 0.8, limits of joints enforced, 1.5 s a fall. Convex law: steps whose contacts have the forces of the convex law. "
             "Certificate: the largest error of Coulomb's law at the end of steps that satisfy it, and the errors of those with the convex law, "
             "relative to the largest force and rate. Guarded: steps with an impact that has less than its restitution.");
  falls(report, count, first);
  if (!skip_robots) rests(report);
  return report.verdict();
}
