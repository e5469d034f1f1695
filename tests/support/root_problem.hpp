// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A system of equations without a robot, for the tests of root finders.
#include <limits>

#include <Eigen/LU>

#include "actio/core/types.hpp"

namespace actio::test {

/// A x + c sin(x) = b with the sine of each entry, and the inverse of a matrix near A: it serves all root finders.
struct SineProblem {
  Eigen::Matrix4d A, H;
  Eigen::Vector4d b{1, -2, 3, 0.5};
  double c;
  VectorX<double> x = VectorX<double>::Zero(4), f = VectorX<double>::Zero(4);
  Eigen::Matrix4d J_inverse = Eigen::Matrix4d::Zero();
  int linearizations = 0;
  bool by_jacobian = false;  // whether the last norm is

  /// @param error relative error of H.  @param nonlinearity c.
  explicit SineProblem(double error = 0.1, double nonlinearity = 0.01) : c(nonlinearity) {
    A << 4, 1, 0, 1, 0, 5, 1, 0, 1, 0, 6, 1, 0, 1, 1, 7;
    H = (A * (1 + error)).inverse();
  }
  VectorX<double> value_at(const VectorX<double>& at) const { return A * at + c * at.array().sin().matrix() - b; }

  void evaluate(const VectorX<double>& at) noexcept {
    x = at;
    f.noalias() = A * x;
    f += c * x.array().sin().matrix() - b;
  }
  double residual(const VectorX<double>& at) noexcept {
    evaluate(at);
    by_jacobian = false;
    return f.norm();
  }
  void update(VectorX<double>& z) noexcept { z.noalias() = -((by_jacobian ? J_inverse : H) * f); }
  double floor() noexcept { return 1e-14; }
  void jacobian(MatrixX<double>& J) noexcept {
    J = A;
    J.diagonal() += c * x.array().cos().matrix();
  }
  double linearize() noexcept {
    ++linearizations;
    by_jacobian = true;
    Eigen::Matrix4d J = A;
    J.diagonal() += c * x.array().cos().matrix();
    J_inverse = J.inverse();
    return J_inverse.allFinite() ? f.norm() : std::numeric_limits<double>::infinity();
  }
  double newton_residual(const VectorX<double>& at) noexcept {
    evaluate(at);
    by_jacobian = true;
    return f.norm();
  }
  const VectorX<double>& value() noexcept { return f; }
  bool plausible() noexcept { return x.cwiseAbs().maxCoeff() < 100; }
};

}  // namespace actio::test
