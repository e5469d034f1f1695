// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The density of steps along a motion, which reversible step control follows.
#include <algorithm>
#include <cmath>
#include <concepts>

#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/math/symmetric_inertia.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// A function density(model, kinematics, x) [1/s] that is positive, smooth and even in v. Poses and twists of `kinematics` are at x.
template <class D, class Model>
concept StepDensity =
    std::copy_constructible<D> && requires(const D& density, const Model& model, const KinematicsData<typename Model::Scalar>& data,
                                           const State<typename Model::Scalar>& x) {
      { density(model, data, x) } noexcept -> std::convertible_to<typename Model::Scalar>;
    };

/// Returns the largest natural frequency [rad/s] of a single joint with all others locked at neutral, under gravity about its hanging
/// position and with its spring; 1 if there is neither. Allocates.
///   omega^2 = (|g| |axis x moment of the subtree's mass| + k) / (composite inertia along the joint + armature)
template <Scalar S, class Joints>
S natural_rate(const Model<S, Joints>& model) {
  using std::sqrt;
  const TreePose<S> tree(model);
  GravityData<S> gravity(model);
  VectorX<S> weights(model.nv());
  gravity_forces(model, tree, gravity, weights);  // sets gravity.moment
  BodyArray<detail::SymmetricInertia<S>> composite(model.num_bodies(), detail::SymmetricInertia<S>::zero());
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) composite[i] = detail::SymmetricInertia<S>::of(model.inertia(i));
  S largest(0);
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    for (Eigen::Index k = model.v_index(i); k < model.v_index(i) + model.nv(i); ++k) {
      const Vector6<S> axis = tree.subspace.col(k);
      const Vector6<S> momentum = composite[i] * axis;
      const S inertia = axis.dot(momentum) + model.properties().armature[k];
      const S stiffness =
          model.gravity().norm() * axis.template head<3>().cross(gravity.moment[i]).norm() + model.properties().stiffness[k];
      if (inertia > S(0)) largest = std::max(largest, S(stiffness / inertia));
    }
    if (model.parent(i) > 0) composite[model.parent(i)] += composite[i].seen_from_parent(tree.T_PB[i]);
  }
  return largest > S(0) ? S(sqrt(largest)) : S(1);
}

/// A density from the angular speeds of all bodies: rho^2 = base^2 + sum of omega_i^2. The error of a step grows with h omega even if the
/// rotating body is light, so that its energy hardly shows it.
template <Scalar S>
struct RotationRate {
  S base;  ///< rho where nothing rotates [rad/s], > 0. Well below the rates of the motion the lengths of steps vary too much

  /// @param rate rho where nothing rotates [rad/s], > 0.
  explicit RotationRate(const S& rate) : base(rate) {}
  /// Uses the natural_rate() of a model.
  template <class Joints>
  explicit RotationRate(const Model<S, Joints>& model) : base(natural_rate(model)) {}

  /// Returns rho [rad/s].  @param data at x.
  template <class Joints>
  S operator()(const Model<S, Joints>& model, const KinematicsData<S>& data, const State<S>&) const noexcept {
    using std::sqrt;
    S square = base * base;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) square += data.V[i].template head<3>().squaredNorm();
    return sqrt(square);
  }
};

}  // namespace actio
