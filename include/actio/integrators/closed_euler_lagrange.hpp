// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step of a tree with closed loops, as root finders see it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "actio/integrators/closed_mass.hpp"
#include "actio/integrators/discrete_euler_lagrange.hpp"

namespace actio {

/// f(x) + G^T L = 0,  g(q_k (+) x) = 0  in the increment x and the impulses L of what closes the loops: f is that of the tree, G the rows'
/// Jacobian where the step begins. Without loops it is the tree's own equation. The norm is that of the update from it, which the system
/// at the beginning of the step makes,  M w - G^T (-dL) = -f,  G w = -g / h,  x += h w: momenta and gaps in one number.
///                                                                                              [srm_math.md, section 5.3]
template <class Model, class Residual, class Force, JacobianUse use>
class ClosedEulerLagrange : public DiscreteEulerLagrange<Model, Residual, Force, use> {
 public:
  using Tree = DiscreteEulerLagrange<Model, Residual, Force, use>;
  using S = typename Model::Scalar;
  using V = ValueOf<S>;

  ClosedEulerLagrange(const Model& model, SpringRule springs, Force force)
      : Tree(model, springs, std::move(force)), model_(&model), closures_(model), closures_at_end_(closures_), mass_(model, closures_.size()),
        end_(model), turns_(closures_.make_turns()), end_turns_(turns_) {
    for (VectorX<S>* work : {&x_, &f_, &w_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&gap_, &dL_, &rest_}) work->setZero(closures_.size());
    J_inverse_GT_.setZero(model.nv(), closures_.size());
    rates_ = J_inverse_GT_;
    coupled_.setZero(closures_.size(), closures_.size());
  }

  const TreeClosures<Model>& closures() const noexcept { return closures_; }
  bool is_closed() const noexcept { return closures_.size() > 0; }
  Eigen::Index size() const noexcept { return model_->nv() + closures_.size(); }  ///< of (x, L)

  /// As the tree's. @param softness of the rows, relative to how they move: 0 closes them exactly.
  template <class Node>
  void begin(Node& node, const S& h, bool keeps_mass, AbiData<S>& fresh, const S& softness = S(0)) noexcept {
    Tree::begin(node, h, keeps_mass && !is_closed(), fresh);
    if (!is_closed()) return;
    h_ = h;
    softness_ = softness;
    tree_ = &node.tree;
    turns_ = node.turns;
    closures_.place(node.tree, turns_);
    mass_is_factored_ = false;
  }
  bool factor_mass() noexcept {
    if (!Tree::factor_mass()) return false;
    return mass_is_factored_ = !is_closed() || mass_.factor(*tree_, Tree::mass(), closures_, softness_);
  }
  /// z = v with  M v - G^T L = f,  G v = 0.  @param L (rows) out.  @returns v^T M v.
  S mass_solve(const VectorX<S>& f, VectorX<S>& z, VectorX<S>& L) noexcept {
    if (!is_closed()) return Tree::mass_solve(f, z);
    z = f;
    L.setZero();
    return mass_.solve(z, L);
  }
  /// Turns of the loops where the step begins.
  const typename TreeClosures<Model>::Turns& turns() const noexcept { return turns_; }

  // RootProblem
  S residual(const VectorX<S>& y) noexcept {
    if (!is_closed()) return Tree::residual(y);
    if (!mass_is_factored_ && !factor_mass()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(y);
    w_ = -f_;
    dL_ = -gap_ / h_;
    return relative(mass_.solve(w_, dL_));
  }
  void update(VectorX<S>& z) noexcept {
    if (!is_closed()) return Tree::update(z);
    z.head(w_.size()) = h_ * w_;
    z.tail(dL_.size()) = -dL_;
  }
  /// Relative to what cancels in the tree's f, in the impulses and in the rows' poses. The factor: measured on trees tied by loops of all types.
  V floor() noexcept {
    const V of_tree = Tree::floor();
    if (!is_closed() || (!mass_is_factored_ && !factor_mass())) return of_tree;
    V impulses(0), poses(0);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      const V mobility = value_of(mass_.mobility()[k]), L = value_of((*y_)[model_->nv() + k]), reach = closures_.reach(k);
      impulses += mobility * L * L;
      poses += reach * reach / mobility;
    }
    return of_tree + 64 * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / std::abs(value_of(h_))) / value_of(Tree::scale());
  }

  // NewtonProblem
  void evaluate(const VectorX<S>& y) noexcept {
    if (!is_closed()) return Tree::evaluate(y);
    if constexpr (takes_loops) {
      y_ = &y;
      x_ = y.head(model_->nv());
      Tree::evaluate(x_);
      f_ = Tree::value();
      closures_.add_forces(*tree_, y.tail(closures_.size()), f_);
      closures_.values(turns_, Residual::displacements(Tree::data()), x_, gap_);
      if (softness_ > S(0)) gap_ -= h_ * mass_.softness().cwiseProduct(y.tail(closures_.size()));
    }
  }
  bool linearize() noexcept requires(use == JacobianUse::factored) {
    if (!Tree::linearize()) return false;
    return !is_closed() || factor_coupled();
  }
  S newton_norm() noexcept requires(use == JacobianUse::factored) {
    using std::abs;
    if (!is_closed()) return Tree::newton_norm();
    // J dx + G^T dL = -f,  G_end dx - h R dL = -g
    Residual::solve(*model_, *tree_, Tree::linear(), f_, w_);
    rest_ = gap_;
    rest_.noalias() -= rates_.transpose() * w_;
    dL_.noalias() = coupled_ * rest_;
    w_.noalias() += J_inverse_GT_ * dL_;
    w_ = -w_;
    rest_ = gap_ - h_ * mass_.softness().cwiseProduct(dL_);  // what is left of gaps
    rest_.noalias() += rates_.transpose() * w_;
    const S of_gaps = rest_.cwiseAbs2().cwiseQuotient(mass_.mobility()).sum() / (h_ * h_);
    return relative(abs((dL_.dot(gap_) - w_.dot(f_)) / h_) + of_gaps);
  }
  void newton_update(VectorX<S>& z) noexcept requires(use == JacobianUse::factored) {
    if (!is_closed()) return Tree::newton_update(z);
    z.head(w_.size()) = w_;
    z.tail(dL_.size()) = dL_;
  }

  /// As the tree's, with the y that was evaluated last.
  void finish(const TreePose<S>& next, const VectorX<S>& y, VectorX<S>& f, VectorX<S>& p) noexcept {
    if (!is_closed()) return Tree::finish(next, y, f, p);
    Tree::finish(next, x_, f, p);
    closures_.add_forces(*tree_, y.tail(closures_.size()), f);
  }
  /// The closure whose rows are farthest open, as the last evaluation found: see TreeClosures::closure_of; -1 without any.
  int most_open() const noexcept {
    if (!is_closed()) return -1;
    Eigen::Index row = 0;
    for (Eigen::Index k = 1; k < closures_.size(); ++k) {
      if (std::abs(value_of(gap_[row])) < std::abs(value_of(gap_[k]))) row = k;
    }
    return closures_.closure_of(row);
  }

  static constexpr bool takes_loops = requires(const typename Residual::template Data<S>& data) { Residual::displacements(data); };

 private:
  using Tree::relative;
  /// G_end dq/dx J^-1 G^T + h R, inverted as far as it can be.
  bool factor_coupled() noexcept {
    if (!mass_is_factored_ && !factor_mass()) return false;
    model_->integrate(tree_->q, x_, end_.q);
    place(*model_, end_, end_.q);
    end_turns_ = turns_;
    closures_at_end_.place(end_, end_turns_);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      closures_.covector(*tree_, k, J_inverse_GT_.col(k));
      Residual::solve(*model_, *tree_, Tree::linear(), J_inverse_GT_.col(k), J_inverse_GT_.col(k));
      closures_at_end_.covector(end_, k, rates_.col(k));
      for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
        visit_joint(*model_, i, [&]<JointType J>(const J& joint) {
          if constexpr (!joints::is_flat<J>()) {  // q_end moves by dlog(-x)^-1 dx
            Eigen::Matrix<S, J::nv, J::nv> turn;
            const typename J::Tangent x_i = model_->template v_of<J>(i, x_);
            if (!invert<S, J::nv>(joints::dlog(joint, typename J::Tangent(-x_i)), turn)) turn.setIdentity();
            const typename J::Tangent g = model_->template v_of<J>(i, rates_.col(k));
            model_->template v_of<J>(i, rates_.col(k)) = turn.transpose() * g;
          }
        });
      }
    }
    coupled_.noalias() = rates_.transpose().lazyProduct(J_inverse_GT_);
    coupled_ /= h_;
    coupled_.diagonal() += mass_.softness();
    const bool finite = mass_.invert(coupled_);
    coupled_ /= h_;
    return finite;
  }

  const Model* model_;
  TreeClosures<Model> closures_, closures_at_end_;
  ClosedMass<Model> mass_;
  TreePose<S> end_;
  typename TreeClosures<Model>::Turns turns_, end_turns_;
  const TreePose<S>* tree_ = nullptr;
  const VectorX<S>* y_ = nullptr;
  VectorX<S> x_, f_, w_, gap_, dL_, rest_;
  MatrixX<S> J_inverse_GT_, rates_, coupled_;
  S h_{}, softness_{};
  bool mass_is_factored_ = false;
};

}  // namespace actio
