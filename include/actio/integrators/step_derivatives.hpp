// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact derivative of a step of the variational integrator: products with it and with its transpose in O(bodies).
#include <cmath>
#include <concepts>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "actio/dynamics/drnea/residual.hpp"
#include "actio/dynamics/drnea/variation.hpp"
#include "actio/constraints/point_force_rates.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/integrators/variational/momentum_row_rates.hpp"
#include "actio/integrators/variational/pieces.hpp"
#include "actio/integrators/variational/step_row_rates.hpp"

namespace actio {

/// The linearisation of the one-step map (q_k, p_k, tau_k, tau_{k+1}) -> (q_{k+1}, p_{k+1}) at one of its steps, as an operator.
///
/// Configurations vary by velocities of the joints' own kind, q (+) dq with dq of size nv, at both ends; momenta [N m s, N s] and
/// joint forces [N m, N] by vectors of size nv. Gravity, springs of joints and between points, constant forces, damping, armature, body
/// wrenches of the input, closed loops, couplings, joint limits, dry friction of joints, servos and contacts are included, rigid or with
/// springs, a force field is not. Uses the implicit function theorem with the factors of the exact Jacobian; no root is sought again.
///                                                                            [vi_math.md, sections 7.1, 7.2, 7.9 and 8]
///   VariationalIntegrator integrator(model);
///   StepDerivatives derivatives(integrator);
///   if (integrator.step(input, h) && derivatives.linearize(integrator, input) == Status::converged) derivatives.matrix(A, B);
///
/// All derivatives are exact, except for joints of users: derivatives of motion_subspace (without a `bias`) and of dlog that they do not
/// supply are differences. A copy of the object keeps the linearisation of its step.
///
/// With loops and couplings, dq_{k+1} satisfies the rows, and dp_k matters up to impulses of the rows only, which the step does not see
/// either. Where rows are redundant, dq_k has to satisfy them too: otherwise the step has no derivative. m rows add O(m bodies + m^3) to a
/// linearisation and O(bodies + m^2) to a product.
///
/// Limits, dry friction, servos and contacts are differentiated on the pieces() and contact_pieces() of the step: a closed limit, a joint
/// that sticks, a servo below its largest force and a contact are further rows, a joint that slips has a constant friction. Where a piece is
/// about to change, the derivative is that of one side. With m of them in the momentum at the end of the step, a product takes O(m bodies).
/// How points and normals of contacts move is found by central differences of their source, twelve calls at each end of the step, or as many
/// for each bit of the number of bodies with contacts between moving bodies. Where contacts are redundant and slide, derivatives are those at
/// fixed shares of their load.
///                                                                                              [variational_contact.md, section 11]
/// @tparam Kind as in Drnea<Kind>. All members but the constructors neither allocate nor throw.
template <class ModelType, class Kind = Split>
class StepDerivatives {
 public:
  using Model = ModelType;                ///< a Model of any joints
  using Scalar = typename Model::Scalar;  ///< scalar type of all numbers
  using Vector = VectorX<Scalar>;         ///< (nv)

  /// @param model outlives the object.  @param springs as in the integrator's options.  @param contacts, found largest numbers of contacts
  /// that push in a step, and that the source finds; 0 without a source.
  /// @throws ModelError if it has active nonholonomic constraints, or enforces contact although `contacts` is 0; with scalars other than
  /// float and double also if it has active loops, couplings or servos, or enforces limits, friction or contact.
  explicit StepDerivatives(const Model& model, SpringRule springs = SpringRule::midpoint, std::size_t contacts = 0, std::size_t found = 0)
      : model_(&model), tree_(model), data_(model), rates_(model), factors_(model), variation_(model), terms_(model, springs) {
    constexpr bool all = takes_rows;
    require_support(model,
                    {.loops = all,
                     .couplings = all,
                     .limits = all,
                     .friction = all,
                     .contact = all && contacts > 0,
                     .servos = all,
                     .restitution = all,
                     .dampers = all},
                    "StepDerivatives");
    for (Vector* work : {&unit_, &zero_, &dq1_, &dp1_}) work->setZero(model.nv());
    if (detail::has_point_forces(model)) applied_.emplace(model);
    if constexpr (takes_rows) {
      for (const auto& bound : detail::joint_bounds(model)) pieces_.push_back({bound.body, bound.v, bound.side, false, false, bound.servo});
      if (pieces_.empty() && contacts == 0 && detail::closures_of(model, detail::Springs::included).empty()) return;
      rows_.emplace(model, pieces_.size(), contacts, found);
      momentum_rows_.emplace(model, pieces_.size(), contacts);
      closure_impulses_.setZero(rows_->num_closures());
      for (Vector* work : {&right_side_, &weights_, &p_, &end_q_, &end_p_}) work->setZero(model.nv());
    }
  }
  /// For the steps of an integrator, with its model, kinetic kind, spring rule and contacts.  @param contacts largest number of those that
  /// push in a step; memory grows with its square.  @throws ModelError as above.
  template <class Root, class Force, class Contacts>
  explicit StepDerivatives(const VariationalIntegrator<Model, Drnea<Kind>, Root, Force, Contacts>& integrator, std::size_t contacts = 32)
      : StepDerivatives(integrator.model(), integrator.options().springs, std::min(contacts, most_points(integrator)),
                        most_points(integrator)) {
    static_assert(std::same_as<Force, NoForce>, "the derivatives of a step do not include a force field: pass its forces as input");
  }
  explicit StepDerivatives(Model&&, SpringRule = SpringRule::midpoint) = delete;  // would dangle

  const Model& model() const noexcept { return *model_; }  ///< as given to the constructor

  /// Linearises the step that goes from q over the increment x, of a model without loops, couplings, limits, friction and springs between
  /// points: with them, linearise the last step of an integrator.
  /// @param q (nq) q_k.  @param x (nv) with q_{k+1} = q_k (+) x, the root of the step; model.difference(q_k, q_{k+1}) gives it.
  /// @param h time step [s].  @param input of the step; only its body wrenches matter, since joint forces do not depend on q.
  /// @returns converged; else the reason why there are no derivatives.
  Status linearize(const ConstVectorRef<Scalar>& q, const ConstVectorRef<Scalar>& x, const Scalar& h,
                   const Input<Scalar>& input = {}) noexcept {
    if (rows_ || q.size() != model_->nq() || x.size() != model_->nv()) return Status::invalid_input;
    if (!is_finite(h) || h == Scalar(0)) return Status::invalid_step;
    if (!detail::is_finite_vector(q) || !detail::is_finite_vector(x)) return Status::not_finite;
    place(*model_, tree_, q);
    drnea_outward<Kind>(*model_, tree_, data_, x, h);
    return linearize(data_, x, h, input, [](auto&) { return Status::invalid_step; });
  }

  /// Linearises the integrator's last step.  @param input of that step.
  /// @returns as above; invalid_step if there is none, or if it had substeps: its derivative is then the product of those of the substeps,
  /// which a single linearisation does not give. Also if it had impacts with restitution, relaxed a law, had a servo that the step does not
  /// resolve, so that the step depends on that before it, or a contact that pushed was not found at both ends; singular where the rank of
  /// rows is lower at the beginning of the step than at its end; capacity if more contacts pushed than the object is made for;
  /// callback_failed if their source failed; invalid_input if the object is not made for the integrator's model.
  template <class Root, class Contacts>
  Status linearize(const VariationalIntegrator<Model, Drnea<Kind>, Root, NoForce, Contacts>& integrator,
                   const Input<Scalar>& input = {}) noexcept {
    const auto last = integrator.last_step();
    if (!rows_ && (last.L.size() > 0 || integrator.last_bounds().act())) return Status::invalid_input;
    if (last.q.size() != model_->nq() || last.x.size() != model_->nv() || last.data.dT.size() != model_->num_bodies()) return Status::invalid_input;
    if (last.h == Scalar(0)) return Status::invalid_step;
    tree_ = last.tree;
    return linearize(last.data, last.x, last.h, input, [&](Rows& rows) {
      if constexpr (takes_rows) return begin_rows(rows, integrator);
      else return Status::invalid_step;
    });
  }
  /// Returns the enforced limits and dry friction of the step that was linearised last, joint by joint, then its servos.
  std::span<const HeldPiece> pieces() const noexcept { return pieces_; }

  /// Returns the contacts that pushed in the step that was linearised last.
  std::span<const ContactPieces> contact_pieces() const noexcept {
    if constexpr (takes_rows) {
      if (rows_) return rows_->contacts().pieces();
    }
    return {};
  }

  /// Computes the derivative along a direction, of the step that was linearised last.
  /// @param dq, dp of q_k, p_k; dtau0, dtau1 of the joint forces at the two ends, (nv) each.
  /// @param dq1, dp1 (nv) out, of q_{k+1}, p_{k+1}; may be dq and dp themselves.
  void tangent(const ConstVectorRef<Scalar>& dq, const ConstVectorRef<Scalar>& dp, const ConstVectorRef<Scalar>& dtau0,
               const ConstVectorRef<Scalar>& dtau1, VectorRef<Scalar> dq1, VectorRef<Scalar> dp1) noexcept {
    unit_ = dp + half_ * dtau0;
    vary(dq, unit_, dq1_, dp1_);
    dp1_ += half_ * dtau1;
    finish(dq1_, dp1_);
    dq1 = dq1_;
    dp1 = dp1_;
  }

  /// Computes the transposed product: from the gradient of a function by (q_{k+1}, p_{k+1}) its gradient by the arguments of the step.
  /// @param w_q1, w_p1 (nv) weights of dq_{k+1}, dp_{k+1}.  @param w_q, w_p (nv) out, may be w_q1 and w_p1 themselves.
  /// @param w_tau0, w_tau1 (nv) out.
  void adjoint(const ConstVectorRef<Scalar>& w_q1, const ConstVectorRef<Scalar>& w_p1, VectorRef<Scalar> w_q, VectorRef<Scalar> w_p,
               VectorRef<Scalar> w_tau0, VectorRef<Scalar> w_tau1) noexcept {
    if (acts_on_momentum_) {
      end_q_ = w_q1;
      end_p_ = w_p1;
      if constexpr (takes_rows) {
        momentum_rows_->apply_transposed(rows_->end_tree(), rows_->closures_at_end(), rows_->contacts(), rows_->springs(), end_q_, end_p_);
      }
      vary_transposed(end_q_, end_p_, dq1_, dp1_);
      w_tau1 = half_ * end_p_;
    } else {
      vary_transposed(w_q1, w_p1, dq1_, dp1_);
      w_tau1 = half_ * w_p1;
    }
    w_tau0 = half_ * dp1_;
    w_q = dq1_;
    w_p = dp1_;
  }

  /// Computes both matrices, column by column, O(bodies^2): d(q_{k+1}, p_{k+1}) = A d(q_k, p_k) + B d(tau_k, tau_{k+1}).
  /// @param A, B (2 nv x 2 nv) out; allocates unless they have that size.
  void matrix(MatrixX<Scalar>& A, MatrixX<Scalar>& B) noexcept {
    const Eigen::Index n = model_->nv();
    A.resize(2 * n, 2 * n);
    B.resize(2 * n, 2 * n);
    unit_.setZero();
    zero_.setZero();
    for (Eigen::Index k = 0; k < n; ++k) {
      unit_[k] = Scalar(1);
      vary(unit_, zero_, A.col(k).head(n), A.col(k).tail(n));
      finish(A.col(k).head(n), A.col(k).tail(n));
      vary(zero_, unit_, A.col(n + k).head(n), A.col(n + k).tail(n));
      finish(A.col(n + k).head(n), A.col(n + k).tail(n));
      unit_[k] = Scalar(0);
    }
    B.leftCols(n) = half_ * A.rightCols(n);
    B.topRightCorner(n, n).setZero();
    B.bottomRightCorner(n, n).setZero();
    B.bottomRightCorner(n, n).diagonal().setConstant(half_);
    if constexpr (takes_rows) {
      if (rows_) rows_->springs().give_nothing();
    }
    for (Eigen::Index k = 0; acts_on_momentum_ && k < n; ++k) finish(zero_, B.col(n + k).tail(n));
  }

 private:
  static constexpr bool takes_rows = std::floating_point<Scalar>;
  struct NoRows {};
  template <class T> using IfRows = typename std::conditional_t<takes_rows, std::type_identity<T>, std::type_identity<NoRows>>::type;
  using Rows = IfRows<detail::StepRowRates<Model>>;
  using MomentumRows = IfRows<detail::MomentumRowRates<Model>>;

  template <class Integrator>
  static std::size_t most_points(const Integrator& integrator) {
    if constexpr (takes_rows && requires { integrator.contacts(); }) return integrator.last_bounds().cones().problem().contacts().capacity();
    else return 0;
  }
  /// Begins the rows of the integrator's last step, on its pieces.  @returns converged, or why it has no derivative.
  template <class Integrator>
  Status begin_rows(Rows& rows, const Integrator& integrator) noexcept {
    const auto last = integrator.last_step();
    acts_on_momentum_ = integrator.last_bounds().act();
    if (!acts_on_momentum_) {
      closure_impulses_.setZero();
      closure_impulses_.head(last.L.size()) = last.L;
      rows.begin(tree_, last.x, closure_impulses_, last.rotations);
      for (HeldPiece& piece : pieces_) piece.in_position = piece.in_velocity = false;
      return Status::converged;
    }
    const auto& cones = integrator.last_bounds().cones();
    if (cones.problem().bounds().size() != pieces_.size()) return Status::invalid_input;
    const Vector &impulses = cones.impulses(), &forces = cones.problem().forces;  // both ends; at the end, over h
    const Eigen::Index closures = rows.first_point_spring(), springs = cones.problem().first_spring(), count = rows.num_closures() - closures;
    const auto set_impulses = [&](const Scalar& of_end, const Scalar& of_both) {
      closure_impulses_.head(closures) = of_end * forces.head(closures) - of_both * impulses.head(closures);
      closure_impulses_.tail(count) = of_end * forces.segment(springs, count) - of_both * impulses.segment(springs, count);
    };
    set_impulses(last.h, Scalar(1));
    rows.begin(tree_, last.x, closure_impulses_, last.rotations);
    const Vector& added = terms_.diagonal(*model_, last.h);
    for (Eigen::Index k = 0; k < closures; ++k) {
      const auto* spring = cones.problem().closure_spring(k);
      if (spring == nullptr || !spring->acts) continue;
      if (!rows.add_spring(tree_, added, k, *spring, last.h, -closure_impulses_[k], last.h * forces[k])) return Status::singular;
    }
    p_ = integrator.momentum();
    if (!momentum_rows_->begin(rows.end_tree(), p_)) return Status::singular;
    for (Eigen::Index k = 0; cones.problem().point_springs().any() && k < count; ++k) {
      const auto& one = cones.problem().point_springs()[static_cast<std::size_t>(k)];
      const Scalar at_end = last.h * forces[springs + k], at_begin = impulses[springs + k] - at_end;
      const bool pushes = !one.spring->tension_only, in_P = pushes || at_begin > Scalar(0), in_V = pushes || at_end > Scalar(0);
      if (!one.is_row || !(in_P || in_V)) continue;
      if (in_P) rows.add_point_spring(closures + k);
      if (in_V) momentum_rows_->add_point_spring(closures + k);
      if (one.law.acts && !rows.add_spring(tree_, added, closures + k, one.law, last.h, at_begin, at_end, in_P, in_V)) return Status::singular;
    }
    set_impulses(last.h, Scalar(0));  // now those at the end, in V
    const Status status = add_bounds(rows, cones, last, added);
    if (status != Status::converged) return status;
    if constexpr (requires { integrator.contacts(); }) {
      return rows.contacts().begin(tree_, rows.end_tree(), cones.problem().contacts(), integrator.last_bounds().finder(),
                                   integrator.options().contact_margin, last.h, last.h * cones.recovery(), momentum_rows_->velocity(),
                                   {rows.first_contact_row(), momentum_rows_->first_contact_row(), rows.springs(), added});
    }
    return Status::converged;
  }
  /// Adds the limits, dry friction and servos of a step to its rows.  @param last, added see begin_rows().  @returns as begin_rows().
  template <class Cones, class Last>
  Status add_bounds(Rows& rows, const Cones& cones, const Last& last, const Vector& added) noexcept {
    const std::vector<detail::JointBound<Scalar>>& bounds = cones.problem().bounds();
    const Vector &impulses = cones.impulses(), &forces = cones.problem().forces;
    const Scalar below = Scalar(1) - std::sqrt(epsilon<Scalar>);
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      const detail::JointBound<Scalar>& bound = bounds[k];
      const Eigen::Index slot = rows.first_point_spring() + static_cast<Eigen::Index>(k);
      HeldPiece& piece = pieces_[k];
      if (bound.is_servo()) {
        if (!cones.servos().are_even()) return Status::invalid_step;
        piece.in_position = piece.in_velocity = std::abs(forces[slot]) < below * bound.bound;
        if (piece.in_position) rows.add(servo_entry(bound, last.x, last.h, cones.servos().slope(bound)));
        continue;
      }
      const Scalar at_end = last.h * forces[slot], at_begin = impulses[slot] - at_end;
      const Scalar most = below * last.h * bound.bound / Scalar(2);
      const auto holds = [&](const Scalar& L) { return bound.is_limit() ? L > Scalar(0) : std::abs(L) < most; };
      piece.in_position = holds(at_begin);
      piece.in_velocity = holds(at_end);
      detail::HeldEntry<Scalar> entry = bound.is_limit() ? limit_entry(bound, last.q, last.h * cones.recovery()) : entry_of(bound, last.x);
      if (bound.spring.is_soft() && bound.spring.acts && (piece.in_position || piece.in_velocity)) {
        const Scalar gap = bound.gap(last.q), side = static_cast<Scalar>(bound.side);
        unit_ = side * Vector::Unit(unit_.size(), bound.v);
        auto* spring = rows.springs().add(tree_, added, bound.spring, gap, gap + bound.along(last.x), last.h, unit_, detail::JointForceRates{});
        if (spring == nullptr) return Status::singular;
        if (piece.in_position) spring->in_P = rows.first_contact_row();
        if (piece.in_velocity) spring->in_V = momentum_rows_->first_contact_row();
        entry.begin[0] = spring->of_begin;
        spring->by_z *= side;  // the impulses of rows push towards positive velocities
        spring->change = side * (at_end - at_begin);
      }
      if (piece.in_position) rows.add(entry);
      if (piece.in_velocity) momentum_rows_->add(bound.v);
    }
    return Status::converged;
  }
  /// Returns the row of a limit that is closed at the end of the step.  @param returns [rad, m] by which a joint beyond its limit returns.
  static detail::HeldEntry<Scalar> limit_entry(const detail::JointBound<Scalar>& bound, const Vector& q, const Scalar& returns) noexcept {
    detail::HeldEntry<Scalar> entry{bound.v, bound.v, 1};
    entry.end[0] = Scalar(1);
    if (bound.gap(q) + returns < Scalar(0)) entry.begin[0] = Scalar(-1);
    return entry;
  }
  /// Returns the row of an entry that does not move.  @param x (nv) the increment of the step.
  detail::HeldEntry<Scalar> entry_of(const detail::JointBound<Scalar>& bound, const Vector& x) const noexcept {
    detail::HeldEntry<Scalar> entry{bound.v, bound.v, 1};
    visit_joint(*model_, bound.body, [&]<JointType J>(const J& joint) {
      if constexpr (joints::is_flat<J>()) {
        entry.end[0] = Scalar(1);
        entry.begin[0] = Scalar(-1);
      } else {
        entry.first = model_->v_index(bound.body);
        entry.size = J::nv;
        const auto by_begin = joints::dlog(joint, typename J::Tangent(model_->template v_of<J>(bound.body, x)));
        entry.end.template head<J::nv>() = rates_.template to_increment_of<J>(entry.first).row(bound.v - entry.first).transpose();
        entry.begin.template head<J::nv>() = -by_begin.row(bound.v - entry.first).transpose();
      }
    });
    return entry;
  }
  /// Returns the row of a servo within its limits, whose halves are alike:  d(x_i) + h k/slope dq_i + 2/slope dLm = 0.
  /// @param slope see StepServo.
  detail::HeldEntry<Scalar> servo_entry(const detail::JointBound<Scalar>& bound, const Vector& x, const Scalar& h,
                                        const Scalar& slope) const noexcept {
    detail::HeldEntry<Scalar> entry = entry_of(bound, x);
    const Scalar& stiffness = model_->servos()[static_cast<std::size_t>(bound.servo)].stiffness;  // 0 if the joint is not flat
    if (stiffness > Scalar(0)) entry.begin[bound.v - entry.first] += h * stiffness / slope;
    entry.R = Scalar(2) / slope;
    entry.repeats = true;
    return entry;
  }

  /// Linearises the step that begins at tree_.  @param data of the outward sweep over x.  @param begin_rows begins the rows that are given to
  /// it, and returns a status.
  template <class Begin>
  Status linearize(const DrneaData<Scalar>& data, const ConstVectorRef<Scalar>& x, const Scalar& h, const Input<Scalar>& input,
                   Begin&& begin_rows) noexcept {
    if (!is_valid(*model_, input)) return Status::invalid_input;
    half_ = h / Scalar(2);
    if (Drnea<Kind>::overturned(data) != 0) return Status::rotation_too_large;
    drnea_rates<Kind>(*model_, tree_, data, rates_, x, h);
    if (tree_lu_factor(*model_, tree_, rates_, factors_, terms_.left_rate(*model_, h)) != 0) return Status::singular;
    if (applied_ && !applied_->begin(*model_, tree_, x, h, input)) return Status::invalid_step;
    const BodyArray<Vector6<Scalar>>&at_begin = applied_ ? applied_->wrench_begin : input.wrench_begin,
                                    &at_end = applied_ ? applied_->wrench_end : input.wrench_at_end();
    const auto set_variation = [&](const BodyArray<Vector6<Scalar>>& wrench_begin) {
      drnea_vary(*model_, tree_, data, rates_, variation_, terms_, x, h, wrench_begin, at_end);
    };
    acts_on_momentum_ = false;
    if constexpr (takes_rows) {
      if (rows_) {
        const Status status = begin_rows(*rows_);
        if (status != Status::converged) return status;
        set_variation(rows_->wrenches(at_begin, half_));
        if (!rows_->factor(tree_, rates_, factors_) || !satisfies_rows()) return Status::singular;
        const bool sound = !acts_on_momentum_ || momentum_rows_->linearize(rows_->end_tree(), rows_->closures_at_end(), rows_->contacts(),
                                                                          rows_->springs(), rows_->rotations_at_end(), closure_impulses_);
        return sound ? Status::converged : Status::singular;
      }
    }
    set_variation(at_begin);
    return Status::converged;
  }
  /// Computes dq1, dp1 from dq and from db of the right-hand side of the step's equation, (nv) each; dq and db are not the other two.
  void vary(const ConstVectorRef<Scalar>& dq, const ConstVectorRef<Scalar>& db, VectorRef<Scalar> dq1, VectorRef<Scalar> dp1) noexcept {
    if (!applied_) return vary_without_applied(dq, db, dq1, dp1);
    applied_->db = db;
    applied_->begin_rates.add(tree_, half_, dq, applied_->db);
    vary_without_applied(dq, applied_->db, dq1, dp1);
    applied_->end_rates.add(applied_->end, half_, dq1, dp1);
  }
  void vary_without_applied(const ConstVectorRef<Scalar>& dq, const ConstVectorRef<Scalar>& db, VectorRef<Scalar> dq1,
                            VectorRef<Scalar> dp1) noexcept {
    if constexpr (takes_rows) {
      if (rows_) {
        right_side_ = db;
        rows_->subtract_force_rates(tree_, dq, right_side_);
        drnea_tangent(*model_, tree_, rates_, factors_, variation_, dq, right_side_, dq1, dp1);
        rows_->subtract_impulses(tree_, dq, dq1, right_side_);
        drnea_tangent(*model_, tree_, rates_, factors_, variation_, dq, right_side_, dq1, dp1);
        rows_->repeat_impulses(dp1);
        rows_->contacts().add_turned_friction(tree_, rows_->end_tree(), dq, dq1, dp1);
        return;
      }
    }
    drnea_tangent(*model_, tree_, rates_, factors_, variation_, dq, db, dq1, dp1);
  }
  /// The transposed product: w_q1.dq1 + w_p1.dp1 = w_q.dq + w_b.db.  Results are none of the arguments.
  void vary_transposed(const ConstVectorRef<Scalar>& w_q1, const ConstVectorRef<Scalar>& w_p1, VectorRef<Scalar> w_q,
                       VectorRef<Scalar> w_b) noexcept {
    if (!applied_) return vary_transposed_without_applied(w_q1, w_p1, w_q, w_b);
    applied_->db = w_q1;
    applied_->end_rates.add_transposed(applied_->end, half_, w_p1, applied_->db);
    vary_transposed_without_applied(applied_->db, w_p1, w_q, w_b);
    applied_->begin_rates.add_transposed(tree_, half_, w_b, w_q);
  }
  void vary_transposed_without_applied(const ConstVectorRef<Scalar>& w_q1, const ConstVectorRef<Scalar>& w_p1, VectorRef<Scalar> w_q,
                                       VectorRef<Scalar> w_b) noexcept {
    if constexpr (takes_rows) {
      if (rows_) {
        weights_ = w_q1;
        right_side_.setZero();
        rows_->contacts().add_turned_friction_transposed(tree_, rows_->end_tree(), w_p1, right_side_, weights_);
        drnea_adjoint(*model_, tree_, rates_, factors_, variation_, weights_, w_p1, w_q, w_b);
        rows_->subtract_impulses_transposed(tree_, w_b, w_p1, weights_, right_side_);
        drnea_adjoint(*model_, tree_, rates_, factors_, variation_, weights_, w_p1, w_q, w_b);
        w_q += right_side_;
        rows_->subtract_force_rates_transposed(tree_, w_b, w_q);
        return;
      }
    }
    drnea_adjoint(*model_, tree_, rates_, factors_, variation_, w_q1, w_p1, w_q, w_b);
  }
  /// Completes variations at the end of a step by what acts on its momentum there.
  void finish(const ConstVectorRef<Scalar>& dq1, VectorRef<Scalar> dp1) noexcept {
    if constexpr (takes_rows) {
      if (acts_on_momentum_) {
        momentum_rows_->apply(rows_->end_tree(), rows_->closures_at_end(), rows_->contacts(), rows_->springs(), dq1, dp1);
      }
    }
  }
  /// Returns whether the inverse of the rows has their rank: impulses then satisfy the rows for a right-hand side in general position.
  bool satisfies_rows() noexcept {
    unit_.setZero();
    for (Eigen::Index k = 0; k < unit_.size(); ++k) right_side_[k] = Scalar(1 + k % 7) + Scalar(k % 3) / Scalar(2);
    drnea_tangent(*model_, tree_, rates_, factors_, variation_, unit_, right_side_, dq1_, dp1_);
    const Scalar free = rows_->violation(tree_, unit_, dq1_, false);
    rows_->subtract_impulses(tree_, unit_, dq1_, right_side_);
    drnea_tangent(*model_, tree_, rates_, factors_, variation_, unit_, right_side_, dq1_, dp1_);
    return rows_->violation(tree_, unit_, dq1_, true) <= std::sqrt(epsilon<Scalar>) * free;
  }

  /// The constant forces of a step and its springs between points, as AppliedForces.
  struct Applied {
    detail::AppliedForces<Model> forces;
    detail::PointForceRates<Model> begin_rates, end_rates;
    TreePose<Scalar> end;                                      // the tree at q_{k+1}
    BodyArray<Vector6<Scalar>> wrench_begin, wrench_end;       // with those of the input
    Vector db;                                                 // (nv)

    explicit Applied(const Model& model)
        : forces(model), begin_rates(model), end_rates(model), end(model), wrench_begin(model.num_bodies(), Vector6<Scalar>::Zero()),
          wrench_end(wrench_begin), db(Vector::Zero(model.nv())) {}
    /// Linearises the step over x.  @returns false if it has springs that are not among them, and these cannot be rows.
    bool begin(const Model& model, const TreePose<Scalar>& tree, const ConstVectorRef<Scalar>& x, const Scalar& h,
               const Input<Scalar>& input) noexcept {
      forces.begin(tree, h);
      if (!takes_rows && forces.any_stiff()) return false;
      model.integrate(tree.q, x, end.q);
      place(model, end, end.q);
      for (const bool at_end : {false, true}) {
        const TreePose<Scalar>& at = at_end ? end : tree;
        BodyArray<Vector6<Scalar>>& wrench = at_end ? wrench_end : wrench_begin;
        wrench = forces.wrenches(at);
        for (BodyIndex i = 1; input.has_wrenches() && i < wrench.size(); ++i) wrench[i] += input.wrench_at(Scalar(at_end ? 1 : 0), i);
        (at_end ? end_rates : begin_rates).begin(forces.poses(), forces.acts());
      }
      return true;
    }
  };

  const Model* model_;
  std::optional<Applied> applied_;  // if forces act at points
  Scalar half_{};
  TreePose<Scalar> tree_;
  DrneaData<Scalar> data_;
  detail::TreeMatrix<Scalar> rates_;
  detail::TreeLu<Scalar> factors_;
  detail::DrneaVariation<Scalar> variation_;
  detail::JointTerms<Scalar> terms_;
  Vector unit_, zero_, dq1_, dp1_;
  std::optional<Rows> rows_;
  std::optional<MomentumRows> momentum_rows_;  // if any limit or friction may act
  std::vector<HeldPiece> pieces_;
  bool acts_on_momentum_ = false;           // whether limits or friction acted in the step
  Vector right_side_, weights_;             // (nv), or empty without rows
  Vector p_, end_q_, end_p_;                // (nv), or empty without rows
  Vector closure_impulses_;                   // (rows of closures)
};

/// Deduces the kinetic kind from the integrator.
template <class Model, class Kind, class Root, class Force, class Contacts>
StepDerivatives(const VariationalIntegrator<Model, Drnea<Kind>, Root, Force, Contacts>&, std::size_t = 32) -> StepDerivatives<Model, Kind>;

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StepDerivatives<Model<double>>;
ACTIO_INSTANTIATE Status StepDerivatives<Model<double>>::linearize(const VariationalIntegrator<actio::Model<double>>&,
                                                                   const Input<double>&) noexcept;
#endif

}  // namespace actio
