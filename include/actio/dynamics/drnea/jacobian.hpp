// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact Jacobian of the discrete Euler-Lagrange equation as a dense matrix, in O(bodies x depth) operations.
#include "actio/dynamics/drnea/rates.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// Workspace of drnea_jacobian.
template <Scalar S>
struct DrneaJacobianData {
  BodyArray<Vector6<S>> theta,  ///< variation of each body for one column, in its frame at node k
      F;                        ///< change of momentum of each subtree for that column [N m s, N s]

  /// Sizes all members for the model and sets them to zero.
  template <class Joints>
  explicit DrneaJacobianData(const Model<S, Joints>& model)
      : theta(model.num_bodies(), Vector6<S>::Zero()), F(model.num_bodies(), Vector6<S>::Zero()) {}
};

/// Computes J = df/dx column by column: the variation of a joint goes out to its descendants, the change of momentum back to the root.
///                                                 [Lee et al. 2016, Alg. 4, corrected; vi_math.md, sections 7.3 and 13]
/// @param tree at q_k.  @param rates of drnea_rates() there.  @param added (nv) derivative of the joint terms by x, each of
/// which depends on one entry only [N m s/rad, N s/m].  @param J (nv x nv) result, of that size.  Allocates and throws nothing.
template <Scalar S, class Joints>
void drnea_jacobian(const Model<S, Joints>& model, const TreePose<S>& tree, const TreeMatrix<S>& rates, DrneaJacobianData<S>& data,
                    const std::type_identity_t<ConstVectorRef<S>>& added, MatrixX<S>& J) noexcept {
  J.setZero();
  const auto row = [&](BodyIndex i, Eigen::Index column) {
    visit_freedoms(model, i, [&]<HasFreedoms Joint>(Joint) {
      const Eigen::Index v = model.v_index(i);
      J.template block<Joint::nv, 1>(v, column) = tree.template S_of<Joint>(v).transpose() * data.F[i];
    });
  };
  for (BodyIndex j = 1; j < model.num_bodies(); ++j) {
    visit_joint(model, j, [&]<JointType Joint>(const Joint&) {
      using Block = Eigen::Matrix<S, Joint::nv, Joint::nv>;
      const Eigen::Index v = model.v_index(j);
      Block from_increment = Block::Identity();
      if constexpr (!joints::is_flat<Joint>()) invert<S, Joint::nv>(rates.template to_increment_of<Joint>(v), from_increment);
      for (int k = 0; k < Joint::nv; ++k) {
        data.theta[j] = rates.template S_end_of<Joint>(v) * from_increment.template block<Joint::nv, 1>(0, k);
        data.F[j] = rates.K[j] * data.theta[j];
        for (BodyIndex i = j + 1; i < model.subtree_end(j); ++i) {
          data.theta[i] = tree.T_PB[i].twist_to_child(data.theta[model.parent(i)]);
          data.F[i] = rates.K[i] * data.theta[i];
        }
        for (BodyIndex i = model.subtree_end(j) - 1; i > j; --i) {
          row(i, v + k);
          data.F[model.parent(i)] += tree.T_PB[i].wrench_to_parent(data.F[i]);
        }
        row(j, v + k);
        for (BodyIndex i = j, up = model.parent(j); up > 0; i = up, up = model.parent(up)) {
          data.F[up] = tree.T_PB[i].wrench_to_parent(data.F[i]);
          row(up, v + k);
        }
      }
    });
  }
  J.diagonal() += added;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void drnea_jacobian(const Model<double>&, const TreePose<double>&, const TreeMatrix<double>&, DrneaJacobianData<double>&,
                                       const ConstVectorRef<double>&, MatrixX<double>&) noexcept;
#endif

}  // namespace actio::detail
