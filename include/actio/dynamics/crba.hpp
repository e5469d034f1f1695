// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The mass matrix by the composite-rigid-body algorithm.
#include "actio/core/precompiled.hpp"
#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Workspace and result of crba().
template <Scalar S>
struct CrbaData {
  TreePose<S> tree;                  ///< at the last q
  BodyArray<Inertia<S>> composite;   ///< inertia of each body's subtree, in the body's frame     by the inward sweep
  MatrixX<S> M;                      ///< (nv x nv) the result, both triangles [kg m^2, kg m, kg]

  /// Sizes all members for the model; M is NaN until crba() fills it.
  template <class Joints>
  explicit CrbaData(const Model<S, Joints>& model)
      : tree(model),
        composite(model.num_bodies(), Inertia<S>::zero()),
        M(MatrixX<S>::Constant(model.nv(), model.nv(), S(std::numeric_limits<ValueOf<S>>::quiet_NaN()))) {}
};

/// Computes the inertias of all subtrees, in the frames of their roots.  @param tree at q.  @param composite (bodies) result; that of
/// the world does not change.
template <Scalar S, class Joints>
void composite_inertias(const Model<S, Joints>& model, const TreePose<S>& tree, BodyArray<Inertia<S>>& composite) noexcept {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) composite[i] = model.inertia(i);
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    if (model.parent(i) > 0) composite[model.parent(i)] += composite[i].seen_from_parent(tree.T_PB[i]);
  }
}

/// Calls f(row, column, value) for every entry of M without armature that the tree does not make zero: those of the upper triangle, and all
/// of the diagonal block of each joint.  @param composite as composite_inertias() fills it at the pose of `tree`.  O(nv depth).
template <Scalar S, class Joints, class F>
void for_each_mass_entry(const Model<S, Joints>& model, const TreePose<S>& tree, const BodyArray<Inertia<S>>& composite,
                         const F& f) noexcept {
  for (Eigen::Index column = 0, i = 1; i < model.num_bodies(); ++i) {
    for (Eigen::Index k = 0; k < model.nv(i); ++k, ++column) {
      Vector6<S> wrench = composite[i].momentum(tree.subspace.col(column));  // of the subtree for a unit rate of this entry
      for (BodyIndex j = i; j > 0; j = model.parent(j)) {
        for (Eigen::Index row = model.v_index(j); row < model.v_index(j) + model.nv(j); ++row)
          f(row, column, S(tree.subspace.col(row).dot(wrench)));
        wrench = tree.T_PB[j].wrench_to_parent(wrench);
      }
    }
  }
}

/// Computes M(q), armature included; the kinetic energy is v^T M v / 2.            [Featherstone 2008, sec. 6.2, table 6.2]
/// @param q (nq).  @returns data.M, valid until the next call.  O(nv depth) and nv^2 zeros; allocates and throws nothing.
template <Scalar S, class Joints>
const MatrixX<S>& crba(const Model<S, Joints>& model, CrbaData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q) noexcept {
  place(model, data.tree, q);
  composite_inertias(model, data.tree, data.composite);
  data.M.setZero();
  for_each_mass_entry(model, data.tree, data.composite, [&](Eigen::Index row, Eigen::Index column, const S& value) {
    data.M(row, column) = data.M(column, row) = value;
  });
  data.M.diagonal() += model.properties().armature;
  return data.M;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE const MatrixX<double>& crba(const Model<double>&, CrbaData<double>&, const ConstVectorRef<double>&) noexcept;
#endif

}  // namespace actio
