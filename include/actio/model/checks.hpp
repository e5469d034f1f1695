// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Tests that Model and ModelBuilder share: whether numbers are finite, poses rigid and shapes sound, and what they need to know of a joint.
#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "actio/core/text.hpp"
#include "actio/model/joint.hpp"

namespace actio::detail {

/// Returns whether every entry is finite.
template <class Derived>
bool all_finite(const Eigen::MatrixBase<Derived>& x) noexcept {
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (!is_finite(x.derived().coeff(i, j))) return false;
    }
  }
  return true;
}

/// Returns why T is not a rigid motion, or an empty string when it is one.
template <Scalar S>
std::string why_not_rigid(const Pose<S>& T) {
  if (!all_finite(T.R) || !all_finite(T.p)) return " is not finite";
  const Matrix3<S> error = T.R.transpose() * T.R - Matrix3<S>::Identity();
  ValueOf<S> largest(0);
  for (Eigen::Index k = 0; k < 9; ++k) largest = std::max(largest, std::abs(value_of(error.coeff(k))));
  if (largest >= 1000 * epsilon<S>) return " is not a rigid motion: R^T R differs from the identity by " + to_text(largest, 3);
  if (!(value_of(S(T.R.determinant())) > 0)) return " is not a rigid motion: the determinant of R is negative";
  return {};
}

template <class V>
bool is_in_range(V x, bool may_be_negative, bool may_be_infinite) {
  return !std::isnan(x) && (may_be_infinite || !std::isinf(x)) && (may_be_negative || x >= 0);
}
inline std::string range_in_words(bool may_be_negative, bool may_be_infinite) {
  return concat({"a ", may_be_infinite ? "" : "finite ", "number", may_be_negative ? "" : " >= 0"});
}

/// What the checks need to know about a joint, so that they are compiled once and not for each joint type.
struct JointFacts {
  Eigen::Index nq = 0, nv = 0;
  bool flat = false;
  std::string_view type;
};
template <class Joints>
JointFacts facts_of(const Joints& joint) {
  return std::visit(
      []<JointType J>(const J&) { return JointFacts{J::nq, J::nv, joints::is_flat<J>(), joints::type_name<J>()}; },
      joint);
}

/// Returns whether q (+) x is q + x, tested at one point, for a joint that claims it; if not, it would be integrated wrongly.
template <class Joints>
bool is_flat_as_claimed(const Joints& any_joint) {
  return std::visit(
      []<JointType J>(const J& joint) {
        if constexpr (joints::is_flat<J>()) {
          using S = typename J::Real;
          const typename J::Tangent x = J::Tangent::Constant(S(ValueOf<S>(0.5)));
          const typename J::Config q0 = joints::neutral(joint), q = joint.integrate(joint.integrate(q0, x), x);
          for (Eigen::Index k = 0; k < J::nq; ++k) {
            if (std::abs(value_of(S(q[k] - q0[k])) - 1) > 100 * epsilon<S>) return false;
          }
        }
        return true;
      },
      any_joint);
}

}  // namespace actio::detail
