// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which bodies may touch each other.
#include <algorithm>
#include <utility>
#include <vector>

#include "actio/core/types.hpp"

namespace actio::detail {

/// Whether shapes of the two bodies of a joint may touch. Bodies that move freely in the world are no neighbours of it.
enum class Neighbours {
  pass_through,  ///< their shapes overlap at will
  touch,         ///< as any other two bodies
};

/// All pairs of two bodies but those that are left out.
class BodyPairs {
 public:
  /// Shapes of these two bodies pass through each other.
  void exclude(BodyIndex a, BodyIndex b) {
    const std::pair<BodyIndex, BodyIndex> pair = std::minmax(a, b);
    const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
    if (at == excluded_.end() || *at != pair) excluded_.insert(at, pair);
  }
  /// The two bodies of each joint, but not the world and what moves freely in it.
  template <class Model>
  void exclude_neighbours_of(const Model& model) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (model.parent(i) > 0 || model.nv(i) < 6) exclude(i, model.parent(i));
    }
  }
  /// No body touches itself.
  bool may_touch(BodyIndex a, BodyIndex b) const noexcept {
    if (a == b || excluded_.empty()) return a != b;
    return !std::binary_search(excluded_.begin(), excluded_.end(), std::pair<BodyIndex, BodyIndex>(std::minmax(a, b)));
  }

 private:
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded_;  // in ascending order
};

}  // namespace actio::detail
