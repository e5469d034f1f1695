// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reference values for impulses of closed loops: those of a dense solution, and the smallest with the same effect.
#include <algorithm>
#include <cmath>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/integrators/variational.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace actio::test {

/// The mass matrix and the rows at a node, to assess impulses there.
class ImpulseJudge {
 public:
  explicit ImpulseJudge(const Model<double>& model)
      : model_(&model), tree_(model), closures_(model), rotations_(closures_.make_rotations()), mass_(model) {}

  /// @param q at the beginning of the step.  @param rotations of the integrator there.
  void begin(const VectorX<double>& q, const detail::TreeClosures<Model<double>>::Rotations& rotations) {
    place(*model_, tree_, q);
    rotations_ = rotations;
    closures_.place(tree_, rotations_);
    G_.resize(closures_.size(), model_->nv());
    VectorX<double> g(model_->nv());
    for (Eigen::Index k = 0; k < G_.rows(); ++k) {
      closures_.covector(tree_, k, g);
      G_.row(k) = g.transpose();
    }
    M_ = crba(*model_, mass_, q);
    M_.triangularView<Eigen::StrictlyUpper>() = M_.transpose();
    inverse_GT_ = test::solve_columns(M_, G_.transpose());
  }
  /// Returns |G^T L| in the metric M^-1: the impulse that L applies to the joints [sqrt(J)].
  double impulse(const VectorX<double>& L) const { return std::sqrt(std::max(0.0, L.dot(G_ * (inverse_GT_ * L)))); }
  /// Returns sqrt(p^T M^-1 p) [sqrt(J)].
  double momentum(const VectorX<double>& p) const { return std::sqrt(p.dot(test::solve(M_, p))); }
  /// Returns |L| relative to that of the smallest impulses with the same effect, both in the metric D = diag(G M^-1 G^T).
  double excess(const VectorX<double>& L) const {
    VectorX<double> root = (G_ * inverse_GT_).diagonal().cwiseMax(0).cwiseSqrt();
    for (double& r : root) r = r > 1e-7 * root.maxCoeff() ? r : root.maxCoeff();
    const MatrixX<double> G_hat = root.cwiseInverse().asDiagonal() * G_;
    const VectorX<double> L_hat = root.cwiseProduct(L),
                          least = test::solve_least_norm(G_hat.transpose(), VectorX<double>(G_.transpose() * L));
    return L_hat.norm() / least.norm();
  }

 private:
  const Model<double>* model_;
  TreePose<double> tree_;
  detail::TreeClosures<Model<double>> closures_;
  detail::TreeClosures<Model<double>>::Rotations rotations_;
  CrbaData<double> mass_;
  MatrixX<double> G_, M_, inverse_GT_;
};

/// Compares every `stride`-th step of 1 ms with one by `closures = dense` from the same node, and checks that all steps converge.
inline void agrees_with_dense(const Model<double>& model, const State<double>& start, Factorization method, InitialGuess guess, int steps,
                              int stride) {
  // Converged to rounding, because otherwise the two methods differ by the tolerance.
  VariationalIntegrator integrator(model, {.tolerance = 0, .guess = guess, .factorization = method});
  VariationalIntegrator dense(model, {.tolerance = 0, .guess = InitialGuess::momentum, .factorization = Factorization::dense});
  integrator.reset(start);
  dense.reset(start);
  ImpulseJudge judge(model);
  auto node = integrator.make_memory();
  double apart = 0, excess = 0;
  for (int k = 0; k < steps; ++k) {
    const bool compares = k % stride == stride - 1;
    if (compares) integrator.save(node);
    const StepResult<double> result = integrator.step({}, 1e-3);
    CAPTURE(model.name(), int(method), int(guess), k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE_FALSE(result.relaxed);
    if (!compares || result.substeps > 1) continue;
    dense.restore(node);
    REQUIRE(dense.step({}, 1e-3));
    judge.begin(node.tree.q, node.rotations);
    const VectorX<double> ours = integrator.closure_impulses();
    apart = std::max(apart, judge.impulse(ours - dense.closure_impulses()) / std::max(judge.momentum(node.p), judge.impulse(ours)));
    excess = std::max(excess, judge.excess(ours));
  }
  CAPTURE(model.name(), int(method), int(guess));
  CHECK(apart < 1e-10);
  CHECK(excess < 1.01);
}

}  // namespace actio::test
