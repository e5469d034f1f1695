// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the constraint rows of a step are solved: an option of the variational and the compliant integrator.
#include <array>
#include <string_view>

namespace actio {

/// How rows between moving bodies, as those of loops, couplings and contacts between bodies, are solved together with the tree.
///                                                  [srm_math.md, sections 5.2 and 5.3; compliant_math.md, sections 2.2 and 8]
/// If a body lacks the inertia that a factorisation needs, the integrator's constructor throws ModelError.
enum class Factorization : unsigned char {
  /// Dense for fewer than a dozen rows of loops and couplings, or if a body lacks full inertia; otherwise iterated if three iterations
  /// suffice, as for mechanisms that are not connected with each other; sparse for all other models. Where limits, friction and contacts
  /// act, blocks for several trees of at most twelve velocities each on average, or eight trees and more of at most forty.
  /// Measured: docs/pages/measured.md.
  automatic,
  dense,     ///< a dense matrix of the rows: O(rows bodies + rows^3), for any tree
  sparse,    ///< sparse, in maximal coordinates: O(bodies + rows) if loops are local, as in ladders and nets; all bodies need full inertia
  iterated,  ///< half a dozen or more products with the rows' Jacobian, O(bodies + rows) each: for loops that are weakly connected
  sweeps,    ///< the same by sequential regularisation: for loops of similar bodies that are connected at corners; variational only
  blocks,    ///< dense within a tree of joints, sparse between trees: for piles; other integrators take it where automatic does
};

/// Returns the name of the enumerator, such as "sparse", for messages and tables.
constexpr std::string_view name(Factorization factorization) {
  constexpr std::array<std::string_view, 6> names{"automatic", "dense", "sparse", "iterated", "sweeps", "blocks"};
  return names[static_cast<std::size_t>(factorization)];
}

}  // namespace actio
