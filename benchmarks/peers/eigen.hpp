// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The numbers of a link as vectors and matrices of Eigen, for the libraries that use it.
#include <Eigen/Core>
#include <Eigen/Geometry>

#include "tree.hpp"

namespace peers {

template <std::size_t n>
Eigen::Matrix<double, int(n), 1> vector(const std::array<double, n>& x) {
  return Eigen::Map<const Eigen::Matrix<double, int(n), 1>>(x.data());
}

/// Returns the rotation of the joint's frame to the parent.
inline Eigen::Matrix3d rotation(const Link& link) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(link.rotation.data());
}

/// Returns the inertia about the centre of mass.
inline Eigen::Matrix3d inertia(const Link& link) {
  const auto [xx, yy, zz, xy, xz, yz] = link.inertia;
  return (Eigen::Matrix3d() << xx, xy, xz, xy, yy, yz, xz, yz, zz).finished();
}

/// Returns the quaternion of a ball or floating joint in state k.
inline Eigen::Quaterniond quaternion(const Link& link, std::size_t k) {
  const double* x = link.q[k].data() + (link.joint == "floating" ? 3 : 0);
  return {x[3], x[0], x[1], x[2]};
}

/// Returns the velocity of a floating link's origin in the world.
inline Eigen::Vector3d velocity_in_world(const Link& link, std::size_t k) { return quaternion(link, k) * vector(link.v[k]).tail<3>(); }

/// Returns the acceleration of a floating link's origin in the world, in state 0.
inline Eigen::Vector3d acceleration_in_world(const Link& link) {
  const Eigen::Matrix<double, 6, 1> v = vector(link.v[0]);
  return quaternion(link, 0) * (vector(link.a).tail<3>() + v.head<3>().cross(v.tail<3>()));
}

}  // namespace peers
