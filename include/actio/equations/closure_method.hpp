// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace actio {

/// How the impulses in closed loops are found.                                                     [srm_math.md, sections 5.2 and 5.3]
/// Where bodies lack the inertia that a method needs, the integrator's constructor throws ModelError.
enum class ClosureMethod : unsigned char {
  /// Dense for fewer than a dozen rows, or where a body lacks inertia of its own; else conjugate gradients where three iterations do, as for
  /// mechanisms that do not touch one another, and sparse for all others. Measured: README.
  automatic,
  dense,                ///< a dense matrix of the rows: O(rows bodies + rows^3)
  sparse,               ///< all bodies held by joints and closures: O(bodies + rows) where loops are local; bodies need inertia
  conjugate_gradients,  ///< sweeps over the tree, O(bodies + rows) each, half a dozen and more; bodies that loops tie need inertia
  sweeps,               ///< the same by sequential regularisation: for loops of like bodies that hang on one another by corners
};

}  // namespace actio
