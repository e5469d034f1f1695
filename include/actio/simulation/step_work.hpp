// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of inputs and dampers over a step.
#include <utility>

#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/integrators/explicit/chart_stages.hpp"
#include "actio/model/state.hpp"

namespace actio::detail {

/// Work over one step [J].
template <Scalar S>
struct Work {
  S input{};       ///< by joint forces, wrenches on bodies and a force field, on the model
  S dissipated{};  ///< by the model on the dampers of its joints and between points
};

/// The work of inputs, force field and dampers over a step, from the states at its ends.
///   order 1 and 2:  inputs at the middle of the step, h P(q (+) x/2, x/h), which is tau^T x for constant tau;
///                   dampers by their impulse D x times the mean of both velocities, which is their change of the kinetic energy
///                   and remains bounded for stiff dampers; between points by c dl^2/h of their change of length dl;
///   above:          both by Simpson's rule, with a velocity in the middle that fits q and v at both ends: fourth order.
/// The error has the order of the integrator, at most fourth.
template <Scalar S, class Force = NoForce>
class StepWork {
 public:
  /// @param force the integrator's force field, if it has one; evaluated at the middle of the step, above order 2 also at its ends.
  template <class Joints>
  explicit StepWork(const Model<S, Joints>& model, Force force = {})
      : force_(std::move(force)),
        begin_(rest_state(model)),
        q_(begin_.q),
        v_(begin_.v),
        x_(v_),
        x_begin_(v_),
        x_end_(v_),
        rate_(v_),
        tau_(v_),
        bodies_(model),
        tree_(model),
        momentum_(model),
        lengths_(VectorX<S>::Zero(static_cast<Eigen::Index>(model.springs().size()))) {}

  /// Returns the work of joint impulses along the mean of the velocities at both ends of a step, which is their change of the kinetic
  /// energy.  @param impulses (nv) [N m s, N s].
  S along_mean(const VectorX<S>& impulses, const State<S>& end) const noexcept { return impulses.dot(begin_.v + end.v) / S(2); }
  /// Returns what impulses at the ends of a step take beyond their work along the mean velocity [J]. Potentials and inputs act along the
  /// increment x, and M dv is the sum of all impulses:  (x/h - mean of v) (M dv - bounds - servos + D x).
  /// @param bounds, servos (nv) impulses that are counted along the mean [N m s, N s].  @pre to() the same end, order <= 2.
  template <class Joints>
  S taken_at_ends(const Model<S, Joints>& model, const State<S>& end, const VectorX<S>& bounds, const VectorX<S>& servos,
                  const S& h) noexcept {
    place(model, tree_, end.q);
    rate_ = end.v - begin_.v;
    tau_ = bounds + servos - joint_momentum(model, tree_, momentum_, rate_) - model.properties().damping.cwiseProduct(x_);
    rate_ = (begin_.v + end.v) / S(2) - x_ / h;
    return tau_.dot(rate_);
  }
  /// Sets the state at the beginning of the next step.
  void begin(const State<S>& x) noexcept { begin_ = x; }

  bool rows_have_dampers = false;  ///< whether dampers between points are counted as the work of rows, and not here

  /// Computes the work over a step of length h to `end`, by an integrator of that order.  O(bodies); allocates and throws nothing.
  template <int order, class Joints>
  Work<S> to(const Model<S, Joints>& model, const State<S>& end, const Input<S>& input, const S& h) noexcept {
    const VectorX<S>& damping = model.properties().damping;
    const S half = h / S(2);
    difference(model, begin_.q, end.q, x_);
    if constexpr (order <= 2) {
      const S share(order == 1 ? 0.0F : 0.5F);  // first-order schemes evaluate inputs at the beginning
      v_ = x_ / S(2);
      model.integrate(begin_.q, v_, q_);
      v_ = x_ / h;
      const S of_points = rows_have_dampers ? S(0) : between_ends(model, end) / h;
      return {h * power(model, input, share, half, q_, v_), x_.cwiseProduct(damping).dot(begin_.v + end.v) / S(2) + of_points};
    } else {
      set_middle(model, end, h);
      const auto simpson = [&](const S& at_begin, const S& at_middle, const S& at_end) -> S {
        return h / S(6) * (at_begin + S(4) * at_middle + at_end);
      };
      const auto lost = [&](const VectorX<S>& q, const VectorX<S>& v) {
        return S(damping.dot(v.cwiseAbs2())) + (rows_have_dampers ? S(0) : of_points(model, q, v));
      };
      return {simpson(power(model, input, S(0), S(0), begin_.q, begin_.v), power(model, input, S(0.5F), half, q_, v_),
                      power(model, input, S(1), h, end.q, end.v)),
              simpson(lost(begin_.q, begin_.v), lost(q_, v_), lost(end.q, end.v))};
    }
  }

 private:
  template <class Joints>
  static void difference(const Model<S, Joints>& model, const VectorX<S>& q0, const VectorX<S>& q1, VectorX<S>& x) noexcept {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J& joint) {
        model.template v_of<J>(i, x) = joint.difference(model.template q_of<J>(i, q0), model.template q_of<J>(i, q1));
      });
    }
  }

  /// Returns the power [W] that dampers between points take at a state.
  template <class Joints>
  S of_points(const Model<S, Joints>& model, const VectorX<S>& q, const VectorX<S>& v) noexcept {
    if (model.springs().empty()) return S(0);
    forward_kinematics(model, bodies_, q, v);
    S sum(0);
    for (const PointSpring<S>& spring : model.springs()) {
      const SpringLine<S> line(spring, bodies_.T_WB[spring.body_a], bodies_.T_WB[spring.body_b]);
      const S rate = line.rate(spring, bodies_.T_WB, bodies_.V);
      sum += rate * line.direction.dot(line.pull(spring, rate) - line.pull(spring, S(0)));
    }
    return sum;
  }
  /// Returns the sum of c dl^2 over the dampers between points that act, over a step to `end` [J s].
  template <class Joints>
  S between_ends(const Model<S, Joints>& model, const State<S>& end) noexcept {
    S sum(0);
    if (model.springs().empty()) return sum;
    lengths_.setZero();
    for (const State<S>* x : {static_cast<const State<S>*>(&begin_), &end}) {
      forward_kinematics(model, bodies_, x->q);
      for (std::size_t k = 0; k < model.springs().size(); ++k) {
        const PointSpring<S>& spring = model.springs()[k];
        const SpringLine<S> line(spring, bodies_.T_WB[spring.body_a], bodies_.T_WB[spring.body_b]);
        const S length = spring.tension_only && line.length < spring.length ? spring.length : line.length;
        S& change = lengths_[static_cast<Eigen::Index>(k)];
        change = length - change;
        if (x == &end) sum += spring.damping * change * change;
      }
    }
    return sum;
  }
  /// Returns the power of the input at a share of the step, and of the field at a time t after its beginning [W].
  template <class Joints>
  S power(const Model<S, Joints>& model, const Input<S>& input, const S& share, const S& t, const VectorX<S>& q,
          const VectorX<S>& v) noexcept {
    tau_.setZero();
    input.add_tau_at(share, tau_);
    S sum = tau_.dot(v);
    if (input.has_wrenches()) {
      forward_kinematics(model, bodies_, q, v);
      for (BodyIndex i = 1; i < model.num_bodies(); ++i) sum += input.wrench_at(share, i).dot(bodies_.V[i]);
    }
    if constexpr (!std::same_as<Force, NoForce>) {
      tau_.setZero();
      const bool went_well = force_(begin_.time + t, q, v, tau_);
      sum += went_well ? tau_.dot(v) : S(std::numeric_limits<ValueOf<S>>::quiet_NaN());
    }
    return sum;
  }

  /// Sets q_ and v_ in the middle of the step, on the cubic between both ends in the chart at a point near the middle, where v is the
  /// chart's rate.
  template <class Joints>
  void set_middle(const Model<S, Joints>& model, const State<S>& end, const S& h) noexcept {
    chart_rate(model, x_, end.v, rate_);
    rate_ = x_ / S(2) + h / S(8) * (begin_.v - rate_);
    model.integrate(begin_.q, rate_, q_);
    difference(model, q_, begin_.q, x_begin_);
    difference(model, q_, end.q, x_end_);
    chart_rate(model, x_begin_, begin_.v, rate_);
    v_ = S(1.5F) / h * (x_end_ - x_begin_) - rate_ / S(4);
    chart_rate(model, x_end_, end.v, rate_);
    v_ -= rate_ / S(4);
  }

  [[no_unique_address]] Force force_;
  State<S> begin_;
  VectorX<S> q_, v_, x_, x_begin_, x_end_, rate_, tau_;
  KinematicsData<S> bodies_;
  TreePose<S> tree_;
  JointMomentumData<S> momentum_;
  VectorX<S> lengths_;  // (springs)
};

}  // namespace actio::detail
