// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A baseline for integrators of loops in maximal coordinates: explicit steps in joint coordinates with loops closed at
// acceleration level.
#include <Eigen/Cholesky>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "actio/constraints/loop_closure.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/runge_kutta.hpp"

namespace experiments {

/// Forward dynamics with closed loops:  M a - G^T lambda = tau - bias,  d^2g/dt^2 + 2 alpha dg/dt + alpha^2 g = 0.
/// Supports loops of the types ball and point_on_line whose rows are independent. O(bodies (rows + 1) + rows^3): bodies are factored once,
/// each loop row costs one more solve.                                                                           [Baumgarte 1972]
class LoopDynamics {
 public:
  using Model = actio::Model<double>;
  using Vector = actio::VectorX<double>;

  /// @param alpha [1/s]; 0: constraint violations are not corrected.  @throws ModelError for other loops.
  LoopDynamics(const Model& model, double alpha)
      : model_(&model),
        alpha_(alpha),
        tree_(model),
        abi_(model),
        T_WB_(model.num_bodies(), actio::Pose<double>::identity()),
        V_(model.num_bodies(), actio::Vector6<double>::Zero()),
        A_(V_),
        F_(V_),
        W_(V_),
        no_force_(Vector::Zero(model.nv())),
        tau_(no_force_),
        a_(no_force_) {
    Eigen::Index rows = 0;
    for (const actio::Loop<double>& loop : model.loops()) {
      if (!loop.active) continue;
      if (loop.type != actio::LoopType::ball && loop.type != actio::LoopType::point_on_line) {
        throw actio::ModelError("acceleration-level loops: loop '" + loop.name + "' is of type " + std::string(name(loop.type)) +
                                ", expected ball or point_on_line");
      }
      loops_.push_back({&loop, rows, {}, {}, {}});
      rows += actio::detail::num_rows(loop.type);
    }
    A_[0] = actio::spatial<double>(actio::Vector3<double>::Zero(), -model.gravity());
    Y_ = actio::MatrixX<double>::Zero(model.nv(), rows);
    stiffness_ = actio::MatrixX<double>::Zero(rows, rows);
    lambda_ = Vector::Zero(rows);
    if (rows > 0) cholesky_.compute(actio::MatrixX<double>::Identity(rows, rows));  // allocates its memory
  }

  /// @returns false if a joint moves no mass.
  bool evaluate(const Vector& q, const Vector& v) noexcept {
    begin(q, v);
    if (actio::abi_factor(*model_, tree_, abi_, no_force_) != 0) return false;
    tau_ = model_->properties().force;
    actio::add_spring_forces(*model_, q, tau_);
    actio::add_damping_forces(*model_, v, tau_);
    actio::abi_reduce(*model_, tree_, abi_, F_, tau_);
    actio::abi_expand(*model_, tree_, abi_, a_);
    a_ = -a_;
    if (loops_.empty()) return true;
    for (ClosedLoop& loop : loops_) add_loop(loop);
    for (actio::Vector6<double>& F : F_) F.setZero();
    for (const ClosedLoop& loop : loops_) {
      for (std::size_t r = 0; r < loop.rows.count; ++r) add_row(loop, r);
    }
    cholesky_.compute(stiffness_);
    cholesky_.solveInPlace(lambda_);
    a_.noalias() += Y_ * lambda_;
    return true;
  }
  const Vector& acceleration() const noexcept { return a_; }  ///< (nv) of the last evaluation

 private:
  struct ClosedLoop {
    const actio::Loop<double>* loop;
    Eigen::Index first;  // row
    actio::detail::PoseRows<double> rows;
    std::array<actio::Vector6<double>, 6> on_a, on_b;  // covectors on the bodies' twists
  };

  /// Computes poses, twists, and the forces that the motion of the bodies needs at a = 0.
  void begin(const Vector& q, const Vector& v) noexcept {
    using namespace actio;
    using namespace actio::detail;
    place(*model_, tree_, q);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const BodyIndex parent = model_->parent(i);
      const Pose<double>& T = tree_.T_PB[i];
      Vector6<double> relative, bias;
      visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
        const typename J::Tangent v_i = model_->template v_of<J>(i, v);
        const joints::Subspace<J> S_i = tree_.template S_of<J>(model_->v_index(i));
        relative = S_i * v_i;
        bias = joints::bias<J>(joint, model_->template q_of<J>(i, tree_.q), v_i, S_i);
      });
      V_[i] = T.twist_to_child(V_[parent]) + relative;
      A_[i] = T.twist_to_child(A_[parent]) + bias + actio::detail::bracket<double>(V_[i], relative);
      F_[i] = model_->inertia(i).momentum(A_[i]) + model_->inertia(i).bias(V_[i]);
      T_WB_[i] = T_WB_[parent] * T;
    }
    if (!has_point_forces(*model_)) return;
    for (Vector6<double>& W : W_) W.setZero();
    add_point_wrenches<double>(*model_, T_WB_, &V_, W_, [](std::size_t) { return true; });
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) F_[i] -= W_[i];
  }
  /// Computes the rows of a loop, and the accelerations that they lack.
  void add_loop(ClosedLoop& of) noexcept {
    using namespace actio;
    using namespace actio::detail;
    const Loop<double>& loop = *of.loop;
    const Pose<double> T_aB = T_WB_[loop.body_a].inverse() * (T_WB_[loop.body_b] * loop.T_B);
    of.rows.count = 0;
    closure_rows(loop, PoseRowsAt<double>(loop.T_A.inverse() * T_aB), of.rows);
    const auto acceleration = [&](BodyIndex i) { return i == 0 ? A_[0] : Vector6<double>(A_[i] - abi_.V[i]); };  // the solve was for -a
    const Vector6<double> carried = T_aB.twist_to_child(V_[loop.body_a]), V = loop.T_B.twist_to_child(V_[loop.body_b]) - carried;
    const Vector6<double> A = loop.T_B.twist_to_child(acceleration(loop.body_b)) - T_aB.twist_to_child(acceleration(loop.body_a)) +
                              actio::detail::bracket<double>(V, carried);
    const Vector3<double> turning = V.head<3>().cross(V.tail<3>());  // a row's covector (0, R^T n) rotates relative to frame B
    for (std::size_t r = 0; r < of.rows.count; ++r) {
      const Vector6<double>& row = of.rows.wrench[r];
      of.on_a[r] = -T_aB.wrench_to_parent(row);
      of.on_b[r] = loop.T_B.wrench_to_parent(row);
      lambda_[of.first + static_cast<Eigen::Index>(r)] =
          -(row.dot(A) + row.tail<3>().dot(turning)) - 2 * alpha_ * row.dot(V) - alpha_ * alpha_ * of.rows.value[r];
    }
  }
  /// Computes the row's column of M^-1 G^T and of G M^-1 G^T.  @pre all F_ vanish, as they do afterwards.
  void add_row(const ClosedLoop& of, std::size_t r) noexcept {
    const Eigen::Index column = of.first + static_cast<Eigen::Index>(r);
    F_[of.loop->body_a] += of.on_a[r];
    F_[of.loop->body_b] += of.on_b[r];
    actio::abi_reduce(*model_, tree_, abi_, F_, no_force_);
    actio::abi_expand(*model_, tree_, abi_, Y_.col(column));
    F_[of.loop->body_a].setZero();
    F_[of.loop->body_b].setZero();
    for (const ClosedLoop& other : loops_) {
      for (std::size_t s = 0; s < other.rows.count; ++s) {
        stiffness_(other.first + static_cast<Eigen::Index>(s), column) =
            other.on_a[s].dot(abi_.V[other.loop->body_a]) + other.on_b[s].dot(abi_.V[other.loop->body_b]);  // the world's V is zero
      }
    }
  }

  const Model* model_;
  double alpha_;
  actio::TreePose<double> tree_;
  actio::AbiData<double> abi_;
  actio::BodyArray<actio::Pose<double>> T_WB_;
  actio::BodyArray<actio::Vector6<double>> V_, A_, F_, W_;
  Vector no_force_, tau_, a_, lambda_;
  actio::MatrixX<double> Y_, stiffness_;
  std::vector<ClosedLoop> loops_;
  Eigen::LDLT<actio::MatrixX<double>> cholesky_;
};

/// Explicit Runge-Kutta steps on the manifold of configurations with LoopDynamics, as actio::RungeKutta without loops.
/// Accepts no inputs; steps backward are possible, for checks.
template <class Tableau = actio::RungeKutta4>
class AccelerationLevelLoops {
 public:
  using Model = actio::Model<double>;
  using Scalar = double;
  using Memory = actio::State<double>;
  static constexpr int order = Tableau::order;
  static constexpr bool reversible = false;

  /// @param model must outlive the integrator.  @param alpha as for LoopDynamics.
  explicit AccelerationLevelLoops(const Model& model, double alpha = 0, Tableau = {})
      : model_(&model), state_(rest_state(model)), stage_(state_), stages_(model.nv()), dynamics_(model, alpha) {
    require_support(model, {.loops = true, .dampers = true}, "acceleration-level loops");
  }

  const Model& model() const noexcept { return *model_; }
  const actio::VectorX<double>& configuration() const noexcept { return state_.q; }
  double time() const noexcept { return state_.time; }
  /// Resets to x as it is: violations of loops, in q or in v, remain.
  void reset(const actio::State<double>& x) {
    actio::detail::require_state(*model_, x);
    state_ = x;
  }
  actio::Status read(actio::State<double>& state) noexcept {
    state = state_;
    return actio::Status::converged;
  }
  actio::StepResult<double> step(const actio::Input<double>& input, double h) noexcept {
    actio::StepResult<double> result;
    if (!actio::detail::is_valid_step(*model_, h, true))
      result.status = actio::Status::invalid_step;
    else if (input.tau_at_end().size() > 0 || input.wrench_at_end().size() > 0)
      result.status = actio::Status::invalid_input;
    if (!result) return result;
    for (std::size_t s = 0; s < Tableau::stages; ++s) {
      stages_.begin(*model_, s, state_, h, stage_);
      ++result.evaluations;
      if (!dynamics_.evaluate(stage_.q, stage_.v)) {
        result.status = actio::detail::is_finite_vector(stage_.q) ? actio::Status::singular : actio::Status::not_finite;
        return result;
      }
      stages_.end(*model_, s, stage_, dynamics_.acceleration());
    }
    stages_.finish(*model_, state_, h, stage_);
    if (!actio::detail::is_finite_vector(stage_.q) || !actio::detail::is_finite_vector(stage_.v)) {
      result.status = actio::Status::not_finite;
      return result;
    }
    stage_.time = state_.time + h;
    std::swap(state_, stage_);
    return result;
  }
  Memory make_memory() const { return state_; }
  void save(Memory& memory) const noexcept { memory = state_; }
  void restore(const Memory& memory) noexcept { state_ = memory; }

 private:
  const Model* model_;
  actio::State<double> state_, stage_;
  actio::detail::ChartStages<actio::Model<double>, Tableau> stages_;
  LoopDynamics dynamics_;
};

}  // namespace experiments
