// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How joint forces of body wrenches, and joint momenta, change with the configuration.
#include "actio/dynamics/tree_products.hpp"
#include "actio/math/se3.hpp"

namespace actio::detail {

/// The derivatives by q of  sum J_i^T F_i  for wrenches F that are fixed to their bodies, and of M(q) v at constant v, as operators in
/// O(bodies). In the frames of the bodies, with R_i that of S_i^T F_i, F_i then of the subtree,
///   df_i = S_i^T dF_i + R_i dq_i,   dF_i = sum over children of X_c^T (dF_c - ad(S_c dq_c)^T F_c);
/// V_i = X_i V_parent + S_i v_i changes by  dV_i = X_i dV_parent - ad(S_i dq_i) X_i V_parent + (dS_i dq_i) v_i.
/// Only the constructor allocates.                                                                   [vi_math.md, section 7.9]
template <class ModelType>
class ForceRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param model outlives this.
  explicit ForceRates(const Model& model)
      : model_(&model), F_(model.num_bodies(), Vector6<S>::Zero()), Y_(F_), D_(F_), R_(MatrixX<S>::Zero(6, model.nv())) {}

  BodyArray<Vector6<S>>& wrenches() noexcept { return F_; }  ///< (bodies) in: F, before begin()

  /// Sums the wrenches over the subtrees.  @param tree the same as below.
  void begin(const TreePose<S>& tree) noexcept {
    for (BodyIndex i = model_->num_bodies() - 1; i > 0; --i) {
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        R_.template block<J::nv, J::nv>(0, model_->v_index(i)) =
            joints::subspace_rate(joint, typename J::Config(model_->template q_of<J>(i, tree.q)), F_[i]);
      });
      if (model_->parent(i) > 0) F_[model_->parent(i)] += tree.T_PB[i].wrench_to_parent(F_[i]);
    }
  }
  /// Adds a factor times df (nv) of a variation dq (nv).
  void add(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& dq, VectorRef<S> f) noexcept {
    for (Vector6<S>& D : D_) D.setZero();
    for (BodyIndex i = model_->num_bodies() - 1; i > 0; --i) {
      visit_freedoms(*model_, i, [&]<HasFreedoms J>(J) {
        const Eigen::Index v = model_->v_index(i);
        const auto S_i = tree.template S_of<J>(v);
        const typename J::Tangent dq_i = model_->template v_of<J>(i, dq);
        model_->template v_of<J>(i, f) += factor * (S_i.transpose() * D_[i] + R_.template block<J::nv, J::nv>(0, v) * dq_i);
        const Vector6<S> moved = S_i * dq_i;
        D_[i] -= se3::ad<S>(moved).transpose() * F_[i];
      });
      if (model_->parent(i) > 0) D_[model_->parent(i)] += tree.T_PB[i].wrench_to_parent(D_[i]);
    }
  }
  /// Adds a factor times the transposed product.  @param y (nv) weights of df.  @param w (nv) those of dq.
  void add_transposed(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& y, VectorRef<S> w) noexcept {
    body_twists(*model_, tree, y, Y_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Vector6<S> carried = tree.T_PB[i].twist_to_child(Y_[model_->parent(i)]);
      const Vector6<S> turned = se3::ad<S>(carried).transpose() * F_[i];
      visit_freedoms(*model_, i, [&]<HasFreedoms J>(J) {
        const Eigen::Index v = model_->v_index(i);
        model_->template v_of<J>(i, w) += factor * (tree.template S_of<J>(v).transpose() * turned +
                                                    R_.template block<J::nv, J::nv>(0, v).transpose() * model_->template v_of<J>(i, y));
      });
    }
  }
  /// Adds the product with the transposed derivative of the bodies' own momenta G_i V_i, of which M v consists: that of M v is this and
  /// add_transposed() with F_i = G_i V_i.  @param V (bodies) twists at v (nv).  @param y, w (nv) as above.  @param factor of the product.
  void add_momenta_transposed(const TreePose<S>& tree, const BodyArray<Vector6<S>>& V, const ConstVectorRef<S>& v,
                              const ConstVectorRef<S>& y, VectorRef<S> w, const S& factor = S(1)) noexcept {
    body_twists(*model_, tree, y, Y_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) D_[i] = model_->inertia(i).momentum(Vector6<S>(factor * Y_[i]));
    for (BodyIndex i = model_->num_bodies() - 1; i > 0; --i) {
      const Vector6<S> carried = tree.T_PB[i].twist_to_child(V[model_->parent(i)]);
      const Vector6<S> turned = se3::ad<S>(carried).transpose() * D_[i];
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        const auto S_i = tree.template S_of<J>(model_->v_index(i));
        const typename J::Tangent v_i = model_->template v_of<J>(i, v);
        model_->template v_of<J>(i, w) += S_i.transpose() * turned;
        if constexpr (!joints::has_constant_subspace<J>()) {
          const typename J::Config q_i = model_->template q_of<J>(i, tree.q);
          model_->template v_of<J>(i, w) += joints::subspace_rate(joint, q_i, D_[i]).transpose() * v_i;
        }
      });
      if (model_->parent(i) > 0) D_[model_->parent(i)] += tree.T_PB[i].wrench_to_parent(D_[i]);
    }
  }

 private:
  const Model* model_;
  BodyArray<Vector6<S>> F_, Y_, D_;
  MatrixX<S> R_;  // (6 x nv; nv_i x nv_i blocks in the upper rows)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ForceRates<Model<double>>;
#endif

}  // namespace actio::detail
