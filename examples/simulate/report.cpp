// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ostream>

#include "actio/core/text.hpp"
#include "actio/io/diagnostic_plots.hpp"
#include "actio/io/joint_plots.hpp"
#include "actio/io/svg.hpp"
#include "actio/model/describe.hpp"
#include "warnings.hpp"

namespace simulate {
namespace {

using actio::detail::counted;
using actio::detail::to_text;

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t length = actio::detail::length_of(text);
  return text + std::string(width > length ? width - length : 0, ' ');
}

void print_row(std::ostream& out, const std::string& label, const std::string& text) { out << "  " << padded(label, 24) << text << '\n'; }

/// @param model name of the main file, which is printed once; findings in included files name theirs.  @param most of each kind.
void print_findings(std::ostream& out, const char* label, const std::vector<actio::Finding>& findings, const std::string& model,
                    std::size_t most) {
  std::map<std::string, std::size_t> printed;
  const auto print = [&](const std::string& text) {
    print_row(out, label, text);
    label = "";
  };
  for (const auto& [code, origin, text] : findings) {
    if (++printed[code] > most) continue;
    const bool is_above = origin.starts_with(model + ':');  // "file:line"
    print((origin.empty() ? "" : (is_above ? "line " + origin.substr(model.size() + 1) : origin) + ": ") + text);
  }
  for (const auto& [code, count] : printed) {
    if (count > most) print("and " + std::to_string(count - most) + " more [" + code + "]: --verbose or --json list all");
  }
}

/// Returns the duration and the steps of a run in words.
std::string plan(const Options& options) {
  if (options.steps == 0) return "0 s: the initial state only";
  const double last = actio::last_step(actio::Seconds{options.duration}, options.step);
  const bool is_short = options.steps > 1 && last != options.step;
  return to_text(options.duration, 6) + " s in " + counted(options.steps, "step", "steps") + " of " +
         to_text(options.steps > 1 ? options.step : last, 6) + " s" + (is_short ? ", the last of " + to_text(last, 3) + " s" : "");
}

}  // namespace

int dof(const actio::LoadReport& load) { return load.dof + 6 * load.floating; }

void print_summary(std::ostream& out, const Model& model, const actio::LoadReport& load, const Options& options, const Start& start,
                   const Drive& drive, const std::optional<Accuracy>& accuracy, const std::list<Run>& runs,
                   const std::vector<std::string>& files) {
  out << '\n';
  bool any_doubt = false;
  const auto doubt = [&](const Run& run, const char* kind, const std::string& text) {
    out << "  " << kind << ": " << run.integrator << ": " << text << '\n';
    any_doubt = true;
  };
  for (const Run& run : runs) {
    if (!run.summary)
      doubt(run, "failed", "the run ended at t = " + to_text(run.summary.time) + " s of " + to_text(options.duration) + " s");
    if (run.signal != 0)
      doubt(run, "interrupted", "the run ended at t = " + to_text(run.summary.time) + " s of " + to_text(options.duration) + " s");
    for (const std::string& text : warnings_of(run, model, options)) doubt(run, "warning", text);
  }
  if (any_doubt) out << '\n';
  print_row(out, "model", model.name() + "  (" + options.model + ")");
  print_row(out, "", std::to_string(dof(load)) + " dof, " +
                         counted(model.num_bodies() - 1, "moving body", "moving bodies") + ", " +
                         to_text(model.mass(), 5) + " kg" + (load.floating > 0 ? ", floating base" : ", fixed base"));
  print_row(out, "start", options.start() + "; gravity " + to_text(model.gravity()[0], 4) + ' ' + to_text(model.gravity()[1], 4) + ' ' +
                              to_text(model.gravity()[2], 4) + " m/s\u00b2");
  if (start.moved > 1e-9)
    print_row(out, "", "closed: constraints were violated at the start, joints were moved by up to " + to_text(start.moved, 3));
  if (start.lifted > 0) print_row(out, "", "lifted by " + to_text(start.lifted, 3) + " m, so that nothing starts below the ground");
  if (start.lifted < 0) print_row(out, "", "lowered by " + to_text(-start.lifted, 3) + " m to the height of --lift");
  for (const std::string& warning : start.warnings) print_row(out, "warning", warning);
  if (const std::string contacts = contacts_in_words(model, options.settings); !contacts.empty()) print_row(out, "contact", contacts);
  if (!start.overlaps.empty()) {
    print_row(out, "", "bodies " + list_of(model, start.overlaps) + " overlap at the start: they pass through each other");
  }
  for (const std::string& remark : drive.remarks) print_row(out, &remark == &drive.remarks.front() ? "actuators" : "", remark);
  print_row(out, "run", plan(options) + (options.step_source == "file" ? ", the time step of the file" : ""));
  if (accuracy) print_row(out, accuracy->reached ? "accuracy" : "warning", in_words(*accuracy));
  for (const Run& run : runs) {
    if (run.watch.control && run.watch.control->use() == actio::ActuatorUse::inputs) {
      print_row(out, "", run.integrator + " takes no damping: the forces of actuators follow from the state at the beginning of each step");
    }
    if (find_integrator(run.integrator)->chooses_steps)
      print_row(out, "", run.integrator + " chooses its steps, the first of which has this length");
  }
  const std::size_t most = options.verbose ? load.repairs.size() + load.warnings.size() : 4;
  print_findings(out, "repaired", load.repairs, options.model, most);
  print_findings(out, "doubtful", load.warnings, options.model, most);
  if (!load.ignored.empty()) {
    std::string text;
    for (const auto& [what, count] : load.ignored)
      text += (text.empty() ? "" : ", ") + what + (count > 1 ? " \u00d7" + std::to_string(count) : "");
    print_row(out, "ignored", text);
  }
  std::string recorded;
  for (const NotEnforced& item : not_enforced(model)) recorded += (recorded.empty() ? "" : ", ") + item.word + " (" + item.count + ')';
  if (!recorded.empty()) print_row(out, "recorded, not enforced", recorded);
  out << '\n';

  const auto row = [&](const char* label, const std::function<std::string(const Run&)>& text, const std::string& remark = {}) {
    std::string cells;
    for (const Run& run : runs) cells += padded(text(run), 16);
    while (cells.ends_with(' ') && remark.empty()) cells.pop_back();
    print_row(out, label, cells + remark);
  };
  const Watch& any = runs.front().watch;
  row("integrator", [](const Run& run) { return run.integrator; });
  row("steps", [](const Run& run) { return std::to_string(run.summary.steps); });
  row("failed steps", [](const Run& run) { return std::to_string(run.summary.failed_steps); });
  row("substeps", [](const Run& run) { return std::to_string(run.summary.substeps); });
  const auto row_if_any = [&](const char* label, const std::function<std::int64_t(const Run&)>& count) {
    if (std::any_of(runs.begin(), runs.end(), count)) row(label, [&](const Run& run) { return std::to_string(count(run)); });
  };
  row_if_any("loops relaxed", [](const Run& run) { return run.summary.relaxed_loops; });
  row_if_any("friction relaxed", [](const Run& run) { return run.summary.relaxed_friction; });
  row_if_any("impacts", [](const Run& run) { return run.summary.impacts; });
  row_if_any("reversals located", [](const Run& run) { return run.summary.reversals; });
  row_if_any("restitution relaxed", [](const Run& run) { return run.summary.relaxed_restitution; });
  row("iterations, mean", [](const Run& run) { return to_text(run.summary.mean_iterations(), 3); });
  row("iterations, worst", [](const Run& run) { return std::to_string(run.summary.worst_iterations); });
  row("evaluations, mean", [](const Run& run) { return to_text(run.summary.mean_evaluations(), 3); });
  row("wall time", [](const Run& run) { return to_text(run.summary.seconds, 3) + " s"; });
  row("per body and step", [&](const Run& run) { return to_text(ns_per_body_step(model, run), 3) + " ns"; });
  if (exchanges_energy(model, any) && any.books) {
    row("energy dissipated", [](const Run& run) { return to_text(dissipated(run.watch), 3) + " J"; });
    if (any.drive) {
      row("work of actuators", [](const Run& run) { return to_text(run.watch.drive->work(), 3) + " J"; });
    }
    const auto corrections = [](const Run& run) { return run.watch.books->now().corrections; };
    if (std::any_of(runs.begin(), runs.end(), [&](const Run& run) { return std::abs(corrections(run)) > 1e-9; })) {
      row(
          "added by corrections", [&](const Run& run) { return to_text(corrections(run), 3) + " J"; },
          "(of joints outside their ranges, and of loops)");
    }
    row("energy error", [](const Run& run) { return to_text(largest_error(run.watch), 3) + " J"; },
        any.drive ? "(in addition to both)" : "(in addition to the dissipated energy)");
    row("  of kinetic energy", [](const Run& run) { return to_text(relative_error(run.watch), 3); });
  } else {
    row("energy error", [](const Run& run) { return to_text(run.watch.energy.largest_error(), 3) + " J"; },
        loses_energy(model) ? "(the model dissipates energy, so it should decrease)" : "");
    row("  of kinetic energy", [](const Run& run) { return to_text(run.watch.energy.relative_error(), 3); });
  }
  if (any.momentum.protects_linear())
    row("linear momentum error", [](const Run& run) { return to_text(run.watch.momentum.linear_error(), 3); });
  if (any.momentum.protects_angular())
    row("angular momentum error", [](const Run& run) { return to_text(run.watch.momentum.angular_error(), 3); });
  if (!any.momentum.what().empty()) print_row(out, "  conserved by symmetry", any.momentum.what());
  if (std::any_of(runs.begin(), runs.end(), [](const Run& run) { return run.watch.gap.can_open(); })) {
    row("largest gap", [](const Run& run) { return run.watch.gap.can_open() ? to_text(run.watch.gap.largest(), 3) + " m" : "none"; });
  }
  if (options.hold && any.drive) {
    row("largest deviation", [](const Run& run) { return to_text(run.watch.drive->deviation(), 3); },
        "(of a joint from the start, at " + any.drive->deviating() + ')');
  }
  row("largest h \u03c9", [](const Run& run) { return to_text(run.watch.rate.largest_rotation(), 3); });
  if (any.meter_stride > 1)
    print_row(out, "", "energy, momentum, gaps and h \u03c9 were sampled every " + std::to_string(any.meter_stride) + " steps");
  std::string names;
  for (const std::string& file : files) names += (names.empty() ? "" : ", ") + file;
  if (!names.empty()) print_row(out, "wrote", names);
  if (model.nv() > 0 && runs.front().watch.energy.largest_kinetic() < 1e-9 * model.mass()) {  // that is, below 45 um/s
    out << "\n  note: nothing moves, because the start is an equilibrium: --random-state 1 or --q \"name=value\" starts elsewhere\n";
  }
}

actio::Film film_of_run(const Model& model, const Options& options, Run& run) {
  actio::Film film = actio::film_of(model, run.watch.film->take());
  if (run.watch.books) film.plots = actio::diagnostic_plots(run.watch.books->samples());
  for (actio::Plot& plot : actio::joint_plots(model, film.motion)) film.plots.push_back(std::move(plot));
  if (!run.summary) film.failure = describe_failure(run, model);
  film.title = (model.name().empty() ? "robot" : model.name()) + ", " + run.integrator + ", step " + to_text(options.step, 6) + " s";
  const auto is_ground = [](const actio::Shape<double>& shape) { return std::holds_alternative<actio::HalfSpace>(shape.geometry); };
  if (model.enforced().contact && std::none_of(film.shapes.begin(), film.shapes.end(), is_ground)) {
    film.shapes.insert(film.shapes.begin(), {"ground", 0, actio::Pose<double>::identity(), actio::HalfSpace{}});  // that of PlaneContacts
  }
  return film;
}

actio::Plot energy_plot(const Model& model, const actio::LoadReport& load, const Options& options, const std::list<Run>& runs) {
  actio::Plot plot;
  plot.title = "Energy of " + (model.name().empty() ? "the robot" : model.name());
  double kinetic = runs.front().watch.energy.largest_kinetic();
  for (const Run& run : runs) kinetic = std::min(kinetic, run.watch.energy.largest_kinetic());  // some runs may have diverged
  plot.subtitle = std::to_string(dof(load)) + " degrees of freedom, step " + to_text(options.step, 6) + " s, kinetic energy up to " +
                  to_text(kinetic, 3) + " J";
  plot.x_label = "time";
  plot.x_unit = "s";
  plot.y_label = "energy error E \u2212 E\u2080";
  plot.y_unit = "J";
  for (const Run& run : runs) {
    plot.series.push_back(run.watch.curve.series());
    plot.series.back().name =
        run.integrator + (run.summary ? ": at most " + actio::detail::plot_number(run.watch.energy.largest_error(), 2) + " J"
                                      : ": failed at " + to_text(run.summary.time, 3) + " s");
  }
  return plot;
}

}  // namespace simulate
