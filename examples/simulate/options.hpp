// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The command line of `simulate`.
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "actio/io/meshes.hpp"
#include "integrators.hpp"

namespace simulate {

/// An error that the user can correct: one line, exit status 2.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string model;
  std::vector<std::string> model_folders;               ///< folders from which the model may include files
  std::vector<std::string> integrators{"variational"};  ///< several are run in turn and compared
  double step = 1e-3, duration = 10;                    ///< [s]
  std::string step_source = "default";                  ///< "default", "file", "option" or "accuracy"
  std::optional<double> accuracy;                       ///< wanted of q: see Accuracy
  std::int64_t steps = 0;                               ///< number that covers the duration, the last one may be shorter
  Settings settings;                                    ///< of the integrators
  bool floating_base = false, fixed_base = false, strict = false, fail_on_warning = false, verbose = false, quiet = false, describe = false;
  std::optional<std::string> q, v;                      ///< numbers, or name=value
  bool hold = false;                                    ///< the start pose
  std::optional<std::string> ctrl;                      ///< of actuators: numbers, or name=value
  std::optional<std::string> keyframe;                  ///< name or index
  std::optional<double> lift;                           ///< height of the lowest point above the ground at the start [m]
  std::optional<std::uint64_t> seed;                    ///< of a random initial state
  std::optional<actio::Vector3<double>> gravity;        ///< [m/s^2]
  actio::Enforcement enforce;
  actio::MeshContact mesh_contact = actio::MeshContact::hull;
  std::optional<double> density;                        ///< with which bodies without inertia get that of their shapes [kg/m^3]
  bool release_loops = false, release_mimic = false;
  std::optional<std::string> csv, svg, glb, html, json; ///< files to write; json may be "-"
  std::int64_t every = 1;                               ///< steps between lines of CSV
  double frame_rate = 60;                               ///< of films [1/s]

  /// Returns a description of the initial state.
  std::string start() const {
    const std::string given = q && v ? "q and v as given" : q ? "q as given" : v ? "v as given" : "";
    const std::string from = seed ? "random state " + std::to_string(*seed) : keyframe ? "keyframe " + *keyframe : "";
    if (!from.empty()) return from + (given.empty() ? "" : ", " + given);
    return given.empty() ? "neutral, at rest" : given;
  }
  /// Sets the step to that of the file unless it was given, and the number of steps.  @throws BadInput if there are too many.
  void settle_step(std::optional<double> of_file);
};

/// Returns the options of the command line; nothing if it asked for help or for a list, which is printed.
/// @throws BadInput
std::optional<Options> parse_options(int argc, const char* const* argv);

/// Reads a number of at most 1e15 in size, independently of the locale.  @param what it is, for the message.  @throws BadInput
double parse_number(std::string_view text, const std::string& what);
/// Fills a vector from a text with all its numbers, or with some of them as name=value.  @param flag for messages.  @throws BadInput
void assign(actio::VectorX<double>& vector, const std::string& text, const std::string& flag,
            const std::function<std::string(Eigen::Index)>& name_of);
/// Returns "; did you mean X?" for the known word that is closest to what was typed; empty if none is close.
std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known);
/// Splits a text at spaces or commas and drops empty parts.
std::vector<std::string> split(std::string_view text, std::string_view separators);

}  // namespace simulate
