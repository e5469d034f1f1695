// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The initial state of a run.
#include <string>
#include <vector>

#include "actio/model/state.hpp"
#include "contacts.hpp"
#include "options.hpp"

namespace simulate {

/// Returns what --release can release of the active loops and couplings: "loops", "mimic", "loops,mimic" or "".
std::string releasable(const actio::Model<double>& model);

struct Start {
  actio::State<double> state;
  double moved = 0;                   ///< the largest joint motion that was needed to satisfy loops and couplings [rad, m]
  double lifted = 0;                  ///< by how much a robot was raised, so that nothing is below the ground initially [m]
  std::vector<Overlap> overlaps;      ///< bodies that overlap initially and therefore pass through each other, if bodies are in contact
  std::vector<std::string> warnings;  ///< about the initial state, for the summary

  /// Neutral and at rest, random, or a keyframe, with the changes of --q and --v.  @throws BadInput that names the option and the entry.
  /// @param keyframe the state to begin from, null for none.
  Start(const actio::Model<double>& model, const Options& options, const actio::State<double>* keyframe = nullptr);

  /// Closes loops, raises the robot out of the ground and finds overlaps.
  /// @throws BadInput that names what stays violated, or starts in the ground.
  void prepare(const actio::Model<double>& model, const Options& options);

 private:
  /// Moves joints to a nearby configuration that satisfies active loops and couplings.
  void close(const actio::Model<double>& model, const Options& options);
  /// Raises robots that can move up out of the ground if contact is enforced, or to the height of --lift. Without that option, a
  /// configuration given by --q is kept.
  void lift(const actio::Model<double>& model, const Options& options);
  /// Notes joints outside ranges that are enforced, and bodies that start in the ground although --q was given; refuses other such starts.
  void check(const actio::Model<double>& model, const Options& options);
};

}  // namespace simulate
