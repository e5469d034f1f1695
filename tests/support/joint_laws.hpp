// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Laws of every joint type, the library's and the user's, with any set of optional members.
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "actio/math/se3.hpp"
#include "actio/model/joint.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace actio::test {

template <JointType J>
class JointLaws {
  using S = typename J::Real;
  using Config = typename J::Config;
  using Tangent = typename J::Tangent;

 public:
  /// @param reach scale of configurations and increments [rad, m]; below pi.
  explicit JointLaws(const J& joint, double reach = 1.2) : joint_(joint), reach_(reach) {}

  void check() {
    names();
    neutral();
    for (int sample = 0; sample < 20; ++sample) {
      CAPTURE(sample);
      const Config q = joint_.integrate(joints::neutral(joint_), draw(2 * reach_));
      const Tangent x = draw(reach_), v = draw(1);
      difference_inverts_integrate(q, x);
      subspace_is_the_rate_of_the_pose(q, v);
      place_sets_pose_and_subspace(q);
      increment_is_the_quotient_of_poses(q, x);
      small_increments_keep_their_precision(q, v);
      bias_is_the_rate_of_the_subspace(q, v);
      dlog_is_the_rate_of_the_difference(q, x, v);
      rates_of_covectors_are_rates(q, x, v);
      flat_means_vector_addition(q, x);
      coordinate_inverts_the_pose(q, x);
      carried_velocities_stand_still(q, x, v);
    }
  }

 private:
  static constexpr S rounding = S(50) * epsilon<S>;
  static inline const S step = std::cbrt(epsilon<S>);
  static inline const S of_difference = S(50) * std::pow(epsilon<S>, S(2) / S(3));  // error of a central difference

  Tangent draw(double range) { return random_.in_box<S, J::nv>(range); }

  static void names() {
    std::set<std::string> q_names, v_names;
    for (int k = 0; k < J::nq; ++k) q_names.insert(joints::q_name<J>(k));
    for (int k = 0; k < J::nv; ++k) v_names.insert(joints::v_name<J>(k));
    CHECK(static_cast<int>(q_names.size()) == J::nq);
    CHECK(static_cast<int>(v_names.size()) == J::nv);
    CHECK_FALSE(joints::type_name<J>().empty());
  }

  void neutral() {
    const Config q = joints::neutral(joint_);
    CHECK(distance(joint_.pose(q), Pose<S>::identity()) == 0);
    CHECK(joints::is_valid(joint_, q));
  }

  void difference_inverts_integrate(const Config& q, const Tangent& x) {
    const Config moved = joint_.integrate(q, x);
    CHECK(joints::is_valid(joint_, moved));
    CHECK((joint_.difference(q, moved) - x).norm() < rounding);
    CHECK(distance(joint_.pose(joint_.integrate(q, joint_.difference(q, moved))), joint_.pose(moved)) < rounding);
    CHECK(joint_.difference(q, q).norm() < 4 * epsilon<S>);
    CHECK(distance(joint_.pose(joint_.integrate(q, Tangent::Zero())), joint_.pose(q)) < rounding);
  }

  /// T^-1 dT/dt = [S v], in the child's frame.
  void subspace_is_the_rate_of_the_pose(const Config& q, const Tangent& v) {
    const Pose<S> before = joint_.pose(joint_.integrate(q, -step * v)), after = joint_.pose(joint_.integrate(q, step * v));
    const Vector6<S> rate = se3::log<S>(before.inverse() * after) / (2 * step), twist = joint_.motion_subspace(q) * v;
    CHECK((rate - twist).norm() < of_difference);
    if (joints::has_constant_subspace<J>()) CHECK(joint_.motion_subspace(q) == joint_.motion_subspace(joints::neutral(joint_)));
  }

  void place_sets_pose_and_subspace(const Config& q) {
    const Pose<S> T_PF = se3::exp<S>(random_.in_box<S, 6>(1));
    Pose<S> T;
    joints::Subspace<J> subspace = joint_.motion_subspace(joints::neutral(joint_));
    joints::place(joint_, joints::mount(joint_, T_PF), q, T, subspace);
    CHECK(distance(T, T_PF * joint_.pose(q)) < rounding);
    CHECK(subspace == joint_.motion_subspace(q));
  }

  void increment_is_the_quotient_of_poses(const Config& q, const Tangent& x) {
    const Pose<S> quotient = joint_.pose(q).inverse() * joint_.pose(joint_.integrate(q, x));
    CHECK(distance(Displacement<S>(joints::increment(joint_, q, x)).pose(), quotient) < rounding);
  }

  /// A member gets x itself; the default computes from two poses with a precision of epsilon.
  void small_increments_keep_their_precision(const Config& q, const Tangent& v) {
    const S tiny(1e-9f);
    const Vector6<S> moved = Displacement<S>(joints::increment(joint_, q, Tangent(tiny * v))).log() / tiny,
                     twist = joint_.motion_subspace(q) * v;
    const bool is_member = requires { joint_.increment(q, v); };
    CHECK((moved - twist).norm() < 20 * (is_member ? tiny + epsilon<S> : tiny + epsilon<S> / tiny));
  }

  void bias_is_the_rate_of_the_subspace(const Config& q, const Tangent& v) {
    const joints::Subspace<J> before = joint_.motion_subspace(joint_.integrate(q, -step * v));
    const joints::Subspace<J> after = joint_.motion_subspace(joint_.integrate(q, step * v));
    const Vector6<S> rate = (after - before) * v / (2 * step);
    CHECK((joints::bias<J>(joint_, q, v, joint_.motion_subspace(q)) - rate).norm() < of_difference);
  }

  /// Carried velocities are constant in F while the joint moves, and fixed_rate is their initial rate.
  void carried_velocities_stand_still(const Config& q, const Tangent& x, const Tangent& v) {
    if constexpr (requires { joint_.transported(v, x); }) {
      const auto in_F = [&](const Config& at, const Tangent& velocity) -> Vector6<S> {
        const Vector6<S> V = joint_.motion_subspace(at) * velocity;
        const Matrix3<S> R = joint_.pose(at).R;
        return spatial<S>(Vector3<S>(R * V.template head<3>()), Vector3<S>(R * V.template tail<3>()));
      };
      CHECK((in_F(joint_.integrate(q, x), joint_.transported(v, x)) - in_F(q, v)).norm() < rounding);
      const Tangent rate = (joint_.transported(v, step * v) - joint_.transported(v, -step * v)) / (2 * step);
      CHECK((joint_.fixed_rate(v) - rate).norm() < of_difference);
      const Pose<S> from = joint_.pose(q), to = joint_.pose(joint_.straight(q, x));
      CHECK((to.p - from.p - in_F(q, x).template tail<3>()).norm() < rounding);
      CHECK((to.R - joint_.pose(joint_.integrate(q, x)).R).norm() < rounding);
    } else {
      CHECK(joints::transported(joint_, v, x) == v);
      CHECK(joints::fixed_rate(joint_, v).isZero(0));
      CHECK(joints::straight(joint_, q, x) == joint_.integrate(q, x));
    }
  }

  void dlog_is_the_rate_of_the_difference(const Config& q0, const Tangent& x, const Tangent& z) {
    const Config q1 = joint_.integrate(q0, x);
    const auto between = [&](const S& move0, const S& move1) {
      return joint_.difference(joint_.integrate(q0, move0 * z), joint_.integrate(q1, move1 * z));
    };
    const Tangent q0_moves = (between(-step, S(0)) - between(step, S(0))) / (2 * step);
    const Tangent q1_moves = (between(S(0), step) - between(S(0), -step)) / (2 * step);
    CHECK((joints::dlog(joint_, x) * z - q0_moves).norm() < 2 * of_difference);
    CHECK((joints::dlog(joint_, Tangent(-x)) * z - q1_moves).norm() < 2 * of_difference);
  }

  /// The derivative of dlog(x)^T y with respect to x, and of S(q)^T F with respect to q, along v.
  void rates_of_covectors_are_rates(const Config& q, const Tangent& x, const Tangent& v) {
    const Tangent y = draw(1);
    const auto turned = [&](const S& t) -> Tangent { return joints::dlog(joint_, Tangent(x + t * v)).transpose() * y; };
    const Tangent dlog_rate = (turned(step) - turned(-step)) / (2 * step);
    const S of_nested = requires { joint_.dlog(x); } || joints::is_flat<J>() ? of_difference : S(50) * std::pow(epsilon<S>, S(1) / S(3));
    CHECK((joints::dlog_transpose_derivative(joint_, x, y) * v - dlog_rate).norm() < of_nested);

    const Vector6<S> F = random_.in_box<S, 6>(1);
    const auto along = [&](const S& t) -> Tangent { return joint_.motion_subspace(joint_.integrate(q, Tangent(t * v))).transpose() * F; };
    const Tangent subspace_rate = (along(step) - along(-step)) / (2 * step);
    CHECK((joints::subspace_rate(joint_, q, F) * v - subspace_rate).norm() < of_difference);
  }

  void flat_means_vector_addition(const Config& q, const Tangent& x) {
    if constexpr (joints::is_flat<J>()) {
      CHECK((joint_.integrate(q, x) - (q + x)).norm() <= rounding);
      CHECK((joint_.difference(q, Config(q + x)) - x).norm() <= rounding);
      CHECK(joints::dlog(joint_, x).isIdentity(0));
    }
  }

  void coordinate_inverts_the_pose(const Config& q, const Tangent& x) {
    const Pose<S> T = joint_.pose(q);
    const Quaternion<S> turn = T.quaternion(), same(-turn.coeffs());
    for (const Quaternion<S>& either : {turn, same}) {
      const Config found = joints::coordinate(joint_, either, T.p, joint_.integrate(q, x));
      CHECK(joint_.difference(q, found).norm() < rounding);
      CHECK(joints::is_valid(joint_, found));
    }
  }

  J joint_;
  double reach_;
  models::Random random_{20260101};
};

/// A joint with oblique axes, so that no entry is zero by chance.
template <class J>
J oblique() {
  using S = typename J::Real;
  const Vector3<S> axis(S(0.48), S(-0.6), S(0.64)), axis2(S(2), S(1), S(0.5));
  if constexpr (std::constructible_from<J, Vector3<S>, Vector3<S>>) return J(axis, axis2);
  else if constexpr (std::constructible_from<J, Vector3<S>, S>) return J(axis, S(0.3));
  else if constexpr (std::constructible_from<J, Vector3<S>>) return J(axis);
  else if constexpr (std::constructible_from<J, S>) return J(S(0.3));
  else return J();
}

/// Checks all laws at random configurations, velocities and increments.
template <JointType J>
void check_joint_laws(const J& joint) {
  JointLaws<J>(joint).check();
}

}  // namespace actio::test
