// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass matrix by composite rigid bodies.
#include "actio/core/precompiled.hpp"
#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Filled by crba.
template <Scalar S>
struct CrbaData {
  TreePose<S> tree;                  ///< at the last q
  BodyArray<Inertia<S>> composite;   ///< inertia of each body's subtree, in the body's frame     by the inward sweep
  MatrixX<S> M;                      ///< (nv x nv) the result, both triangles

  template <class Joints>
  explicit CrbaData(const Model<S, Joints>& model)
      : tree(model),
        composite(model.num_bodies(), Inertia<S>::zero()),
        M(MatrixX<S>::Constant(model.nv(), model.nv(), S(std::numeric_limits<ValueOf<S>>::quiet_NaN()))) {}
};

/// M(q), armature included: kinetic energy v^T M v / 2.                            [Featherstone 2008, sec. 6.2, table 6.2]
/// @returns data.M, valid until the next call.  O(nv depth) and nv^2 zeros; allocates and throws nothing.
template <Scalar S, class Joints>
const MatrixX<S>& crba(const Model<S, Joints>& model, CrbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  place(model, data.tree, q);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) data.composite[i] = model.inertia(i);
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    if (model.parent(i) > 0) data.composite[model.parent(i)] += data.composite[i].seen_from_parent(data.tree.T_PB[i]);
  }
  data.M.setZero();
  for (Eigen::Index column = 0, i = 1; i < model.num_bodies(); ++i) {
    for (Eigen::Index k = 0; k < model.nv(i); ++k, ++column) {
      Vector6<S> F = data.composite[i].momentum(data.tree.subspace.col(column));  // of the subtree for a unit rate of this entry
      for (BodyIndex j = i; j > 0; j = model.parent(j)) {
        for (Eigen::Index row = model.v_index(j); row < model.v_index(j) + model.nv(j); ++row) {
          data.M(row, column) = data.M(column, row) = data.tree.subspace.col(row).dot(F);
        }
        F = data.tree.T_PB[j].wrench_to_parent(F);
      }
    }
  }
  data.M.diagonal() += model.properties().armature;
  return data.M;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE const MatrixX<double>& crba(const Model<double>&, CrbaData<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
