// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// All products with the derivative of a step, and how they agree with each other.
#include <cmath>

#include "actio/integrators/step_derivatives.hpp"
#include "support/allocation_guard.hpp"
#include "support/step_map.hpp"

namespace actio::test {

/// The products of StepDerivatives at a point: tangent, adjoint for fixed weights, and matrices.
struct StepProducts {
  template <class ModelType>
  explicit StepProducts(const ModelType& model)
      : n(model.nv()), out(2 * n), w_end(2 * n), w_begin(2 * n), w_tau(2 * n), A(2 * n, 2 * n), B(2 * n, 2 * n) {
    w_end << models::random_velocity(model, 77), models::random_velocity(model, 78);
  }
  /// Computes the products.  @returns the status of linearize().
  template <class Derivatives, class Integrator>
  Status linearize(Derivatives& derivatives, const Integrator& integrator, const Input<double>& input, const StepPoint& at) {
    Status status{};
    const AllocationCounter allocations;
    status = derivatives.linearize(integrator, input);
    compute(derivatives, at);
    CHECK(allocations.count() == 0);
    return status;
  }
  /// The same for what is linearised.
  template <class Derivatives>
  void compute(Derivatives& derivatives, const StepPoint& at) {
    derivatives.tangent(at.dq, at.dp, at.dtau0, at.dtau1, out.head(n), out.tail(n));
    derivatives.adjoint(w_end.head(n), w_end.tail(n), w_begin.head(n), w_begin.tail(n), w_tau.head(n), w_tau.tail(n));
    derivatives.matrix(A, B);
  }
  /// Returns the difference of w_end . out and the same by the adjoint, relative to |w_end| |out|.
  double adjoint_error(const StepPoint& at) const {
    const double of_state = w_begin.head(n).dot(at.dq) + w_begin.tail(n).dot(at.dp);
    const double of_tau = w_tau.head(n).dot(at.dtau0) + w_tau.tail(n).dot(at.dtau1);
    return std::abs(w_end.dot(out) - of_state - of_tau) / (out.norm() * w_end.norm());
  }
  /// Returns the difference of the tangent product by the matrices, relative to the product.
  double matrix_error(const StepPoint& at) const {
    Eigen::VectorXd state(2 * n), tau(2 * n);
    state << at.dq, at.dp;
    tau << at.dtau0, at.dtau1;
    return (A * state + B * tau - out).norm() / out.norm();
  }

  Eigen::Index n;
  Eigen::VectorXd out, w_end, w_begin, w_tau;  ///< (dq1, dp1); weights of these, of (dq, dp) and of (dtau0, dtau1)
  Eigen::MatrixXd A, B;
};

}  // namespace actio::test
