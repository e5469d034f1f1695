// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Products with the Jacobian G of constraint rows on a tree, by sweeps over its bodies.
#include "actio/constraints/row.hpp"
#include "actio/dynamics/tree_products.hpp"

namespace actio::detail {

/// Products with G and its transpose in O(bodies + rows), for rows in any container with size() and []. The members neither allocate nor
/// throw.
template <class ModelType>
class RowProducts {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param model outlives this.
  explicit RowProducts(const Model& model) : model_(&model), V_(model.num_bodies(), Vector6<S>::Zero()), F_(V_) {}

  /// Returns the twists (bodies), in the bodies' frames, at velocities v (nv) [rad/s, m/s]; valid until the next call.
  const BodyArray<Vector6<S>>& twists(const TreePose<S>& tree, const ConstVectorRef<S>& v) noexcept {
    body_twists(*model_, tree, v, V_);
    return V_;
  }
  const BodyArray<Vector6<S>>& twists() const noexcept { return V_; }  ///< those of the last call of twists() or rates()
  /// Computes w (rows) = G v, v (nv).
  template <class Rows>
  void rates(const TreePose<S>& tree, const Rows& rows, const ConstVectorRef<S>& v, VectorRef<S> w) noexcept {
    twists(tree, v);
    for (std::size_t k = 0; k < rows.size(); ++k) w[static_cast<Eigen::Index>(k)] = rows[k].rate(V_, v);
  }
  /// Computes f (nv) += G^T lambda.  @param lambda (rows), any vector.
  template <class Rows, class Forces>
  void add_forces(const TreePose<S>& tree, const Rows& rows, const Forces& lambda, VectorRef<S> f) noexcept {
    for (Vector6<S>& F : F_) F.setZero();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const S& force = lambda[static_cast<Eigen::Index>(k)];
      if (has_derivatives<S> || force != S(0)) rows[k].apply(force, F_, f);  // open contacts have no force
    }
    add_joint_forces(*model_, tree, F_, f);
  }

 private:
  const Model* model_;
  BodyArray<Vector6<S>> V_, F_;
};

}  // namespace actio::detail
