// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What problem V of a step with limits and dry friction adds to its derivative.
#include <cmath>
#include <vector>

#include "actio/constraints/closure_force_rates.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/force_rates.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// p = p' + E^T L,  E v = 0,  v = M^-1 p  at the end of a step and at fixed rows, linearised: E has the rows of closures and unit rows of
/// held entries. With D the derivative of M v - E^T L by q at constant v and L, F that of E v, and B that of E^T L,
///   dp = dp' + E^T dL + B dq,   dL = Y (K dq - Z^T dp'),   Z = M^-1 E^T,  Y = (E Z)^-1,  K = Z^T D - F.
/// Where rows are redundant, Y is a generalised inverse. A linearisation takes O(rows bodies + rows^3), a product O(rows bodies). Only the
/// constructor allocates.                                                                           [variational_contact.md, section 11]
template <class ModelType>
class MomentumRowRates {
 public:
  using Model = ModelType;                ///< the tree and its bodies
  using S = typename Model::Scalar;       ///< float or double
  using Closures = TreeClosures<Model>;   ///< rows of loops and couplings

  /// @param entries largest number of held entries.  @param model outlives this.
  MomentumRowRates(const Model& model, std::size_t entries)
      : model_(&model), mass_(model), closure_rates_(model), force_rates_(model), held_(entries),
        size_(num_rows(closures_of(model)) + entries), row_(size_.size()), column_(size_.size()),
        V_(model.num_bodies(), Vector6<S>::Zero()) {
    const auto capacity = static_cast<Eigen::Index>(size_.size());
    for (VectorX<S>* work : {&v_, &zero_, &joint_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&L_, &rates_}) work->setZero(capacity);
    unit_.setZero(static_cast<Eigen::Index>(num_rows(closures_of(model))));
    Z_.setZero(model.nv(), capacity);
    KT_ = Z_;
    Y_.setZero(capacity, capacity);
  }

  void begin() noexcept { num_held_ = 0; }  ///< begins without held entries
  void add(Eigen::Index v) noexcept { held_[num_held_++] = v; }  ///< adds a held entry

  /// Linearises.  @param tree at the end of the step.  @param closures placed there.  @param rotations there.
  /// @param p (nv) p_{k+1} [N m s, N s].  @param L (rows of closures) their impulses, which act as G^T L [N s, N m s].
  /// @returns false if M is singular or something is not finite.
  bool linearize(const TreePose<S>& tree, Closures& closures, const typename Closures::Rotations& rotations, const VectorX<S>& p,
                 const ConstVectorRef<S>& L) noexcept {
    if (abi_factor(*model_, tree, mass_, zero_) != 0) return false;
    abi_solve(*model_, tree, mass_, p, v_);
    body_twists(*model_, tree, v_, V_);
    for (Eigen::Index k = 0; k < size(); ++k) {
      if (k < num_closures()) closures.covector(tree, k, joint_);
      else joint_ = VectorX<S>::Unit(joint_.size(), held_of(k));
      abi_solve(*model_, tree, mass_, joint_, Z_.col(k));
      set_rates(tree, closures, Z_.col(k), Y_.col(k));
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::abs(Y_(k, k)));
    }
    const int n = static_cast<int>(size());
    if (invert_in_place(Y_.data(), n, static_cast<int>(Y_.rows()), size_.data(), redundant_row<S>, row_.data(), column_.data()) < 0) {
      return false;
    }
    KT_.setZero();
    for (Eigen::Index k = 0; k < num_closures(); ++k) {  // -F
      unit_[k] = S(1);
      set_wrenches(closures, rotations, unit_, S(1));
      force_rates_.begin(tree);
      force_rates_.add_transposed(tree, S(-1), v_, KT_.col(k));
      closure_rates_.add_transposed(tree, S(-1), v_, KT_.col(k));
      unit_[k] = S(0);
    }
    set_wrenches(closures, rotations, L, S(-1));
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) force_rates_.wrenches()[i] += model_->inertia(i).momentum(V_[i]);
    force_rates_.begin(tree);
    for (Eigen::Index k = 0; k < size(); ++k) {  // D^T Z
      force_rates_.add_transposed(tree, S(1), Z_.col(k), KT_.col(k));
      force_rates_.add_momenta_transposed(tree, V_, v_, Z_.col(k), KT_.col(k));
      closure_rates_.add_transposed(tree, S(-1), Z_.col(k), KT_.col(k));
    }
    set_wrenches(closures, rotations, L, S(1));  // for B
    force_rates_.begin(tree);
    return true;
  }

  /// Completes variations at the end of the step.  @param tree, closures as they were linearised, here and below.  @param dq (nv).
  /// @param dp (nv) in: of p'; out: of p.
  void apply(const TreePose<S>& tree, Closures& closures, const ConstVectorRef<S>& dq, VectorRef<S> dp) noexcept {
    const Eigen::Index n = size();
    rates_.head(n).noalias() = KT_.leftCols(n).transpose().lazyProduct(dq);
    rates_.head(n).noalias() -= Z_.leftCols(n).transpose().lazyProduct(dp);
    L_.head(n).noalias() = Y_.topLeftCorner(n, n).lazyProduct(rates_.head(n));
    add_forces(tree, closures, dp);
    if (num_closures() == 0) return;
    force_rates_.add(tree, S(1), dq, dp);
    closure_rates_.add(tree, S(1), dq, dp);
  }
  /// The transposed product.  @param w_q, w_p (nv) in: weights of dq and of dp out; out: of dq and of dp'.
  void apply_transposed(const TreePose<S>& tree, Closures& closures, VectorRef<S> w_q, VectorRef<S> w_p) noexcept {
    const Eigen::Index n = size();
    if (num_closures() > 0) {
      force_rates_.add_transposed(tree, S(1), w_p, w_q);
      closure_rates_.add_transposed(tree, S(1), w_p, w_q);
    }
    set_rates(tree, closures, w_p, rates_);
    L_.head(n).noalias() = Y_.topLeftCorner(n, n).transpose().lazyProduct(rates_.head(n));
    w_q.noalias() += KT_.leftCols(n).lazyProduct(L_.head(n));
    w_p.noalias() -= Z_.leftCols(n).lazyProduct(L_.head(n));
  }

 private:
  Eigen::Index num_closures() const noexcept { return unit_.size(); }
  Eigen::Index size() const noexcept { return num_closures() + static_cast<Eigen::Index>(num_held_); }
  Eigen::Index held_of(Eigen::Index k) const noexcept { return held_[static_cast<std::size_t>(k - num_closures())]; }
  void set_rates(const TreePose<S>& tree, Closures& closures, const ConstVectorRef<S>& v, VectorRef<S> rates) noexcept {
    closures.rates(tree, v, rates.head(num_closures()));
    for (Eigen::Index k = num_closures(); k < size(); ++k) rates[k] = v[held_of(k)];
  }
  void add_forces(const TreePose<S>& tree, Closures& closures, VectorRef<S> f) noexcept {
    closures.add_forces(tree, L_.head(num_closures()), f);
    for (Eigen::Index k = num_closures(); k < size(); ++k) f[held_of(k)] += L_[k];
  }
  /// Linearises G^T L, and sets the wrenches of force_rates_ to those of L times a factor.
  void set_wrenches(const Closures& closures, const typename Closures::Rotations& rotations, const ConstVectorRef<S>& L,
                    const S& factor) noexcept {
    closure_rates_.begin(closures, rotations, L);
    for (Vector6<S>& wrench : force_rates_.wrenches()) wrench.setZero();
    closure_rates_.add_wrenches(factor, force_rates_.wrenches());
  }

  const Model* model_;
  AbiData<S> mass_;
  ClosureForceRates<Model> closure_rates_;
  ForceRates<Model> force_rates_;
  std::vector<Eigen::Index> held_;  // the first num_held_
  std::size_t num_held_ = 0;
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
  BodyArray<Vector6<S>> V_;             // at v
  VectorX<S> v_, zero_, joint_, unit_;  // (nv), (nv), (nv), (rows of closures)
  VectorX<S> L_, rates_;                // (rows)
  MatrixX<S> Z_, KT_, Y_;
};

}  // namespace actio::detail
