// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The acceleration of a model under all of its forces, as the explicit schemes evaluate it.
#include <concepts>
#include <optional>
#include <utility>

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/integrators/integrator.hpp"

namespace actio::detail {

/// Forward dynamics with all forces on a model: gravity, constant forces, inputs at a share of the step, springs, damping, a force field,
/// and forces of the caller. Explicit schemes evaluate it once or several times a step.  @tparam Force a ForceField.
template <class ModelType, class Force>
class Acceleration {
 public:
  using Scalar = typename ModelType::Scalar;  ///< scalar type of all numbers

  /// @param model the model that evaluate() is called with.
  Acceleration(const ModelType& model, Force force)
      : force_(std::move(force)),
        data_(model),
        tau_(VectorX<Scalar>::Zero(model.nv())),
        wrench_(model.num_bodies(), Vector6<Scalar>::Zero()) {
    if (has_point_forces(model)) kinematics_.emplace(model);
  }

  /// Computes the acceleration at q (nq) and v (nv).
  /// @param share of the step, 0 ... 1, at which the input is evaluated.  @param time there [s].
  /// @param implicit_h [s]: damping acts at v + implicit_h a.
  /// @param culprit out: the body whose joint moves no mass, if the status is singular.
  /// @returns converged, or callback_failed, singular, not_finite.  @pre is_valid(model, input)
  Status evaluate(const ModelType& model, const Input<Scalar>& input, const Scalar& share, const Scalar& time, const VectorX<Scalar>& q,
                  const VectorX<Scalar>& v, const Scalar& implicit_h, Culprit& culprit) noexcept {
    return evaluate(model, input, share, time, q, v, implicit_h, culprit, nothing);
  }
  /// The same under further forces.  @param add (wrenches on the bodies, joint forces) adds them, as ConstraintRow::apply does.
  template <class Add>
  Status evaluate(const ModelType& model, const Input<Scalar>& input, const Scalar& share, const Scalar& time, const VectorX<Scalar>& q,
                  const VectorX<Scalar>& v, const Scalar& implicit_h, Culprit& culprit, const Add& add) noexcept {
    tau_.setZero();
    if constexpr (!std::same_as<Force, NoForce>) {
      if (!force_(time, q, v, tau_)) return Status::callback_failed;
    }
    if (const BodyIndex body = compute(model, input, share, q, v, implicit_h, add); body != 0) {
      culprit = Culprit::body(static_cast<int>(body));
      return detail::is_finite_vector(q) && detail::is_finite_vector(v) ? Status::singular : Status::not_finite;
    }
    return detail::is_finite_vector(data_.a) ? Status::converged : Status::not_finite;
  }
  /// The same at the beginning of the step for a batch of states. The caller judges the lanes: one in which a joint moves no mass has no
  /// finite acceleration.
  void evaluate(const ModelType& model, const Input<Scalar>& input, const State<Scalar>& x, const Scalar& implicit_h) noexcept
    requires std::same_as<Force, NoForce> {
    tau_.setConstant(Scalar(0));
    (void)compute(model, input, Scalar(0), x.q, x.v, implicit_h, nothing);
  }

  /// Returns the acceleration (nv) of the last evaluation [rad/s^2, m/s^2].
  const VectorX<Scalar>& value() const noexcept { return data_.a; }

 private:
  struct Nothing {};
  static constexpr Nothing nothing{};

  /// Adds all other forces to tau_ and computes the acceleration.  @returns as aba().
  template <class Add>
  BodyIndex compute(const ModelType& model, const Input<Scalar>& input, const Scalar& share, const VectorX<Scalar>& q,
                    const VectorX<Scalar>& v, const Scalar& implicit_h, const Add& add) noexcept {
    constexpr bool adds = !std::same_as<Add, Nothing>;
    tau_ += model.properties().force;
    input.add_tau_at(share, tau_);
    add_spring_forces(model, q, tau_);
    add_damping_forces(model, v, tau_);
    data_.added = implicit_h * model.properties().damping;
    const bool is_pushed = input.has_wrenches() || kinematics_ || adds;
    for (BodyIndex i = 1; is_pushed && i < model.num_bodies(); ++i) {
      if (input.has_wrenches()) wrench_[i] = input.wrench_at(share, i);
      else wrench_[i].setZero();
    }
    if (kinematics_) {
      forward_kinematics(model, *kinematics_, q, v);
      add_point_wrenches<Scalar>(model, kinematics_->T_WB, &kinematics_->V, wrench_, [](std::size_t) { return true; });
    }
    if constexpr (adds) add(wrench_, tau_);
    return is_pushed ? aba(model, data_, q, v, tau_, wrench_) : aba(model, data_, q, v, tau_);
  }

  [[no_unique_address]] Force force_;
  AbaData<Scalar> data_;
  VectorX<Scalar> tau_;
  BodyArray<Vector6<Scalar>> wrench_;
  std::optional<KinematicsData<Scalar>> kinematics_;  // if forces act at points
};

}  // namespace actio::detail
