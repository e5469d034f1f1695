// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/maximal_system.hpp"
#include "solvers.hpp"
#include "support/cpu_time.hpp"

namespace maximal_newton {
namespace {

using namespace actio;
using namespace actio::detail;

class Blocks final : public Solver {
 public:
  Blocks(const Model& model, const Vector& q)
      : model_(&model),
        system_(model, std::vector<bool>(static_cast<std::size_t>(model.num_bodies()), false)),
        at_(system_.bodies().make_pose()),
        armature_(Vector::Zero(model.nv())),
        x_(Vector::Zero(system_.size())) {
    system_.bodies().place(at_, q);
  }

  double assemble(int calls) override {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      system_.begin();
      for (BodyIndex i = 1; i < model_->num_bodies(); ++i) system_.add_body(i, model_->inertia(i).I_com);
      for (BodyIndex i = 1; i < system_.bodies().size(); ++i) {
        system_.add_constraint(i, at_.rows[i], at_.rows[i], [](BodyIndex, const Vector6<double>& F) { return F; });
      }
    }
    return (bench::cpu_seconds() - begin) / calls;
  }
  double assemble_and_solve(int calls) override {
    bool regular = true;
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      x_.setOnes();
      regular = system_.project(at_, armature_, x_) && regular;
    }
    const double seconds = (bench::cpu_seconds() - begin) / calls;
    if (!regular) x_.setZero();
    return seconds;
  }
  double solve(int calls) override {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < calls; ++k) {
      x_.setOnes();
      system_.solve(x_);
    }
    return (bench::cpu_seconds() - begin) / calls;
  }
  const Vector& solution() const override { return x_; }
  double num_blocks() const override { return static_cast<double>(system_.matrix().num_blocks()); }
  int fill() const override { return system_.matrix().fill(); }

 private:
  const Model* model_;
  MaximalSystem<Model> system_;
  ConstrainedPose<double> at_;
  Vector armature_, x_;
};

}  // namespace

std::unique_ptr<Solver> blocks(const Model& model, const Vector& q) { return std::make_unique<Blocks>(model, q); }

}  // namespace maximal_newton
