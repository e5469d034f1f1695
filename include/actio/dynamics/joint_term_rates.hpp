// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How what acts along a joint's own coordinates over a discrete step moves with both ends of the step.
#include "actio/dynamics/joint_terms.hpp"

namespace actio {

/// Blocks (nv_i x nv_i) of one joint: rates of the left and the right part of its terms by the velocities of q_k (begin) and of
/// q_{k+1} (end) [N m s/rad, N s/m]. The rate of the left part by the end is JointTerms::left_rate, a part of the Jacobian of the step.
template <JointType J>
struct JointTermRates {
  using Block = Eigen::Matrix<typename J::Real, J::nv, J::nv>;  ///< (nv_i x nv_i)
  Block left_by_begin,  ///< left part by q_k
      right_by_begin,   ///< right part by q_k
      right_by_end;     ///< right part by q_{k+1}
};

namespace detail {

/// Rate of c(q) = dlog(-s)^T K s, s = q (-) rest, the force of a spring, by a velocity of q.
template <JointType J>
Eigen::Matrix<typename J::Real, J::nv, J::nv> spring_rate(const J& joint, const typename J::Tangent& k, const typename J::Tangent& stretch) {
  using Block = Eigen::Matrix<typename J::Real, J::nv, J::nv>;
  using Tangent = typename J::Tangent;
  if constexpr (joints::is_flat<J>()) {
    return Block(k.asDiagonal());
  } else {
    const Tangent back = -stretch;
    const Block L = joints::dlog(joint, back), by_stretch = L.transpose() * k.asDiagonal();
    return (by_stretch - joints::dlog_transpose_derivative(joint, back, Tangent(k.cwiseProduct(stretch)))) * L;
  }
}

}  // namespace detail

/// Those of joint i at the increment x from q0 to q1.
///   left = (a/h + s d) x + h/2 c(q0),  right = (a/h - (1 - s) d) x - h/2 c(q1), and for a spring at the middle of the step
///   left += h/4 k x, right += h/4 k x                                                          [vi_math.md, section 8]
/// @param h [s].
template <JointType J, Scalar S, class Joints>
JointTermRates<J> joint_term_rates(const Model<S, Joints>& model, const JointTerms<S>& terms, BodyIndex i, const J& joint, const typename J::Config& q0,
                                   const typename J::Config& q1, const typename J::Tangent& x, const S& h) noexcept {
  using Tangent = typename J::Tangent;
  using Block = typename JointTermRates<J>::Block;
  const ModelProperties<S>& p = model.properties();
  const typename J::Config rest = model.template q_of<J>(i, p.rest);
  const Tangent k = model.template v_of<J>(i, p.stiffness), d = model.template v_of<J>(i, p.damping), a = model.template v_of<J>(i, p.armature);
  if (((k.array() == S(0)) && (d.array() == S(0)) && (a.array() == S(0))).all()) return {Block::Zero(), Block::Zero(), Block::Zero()};
  const S half = h / S(2);
  Tangent left_by_x = d;
  for (int e = 0; e < J::nv; ++e) left_by_x[e] *= terms.share_at_begin(model.v_index(i) + e, d[e], h);
  Tangent right_by_x = left_by_x - d;
  Block x_by_begin = -Block::Identity(), x_by_end = Block::Identity();
  if constexpr (joints::is_flat<J>()) {
    Tangent symmetric = a / h;
    if (terms.rule() == SpringRule::midpoint) symmetric += (half / S(2)) * k;
    left_by_x += symmetric;
    right_by_x += symmetric;
  } else {
    x_by_begin = -joints::dlog(joint, x);
    x_by_end = joints::dlog(joint, Tangent(-x));
  }
  JointTermRates<J> rates{left_by_x.asDiagonal() * x_by_begin, right_by_x.asDiagonal() * x_by_begin, right_by_x.asDiagonal() * x_by_end};
  if ((k.array() != S(0)).any()) {
    rates.left_by_begin += half * detail::spring_rate<J>(joint, k, joint.difference(rest, q0));
    rates.right_by_end -= half * detail::spring_rate<J>(joint, k, joint.difference(rest, q1));
  }
  return rates;
}

}  // namespace actio
