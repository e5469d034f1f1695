// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reports the result of a simulation: as text, as JSON and as a figure.
#include <iosfwd>
#include <list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "actio/io/film.hpp"
#include "actio/io/xml/load_report.hpp"
#include "options.hpp"
#include "start.hpp"
#include "watch.hpp"

namespace simulate {

/// The run of one integrator.
struct Run {
  std::string integrator;
  actio::SimulationSummary<double> summary;
  Watch watch;
};

/// Something that is recorded in a model but not part of its dynamics: the word for it in --enforce and --release, and a text with the
/// number of such things.
struct NotEnforced {
  std::string word, count;
};
std::vector<NotEnforced> not_enforced(const Model& model);

/// Returns why, where and when a run failed, in one line.
std::string describe_failure(const Run& run, const Model& model, const Options& options);

void print_summary(std::ostream& out, const Model& model, const actio::LoadReport& load, const Options& options, const Start& start,
                   const std::list<Run>& runs, const std::vector<std::string>& files);
nlohmann::ordered_json to_json(const Model& model, const actio::LoadReport& report, const Options& options, const Run& run);
/// Returns whether the model dissipates energy: by dampers, or by enforced limits, friction or contact.
bool loses_energy(const Model& model);
/// Returns the film of a run; moves the motion and the diagnostics out of it.
actio::Film film_of_run(const Model& model, const Options& options, Run& run);
/// Returns a plot of E - E_0 over time with one curve for each run.
actio::Plot energy_plot(const Model& model, const actio::LoadReport& load, const Options& options, const std::list<Run>& runs);

}  // namespace simulate
