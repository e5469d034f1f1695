// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer of how fast a model moves, against which a step can be chosen.
#include <algorithm>
#include <cmath>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Returns the largest natural frequency [rad/s] of the joint springs at q: the root of the largest eigenvalue of M^-1 K, by power
/// iteration; 0 without springs, or if M is singular. Springs that a damper of the same joint keeps from oscillating with all other joints
/// locked, d^2 >= 2 k m (a damping ratio of 0.7), do not count. Allocates; meant for the start of a run.
/// @param q (nq).  @param iterations of the power method.
template <Scalar S, class Joints>
S largest_spring_frequency(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q, int iterations = 30) {
  using std::sqrt;
  const ModelProperties<S>& p = model.properties();
  VectorX<S> stiffness = p.stiffness;
  if (!(stiffness.array() > S(0)).any()) return S(0);
  TreePose<S> tree(model);
  AbiData<S> abi(model);
  place(model, tree, q);
  BodyArray<Inertia<S>> composite(model.num_bodies(), Inertia<S>::zero());
  composite_inertias(model, tree, composite);
  for_each_mass_entry(model, tree, composite, [&](Eigen::Index row, Eigen::Index column, const S& m) {
    if (row == column && p.damping[row] * p.damping[row] >= S(2) * stiffness[row] * (m + p.armature[row])) stiffness[row] = S(0);
  });
  if (!(stiffness.array() > S(0)).any()) return S(0);
  VectorX<S> x = stiffness.cwiseSqrt();
  if (abi_factor(model, tree, abi, VectorX<S>::Zero(model.nv())) != 0) return S(0);
  S square(0);
  for (int k = 0; k < iterations; ++k) {  // on K^1/2 M^-1 K^1/2, which is symmetric
    x.normalize();
    const VectorX<S> f = stiffness.cwiseSqrt().cwiseProduct(x);
    VectorX<S> z(model.nv());
    square = abi_solve(model, tree, abi, f, z);
    x = stiffness.cwiseSqrt().cwiseProduct(z);
  }
  return sqrt(square);
}

/// An observer of the largest angular speed of a body, or the largest frequency of the joint springs at the start if that is
/// larger, and of its product with the step, the angle of rotation in a step: second-order schemes have an error of about
/// (h omega)^2 / 24, and beyond h omega = 0.5 no scheme of this library should be trusted.
template <Scalar S>
class RateMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) {
    using std::abs, std::sqrt;
    if (node.step() == 0) {
      springs_ = largest_ = largest_spring_frequency(node.model(), node.configuration());
      rotation_ = body_rotation_ = S(0);
    }
    const KinematicsData<S>& data = node.kinematics();
    S square(0);
    for (BodyIndex i = 1; i < node.model().num_bodies(); ++i) square = std::max(square, S(data.V[i].template head<3>().squaredNorm()));
    const S turning = sqrt(square), rate = std::max(springs_, turning);
    largest_ = std::max(largest_, rate);
    body_rotation_ = std::max(body_rotation_, S(abs(node.h()) * turning));
    rotation_ = std::max(rotation_, S(abs(node.h()) * rate));
  }
  S largest() const { return largest_; }    ///< omega [rad/s]
  S largest_rotation() const { return rotation_; }  ///< h omega [rad]
  S largest_body_rotation() const { return body_rotation_; }  ///< the same of bodies alone: the largest angle of rotation in a step [rad]
  S spring_frequency() const { return springs_; }  ///< of joint springs at the start [rad/s]; 0 without any

 private:
  S springs_{}, largest_{}, rotation_{}, body_rotation_{};
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE double largest_spring_frequency(const Model<double>&, const ConstVectorRef<double>&, int);
#endif

}  // namespace actio
