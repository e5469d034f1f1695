// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <Eigen/Eigenvalues>

#include <string>

#include "actio/io/element_reader.hpp"

namespace actio::detail {

/// The moments of inertia I that a file gives in axes turned by R, in the axes of the link.  Indefinite ones are a problem, and zero then.
/// @param moments the element they stand in.  @param who it belongs to, for messages.
inline Matrix3<double> checked_moments(ElementReader& reader, pugi::xml_node moments, const std::string& who, double mass,
                                       const Matrix3<double>& I, const Matrix3<double>& R) {
  const Vector3<double> principal = Eigen::SelfAdjointEigenSolver<Matrix3<double>>(I, Eigen::EigenvaluesOnly).eigenvalues();
  if (principal[0] < -1e-6 * I.cwiseAbs().maxCoeff()) {
    reader.problem(moments, "inertia.definite", who + ": principal moment " + to_text(principal[0]) + " kg m^2, expected >= 0");
    return Matrix3<double>::Zero();  // the builder need not say it again
  }
  if (mass == 0 && !I.isZero(0)) reader.warn(moments, "inertia.mass", who + ": moments of inertia, but no mass");
  const Matrix3<double> turned = R * I * R.transpose();
  return (turned + turned.transpose()) / 2;  // rounding of the products
}

}  // namespace actio::detail
