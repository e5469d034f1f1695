// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the mobility of a row changes with the configuration, for derivatives of steps.
#include "actio/dynamics/force_rates.hpp"
#include "actio/dynamics/tree_products.hpp"

namespace actio::detail {

/// The derivative by q of A = J M^-1 J^T, with w = M^-1 J^T:   dA = 2 w . d(J^T) - w . dM w.
/// Only the constructor allocates.                                                                [variational_contact.md, section 11]
template <class ModelType>
class MobilityRate {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// @param model outlives this.
  explicit MobilityRate(const Model& model) : model_(&model), forces_(model), V_(model.num_bodies(), Vector6<S>::Zero()) {}

  /// Adds dA times a factor.  @param tree in the pose.  @param w (nv).  @param sum (nv).  @param row how J^T changes, as ClosureForceRates
  /// at a unit impulse.
  template <class Row>
  void add(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& w, VectorRef<S> sum, Row&& row) noexcept {
    body_twists(*model_, tree, w, V_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) forces_.wrenches()[i] = -factor * model_->inertia(i).momentum(V_[i]);
    row.add_wrenches(S(2) * factor, forces_.wrenches());
    forces_.begin(tree);
    forces_.add_transposed(tree, S(1), w, sum);
    forces_.add_momenta_transposed(tree, V_, w, w, sum, -factor);
    row.add_transposed(tree, S(2) * factor, w, sum);
  }

 private:
  const Model* model_;
  ForceRates<Model> forces_;
  BodyArray<Vector6<S>> V_;
};

/// How the row of a joint's entry changes: not at all.
struct JointForceRates {
  template <class... Arguments> void add_wrenches(const Arguments&...) const noexcept {}
  template <class... Arguments> void add_transposed(const Arguments&...) const noexcept {}
};

}  // namespace actio::detail
