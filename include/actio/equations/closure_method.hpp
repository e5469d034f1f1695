// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The methods that compute the impulses of closed loops: an option of the variational integrator.

namespace actio {

/// The method that computes the impulses of closed loops.                                          [srm_math.md, sections 5.2 and 5.3]
/// If bodies lack the inertia that a method needs, the integrator's constructor throws ModelError.
enum class ClosureMethod : unsigned char {
  /// Dense for fewer than a dozen rows, or if a body lacks full inertia; otherwise conjugate gradients if three iterations suffice, as for
  /// mechanisms that are not connected with each other, and sparse for all other models. Measured: docs/pages/measured.md.
  automatic,
  dense,                ///< a dense matrix of the rows: O(rows bodies + rows^3)
  sparse,               ///< sparse, in maximal coordinates: O(bodies + rows) if loops are local; all bodies need full inertia
  conjugate_gradients,  ///< half a dozen or more products, O(bodies + rows) each; bodies that loops connect need full inertia
  sweeps,               ///< the same by sequential regularisation: for loops of similar bodies that are connected at corners
};

}  // namespace actio
