// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks by which integrators refuse a model. They throw a ModelError that names the body or joint and the remedy.
#include <cmath>
#include <string>
#include <string_view>

#include "actio/core/elementary.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/math/se3.hpp"
#include "actio/model/capabilities.hpp"

namespace actio::detail {

/// Refuses a model whose mass matrix is singular because a joint moves no mass, such as that of a massless leaf. It must be singular both
/// at the neutral configuration and at one in general position, because a valid model can have singular poses.
/// @param integrator its name, for the message.  @throws ModelError that names the joint and its body.
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
        for (Eigen::Index k = 0; k < J::nv; ++k) {  // a pivot of the size of rounding errors, compared with the articulated inertia
          const Eigen::Index v = model.v_index(i) + k;
          const SymmetricInertia<S>& A = abi.A[i];
          const S rotating = std::max({A.I(0, 0), A.I(1, 1), A.I(2, 2)}) * tree.subspace.col(v).template head<3>().squaredNorm();
          const S sliding = std::max({A.M(0, 0), A.M(1, 1), A.M(2, 2)}) * tree.subspace.col(v).template tail<3>().squaredNorm();
          if (value_of(S(abi.template D_inverse_of<J>(model.v_index(i))(k, k) * (rotating + sliding))) > 1 / (16 * epsilon<S>)) found = i;
        }
      });
    }
    return found;
  };
  const VectorX<S> neutral = model.neutral();
  if (const BodyIndex i = weightless(neutral); i != 0 && weightless(model.integrate(neutral, off)) != 0) {
    throw ModelError(std::string(integrator) + " needs M(q)^-1, but joint '" + model.joint_name(i) + "' moves no inertia: give mass and inertia to body '" +
                     model.body_name(i) + "' or to a descendant of it, or armature to the joint");
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void require_inertia(const Model<double>&, std::string_view);
#endif

/// Returns the first body without mass or with a vanishing moment of inertia, or 0 when there is none.
template <Scalar S, class Joints>
BodyIndex first_without_inertia(const Model<S, Joints>& model) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (!model.inertia(i).is_full()) return i;
  }
  return 0;
}

/// Refuses such bodies, for schemes in which every body moves independently.
/// @param integrator its name, for the message.  @throws ModelError that names the body.
template <Scalar S, class Joints>
void require_body_inertia(const Model<S, Joints>& model, std::string_view integrator) {
  const BodyIndex i = first_without_inertia(model);
  if (i == 0) return;
  throw ModelError(std::string(integrator) + " needs mass and full inertia for every body, but body '" + model.body_name(i) + "' has " +
                   (value_of(model.inertia(i).mass) > 0 ? "no moment of inertia about one of its axes" : "no mass") +
                   ": add it, or choose an integrator in joint coordinates");
}

/// Refuses a model that dissipates energy, for schemes that must be reversible in time. Dissipation by a force field is not detected.
/// @param integrator its name, for the message.  @param why the reason for the refusal and the remedy.
/// @throws ModelError that names the joint or what is enforced.
template <Scalar S, class Joints>
void require_conservation(const Model<S, Joints>& model, std::string_view integrator, std::string_view why) {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const bool damped = (model.properties().damping.segment(model.v_index(i), model.nv(i)).array() > S(0)).any();
    if (damped) detail::refuse(integrator, "the damping of joint '" + model.joint_name(i) + "'", why);
  }
  for (const PointSpring<S>& spring : model.springs()) {
    if (spring.damping > S(0)) detail::refuse(integrator, "the damper of " + detail::title(spring), why);
  }
  if (model.is_dissipative()) detail::refuse(integrator, "servos, or enforced limits, friction or contact", why);
}

/// Returns the distance of a joint at q0 + y from the product of its screws at q0,
///   T_FM = T_FM(q0) exp(S_1 y_1) ... exp(S_n y_n),  S_k the columns of S(q0),
/// in pose and in S: an upper bound of the errors of all entries, relative to the lengths in them.
template <JointType J>
ValueOf<typename J::Real> distance_from_screws(const J& joint, const typename J::Config& q0, const typename J::Tangent& y) {
  using S = typename J::Real;
  Pose<S> T = joint.pose(q0);
  joints::Subspace<J> subspace = joint.motion_subspace(q0);
  for (int k = 0; k < J::nv; ++k) {
    const Pose<S> motion = se3::exp<S>(subspace.col(k) * y[k]);
    T = T * motion;
    for (int m = 0; m < k; ++m) subspace.col(m) = motion.twist_to_child(subspace.col(m));
  }
  const typename J::Config q = joint.integrate(q0, y);
  const S off = distance(joint.pose(q), T), subspace_off = (joints::Subspace<J>(joint.motion_subspace(q)) - subspace).norm();
  const S reach = S(1) + T.p.norm() + subspace.norm();
  return std::abs(value_of(S(off / reach))) + std::abs(value_of(S(subspace_off / reach)));
}

/// Refuses joints that are not a product of exponentials of screws, one for each entry of q. Revolute, prismatic, helical, cylindrical
/// and universal joints are one; a user's flat joint is tested at some configurations; spherical, planar and free joints have no flat q.
/// @param integrator its name, for the message.  @throws ModelError that names the joint, its type and what to use instead.
template <Scalar S, class Joints>
void svi_require(const Model<S, Joints>& model, std::string_view integrator = "svi") {
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      const std::string name = "joint '" + model.joint_name(i) + "' of type " + std::string(joints::type_name<J>());
      if constexpr (!joints::is_flat<J>()) {
        detail::refuse(integrator, name + ", whose q is not a vector", "use Drnea");
      } else {
        for (int trial = 0; trial < 4; ++trial) {
          typename J::Tangent y;
          for (int k = 0; k < J::nv; ++k) y[k] = S(ValueOf<S>(0.4 * (trial + 1) * elementary::cos(1.0 + 2.0 * trial + 0.7 * k)));
          if (detail::distance_from_screws(joint, joints::neutral(joint), y) <= 1000 * epsilon<S>) continue;
          detail::refuse(integrator, name + ", which is not a product of screw motions, one for each entry of q", "use Drnea");
        }
      }
    });
  }
}

}  // namespace actio::detail
