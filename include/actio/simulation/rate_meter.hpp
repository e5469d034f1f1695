// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer of how fast a model moves, against which a step can be chosen.
#include <algorithm>
#include <cmath>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/kinematics.hpp"

namespace actio {

/// Returns the largest natural frequency [rad/s] of the springs of joints and between points at q: the root of the largest eigenvalue of
/// M^-1 K, by power iteration, without the forces of springs between points that turn them; 0 without springs, or if M is singular. Springs
/// that their own damper keeps from oscillating, d^2 >= 2 k m (a damping ratio of 0.7), with m the mass along the joint with all other
/// joints locked, or between the points, do not count, nor do ropes that are slack. Allocates; meant for the start of a run.
/// @param q (nq).  @param iterations of the power method.
template <Scalar S, class Joints>
S largest_spring_frequency(const Model<S, Joints>& model, const std::type_identity_t<ConstVectorRef<S>>& q, int iterations = 30) {
  using std::sqrt;
  const ModelProperties<S>& p = model.properties();
  VectorX<S> stiffness = p.stiffness;
  if (!(stiffness.array() > S(0)).any() && model.springs().empty()) return S(0);
  TreePose<S> tree(model);
  AbiData<S> abi(model);
  place(model, tree, q);
  BodyArray<Inertia<S>> composite(model.num_bodies(), Inertia<S>::zero());
  composite_inertias(model, tree, composite);
  for_each_mass_entry(model, tree, composite, [&](Eigen::Index row, Eigen::Index column, const S& m) {
    if (row == column && p.damping[row] * p.damping[row] >= S(2) * stiffness[row] * (m + p.armature[row])) stiffness[row] = S(0);
  });
  if (abi_factor(model, tree, abi, VectorX<S>::Zero(model.nv())) != 0) return S(0);
  detail::TreeClosures<Model<S, Joints>> rows(model, detail::Springs::included);  // the last ones are those of springs
  auto rotations = rows.make_rotations();
  rows.place(tree, rotations);
  VectorX<S> root = stiffness.cwiseSqrt(), of_rows = VectorX<S>::Zero(rows.size()), z(model.nv()), f(model.nv());
  const Eigen::Index first = rows.size() - static_cast<Eigen::Index>(model.springs().size());
  for (Eigen::Index k = first; k < rows.size(); ++k) {
    const PointSpring<S>& spring = model.springs()[static_cast<std::size_t>(k - first)];
    rows.covector(tree, k, f);
    const S mobility = abi_solve(model, tree, abi, f, z);
    const bool is_slack = spring.tension_only && rows[k].value > S(0);
    if (!is_slack && spring.damping * spring.damping * mobility < S(2) * spring.stiffness) of_rows[k] = sqrt(spring.stiffness);
  }
  VectorX<S> x = root, y = of_rows, rates(rows.size());
  S square(0);
  for (int k = 0; k < iterations; ++k) {  // on B M^-1 B^T, which is symmetric, with K = B^T B
    const S norm = sqrt(x.squaredNorm() + y.squaredNorm());
    if (!(norm > S(0))) break;
    f = root.cwiseProduct(x / norm);
    rows.add_forces(tree, of_rows.cwiseProduct(y / norm), f);
    square = abi_solve(model, tree, abi, f, z);
    rows.rates(tree, z, rates);
    x = root.cwiseProduct(z);
    y = of_rows.cwiseProduct(rates);
  }
  return sqrt(square);
}

/// An observer of the largest angular speed of a body, or the largest frequency of the springs at the start if that is
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
  S spring_frequency() const { return springs_; }  ///< of springs at the start [rad/s]; 0 without any

 private:
  S springs_{}, largest_{}, rotation_{}, body_rotation_{};
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE double largest_spring_frequency(const Model<double>&, const ConstVectorRef<double>&, int);
#endif

}  // namespace actio
