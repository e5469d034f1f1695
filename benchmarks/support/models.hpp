// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The models of the benchmarks, by name.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actio/model/state.hpp"

namespace bench {

inline constexpr std::array<std::string_view, 5> model_names{"revolute_chain", "planar_chain", "spherical_chain", "binary_tree", "humanoid"};

/// n bodies; `humanoid` is as many floating humanoids of 16 bodies as it takes.
actio::Model<double> make_model(std::string_view name, int n);

/// Powers of two up to 1024, and 30, 100 and 300 for revolute_chain.
std::vector<int> sizes(std::string_view name);

/// Bodies that move.
inline double bodies(const actio::Model<double>& model) { return static_cast<double>(model.num_bodies() - 1); }

/// Where motions begin: q uniform in +-pi/2, at rest. Floating models would fall as one rigid body: theirs begin with v
/// uniform in +-1.
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
