// SPDX-License-Identifier: BSD-3-Clause
// Hairer and Söderlind 2005, section 6, for a multibody system: steps that follow the motion, chosen time-reversibly, compared with steps
// chosen by an error estimate, at equal work.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/model/samples/mechanisms.hpp"
#include "runs.hpp"
#include "support/report.hpp"

namespace {

using step_control::Run;

/// Repeats a run with other parameters until its work is the wanted one, to 2 %.
/// @param power approximate exponent with which the work decreases with the parameter.
template <class Choose>
Run at_work(double wanted, double parameter, double power, Choose choose) {
  Run run = choose(parameter);
  for (int round = 0; round < 6 && run.complete && std::abs(run.work / wanted - 1) > 0.02; ++round) {
    parameter *= std::pow(run.work / wanted, 1 / power);
    run = choose(parameter);
  }
  return run;
}

struct Statistics {
  double largest = 0, root_mean_square = 0, drift_per_minute = 0, shortest = 1e9, longest = 0;
};
Statistics statistics(const Run& run) {  // every node has the weight of its step
  Statistics s;
  const double middle = run.t.back() / 2;
  double squares = 0, slope = 0;
  for (std::size_t k = 1; k < run.t.size(); ++k) {
    s.largest = std::max(s.largest, std::abs(run.error[k]));
    s.shortest = std::min(s.shortest, run.h[k]);
    s.longest = std::max(s.longest, run.h[k]);
    squares += run.h[k] * run.error[k] * run.error[k];
    slope += run.h[k] * run.error[k] * (run.t[k] - middle);
  }
  s.root_mean_square = std::sqrt(squares / run.t.back());
  s.drift_per_minute = 60 * 12 * slope / std::pow(run.t.back(), 3);
  return s;
}

/// Returns the largest error in each of many equal intervals.
experiments::Curve error_curve(const Run& run, double duration) {
  constexpr double spans = 400;
  experiments::Curve curve{run.name, {}, {}};
  double largest = 0;
  for (std::size_t k = 1; k < run.t.size(); ++k) {
    largest = std::max(largest, std::abs(run.error[k]));
    const double ends = duration / spans * static_cast<double>(curve.x.size() + 1);
    if (run.t[k] < ends) continue;
    curve.x.push_back(ends);
    curve.y.push_back(largest);
    largest = 0;
  }
  return curve;
}

experiments::Curve step_curve(const Run& run, double until) {
  experiments::Curve curve{run.name, {}, {}};
  for (std::size_t k = 1; k < run.t.size() && run.t[k] <= until; ++k) {
    curve.x.push_back(run.t[k]);
    curve.y.push_back(run.h[k]);
  }
  return curve;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "step_control",
                                   "Reversible and other step control on a double pendulum that folds [Hairer and Söderlind 2005]");
  const step_control::Model model = actio::models::folding_pendulum();
  const step_control::State start = actio::models::folded(model);
  const double duration = report.is_short() ? 50 : 2000;
  report.say("Links of 1 m, the upper 0.1 kg, 1 kg at the end of the lower, gravity 1 m/s^2: the end sometimes passes close to the pivot.");
  report.say("Variational steps. Equal work, in residual evaluations: the rest of a step counts as 3, and reversible control as 3 more.\n");

  const Run reversible = step_control::reversible(model, start, duration, 0.01);
  const double work = reversible.work;
  const std::vector<Run> runs{
      at_work(work, 2.5e-3, 0.7, [&](double h) { return step_control::equal_steps(model, start, duration, h); }),
      at_work(work, 4e-6, 0.25, [&](double tolerance) { return step_control::error_based(model, start, duration, tolerance); }),
      at_work(work, 0.01, 0.8, [&](double epsilon) { return step_control::one_sided(model, start, duration, epsilon); }), reversible};
  experiments::Table table{{"steps", "parameter", "taken", "rejected", "work", "seconds", "shortest [s]", "longest [s]", "max |E-E0| [J]",
                            "rms [J]", "drift [J/min]"},
                           {}};
  experiments::Panel errors{"Energy error", "time [s]", "max |E - E0| [J]", false, true, {}},
      lengths{"Steps", "time [s]", "h [s]", false, true, {}};
  bool complete = true;
  std::vector<Statistics> all;
  for (const Run& run : runs) {
    const Statistics s = statistics(run);
    all.push_back(s);
    table.rows.push_back({run.name, run.parameter, static_cast<double>(run.t.size() - 1), static_cast<double>(run.rejected), run.work,
                          run.seconds, s.shortest, s.longest, s.largest, s.root_mean_square, s.drift_per_minute});
    errors.curves.push_back(error_curve(run, duration));
    lengths.curves.push_back(step_curve(run, 20));
    complete = complete && run.complete;
  }
  report.table("errors", table);
  report.figure("energy", {errors, lengths});
  report.check("no step fails", complete);
  using experiments::text;
  const Statistics &equal = all[0], &by_error = all[1], &one_sided = all[2], &ours = all[3];
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.work < b.work; });
  report.check("the work is equal, to 25 %; measured " + text(100 * (most->work / least->work - 1), 2) + " %",
               most->work <= 1.25 * least->work);
  report.check("reversible steps have at most 0.7 of the rms error of equal steps; measured " +
                   text(ours.root_mean_square / equal.root_mean_square, 2),
               ours.root_mean_square <= 0.7 * equal.root_mean_square);
  const auto drifts_more = [&](const std::string& name, const Statistics& other) {
    const double ratio = std::abs(other.drift_per_minute / ours.drift_per_minute);
    report.check(name + " drifts at least 5 times as fast as reversible steps do; measured " + text(ratio, 2), ratio >= 5);
    const double drifted = std::abs(other.drift_per_minute) * duration / 60 / ours.root_mean_square;
    report.check(name + " drifts over the run by at least twice the rms error of reversible steps; measured " + text(drifted, 2),
                 drifted >= 2);
  };
  drifts_more("error-based control", by_error);
  drifts_more("one-sided control", one_sided);
  const double drifted = std::abs(ours.drift_per_minute) * duration / 60 / ours.root_mean_square;
  report.check("reversible steps drift over the run by at most half their own rms error; measured " + text(drifted, 2), drifted <= 0.5);
  return report.verdict();
}
