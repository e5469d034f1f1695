// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What problem V of a step with limits, dry friction and contacts adds to its derivative.
#include <cmath>
#include <vector>

#include "actio/constraints/closure_force_rates.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/force_rates.hpp"
#include "actio/integrators/variational/row_sizes.hpp"
#include "actio/integrators/variational/spring_rates.hpp"
#include "actio/integrators/variational/step_contact_rates.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// p = p' + A^T L,  E v = 0,  v = M^-1 p  at the end of a step and at fixed rows, linearised: E has the rows of closures, unit rows of
/// held entries, and those of contacts. A is E, but where a contact slides. With D the derivative of M v - A^T L by q at constant v and L,
/// F that of E v, B that of A^T L, the compliance R of springs and of contacts that slide against v, and r what P gives to springs,
///   dp = dp' + A^T dL + B dq,   dL = Y (K dq - Z^T dp' + r),   Z = M^-1 E^T,  Y = (E M^-1 A^T + R)^-1,  K = Z^T D - F.
/// Rows of springs between points stay out unless they are added. Where rows are redundant, Y is a generalised inverse. A linearisation
/// takes O(rows bodies + rows^3), a product O(rows bodies). Only the constructor allocates.            [variational_contact.md, section 11]
template <class ModelType>
class MomentumRowRates {
 public:
  using Model = ModelType;                ///< the tree and its bodies
  using S = typename Model::Scalar;       ///< float or double
  using Closures = TreeClosures<Model>;   ///< rows of loops and couplings
  using Contacts = StepContactRates<Model>;  ///< rows of contacts
  using Springs = StepSpringRates<Model>;    ///< springs of rows

  /// @param entries largest number of held entries.  @param contacts that of contacts.  @param model outlives this.
  MomentumRowRates(const Model& model, std::size_t entries, std::size_t contacts)
      : model_(&model), mass_(model), closure_rates_(model), force_rates_(model), held_(entries),
        size_(num_rows(closures_of(model, detail::Springs::included)) + entries + 3 * contacts), row_(size_.size()), column_(size_.size()),
        V_(model.num_bodies(), Vector6<S>::Zero()) {
    const auto capacity = static_cast<Eigen::Index>(size_.size());
    for (VectorX<S>* work : {&v_, &zero_, &joint_, &moved_}) work->setZero(model.nv());
    for (VectorX<S>* work : {&L_, &rates_, &R_}) work->setZero(capacity);
    unit_.setZero(static_cast<Eigen::Index>(num_rows(closures_of(model, detail::Springs::included))));
    is_out_.resize(static_cast<std::size_t>(unit_.size()));
    Z_.setZero(model.nv(), capacity);
    KT_ = Z_;
    Y_.setZero(capacity, capacity);
  }

  /// Begins without held entries, and computes v.  @param tree at the end of the step.  @param p (nv) p_{k+1} [N m s, N s].
  /// @returns false if M is singular.
  bool begin(const TreePose<S>& tree, const VectorX<S>& p) noexcept {
    num_held_ = num_contact_rows_ = 0;
    for (std::size_t k = 0; k < is_out_.size(); ++k) is_out_[k] = k + model_->springs().size() >= is_out_.size();
    if (abi_factor(*model_, tree, mass_, zero_) != 0) return false;
    abi_solve(*model_, tree, mass_, p, v_);
    body_twists(*model_, tree, v_, V_);
    return true;
  }
  const VectorX<S>& velocity() const noexcept { return v_; }  ///< v (nv) [rad/s, m/s]
  void add_point_spring(Eigen::Index k) noexcept { is_out_[static_cast<std::size_t>(k)] = false; }  ///< adds its row, after begin()
  void add(Eigen::Index v) noexcept { held_[num_held_++] = v; }  ///< adds a held entry
  Eigen::Index first_contact_row() const noexcept { return unit_.size() + static_cast<Eigen::Index>(num_held_); }  ///< the others follow

  /// Linearises.  @param tree as in begin().  @param closures placed there.  @param contacts of the step, after add().
  /// @param springs of the step.  @param rotations there.  @param L (rows of closures) their impulses, which act as G^T L [N s, N m s].
  /// @returns false if something is not finite.
  bool linearize(const TreePose<S>& tree, Closures& closures, Contacts& contacts, Springs& springs,
                 const typename Closures::Rotations& rotations, const ConstVectorRef<S>& L) noexcept {
    num_contact_rows_ = static_cast<Eigen::Index>(contacts.momentum_rows().size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      if (is_out(k)) {
        Z_.col(k).setZero();
        Y_.col(k).setZero();
        R_[k] = size_[static_cast<std::size_t>(k)] = S(0);
        continue;
      }
      set_rate(tree, closures, contacts, k);
      abi_solve(*model_, tree, mass_, joint_, Z_.col(k));
      R_[k] = k >= first_contact_row() ? contact_row(contacts, k).R : S(0);
      if (auto* spring = springs.in_V(k)) R_[k] = spring->R_V = spring->rho * joint_.dot(Z_.col(k));
      if (k >= first_contact_row()) {
        set_force(tree, contacts, k, contact_row(contacts, k).force);
        abi_solve(*model_, tree, mass_, joint_, moved_);
        set_rates(tree, closures, contacts, moved_, Y_.col(k));
      } else {
        set_rates(tree, closures, contacts, Z_.col(k), Y_.col(k));
      }
      Y_(k, k) += R_[k];
      size_[static_cast<std::size_t>(k)] = std::sqrt(std::abs(Y_(k, k)));
    }
    drop_immovable(size_.data(), static_cast<std::size_t>(size()), R_);
    const int n = static_cast<int>(size());
    // Rows that differ by the compliance of a stiff spring only would have rounding errors over rho: one of them is enough.
    const S least = springs.any() ? std::sqrt(epsilon<S>) : redundant_row<S>;
    if (invert_in_place(Y_.data(), n, static_cast<int>(Y_.rows()), size_.data(), least, row_.data(), column_.data()) < 0) {
      return false;
    }
    KT_.setZero();
    for (Eigen::Index k = 0; k < size(); ++k) {  // -F, and the change of R
      if (is_out(k)) continue;
      const auto* spring = springs.in_V(k);
      const auto add_end_rates = [&](auto&& row) {
        if (spring == nullptr) return;
        set_rate(tree, closures, contacts, k);
        springs.add_end_rates(*spring, tree, joint_, Z_.col(k), KT_.col(k), row);
      };
      if (k >= num_closures() && k < first_contact_row()) {
        add_end_rates(JointForceRates{});
        continue;
      }
      if (k < num_closures()) unit_[k] = S(1);
      set_wrenches(closures, rotations, unit_, S(1));
      if (k < num_closures()) {
        unit_[k] = S(0);
        add_end_rates(closure_rates_);
      } else {
        const typename Contacts::MomentumRow& row = contact_row(contacts, k);
        contacts.end_rates().add_wrenches(S(1), row.contact, row.rate, force_rates_.wrenches());
        contacts.end_rates().add_transposed(tree, S(-1), row.contact, row.rate, v_, KT_.col(k));
        add_end_rates(contacts.end_rates().unit_force(row.contact, row.rate));
      }
      force_rates_.begin(tree);
      force_rates_.add_transposed(tree, S(-1), v_, KT_.col(k));
      closure_rates_.add_transposed(tree, S(-1), v_, KT_.col(k));
    }
    set_wrenches(closures, rotations, L, S(-1));
    contacts.end_rates().add_wrenches(S(-1), force_rates_.wrenches());
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) force_rates_.wrenches()[i] += model_->inertia(i).momentum(V_[i]);
    force_rates_.begin(tree);
    for (Eigen::Index k = 0; k < size(); ++k) {  // D^T Z
      force_rates_.add_transposed(tree, S(1), Z_.col(k), KT_.col(k));
      force_rates_.add_momenta_transposed(tree, V_, v_, Z_.col(k), KT_.col(k));
      closure_rates_.add_transposed(tree, S(-1), Z_.col(k), KT_.col(k));
      contacts.end_rates().add_transposed(tree, S(-1), Z_.col(k), KT_.col(k));
    }
    set_wrenches(closures, rotations, L, S(1));  // for B
    contacts.end_rates().add_wrenches(S(1), force_rates_.wrenches());
    force_rates_.begin(tree);
    return true;
  }

  /// Completes variations at the end of the step.  @param tree, closures, contacts, springs as they were linearised, here and below.
  /// @param dq (nv).  @param dp (nv) in: of p'; out: of p.
  void apply(const TreePose<S>& tree, Closures& closures, Contacts& contacts, const Springs& springs, const ConstVectorRef<S>& dq,
             VectorRef<S> dp) noexcept {
    const Eigen::Index n = size();
    rates_.head(n).noalias() = KT_.leftCols(n).transpose().lazyProduct(dq);
    rates_.head(n).noalias() -= Z_.leftCols(n).transpose().lazyProduct(dp);
    rates_.head(n) += springs.given().head(n);
    L_.head(n).noalias() = Y_.topLeftCorner(n, n).lazyProduct(rates_.head(n));
    closures.add_forces(tree, L_.head(num_closures()), dp);
    for (Eigen::Index k = num_closures(); k < first_contact_row(); ++k) dp[held_of(k)] += L_[k];
    if (num_contact_rows_ > 0) contacts.add_momentum_forces(tree, of_contacts(L_), dp);
    if (!has_force_rates()) return;
    force_rates_.add(tree, S(1), dq, dp);
    closure_rates_.add(tree, S(1), dq, dp);
    contacts.end_rates().add(tree, S(1), dq, dp);
  }
  /// The transposed product.  @param w_q, w_p (nv) in: weights of dq and of dp out; out: of dq and of dp'.
  void apply_transposed(const TreePose<S>& tree, Closures& closures, Contacts& contacts, Springs& springs, VectorRef<S> w_q,
                        VectorRef<S> w_p) noexcept {
    const Eigen::Index n = size();
    if (has_force_rates()) {
      force_rates_.add_transposed(tree, S(1), w_p, w_q);
      closure_rates_.add_transposed(tree, S(1), w_p, w_q);
      contacts.end_rates().add_transposed(tree, S(1), w_p, w_q);
    }
    closures.rates(tree, w_p, rates_.head(num_closures()));
    for (Eigen::Index k = num_closures(); k < first_contact_row(); ++k) rates_[k] = w_p[held_of(k)];
    if (num_contact_rows_ > 0) contacts.momentum_forces_transposed(tree, w_p, of_contacts(rates_));
    L_.head(n).noalias() = Y_.topLeftCorner(n, n).transpose().lazyProduct(rates_.head(n));
    springs.set_given_weights(L_.head(n));
    w_q.noalias() += KT_.leftCols(n).lazyProduct(L_.head(n));
    w_p.noalias() -= Z_.leftCols(n).lazyProduct(L_.head(n));
  }

 private:
  Eigen::Index num_closures() const noexcept { return unit_.size(); }
  Eigen::Index size() const noexcept { return first_contact_row() + num_contact_rows_; }
  bool has_force_rates() const noexcept { return num_closures() + num_contact_rows_ > 0; }
  Eigen::Index held_of(Eigen::Index k) const noexcept { return held_[static_cast<std::size_t>(k - num_closures())]; }
  bool is_out(Eigen::Index k) const noexcept { return k < num_closures() && is_out_[static_cast<std::size_t>(k)] != 0; }
  auto of_contacts(VectorX<S>& rows) const noexcept { return rows.segment(first_contact_row(), num_contact_rows_); }
  const typename Contacts::MomentumRow& contact_row(const Contacts& contacts, Eigen::Index k) const noexcept {
    return contacts.momentum_rows()[static_cast<std::size_t>(k - first_contact_row())];
  }
  /// Sets joint_ to the covector of the rate of row k.
  void set_rate(const TreePose<S>& tree, Closures& closures, Contacts& contacts, Eigen::Index k) noexcept {
    if (k < num_closures()) closures.covector(tree, k, joint_);
    else if (k < first_contact_row()) joint_ = VectorX<S>::Unit(joint_.size(), held_of(k));
    else set_force(tree, contacts, k, contact_row(contacts, k).rate);
  }
  /// Sets joint_ to the joint forces of a unit force of the contact of row k.
  void set_force(const TreePose<S>& tree, Contacts& contacts, Eigen::Index k, const Vector3<S>& direction) noexcept {
    joint_.setZero();
    contacts.end_rates().add_forces(tree, contact_row(contacts, k).contact, direction, joint_);
  }
  void set_rates(const TreePose<S>& tree, Closures& closures, Contacts& contacts, const ConstVectorRef<S>& v, VectorRef<S> rates) noexcept {
    closures.rates(tree, v, rates.head(num_closures()));
    for (Eigen::Index k = num_closures(); k < first_contact_row(); ++k) rates[k] = v[held_of(k)];
    if (num_contact_rows_ > 0) contacts.momentum_rates(tree, v, rates.segment(first_contact_row(), num_contact_rows_));
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
  Eigen::Index num_contact_rows_ = 0;
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
  std::vector<char> is_out_;            // of the rows of closures: springs between points that are no rows of V
  BodyArray<Vector6<S>> V_;             // at v
  VectorX<S> v_, zero_, joint_, moved_, unit_;  // (nv), the last (rows of closures)
  VectorX<S> L_, rates_, R_;            // (rows)
  MatrixX<S> Z_, KT_, Y_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MomentumRowRates<Model<double>>;
#endif

}  // namespace actio::detail
