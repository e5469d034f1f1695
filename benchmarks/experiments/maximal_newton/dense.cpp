// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/LU>

#include "actio/equations/maximal_system.hpp"
#include "solvers.hpp"
#include "support/cpu_time.hpp"

namespace maximal_newton {
namespace {

using namespace actio;
using namespace actio::detail;

class Dense final : public Solver {
 public:
  Dense(const Model& model, const Vector& q)
      : model_(&model),
        system_(model, std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), false)),
        at_(system_.bodies().make_pose()),
        matrix_(MatrixX<double>::Zero(system_.size(), system_.size())),
        ones_(Vector::Ones(system_.size())),
        x_(ones_),
        lu_(system_.size()) {
    system_.bodies().place(at_, q);
  }

  double assemble(int calls) override {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) fill();
    return (bench::cpu_seconds() - begin) / calls;
  }
  double assemble_and_solve(int calls) override {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      fill();
      lu_.compute(matrix_);
      x_.noalias() = lu_.solve(ones_);
    }
    return (bench::cpu_seconds() - begin) / calls;
  }
  double solve(int calls) override {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) x_.noalias() = lu_.solve(ones_);
    return (bench::cpu_seconds() - begin) / calls;
  }
  const Vector& solution() const override { return x_; }

 private:
  /// [[M, -G^T], [G, 0]], as in MaximalSystem::project.
  void fill() {
    matrix_.setZero();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Eigen::Index body = 6 * (i - 1);
      matrix_.block<3, 3>(body, body) = model_->inertia(i).I_com;
      matrix_.block<3, 3>(body + 3, body + 3) = model_->inertia(i).mass * Matrix3<double>::Identity();
    }
    const ConstrainedBodies<Model>& bodies = system_.bodies();
    for (BodyIndex k = 1; k < bodies.size(); ++k) {
      const auto couple = [&](BodyIndex i, const std::array<Vector6<double>, 6>& rows) {
        for (int r = 0; i > 0 && r < bodies[k].rows; ++r) {
          const Vector6<double>& row = rows[static_cast<std::size_t>(r)];
          matrix_.block<6, 1>(6 * (i - 1), system_.row(k) + r) = -row;
          matrix_.block<1, 6>(system_.row(k) + r, 6 * (i - 1)) = row.transpose();
        }
      };
      couple(bodies[k].a, at_.rows[k].on_a);
      couple(bodies[k].b, at_.rows[k].on_b);
    }
  }

  const Model* model_;
  MaximalSystem<Model> system_;
  ConstrainedPose<double> at_;
  MatrixX<double> matrix_;
  Vector ones_, x_;
  Eigen::PartialPivLU<MatrixX<double>> lu_;
};

}  // namespace

std::unique_ptr<Solver> dense(const Model& model, const Vector& q) { return std::make_unique<Dense>(model, q); }

}  // namespace maximal_newton
