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
  for (const auto& [name, share] : integrators()) {
    if (name != mechanism.recommended.integrator) all.push_back({name, share * mechanism.step});
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double until = k == 0 ? end : report.is_short() ? mechanism.references[0].t : mechanism.shared;
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
    if (!mechanism.model.is_dissipative()) {
      report.check(who + "the energy changes by less than 1e-10 of the largest kinetic energy: " + number(found.energy / found.kinetic),
                   found.energy < 1e-10 * found.kinetic);
    }
    if (mechanism.model.loops().empty() && mechanism.model.nonholonomic().empty()) continue;  // nothing can open
    report.check(who + "no gap is above 1e-12 m: " + number(found.gap), found.gap <= 1e-12);
  }
  report.say(mechanism.name + (has_references ? "" : ": errors are those against a run with half the first step"));
  report.table(mechanism.file, table);
}

/// The fastest runs that are as exact as the published ones are to be.
void race(const Report& report, const std::vector<Mechanism>& all) {
  Table table{{"mechanism", "integrator", "h [s]", "duration [s]", "error", "allowed", "of", "time [s]", "published [s]"}, {}};
  for (const Mechanism& mechanism : all) {
    if (mechanism.cheap.integrator.empty()) continue;
    const bool by_energy = mechanism.in_place_of_energy == 0;
    const double end = report.is_short() && mechanism.cheap_duration > 1 ? 1 : mechanism.cheap_duration;
    const std::vector<double> times = by_energy ? std::vector<double>{end} : times_of(mechanism.references, end);
    const Run found = run(mechanism, mechanism.cheap, times);
    const bool complete = found.samples.size() == times.size();
    const double off = by_energy ? found.energy : error(found.samples, mechanism.references, &Sample::q);
    const double allowed = by_energy ? mechanism.energy_limit : mechanism.in_place_of_energy;
    table.rows.push_back({mechanism.name, mechanism.cheap.integrator, mechanism.cheap.h, end, off, allowed,
                          std::string(by_energy ? "energy [J]" : "q / range"), found.seconds, mechanism.published});
    report.check(mechanism.name + " by " + mechanism.cheap.integrator + ": " + (by_energy ? "the energy changes" : "q differs") + " by less than " +
                     number(allowed) + (by_energy ? " J: " : " of its range: ") + number(off),
                 complete && off < allowed);
    if (mechanism.published == "none" || report.is_short()) continue;
    report.check(mechanism.name + ": it takes less time than published, " + mechanism.published + " s: " + number(found.seconds),
                 found.seconds < std::stod(mechanism.published));
  }
  report.table("times", table);
}

/// The accelerations and multipliers of Andrews' squeezer along its motion, from the states by a dense solve of
///   M a - G^T l = f,  G a = -(dG/dt) v.
void andrews_forces(const Report& report, const Mechanism& mechanism) {
  using Vector = Eigen::VectorXd;
  const Model& model = mechanism.model;
  // Of beta ... epsilon, and of the conditions in x and y on the branches of K3, K4 and K6.
  const struct {
    double t;
    std::array<double, 7> a;
    std::array<double, 6> l;
  } references[] = {
      {0.005,
       {6.5664770859532e+04, -4.7384323067383e+04, -6.3697008199364e+03, -1.2725465427606e+04, 1.3745423351348e+03, 1.2725465427606e+04,
        -4.7459191067307e+03},
       {8.9971100737906e+01, 3.2424316296558e+00, -1.8331656950312e+00, 1.5084230935747e+00, -2.7433751603874e+00, -3.9646389856074e+00}},
      {0.01,
       {2.0905827853254e+05, -3.6974560017161e+05, -6.3737739358418e+03, -5.6574103309945e+03, -1.1869750534558e+04, 5.6574103309946e+03,
        3.4721437501432e+04},
       {5.7025290437503e+01, 2.9679042462495e+00, 3.2188603850089e+00, -1.8179269867940e+01, 5.1595027180324e+00, 3.4240117291607e+01}},
      {0.03,
       {-2.4631763122903e+04, 5.1850319636509e+04, 3.2410260070758e+05, 5.6674942200099e+05, 1.6743635418346e+04, -5.6674942200099e+05,
        9.8265078015449e+03},
       {1.9917534810454e+02, -2.9755309974975e+01, 2.3066543611622e+01, 3.1452725275772e+01, 2.2642494786394e+01, 1.1617392352612e+01}}};
  Table table{{"t [s]", "error of a / range", "error of multipliers / range", "largest a [rad/s^2]", "largest multiplier [N]"}, {}};
  double worst = 0;
  const std::unique_ptr<experiments::Racer> racer = make(model, mechanism.start, mechanism.recommended);
  racer->restart();
  Lap lap;
  State x = mechanism.start;
  for (const auto& reference : references) {
    racer->run(static_cast<int>(std::lround((reference.t - x.time) / mechanism.recommended.h)), lap);
    report.check(mechanism.name + ": the state is read", racer->read(x) == actio::Status::converged);
    const auto [a, l] = constrained_accelerations(model, x);
    constexpr const char* names[] = {"K1", "K2", "K3", "K4", "K5", "K6", "K7"};
    Vector found_a(7), found_l(6), expected_a(7), expected_l(6);
    const Eigen::Matrix3d R = pose_of(model, x, "K2").R;  // the frame in which the rows are
    for (Eigen::Index k = 0; k < 7; ++k) {
      found_a[k] = a[model.v_index(model.find_body(names[k]))];
      expected_a[k] = reference.a[static_cast<std::size_t>(k)];
    }
    for (Eigen::Index k = 0; k < 3; ++k) found_l.segment<2>(2 * k) = (R * l.segment<3>(3 * k)).head<2>();
    for (Eigen::Index k = 0; k < 6; ++k) expected_l[k] = reference.l[static_cast<std::size_t>(k)];
    const double of_a = (found_a - expected_a).cwiseAbs().maxCoeff() / expected_a.cwiseAbs().maxCoeff();
    const double of_l = (found_l - expected_l).cwiseAbs().maxCoeff() / expected_l.cwiseAbs().maxCoeff();
    table.rows.push_back({reference.t, of_a, of_l, found_a.cwiseAbs().maxCoeff(), found_l.cwiseAbs().maxCoeff()});
    worst = worse(worst, worse(of_a, of_l));
  }
  report.check(mechanism.name + ": accelerations and multipliers agree to 1e-8 of their range: " + number(worst), worst <= 1e-8);
  report.table("andrews_forces", table);
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
  andrews_forces(report, all[3]);
  race(report, all);
  stability(report);
  return report.verdict();
}
