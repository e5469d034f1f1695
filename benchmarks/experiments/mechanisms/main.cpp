// SPDX-License-Identifier: BSD-3-Clause
// The mechanisms on which multibody programs are compared: errors against reference values, energy, gaps and times.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <Eigen/Eigenvalues>

#include "actio/core/error.hpp"
#include "actio/dynamics/energy.hpp"
#include "mechanisms.hpp"
#include "support/loop_gap.hpp"

using namespace mechanisms;

namespace {

using experiments::Lap;
using experiments::Report;
using experiments::Table;

std::string number(double x) { return experiments::text(x, 2); }

/// Returns the larger of two, or NaN if one is.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

struct Run {
  std::string refused;                ///< why there is no run
  std::vector<Sample> samples;        ///< at the times of the references, until a step failed
  double energy = 0, kinetic = 0;     ///< largest change of the energy, and largest kinetic energy [J]
  double gap = 0;                     ///< [m]
  double seconds = 0;
  Lap lap;
};

/// Runs a mechanism to the last of some times.
Run run(const Mechanism& mechanism, const Setting& setting, const std::vector<double>& times) {
  Run result;
  const Model& model = mechanism.model;
  std::unique_ptr<experiments::Racer> racer;
  try {
    racer = make(model, mechanism.start, setting);
  } catch (const actio::ModelError& refusal) {
    result.refused = refusal.what();
    return result;
  }
  racer->restart();
  State x = mechanism.start;
  actio::KinematicsData<double> data(model);
  const double before = energy(model, data, x.q, x.v).total();
  int steps = 0;
  for (const double t : times) {
    const int end = static_cast<int>(std::lround(t / setting.h)), part = std::max(1, std::min((end - steps) / 400, 16));
    while (steps < end) {
      const int some = std::min(part, end - steps);
      const double begin = bench::cpu_seconds();
      racer->run(some, result.lap);
      result.seconds += bench::cpu_seconds() - begin;
      if (result.lap.end != actio::Status::converged || racer->read(x) != actio::Status::converged) return result;
      steps += some;
      const actio::Energy<double> now = energy(model, data, x.q, x.v);
      result.energy = worse(result.energy, std::abs(now.total() - before));
      result.kinetic = std::max(result.kinetic, now.kinetic);
      result.gap = std::max(result.gap, experiments::loop_gap(model, data));
    }
    result.samples.push_back(mechanism.measure(x));
    result.samples.back().t = t;
  }
  return result;
}

/// Returns the largest error relative to the range of each measured number.  @param part &Sample::q or &Sample::v.
double error(const std::vector<Sample>& samples, const std::vector<Sample>& references, std::vector<double> Sample::* part) {
  double worst = 0;
  for (std::size_t i = 0; i < (references[0].*part).size(); ++i) {
    double range = 0;
    for (const Sample& reference : references) range = std::max(range, std::abs((reference.*part)[i]));
    for (std::size_t k = 0; k < samples.size(); ++k) {
      worst = worse(worst, std::abs((samples[k].*part)[i] - (references[k].*part)[i]) / std::max(range, 1e-3));
    }
  }
  return worst;
}

std::vector<double> times_of(const std::vector<Sample>& references, double end) {
  std::vector<double> times;
  for (const Sample& reference : references) {
    if (reference.t <= end) times.push_back(reference.t);
  }
  return times;
}

void compare(const Report& report, Mechanism mechanism) {
  Table table{{"integrator", "h [s]", "until t [s]", "error of q / range", "error of v / range", "change of energy [J]", "gap [m]", "steps halved",
               "time [s]"},
              {}};
  const double longest = mechanism.references.back().t, end = report.is_short() ? std::min(1., longest) : longest;
  const bool has_references = !mechanism.references[0].q.empty();
  if (!has_references) {
    const Setting half{mechanism.recommended.integrator, mechanism.recommended.h / 2};
    const std::vector<double> times = times_of(mechanism.references, end);
    const std::vector<Sample> found = run(mechanism, half, times).samples;
    report.check(mechanism.name + ": the run with half the step is complete", found.size() == times.size());
    if (found.size() != times.size()) return;
    std::copy(found.begin(), found.end(), mechanism.references.begin());
  }
  std::vector<Setting> all{mechanism.recommended};
  all.insert(all.end(), mechanism.others.begin(), mechanism.others.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double until = k == 0 ? end : std::min(end, mechanism.shared);
    const std::vector<double> times = times_of(mechanism.references, until);
    const std::vector<Sample> references(mechanism.references.begin(), mechanism.references.begin() + static_cast<std::ptrdiff_t>(times.size()));
    const Run found = run(mechanism, all[k], times);
    if (!found.refused.empty()) {
      report.say(mechanism.name + ", " + found.refused);
      continue;
    }
    const bool complete = found.samples.size() == times.size();
    const double q = error(found.samples, references, &Sample::q), v = error(found.samples, references, &Sample::v);
    table.rows.push_back({all[k].integrator + (complete ? "" : ", fails"), all[k].h, found.samples.empty() ? 0. : found.samples.back().t, q, v,
                          found.energy, found.gap, static_cast<double>(found.lap.halved), found.seconds});
    if (k > 0) continue;
    const std::string who = mechanism.name + " by " + all[k].integrator + ": ";
    report.check(who + "every step is solved, and none is relaxed", complete && found.lap.relaxed == 0);
    report.check(who + "q agrees to 1e-9 of its range: " + number(q), q <= 1e-9);
    if (!references[0].v.empty()) {
      report.check(who + "v agrees to 1e-8 of its range: " + number(v), v <= 1e-8);
    }
    report.check(who + "the energy changes by less than 1e-10 of the largest kinetic energy: " + number(found.energy / found.kinetic),
                 found.energy < 1e-10 * found.kinetic);
    if (mechanism.model.loops().empty() && mechanism.model.nonholonomic().empty()) continue;  // nothing can open
    report.check(who + "no gap is above 1e-12 m: " + number(found.gap), found.gap <= 1e-12);
  }
  report.say(mechanism.name + (has_references ? "" : ": errors are those against a run with half the first step"));
  report.table(mechanism.file, table);
}

/// The fastest runs that keep the energy as well as the published ones are to.
void race(const Report& report, const std::vector<Mechanism>& all) {
  Table table{{"mechanism", "integrator", "h [s]", "duration [s]", "change of energy [J]", "allowed [J]", "time [s]", "published [s]"}, {}};
  for (const Mechanism& mechanism : all) {
    if (mechanism.cheap.integrator.empty()) continue;
    const double end = report.is_short() ? 1 : mechanism.cheap_duration;
    const Run found = run(mechanism, mechanism.cheap, {end});
    table.rows.push_back({mechanism.name, mechanism.cheap.integrator, mechanism.cheap.h, end, found.energy, mechanism.energy_limit, found.seconds,
                          mechanism.published});
    report.check(mechanism.name + " by " + mechanism.cheap.integrator + ": the energy changes by less than " + number(mechanism.energy_limit) +
                     " J: " + number(found.energy),
                 found.samples.size() == 1 && found.energy < mechanism.energy_limit);
    if (mechanism.published == "none" || report.is_short()) continue;
    report.check(mechanism.name + ": it takes less time than published, " + mechanism.published + " s: " + number(found.seconds),
                 found.seconds < std::stod(mechanism.published));
  }
  report.table("times", table);
}

/// Returns the factor by which a step lets small motions of an upright bicycle grow: the largest eigenvalue of its derivative in lean, steer
/// and their rates, by differences.
double growth(const Model& model, double speed) {
  constexpr double h = 0.02, little = 1e-4;
  Eigen::Matrix4d step;
  for (int k = 0; k < 4; ++k) {
    std::array<Eigen::Vector4d, 2> ends;
    for (const int side : {0, 1}) {
      Eigen::Vector4d off = Eigen::Vector4d::Zero();
      off[k] = side == 0 ? little : -little;
      const State start = riding(model, speed, off[2], off[0], off[1], off[3]);
      const std::unique_ptr<experiments::Racer> racer = make(model, start, {"maximal, order 6", h});
      Lap lap;
      racer->restart();
      racer->run(1, lap);
      State x = start;
      if (!lap.steps || racer->read(x) != actio::Status::converged) return std::numeric_limits<double>::quiet_NaN();
      ends[static_cast<std::size_t>(side)] = lean_and_steer(model, x);
    }
    step.col(k) = (ends[0] - ends[1]) / (2 * little);
  }
  return Eigen::EigenSolver<Eigen::Matrix4d>(step).eigenvalues().cwiseAbs().maxCoeff();
}
/// Returns where the growth of a step crosses 1 between two speeds [m/s].
double critical_speed(const Model& model, double low, double high) {
  const bool falls = growth(model, low) > 1;
  for (int k = 0; k < 40; ++k) {
    const double middle = (low + high) / 2;
    ((growth(model, middle) > 1) == falls ? low : high) = middle;
  }
  return low;
}
void stability(const Report& report) {
  const Model model = bicycle();
  Table table{{"mode", "critical speed [m/s]", "published", "difference"}, {}};
  for (const auto& [mode, low, high, published] :
       {std::tuple("weave", 4., 4.6, 4.29238253634111), std::tuple("capsize", 5.5, 6.5, 6.02426201538837)}) {
    const double found = critical_speed(model, low, high);
    table.rows.push_back({std::string(mode), found, published, found - published});
    report.check(std::string("bicycle: the speed of ") + mode + " agrees to 1e-6 m/s: " + number(found - published),
                 std::abs(found - published) < 1e-6);
  }
  report.table("bicycle_speeds", table);
}

}  // namespace

int main(int argc, char** argv) {
  const Report report(argc, argv, "mechanisms", "Benchmark mechanisms of the multibody community");
  const std::vector<Mechanism> all = mechanisms::all();
  for (const Mechanism& mechanism : all) {
    if (mechanism.shown_in_short || !report.is_short()) compare(report, mechanism);
  }
  race(report, all);
  stability(report);
  return report.verdict();
}
