// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 4a: the energy of a double pendulum over an hour.
// Steps of 10 ms. Assumed: two rods of 1 m and 1 kg, released at rest from horizontal.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "runs.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::EnergyRun;

/// Returns the curve of the first `duration` seconds.
experiments::Curve curve(const EnergyRun& run, double duration) {
  experiments::Curve curve{run.name, {}, {}};
  for (std::size_t k = 0; k < run.error.size() && static_cast<double>(k) * run.h <= duration; ++k) {
    curve.x.push_back(static_cast<double>(k) * run.h);
    curve.y.push_back(run.error[k]);
  }
  return curve;
}

/// Returns one point for each interval of a given length [s]: the mean, or the largest magnitude.
experiments::Curve in_pieces(const EnergyRun& run, double piece, bool mean) {
  experiments::Curve curve{run.name, {}, {}};
  const auto length = static_cast<std::size_t>(std::lround(piece / run.h));
  for (std::size_t begin = 1; begin + length <= run.error.size(); begin += length) {
    double sum = 0, largest = 0;
    for (std::size_t k = begin; k < begin + length; ++k) {
      sum += run.error[k];
      largest = std::max(largest, std::abs(run.error[k]));
    }
    curve.x.push_back((static_cast<double>(begin - 1) * run.h + piece / 2) / 60);
    curve.y.push_back(mean ? sum / static_cast<double>(length) : largest);
  }
  return curve;
}

/// Returns the largest magnitude in the k-th quarter of a run, k = 0 ... 3 [J].
double largest_in_quarter(const EnergyRun& run, std::size_t k) {
  const std::size_t steps = run.error.size() - 1;
  double largest = 0;
  for (std::size_t i = 1 + steps * k / 4; i < 1 + steps * (k + 1) / 4; ++i) largest = std::max(largest, std::abs(run.error[i]));
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_energy",
                                   "Energy of a double pendulum over an hour [Brüdigam and Manchester 2020, Fig. 4a]");
  const Model<double> model = models::planar_chain<double>(2);
  const State<double> start{models::horizontal(model), VectorX<double>::Zero(model.nv()), 0};
  const double h = 0.01;
  const std::vector<double> spans = report.is_short() ? std::vector<double>{10, 600} : std::vector<double>{60, 600, 3600};
  report.say(
      "h = 10 ms, as published. `maximal, as published` takes the velocities of the intervals at its start and in its output, which is");
  report.say(
      "of first order; `maximal` distinguishes them from the velocities at the nodes. Assumed: rods of 1 m and 1 kg, released at rest from "
      "horizontal.");
  report.say("From there to the lowest position it loses 19.6 J.\n");

  const EnergyRun runs[] = {
      maximal_energy::heun(model, start, h, spans.back()), maximal_energy::maximal_as_published(model, start, h, spans.back()),
      maximal_energy::maximal(model, start, h, spans.back()), maximal_energy::variational(model, start, h, spans.back())};
  experiments::Table table{{"integrator", "seconds", "max |E-E0| [J]", "rms [J]", "drift [J/min]", "evaluations, mean", "max"}, {}};
  const double all = spans.back(), begin = std::min(20.0, all), piece = 20;
  const std::string pieces = " in " + std::to_string(static_cast<int>(piece)) + " s";
  experiments::Panel first{
      "Energy error, the first " + std::to_string(static_cast<int>(begin)) + " s", "time [s]", "E - E0 [J]", false, false, {}},
      mean{"Energy error, the mean" + pieces, "time [min]", "E - E0 [J]", false, false, {}},
      largest{"Energy error, the largest" + pieces, "time [min]", "|E - E0| [J]", false, true, {}};
  const double minutes = all / 60;
  for (const EnergyRun& run : runs) {
    for (const double span : spans) {
      const experiments::EnergyStatistics s = experiments::statistics(run, span);
      table.rows.push_back({run.name, std::min(span, run.duration()), s.largest, s.root_mean_square, s.drift_per_minute,
                            run.evaluations_mean, static_cast<double>(run.evaluations_max)});
    }
    const experiments::EnergyStatistics whole = experiments::statistics(run, all);
    report.beside_paper(run.name + ": largest energy error, and its drift a minute", experiments::plotted,
                        experiments::text(whole.largest, 2) + " J, " + experiments::text(whole.drift_per_minute, 2) + " J");
    const bool complete = run.duration() > all - h / 2;
    const double early = largest_in_quarter(run, 0), late = largest_in_quarter(run, 3), trend = whole.drift_per_minute * minutes;
    const std::string quarters = experiments::text(early, 3) + " J, " + experiments::text(late, 3) + " J",
                      of_trend =
                          experiments::text(trend, 2) + " J over the run, largest error " + experiments::text(whole.largest, 2) + " J";
    if (run.name == "Heun") {
      report.check("Heun: the largest error in the last quarter is more than twice that in the first: " + quarters,
                   complete && late > 2 * early);
    } else {
      const double bound = run.name == "maximal, as published" ? 3.5 : 0.25;
      report.check(run.name + ": no error above " + experiments::text(bound, 2) + " J: " + experiments::text(whole.largest, 3) + " J",
                   complete && whole.largest < bound);
      report.check(run.name + ": the largest error in the last quarter is less than 1.3 times that in the first: " + quarters,
                   late < 1.3 * early);
      report.check(run.name + ": no trend, less than a tenth of the largest error: " + of_trend, std::abs(trend) < whole.largest / 10);
    }
    first.curves.push_back(curve(run, begin));
    mean.curves.push_back(in_pieces(run, piece, true));
    largest.curves.push_back(in_pieces(run, piece, false));
  }
  report.table("errors", table);
  report.figure("energy", {first, mean, largest});
  return report.verdict();
}
