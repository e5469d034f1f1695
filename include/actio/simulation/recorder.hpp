// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer that records states and energies.
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer that records every node; every(10, recorder) records every tenth.
template <Scalar S>
class Recorder {
 public:
  /// The record of a node.
  struct Sample {
    State<S> state;    ///< q, v, time
    Energy<S> energy;  ///< [J]
  };

  /// @param node a Node of the run.  Allocates.
  template <class N>
  void operator()(N& node) { samples_.push_back({node.state(), node.energy()}); }

  const std::vector<Sample>& samples() const { return samples_; }  ///< in the order of the nodes
  void clear() { samples_.clear(); }                               ///< removes all samples

 private:
  std::vector<Sample> samples_;
};

}  // namespace actio
