// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step of a tree with closed loops, as root finders see it.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "actio/constraints/free_mobility.hpp"
#include "actio/integrators/closed_step.hpp"
#include "actio/integrators/closure_solver.hpp"
#include "actio/integrators/discrete_euler_lagrange.hpp"

namespace actio {

/// f(x) + G^T L = 0,  g(q_k (+) x) = 0  in the increment x (nv) [rad, m] and the impulses L (rows) [N s, N m s] of what closes the loops,
/// laid out as TreeClosures says: f (nv) [N m s, N s] is that of the tree, g (rows) [m, rad] the gaps, G (rows x nv) the rows' Jacobian
/// where the step begins. Without loops it is the tree's own equation. The norm is that of the update from it, which the system at the
/// beginning of the step makes,  M w - G^T (-dL) = -f,  G w = -g / h,  x += h w: momenta and gaps in one number.
///                                                                                              [srm_math.md, section 5.3]
template <class Model, class Residual, class Force, JacobianUse use>
class ClosedEulerLagrange : public DiscreteEulerLagrange<Model, Residual, Force, use> {
 public:
  using Tree = DiscreteEulerLagrange<Model, Residual, Force, use>;  ///< the equation without loops
  using S = typename Model::Scalar;                                 ///< of all numbers
  using V = ValueOf<S>;                                             ///< of norms

  /// @param model outlives this.  @param force taken at the middle of the step.
  /// @throws ModelError where the solver cannot take the model's bodies.
  ClosedEulerLagrange(const Model& model, SpringRule springs, Force force, ClosureMethod method)
      : Tree(model, springs, std::move(force)), model_(&model), closures_(model), free_mobility_(model),
        solver_(model, closures_.size(), joints_with_terms(model, springs), method), step_(model, closures_), turns_(closures_.make_turns()) {
    for (VectorX<S>* work : {&x_, &f_, &w_, &joint_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&gap_, &dL_, &rest_, &rate_, &R_, &hR_, &mobility_}) work->setZero(closures_.size());
  }

  const TreeClosures<Model>& closures() const noexcept { return closures_; }      ///< placed where the step begins
  bool is_closed() const noexcept { return closures_.size() > 0; }                ///< whether there is anything but the tree
  Eigen::Index size() const noexcept { return model_->nv() + closures_.size(); }  ///< of (x, L)
  ClosureMethod method() const noexcept { return solver_.method(); }              ///< that was taken

  /// As the tree's. @param softness of the rows, relative to how they would move if nothing else held their bodies: 0 closes them exactly.
  template <class Node>
  void begin(Node& node, const S& h, bool keeps_mass, AbiData<S>& fresh, const S& softness = S(0)) noexcept {
    Tree::begin(node, h, keeps_mass && !is_closed(), fresh);
    if (!is_closed()) return;
    h_ = h;
    softness_ = softness;
    tree_ = &node.tree;
    turns_ = node.turns;
    closures_.place(node.tree, turns_);
    is_measured_ = mass_is_factored_ = false;
    factorizations_ = 0;
  }
  /// Of M and the closures, since begin().
  int factorizations() const noexcept { return is_closed() ? factorizations_ : Tree::factorizations(); }
  /// Factors M(q_k), with the closures there.  @returns whether it can be.
  bool factor_mass() noexcept {
    if (!is_closed()) return Tree::factor_mass();
    ++factorizations_;
    return mass_is_factored_ = measure() && solver_.factor_mass(node());
  }
  /// z = v with  M v - G^T L = f,  G v = 0.  @param f (nv).  @param z (nv), L (rows) out.  @returns v^T M v.  @pre factor_mass()
  S mass_solve(const VectorX<S>& f, VectorX<S>& z, VectorX<S>& L) noexcept {
    if (!is_closed()) return Tree::mass_solve(f, z);
    z = f;
    L.setZero();
    return solver_.solve_mass(node(), z, L, Accuracy::full);
  }
  /// Turns of the loops where the step begins.
  const typename TreeClosures<Model>::Turns& turns() const noexcept { return turns_; }

  /// As RootProblem says, see there; y = (x, L), z its update.
  ///@{
  S residual(const VectorX<S>& y) noexcept {
    if (!is_closed()) return Tree::residual(y);
    if (!mass_is_factored_ && !factor_mass()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(y);
    w_ = -f_;
    dL_ = -gap_ / h_;
    rest_ = dL_;
    const S energy = solver_.solve_mass(node(), w_, dL_, Accuracy::of_update);
    return relative(select(energy < S(0), S(0), energy) + what_is_left_of_rows());  // rounding has either sign
  }
  void update(VectorX<S>& z) noexcept {
    if (!is_closed()) return Tree::update(z);
    z.head(w_.size()) = h_ * w_;
    z.tail(dL_.size()) = -dL_;
  }
  ///@}
  /// Relative to what cancels in the tree's f, in the impulses and in the rows' poses. The factor: measured on trees tied by loops of all types.
  V floor() noexcept {
    const bool has_rows = is_closed() && measure();
    const V of_tree = Tree::floor();
    if (!has_rows) return of_tree;
    V impulses(0), poses(0);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      const V mobility = value_of(mobility_[k]), L = value_of((*y_)[model_->nv() + k]), reach = closures_.reach(k);
      impulses += mobility * L * L;
      poses += reach * reach / mobility;
    }
    return of_tree + 64 * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / std::abs(value_of(h_))) / value_of(Tree::scale());
  }

  /// As NewtonProblem says, see there.
  ///@{
  void evaluate(const VectorX<S>& y) noexcept {
    if (!is_closed()) return Tree::evaluate(y);
    if constexpr (takes_loops) {
      y_ = &y;
      x_ = y.head(model_->nv());
      Tree::evaluate(x_);
      f_ = Tree::value();
      closures_.add_forces(*tree_, y.tail(closures_.size()), f_);
      closures_.values(turns_, Residual::displacements(Tree::data()), x_, gap_);
      if (softness_ > S(0)) gap_ -= h_ * R_.cwiseProduct(y.tail(closures_.size()));
    }
  }
  bool linearize() noexcept requires(use == JacobianUse::factored) {
    if (!Tree::linearize()) return false;
    if (!is_closed()) return true;
    if constexpr (has_step) {
      if (!measure()) return false;
      step_.begin(*tree_, Residual::displacements(Tree::data()), Tree::linear().rates, Tree::linear().of_jacobian, x_,
                  Tree::terms().left_rate(*model_, h_), turns_);
      hR_ = h_ * R_;
      return solver_.factor_step(node(), step_, h_, hR_);
    }
    return false;
  }
  S newton_norm() noexcept requires(use == JacobianUse::factored) {
    using std::abs;
    if (!is_closed()) return Tree::newton_norm();
    if constexpr (has_step) {  // J dx - G^T (-dL) = -f,  G_end dx + h R (-dL) = -g
      w_ = -f_;
      dL_ = -gap_;
      solver_.solve_step(node(), step_, w_, dL_);
      step_.closure_rates(w_, rest_);
      rest_ = (rest_ + hR_.cwiseProduct(dL_) + gap_) / h_;  // what is left of gaps
      const S of_rows = rest_.cwiseAbs2().cwiseQuotient(mobility_).sum();
      closures_.rates(*tree_, w_, rate_);
      // dx^T J dx, and with the impulses' part in it: where these cancel, either alone would overlook gaps.
      const S of_update = abs(w_.dot(f_) - rate_.dot(dL_)), of_all = abs(w_.dot(f_) + gap_.dot(dL_));
      return relative(std::max(of_update, of_all) / abs(h_) + of_rows);
    }
    return S(0);
  }
  void newton_update(VectorX<S>& z) noexcept requires(use == JacobianUse::factored) {
    if (!is_closed()) return Tree::newton_update(z);
    z.head(w_.size()) = w_;
    z.tail(dL_.size()) = -dL_;
  }
  ///@}

  /// As the tree's, with the y = (x, L) that was evaluated last.
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

  /// The widest gap of a row that softness leaves, as the last evaluation found [m, rad].
  V opening() const noexcept {
    V widest(0);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      widest = std::max(widest, std::abs(value_of(S(gap_[k] + h_ * R_[k] * (*y_)[model_->nv() + k]))));
    }
    return widest;
  }

  /// Whether the residual tells how bodies moved, which loops take.
  static constexpr bool takes_loops = requires(const typename Residual::template Data<S>& data) { Residual::displacements(data); };

 private:
  static constexpr bool has_step = takes_loops && use == JacobianUse::factored;
  struct NoStep {
    NoStep(const Model&, const TreeClosures<Model>&) {}
  };

  using Tree::relative;
  ClosedNode<Model> node() noexcept { return {*tree_, Tree::mass(), closures_, joint_, R_}; }
  /// How the rows move where the step begins. Of a row that moves nothing here it is the largest of others, so that its gap, which some
  /// rows have in singular poses, counts beside theirs.
  bool measure() noexcept {
    if (is_measured_) return true;
    if (solver_.wants_mass() && !Tree::factor_mass()) return false;
    joint_ = model_->properties().armature + Tree::terms().diagonal(*model_, h_);
    solver_.measure(node(), mobility_);
    const S largest = mobility_.maxCoeff();
    for (S& mobility : mobility_) {
      if (!(mobility > S(0))) mobility = largest > S(0) ? largest : S(1);
    }
    R_.setZero();
    for (Eigen::Index k = 0; softness_ > S(0) && k < R_.size(); ++k) {
      const S free = free_mobility_(*tree_, closures_[k]);
      R_[k] = softness_ * (free > S(0) ? free : mobility_[k]);
    }
    return is_measured_ = true;
  }
  /// Squares of rates in the rows' own metric that rows wanted and w_ with dL_ does not have, since they could not.  @pre rest_ is what they wanted.
  S what_is_left_of_rows() noexcept {
    closures_.rates(*tree_, w_, rate_);
    rest_ -= rate_ + R_.cwiseProduct(dL_);
    return rest_.cwiseAbs2().cwiseQuotient(mobility_).sum();
  }

  const Model* model_;
  TreeClosures<Model> closures_;
  FreeMobility<Model> free_mobility_;
  ClosureSolver<Model> solver_;
  [[no_unique_address]] std::conditional_t<has_step, ClosedStep<Model>, NoStep> step_;
  typename TreeClosures<Model>::Turns turns_;
  const TreePose<S>* tree_ = nullptr;
  const VectorX<S>* y_ = nullptr;
  VectorX<S> x_, f_, w_, joint_;                              // (nv)
  VectorX<S> gap_, dL_, rest_, rate_, R_, hR_, mobility_;     // (rows)
  S h_{}, softness_{};
  int factorizations_ = 0;
  bool is_measured_ = false, mass_is_factored_ = false;
};

}  // namespace actio
