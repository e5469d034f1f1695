// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step of a tree with closed loops and couplings, as a problem for root finders.
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "actio/constraints/mobility.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/equations/closure_solver.hpp"
#include "actio/integrators/variational/discrete_euler_lagrange.hpp"

namespace actio::detail {

/// f(x) + G^T L = 0,  g(q_k (+) x) = 0  in the increment x (nv) [rad, m] and the impulses L (rows) [N s, N m s] of loops and couplings, in
/// the order of TreeClosures. f (nv) [N m s, N s] is the residual of the tree, g (rows) [m, rad] the constraint violation, G (rows x nv)
/// the rows' Jacobian at the beginning of the step. Without rows it is the tree's equation. L enters linearly and is eliminated, so that
/// root finders see only x. An evaluation solves the system at the beginning of the step,  M w - G^T (-dL) = -f - G^T L,  G w = -g / h,
/// and sets L += dL, after which f + G^T L = -M w. The update is x += h w, and the norm is that of w. It bounds the residual of both
/// momenta and constraints at this x with these impulses; where it vanishes both equations are solved.   [srm_math.md, section 5.3]
template <class Model, class Residual, class Force, JacobianUse use>
class ClosedEulerLagrange : public DiscreteEulerLagrange<Model, Residual, Force, use> {
 public:
  using Tree = DiscreteEulerLagrange<Model, Residual, Force, use>;  ///< the equation without loops
  using S = typename Model::Scalar;                                 ///< scalar type of all numbers
  using V = ValueOf<S>;                                             ///< value type of norms

  /// @param model outlives this.  @param force evaluated at the middle of the step.
  /// @throws ModelError if the solver needs inertia that a body of the model lacks.
  ClosedEulerLagrange(const Model& model, SpringRule springs, Force force, Factorization method)
      : Tree(model, springs, std::move(force)), model_(&model), closures_(model), free_mobility_(model),
        solver_(model, closures_.size(), joints_with_terms(model, springs), method), step_(model, closures_), turns_(closures_.make_turns()) {
    for (VectorX<S>* work : {&f_, &w_, &joint_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&L_, &gap_, &dL_, &rest_, &rate_, &R_, &hR_, &mobility_}) work->setZero(closures_.size());
  }

  const TreeClosures<Model>& closures() const noexcept { return closures_; }      ///< rows, at the beginning of the step
  bool is_closed() const noexcept { return closures_.size() > 0; }                ///< whether the model has active loops or couplings
  Factorization method() const noexcept { return solver_.method(); }              ///< in use, never automatic

  /// Begins a step, as the tree's begin().  @param softness compliance of the rows, relative to their mobility on unconstrained bodies;
  /// 0 closes them exactly.
  template <class Node>
  void begin(Node& node, const S& h, bool keeps_mass, AbiData<S>& fresh, const S& softness = S(0)) noexcept {
    Tree::begin(node, h, keeps_mass && !is_closed(), fresh);
    if (!is_closed()) return;
    h_ = h;
    softness_ = softness;
    tree_ = &node.tree;
    is_redundant_ = node.redundant;
    turns_ = node.turns;
    closures_.place(node.tree, turns_);
    is_measured_ = mass_is_factored_ = by_step_ = false;
    factorizations_ = 0;
    L_.setZero();
  }
  /// Sets the impulses with which the iteration begins; they are zero after begin(). A good guess saves work of an iterated solver and
  /// does not change the root. Ignored where rows are redundant, since the guess would select one of many solutions.
  void guess_impulses(const ConstVectorRef<S>& L) noexcept {
    if (is_closed() && !is_redundant_) L_ = L;
  }
  /// Returns L (rows) of the last evaluation.
  const VectorX<S>& impulses() const noexcept { return L_; }
  /// Whether the rows of the last factor_mass() are linearly dependent: where loops are redundant, which begin() must then be told by the
  /// node's `redundant`, and in singular poses.
  bool is_redundant() noexcept { return is_closed() && solver_.is_redundant(node()); }
  /// Number of factorisations of M with the rows, since begin().
  int factorizations() const noexcept { return is_closed() ? factorizations_ : Tree::factorizations(); }
  /// Factors M(q_k) with the rows there.  @returns false if that is singular.
  bool factor_mass() noexcept {
    if (!is_closed()) return Tree::factor_mass();
    ++factorizations_;
    return mass_is_factored_ = measure() && solver_.factor_mass(node());
  }
  /// Computes z = v with  M v - G^T L = f,  G v = 0.  @param f (nv).  @param z (nv), L (rows) out.  @returns v^T M v.  @pre factor_mass()
  S mass_solve(const VectorX<S>& f, VectorX<S>& z, VectorX<S>& L) noexcept {
    if (!is_closed()) return Tree::mass_solve(f, z);
    z = f;
    L.setZero();
    solver_.solve_mass(node(), z, L, Accuracy::full);
    closures_.rates(*tree_, z, rate_);
    return energy_of(z);
  }
  /// Returns the relative rotations of the loops' frames at the beginning of the step.
  const typename TreeClosures<Model>::Turns& turns() const noexcept { return turns_; }

  /// See RootProblem.
  ///@{
  S residual(const VectorX<S>& x) noexcept {
    if (!is_closed()) return Tree::residual(x);
    if (!mass_is_factored_ && !factor_mass()) return S(std::numeric_limits<V>::quiet_NaN());
    evaluate(x);
    w_ = -f_;
    dL_ = -gap_ / h_ + R_.cwiseProduct(L_);
    rest_ = dL_;
    solver_.solve_mass(node(), w_, dL_, Accuracy::of_update);
    closures_.rates(*tree_, w_, rate_);
    rest_ -= rate_ + R_.cwiseProduct(dL_);  // residual of the rows' equations
    take_impulses();
    return relative(energy_of(w_) + energy_of_rates(rest_));
  }
  void update(VectorX<S>& z) noexcept {
    if (!is_closed()) return Tree::update(z);
    z = h_ * w_;
  }
  ///@}
  /// Returns the rounding error of the norm, estimated from what cancels in the tree's f, in the impulses and in the poses of the rows.
  /// The factor was measured on trees with loops of all types.
  V floor() noexcept {
    const bool has_rows = is_closed() && measure();
    const V of_tree = Tree::floor();
    if (!has_rows) return of_tree;
    V impulses(0), poses(0);
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      const V mobility = value_of(mobility_[k]), L = value_of(L_[k]), reach = closures_.reach(k);
      impulses += mobility * L * L;
      poses += reach * reach / mobility;
    }
    return of_tree + 64 * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / std::abs(value_of(h_))) / value_of(Tree::scale());
  }

  /// See NewtonProblem.
  ///@{
  void evaluate(const VectorX<S>& x) noexcept {
    Tree::evaluate(x);
    if (!is_closed()) return;
    if constexpr (takes_loops) {
      x_ = &x;
      set_f();
      closures_.values(turns_, Residual::displacements(Tree::data()), x, gap_);
    }
  }
  bool linearize() noexcept requires(use == JacobianUse::factored) {
    if (!Tree::linearize()) return false;
    if (!is_closed()) return true;
    if constexpr (has_step) {
      if (!measure()) return false;
      by_step_ = true;
      step_.begin(*tree_, Residual::displacements(Tree::data()), Tree::linear().rates, Tree::linear().of_jacobian, *x_,
                  Tree::terms().left_rate(*model_, h_), turns_);
      hR_ = h_ * R_;
      return solver_.factor_step(node(), step_, h_, hR_);
    }
    return false;
  }
  S newton_norm() noexcept requires(use == JacobianUse::factored) {
    if (!is_closed()) return Tree::newton_norm();
    if constexpr (has_step) {  // J dx - G^T (-dL) = -f - G^T L,  G_end dx + h R (-dL) = -g + h R L
      if (f_is_old_) set_f();
      w_ = -f_;
      dL_ = -gap_ + hR_.cwiseProduct(L_);
      rate_ = dL_;
      solver_.solve_step(node(), step_, w_, dL_);
      step_.closure_rates(w_, rest_);
      rest_ = (rate_ - rest_ - hR_.cwiseProduct(dL_)) / h_;  // residual of the rows' equations
      take_impulses();
      closures_.rates(*tree_, w_, rate_);
      return relative(energy_of(w_) / (h_ * h_) + energy_of_rates(rest_));
    }
    return S(0);
  }
  void newton_update(VectorX<S>& z) noexcept requires(use == JacobianUse::factored) {
    if (!is_closed()) return Tree::newton_update(z);
    z = w_;
  }
  ///@}

  /// Ends the step, as the tree's finish(), with the impulses of the last evaluation; where rows are redundant, with the smallest impulses
  /// that leave the same residual.
  void finish(const TreePose<S>& next, const VectorX<S>& x, VectorX<S>& f, VectorX<S>& p) noexcept {
    Tree::finish(next, x, f, p);
    if (!is_closed()) return;
    if (is_redundant_ && by_step_ && softness_ == S(0) && (mass_is_factored_ || factor_mass())) {
      w_ = f;
      dL_.setZero();
      solver_.solve_mass(node(), w_, dL_, Accuracy::full);
      L_ = dL_;
    }
    closures_.add_forces(*tree_, L_, f);
  }
  /// Returns the loop or coupling with the largest constraint violation at the last evaluation; none if the model has none.
  Culprit most_open() const noexcept {
    if (!is_closed()) return {};
    Eigen::Index row = 0;
    for (Eigen::Index k = 1; k < closures_.size(); ++k) {
      if (std::abs(value_of(gap_[row])) < std::abs(value_of(gap_[k]))) row = k;
    }
    return closures_.culprit(row);
  }

  /// Returns the largest constraint violation of a row at the last evaluation [m, rad].
  V opening() const noexcept {
    V widest(0);
    for (const S& gap : gap_) widest = std::max(widest, std::abs(value_of(gap)));
    return widest;
  }

  /// Whether the residual provides the displacements of the bodies, which loops need.
  static constexpr bool takes_loops = requires(const typename Residual::template Data<S>& data) { Residual::displacements(data); };

 private:
  static constexpr bool has_step = takes_loops && use == JacobianUse::factored;
  struct NoStep {
    NoStep(const Model&, const TreeClosures<Model>&) {}
  };

  using Tree::relative;
  ClosedNode<Model> node() noexcept { return {*tree_, Tree::mass(), closures_, joint_, R_, mobility_, is_redundant_}; }
  /// Sets f_ = f + G^T L.
  void set_f() noexcept {
    f_ = Tree::value();
    closures_.add_forces(*tree_, L_, f_);
    f_is_old_ = false;
  }
  void take_impulses() noexcept {
    L_ -= dL_;
    f_is_old_ = true;
  }
  /// Returns w^T M w of the w (nv) whose twists closures_.rates() computed last. It is not taken from the solution of the system, in which
  /// it may cancel down to rounding.
  S energy_of(const VectorX<S>& w) const noexcept {
    S sum = joint_.dot(w.cwiseAbs2());
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) sum += S(2) * model_->inertia(i).kinetic_energy(closures_.twists()[i]);
    return sum;
  }
  /// Returns the squared norm of rates (rows), with the rows' effective masses.
  S energy_of_rates(const VectorX<S>& rates) const noexcept { return rates.cwiseAbs2().cwiseQuotient(mobility_).sum(); }
  /// Computes the mobility and the compliance of the rows at the beginning of the step. A row without mobility gets the largest mobility of
  /// the others, so that its violation, which some rows have in singular poses, has a comparable weight.
  bool measure() noexcept {
    if (is_measured_) return true;
    if ((solver_.wants_mass() || is_redundant_) && !Tree::factor_mass()) return false;
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

  const Model* model_;
  TreeClosures<Model> closures_;
  FreeMobility<Model> free_mobility_;
  ClosureSolver<Model> solver_;
  [[no_unique_address]] std::conditional_t<has_step, ClosedStep<Model>, NoStep> step_;
  typename TreeClosures<Model>::Turns turns_;
  const TreePose<S>* tree_ = nullptr;
  const VectorX<S>* x_ = nullptr;
  VectorX<S> f_, w_, joint_;                                   // (nv)
  VectorX<S> L_, gap_, dL_, rest_, rate_, R_, hR_, mobility_;  // (rows)
  S h_{}, softness_{};
  int factorizations_ = 0;
  bool is_redundant_ = false, is_measured_ = false, mass_is_factored_ = false;
  bool f_is_old_ = false;  // f_ belongs to other impulses than L_
  bool by_step_ = false;   // L_ comes from the exact Jacobian, which does not find the smallest impulses
};

}  // namespace actio::detail
