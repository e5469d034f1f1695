// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reports the result of a simulation: as text, as JSON and as a figure.
#include <iosfwd>
#include <list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "actio/io/film.hpp"
#include "actio/io/xml/load_report.hpp"
#include "accuracy.hpp"
#include "drive.hpp"
#include "options.hpp"
#include "run.hpp"
#include "start.hpp"

namespace simulate {

/// Returns the degrees of freedom of a file, those of a floating base included.
int dof(const actio::LoadReport& load);
/// Writes the summary as text, which begins with what should make the reader doubt it.
void print_summary(std::ostream& out, const Model& model, const actio::LoadReport& load, const Options& options, const Start& start,
                   const Drive& drive, const std::optional<Accuracy>& accuracy, const std::list<Run>& runs, const std::vector<std::string>& files);
/// Returns the summary of a run as JSON. What does not apply or is not finite is null.
nlohmann::ordered_json to_json(const Model& model, const actio::LoadReport& report, const Options& options, const Start& start,
                               const Drive& drive, const Run& run);
/// Returns the film of a run; moves the motion and the diagnostics out of it.
actio::Film film_of_run(const Model& model, const Options& options, Run& run);
/// Returns a plot of E - E_0 over time with one curve for each run.
actio::Plot energy_plot(const Model& model, const actio::LoadReport& load, const Options& options, const std::list<Run>& runs);

}  // namespace simulate
