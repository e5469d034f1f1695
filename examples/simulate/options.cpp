// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>

#include "actio/core/text.hpp"
#include "actio/simulation/simulate.hpp"
#include "actio/version.hpp"
#include "integrators.hpp"

namespace simulate {
namespace {

constexpr const char* about =
    "Simulates a robot from a URDF, SDF or MJCF file and reports how well energy and momentum are conserved.\n"
    "Several integrators, as in --integrator euler,variational, are compared in one table and one figure; the JSON becomes\n"
    "an array, and each integrator has its own CSV file and film, such as run_euler.csv.\n"
    "For C++ only: inputs, controllers and force fields; contact between bodies, and contact sources other than the ground; nonholonomic\n"
    "constraints; joints and integrators of your own; the published programs of compliant; derivatives; reversible steps back in time.\n"
    "Exit status: 0 if all simulations succeeded, 1 if one failed, 2 for bad input.";

std::string list_of_integrators() {
  std::string list;
  for (const IntegratorEntry& entry : integrators()) {
    const std::size_t width = std::max<std::size_t>(14, entry.name.size() + 1);
    list += std::string(entry.name) + std::string(width - entry.name.size(), ' ') + std::string(entry.summary) + '\n';
  }
  return list;
}

std::string names_of_integrators() {
  std::string names;
  for (const IntegratorEntry& entry : integrators()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

double positive(const std::string& text, const std::string& flag) {
  const double value = parse_number(text, flag);
  if (!(value > 0)) throw BadInput(flag + " is " + text + ", expected a number > 0");
  return value;
}

std::int64_t whole(const std::string& text, const std::string& flag, std::int64_t least) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least) {
    throw BadInput(flag + " is '" + text + "', expected an integer >= " + std::to_string(least));
  }
  return value;
}

/// Sets the flag of each word in a list.
void switch_on(const std::string& list, const std::string& flag, std::initializer_list<std::pair<std::string_view, bool*>> words) {
  std::string known;
  for (const auto& [word, target] : words) known += (known.empty() ? "" : ", ") + std::string(word);
  const std::vector<std::string> given = split(list, ", ");
  if (given.empty()) throw BadInput(flag + " is empty, expected one or more of " + known);
  for (const std::string& one : given) {
    const auto found = std::find_if(words.begin(), words.end(), [&](const auto& word) { return word.first == one; });
    if (found == words.end()) throw BadInput(flag + ": unknown '" + one + "', expected one or more of " + known);
    *found->second = true;
  }
}

/// Joins a value that begins with a minus to its option, "--q" "-.5 1" to "--q=-.5 1", because CLI11 would take it for an option.
std::vector<std::string> tie_values(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool is_value = argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && !std::isalpha(static_cast<unsigned char>(argument[1]));
    const bool follows_flag = !arguments.empty() && arguments.back().starts_with("--") && arguments.back().find('=') == std::string::npos;
    if (is_value && follows_flag) arguments.back() += '=' + argument;
    else arguments.push_back(argument);
  }
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 expects
  return arguments;
}

}  // namespace

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> pieces;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos; at = text.find_first_not_of(separators, at)) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

double parse_number(std::string_view text, const std::string& what) {
  const std::string_view digits = text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = actio::detail::number_from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole_text = end == digits.data() + digits.size() && !digits.empty();
  if (error != std::errc{} || !whole_text || !std::isfinite(value)) {
    const bool comma = text.find(',') != std::string_view::npos;
    throw BadInput(what + ": '" + std::string(text) + "' is not a finite number" + (comma ? "; the decimal separator is a point" : ""));
  }
  return value;
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(about, "simulate");
  Options options;
  std::string integrator, step, duration, tolerance, q, v, lift, seed, gravity, enforce, ground, law, release, csv, svg, glb, html, json, every, frame_rate;
  bool list = false;
  const auto text = [](int number) { return std::to_string(number); };
  app.set_version_flag("--version", text(ACTIO_VERSION_MAJOR) + '.' + text(ACTIO_VERSION_MINOR) + '.' + text(ACTIO_VERSION_PATCH));
  app.add_option("MODEL", options.model, "URDF, SDF or MJCF file");
  app.add_option("--model-folder", options.model_folders, "folder from which MODEL may include files, in addition to its own, and in which model:// is searched; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  const auto value = [&](const char* flag, std::string& target, const char* type, const std::string& help) {
    return app.add_option(flag, target, help)->type_name(type);
  };
  value("--integrator", integrator, "NAME", "one integrator, or several separated by commas: " + names_of_integrators() + " [variational; compliant with --enforce or --ground]");
  value("--step", step, "SECONDS", "time step; of reversible the first one [1e-3]");
  value("--duration", duration, "SECONDS", "time to simulate [10]");
  value("--tolerance", tolerance, "T", "tolerance of integrators that solve equations, dimensionless; 0 solves to rounding errors [1e-10; variational4 1e-11, variational6 and compliant 1e-12]");
  auto* const floating = app.add_flag("--floating-base", options.floating_base, "give the root link a free joint; URDF and MJCF files fix it to the world unless they say otherwise");
  app.add_flag("--fixed-base", options.fixed_base, "fix the root link to the world; SDF files leave it free unless they say otherwise")->excludes(floating);
  app.add_flag("--strict", options.strict, "refuse violations of the file's format instead of repairing them");
  value("--q", q, "TEXT", "initial configuration: all numbers, or \"elbow=0.5 wrist=1\"");
  value("--v", v, "TEXT", "initial velocity, in the same form");
  value("--lift", lift, "METRES", "start with the lowest point this high above the ground; without it, a robot that can move up is lifted out of the ground unless --q is given");
  value("--random-state", seed, "SEED", "start from a random configuration and velocity; --q and --v then replace entries of them");
  value("--gravity", gravity, "\"X Y Z\"", "gravity in the world [0 0 -9.81 m/s^2]");
  value("--enforce", enforce, "LIST", "enforce some of limits,friction,contact");
  value("--ground", ground, "\"K C MU\"", "enforce contact with the plane z = 0: stiffness, damping and friction of each point [1e6 N/m, 1e3 N s/m, 0.8]");
  value("--law", law, "NAME", "law of sliding contacts for compliant: coulomb, or convex, which lifts them by step times friction times speed [coulomb]");
  value("--release", release, "LIST", "release some of loops,mimic, so that they have no effect");
  value("--csv", csv, "FILE", "write time, q, v and energies");
  value("--every", every, "K", "number of steps from one line of the CSV file to the next [1]");
  value("--svg", svg, "FILE", "write a figure of the energy error");
  value("--html", html, "FILE", "write a page that plays the motion, with plots of energy, momentum, gaps, iterations and joint angles, for any browser");
  value("--glb", glb, "FILE", "write the motion as glTF 2.0, for Blender and other viewers");
  value("--frame-rate", frame_rate, "HZ", "frames per second of --html and --glb [60]");
  value("--json", json, "FILE|-", "write the summary as JSON; with -, write it and nothing else to the standard output");
  app.add_flag("--describe", options.describe, "print bodies, joints, ranges, masses, loops, and what is enforced and what not, and exit");
  app.add_flag("--list-integrators", list, "list the integrators and exit");
  app.add_flag("--quiet", options.quiet, "print errors only");
  try {
    app.parse(tie_values(argc, argv));
  } catch (const CLI::Success& asked) {  // help or version
    app.exit(asked);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw BadInput(std::string(error.what()) + "; --help lists the options");
  }
  if (list) {
    std::cout << list_of_integrators();
    return std::nullopt;
  }

  const auto given = [&](const char* flag) { return app.count(flag) > 0; };
  if (options.model.empty()) throw BadInput("no MODEL given, expected a URDF, SDF or MJCF file; --help lists the options");
  if (given("--integrator")) {
    options.integrators = split(integrator, ", ");
    if (options.integrators.empty()) throw BadInput("--integrator is empty, expected one of " + names_of_integrators());
  }
  for (const std::string& name : options.integrators) {
    if (!find_integrator(name)) throw BadInput("--integrator: unknown '" + name + "', expected one of " + names_of_integrators());
    if (std::count(options.integrators.begin(), options.integrators.end(), name) > 1) throw BadInput("--integrator names '" + name + "' twice");
  }
  if (given("--step")) options.step = positive(step, "--step");
  if (given("--duration")) options.duration = positive(duration, "--duration");
  options.steps = actio::steps_to_cover(actio::Seconds{options.duration}, options.step).count;
  if (options.steps < 1 || options.steps > 1'000'000'000'000) {
    throw BadInput("--duration divided by --step is " + actio::detail::to_text(options.duration / options.step) + " steps, expected 1 to 1e12");
  }
  if (given("--tolerance")) {
    options.settings.tolerance = parse_number(tolerance, "--tolerance");
    if (*options.settings.tolerance < 0) throw BadInput("--tolerance is " + tolerance + ", expected a number >= 0");
  }
  if (given("--q")) options.q = q;
  if (given("--v")) options.v = v;
  if (given("--random-state")) options.seed = static_cast<std::uint64_t>(whole(seed, "--random-state", 0));
  if (given("--gravity")) {
    const std::vector<std::string> numbers = split(gravity, " \t\n");
    if (numbers.size() != 3) {
      throw BadInput("--gravity \"" + gravity + "\" has " + std::to_string(numbers.size()) + " numbers, expected 3, in quotes");
    }
    options.gravity.emplace();
    for (std::size_t k = 0; k < 3; ++k) (*options.gravity)[static_cast<Eigen::Index>(k)] = parse_number(numbers[k], "--gravity");
  }
  if (given("--enforce")) {
    actio::Enforcement& all = options.enforce;
    switch_on(enforce, "--enforce", {{"limits", &all.limits}, {"friction", &all.friction}, {"contact", &all.contact}});
  }
  options.settings.ground = {actio::Compliance<double>{1e6, 1e3}, 0.8};
  if (given("--ground")) {
    const std::vector<std::string> numbers = split(ground, " \t\n");
    if (numbers.size() != 3) throw BadInput("--ground \"" + ground + "\" has " + std::to_string(numbers.size()) + " numbers, expected 3, in quotes");
    const auto number = [&](std::size_t k) { return parse_number(numbers[k], "--ground"); };
    options.settings.ground = {actio::Compliance<double>{number(0), number(1)}, number(2)};
    if (!options.settings.ground.is_valid()) throw BadInput("--ground \"" + ground + "\": stiffness, damping or friction is negative");
    options.enforce.contact = true;
  }
  const actio::Enforcement& on = options.enforce;
  if (given("--lift")) {
    options.lift = parse_number(lift, "--lift");
    if (!on.contact) throw BadInput("--lift is a height above the ground: give --ground or --enforce contact too");
  }
  if (!given("--integrator") && (on.limits || on.friction || on.contact)) options.integrators = {"compliant"};  // the others refuse
  if (given("--law")) {
    if (law != "coulomb" && law != "convex") throw BadInput("--law: unknown '" + law + "', expected coulomb or convex");
    const bool has_contacts = on.contact && std::count(options.integrators.begin(), options.integrators.end(), "compliant") > 0;
    if (!has_contacts) throw BadInput("--law is for contacts of compliant: give --ground or --enforce contact too");
    if (law == "convex") options.settings.law = actio::ConeLaw::convex;
  }
  if (given("--release")) switch_on(release, "--release", {{"loops", &options.release_loops}, {"mimic", &options.release_mimic}});
  if (given("--frame-rate")) options.frame_rate = positive(frame_rate, "--frame-rate");
  if (given("--every")) options.every = whole(every, "--every", 1);
  const std::tuple<std::string, std::string*, std::optional<std::string>*> files[] = {
      {"--csv", &csv, &options.csv}, {"--svg", &svg, &options.svg}, {"--glb", &glb, &options.glb}, {"--html", &html, &options.html}, {"--json", &json, &options.json}};
  for (const auto& [flag, name, target] : files) {
    if (app.count(flag) == 0) continue;
    if (name->empty()) throw BadInput(flag + " names no file");
    if (*name == "-" && target != &options.json) throw BadInput(flag + " -: only --json can write to the standard output");
    for (const auto& [other, other_name, other_target] : files) {
      if (*other_target == *name) throw BadInput(flag + ' ' + *name + " names the same file as " + other);
    }
    *target = *name;
  }
  return options;
}

}  // namespace simulate
