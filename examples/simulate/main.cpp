// SPDX-License-Identifier: BSD-3-Clause
// simulate: runs a URDF, SDF or MJCF file with an integrator chosen by name, and reports what was conserved.
#include <algorithm>
#include <cerrno>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "actio/core/text.hpp"
#include "actio/io/glb.hpp"
#include "actio/io/html.hpp"
#include "actio/io/model_file.hpp"
#include "actio/io/shape_inertia.hpp"
#include "actio/io/svg.hpp"
#include "actio/model/describe.hpp"
#include "accuracy.hpp"
#include "contacts.hpp"
#include "drive.hpp"
#include "files.hpp"
#include "integrators.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "start.hpp"
#include "warnings.hpp"

namespace simulate {
namespace {

/// Returns the first line of a message and the number of further lines.
std::string first_line(const std::string& text) {
  const auto more = std::count(text.begin(), text.end(), '\n');
  const std::string others = std::to_string(more) + (more == 1 ? " more problem" : " more problems");
  return text.substr(0, text.find('\n')) + (more == 0 ? "" : " (and " + others + ": --verbose)");
}

/// Returns the model whose collision meshes are replaced as --mesh-contact says, if contact is enforced. Meshes that cannot be read become
/// warnings, or BadInput with --strict.
Model with_meshes_replaced(const Model& model, const Options& options, actio::LoadReport& report) {
  if (!model.enforced().contact) return model;
  actio::MeshFolders folders(options.model, {options.model_folders.begin(), options.model_folders.end()});
  actio::ReplacedMeshes replaced = actio::replace_meshes(model, folders, options.mesh_contact);
  if (options.strict && !replaced.findings.empty()) {
    throw BadInput(options.model + ": " + replaced.findings.front().text + "; it can be loaded without --strict");
  }
  report.warnings.insert(report.warnings.end(), replaced.findings.begin(), replaced.findings.end());
  if (replaced.read > 0 && !options.quiet) {
    std::cerr << "simulate: " << replaced.read << (replaced.read == 1 ? " collision mesh was" : " collision meshes were") << " read";
    if (replaced.largest_error > 1e-6) {
      std::cerr << "; the hulls are too small by at most " << actio::detail::to_text(1000 * replaced.largest_error, 2) << " mm, on body '"
                << replaced.roughest << '\'';
    }
    std::cerr << '\n';
  }
  return std::move(replaced.model);
}

actio::Loaded<double> load(const Options& options) {
  actio::ReadOptions asked{.strict = options.strict};
  asked.model_folders.assign(options.model_folders.begin(), options.model_folders.end());
  asked.fix_idle_joints = true;
  if (options.floating_base) asked.base = actio::Base::floating;
  if (options.fixed_base) asked.base = actio::Base::fixed;
  const bool from_screen = options.model == "-";
  const std::string text = from_screen ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : std::string();
  const auto read = [&](const actio::ReadOptions& how) {
    return from_screen ? actio::parse_model(text, "standard input", how) : actio::read_model(options.model, how);
  };
  try {
    actio::Loaded<double> loaded = read(asked);
    Model model = loaded.model.with_enforced(options.enforce);
    if (options.gravity) model = model.with_gravity(*options.gravity);
    if (options.release_loops) model = model.with_loops(false);
    if (options.release_mimic) model = model.with_couplings(false);
    if (options.density) {
      actio::MeshFolders folders(options.model, {options.model_folders.begin(), options.model_folders.end()});
      model = actio::with_inertia_of_shapes(std::move(model), *options.density, folders, loaded.report.warnings);
    }
    model = with_meshes_replaced(model, options, loaded.report);
    loaded.model = std::move(model);
    return loaded;
  } catch (const actio::ParseError& error) {
    if (options.verbose) {
      std::cerr << error.what() << '\n';
      throw BadInput(options.model + " is refused for the problems above");
    }
    const auto loads = [&](const actio::ReadOptions& how) {
      try {
        (void)read(how);
        return true;
      } catch (const actio::ParseError&) {
        return false;
      }
    };
    actio::ReadOptions tolerant = asked, fixed = asked;
    tolerant.strict = false;
    fixed.base.reset();
    const char* hint = options.strict && loads(tolerant) ? "--strict" : options.floating_base && loads(fixed) ? "--floating-base" : nullptr;
    throw BadInput(first_line(error.what()) + (hint ? std::string("; it can be loaded without ") + hint : ""));
  }
}

/// Returns what to change on the command line after an integrator refused the model; empty if nothing simple helps.
std::string remedy(const std::string& name, const Model& model, const Options& options) {
  const std::string release = releasable(model);
  const auto takes = [&](std::string_view taker, const Model& which) {
    try {
      (void)find_integrator(taker)->make(which, options.settings);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  std::vector<std::string> ways;
  const auto could_fill = [&](const actio::Shape<double>& shape) { return shape.body > 0 && model.inertia(shape.body).mass == 0; };
  if (!options.density && std::any_of(model.shapes().begin(), model.shapes().end(), could_fill)) {
    Options filled = options;
    filled.density = 1000;
    filled.quiet = true;
    if (options.model != "-" && takes(name, load(filled).model)) ways.push_back("--inertia-from-shapes 1000");
  }
  for (const char* taker : {"variational", "compliant"}) {
    if (ways.empty() && takes(taker, model)) ways.push_back(std::string("--integrator ") + taker);
  }
  if (!release.empty()) {
    const Model released = model.with_loops(false).with_couplings(false);
    if (takes(name, released)) ways.push_back("--release " + release);
    else if (ways.empty() && takes("variational", released)) ways.push_back("--integrator variational --release " + release);
  }
  if (options.floating_base && options.model != "-") {
    Options fixed = options;
    fixed.floating_base = false;
    fixed.quiet = true;
    if (takes(name, load(fixed).model)) ways.push_back("without --floating-base");
  }
  if (ways.empty()) return {};
  return ": try " + ways.front() + (ways.size() > 1 ? ", or " + ways.back() : "");
}

std::unique_ptr<Runner> make_runner(const std::string& name, const Model& model, const Options& options) {
  try {
    return find_integrator(name)->make(model, options.settings);
  } catch (const actio::Unsupported& error) {
    throw BadInput(options.model + ": " + name + " does not support " + error.item() + remedy(name, model, options));
  } catch (const actio::ModelError& error) {
    throw BadInput(options.model + ": " + first_line(error.what()) + remedy(name, model, options));
  } catch (const actio::OptionsError& error) {
    throw BadInput(first_line(error.what()));
  }
}

void warn_of_slow_build() {
#if !defined(NDEBUG) || (defined(__GNUC__) && !defined(__OPTIMIZE__))
  std::cerr << "simulate: warning: this is a debug build, and its timings are not meaningful\n";
#endif
}

/// @throws std::runtime_error that says why, if something could not be written.
void flush_standard_output() {
  if (std::cout) errno = 0;
  if (!std::cout.flush()) {
    throw std::runtime_error("the standard output cannot be written" + (errno == 0 ? "" : ": " + std::generic_category().message(errno)));
  }
}

/// Makes a runner with actuators; where the integrator refuses servos, they are springs, and where it refuses damping, inputs.
std::unique_ptr<Runner> make_driven_runner(const std::string& name, const Model& model, const Drive& drive, const Options& options,
                                           std::list<Control>& controls) {
  using enum actio::ActuatorUse;
  for (const actio::ActuatorUse use : {servos, springs}) {
    const Control& control = controls.emplace_back(model, drive.actuators, drive.ctrl, use);
    try {
      return find_integrator(name)->make(control.model(), options.settings);
    } catch (const std::invalid_argument&) {  // it takes the model without actuators
      controls.pop_back();
    }
  }
  return make_runner(name, controls.emplace_back(model, drive.actuators, drive.ctrl, inputs).model(), options);
}

int run_all(Options options) {
  const actio::Loaded<double> loaded = load(options);
  options.settle_step(loaded.time_step);
  const Model& model = loaded.model;
  if (options.describe) {
    std::cout << actio::describe(model) << describe_drive(loaded);
    const std::string contacts = contacts_in_words(model, options.settings);
    if (!contacts.empty()) std::cout << "contact " << contacts << '\n';
    flush_standard_output();
    return 0;
  }
  const auto* const keyframe = find_keyframe(loaded, options);
  Start start(model, options, keyframe ? &keyframe->state : nullptr);
  std::list<Control> controls;  // one for each runner, if actuators act
  std::vector<std::unique_ptr<Runner>> runners;
  const auto make_runners = [&] {
    runners.clear();
    for (const std::string& name : options.integrators) runners.push_back(make_runner(name, model, options));
  };
  options.settings.passing = passing_by_name(model, loaded.report);
  if (options.accuracy) options.integrators = {first_that_takes(options.integrators, model, options.settings)};
  make_runners();
  start.prepare(model, options);  // if loops or couplings are active, all integrators take them
  for (const Overlap& overlap : start.overlaps) options.settings.passing.emplace_back(overlap.a, overlap.b);
  if (!start.overlaps.empty()) make_runners();
  const Drive drive(loaded, options, start.state.q);
  for (std::size_t k = 0; k < runners.size() && drive.acts(); ++k) {
    runners[k] = make_driven_runner(options.integrators[k], model, drive, options, controls);
  }

  std::optional<Accuracy> accuracy;
  if (options.accuracy && options.duration > 0) {
    end_runs_on_signals();
    accuracy = find_step(*runners[0], model, start.state, options, [&](Watch& watch) {
      if (drive.acts()) watch.control = &controls.front();
    });
    if (signal_received() != 0) return 128 + signal_received();
    options.step = accuracy->step;
    options.step_source = "accuracy";
    options.settle_step({});
  }
  const bool json_to_screen = options.json == "-";
  foretell_sizes(model, options);
  FileOfEach csv(options.csv, "--csv", options), glb(options.glb, "--glb", options), html(options.html, "--html", options);
  std::optional<OutputFile> svg, json_file;
  if (options.svg) svg.emplace(*options.svg, "--svg", options);
  if (options.json && !json_to_screen) json_file.emplace(*options.json, "--json", options);
  const double frame_rate = affordable_frame_rate(model, options);

  end_runs_on_signals();  // not before, so that a signal ends the program while it waits for the standard input or for a pipe
  bool all_went_well = true;
  std::vector<std::string> written;
  const auto finish = [&](OutputFile& file) {
    file.finish();
    written.push_back(file.name());
  };
  std::list<Run> runs;
  for (std::size_t k = 0; k < runners.size() && signal_received() == 0; ++k) {
    Run& run = runs.emplace_back(Run{options.integrators[k], {}, Watch(drive.acts() ? drive.damped(model) : model)});
    Watch& watch = run.watch;
    if (drive.acts()) {
      watch.control = &*std::next(controls.begin(), static_cast<std::ptrdiff_t>(k));
      watch.drive.emplace(*watch.control);
    }
    // The meters see every step, unless that took longer than about half a minute.
    watch.meter_stride = 1 + options.steps * std::max<std::int64_t>(model.num_bodies() - 1, 1) / 50'000'000;
    watch.wants_curve = options.svg.has_value();
    if (csv.is_asked_for()) {
      watch.file.emplace(csv.of(k).stream(), model);
      watch.check_file = [&] { csv.of(k).check(); };
    }
    if (glb.is_asked_for() || html.is_asked_for()) watch.film.emplace(frame_rate);
    const double steps_a_frame = std::max(1.0, 1 / (frame_rate * options.step));
    if (html.is_asked_for() || (watch.meter_stride == 1 && exchanges_energy(model, watch))) {
      watch.books.emplace(model, html.is_asked_for() ? static_cast<std::int64_t>(std::min(steps_a_frame, 1e12)) : 0);
    }
    watch.csv_stride = options.csv ? options.every : options.steps + 1;
    ProgressBar bar(run.integrator, options.duration, !options.quiet);
    watch.progress = &bar;
    run.summary = runners[k]->run(start.state, options.step, actio::Seconds{options.duration}, watch);
    run.signal = signal_received();
    bar.wipe();
    if (!run.summary) std::cerr << "simulate: " << options.model << ": " << describe_failure(run, model) << '\n';
    all_went_well = all_went_well && run.summary && !(options.fail_on_warning && !warnings_of(run, model, options).empty());
    if (csv.is_asked_for()) finish(csv.of(k));
    if (!watch.film) continue;
    const actio::Film film = film_of_run(model, options, run);
    if (glb.is_asked_for()) {
      glb.of(k).stream() << actio::to_glb(film);
      finish(glb.of(k));
    }
    if (html.is_asked_for()) {
      html.of(k).stream() << actio::to_html(film);
      finish(html.of(k));
    }
  }

  if (runs.empty()) return 128 + signal_received();
  if (!options.quiet) {
    warn_of_slow_build();
    const auto is_mesh = [](const actio::Shape<double>& shape) { return std::holds_alternative<actio::MeshFile>(shape.geometry); };
    const auto meshes = std::count_if(model.shapes().begin(), model.shapes().end(), is_mesh);
    if (model.enforced().contact && meshes > 0) {
      std::cerr << "simulate: " << actio::detail::counted(meshes, "collision mesh touches nothing", "collision meshes touch nothing")
                << '\n';
    }
    for (const std::string& name : options.integrators) {
      if (options.settings.tolerance && !find_integrator(name)->solves_equations)
        std::cerr << "simulate: --tolerance has no effect on " << name << '\n';
    }
    if (frame_rate < options.frame_rate && (options.glb || options.html)) {
      std::cerr << "simulate: the film has " << actio::detail::to_text(frame_rate, 3) << " frames a second instead of "
                << actio::detail::to_text(options.frame_rate) << ", so that its file stays below about 20 MB\n";
    }
  }
  if (svg) {
    svg->stream() << actio::to_svg(energy_plot(model, loaded.report, options, runs));
    finish(*svg);
  }
  if (options.json) {
    nlohmann::ordered_json json;
    if (options.integrators.size() == 1) json = to_json(model, loaded.report, options, start, drive, runs.front());
    else for (const Run& run : runs) json.push_back(to_json(model, loaded.report, options, start, drive, run));
    if (accuracy) json["accuracy"] = {{"wanted", *options.accuracy}, {"q", accuracy->q}, {"v", accuracy->v}, {"runs", accuracy->runs}};
    std::ostream& out = json_to_screen ? std::cout : json_file->stream();
    out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    if (json_file) finish(*json_file);
  }
  if (!options.quiet) print_summary(json_to_screen ? std::cerr : std::cout, model, loaded.report, options, start, drive, accuracy, runs, written);
  flush_standard_output();
  if (signal_received() != 0) return 128 + signal_received();
  return all_went_well && !(options.fail_on_warning && accuracy && !accuracy->reached) ? 0 : 1;
}

}  // namespace
}  // namespace simulate

int main(int argc, char** argv) {
  const auto fail = [](const char* what, int status) {
    std::string line(what);
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::cerr << "simulate: " << line << '\n';
    return status;
  };
  try {
    const std::optional<simulate::Options> options = simulate::parse_options(argc, argv);
    if (!options) return 0;
    return simulate::run_all(*options);
  } catch (const simulate::BadInput& error) {
    return fail(error.what(), 2);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
