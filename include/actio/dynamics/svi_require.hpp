// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Which joints the scalable variational integrator takes: products of screws, each turned by one entry of q.
#include <cmath>
#include <string>
#include <string_view>

#include "actio/math/se3.hpp"
#include "actio/model/capabilities.hpp"

namespace actio {

namespace detail {

/// How far a joint is at q0 + y from the product of its screws there,
///   T_FM = T_FM(q0) exp(S_1 y_1) ... exp(S_n y_n),  S_k the columns of S(q0),
/// in pose and in S: an upper bound of all entries' errors, relative to the distances in it.
template <JointType J>
ValueOf<typename J::Real> distance_from_screws(const J& joint, const typename J::Config& q0, const typename J::Tangent& y) {
  using S = typename J::Real;
  Pose<S> T = joint.pose(q0);
  joints::Subspace<J> subspace = joint.motion_subspace(q0);
  for (int k = 0; k < J::nv; ++k) {
    const Pose<S> turn = se3::exp<S>(subspace.col(k) * y[k]);
    T = T * turn;
    for (int m = 0; m < k; ++m) subspace.col(m) = turn.twist_to_child(subspace.col(m));
  }
  const typename J::Config q = joint.integrate(q0, y);
  const S off = distance(joint.pose(q), T), subspace_off = (joints::Subspace<J>(joint.motion_subspace(q)) - subspace).norm();
  const S reach = S(1) + T.p.norm() + subspace.norm();
  return std::abs(value_of(S(off / reach))) + std::abs(value_of(S(subspace_off / reach)));
}

}  // namespace detail

/// Refuses joints that are no product of exponentials of screws, one for each entry of q. Revolute, prismatic, helical, cylindrical
/// and universal joints are; a user's flat joint is asked at some configurations; spherical, planar and free joints have no flat q.
/// @param integrator its name, for the message.  @throws ModelError that names the joint, its type and what takes it.
template <Scalar S, class Joints>
void svi_require(const Model<S, Joints>& model, std::string_view integrator = "svi") {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const std::string name = "joint '" + model.joint_name(i) + "' of type " + std::string(joints::type_name<J>());
      if constexpr (!joints::is_flat<J>()) {
        detail::refuse(integrator, name + ", whose q is no vector", "use drnea");
      } else {
        for (int trial = 0; trial < 4; ++trial) {
          typename J::Tangent y;
          for (int k = 0; k < J::nv; ++k) y[k] = S(ValueOf<S>(0.4 * (trial + 1) * std::cos(1.0 + 2.0 * trial + 0.7 * k)));
          if (detail::distance_from_screws(joint, joints::neutral(joint), y) <= 1000 * epsilon<S>) continue;
          detail::refuse(integrator, name + ", which is no product of screws, one for each entry of q", "use drnea");
        }
      }
    });
  }
}

}  // namespace actio
