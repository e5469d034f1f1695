// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

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
    "For C++ only: controllers other than constant controls, inputs and force fields; contact sources of your own; nonholonomic constraints;\n"
    "joints and integrators of your own; the published programs of compliant; derivatives; reversible steps back in time.\n"
    "Exit status: 0 if all simulations succeeded, 1 if one failed or a file could not be written, 2 for bad input, 130 or 143 if a signal ended\n"
    "the run, whose summary and files are finished then.";

constexpr const char* examples_and_fields =
    "Examples:\n"
    "  simulate arm.urdf --q elbow=0.5 --integrator euler,variational --svg energy.svg\n"
    "  simulate robot.urdf --floating-base --ground 1e6 1e3 0.8 --enforce limits,friction --duration 3 --html fall.html\n"
    "  xacro robot.xacro | simulate - --random-state 1 --quiet --json - | jq .energy_drift_max\n\n"
    "Columns of CSV: time, q.JOINT ..., v.JOINT ..., kinetic, potential (with springs) and energy [s, rad, m, J].\n"
    "Fields of JSON: status is finished, failed or interrupted; failure has status, time, step, culprit and text, or is null; warnings;\n"
    "model, start, steps, energies [J], momentum errors, gaps [m] and remarks on the file, all listed in step 2 of the tutorial.";

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

/// Reads a finite number of any size.
double parse_finite(std::string_view text, const std::string& what) {
  const std::string_view digits = text.size() > 1 && text[0] == '+' && text[1] != '-' ? text.substr(1) : text;
  double value = 0;
  const auto [end, error] = actio::detail::number_from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole_text = end == digits.data() + digits.size() && !digits.empty();
  if (error != std::errc{} || !whole_text || !std::isfinite(value)) {
    if (error == std::errc::result_out_of_range) throw BadInput(what + ": '" + std::string(text) + "' is too large or too small for a number of double precision");
    const bool comma = text.find(',') != std::string_view::npos;
    throw BadInput(what + ": '" + std::string(text) + "' is not a finite number" + (comma ? "; the decimal separator is a point" : ""));
  }
  return value;
}

/// Reads a number above 0, or from 0 on, up to a largest one.
double bounded(const std::string& text, const std::string& flag, bool may_be_zero, double most) {
  const double value = parse_finite(text, flag);
  if (value < 0 || (value == 0 && !may_be_zero) || value > most) {
    throw BadInput(flag + " is " + text + ", expected a number " + (may_be_zero ? ">= 0" : "> 0") + " and at most " + actio::detail::to_text(most));
  }
  return value;
}

/// Reads three numbers in quotes.
actio::Vector3<double> three(const std::string& text, const std::string& flag) {
  const std::vector<std::string> numbers = split(text, ", \t\n");
  if (numbers.size() != 3) {
    throw BadInput(flag + " \"" + text + "\" has " + std::to_string(numbers.size()) + (numbers.size() == 1 ? " number" : " numbers") + ", expected 3");
  }
  actio::Vector3<double> vector;
  for (std::size_t k = 0; k < 3; ++k) vector[static_cast<Eigen::Index>(k)] = parse_number(numbers[k], flag);
  return vector;
}

/// Reads stiffness [N/m], damping [N s/m] and friction; or "rigid" and friction.
actio::ContactMaterial<double> contact_material(const std::string& text, const std::string& flag) {
  actio::ContactMaterial<double> material;
  if (const std::string rigid = "rigid "; text.starts_with(rigid)) {
    material.friction = parse_number(text.substr(rigid.size()), flag);
  } else {
    const actio::Vector3<double> numbers = three(text, flag);
    material = {actio::Compliance<double>{numbers[0], numbers[1]}, numbers[2]};
  }
  if (!material.is_valid()) throw BadInput(flag + " \"" + text + "\": stiffness, damping or friction is negative");
  if (material.friction > 100) throw BadInput(flag + " \"" + text + "\": the coefficient of friction is too large, expected at most 100");
  return material;
}

/// Returns the number of letters to insert, remove or replace to get from one word to another.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = k;
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < other.size(); ++k) {
      const std::size_t replaced = diagonal + (one[i] != other[k]);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, diagonal + 1, row[k] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& word : known) {
    if (const std::size_t far = distance(typed, word); far < least) least = far, best = word;
  }
  return best.empty() ? "" : "; did you mean " + best + '?';
}

namespace {

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

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code none;
  const auto place = [&](const std::string& path) { return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none); };
  return place(one) == place(other);
}

/// Returns whether a text has numbers or name=value only.
bool has_entries_only(const std::string& text) {
  const std::vector<std::string> pieces = split(text, ", ");
  return !pieces.empty() && std::all_of(pieces.begin(), pieces.end(), [](const std::string& piece) {
    double value = 0;
    const char* const end = piece.data() + piece.size();
    return (piece.find('=') != std::string::npos && piece[0] != '-') || actio::detail::number_from_chars(piece.data(), end, value).ptr == end;
  });
}

/// Joins a value that begins with a minus to its option, "--q" "-.5 1" to "--q=-.5 1", because CLI11 would take it for an option; and the
/// entries of a vector without quotes, "--gravity" "0" "0" "-9.81" to "--gravity=0 0 -9.81".
std::vector<std::string> tie_values(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const bool is_value = argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && !std::isalpha(static_cast<unsigned char>(argument[1]));
    const bool follows_flag = !arguments.empty() && arguments.back().starts_with("--") && arguments.back().find('=') == std::string::npos;
    const std::string flag = arguments.empty() ? "" : arguments.back().substr(0, arguments.back().find('='));
    const bool is_vector = flag == "--gravity" || flag == "--ground" || flag == "--material" || flag == "--q" || flag == "--v" || flag == "--ctrl";
    if (is_vector && has_entries_only(argument)) arguments.back() += (follows_flag ? '=' : ' ') + argument;
    else if (is_value && follows_flag) arguments.back() += '=' + argument;
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
  constexpr double most = 1e15;  // beyond, squares and products of forces and velocities soon overflow
  const double value = parse_finite(text, what);
  if (std::abs(value) > most) throw BadInput(what + " is " + std::string(text) + ", expected a number of at most 1e15 in size");
  return value;
}

void Options::settle_step(std::optional<double> of_file) {
  if (of_file && step_source == "default") {
    step = *of_file;
    step_source = "file";
  }
  steps = actio::steps_to_cover(actio::Seconds{duration}, step).count;
  if (duration / step > 1e12) {
    throw BadInput("--duration divided by --step is " + actio::detail::to_text(duration / step) + " steps, expected at most 1e12");
  }
}

std::optional<Options> parse_options(int argc, const char* const* argv) {
  CLI::App app(about, "simulate");
  Options options;
  std::string integrator, step, duration, tolerance, q, v, ctrl, keyframe, lift, seed, accuracy, gravity, enforce, ground, contact, material, density, mesh_contact, law, restitution, impacts, reversals, release, csv, svg, glb, html, json, every, frame_rate;
  bool list = false;
  const auto text = [](int number) { return std::to_string(number); };
  app.footer(examples_and_fields);
  app.set_version_flag("--version", text(ACTIO_VERSION_MAJOR) + '.' + text(ACTIO_VERSION_MINOR) + '.' + text(ACTIO_VERSION_PATCH));
  app.option_defaults()->group("Model");
  app.add_option("MODEL", options.model, "URDF, SDF or MJCF file; - reads it from the standard input");
  app.add_option("--model-folder", options.model_folders, "folder from which MODEL may include files and meshes, in addition to its own, and in which model:// and package:// are searched; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  const auto value = [&](const char* flag, std::string& target, const char* type, const std::string& help) {
    return app.add_option(flag, target, help)->type_name(type);
  };
  app.option_defaults()->group("Simulation");
  value("--integrator", integrator, "NAME", "one integrator, or several separated by commas: " + names_of_integrators() + " [variational; compliant with --law]");
  value("--step", step, "SECONDS", "time step; of reversible the first one [that of an MJCF or SDF file, else 1e-3]");
  value("--duration", duration, "SECONDS", "time to simulate; the last step is shortened to end there, 0 writes the initial state [10]");
  value("--accuracy", accuracy, "A", "halve the step until errors of q are estimated below A, relative to 1 or to a larger displacement; with variational6 if that takes the model, else rk4, extrapolation6 or variational, solved to rounding errors");
  value("--tolerance", tolerance, "T", "tolerance of integrators that solve equations, dimensionless, 0 to 0.01; 0 solves to rounding errors [1e-10; variational4 1e-11, variational6, extrapolation6 and compliant 1e-12]");
  auto* const floating = app.add_flag("--floating-base", options.floating_base, "give the root link a free joint; URDF and MJCF files fix it to the world unless they say otherwise");
  app.add_flag("--fixed-base", options.fixed_base, "fix the root link to the world; SDF files leave it free unless they say otherwise")->excludes(floating);
  value("--inertia-from-shapes", density, "DENSITY", "give bodies without mass the inertia of their collision shapes with this density [kg/m^3]");
  app.add_flag("--strict", options.strict, "refuse violations of the file's format instead of repairing them");
  app.add_flag("--fail-on-warning", options.fail_on_warning, "exit with 1 if the summary begins with a warning");
  app.option_defaults()->group("Start and forces");
  value("--q", q, "TEXT", "initial configuration: all numbers, or some as elbow=0.5 wrist=1");
  value("--v", v, "TEXT", "initial velocity, in the same form");
  value("--lift", lift, "METRES", "start with the lowest point this high above the ground; without it, a robot that can move up is lifted out of the ground unless --q is given");
  value("--keyframe", keyframe, "NAME|INDEX", "start from a keyframe of an MJCF file, with its controls; --q, --v and --ctrl then replace entries");
  app.add_flag("--hold", options.hold, "hold the start pose: by position servos of the file, else by critically damped ones with gains from inertia and weight; effort limits apply");
  value("--ctrl", ctrl, "TEXT", "controls of the actuators of an MJCF file: all numbers in its order, or some as hip=0.5 knee=1; others are 0");
  value("--random-state", seed, "SEED", "start from a random configuration and velocity; --q and --v then replace entries of them");
  value("--gravity", gravity, "X Y Z", "gravity in the world [0 0 -9.81 m/s^2]");
  value("--enforce", enforce, "LIST", "enforce some of limits,friction,contact");
  value("--ground", ground, "K C MU", "enforce contact with the plane z = 0: stiffness, damping and friction of each point [1e6 N/m, 1e3 N s/m, 0.8]; or \"rigid MU\"");
  value("--contact", contact, "LIST", "enforce contact of some of ground,bodies [ground]; bodies that a joint or a loop connects, or that overlap at the start, pass through each other");
  value("--material", material, "K C MU", "stiffness, damping and friction of contacts between bodies [those of --ground]");
  value("--mesh-contact", mesh_contact, "KIND", "shape with which collision meshes (STL, OBJ) touch the ground: hull, capsule, box, or none, which ignores them; meshes that cannot be read are replaced by capsules between joints [hull]");
  value("--law", law, "NAME", "law of sliding contacts for compliant: coulomb, or convex, which lifts them by step times friction times speed [coulomb]");
  value("--restitution", restitution, "E", "coefficient of restitution of rigid contacts, 0 to 1, for variational and maximal; takes --ground \"rigid MU\" [0]");
  value("--impacts", impacts, "MODE", "how impacts with restitution are made: located in time, in_place at the beginning of their step, or plastic [located]");
  value("--reversals", reversals, "MODE", "how reversals of slip against friction are made in variational and maximal: in_step, or located in time [in_step]");
  value("--release", release, "LIST", "release some of loops,mimic, so that they have no effect");
  app.option_defaults()->group("Files");
  value("--csv", csv, "FILE", "write time, q, v and energies");
  value("--every", every, "K", "number of steps from one line of the CSV file to the next [1]");
  value("--svg", svg, "FILE", "write a figure of the energy error");
  value("--html", html, "FILE", "write a page that plays the motion, with plots of energy, momentum, gaps, iterations and joint angles, for any browser");
  value("--glb", glb, "FILE", "write the motion as glTF 2.0, for Blender and other viewers");
  value("--frame-rate", frame_rate, "HZ", "frames per second of --html and --glb [60]");
  value("--json", json, "FILE|-", "write the summary as JSON, where numbers that overflowed or do not apply are null; with -, write it and nothing else to the standard output");
  app.option_defaults()->group("Messages");
  app.add_flag("--describe", options.describe, "print bodies, joints, ranges, masses, loops, and what is enforced and what not, and exit");
  app.add_flag("--list-integrators", list, "list the integrators and exit");
  app.add_flag("--verbose", options.verbose, "list all problems of a file that is refused, and all remarks on one that is read");
  app.add_flag("--quiet", options.quiet, "print errors only");
  app.get_option("--integrator")->multi_option_policy(CLI::MultiOptionPolicy::Join);  // given repeatedly, it means a list
  std::vector<std::string> arguments = tie_values(argc, argv);
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (flag.size() < 3 || !flag.starts_with("--") || std::count(flags.begin(), flags.end(), flag) > 0) continue;
    throw BadInput("unknown option " + flag + did_you_mean(flag, flags) + (did_you_mean(flag, flags).empty() ? "; --help lists the options" : ""));
  }
  try {
    app.parse(arguments);
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

  for (const std::string& folder : options.model_folders) {
    std::error_code none;
    if (!std::filesystem::is_directory(folder, none)) throw BadInput("--model-folder " + folder + " is not a folder");
  }
  const auto given = [&](const char* flag) { return app.count(flag) > 0; };
  if (options.model.empty()) throw BadInput("no MODEL given, expected a URDF, SDF or MJCF file; --help lists the options");
  if (given("--integrator")) {
    options.integrators = split(integrator, ", \n");
    if (options.integrators.empty()) throw BadInput("--integrator is empty, expected one of " + names_of_integrators());
  }
  for (const std::string& name : options.integrators) {
    if (!find_integrator(name)) {
      throw BadInput("--integrator: unknown '" + name + "', expected one of " + names_of_integrators() + did_you_mean(name, split(names_of_integrators(), ", ")));
    }
    if (std::count(options.integrators.begin(), options.integrators.end(), name) > 1) throw BadInput("--integrator names '" + name + "' twice");
  }
  if (given("--accuracy")) {
    options.accuracy = bounded(accuracy, "--accuracy", false, 1);
    if (!given("--integrator")) options.integrators = {"variational6", "rk4", "extrapolation6", "variational"};
    else if (options.integrators.size() > 1) throw BadInput("--accuracy needs one integrator, but --integrator names several");
    if (find_integrator(options.integrators[0])->chooses_steps) throw BadInput("--accuracy: " + options.integrators[0] + " chooses its steps");
    if (!given("--tolerance")) options.settings.tolerance = 0;
  }
  if (given("--step")) options.step = bounded(step, "--step", false, 1e6), options.step_source = "option";
  if (given("--duration")) options.duration = bounded(duration, "--duration", true, 1e15);
  if (given("--step")) options.settle_step({});  // else the file may have one
  if (given("--inertia-from-shapes")) options.density = bounded(density, "--inertia-from-shapes", false, 1e5);
  if (given("--tolerance")) options.settings.tolerance = bounded(tolerance, "--tolerance", true, 0.01);
  if (given("--q")) options.q = q;
  if (given("--v")) options.v = v;
  if (given("--ctrl")) options.ctrl = ctrl;
  if (given("--keyframe")) options.keyframe = keyframe;
  if (given("--random-state")) options.seed = static_cast<std::uint64_t>(whole(seed, "--random-state", 0));
  if (options.seed && options.keyframe) throw BadInput("--keyframe and --random-state are two starts: give one of them");
  if (given("--gravity")) {
    options.gravity = three(gravity, "--gravity");
    if (options.gravity->norm() > 1e6) throw BadInput("--gravity \"" + gravity + "\" is too large, expected at most 1e6 m/s^2");
  }
  if (given("--enforce")) {
    actio::Enforcement& all = options.enforce;
    switch_on(enforce, "--enforce", {{"limits", &all.limits}, {"friction", &all.friction}, {"contact", &all.contact}});
  }
  options.settings.ground = {actio::Compliance<double>{1e6, 1e3}, 0.8};
  if (given("--ground")) {
    options.settings.ground = contact_material(ground, "--ground");
    options.enforce.contact = true;
  }
  if (given("--contact")) {
    options.settings.on_ground = given("--ground");
    switch_on(contact, "--contact", {{"ground", &options.settings.on_ground}, {"bodies", &options.settings.between_bodies}});
    options.enforce.contact = true;
    options.settings.margin = std::min(0.1, 10 * options.step);  // at 10 m/s; the fingers of a hand are always within 0.1 m of each other
  }
  options.settings.bodies = options.settings.ground;
  if (given("--material")) {
    options.settings.bodies = contact_material(material, "--material");
    if (!options.settings.between_bodies) throw BadInput("--material is for contacts between bodies: give --contact bodies too");
  }
  const actio::Enforcement& on = options.enforce;
  if (given("--lift")) {
    options.lift = parse_number(lift, "--lift");
    const bool has_ground = on.contact && options.settings.on_ground;
    if (!has_ground) throw BadInput("--lift is a height above the ground: give --ground or --enforce contact too");
  }
  if (given("--restitution")) {
    const double e = parse_number(restitution, "--restitution");
    if (!(e >= 0 && e <= 1)) throw BadInput("--restitution is " + restitution + ", expected a number from 0 to 1");
    for (actio::ContactMaterial<double>* of : {&options.settings.ground, &options.settings.bodies}) {
      if (!of->is_rigid()) throw BadInput("--restitution is for rigid contacts: give --ground \"rigid MU\", and --material likewise");
      of->restitution = e;
    }
  }
  if (given("--impacts")) {
    using actio::Impacts;
    const std::map<std::string, Impacts> modes{{"located", Impacts::located}, {"in_place", Impacts::in_place}, {"plastic", Impacts::plastic}};
    if (!modes.contains(impacts)) throw BadInput("--impacts: unknown '" + impacts + "', expected located, in_place or plastic");
    if (!given("--restitution")) throw BadInput("--impacts is for contacts with restitution: give --restitution too");
    options.settings.impacts = modes.at(impacts);
  }
  if (given("--reversals")) {
    if (reversals != "in_step" && reversals != "located") throw BadInput("--reversals: unknown '" + reversals + "', expected in_step or located");
    if (!on.friction && !on.contact) throw BadInput("--reversals is for friction: give --ground or --enforce friction too");
    if (reversals == "located") options.settings.reversals = actio::Reversals::located;
  }
  if (!given("--integrator") && given("--law")) options.integrators = {"compliant"};
  const auto is_chosen = [&](const char* name) { return std::count(options.integrators.begin(), options.integrators.end(), name) > 0; };
  if (given("--reversals") && !is_chosen("variational") && !is_chosen("maximal")) {
    throw BadInput("--reversals is for variational and maximal: choose one of them by --integrator");
  }
  if (given("--law")) {
    if (law != "coulomb" && law != "convex") throw BadInput("--law: unknown '" + law + "', expected coulomb or convex");
    if (!on.contact || !is_chosen("compliant")) throw BadInput("--law is for contacts of compliant: give --ground or --enforce contact too");
    if (law == "convex") options.settings.law = actio::ConeLaw::convex;
  }
  if (given("--mesh-contact")) {
    using actio::MeshContact;
    const std::map<std::string, MeshContact> kinds{{"hull", MeshContact::hull}, {"capsule", MeshContact::capsule}, {"box", MeshContact::box}, {"none", MeshContact::none}};
    if (!kinds.contains(mesh_contact)) throw BadInput("--mesh-contact: unknown '" + mesh_contact + "', expected hull, capsule, box or none");
    if (!on.contact) throw BadInput("--mesh-contact is for contact: give --ground or --enforce contact too");
    options.mesh_contact = kinds.at(mesh_contact);
  }
  if (given("--release")) switch_on(release, "--release", {{"loops", &options.release_loops}, {"mimic", &options.release_mimic}});
  if (given("--frame-rate")) options.frame_rate = bounded(frame_rate, "--frame-rate", false, 1e4);
  if (given("--every")) options.every = whole(every, "--every", 1);
  const std::tuple<std::string, std::string*, std::optional<std::string>*> files[] = {
      {"--csv", &csv, &options.csv}, {"--svg", &svg, &options.svg}, {"--glb", &glb, &options.glb}, {"--html", &html, &options.html}, {"--json", &json, &options.json}};
  for (const auto& [flag, name, target] : files) {
    if (app.count(flag) == 0) continue;
    if (name->empty()) throw BadInput(flag + " names no file");
    if (*name == "-" && target != &options.json) throw BadInput(flag + " -: only --json can write to the standard output");
    for (const auto& [other, other_name, other_target] : files) {
      if (other_target->has_value() && is_same_file(**other_target, *name)) throw BadInput(flag + ' ' + *name + " names the same file as " + other);
    }
    *target = *name;
  }
  return options;
}

}  // namespace simulate
