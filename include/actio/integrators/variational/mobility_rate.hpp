// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the mobility of a contact changes with the configuration, for derivatives of steps.
#include "actio/dynamics/force_rates.hpp"
#include "actio/integrators/variational/contact_rates.hpp"

namespace actio::detail {

/// The derivative by q of A = J M^-1 J^T, J that of a contact in a direction which follows its normal, with w = M^-1 J^T:
///   dA = 2 w . d(J^T) - w . dM w.
/// Only the constructor allocates.                                                                [variational_contact.md, section 11]
template <class ModelType>
class MobilityRate {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// @param model outlives this.
  explicit MobilityRate(const Model& model) : model_(&model), forces_(model), V_(model.num_bodies(), Vector6<S>::Zero()) {}

  /// Adds dA times a factor.  @param tree where the contacts are linearised.  @param k the contact.  @param w (nv).  @param sum (nv).
  void add(const TreePose<S>& tree, ContactRates<Model>& contacts, std::size_t k, const Vector3<S>& direction, const S& factor,
           const ConstVectorRef<S>& w, VectorRef<S> sum) noexcept {
    body_twists(*model_, tree, w, V_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) forces_.wrenches()[i] = -factor * model_->inertia(i).momentum(V_[i]);
    contacts.add_wrenches(S(2) * factor, k, direction, forces_.wrenches());
    forces_.begin(tree);
    forces_.add_transposed(tree, S(1), w, sum);
    forces_.add_momenta_transposed(tree, V_, w, w, sum, -factor);
    contacts.add_transposed(tree, S(2) * factor, k, direction, w, sum);
  }

 private:
  const Model* model_;
  ForceRates<Model> forces_;
  BodyArray<Vector6<S>> V_;
};

}  // namespace actio::detail
