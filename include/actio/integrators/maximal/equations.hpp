// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The equations of one variational step in maximal coordinates, as a problem for root finders.
#include <concepts>
#include <limits>
#include <utility>

#include "actio/dynamics/joint_terms.hpp"
#include "actio/equations/maximal_system.hpp"
#include "actio/model/state.hpp"

namespace actio::detail {

/// Unknowns y, in the order of MaximalSystem: interval velocities u_i = (w, v) of each body, as in BodyStep, then the impulses L of the
/// rows of joints, loops, couplings and nonholonomic constraints [N s, N m s]:
///   f_i = left momentum(u_i) - known_i - sum over rows of G(node k)^T L = 0,    g(node k + 1) / h = 0          [vi_math.md, section 11]
/// Armature, damping and implicit springs act through rows  k x + L = 0,  x an increment of the joint and k the momentum of a unit
/// increment. A NewtonProblem.
template <class Model, class Force>
class MaximalEquations {
 public:
  using S = typename Model::Scalar;                                 ///< scalar type of all numbers
  using V = ValueOf<S>;                                             ///< value type of norms
  static constexpr bool has_field = !std::same_as<Force, NoForce>;  ///< whether there is a force field

  /// @param force evaluated at the middle of the step.  @param model outlives this.
  MaximalEquations(const Model& model, SpringRule springs, Force force)
      : model_(&model), force_(std::move(force)), terms_(model, springs), system_(model, joints_with_terms(model, springs)),
        wrench_(model.num_bodies(), Vector6<S>::Zero()), motion_(model.num_bodies()),
        displacement_(model.num_bodies(), Displacement<S>::identity()) {
    for (VectorX<S>* work : {&f_, &row_mass_}) work->setZero(system_.size());
    for (VectorX<S>* work : {&x_, &field_, &tau_, &stiffness_}) work->setZero(model.nv());
    guess_.setZero(system_.first_row());
    q_mid_ = model.neutral();
  }

  /// The linear systems, of size() unknowns y.
  ///@{
  MaximalSystem<Model>& system() noexcept { return system_; }
  const MaximalSystem<Model>& system() const noexcept { return system_; }
  ///@}
  const ConstrainedBodies<Model>& bodies() const noexcept { return system_.bodies(); }  ///< the bodies and their constraints
  const JointTerms<S>& terms() const noexcept { return terms_; }                 ///< armature, damping and springs
  const Force& force() const noexcept { return force_; }                         ///< as given

  /// All that belongs to one step. What it points to outlives the step.
  struct Step {
    const ConstrainedPose<S>* from = nullptr;             ///< poses and rows at node k
    ConstrainedPose<S>* to = nullptr;                     ///< those at the end of the step, out
    const BodyArray<Vector6<S>>* known = nullptr;  ///< P_k + F_d^- of each body about its centre of mass, in its axes at node k: the part
                                                   ///< that does not depend on y [N m s, N s]
    S h{};                                         ///< length [s]
    S time{};                                      ///< t_k [s]
    bool increments = false;                       ///< whether increments() are wanted in any case
  };
  /// Begins a step.
  void begin(const Step& step) noexcept;
  /// Computes a guess y (size) from the known momenta: the velocities with these momenta that the rows at the beginning allow.
  /// @returns false if that is singular.
  bool guess(VectorX<S>& y) noexcept {
    y.setZero();
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) u_of(i, y) = known()[i];
    if (!system_.project(*from_, stiffness_, y)) return false;
    guess_ = y.head(system_.first_row());
    return true;
  }
  /// Returns whether velocities y are so far from those of guess() that they belong to another root than that of the motion: steps that are
  /// too long for the rotation of the bodies have several roots. Measured on chains: some of the roots at a distance of 0.6 of their size
  /// or more add energy; at 0.3 none does.
  bool is_far_from_guess(const VectorX<S>& y) noexcept {
    if constexpr (has_field) return false;  // the guess does not include the field
    S apart(0), size(0);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      const Inertia<S>& G = model_->inertia(i);
      const auto energy = [&](const Vector6<S>& u) {
        return S(u.template head<3>().dot(G.I_com * u.template head<3>()) + G.mass * u.template tail<3>().squaredNorm());
      };
      const Vector6<S> guessed = u_of(i, guess_), off = u_of(i, y) - guessed;
      apart += energy(off);
      size += energy(guessed);
    }
    const S far(ValueOf<S>(0.3)), negligible(ValueOf<S>(1e-6));
    if (all(apart <= far * far * size + negligible * negligible * scale_ * scale_)) return false;
    const S rounding = S(floor()) * scale_;  // a motion against stiff dampers is no larger than that
    return !all(apart <= rounding * rounding);
  }

  /// See NewtonProblem. The approximate inverse is the exact one of the last linearize(), in this step or an earlier one. Both use
  /// the same norm.
  ///@{
  void evaluate(const VectorX<S>& y) noexcept;
  S residual(const VectorX<S>& y) noexcept {
    evaluate(y);
    return norm();
  }
  S newton_residual(const VectorX<S>& y) noexcept { return residual(y); }
  V floor() noexcept;
  bool plausible() const noexcept { return overturned_ == 0; }
  S linearize() noexcept;
  void update(VectorX<S>& z) noexcept {
    z = -f_;
    system_.solve(z);
  }
  ///@}

  /// For a step with limits, friction or contacts, whose impulses are not among the unknowns.
  ///@{
  /// Returns the node at which the step begins.
  const ConstrainedPose<S>& from() const noexcept { return *from_; }
  const S& h() const noexcept { return h_; }                            ///< length of the step [s]
  const VectorX<S>& increments() const noexcept { return x_; }          ///< (nv) of the joints, at the last evaluation [rad, m]
  const VectorX<S>& value() const noexcept { return f_; }               ///< (size) residual of the last evaluation
  const S& scale() const noexcept { return scale_; }                    ///< of norms, after the first one [J^1/2]
  /// Returns the displacements of the bodies (bodies) at the last evaluation, in their frames at node k; valid until the next call.
  const BodyArray<Displacement<S>>& displacements() noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) displacement_[i] = motion_[i].dT;
    return displacement_;
  }
  /// Returns the residual (bodies) of the last evaluation without the impulses of rows and the field; valid until the next call.
  /// @param joint (nv) out: what joint terms and the field add to it along the joints [N m s, N s].
  BodyArray<Vector6<S>>& without_rows(VectorX<S>& joint) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) wrench_[i] = motion_[i].left_momentum(model_->inertia(i), h_) - known()[i];
    joint.setZero();
    if (terms_.any()) joint = stiffness_.cwiseProduct(x_) / h_;
    if constexpr (has_field) joint -= (h_ / S(2)) * field_;
    return wrench_;
  }
  /// Replaces the residual of the bodies by what an update solves of it, up to impulses of rows.  @param z update, as y.
  /// @param joint (nv) its momenta along the joints, without those of the bodies [N m s, N s].  @param energy its squared norm [J].
  /// @returns its norm.
  S leave(const VectorX<S>& z, const VectorX<S>& joint, const S& energy) noexcept;
  /// Returns the norm of the residual; NaN if a body rotated too far.
  S norm() noexcept;
  ///@}

  BodyIndex overturned() const noexcept { return overturned_; }                 ///< the first body that rotates by pi or more; 0 if none
  bool field_failed() const noexcept { return field_failed_; }                  ///< whether the force field failed in this step
  const BodyStep<S>& motion(BodyIndex i) const noexcept { return motion_[i]; }  ///< of a body over the step, at the last evaluation

  /// Ends the step with the y of the last evaluation: sets the coordinates of `to`, and the momenta P (out) of the bodies there, without
  /// the forces at that node, about their centres of mass and in their axes there.  @param carry whether the remaining residual enters
  /// them.
  void finish(bool carry, BodyArray<Vector6<S>>& P) noexcept;

 private:
  static auto u_of(BodyIndex i, const VectorX<S>& y) { return MaximalSystem<Model>::u_of(i, y); }
  static auto u_of(BodyIndex i, VectorX<S>& y) { return MaximalSystem<Model>::u_of(i, y); }
  const BodyArray<Vector6<S>>& known() const noexcept { return *known_; }
  bool wants_increments() const noexcept { return has_field || terms_.any() || increments_; }

  const Model* model_;
  [[no_unique_address]] Force force_;
  JointTerms<S> terms_;
  MaximalSystem<Model> system_;
  BodyArray<Vector6<S>> wrench_;
  BodyArray<BodyStep<S>> motion_;
  BodyArray<Displacement<S>> displacement_;
  VectorX<S> f_, row_mass_, x_, field_, tau_, stiffness_, guess_, q_mid_;
  const VectorX<S>* y_ = nullptr;
  const ConstrainedPose<S>* from_ = nullptr;
  ConstrainedPose<S>* to_ = nullptr;
  const BodyArray<Vector6<S>>* known_ = nullptr;
  S h_{}, time_{}, scale_{};
  BodyIndex overturned_ = 0;
  bool field_failed_ = false, increments_ = false;
};

template <class Model, class Force>
void MaximalEquations<Model, Force>::begin(const Step& step) noexcept {
  from_ = step.from;
  to_ = step.to;
  known_ = step.known;
  h_ = step.h;
  time_ = step.time;
  increments_ = step.increments;
  scale_ = S(0);
  overturned_ = 0;
  field_failed_ = false;
  if (terms_.any()) {
    stiffness_ = h_ * terms_.left_rate(*model_, h_);
    system_.set_stiffness(stiffness_);
  }
  // Gaps in a chain add up, and more so in closed loops, so that their effect is larger than that of each gap. Measured on ten thousand
  // random steps of trees and loops of a dozen bodies and on chains of up to 100 links: up to 31 times the root of the sum of their
  // squares.
  const S adds_up(6);
  VectorX<S>& mobility = row_mass_;  // of each row, on unconstrained bodies
  mobility.setZero();
  for (BodyIndex k = 1; k < bodies().size(); ++k) {
    const auto& constraint = bodies()[k];
    const BodyRows<S>& rows = from_->rows[k];
    for (int r = 0; r < constraint.rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r);
      if (constraint.a > 0) mobility[system_.row(k) + r] += rows.on_a[row].dot(system_.mass_inverse_times(constraint.a, rows.on_a[row]));
      if (constraint.b > 0) mobility[system_.row(k) + r] += rows.on_b[row].dot(system_.mass_inverse_times(constraint.b, rows.on_b[row]));
    }
  }
  for (BodyIndex k = 1; k < bodies().size(); ++k) {
    const auto& constraint = bodies()[k];
    for (Eigen::Index r = 0; r < constraint.rows && !(constraint.coupling && constraint.follows);
         ++r) {  // a coupling has two constraints, but counts once
      S& mass = row_mass_[system_.row(k) + r];
      const S softened = S(1) + system_.scale(system_.row(k) + r) * mass;
      mass = r < constraint.locked ? S(adds_up * adds_up / mass) : S(mass / (softened * softened));
    }
  }
}

template <class Model, class Force>
void MaximalEquations<Model, Force>::evaluate(const VectorX<S>& y) noexcept {
  y_ = &y;
  overturned_ = 0;
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    if (!motion_[i].set(model_->inertia(i), u_of(i, y), h_)) {
      overturned_ = i;
      return;
    }
    u_of(i, f_) = motion_[i].left_momentum(model_->inertia(i), h_) - known()[i];
  }
  bodies().move(*from_, motion_, h_, wants_increments(), *to_, x_);
  f_.tail(system_.size() - system_.first_row()).setZero();
  for (BodyIndex k = 1; k < bodies().size(); ++k) {
    const auto& constraint = bodies()[k];
    const BodyRows<S>& rows = from_->rows[k];
    for (int r = 0; r < constraint.rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r);
      const Eigen::Index at = system_.row(k) + r;
      f_[at] += system_.scale(at) * (to_->rows[k].value[row] / h_) + system_.compliance(at) * y[at];
      if (constraint.a > 0) u_of(constraint.a, f_) -= rows.on_a[row] * y[at];
      if (constraint.b > 0) u_of(constraint.b, f_) -= rows.on_b[row] * y[at];
    }
  }
  if constexpr (has_field) {
    tau_ = x_ / S(2);
    model_->integrate(from_->q, tau_, q_mid_);
    tau_ = x_ / h_;
    field_.setZero();
    field_failed_ |= !force_(time_ + h_ / S(2), q_mid_, tau_, field_);
    tau_ = (h_ / S(2)) * field_;
    for (Vector6<S>& F : wrench_) F.setZero();
    bodies().add_joint_forces(*from_, tau_, wrench_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) u_of(i, f_) -= wrench_[i];
  }
}

template <class Model, class Force>
typename Model::Scalar MaximalEquations<Model, Force>::leave(const VectorX<S>& z, const VectorX<S>& joint, const S& energy) noexcept {
  S of_motion(0);
  for (Vector6<S>& F : wrench_) F.setZero();
  bodies().add_joint_forces(*from_, joint, wrench_);
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    const Inertia<S>& G = model_->inertia(i);
    const Vector6<S> u = u_of(i, z);
    u_of(i, f_) = -wrench_[i] - spatial<S>(Vector3<S>(G.I_com * u.template head<3>()), Vector3<S>(G.mass * u.template tail<3>()));
    of_motion += known()[i].dot(system_.mass_inverse_times(i, known()[i])) + motion_[i].twice_energy(G);
  }
  if (scale_ == S(0)) scale_ = std::sqrt(of_motion + energy);
  return energy == S(0) ? energy : S(std::sqrt(energy) / scale_);
}

template <class Model, class Force>
typename Model::Scalar MaximalEquations<Model, Force>::linearize() noexcept {
  system_.begin();
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) system_.add_body(i, motion_[i].angular_rate(model_->inertia(i), h_));
  BodyRows<S> work;
  for (BodyIndex k = 1; k < bodies().size(); ++k) {
    const BodyRows<S>& there = bodies().rates(k, *to_, x_, work);
    const auto moved = [&](BodyIndex body, const Vector6<S>& F) { return motion_[body].on_velocities(F, h_); };
    const auto moved_already = [](BodyIndex, const Vector6<S>& F) { return F; };
    if (bodies()[k].nonholonomic) system_.add_constraint(k, from_->rows[k], there, moved_already);
    else system_.add_constraint(k, from_->rows[k], there, moved);
  }
  return system_.factor() ? norm() : S(std::numeric_limits<V>::infinity());
}

template <class Model, class Force>
typename Model::Scalar MaximalEquations<Model, Force>::norm() noexcept {
  using std::sqrt;
  if (overturned_ != 0) return S(std::numeric_limits<V>::quiet_NaN());
  S sum(0), of_motion(0);
  const bool first = scale_ == S(0);
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    const Vector6<S> f = u_of(i, f_);
    sum += f.dot(system_.mass_inverse_times(i, f));
    if (first) of_motion += known()[i].dot(system_.mass_inverse_times(i, known()[i])) + motion_[i].twice_energy(model_->inertia(i));
  }
  for (Eigen::Index r = system_.first_row(); r < system_.size(); ++r) sum += row_mass_[r] * f_[r] * f_[r];
  if (first) scale_ = sqrt(of_motion + sum);
  return sum == S(0) ? sum : sqrt(sum) / scale_;
}

/// Returns the rounding error of what cancels: momenta and impulses, and the rows' values, which are computed from poses.
template <class Model, class Force>
typename MaximalEquations<Model, Force>::V MaximalEquations<Model, Force>::floor() noexcept {
  V impulses(0), gaps(0);
  for (BodyIndex k = 1; k < bodies().size(); ++k) {
    const auto& constraint = bodies()[k];
    const BodyRows<S>& rows = from_->rows[k];
    Vector6<S> on_a = Vector6<S>::Zero(), on_b = on_a;
    for (int r = 0; r < constraint.rows; ++r) {
      const std::size_t row = static_cast<std::size_t>(r);
      const Eigen::Index at = system_.row(k) + r;
      on_a += rows.on_a[row] * (*y_)[at];
      on_b += rows.on_b[row] * (*y_)[at];
      if (constraint.coupling || constraint.nonholonomic) continue;
      const V size = value_of(system_.scale(at)) * (1 + value_of(S(to_->pose[k].T_FM.p.norm())));
      gaps += value_of(row_mass_[at]) * size * size;
    }
    if (constraint.a > 0) impulses += value_of(S(on_a.dot(system_.mass_inverse_times(constraint.a, on_a))));
    if (constraint.b > 0) impulses += value_of(S(on_b.dot(system_.mass_inverse_times(constraint.b, on_b))));
  }
  const V scale = value_of(scale_), h = value_of(h_);
  return 8 * epsilon<S> * (1 + (std::sqrt(impulses) + std::sqrt(gaps) / std::abs(h)) / scale);
}

template <class Model, class Force>
void MaximalEquations<Model, Force>::finish(bool carry, BodyArray<Vector6<S>>& P) noexcept {
  for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
    P[i] = motion_[i].right_momentum(model_->inertia(i), h_);
    if (!carry) continue;
    const Vector6<S> f = u_of(i, f_);  // about the centre of mass at both nodes: rotated, not translated
    P[i] -= spatial<S>(motion_[i].dT.rotate_inverse(f.template head<3>()), motion_[i].dT.rotate_inverse(f.template tail<3>()));
  }
  if (!wants_increments()) bodies().set_coordinates(from_->q, *to_);
  bodies().place_in_world(*to_);
  if (!wants_increments()) return;
  tau_.setZero();
  terms_.add_right(*model_, to_->q, x_, h_, tau_);
  if constexpr (has_field) tau_ += (h_ / S(2)) * field_;
  bodies().add_joint_forces(*to_, tau_, P);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class MaximalEquations<Model<double>, NoForce>;
#endif

}  // namespace actio::detail
