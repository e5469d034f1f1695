// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A step of sequential regularisation by dense matrices: the same as SequentialRegularization, without recursions.
#include <array>
#include <cstddef>
#include <vector>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/integrators/explicit/chart_stages.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "support/dense.hpp"

namespace actio::test {

/// The equations of each copy k at each stage, solved with the mass matrix by LU with full pivoting:
///   lambda_k = lambda_(k-1) + E (G v + alpha g) / epsilon,    M a = tau_joint - c(q, v) - G^T lambda_k,
/// E is block diagonal: the inverse of the mobility of each block's rows on unconstrained bodies.      [srm_math.md, sections 5 and 5.1]
template <class Tableau>
class DenseRegularization {
 public:
  using VectorXd = Eigen::VectorXd;
  using MatrixXd = Eigen::MatrixXd;

  /// @param model outlives this; without input.
  DenseRegularization(const Model<double>& model, const SrmOptions<double>& options)
      : model_(&model),
        options_(options),
        kinematics_(model),
        crba_(model),
        rnea_(model),
        acts_on_(static_cast<std::size_t>(model.num_bodies()), 0) {
    for (const Loop<double>& loop : model.loops()) {
      if (loop.active) ++acts_on(loop.body_a), ++acts_on(loop.body_b);
    }
    for (const Coupling<double>& coupling : model.couplings()) {
      if (!coupling.active) continue;
      for (const BodyIndex b : {coupling.follower_body, coupling.leader_body}) ++acts_on(b), ++acts_on(model.parent(b));
    }
  }

  /// @param copies at the beginning of the step; out: at its end.  @param h [s].
  void step(std::vector<State<double>>& copies, double h) {
    std::vector<State<double>> next = copies;
    std::vector<detail::ChartStages<Model<double>, Tableau>> stages(copies.size(),
                                                                    detail::ChartStages<Model<double>, Tableau>(model_->nv()));
    for (std::size_t s = 0; s < Tableau::stages; ++s) {
      for (std::size_t k = 0; k < copies.size(); ++k) {
        stages[k].begin(*model_, s, copies[k], h, next[k]);
        place(next[k]);
        if (k == 0) lambda = options_.lambda_0.size() > 0 ? options_.lambda_0 : VectorXd::Zero(G.rows());
        lambda += E_ * (G * next[k].v + options_.alpha * gap_) / (options_.epsilon > 0 ? options_.epsilon : h);
        VectorXd force = -rnea(*model_, rnea_, next[k].q, next[k].v, VectorXd(VectorXd::Zero(model_->nv())));
        add_spring_forces(*model_, next[k].q, force);
        add_damping_forces(*model_, next[k].v, force);
        stages[k].end(*model_, s, next[k], solve(M, force - G.transpose() * lambda));
      }
    }
    for (std::size_t k = 0; k < copies.size(); ++k) stages[k].finish(*model_, copies[k], h, next[k]);
    copies = next;
  }

  // At the last stage of the last copy:
  MatrixXd M, G;    ///< (nv x nv), (rows x nv)
  VectorXd lambda;  ///< (rows) [N, N m]

 private:
  int& acts_on(BodyIndex b) { return acts_on_[static_cast<std::size_t>(b)]; }
  /// Returns J I^-1 J^T of one body, times the number of blocks that act on it.  @param J (rows x 6) of twists in the body frame.
  MatrixXd mobility(BodyIndex b, const MatrixXd& J) {
    if (b == 0) return MatrixXd::Zero(J.rows(), J.rows());
    return acts_on(b) * delassus(J, MatrixXd(model_->inertia(b).matrix()));
  }
  /// M, G, gaps and weights at a state.
  void place(const State<double>& x) {
    M = crba(*model_, crba_, x.q);
    forward_kinematics(*model_, kinematics_, x.q, x.v);
    std::vector<ConstraintRow<double>> rows;
    std::vector<MatrixXd> blocks;
    for (const Loop<double>& loop : model_->loops()) {
      if (!loop.active) continue;
      std::array<ConstraintRow<double>, 6> of_loop;
      const std::size_t count = detail::loop_rows(loop, kinematics_.T_WB[loop.body_a], kinematics_.T_WB[loop.body_b], of_loop);
      MatrixXd sum = MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
      for (std::size_t side = 0; side < 2; ++side) {
        MatrixXd J(sum.rows(), 6);
        for (std::size_t r = 0; r < count; ++r) J.row(static_cast<Eigen::Index>(r)) = of_loop[r].bodies[side].wrench;
        sum += mobility(of_loop[0].bodies[side].body, J);
      }
      rows.insert(rows.end(), of_loop.begin(), of_loop.begin() + static_cast<std::ptrdiff_t>(count));
      blocks.push_back(inverse(sum));
    }
    for (const Coupling<double>& coupling : model_->couplings()) {
      if (!coupling.active) continue;
      rows.push_back(detail::coupling_row<double>(coupling, x.q));
      MatrixXd sum = MatrixXd::Zero(1, 1);
      const auto add_joint = [&](BodyIndex child, Eigen::Index v, double factor) {  // rate = wrench . twist of the child against its parent
        const Vector6<double> S = kinematics_.tree.subspace.col(v), wrench = factor / S.squaredNorm() * S;
        sum += mobility(child, wrench.transpose()) +
               mobility(model_->parent(child), kinematics_.tree.T_PB[child].wrench_to_parent(wrench).transpose());
      };
      add_joint(coupling.follower_body, coupling.follower_v, 1);
      add_joint(coupling.leader_body, coupling.leader_v, coupling.ratio);
      blocks.push_back(inverse(sum));
    }
    const auto count = static_cast<Eigen::Index>(rows.size());
    gap_.resize(count);
    G.resize(count, model_->nv());
    for (Eigen::Index r = 0; r < count; ++r) gap_[r] = rows[static_cast<std::size_t>(r)].value;
    for (Eigen::Index k = 0; k < model_->nv(); ++k) {
      const VectorXd unit = VectorXd::Unit(model_->nv(), k);
      forward_kinematics(*model_, kinematics_, x.q, unit);
      for (Eigen::Index r = 0; r < count; ++r) G(r, k) = rows[static_cast<std::size_t>(r)].rate(kinematics_.V, unit);
    }
    E_ = MatrixXd::Zero(count, count);
    Eigen::Index at = 0;
    for (const MatrixXd& block : blocks) {
      E_.block(at, at, block.rows(), block.rows()) = block;
      at += block.rows();
    }
  }

  const Model<double>* model_;
  SrmOptions<double> options_;
  KinematicsData<double> kinematics_;
  CrbaData<double> crba_;
  RneaData<double> rnea_;
  std::vector<int> acts_on_;  // blocks of rows on each body
  MatrixXd E_;
  VectorXd gap_;
};

}  // namespace actio::test
