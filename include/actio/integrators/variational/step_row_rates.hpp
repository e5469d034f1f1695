// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What closed loops, couplings, joint limits, dry friction of joints, springs between points and contacts add to the derivative of a
// variational step.
#include <cmath>
#include <vector>

#include "actio/constraints/closure_force_rates.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/integrators/variational/row_sizes.hpp"
#include "actio/integrators/variational/step_contact_rates.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// A joint entry that a closed limit, dry friction or a servo holds over a step:  end . dq_{k+1} + begin . dq_k + R dL = 0  on the entries
/// of its joint.
template <Scalar S>
struct HeldEntry {
  Eigen::Index v = 0,      ///< index of the entry
      first = 0, size = 0;  ///< entries of its joint
  Vector6<S> end = Vector6<S>::Zero(), begin = end;
  S R{};                 ///< without that of a spring
  bool repeats = false;  ///< whether the impulse acts at the end of the step, too
};

/// The step  left momentum + G_k^T L = b,  g(q_{k+1}) = 0  at fixed rows, linearised: with the derivative T of the step of the tree alone,
/// (dq_{k+1}, dp_{k+1}) = T(dq_k, c),  c = db - d(G_k^T) L - G_k^T dL,  and dL such that  G_{k+1} dq_{k+1} = 0.
/// dL = X G_{k+1} dq', with dq' that without dL and X the inverse of G_{k+1} J^-1 G_k^T, J that of the step in the velocities at its end.
/// Held entries and those of StepContactRates are further rows, with impulses of their own, a part of dq_k in the rates, and R, which adds to
/// the diagonal of the matrix that X inverts. Rows with springs are those of StepSpringRates.
/// The rows of springs between points follow those of closures; they stay out unless they are added.
/// Where rows are redundant, X is a generalised inverse, whose rank is that of the rows. A linearisation takes O(rows bodies + rows^3),
/// a product O(bodies + rows^2). Only the constructor allocates.                                    [vi_math.md, section 7.9]
template <class ModelType>
class StepRowRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double

  /// @param entries largest number of held entries.  @param contacts, found see StepContactRates.  @param model outlives this.
  StepRowRates(const Model& model, std::size_t entries, std::size_t contacts, std::size_t found)
      : model_(&model), begin_(model, Springs::included), end_(begin_), begin_rotations_(begin_.make_rotations()), rotations_(begin_rotations_),
        end_tree_(model), force_rates_(model), unit_rates_(model), contacts_(model, contacts, found),
        wrench_(model.num_bodies(), Vector6<S>::Zero()), held_(entries),
        size_(static_cast<std::size_t>(begin_.size()) + entries + 3 * contacts), row_(size_.size()), column_(size_.size()),
        springs_(model, static_cast<std::size_t>(begin_.size()) + entries + contacts, size_.size()) {
    const auto capacity = static_cast<Eigen::Index>(size_.size());
    inverse_.setZero(capacity, capacity);
    is_out_.resize(size_.size());
    L_.setZero(begin_.size());
    of_begin_ = moved_ = L_;
    for (VectorX<S>* work : {&rates_, &change_, &R_}) work->setZero(capacity);
    column_of_.setZero(model.nv());
  }

  Eigen::Index num_closures() const noexcept { return begin_.size(); }  ///< number of rows of closures and springs, the first ones
  /// Returns the row of the first spring between points; the others follow.
  Eigen::Index first_point_spring() const noexcept { return begin_.size() - static_cast<Eigen::Index>(model_->springs().size()); }
  /// Returns the number of rows: of closures, held entries and contacts.
  Eigen::Index size() const noexcept { return begin_.size() + num_held_entries() + num_contact_rows(); }
  Eigen::Index first_contact_row() const noexcept { return num_closures() + num_held_entries(); }  ///< the others follow
  StepSpringRates<Model>& springs() noexcept { return springs_; }  ///< of rows, to be added after begin()
  StepContactRates<Model>& contacts() noexcept { return contacts_; }  ///< of the step, to be begun after begin()
  const StepContactRates<Model>& contacts() const noexcept { return contacts_; }
  const TreePose<S>& end_tree() const noexcept { return end_tree_; }  ///< at q_{k+1}
  TreeClosures<Model>& closures_at_end() noexcept { return end_; }    ///< placed there
  const typename TreeClosures<Model>::Rotations& rotations_at_end() const noexcept { return rotations_; }  ///< of the loops there

  /// Begins with a step.  @param tree at q_k.  @param x (nv) its increment.  @param L (rows) its impulses [N s, N m s].
  /// @param rotations of the loops at a node near by: the signs of L are those that follow from them.
  void begin(const TreePose<S>& tree, const ConstVectorRef<S>& x, const ConstVectorRef<S>& L,
             const typename TreeClosures<Model>::Rotations& rotations) noexcept {
    num_held_ = 0;
    has_soft_closures_ = false;
    for (Eigen::Index k = 0; k < size_of(is_out_); ++k) is_out_[static_cast<std::size_t>(k)] = first_point_spring() <= k && k < num_closures();
    of_begin_.setZero();
    springs_.clear();
    contacts_.clear();
    L_ = L;
    rotations_ = rotations;
    begin_.place(tree, rotations_);
    begin_rotations_ = rotations_;
    force_rates_.begin(begin_, rotations_, L_);
    model_->integrate(tree.q, x, end_tree_.q);
    place(*model_, end_tree_, end_tree_.q);
    end_.place(end_tree_, rotations_);
  }
  /// Adds a held entry, after begin().
  void add(const HeldEntry<S>& entry) noexcept { held_[num_held_++] = entry; }
  void add_point_spring(Eigen::Index k) noexcept { is_out_[static_cast<std::size_t>(k)] = false; }  ///< adds its row to P, after begin()
  /// Adds the spring of a row of a closure, or of a spring between points.  @param added, law, h as for StepSpringRates::add().
  /// @param begin, end impulses in P and V.  @param in_P, in_V whether it has a row there.  @returns false if M is singular.
  bool add_spring(const TreePose<S>& tree, const VectorX<S>& added, Eigen::Index k, const StepSpring<S>& law, const S& h, const S& begin,
                  const S& end, bool in_P = true, bool in_V = true) noexcept {
    moved_ = VectorX<S>::Unit(moved_.size(), k);
    unit_rates_.begin(begin_, begin_rotations_, moved_);
    begin_.covector(tree, k, column_of_);
    auto* spring = springs_.add(tree, added, law, begin_[k].value, end_[k].value, h, column_of_, unit_rates_);
    if (spring == nullptr) return false;
    if (in_P) spring->in_P = k;
    if (in_V) spring->in_V = k;
    spring->change = end - begin;
    of_begin_[k] = spring->of_begin;
    return has_soft_closures_ = true;
  }
  /// Returns the body wrenches (bodies) at q_k of an input [N m, N], with those of -L, and of the impulses of contacts, over half a step in
  /// addition.  @param half h/2 [s].
  const BodyArray<Vector6<S>>& wrenches(const BodyArray<Vector6<S>>& input, const S& half) noexcept {
    for (BodyIndex i = 0; i < wrench_.size(); ++i) {
      if (input.size() > 0) wrench_[i] = input[i];
      else wrench_[i].setZero();
    }
    force_rates_.add_wrenches(S(-1) / half, wrench_);
    contacts_.begin_rates().add_wrenches(S(1) / half, wrench_);
    return wrench_;
  }
  /// Computes X.  @param J factors of the step.  @returns false if something is not finite.
  bool factor(const TreePose<S>& tree, const TreeMatrix<S>& matrix, TreeLu<S>& J) noexcept {
    R_.head(size()).setZero();
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) { R_[k] = entry.R; });
    for (Eigen::Index k = first_contact_row(); k < size(); ++k) R_[k] = contacts_.rows()[static_cast<std::size_t>(k - first_contact_row())].R;
    springs_.add_compliances(R_);
    for (Eigen::Index k = 0; k < size(); ++k) {
      column_of_.setZero();
      change_.head(size()) = VectorX<S>::Unit(size(), k);
      add_impulses(tree, column_of_);
      tree_lu_reduce(*model_, tree, J, column_of_);
      tree_lu_expand_to_end(*model_, tree, matrix, J, column_of_);
      set_rates_at_end(column_of_, inverse_.col(k));
      inverse_(k, k) += R_[k];
      size_[static_cast<std::size_t>(k)] = is_out(k) ? S(0) : S(std::sqrt(std::abs(inverse_(k, k))));
    }
    drop_immovable(size_.data(), static_cast<std::size_t>(size()), R_);
    const int n = static_cast<int>(size()), leading = static_cast<int>(inverse_.rows());
    return invert_in_place(inverse_.data(), n, leading, size_.data(), redundant_row<S>, row_.data(), column_.data()) >= 0;
  }

  ///@{
  /// Subtract d(G_k^T) L of a variation dq (nv), and what changes in the joint forces of contacts, at wrenches that are fixed to bodies, from
  /// the right-hand side b (nv).  The transposed product subtracts from weights w_q (nv) those that y (nv), weights of b, contribute.
  void subtract_force_rates(const TreePose<S>& tree, const ConstVectorRef<S>& dq, VectorRef<S> b) noexcept {
    force_rates_.add(tree, S(-1), dq, b);
    contacts_.begin_rates().add(tree, S(1), dq, b);
  }
  void subtract_force_rates_transposed(const TreePose<S>& tree, const ConstVectorRef<S>& y, VectorRef<S> w_q) noexcept {
    force_rates_.add_transposed(tree, S(-1), y, w_q);
    contacts_.begin_rates().add_transposed(tree, S(1), y, w_q);
  }
  ///@}
  /// Subtracts G_k^T dL from b (nv), with dL by which the variation dq1 (nv) at the end of the step, which is that without dL, satisfies
  /// the rows together with dq (nv).
  void subtract_impulses(const TreePose<S>& tree, const ConstVectorRef<S>& dq, const ConstVectorRef<S>& dq1, VectorRef<S> b) noexcept {
    set_rates(tree, dq, dq1);
    change_.head(size()).noalias() = -inverse().lazyProduct(rates_.head(size()));
    springs_.give(change_, dq);
    add_impulses(tree, b);
  }
  /// Adds those that act at the end of the step, too, to its momentum dp1 (nv), after subtract_impulses().
  void repeat_impulses(VectorRef<S> dp1) const noexcept {
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) {
      if (entry.repeats) dp1[entry.v] += change_[k];
    });
  }
  /// The transposed product of both: subtracts from weights w_q1 (nv) of dq1 and w_q of dq what y and w_p1 (nv), weights of b and dp1,
  /// contribute.
  void subtract_impulses_transposed(const TreePose<S>& tree, const ConstVectorRef<S>& y, const ConstVectorRef<S>& w_p1, VectorRef<S> w_q1,
                                    VectorRef<S> w_q) noexcept {
    begin_.rates(tree, y, rates_.head(num_closures()));
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) { rates_[k] = y[entry.v] + (entry.repeats ? w_p1[entry.v] : S(0)); });
    if (num_contact_rows() > 0) contacts_.forces_transposed(tree, y, of_contacts(rates_));
    springs_.add_given_weights(rates_, w_q);
    change_.head(size()).noalias() = -inverse().transpose().lazyProduct(rates_.head(size()));
    end_.add_forces(end_tree_, change_.head(num_closures()), w_q1);
    if (has_soft_closures_) {
      moved_ = of_begin_.cwiseProduct(change_.head(num_closures()));
      begin_.add_forces(tree, moved_, w_q);
    }
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) {
      for (Eigen::Index r = 0; r < entry.size; ++r) {
        w_q1[entry.first + r] += change_[k] * entry.end[r];
        w_q[entry.first + r] += change_[k] * entry.begin[r];
      }
    });
    if (num_contact_rows() > 0) contacts_.add_rates_transposed(tree, end_tree_, of_contacts(change_), w_q, w_q1);
    springs_.add_rates_transposed(change_, w_q);
  }
  /// Returns the largest violation of a row by variations dq, dq1 (nv) and, if that is wanted, the last impulses.
  S violation(const TreePose<S>& tree, const ConstVectorRef<S>& dq, const ConstVectorRef<S>& dq1, bool with_impulses) noexcept {
    set_rates(tree, dq, dq1);
    if (with_impulses) rates_.head(size()) += R_.head(size()).cwiseProduct(change_.head(size()));
    S largest(0);
    for (Eigen::Index k = 0; k < size(); ++k) largest = is_out(k) ? largest : std::max(largest, std::abs(rates_[k]));
    return largest;
  }

 private:
  Eigen::Index num_held_entries() const noexcept { return static_cast<Eigen::Index>(num_held_); }
  Eigen::Index num_contact_rows() const noexcept { return static_cast<Eigen::Index>(contacts_.rows().size()); }
  auto of_contacts(VectorX<S>& rows) noexcept { return rows.segment(first_contact_row(), num_contact_rows()); }
  /// Adds the joint forces of changed impulses to b (nv).
  void add_impulses(const TreePose<S>& tree, VectorRef<S> b) noexcept {
    begin_.add_forces(tree, change_.head(num_closures()), b);
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) { b[entry.v] += change_[k]; });
    if (num_contact_rows() > 0) contacts_.add_forces(tree, of_contacts(change_), b);
  }
  static Eigen::Index size_of(const std::vector<char>& x) noexcept { return static_cast<Eigen::Index>(x.size()); }
  bool is_out(Eigen::Index k) const noexcept { return is_out_[static_cast<std::size_t>(k)] != 0; }
  auto inverse() noexcept { return inverse_.topLeftCorner(size(), size()); }
  template <class F>
  void for_each_held(F&& f) const noexcept {
    for (std::size_t k = 0; k < num_held_; ++k) f(held_[k], num_closures() + static_cast<Eigen::Index>(k));
  }
  void set_rates_at_end(const ConstVectorRef<S>& dq1, VectorRef<S> rates) noexcept {
    end_.rates(end_tree_, dq1, rates.head(num_closures()));
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) {
      rates[k] = entry.end.head(entry.size).dot(dq1.segment(entry.first, entry.size));
    });
    if (num_contact_rows() > 0) contacts_.rates_at_end(end_tree_, dq1, rates.segment(first_contact_row(), num_contact_rows()));
  }
  void set_rates(const TreePose<S>& tree, const ConstVectorRef<S>& dq, const ConstVectorRef<S>& dq1) noexcept {
    set_rates_at_end(dq1, rates_);
    for_each_held([&](const HeldEntry<S>& entry, Eigen::Index k) {
      rates_[k] += entry.begin.head(entry.size).dot(dq.segment(entry.first, entry.size));
    });
    if (num_contact_rows() > 0) contacts_.add_rates_at_begin(tree, dq, of_contacts(rates_));
    if (has_soft_closures_) {
      begin_.rates(tree, dq, moved_);
      rates_.head(num_closures()) += of_begin_.cwiseProduct(moved_);
    }
    springs_.add_rates(dq, rates_);
  }

  const Model* model_;
  TreeClosures<Model> begin_, end_;
  typename TreeClosures<Model>::Rotations begin_rotations_, rotations_;
  TreePose<S> end_tree_;
  ClosureForceRates<Model> force_rates_, unit_rates_;  // at L, and at a unit impulse
  StepContactRates<Model> contacts_;
  BodyArray<Vector6<S>> wrench_;
  std::vector<HeldEntry<S>> held_;  // the first num_held_
  std::size_t num_held_ = 0;
  MatrixX<S> inverse_;  // X, in its top left corner
  std::vector<ValueOf<S>> size_;
  std::vector<int> row_, column_;
  std::vector<char> is_out_;  // of the rows: springs between points that are no rows of the step
  StepSpringRates<Model> springs_;
  bool has_soft_closures_ = false;
  VectorX<S> L_, of_begin_, moved_;     // (rows of closures)
  VectorX<S> rates_, change_, R_;  // (rows)
  VectorX<S> column_of_;           // (nv)
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepRowRates<Model<double>>;
#endif

}  // namespace actio::detail
