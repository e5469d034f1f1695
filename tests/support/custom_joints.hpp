// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint types as users would write them, with and without the optional members.
#include <array>

#include "actio/model/joint.hpp"
#include "actio/model/joints/planar.hpp"

namespace actio::test {

/// A wheel that rolls over a cam of eccentricity e: it rotates about z and rises along z by e (1 - cos q). Required members only.
template <Scalar S>
class Cam {
 public:
  using Real = S;
  static constexpr int nq = 1, nv = 1;
  using Config = Eigen::Matrix<S, nq, 1>;
  using Tangent = Eigen::Matrix<S, nv, 1>;
  explicit Cam(S eccentricity) : e_(eccentricity) {}
  Pose<S> pose(const Config& q) const {
    using std::cos;
    return {so3::rotation<S>(Vector3<S>::UnitZ(), q[0]), Vector3<S>(S(0), S(0), e_ * (S(1) - cos(q[0])))};
  }
  Vector6<S> motion_subspace(const Config& q) const {
    using std::sin;
    return spatial<S>(Vector3<S>::UnitZ(), Vector3<S>(S(0), S(0), e_ * sin(q[0])));
  }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }

 protected:
  S e_;
};

/// The same joint with every optional member.
template <Scalar S>
class CompleteCam : public Cam<S> {
 public:
  static constexpr bool flat = true, constant_subspace = false;
  static constexpr std::string_view type = "cam";
  static constexpr std::array<std::string_view, 1> q_names{"angle"}, v_names{"rate"};
  using typename Cam<S>::Config;
  using typename Cam<S>::Tangent;
  explicit CompleteCam(S eccentricity) : Cam<S>(eccentricity) {}
  template <Scalar T>
  CompleteCam<T> cast() const {
    return CompleteCam<T>(T(this->e_));
  }
  Config neutral() const { return Config::Zero(); }
  bool is_valid(const Config& q) const { return is_finite(q[0]); }
  /// The rise is e (cos q - cos(q + x)) = 2 e sin(q + x/2) sin(x/2).
  Displacement<S> increment(const Config& q, const Tangent& x) const {
    using std::sin;
    const S half = x[0] / S(2), rise = S(2) * this->e_ * sin(S(q[0] + half)) * sin(half);
    return {quaternion::about<S>(Vector3<S>::UnitZ(), x[0]), Vector3<S>(S(0), S(0), rise)};
  }
  Vector6<S> bias(const Config& q, const Tangent& v, const Vector6<S>&) const {
    using std::cos;
    return spatial<S>(Vector3<S>::Zero(), Vector3<S>(S(0), S(0), this->e_ * cos(q[0]) * v[0] * v[0]));
  }
  Eigen::Matrix<S, 1, 1> dlog(const Tangent&) const { return Eigen::Matrix<S, 1, 1>::Identity(); }
  Config coordinate(const Quaternion<S>& turn, const Vector3<S>&, const Config& near) const {
    return Config(quaternion::angle_about<S>(Vector3<S>::UnitZ(), turn, near[0]));
  }
};

/// A joint that is not flat although nq = nv, and declares only that: planar motion without its optional members.
template <Scalar S>
class Skate {
 public:
  using Real = S;
  static constexpr int nq = 3, nv = 3;
  static constexpr bool flat = false;
  using Config = Eigen::Matrix<S, nq, 1>;
  using Tangent = Eigen::Matrix<S, nv, 1>;
  Pose<S> pose(const Config& q) const { return planar_.pose(q); }
  Eigen::Matrix<S, 6, 3> motion_subspace(const Config& q) const { return planar_.motion_subspace(q); }
  Config integrate(const Config& q, const Tangent& x) const { return planar_.integrate(q, x); }
  Tangent difference(const Config& q0, const Config& q1) const { return planar_.difference(q0, q1); }

 private:
  Planar<S> planar_;
};

/// Any joint type reduced to its required members and the two that determine how its q is read: flat and neutral.
template <JointType J>
class Bare {
 public:
  using Real = typename J::Real;
  static constexpr int nq = J::nq, nv = J::nv;
  static constexpr bool flat = joints::is_flat<J>();
  using Config = typename J::Config;
  using Tangent = typename J::Tangent;
  explicit Bare(const J& joint) : joint_(joint) {}
  Config neutral() const { return joints::neutral(joint_); }
  Pose<Real> pose(const Config& q) const { return joint_.pose(q); }
  joints::Subspace<J> motion_subspace(const Config& q) const { return joint_.motion_subspace(q); }
  Config integrate(const Config& q, const Tangent& x) const { return joint_.integrate(q, x); }
  Tangent difference(const Config& q0, const Config& q1) const { return joint_.difference(q0, q1); }

 private:
  J joint_;
};

}  // namespace actio::test
