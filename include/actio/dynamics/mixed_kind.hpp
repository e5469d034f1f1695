// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A kinetic kind for each body.
#include <concepts>

#include "actio/dynamics/kinetic_kind.hpp"
#include "actio/model/model.hpp"

namespace actio {

/// Se3 for bodies that a single fixed axis joins to the world, which it moves exactly; Split for all others. The action is a sum
/// over the bodies, so that a mixture keeps what its parts keep.                 [vi_math.md, sections 2.1 and 14.5, idea 4]
struct Mixed {};

namespace detail {

/// Whether joint i lets body i turn, slide or screw about one axis that the world holds.
template <class Model>
ACTIO_INLINE bool is_on_fixed_axis(const Model& model, BodyIndex i) {
  if (model.parent(i) > 0 || model.nv(i) != 1) return false;
  return visit_joint(model, i, []<JointType J>(const J&) { return joints::has_constant_subspace<J>(); });
}

}  // namespace detail
}  // namespace actio
