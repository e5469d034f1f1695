// SPDX-License-Identifier: BSD-3-Clause
// Lee, Liu, Park, Srinivasa 2016, Fig. 2b: the energy of a chain of ten bodies.
// Steps of 1 ms. The paper does not state the start: here at rest from horizontal, and as in its released code.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "runs.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using experiments::EnergyRun;

experiments::Curve curve(const EnergyRun& run, bool magnitude) {
  experiments::Curve curve{run.name, {}, {}};
  for (std::size_t k = 0; k < run.error.size(); ++k) {
    const double error = magnitude ? std::abs(run.error[k]) : run.error[k];
    if (magnitude && error == 0) continue;  // a logarithmic axis cannot show zero
    curve.x.push_back(static_cast<double>(k) * run.h);
    curve.y.push_back(error);
  }
  return curve;
}

/// Returns the median of |E - E0| over a third of the run: 0 the first, 2 the last [J].
double typical(const EnergyRun& run, std::size_t third) {
  const std::size_t n = run.error.size() / 3;
  std::vector<double> magnitude;
  for (std::size_t k = third * n; k < (third + 1) * n; ++k) magnitude.push_back(std::abs(run.error[k]));
  std::nth_element(magnitude.begin(), magnitude.begin() + static_cast<std::ptrdiff_t>(n / 2), magnitude.end());
  return magnitude[n / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "energy_chain10", "Energy of a ten-body chain [Lee et al. 2016, Fig. 2b]");
  const Model<double> model = experiments::lee2016_chain(10);
  const State<double> start{models::horizontal(model), VectorX<double>::Zero(model.nv()), 0};
  const double h = 1e-3;
  const std::vector<double> spans = report.is_short() ? std::vector<double>{20} : std::vector<double>{10, 60};
  report.say("Steps of 1 ms, as published. Links of 1.5 m, 1 kg, unit inertia about mid-link, axes x, by the released code.");
  report.say(
      "Assumed: gravity 9.81 m/s^2. From horizontal, at rest, to hanging straight down it loses 735.8 J. As released: the chain\n"
      "stands upright at q = 0 and starts from q and v random in +-pi/2.\n");

  // With gravity reversed the chain that hangs at q = 0 is upright.
  const Model<double> upright = model.with_gravity({0, 0, 9.81});
  const State<double> random = experiments::random_state(upright, 1);
  const auto all = [&](const Model<double>& chain, const State<double>& from) {
    return std::vector<EnergyRun>{
        energy_chain10::euler(chain, from, h, spans.back()), energy_chain10::variational(chain, from, h, spans.back()),
        energy_chain10::variational_se3(chain, from, h, spans.back()), energy_chain10::rk4(chain, from, h, spans.back())};
  };
  std::vector<EnergyRun> runs = all(model, start);
  for (EnergyRun& run : all(upright, random)) {
    run.name += ", as released";
    runs.push_back(std::move(run));
  }
  experiments::Table table{{"integrator", "seconds", "max |E-E0| [J]", "rms [J]", "drift [J/min]", "evaluations, mean", "max",
                            "median in the last third over the first"},
                           {}};
  experiments::Panel linear{"Energy error", "time [s]", "E - E0 [J]", false, false, {}},
      logarithmic{"Its magnitude", "time [s]", "|E - E0| [J]", false, true, {}};
  bool complete = true;
  for (const EnergyRun& run : runs) {
    for (const double span : spans) {
      const experiments::EnergyStatistics s = experiments::statistics(run, span);
      table.rows.push_back({run.name, std::min(span, run.duration()), s.largest, s.root_mean_square, s.drift_per_minute,
                            run.evaluations_mean, static_cast<double>(run.evaluations_max), typical(run, 2) / typical(run, 0)});
    }
    const experiments::EnergyStatistics whole = experiments::statistics(run, spans.back());
    report.beside_paper(run.name + ": largest energy error, and its drift a minute", experiments::plotted,
                        experiments::text(whole.largest, 2) + " J, " + experiments::text(whole.drift_per_minute, 2) + " J");
    complete = complete && run.duration() > spans.back() - h / 2;
    linear.curves.push_back(curve(run, false));
    logarithmic.curves.push_back(curve(run, true));
  }
  report.table("errors", table);
  report.figure("energy", {linear, logarithmic});
  report.check("no step fails", complete);
  using experiments::text;
  for (const std::size_t first : {std::size_t(0), std::size_t(4)}) {  // for each start
    const EnergyRun& euler = runs[first];
    const double of_euler = experiments::statistics(euler, spans.back()).root_mean_square;
    for (const EnergyRun* run : {&runs[first + 1], &runs[first + 2]}) {
      const experiments::EnergyStatistics s = experiments::statistics(*run, spans.back());
      report.check(run->name + ": the largest energy error is at most 0.5 J of 736 J; measured " + text(s.largest, 2) + " J",
                   s.largest <= 0.5);
      report.check(run->name + ": its rms energy error is at most 1/100 of semi-implicit Euler's; measured 1/" +
                       text(of_euler / s.root_mean_square, 2),
                   100 * s.root_mean_square <= of_euler);
      if (first == 4) {
        report.check(run->name + ": the median of the error in the last third of the run is at most 3 times that in the first; measured " +
                         text(typical(*run, 2) / typical(*run, 0), 2),
                     typical(*run, 2) <= 3 * typical(*run, 0));
      }
    }
  }
  for (const auto run : {energy_chain10::variational, energy_chain10::variational_se3}) {
    const EnergyRun coarse = run(model, start, h, 2), fine = run(model, start, h / 2, 2);
    const double ratio = experiments::statistics(coarse, 2).root_mean_square / experiments::statistics(fine, 2).root_mean_square;
    report.check(
        coarse.name + ": over 2 s half the step leaves a quarter of the rms error, a third to a fifth; measured 1/" + text(ratio, 3),
        ratio >= 3 && ratio <= 5);
  }
  return report.verdict();
}
