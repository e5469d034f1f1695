// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/core/dual.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// A state and how it changes along one direction: q (+) eps dq, v + eps dv; quaternions stay unit.
/// @param dq (nv) [rad, m].  @param dv (nv) [rad/s, m/s].
template <std::floating_point T, class Joints>
State<Dual<T>> dual_state(const Model<Dual<T>, Joints>& model, const State<T>& x, const std::type_identity_t<ConstVectorRef<T>>& dq,
                          const std::type_identity_t<ConstVectorRef<T>>& dv) {
  const VectorX<T> zero = VectorX<T>::Zero(dq.size());
  State<Dual<T>> varied{model.integrate(x.q.template cast<Dual<T>>(), dual_vector(zero, dq)), dual_vector(x.v, dv), Dual<T>(x.time)};
  for (Eigen::Index k = 0; k < x.q.size(); ++k) varied.q[k].value = x.q[k];  // to the last bit
  return varied;
}

/// (nv) the dq along which a configuration (nq) changes [rad, m]: of dual_state(), what went in.
template <std::floating_point T, class Joints>
VectorX<T> direction(const Model<Dual<T>, Joints>& model, const std::type_identity_t<ConstVectorRef<Dual<T>>>& q) {
  return derivatives(model.difference(values(q).template cast<Dual<T>>(), q));
}

}  // namespace actio
