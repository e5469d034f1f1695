// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equation of one variational step of a tree with closed loops, as root finders see it.
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

/// f(x) + G^T L = 0,  g(q_k (+) x) = 0  in the increment x (nv) [rad, m], L (rows) [N s, N m s] the impulses of what closes the loops,
/// laid out as TreeClosures says: f (nv) [N m s, N s] is that of the tree, g (rows) [m, rad] the gaps, G (rows x nv) the rows' Jacobian
/// where the step begins. Without loops it is the tree's own equation. L enters linearly and is eliminated: root finders see x alone.
/// An evaluation solves the system at the beginning of the step,  M w - G^T (-dL) = -f - G^T L,  G w = -g / h,  and takes L += dL, after
/// which f + G^T L = -M w. The norm is that of w, the update being x += h w: what it bounds is what is left of momenta and gaps at
/// this x with these impulses, so that where it vanishes neither is wrong.                       [srm_math.md, section 5.3]
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
    for (VectorX<S>* work : {&f_, &w_, &joint_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&L_, &gap_, &dL_, &rest_, &rate_, &R_, &hR_, &mobility_}) work->setZero(closures_.size());
  }

  const TreeClosures<Model>& closures() const noexcept { return closures_; }      ///< placed where the step begins
  bool is_closed() const noexcept { return closures_.size() > 0; }                ///< whether there is anything but the tree
  ClosureMethod method() const noexcept { return solver_.method(); }              ///< that was taken

  /// As the tree's. @param softness of the rows, relative to how they would move if nothing else held their bodies: 0 closes them exactly.
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
  /// Impulses with which the iteration begins, zero after begin(): good ones save an iterated solver work, and nothing depends on them.
  /// They are left at zero where rows are redundant, of which no guess may decide.
  void guess_impulses(const ConstVectorRef<S>& L) noexcept {
    if (is_closed() && !is_redundant_) L_ = L;
  }
  /// (rows) L of the last evaluation.
  const VectorX<S>& impulses() const noexcept { return L_; }
  /// Whether rows depend on others, as those of the last factor_mass() do: where loops are redundant, which is then to be told to begin(),
  /// and in singular poses.
  bool is_redundant() noexcept { return is_closed() && solver_.is_redundant(node()); }
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
    solver_.solve_mass(node(), z, L, Accuracy::full);
    closures_.rates(*tree_, z, rate_);
    return energy_of(z);
  }
  /// Turns of the loops where the step begins.
  const typename TreeClosures<Model>::Turns& turns() const noexcept { return turns_; }

  /// As RootProblem says, see there.
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
    rest_ -= rate_ + R_.cwiseProduct(dL_);  // rates that rows wanted and could not have
    take_impulses();
    return relative(energy_of(w_) + energy_of_rates(rest_));
  }
  void update(VectorX<S>& z) noexcept {
    if (!is_closed()) return Tree::update(z);
    z = h_ * w_;
  }
  ///@}
  /// Relative to what cancels in the tree's f, in the impulses and in the rows' poses. The factor: measured on trees tied by loops of all types.
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

  /// As NewtonProblem says, see there.
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
      rest_ = (rate_ - rest_ - hR_.cwiseProduct(dL_)) / h_;  // what is left of gaps
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

  /// As the tree's, with the impulses of the x that was evaluated last: where rows are redundant, the least ones that leave as little of f.
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
  /// The loop or coupling whose constraint violation is largest, as the last evaluation found; none without any.
  Culprit most_open() const noexcept {
    if (!is_closed()) return {};
    Eigen::Index row = 0;
    for (Eigen::Index k = 1; k < closures_.size(); ++k) {
      if (std::abs(value_of(gap_[row])) < std::abs(value_of(gap_[k]))) row = k;
    }
    return closures_.culprit(row);
  }

  /// The widest gap of a row that softness leaves, as the last evaluation found [m, rad].
  V opening() const noexcept {
    V widest(0);
    for (const S& gap : gap_) widest = std::max(widest, std::abs(value_of(gap)));
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
  ClosedNode<Model> node() noexcept { return {*tree_, Tree::mass(), closures_, joint_, R_, mobility_, is_redundant_}; }
  /// f_ = f + G^T L.
  void set_f() noexcept {
    f_ = Tree::value();
    closures_.add_forces(*tree_, L_, f_);
    f_is_old_ = false;
  }
  void take_impulses() noexcept {
    L_ -= dL_;
    f_is_old_ = true;
  }
  /// w^T M w of the w (nv) whose rates the closures found last. Not from the system's solution, where all but rounding of it may cancel.
  S energy_of(const VectorX<S>& w) const noexcept {
    S sum = joint_.dot(w.cwiseAbs2());
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) sum += S(2) * model_->inertia(i).kinetic_energy(closures_.twists()[i]);
    return sum;
  }
  /// The square of rates (rows) in the rows' own metric.
  S energy_of_rates(const VectorX<S>& rates) const noexcept { return rates.cwiseAbs2().cwiseQuotient(mobility_).sum(); }
  /// How the rows move where the step begins. Of a row that moves nothing here it is the largest of others, so that its gap, which some
  /// rows have in singular poses, counts beside theirs.
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
  bool f_is_old_ = false;  // of other impulses than L_
  bool by_step_ = false;   // L_ comes of a step's own matrix, which does not find the least one
};

}  // namespace actio::detail
