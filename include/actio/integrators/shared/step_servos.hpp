// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The servos of a variational step: their mean forces, and how these act at its beginning and at its end.
#include <algorithm>
#include <vector>

#include "actio/core/types.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/integrators/shared/joint_bounds.hpp"
#include "actio/model/properties.hpp"

namespace actio::detail {

/// The mean force F of a Servo over a step of length h by an increment x from q, limited to -limit ... limit:
///   F(x) = -k (q + x/2 - rest) - max(d, h k/2) x/h + extra
///   P: Lm = s h F(x) - (s - 1/2) h F',   V: Lp = h/2 F(x),   F' that of the step before, after a reset that of the state
/// In P that is the row of dry friction with a compliance. s is share_at_begin() of the servo that the step resolves worst, the same for
/// all. The damper reaches at least to the end of the step, so that x F(x) <= U(q) - U(q (+) x), U' = -F at rest: no gain and no step adds
/// energy.                                                                                        [variational_contact.md, section 10]
template <Scalar S>
struct StepServo {
  S slope{},   ///< of F against the mean rate x/h, > 0 [N m s/rad, N s/m]
      offset{},  ///< F = -slope (x/h + offset) within the limits [rad/s, m/s]
      before{};  ///< F' [N m, N]

  /// Begins a step.  @param q [rad, m] of its entry; any if the servo has no stiffness.  @param extra see Input::servo [N m, N].
  /// @param v rate after a reset, else null [rad/s, m/s].  @param last F' otherwise [N m, N].
  void begin(const Servo<S>& servo, const S& q, const S& extra, const S* v, const S& last, const S& h) noexcept {
    const S half = h * servo.stiffness / S(2), pull = servo.stiffness * (q - servo.rest) - extra;
    slope = std::max(servo.damping, half) + half;
    offset = pull / slope;
    before = v ? std::clamp(S(-pull - servo.damping * *v), S(-servo.limit), servo.limit) : last;
  }
};

/// All servos of a step. Their forces, impulses and guesses are in vectors by slots, which follow each other in the order of the servos.
template <Scalar S>
class StepServos {
 public:
  /// @param bounds of a model; the last ones are the servos.  @param first slot of the first bound.
  StepServos(const std::vector<JointBound<S>>& bounds, Eigen::Index first) {
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      if (bounds[k].is_servo()) all_.push_back({bounds[k], first + static_cast<Eigen::Index>(k), {}});
    }
  }

  /// Begins a step of length h from q (nq).  @param laws (servos) of the model.  @param extra (servos) as Input::servo, or empty.
  /// @param v (nv) after a reset, else null.  @param mobility_of returns that of a row.  @param forces (slots) in: F'; out: guesses of
  /// the forces in P.
  template <class Mobility>
  void begin(const std::vector<Servo<S>>& laws, const VectorX<S>& q, const VectorX<S>& extra, const VectorX<S>* v, const S& h,
             Mobility&& mobility_of, VectorX<S>& forces) noexcept {
    h_ = h;
    share_ = S(0.5F);
    for (One& one : all_) {
      const JointBound<S>& bound = one.bound;
      const S more = extra.size() > 0 ? extra[bound.servo] : S(0), *const rate = v ? &(*v)[bound.v] : nullptr;
      one.law.begin(laws[static_cast<std::size_t>(bound.servo)], q[bound.q], more, rate, forces[one.slot], h_);
      share_ = std::max(share_, share_at_begin<S>(h_ * one.law.slope * mobility_of(bound.row()) / S(2)));
    }
    for (const One& one : all_) forces[one.slot] *= share_;
  }
  ///@{
  /// Return the compliance and the largest force of a servo's row in P, and the rate that is added to its bias.  @param bound is a servo.
  S compliance(const JointBound<S>& bound) const noexcept { return S(1) / (share_ * law(bound).slope); }
  S limit(const JointBound<S>& bound) const noexcept { return bound.bound * share_; }
  S offset(const JointBound<S>& bound) const noexcept { return law(bound).offset; }
  ///@}
  /// Returns the slope of a servo.
  const S& slope(const JointBound<S>& bound) const noexcept { return law(bound).slope; }
  bool are_even() const noexcept { return share_ == S(0.5F); }  ///< whether s = 1/2, so that a step does not depend on that before
  /// Subtracts what P takes of the forces F' of the step before, (s - 1/2) h F', from joint impulses (nv) [N m s, N s].
  void take_back(VectorX<S>& joints) const noexcept {
    for (const One& one : all_) one.bound.push(-taken_back(one), joints);
  }
  /// The same, and from impulses (slots).
  void take_back(VectorX<S>& joints, VectorX<S>& impulses) const noexcept {
    take_back(joints);
    for (const One& one : all_) impulses[one.slot] -= taken_back(one);
  }
  /// Adds Lp to joint impulses (nv) and to impulses (slots).  @param forces (slots) in: those in P; out: F.
  void end(VectorX<S>& forces, VectorX<S>& joints, VectorX<S>& impulses) const noexcept {
    for (const One& one : all_) {
      forces[one.slot] /= share_;
      one.bound.push(h_ / S(2) * forces[one.slot], joints);
      impulses[one.slot] += h_ / S(2) * forces[one.slot];
    }
  }

 private:
  struct One {
    JointBound<S> bound;
    Eigen::Index slot;
    StepServo<S> law;
  };
  const StepServo<S>& law(const JointBound<S>& bound) const noexcept { return all_[static_cast<std::size_t>(bound.servo)].law; }
  S taken_back(const One& one) const noexcept { return (share_ - S(0.5F)) * h_ * one.law.before; }

  std::vector<One> all_;
  S h_{}, share_{0.5F};  // s
};

}  // namespace actio::detail
