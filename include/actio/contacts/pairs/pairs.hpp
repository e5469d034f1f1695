// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The pairs of bodies that may touch each other.
#include <algorithm>
#include <utility>
#include <vector>

#include "actio/core/types.hpp"
#include "actio/model/loop.hpp"

namespace actio {

/// Whether the shapes of two bodies that a joint or a loop connects may touch. The world and a body that moves freely in it are not
/// neighbours.
enum class Neighbours {
  pass_through,  ///< their shapes pass through each other
  touch,         ///< they touch as any other two bodies do
};

namespace detail {

/// All pairs of different bodies except those that are excluded.
class BodyPairs {
 public:
  /// Lets the shapes of these two bodies pass through each other.
  void exclude(BodyIndex a, BodyIndex b) {
    const std::pair<BodyIndex, BodyIndex> pair = std::minmax(a, b);
    const auto at = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
    if (at == excluded_.end() || *at != pair) excluded_.insert(at, pair);
  }
  /// Excludes the two bodies of each joint and of each loop, released or not, but not the world and a body that moves freely in it, nor
  /// those that a loop keeps at a distance.
  template <class Model>
  void exclude_neighbours_of(const Model& model) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      if (model.parent(i) > 0 || model.nv(i) < 6) exclude(i, model.parent(i));
    }
    for (const auto& loop : model.loops()) {
      if (loop.type != LoopType::distance) exclude(loop.body_a, loop.body_b);
    }
  }
  /// Returns whether shapes of a and b may touch; false if a == b.
  bool may_touch(BodyIndex a, BodyIndex b) const noexcept {
    if (a == b || excluded_.empty()) return a != b;
    return !std::binary_search(excluded_.begin(), excluded_.end(), std::pair<BodyIndex, BodyIndex>(std::minmax(a, b)));
  }

 private:
  std::vector<std::pair<BodyIndex, BodyIndex>> excluded_;  // in ascending order
};

}  // namespace detail
}  // namespace actio
