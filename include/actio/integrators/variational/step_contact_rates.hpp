// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The contacts of a variational step as rows of its derivative.
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "actio/core/status.hpp"
#include "actio/integrators/shared/step_problem.hpp"
#include "actio/integrators/variational/contact_slip.hpp"
#include "actio/integrators/variational/pieces.hpp"
#include "actio/integrators/variational/spring_rates.hpp"

namespace actio::detail {

/// The contacts of a step on fixed pieces, linearised. In P an impulse L acts along `force` at the beginning of the step, and
///   begin . V_k + end . V_{k+1} + R dL = 0.
/// A contact that sticks has a row for the normal, whose rate is that of the gap, and two for the tangents, with that of the mean slip s.
/// One that slides has a row for the normal with an impulse along  n - mu s/|s|,  and one across the slip, the direction of which changes:
/// R = |s|/(mu L_n). Normals with springs are rows of StepSpringRates. In V a contact that slides with s has a part of its friction given by
/// the change of s/|s|; the other rows are those of MomentumRowRates.
/// Only the constructor allocates.                                                                [variational_contact.md, section 11]
template <class ModelType>
class StepContactRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< float or double
  using Rates = ContactRates<Model>;
  using Covector = ContactCovector<S>;

  /// A row of P.
  struct Row {
    std::size_t contact = 0;
    Vector3<S> force = Vector3<S>::Zero();  // direction, on b
    Covector rate{};
    S R{};  // without that of a spring
  };
  /// A row of V: the rate of the contact along `rate`, and an impulse along `force`, both on b.
  struct MomentumRow {
    std::size_t contact = 0;
    Vector3<S> rate = Vector3<S>::Zero(), force = rate;
    S R{};  // without that of a spring
  };

  /// @param contacts largest number that push.  @param found largest number that a source finds.  @param model outlives this.
  StepContactRates(const Model& model, std::size_t contacts, std::size_t found)
      : begin_(model, contacts), end_(model, contacts), found_(contacts > 0 ? found : 0), pieces_(contacts), rows_(3 * contacts),
        momentum_rows_(3 * contacts), turned_(contacts), com_(model.num_bodies(), Vector3<S>::Zero()),
        joint_(VectorX<S>::Zero(model.nv())) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) com_[i] = model.inertia(i).com;
  }

  Rates& begin_rates() noexcept { return begin_; }  ///< where the step begins, with the impulses of P
  Rates& end_rates() noexcept { return end_; }      ///< where it ends, with those of V
  std::span<const Row> rows() const noexcept { return {rows_.data(), num_rows_}; }
  std::span<const MomentumRow> momentum_rows() const noexcept { return {momentum_rows_.data(), num_momentum_rows_}; }
  std::span<const ContactPieces> pieces() const noexcept { return {pieces_.data(), begin_.contacts().size()}; }  ///< of those that pushed

  void clear() noexcept {  ///< begins with a step without contacts
    num_rows_ = num_momentum_rows_ = num_turned_ = 0;
    begin_.clear();
    end_.clear();
  }
  /// Where the rows of a step go.
  struct Rows {
    Eigen::Index in_P, in_V;          // numbers of the first ones
    StepSpringRates<Model>& springs;  // gets those of the contacts
    const VectorX<S>& added;          // (nv) to the diagonal of M where the step begins
  };
  /// Begins with the contacts that pushed in a step.  @param tree, end_tree at its ends.  @param contacts after the step.
  /// @param finder, margin of their source.  @param h length of the step [s].  @param returns [m] by which bodies that overlap part.
  /// @param v (nv) at its end.  @returns converged; capacity; callback_failed if the source failed; invalid_step for contacts that it lost
  /// during the step; singular if M is singular.
  Status begin(const TreePose<S>& tree, const TreePose<S>& end_tree, const StepContacts<Model>& contacts, const ContactFinder<S>& finder,
               const S& margin, const S& h, const S& returns, const VectorX<S>& v, const Rows& to) noexcept;

  /// Sets entries to the rates of the rows of P by variations at both ends, or adds that at the end alone.
  void rates_at_end(const TreePose<S>& end_tree, const ConstVectorRef<S>& dq1, VectorRef<S> rates) noexcept {
    const BodyArray<Vector6<S>>& V = end_.twists(end_tree, dq1);
    for_each_row([&](const Row& row, const auto& contact, Eigen::Index k) {
      rates[k] = at_end(row.rate, contact, V);
    });
  }
  void add_rates_at_begin(const TreePose<S>& tree, const ConstVectorRef<S>& dq, VectorRef<S> rates) noexcept {
    const BodyArray<Vector6<S>>& V = begin_.twists(tree, dq);
    for_each_row([&](const Row& row, const auto& contact, Eigen::Index k) {
      rates[k] += at_begin(row.rate, contact, V);
    });
  }
  /// Adds weights of the rows of P to those of variations at both ends (nv).
  void add_rates_transposed(const TreePose<S>& tree, const TreePose<S>& end_tree, const ConstVectorRef<S>& weights, VectorRef<S> w_q,
                            VectorRef<S> w_q1) noexcept {
    begin_.no_wrenches();
    end_.no_wrenches();
    for_each_row([&](const Row& row, const auto& contact, Eigen::Index k) {
      add_covector(contact, row.rate, weights[k]);
    });
    begin_.add_joint_forces(tree, w_q);
    end_.add_joint_forces(end_tree, w_q1);
  }
  /// Adds the joint forces of impulses (rows of P) where the step begins.
  void add_forces(const TreePose<S>& tree, const ConstVectorRef<S>& L, VectorRef<S> sum) noexcept {
    BodyArray<Vector6<S>>& W = begin_.no_wrenches();
    for_each_row([&](const Row& row, const auto& contact, Eigen::Index k) {
      const Vector6<S> wrench = L[k] * contact.wrench(row.force);
      W[contact.b] += wrench;
      W[contact.a] -= wrench;
    });
    begin_.add_joint_forces(tree, sum);
  }
  /// Sets entries (rows of P) to the transposed product.  @param y (nv).
  void forces_transposed(const TreePose<S>& tree, const ConstVectorRef<S>& y, VectorRef<S> L) noexcept {
    const BodyArray<Vector6<S>>& Y = begin_.twists(tree, y);
    for_each_row([&](const Row& row, const auto& contact, Eigen::Index k) {
      L[k] = contact.wrench(row.force).dot(Y[contact.b] - Y[contact.a]);
    });
  }

  ///@{
  /// The rows of V: rates, impulses, and the transposed product of the latter, as those of P.
  void momentum_rates(const TreePose<S>& end_tree, const ConstVectorRef<S>& v, VectorRef<S> rates) noexcept {
    set_at_end(end_tree, v, rates, [](const MomentumRow& row) { return row.rate; });
  }
  void momentum_forces_transposed(const TreePose<S>& end_tree, const ConstVectorRef<S>& y, VectorRef<S> L) noexcept {
    set_at_end(end_tree, y, L, [](const MomentumRow& row) { return row.force; });
  }
  void add_momentum_forces(const TreePose<S>& end_tree, const ConstVectorRef<S>& L, VectorRef<S> sum) noexcept {
    BodyArray<Vector6<S>>& W = end_.no_wrenches();
    for (std::size_t k = 0; k < num_momentum_rows_; ++k) {
      const auto& contact = end_.contacts()[momentum_rows_[k].contact];
      const Vector6<S> wrench = L[static_cast<Eigen::Index>(k)] * contact.wrench(momentum_rows_[k].force);
      W[contact.b] += wrench;
      W[contact.a] -= wrench;
    }
    end_.add_joint_forces(end_tree, sum);
  }
  ///@}
  /// Adds to dp' (nv) what friction in V changes by where the slip of P turns.
  void add_turned_friction(const TreePose<S>& tree, const TreePose<S>& end_tree, const ConstVectorRef<S>& dq, const ConstVectorRef<S>& dq1,
                           VectorRef<S> dp) noexcept {
    if (num_turned_ == 0) return;
    const BodyArray<Vector6<S>>&V = begin_.twists(tree, dq), &V_end = end_.twists(end_tree, dq1);
    BodyArray<Vector6<S>>& W = end_.no_wrenches();
    for (std::size_t k = 0; k < num_turned_; ++k) {
      const Turned& turned = turned_[k];
      const auto& contact = end_.contacts()[turned.contact];
      const S change = at_begin(turned.by, contact, V) + at_end(turned.by, contact, V_end);
      const Vector6<S> wrench = change * contact.wrench(turned.across);
      W[contact.b] += wrench;
      W[contact.a] -= wrench;
    }
    end_.add_joint_forces(end_tree, dp);
  }
  /// The transposed product: adds to weights of dq and dq1 (nv).
  void add_turned_friction_transposed(const TreePose<S>& tree, const TreePose<S>& end_tree, const ConstVectorRef<S>& w_p, VectorRef<S> w_q,
                                      VectorRef<S> w_q1) noexcept {
    if (num_turned_ == 0) return;
    const BodyArray<Vector6<S>>& Y = end_.twists(end_tree, w_p);
    begin_.no_wrenches();
    end_.no_wrenches();
    for (std::size_t k = 0; k < num_turned_; ++k) {
      const auto& contact = end_.contacts()[turned_[k].contact];
      add_covector(contact, turned_[k].by, contact.wrench(turned_[k].across).dot(Y[contact.b] - Y[contact.a]));
    }
    begin_.add_joint_forces(tree, w_q);
    end_.add_joint_forces(end_tree, w_q1);
  }

 private:
  using Motion = ContactMotion<S>;
  using Contact = typename StepContacts<Model>::Contact;
  struct Turned {
    std::size_t contact = 0;
    Vector3<S> across = Vector3<S>::Zero();  // the direction in which friction changes
    Covector by{};
  };
  template <class F>
  void for_each_row(F&& f) const noexcept {
    for (std::size_t k = 0; k < num_rows_; ++k) f(rows_[k], begin_.contacts()[rows_[k].contact], static_cast<Eigen::Index>(k));
  }
  template <class Direction>
  void set_at_end(const TreePose<S>& end_tree, const ConstVectorRef<S>& v, VectorRef<S> out, Direction&& direction) noexcept {
    const BodyArray<Vector6<S>>& V = end_.twists(end_tree, v);
    for (std::size_t k = 0; k < num_momentum_rows_; ++k) {
      const auto& contact = end_.contacts()[momentum_rows_[k].contact];
      out[static_cast<Eigen::Index>(k)] = contact.wrench(direction(momentum_rows_[k])).dot(V[contact.b] - V[contact.a]);
    }
  }
  ///@{
  /// Returns the part of a covector at one end, at the twists (bodies) there.
  static S at_begin(const Covector& covector, const Motion& contact, const BodyArray<Vector6<S>>& V) noexcept {
    return covector.by[Covector::begin_a].dot(V[contact.a]) + covector.by[Covector::begin_b].dot(V[contact.b]);
  }
  static S at_end(const Covector& covector, const Motion& contact, const BodyArray<Vector6<S>>& V) noexcept {
    return covector.by[Covector::end_a].dot(V[contact.a]) + covector.by[Covector::end_b].dot(V[contact.b]);
  }
  ///@}
  /// Adds a covector, times a weight, to the wrenches at both ends.
  void add_covector(const Motion& contact, const Covector& covector, const S& weight) noexcept {
    begin_.wrenches()[contact.a] += weight * covector.by[Covector::begin_a];
    begin_.wrenches()[contact.b] += weight * covector.by[Covector::begin_b];
    end_.wrenches()[contact.a] += weight * covector.by[Covector::end_a];
    end_.wrenches()[contact.b] += weight * covector.by[Covector::end_b];
  }
  /// Returns the direction against friction, along the tangents; zero without friction.  @param L impulse along normal and tangents.
  static Vector2<S> against(const Vector3<S>& L) noexcept {
    const S friction = L.template tail<2>().norm();
    return friction > S(0) ? Vector2<S>(-L.template tail<2>() / friction) : Vector2<S>(Vector2<S>::Zero());
  }
  /// The impulses of a contact in P and V.
  struct Impulses {
    Vector3<S> begin, end;
  };
  static Impulses impulses(const Contact& contact, const S& h) noexcept {
    const Vector3<S> end = contact.is_row ? Vector3<S>(h * contact.force) : Vector3<S>(Vector3<S>::Zero());
    return {contact.impulse - end, end};
  }
  /// Calls f(contact, its number here, impulses) for the contacts that pushed.
  template <class F>
  static void for_each_pushing(const StepContacts<Model>& contacts, const S& h, F&& f) noexcept {
    std::size_t k = 0;
    for (const Contact& contact : contacts.contacts()) {
      const Impulses L = impulses(contact, h);
      if (L.begin[0] > S(0) || L.end[0] > S(0)) f(contact, k++, L);
    }
  }
  Status find(const StepContacts<Model>& contacts, const S& h) noexcept;
  using Spring = typename StepSpringRates<Model>::Spring;
  void add_rows_of_P(std::size_t k, const Contact& contact, const Vector3<S>& L, const ContactSlip<S>& slip, const S& returns,
                     const Spring* spring) noexcept;
  void add_rows_of_V(std::size_t k, const Contact& contact, const Impulses& L, const ContactSlip<S>& slip, const S& h) noexcept;

  Rates begin_, end_;
  ContactList<S> found_;
  std::vector<ContactPieces> pieces_;
  std::vector<Row> rows_;
  std::vector<MomentumRow> momentum_rows_;
  std::vector<Turned> turned_;
  std::size_t num_rows_ = 0, num_momentum_rows_ = 0, num_turned_ = 0;
  BodyArray<Vector3<S>> com_;  // in the bodies' frames
  VectorX<S> joint_;  // (nv)
  S slowest_{};  // slip in V [m/s]
};

template <class Model>
Status StepContactRates<Model>::begin(const TreePose<S>& tree, const TreePose<S>& end_tree, const StepContacts<Model>& contacts,
                                      const ContactFinder<S>& finder, const S& margin, const S& h, const S& returns, const VectorX<S>& v,
                                      const Rows& to) noexcept {
  clear();
  begin_.begin(tree);
  end_.begin(end_tree);
  Status status = find(contacts, h);
  if (status != Status::converged) return status;
  for (Rates* rates : {&begin_, &end_}) {
    if (!rates->differentiate(finder, margin, found_)) return found_.failed() ? Status::callback_failed : Status::invalid_step;
  }
  slowest_ = StepProblem<Model>::tolerated * (S(1) + v.cwiseAbs().maxCoeff());
  end_.twists(end_tree, v);
  for_each_pushing(contacts, h, [&](const Contact& contact, std::size_t k, const Impulses& L) {
    Spring* spring = nullptr;
    if (contact.spring.is_soft() && contact.spring.acts) {
      const Vector3<S>& n = begin_.contacts()[k].along[0];
      joint_.setZero();
      begin_.add_forces(tree, k, n, joint_);
      spring = to.springs.add(tree, to.added, contact.spring, contact.begin.gap, contact.end.gap, h, joint_, begin_.unit_force(k, n));
      if (spring == nullptr) {
        status = Status::singular;
        return;
      }
      if (L.begin[0] > S(0)) spring->in_P = to.in_P + static_cast<Eigen::Index>(num_rows_);
      if (L.end[0] > S(0)) spring->in_V = to.in_V + static_cast<Eigen::Index>(num_momentum_rows_);
      spring->change = L.end[0] - L.begin[0];
    }
    const auto both = [&](const auto& of) { return std::array{of(contact.a), of(contact.b)}; };
    const ContactSlip<S> slip(begin_.contacts()[k], end_.contacts()[k], both([&](BodyIndex i) { return begin_.pose(i); }),
                              both([&](BodyIndex i) { return end_.pose(i); }), both([&](BodyIndex i) { return com_[i]; }));
    pieces_[k] = {contact.id, contact.a, contact.b};
    if (L.begin[0] > S(0)) add_rows_of_P(k, contact, L.begin, slip, returns, spring);
    if (L.end[0] > S(0)) add_rows_of_V(k, contact, L, slip, h);
  });
  return status;
}

/// Adds the contacts that pushed to both ends.
template <class Model>
Status StepContactRates<Model>::find(const StepContacts<Model>& contacts, const S& h) noexcept {
  Status status = Status::converged;
  for_each_pushing(contacts, h, [&](const Contact& contact, std::size_t k, const Impulses& impulses) {
    if (!contact.is_found || contact.sliding.is_kept) status = Status::invalid_step;
    else if (k >= begin_.capacity()) status = Status::capacity;
    if (status != Status::converged) return;
    const auto add = [&](Rates& rates, const auto& at, const Vector3<S>& L) {
      Motion& motion = rates.add(contact.id, contact.a, contact.b);
      motion.p = at.p;
      motion.along = {at.normal, at.tangents[0], at.tangents[1]};
      motion.gap = at.gap;
      motion.force = L[0] * at.normal + L[1] * at.tangents[0] + L[2] * at.tangents[1];
    };
    add(begin_, contact.begin, impulses.begin);
    add(end_, contact.end, impulses.end);
  });
  return status;
}

/// @param spring of its normal, or null.
template <class Model>
void StepContactRates<Model>::add_rows_of_P(std::size_t k, const Contact& contact, const Vector3<S>& L, const ContactSlip<S>& slip,
                                            const S& returns, const Spring* spring) noexcept {
  const Motion &first = begin_.contacts()[k], &last = end_.contacts()[k];
  const Vector2<S> along = against(L);
  const S distance = along.dot(contact.slip);
  const bool has_friction = contact.num_rows() > 1;
  // Where bodies cannot move, friction may be at its bound without slip.
  const bool slides = contact.is_at_bound(L) && (!has_friction || distance > StepProblem<Model>::tolerated * (S(1) + first.p.norm()));
  pieces_[k].in_position = slides ? ContactPiece::slides : ContactPiece::sticks;
  Row normal{k, slides ? Vector3<S>(first.force / L[0]) : first.along[0]};
  const S of_begin = spring ? spring->of_begin : S(contact.begin.gap + returns < S(0) ? -1 : 0);  // the depth changes by a fixed amount
  normal.rate.by[Covector::begin_b] = of_begin * first.wrench(first.along[0]);
  normal.rate.by[Covector::begin_a] = -normal.rate.by[Covector::begin_b];
  normal.rate.by[Covector::end_b] = last.wrench(last.along[0]);
  normal.rate.by[Covector::end_a] = -normal.rate.by[Covector::end_b];
  rows_[num_rows_++] = normal;
  if (!slides) {
    for (std::size_t i = 0; i < 2; ++i) rows_[num_rows_++] = {k, first.along[i + 1], slip.slip[i], contact.R_t};
  } else if (has_friction) {
    rows_[num_rows_++] = {k, Vector3<S>(along[0] * first.along[2] - along[1] * first.along[1]),
                          along[0] * slip.slip[1] + (-along[1]) * slip.slip[0], distance / L.template tail<2>().norm()};
  }
}

template <class Model>
void StepContactRates<Model>::add_rows_of_V(std::size_t k, const Contact& contact, const Impulses& L, const ContactSlip<S>& slip,
                                            const S& h) noexcept {
  const Motion& last = end_.contacts()[k];
  const Vector3<S>*t = &last.along[1], &n = last.along[0];
  const bool has_friction = contact.num_rows() > 1;
  const S friction = L.end.template tail<2>().norm();
  const Vector2<S> along = against(L.begin), opposite = against(L.end);
  const Vector3<S> direction = opposite[0] * t[0] + opposite[1] * t[1], across = opposite[0] * t[1] - opposite[1] * t[0];
  const S speed = last.wrench(direction).dot(end_.twist(contact.b) - end_.twist(contact.a));
  const bool with_slip = pieces_[k].in_position == ContactPiece::slides && !contact.is_reversed && opposite.dot(along) > S(0.5F);
  const bool slides = contact.is_at_bound(L.end) && (!has_friction || with_slip || speed > slowest_);
  pieces_[k].in_velocity = !slides ? ContactPiece::sticks : with_slip || !has_friction ? ContactPiece::slides : ContactPiece::reverses;
  momentum_rows_[num_momentum_rows_++] = {k, n, slides ? Vector3<S>(last.force / L.end[0]) : n, S(0)};
  if (!slides) {
    for (std::size_t i = 0; i < 2; ++i) momentum_rows_[num_momentum_rows_++] = {.contact = k, .rate = t[i], .force = t[i], .R = contact.R_t / h};
  } else if (pieces_[k].in_velocity == ContactPiece::reverses) {
    momentum_rows_[num_momentum_rows_++] = {.contact = k, .rate = across, .force = across, .R = speed / friction};
  } else if (has_friction) {
    const S by_slip = -friction / along.dot(contact.slip);
    turned_[num_turned_++] = {k, across, (-along[1] * by_slip) * slip.slip[0] + (along[0] * by_slip) * slip.slip[1] + (-friction) * slip.turn};
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepContactRates<Model<double>>;
#endif

}  // namespace actio::detail
