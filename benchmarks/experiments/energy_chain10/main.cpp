// SPDX-License-Identifier: BSD-3-Clause
// Lee, Liu, Park, Srinivasa 2016, Fig. 2b: the energy of a chain of ten bodies.
// Steps of 1 ms. Assumed: it is released at rest from horizontal.
#include <cmath>
#include <string>
#include <vector>

#include "actio/model/ready/chain.hpp"
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
    if (magnitude && error == 0) continue;  // no place on a logarithmic axis
    curve.x.push_back(static_cast<double>(k) * run.h);
    curve.y.push_back(error);
  }
  return curve;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "energy_chain10", "Energy of a ten-body chain [Lee et al. 2016, Fig. 2b]");
  const Model<double> model = experiments::lee2016_chain(10);
  const State<double> start{models::horizontal(model), VectorX<double>::Zero(model.nv()), 0};
  const double h = 1e-3;
  const std::vector<double> spans = report.is_short() ? std::vector<double>{2} : std::vector<double>{10, 60};
  report.say("Links 1.5 m, 1 kg, unit inertia about mid-link, axes x, h = 1 ms, as published.");
  report.say("Assumed: released at rest from horizontal, gravity 9.81 m/s^2. From there to hanging straight down it loses 735.8 J.\n");

  const EnergyRun runs[] = {energy_chain10::euler(model, start, h, spans.back()), energy_chain10::variational(model, start, h, spans.back()),
                            energy_chain10::variational_se3(model, start, h, spans.back()), energy_chain10::rk4(model, start, h, spans.back())};
  experiments::Table table{{"integrator", "seconds", "max |E-E0| [J]", "rms [J]", "drift [J/min]", "evaluations, mean", "max"}, {}};
  experiments::Panel linear{"Energy error", "time [s]", "E - E0 [J]", false, false, {}}, logarithmic{"Its magnitude", "time [s]", "|E - E0| [J]", false, true, {}};
  bool complete = true;
  for (const EnergyRun& run : runs) {
    for (const double span : spans) {
      const experiments::EnergyStatistics s = experiments::statistics(run, span);
      table.rows.push_back({run.name, std::min(span, run.duration()), s.largest, s.root_mean_square, s.drift_per_minute, run.iterations_mean,
                            static_cast<double>(run.iterations_max)});
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
  if (!complete) report.say("a run ended early: a step failed");
  return complete ? 0 : 1;
}
