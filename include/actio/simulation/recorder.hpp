// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer that keeps every node it is shown; every(10, recorder) keeps every tenth.
template <Scalar S>
class Recorder {
 public:
  /// What is kept of a node.
  struct Sample {
    State<S> state;    ///< q, v, time
    Energy<S> energy;  ///< [J]
  };

  /// @param node a Node of the run.  Allocates.
  template <class N>
  void operator()(N& node) { samples_.push_back({node.state(), node.energy()}); }

  const std::vector<Sample>& samples() const { return samples_; }  ///< in the order of the nodes
  void clear() { samples_.clear(); }                               ///< none is left

 private:
  std::vector<Sample> samples_;
};

}  // namespace actio
