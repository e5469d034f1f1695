// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An observer of the energy and its deviation from the start.
#include <algorithm>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer of the energy and its deviation from the start. It does not distinguish the work of dampers, inputs and force fields
/// from the error of the integrator; Diagnostics does.
template <Scalar S>
class EnergyMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) { add(node.energy()); }

  /// Adds an energy; the first one is the reference.
  void add(const Energy<S>& energy) {
    using std::abs;
    if (!begun_) initial_ = energy;
    begun_ = true;
    now_ = energy;
    largest_kinetic_ = std::max(largest_kinetic_, energy.kinetic);
    const S error = abs(energy.total() - initial_.total());
    largest_error_ = std::max(largest_error_, is_finite(error) ? error : S(std::numeric_limits<ValueOf<S>>::infinity()));
    noise_ = std::max(noise_, S(64 * epsilon<S> * (abs(energy.kinetic) + abs(energy.potential) + abs(energy.elastic))));
  }

  const Energy<S>& initial() const { return initial_; }        ///< the first one [J]
  const Energy<S>& now() const { return now_; }                ///< the last one [J]
  S error() const { return now_.total() - initial_.total(); }  ///< E - E_0 [J]
  S largest_error() const { return largest_error_; }           ///< max |E - E_0| [J]
  S largest_kinetic() const { return largest_kinetic_; }       ///< [J]
  /// Returns max |E - E_0| over the largest kinetic energy; 0 if nothing moves by more than rounding; infinite on overflow.
  S relative_error() const {
    if (!is_finite(largest_error_)) return largest_error_;
    return largest_kinetic_ <= noise_ && largest_error_ <= noise_ ? S(0) : S(largest_error_ / largest_kinetic_);
  }

 private:
  Energy<S> initial_{}, now_{};
  S largest_kinetic_{}, largest_error_{}, noise_{};
  bool begun_ = false;
};

}  // namespace actio
