// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <string_view>

#include "actio/dynamics/abi.hpp"

namespace actio {

/// Refuses a model whose mass matrix is singular: a joint that moves no mass, such as that of a massless leaf.
/// Judged at the neutral configuration and at one in general position; singular poses of a sound model do not count.
/// @param integrator who refuses, for the message.  @throws ModelError that names the joint and its body.
template <Scalar S, class Joints>
void require_inertia(const Model<S, Joints>& model, std::string_view integrator) {
  TreePose<S> tree(model);
  AbiData<S> abi(model);
  const VectorX<S> nothing = VectorX<S>::Zero(model.nv());
  VectorX<S> off(model.nv());
  for (Eigen::Index k = 0; k < model.nv(); ++k) off[k] = S(0.3) + S(0.17) * S(static_cast<ValueOf<S>>(k % 5));

  const auto weightless = [&](const VectorX<S>& q) {
    place(model, tree, q);
    BodyIndex found = abi_factor(model, tree, abi, nothing);
    for (BodyIndex i = 1; i < model.num_bodies() && found == 0; ++i) {
      visit_freedoms(model, i, [&]<HasFreedoms J>(J) {
        for (Eigen::Index k = 0; k < J::nv; ++k) {  // a pivot that is rounding compared with the inertia beside it
          const Eigen::Index v = model.v_index(i) + k;
          const S turning = abi.A[i].I.diagonal().maxCoeff() * tree.subspace.col(v).template head<3>().squaredNorm();
          const S sliding = abi.A[i].M.diagonal().maxCoeff() * tree.subspace.col(v).template tail<3>().squaredNorm();
          if (value_of(S(abi.template D_inverse_of<J>(model.v_index(i))(k, k) * (turning + sliding))) > 1 / (16 * epsilon<S>)) found = i;
        }
      });
    }
    return found;
  };
  const VectorX<S> neutral = model.neutral();
  if (const BodyIndex i = weightless(neutral); i != 0 && weightless(model.integrate(neutral, off)) != 0) {
    throw ModelError(std::string(integrator) + " needs M(q)^-1, but joint '" + model.joint_name(i) + "' moves no inertia: give body '" +
                     model.body_name(i) + "' or one behind it mass and inertia, or the joint armature");
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void require_inertia(const Model<double>&, std::string_view);
#endif

}  // namespace actio
