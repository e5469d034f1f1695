// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <limits>

#include "actio/dynamics/energy.hpp"
#include "actio/model/state.hpp"

namespace actio {

/// An observer that follows the energy and how far it strays from where it began. What dampers, inputs and force fields add
/// or take is not told apart from what the integrator gets wrong: Diagnostics does that.
template <Scalar S>
class EnergyMeter {
 public:
  /// @param node a Node of the run.
  template <class N>
  void operator()(N& node) { add(node.energy()); }

  /// The first one is what all others are compared with.
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

  const Energy<S>& initial() const { return initial_; }        ///< as it was added first [J]
  const Energy<S>& now() const { return now_; }                ///< as it was added last [J]
  S error() const { return now_.total() - initial_.total(); }  ///< E - E_0 [J]
  S largest_error() const { return largest_error_; }           ///< max |E - E_0| [J]
  S largest_kinetic() const { return largest_kinetic_; }       ///< [J]
  /// max |E - E_0| over the largest kinetic energy; 0 when nothing moves, beyond what rounding moves; infinite on overflow.
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
