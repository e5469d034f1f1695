// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/state.hpp"
#include "options.hpp"

namespace simulate {

/// What holds of loops and couplings, in the words of --release: "loops", "mimic", "loops,mimic" or "".
std::string releasable(const actio::Model<double>& model);

struct Start {
  actio::State<double> state;
  double moved = 0;  ///< by how much a joint had to move, to close loops and couplings [rad, m]

  double lifted = 0;  ///< by how much a free base had to rise, for nothing to begin below the ground [m]

  /// Neutral and at rest, or random; then what --q and --v say.  @throws BadInput that names the flag and the entry.
  Start(const actio::Model<double>& model, const Options& options);

  /// Closes active loops and couplings that are open by more than rounding, near by.  @throws BadInput that names what stays open.
  void close(const actio::Model<double>& model, const Options& options);

  /// Lifts robots with a free base out of the ground, where contact is enforced; a configuration that --q gives stays.
  void lift(const actio::Model<double>& model, const Options& options);
};

}  // namespace simulate
