// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The rows of loops and couplings over a variational step, with their impulses.
#include <cmath>
#include <utility>

#include "actio/integrators/shared/node_mass.hpp"

namespace actio::detail {

/// g(q_k (+) x) = 0 with impulses L (rows) [N s, N m s] that act on the tree as -G^T L, in the order of TreeClosures. g (rows) [m, rad] is
/// the constraint violation, G (rows x nv) its Jacobian at the beginning of the step. L enters linearly and is eliminated, so that root
/// finders see only x. A solution with the mass matrix is that of  M w - G^T (-dL) = -f - G^T L,  G w = -g / h,  and sets L += dL, after
/// which f + G^T L = -M w. The update of x is h w, and the norm is that of w. It bounds the residual of both momenta and constraints at
/// this x with these impulses; where it vanishes both equations are solved. A solution with the exact Jacobian J does the same with J and
/// the rows' Jacobian at the end of the step.                                                              [srm_math.md, section 5.3]
template <class ModelType>
class StepRows {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< value type of norms

  /// @param mass of the same model.
  StepRows(const Model& model, NodeMass<Model>& mass) : has_rows_(mass.has_rows()), end_(model, mass.closures()), update_(VectorX<S>::Zero(model.nv())) {
    for (VectorX<S>* work : {&L_, &gap_, &dL_, &rest_, &rate_, &hR_}) work->setZero(mass.closures().size());
  }

  bool any() const noexcept { return has_rows_; }                  ///< whether the model has active loops or couplings, which are rigid
  const VectorX<S>& impulses() const noexcept { return L_; }       ///< L (rows) after the last solution
  const VectorX<S>& update() const noexcept { return update_; }    ///< (nv) that of x by the last solution

  /// Begins a step, with L = 0.  @param mass begun for this step; outlives it.
  void begin(NodeMass<Model>& mass) noexcept {
    mass_ = &mass;
    by_step_ = false;
    L_.setZero();
  }
  /// Begins with other impulses L (rows). Good ones save work of an iterated solver and do not change the root. Where rows are redundant,
  /// they would select one of many solutions and are ignored.
  void set_impulses(const VectorX<S>& L) noexcept {
    if (!mass_->is_redundant()) L_ = L;
  }
  const VectorX<S>& violations() const noexcept { return gap_; }   ///< g (rows) at the last evaluation [m, rad]
  /// Evaluates g.  @param dT (bodies) displacements over the increment x (nv).
  void evaluate(const BodyArray<Displacement<S>>& dT, const VectorX<S>& x) noexcept { mass_->closures().values(mass_->rotations(), dT, x, gap_); }

  /// Solves with the mass matrix.  @param f (nv) the tree's residual.  @returns the squared norm.  @pre mass.ready()
  S solve_mass(const VectorX<S>& f) noexcept {
    set_right_side(f);
    dL_ = -gap_ / mass_->h() + mass_->R().cwiseProduct(L_);
    rest_ = dL_;
    mass_->solver().solve_mass(mass_->node(), update_, dL_, Accuracy::of_update);
    const S energy = mass_->energy(update_, rate_);
    rest_ -= rate_ + mass_->R().cwiseProduct(dL_);  // residual of the rows' equations
    update_ *= mass_->h();
    return take_impulses(energy);
  }
  /// Factors  J dx - G^T (-dL) = -f - G^T L,  G_end dx + h R (-dL) = -g + h R L.  The arguments are those of ClosedStep::begin(), and
  /// outlive solve_step().  @returns false if something is not finite or singular.
  bool factor_step(const BodyArray<Displacement<S>>& dT, const TreeMatrix<S>& rates, TreeLu<S>& factors, const VectorX<S>& x,
                   const VectorX<S>& joint) noexcept {
    if (!mass_->measure()) return false;
    by_step_ = true;
    end_.begin(mass_->tree(), dT, rates, factors, x, joint, mass_->rotations());
    hR_ = mass_->h() * mass_->R();
    return mass_->solver().factor_step(mass_->node(), end_, mass_->h(), hR_);
  }
  /// Solves with the exact Jacobian.  @param f (nv) the tree's residual.  @returns the squared norm.  @pre factor_step()
  S solve_step(const VectorX<S>& f) noexcept {
    const S& h = mass_->h();
    set_right_side(f);
    dL_ = -gap_ + hR_.cwiseProduct(L_);
    rate_ = dL_;
    mass_->solver().solve_step(mass_->node(), end_, update_, dL_);
    end_.rates(update_, rest_);
    rest_ = (rate_ - rest_ - hR_.cwiseProduct(dL_)) / h;  // residual of the rows' equations
    return take_impulses(mass_->energy(update_, rate_) / (h * h));
  }

  /// Adds the impulses to the tree's residual f (nv) at the end of the step. Where rows are redundant they are first replaced by the
  /// smallest impulses with the same effect, which the exact Jacobian does not find.
  void finish(VectorX<S>& f) noexcept {
    if (mass_->is_redundant() && by_step_ && mass_->is_rigid() && mass_->ready()) {
      update_ = f;
      dL_.setZero();
      mass_->solver().solve_mass(mass_->node(), update_, dL_, Accuracy::full);
      L_ = dL_;
    }
    mass_->closures().add_forces(mass_->tree(), L_, f);
  }
  /// Returns the rounding error of the norm, not over its scale, estimated from what cancels in the impulses and in the poses of the rows.
  /// The factor was measured on trees with loops of all types.  @pre a solution
  V floor() const noexcept {
    V impulses(0), poses(0);
    for (Eigen::Index k = 0; k < L_.size(); ++k) {
      const V mobility = value_of(mass_->mobility()[k]), L = value_of(L_[k]), reach = mass_->closures().reach(k);
      impulses += mobility * L * L;
      poses += reach * reach / mobility;
    }
    return 64 * epsilon<S> * (std::sqrt(impulses) + std::sqrt(poses) / std::abs(value_of(mass_->h())));
  }
  /// Returns the largest constraint violation at the last evaluation [m, rad], and its loop or coupling; none if the model has none.
  std::pair<V, Culprit> most_open() const noexcept {
    V widest(0);
    Eigen::Index row = 0;
    for (Eigen::Index k = 0; k < gap_.size(); ++k) {
      if (const V size = std::abs(value_of(gap_[k])); widest < size) widest = size, row = k;
    }
    return {widest, gap_.size() > 0 ? mass_->closures().culprit(row) : Culprit{}};
  }

 private:
  void set_right_side(const VectorX<S>& f) noexcept {
    update_ = f;
    mass_->closures().add_forces(mass_->tree(), L_, update_);
    update_ = -update_;
  }
  /// Returns the squared norm: the energy of w, and that of rest_ with the rows' effective masses.
  S take_impulses(const S& energy) noexcept {
    L_ -= dL_;
    return energy + rest_.cwiseAbs2().cwiseQuotient(mass_->mobility()).sum();
  }

  bool has_rows_;
  NodeMass<Model>* mass_ = nullptr;  // of the present step
  ClosedStep<Model> end_;
  VectorX<S> update_;                            // (nv)
  VectorX<S> L_, gap_, dL_, rest_, rate_, hR_;  // (rows)
  bool by_step_ = false;                         // whether L_ comes from the exact Jacobian
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepRows<Model<double>>;
#endif

}  // namespace actio::detail
