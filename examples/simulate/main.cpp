// SPDX-License-Identifier: BSD-3-Clause
// simulate: runs a URDF, SDF or MJCF file with an integrator chosen by name, and reports what was conserved.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "actio/io/glb.hpp"
#include "actio/io/html.hpp"
#include "actio/io/model_file.hpp"
#include "actio/io/svg.hpp"
#include "actio/model/describe.hpp"
#include "integrators.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "start.hpp"

namespace simulate {
namespace {

/// Returns the first line of a message and the number of further lines.
std::string first_line(const std::string& text) {
  const auto more = std::count(text.begin(), text.end(), '\n');
  return text.substr(0, text.find('\n')) + (more == 0 ? "" : " (and " + std::to_string(more) + (more == 1 ? " more problem)" : " more problems)"));
}

actio::Loaded<double> load(const Options& options) {
  actio::ReadOptions how{.strict = options.strict};
  how.model_folders.assign(options.model_folders.begin(), options.model_folders.end());
  if (options.floating_base) how.base = actio::Base::floating;
  if (options.fixed_base) how.base = actio::Base::fixed;
  try {
    actio::Loaded<double> loaded = actio::read_model(options.model, how);
    Model model = loaded.model.with_enforced(options.enforce);
    if (options.gravity) model = model.with_gravity(*options.gravity);
    if (options.release_loops) model = model.with_loops(false);
    if (options.release_mimic) model = model.with_couplings(false);
    return {std::move(model), std::move(loaded.report)};
  } catch (const actio::ParseError& error) {
    const auto loads = [&](actio::ReadOptions other) {
      try {
        (void)actio::read_model(options.model, other);
        return true;
      } catch (const actio::ParseError&) {
        return false;
      }
    };
    actio::ReadOptions tolerant = how, fixed = how;
    tolerant.strict = false;
    fixed.base.reset();
    const char* hint = options.strict && loads(tolerant) ? "--strict" : options.floating_base && loads(fixed) ? "--floating-base" : nullptr;
    throw BadInput(first_line(error.what()) + (hint ? std::string("; it can be loaded without ") + hint : ""));
  }
}

/// Returns what to change on the command line after an integrator refused the model; empty if releasing loops and mimic joints is no help.
std::string remedy(const std::string& name, const Model& model, const Options& options) {
  const std::string release = releasable(model);
  if (release.empty()) return {};
  const Model released = model.with_loops(false).with_couplings(false);
  for (const std::string& taker : {name, std::string("variational")}) {
    try {
      (void)find_integrator(taker)->make(released, options.settings);
      return " (" + (taker == name ? "" : "--integrator " + taker + ' ') + "--release " + release + ')';
    } catch (const std::invalid_argument&) {  // refuses the released model too
    }
  }
  return {};
}

std::unique_ptr<Runner> make_runner(const std::string& name, const Model& model, const Options& options) {
  try {
    return find_integrator(name)->make(model, options.settings);
  } catch (const actio::ModelError& error) {
    throw BadInput(options.model + ": " + first_line(error.what()) + remedy(name, model, options));
  } catch (const actio::OptionsError& error) {
    throw BadInput(first_line(error.what()));
  }
}

/// Returns "run.csv" for a single integrator, "run_euler.csv" for one of several.
std::string name_for(const std::string& integrator, const std::string& file, const Options& options) {
  if (options.integrators.size() == 1) return file;
  std::filesystem::path path(file);
  const std::string extension = path.extension().string();
  path.replace_filename(path.stem().string() + '_' + integrator + extension);
  return path.string();
}

/// Opens a file for writing, before the simulation starts.
std::ofstream open(const std::string& path, const char* flag, const Options& options) {
  std::error_code unknown;
  if (std::filesystem::equivalent(path, options.model, unknown)) throw BadInput(std::string(flag) + ' ' + path + " would overwrite the model");
  std::ofstream file(path, std::ios::binary);
  if (!file) throw BadInput(std::string(flag) + ' ' + path + ": cannot be written; does the folder exist?");
  return file;
}

void finish(std::ostream& file, const std::string& path) {
  if (!file.flush()) throw std::runtime_error(path + ": writing failed; is the disk full?");
}

/// One output file for each run, if the user asked for this output.
class FileOfEach {
 public:
  FileOfEach(const std::optional<std::string>& name, const char* flag, const Options& options) {
    if (!name) return;
    for (const std::string& integrator : options.integrators) {
      names_.push_back(name_for(integrator, *name, options));
      files_.push_back(open(names_.back(), flag, options));
    }
  }
  bool is_asked_for() const { return !files_.empty(); }
  std::ostream& of(std::size_t run) { return files_[run]; }
  void finish(std::size_t run) { simulate::finish(files_[run], names_[run]); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::ofstream> files_;
};

void warn_of_slow_build() {
#if !defined(NDEBUG) || (defined(__GNUC__) && !defined(__OPTIMIZE__))
  std::cerr << "simulate: warning: this is a debug build, and its timings are not meaningful\n";
#endif
}

int run_all(const Options& options) {
  const actio::Loaded<double> loaded = load(options);
  const Model& model = loaded.model;
  if (options.describe) {
    std::cout << actio::describe(model);
    return 0;
  }
  Start start(model, options);
  std::vector<std::unique_ptr<Runner>> runners;
  for (const std::string& name : options.integrators) runners.push_back(make_runner(name, model, options));
  start.prepare(model, options);  // if loops or couplings are active, all integrators take them

  std::ofstream svg_file, json_file;
  const bool json_to_screen = options.json == "-";
  FileOfEach csv(options.csv, "--csv", options), glb(options.glb, "--glb", options), html(options.html, "--html", options);
  if (options.svg) svg_file = open(*options.svg, "--svg", options);
  if (options.json && !json_to_screen) json_file = open(*options.json, "--json", options);

  bool all_went_well = true;
  std::list<Run> runs;
  for (std::size_t k = 0; k < runners.size(); ++k) {
    Run& run = runs.emplace_back(Run{options.integrators[k], {}, Watch(model)});
    Watch& watch = run.watch;
    // The meters see every step, unless that took longer than about half a minute.
    watch.meter_stride = 1 + options.steps * std::max<std::int64_t>(model.num_bodies() - 1, 1) / 50'000'000;
    watch.wants_curve = options.svg.has_value();
    if (csv.is_asked_for()) watch.file.emplace(csv.of(k), model);
    if (glb.is_asked_for() || html.is_asked_for()) watch.film.emplace(options.frame_rate);
    const double steps_a_frame = std::max(1.0, 1 / (options.frame_rate * options.step));
    if (html.is_asked_for() || (watch.meter_stride == 1 && loses_energy(model))) {
      watch.books.emplace(model, html.is_asked_for() ? static_cast<std::int64_t>(std::min(steps_a_frame, 1e12)) : 0);
    }
    watch.csv_stride = options.csv ? options.every : options.steps + 1;
    watch.progress_stride = 1 + options.steps / 2000;
    ProgressBar bar(run.integrator, options.duration, !options.quiet);
    watch.show_progress = [&](double time) { bar.show(time); };
    run.summary = runners[k]->run(start.state, options.step, options.steps, watch);
    bar.wipe();
    if (!run.summary) {
      std::cerr << "simulate: " << describe_failure(run, model, options) << '\n';
      all_went_well = false;
    }
    if (csv.is_asked_for()) csv.finish(k);
    if (!watch.film) continue;
    const actio::Film film = film_of_run(model, options, run);
    if (glb.is_asked_for()) {
      glb.of(k) << actio::to_glb(film);
      glb.finish(k);
    }
    if (html.is_asked_for()) {
      html.of(k) << actio::to_html(film);
      html.finish(k);
    }
  }

  if (!options.quiet) {
    warn_of_slow_build();
    const auto is_mesh = [](const actio::Shape<double>& shape) { return std::holds_alternative<actio::MeshFile>(shape.geometry); };
    const auto meshes = std::count_if(model.shapes().begin(), model.shapes().end(), is_mesh);
    if (model.enforced().contact && meshes > 0) std::cerr << "simulate: " << meshes << " collision meshes are ignored: only primitive shapes touch the ground\n";
    for (const std::string& name : options.integrators) {
      if (options.settings.tolerance && !find_integrator(name)->solves_equations) std::cerr << "simulate: --tolerance has no effect on " << name << '\n';
    }
  }
  if (options.svg) finish(svg_file << actio::to_svg(energy_plot(model, loaded.report, options, runs)), *options.svg);
  if (options.json) {
    nlohmann::ordered_json json;
    if (runs.size() == 1) json = to_json(model, loaded.report, options, runs.front());
    else for (const Run& run : runs) json.push_back(to_json(model, loaded.report, options, run));
    std::ostream& out = json_to_screen ? std::cout : json_file;
    finish(out << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n', *options.json);
  }
  if (!options.quiet) {
    std::vector<std::string> written;
    for (const FileOfEach* files : {&csv, &glb, &html}) written.insert(written.end(), files->names().begin(), files->names().end());
    if (options.svg) written.push_back(*options.svg);
    if (options.json && !json_to_screen) written.push_back(*options.json);
    print_summary(json_to_screen ? std::cerr : std::cout, model, loaded.report, options, start, runs, written);
  }
  return all_went_well ? 0 : 1;
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
