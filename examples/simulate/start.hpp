// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/state.hpp"
#include "options.hpp"

namespace simulate {

/// Returns what --release can release of the active loops and couplings: "loops", "mimic", "loops,mimic" or "".
std::string releasable(const actio::Model<double>& model);

struct Start {
  actio::State<double> state;
  double moved = 0;  ///< the largest joint motion that was needed to satisfy loops and couplings [rad, m]

  double lifted = 0;  ///< by how much a free base was raised, so that nothing is below the ground initially [m]

  /// Neutral and at rest, or random, with the changes of --q and --v.  @throws BadInput that names the option and the entry.
  Start(const actio::Model<double>& model, const Options& options);

  /// Moves joints to a nearby configuration that satisfies active loops and couplings.  @throws BadInput that names what stays violated.
  void close(const actio::Model<double>& model, const Options& options);

  /// Raises robots with a free base out of the ground if contact is enforced; a configuration given by --q is kept.
  void lift(const actio::Model<double>& model, const Options& options);
};

}  // namespace simulate
