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
/// What every algorithm and every integrator takes.
Names trees();
/// For integrators that take closed loops: trees and mechanisms.
Names trees_and_loops();
/// Mechanisms with many closed loops between like bodies.
Names loops();

/// n bodies; `humanoid` is as many floating humanoids of 16 bodies as it takes. But n segments of four bodies in `four_link_segments`, and n
/// rungs in `ladder`, each with three bodies; n squares of four bodies in `square_chain`, n four-bars of three in `four_bar`, and n by n squares,
/// (2 n + 1) n bodies, in `square_net`. `opened_chain` is closed_chain with its loop released: the same start, as a tree.
actio::Model<double> make_model(std::string_view name, int n);

/// Powers of two up to 1024 bodies, and 30, 100 and 300 for revolute_chain; up to 4096 squares or four-bars, and to 64 by 64 squares.
std::vector<int> sizes(std::string_view name);

/// Bodies that move.
inline double bodies(const actio::Model<double>& model) { return static_cast<double>(model.num_bodies() - 1); }

/// Where motions begin: q uniform in +-pi/2, at rest. Floating models would fall as one rigid body: theirs begin with v
/// uniform in +-1. Loops begin closed: a regular polygon, segments open by 0.3 to 1.2 rad that lean by up to 0.5 against each other, a
/// ladder sheared by as much from rung to rung, chains of squares as such, nets that lean by 30 degrees, four-bars with the crank up.
actio::State<double> start(const actio::Model<double>& model);

/// What a benchmark function sets up, kept while it is called again and again with more iterations of the same size.
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
