// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The correction of constraint violations in a step, and the energy that it adds: how it is bounded, and how it is counted.
#include <algorithm>
#include <cmath>

#include "actio/constraints/mobility.hpp"
#include "actio/solvers/cone/rows.hpp"

namespace actio::detail {

/// Finds the largest share of the recovery of violations with which the velocities have no more energy than `enough`, or than they have
/// without any recovery: springs may add energy too.
/// @param enough, brought [J]; `brought` is the energy of v1 with all of the recovery.  @param v1 (nv) the solution; out: with that share.
/// @param work (nv) overwritten.  @param energy returns the kinetic energy of velocities (nv) [J].
/// @param again takes a share off the recovery, solves for v1 and returns whether that succeeded; if not, this returns at once.
template <Scalar S, class Energy, class Again>
void bound_recovery(const S& enough, const S& brought, const VectorX<S>& v1, VectorX<S>& work, const Energy& energy,
                    const Again& again) noexcept {
  work = v1;
  if (!again(S(1))) return;
  const S none = energy(v1), allowed = std::max(enough, none);
  if (!(brought > allowed)) {
    again(S(-1));
    return;
  }
  // With bilateral rows only, which are linear, the energy with a share s of the recovery is  none + b s + a s^2.
  using std::sqrt;
  work -= v1;
  const S a = energy(work), b = brought - none - a, root = sqrt(std::max(b * b + S(4) * a * (allowed - none), S(0)));
  const S share = std::clamp(b > S(0) ? S(2) * (allowed - none) / (b + root) : (root - b) / (S(2) * a), S(0), S(1));
  constexpr ValueOf<S> rounding(sizeof(ValueOf<S>) >= 8 ? 1e-9F : 1e-4F);
  if (again(-share) && energy(v1) > (1 + rounding) * allowed) again(share);
}

/// The parts of the bias of a step's rows that correct the violation of rigid rows. Only the constructor allocates.
template <class ModelType>
class Recovery {
 public:
  using Model = ModelType;           ///< a Model of any joints
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param capacity largest number of rows.  @param model outlives this.
  Recovery(const Model& model, std::size_t capacity)
      : mobility_(model), mass_(model.mass()), rates_(VectorX<S>::Zero(static_cast<Eigen::Index>(capacity))), corrections_(rates_) {}

  /// Begins a step, without rows.
  void clear() noexcept {
    size_ = 0;
    energy_ = S(0);
  }
  /// Appends rows that correct nothing.
  void add(int count) noexcept {
    for (VectorX<S>* x : {&rates_, &corrections_}) x->segment(size_, count).setZero();
    size_ += count;
  }
  /// Returns the effective mass of a row on unconstrained bodies, or the mass of the model if they lack inertia [kg, kg m^2].
  S mass(const TreePose<S>& tree, const ConstraintRow<S>& row) const noexcept {
    const S mobility = mobility_(tree, row);
    return mobility > S(0) ? S(S(1) / mobility) : mass_;
  }
  /// Sets a row's rate of correction.  @param with_G the same with the rate of change of G, by which loops are only kept closed
  /// [m/s, rad/s].
  void set_rate(Eigen::Index row, const S& correction, const S& with_G) noexcept {
    corrections_[row] = correction;
    rates_[row] = with_G;
  }
  /// Counts what a row of this effective mass may add: ten times the kinetic energy of its own bodies at this rate, if they were free.
  void allow(const S& rate, const S& effective) noexcept { energy_ += S(5) * rate * rate * effective; }

  auto rates() const noexcept { return rates_.head(size_); }   ///< (rows) the parts of the bias, with the rate of change of G [m/s, rad/s]
  const S& energy() const noexcept { return energy_; }         ///< kinetic energy that they may add [J]
  /// Returns the work of the forces of rows that correct violations, over a step of h [J]: the force times the rate at which the violation
  /// is corrected, minus the energy that the damper dissipates.  @param share of the rates that was applied.  @param lambda (rows).
  S work(const ConeRows<S>& rows, const S& share, const ConstVectorRef<S>& lambda, const S& h) const noexcept {
    S sum(0);
    for (Eigen::Index k = 0; k < lambda.size(); ++k) {
      const S driven = -h * share * corrections_[k] * lambda[k], lost = h * rows.R()[k] * lambda[k] * lambda[k];
      sum += driven > S(0) ? std::max(S(driven - lost), S(0)) : driven;
    }
    return sum;
  }

 private:
  FreeMobility<Model> mobility_;
  S mass_, energy_{};
  VectorX<S> rates_, corrections_;  // (rows)
  Eigen::Index size_ = 0;
};

}  // namespace actio::detail
