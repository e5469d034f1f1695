// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is said when a simulation is over: for people, for programs, and as a figure.
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

/// One integrator's run.
struct Run {
  std::string integrator;
  actio::SimulationSummary<double> summary;
  Watch watch;
};

/// Words for what is recorded in a model but takes no part in its dynamics, as --enforce and --release know them, and a
/// count in words.
struct NotEnforced {
  std::string word, count;
};
std::vector<NotEnforced> not_enforced(const Model& model);

/// Why a run failed, where and when: one line.
std::string describe_failure(const Run& run, const Model& model, const Options& options);

void print_summary(std::ostream& out, const Model& model, const actio::LoadReport& load, const Options& options, const Start& start,
                   const std::list<Run>& runs, const std::vector<std::string>& files);
nlohmann::ordered_json to_json(const Model& model, const actio::LoadReport& report, const Options& options, const Run& run);
/// Whether something of the model takes energy: dampers, or what is enforced.
bool loses_energy(const Model& model);
/// The motion and the books of a run, which then has none.
actio::Film film_of_run(const Model& model, const Options& options, Run& run);
/// E - E_0 over time, a curve for each run.
actio::Plot energy_plot(const Model& model, const actio::LoadReport& load, const Options& options, const std::list<Run>& runs);

}  // namespace simulate
