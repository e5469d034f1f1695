// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/constraints/tree_closures.hpp"
#include "actio/dynamics/abi.hpp"

namespace actio {

/// How far a system with closures is solved.
enum class Accuracy : bool {
  of_update,  ///< so far that the next update brings as much as it can
  full,       ///< to rounding
};

/// A tree where a step begins and the rows that close its loops there: what solvers of
///   M w - G^T L = f,   G w + R L = d                                                              [srm_math.md, sections 5.2 and 5.3]
/// are given: velocities w (nv) and impulses L (rows) [N s, N m s] of f (nv) [N m s, N s] and rates d (rows) [m/s, rad/s]. Where rows are
/// redundant, impulses that add up to nothing, G^T N = 0, are left out of L: it is the least of all that do the same, in the norm
/// L^T D L, D = diag(G M^-1 G^T). A step's own matrix, which lacks the symmetry, may leave some in near singular poses.
/// Where only a singular pose makes rows depend on others, these rows have no impulse.
template <class ModelType>
struct ClosedNode {
  using S = typename ModelType::Scalar;  ///< of all numbers

  const TreePose<S>& tree;            ///< at q_k
  AbiData<S>& mass;                   ///< factors of M
  TreeClosures<ModelType>& closures;  ///< placed there
  const VectorX<S>& joint;            ///< (nv) armature and all else on the diagonal of M [kg m^2, kg]
  const VectorX<S>& R;                ///< (rows) softness, >= 0 [1/kg, 1/(kg m^2)]
  const VectorX<S>& D;                ///< (rows) as measure() found it, > 0: the metric of impulses, and exact, where rows are redundant
  bool is_redundant;                  ///< whether rows depend on others wherever the loops are closed
};

}  // namespace actio
