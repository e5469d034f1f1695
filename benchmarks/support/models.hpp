// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The models of the benchmarks, by name.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actio/model/state.hpp"

namespace bench {

using Names = std::vector<std::string_view>;
/// Returns the models that every algorithm and every integrator supports.
Names trees();
/// Returns models for integrators that support closed loops: trees and mechanisms.
Names trees_and_loops();
/// Returns mechanisms with many closed loops between similar bodies.
Names loops();

/// Returns a model of n bodies; `humanoid` consists of as many floating humanoids of 16 bodies as needed. Exceptions: `four_link_segments`
/// has n segments of four bodies, `ladder` n rungs of three, `square_chain` n squares of four, `four_bar` n four-bars of three, and
/// `square_net` n by n squares, (2 n + 1) n bodies. `opened_chain` is closed_chain with its loop released: the same start, as a tree.
actio::Model<double> make_model(std::string_view name, int n);

/// Powers of two up to 1024 bodies, and 30, 100 and 300 for revolute_chain; up to 4096 squares or four-bars, and to 64 by 64 squares.
std::vector<int> sizes(std::string_view name);

/// Returns the number of moving bodies.
inline double bodies(const actio::Model<double>& model) { return static_cast<double>(model.num_bodies() - 1); }

/// Returns the initial state: q uniform in +-pi/2, at rest. Floating models would fall as one rigid body, so they begin with v
/// uniform in +-1. Loops begin closed: a regular polygon, segments open by 0.3 to 1.2 rad that lean by up to 0.5 against each other, a
/// ladder sheared by as much from rung to rung, chains of squares as such, nets inclined by 30 degrees, four-bars with the crank up.
actio::State<double> start(const actio::Model<double>& model);
/// Returns n states of a tree in motion, for benchmarks of many runs: q uniform in +-0.5 about the neutral one, v in +-1.
std::vector<actio::State<double>> moving_starts(const actio::Model<double>& model, int n);

/// The setup of a benchmark function, kept while it is called repeatedly with more iterations of the same size.
template <class T>
class Kept {
 public:
  template <class... Arguments>
  T& get(int n, const Arguments&... arguments) {
    if (!kept_ || n != n_) {
      kept_.reset();
      kept_ = std::make_unique<T>(n, arguments...);
      n_ = n;
    }
    return *kept_;
  }

 private:
  std::unique_ptr<T> kept_;
  int n_ = 0;
};

}  // namespace bench
