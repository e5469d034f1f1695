// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The command line of `simulate`.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "actio/model/model.hpp"
#include "integrators.hpp"

namespace simulate {

/// What the user can put right: one line, exit status 2.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string model;
  std::vector<std::string> model_folders;               ///< that it may include files of
  std::vector<std::string> integrators{"variational"};  ///< several are run one after the other and compared
  double step = 1e-3, duration = 10;                    ///< [s]
  std::int64_t steps = 0;                               ///< that cover the duration
  Settings settings;                                    ///< of the integrators
  bool floating_base = false, fixed_base = false, strict = false, quiet = false;
  std::optional<std::string> q, v;                      ///< numbers, or name=value
  std::optional<std::uint64_t> seed;                    ///< of the random state to start from
  std::optional<actio::Vector3<double>> gravity;        ///< [m/s^2]
  actio::Enforcement enforce;
  bool release_loops = false, release_mimic = false;
  std::optional<std::string> csv, svg, glb, html, json; ///< files to write; json may be "-"
  std::int64_t every = 1;                               ///< steps from one line of CSV to the next
  double frame_rate = 60;                               ///< of films [1/s]

  /// Where the run begins, in words.
  std::string start() const {
    const std::string given = q && v ? "q and v as given" : q ? "q as given" : v ? "v as given" : "";
    if (seed) return "random state " + std::to_string(*seed) + (given.empty() ? "" : ", " + given);
    return given.empty() ? "neutral, at rest" : given;
  }
};

/// Reads the command line; nothing where it only asked for help or for a list, which is printed then.
/// @throws BadInput
std::optional<Options> parse_options(int argc, const char* const* argv);

/// A finite number, the same under every locale.  @param what it is, for the message.  @throws BadInput
double parse_number(std::string_view text, const std::string& what);
/// Pieces of a text between spaces or commas, empty ones left out.
std::vector<std::string> split(std::string_view text, std::string_view separators);

}  // namespace simulate
