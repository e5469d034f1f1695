// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 6: computes how the end of a motion depends on every earlier force, and the smallest forces that lead to a goal.
#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>

#include "actio/integrators/step_derivatives.hpp"
#include "actio/model/builder.hpp"

using namespace actio;

constexpr double h = 5e-3;    // s
constexpr int num_steps = 200;

Model<double> make_arm() {
  const Pose<double> middle = Pose<double>::translation(0, 0, -0.25), elbow = Pose<double>::translation(0, 0, -0.5);
  ModelBuilder<double> builder("arm");
  const Inertia<double> link = Inertia<double>::box(1, {0.05, 0.05, 0.5}).seen_from_parent(middle);
  builder.add_body("upper", link).add_body("fore", link);
  builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), Revolute<double>({0, 1, 0}), {.damping = 0.05});
  builder.add_joint("elbow", "upper", "fore", elbow, Revolute<double>({0, 1, 0}), {.damping = 0.05});
  return builder.build();
}

// [run]
/// Runs the arm from rest.  @param tau (nv num_steps) joint forces, step by step [N m].
/// @returns (nq x num_steps + 1) q at all nodes; NaN if a step failed.
MatrixX<double> run(const Model<double>& model, const VectorX<double>& tau) {
  VariationalIntegrator integrator(model, {.tolerance = 0});  // to rounding, because runs are compared
  MatrixX<double> path(model.nq(), num_steps + 1);
  path.col(0) = integrator.configuration();
  for (int k = 0; k < num_steps; ++k) {
    if (!integrator.step(Input<double>(tau.segment(k * model.nv(), model.nv())), h)) return path.setConstant(NAN);
    path.col(k + 1) = integrator.configuration();
  }
  return path;
}
// [run]

// [gradient]
/// Returns the gradient of w . q at the end with respect to all forces (nv num_steps) [rad/(N m)], in one backward sweep over the steps.
/// @param path of the run.  @param w (nv).
VectorX<double> gradient(const Model<double>& model, const MatrixX<double>& path, const VectorX<double>& w) {
  const Eigen::Index n = model.nv();
  StepDerivatives derivatives(model);
  VectorX<double> w_q = w, w_p = VectorX<double>::Zero(n), w_begin(n), w_end(n), result(n * num_steps);
  for (int k = num_steps - 1; k >= 0; --k) {
    const VectorX<double> x = model.difference(path.col(k), path.col(k + 1));
    if (derivatives.linearize(path.col(k), x, h) != Status::converged) return result.setConstant(NAN);
    derivatives.adjoint(w_q, w_p, w_q, w_p, w_begin, w_end);  // from the step's end to its beginning
    result.segment(k * n, n) = w_begin + w_end;               // the same force acts at both
  }
  return result;
}
// [gradient]

int main() {
  const Model<double> model = make_arm();
  const VectorX<double> goal = Vector2<double>(2.0, 0.5);  // rad
  VectorX<double> tau = VectorX<double>::Constant(2 * num_steps, 0.3);
  MatrixX<double> path = run(model, tau);

  // [check]
  double worst = 0;
  const VectorX<double> of_elbow = gradient(model, path, Vector2<double>::UnitY());
  for (const int k : {0, 1, 120, 251, 398, 399}) {
    const VectorX<double> change = 1e-3 * VectorX<double>::Unit(tau.size(), k);
    const double difference = (run(model, tau + change)(1, num_steps) - run(model, tau - change)(1, num_steps)) / 2e-3;
    worst = std::fmax(worst, std::abs(of_elbow[k] - difference) / of_elbow.cwiseAbs().maxCoeff());
  }
  std::printf("gradient and differences agree to %.1e\n", worst);
  // [check]

  // [aim]
  // Newton's method with the smallest change of the forces that reaches the goal to first order.
  double away = 1;
  for (int round = 0; round < 20 && away > 1e-9; ++round) {
    const Vector2<double> missing = goal - path.col(num_steps);
    away = missing.norm();
    std::printf("  %.1e rad from the goal, largest torque %.2f N m\n", away, tau.cwiseAbs().maxCoeff());
    MatrixX<double> J(2, tau.size());
    for (int row = 0; row < 2; ++row) J.row(row) = gradient(model, path, Vector2<double>::Unit(row));
    const Vector2<double> now = missing / std::fmax(1.0, away / 0.5);  // at most half a radian per iteration
    tau += J.transpose() * (J * J.transpose()).ldlt().solve(now);
    path = run(model, tau);
  }
  // [aim]
  return worst < 1e-7 && away < 1e-9 ? 0 : 1;
}
