// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of models with closed loops, and the directions in which their configurations may vary.
#include <Eigen/SVD>

#include "support/step_map.hpp"
#include "support/tangled_tree.hpp"

namespace actio::test {

/// Returns G (rows x nv) at q.
inline Eigen::MatrixXd rows_at(const Model<double>& model, const Eigen::VectorXd& q) {
  PlacedTangle placed({model, q});
  return placed.jacobian();
}
/// Returns an orthonormal basis of the variations of q that satisfy the rows.
inline Eigen::MatrixXd allowed_variations(const Model<double>& model, const Eigen::VectorXd& q) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows_at(model, q), Eigen::ComputeFullV);
  const Eigen::Index rank = (svd.singularValues().array() > 1e-9 * svd.singularValues()[0]).count();
  return svd.matrixV().rightCols(model.nv() - rank);
}
/// Returns a random point at a closed configuration, with a direction that satisfies the rows.
inline StepPoint closed_point(const Model<double>& model, const Eigen::VectorXd& q, std::uint64_t seed, double h) {
  StepPoint at(model, seed, h);
  at.q = q;
  VariationalIntegrator integrator(model);
  integrator.reset({q, models::random_velocity(model, seed + 5), 0});
  at.p = integrator.momentum();
  const Eigen::MatrixXd N = allowed_variations(model, q);
  at.dq = N * (N.transpose() * at.dq);
  return at;
}

}  // namespace actio::test
