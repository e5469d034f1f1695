// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of the actuators in a run, and how far the joints that they drive move.
#include <string>

#include "actio/simulation/actuator_control.hpp"

namespace simulate {

using Control = actio::ActuatorControl<double>;

/// What the actuators did in a run: an observer, of every node.
class DriveMeter {
 public:
  /// @param control outlives this.
  explicit DriveMeter(const Control& control) : control_(&control) {}

  template <class N>
  void operator()(N& node) {
    const actio::State<double>& x = node.state();
    if (node.step() == 0) {
      first_ = x;
      stored_at_first_ = control_->elastic_energy(x.q);
    } else {
      damped_ += control_->damping_work(control_->model().difference(last_.q, x.q), 0.5 * (last_.v + x.v));
      note_deviation(x.q);
    }
    last_ = x;
  }
  /// Returns the work of the dampers of actuators that the model carries [J].
  double damped() const { return damped_; }
  /// Returns the work of all actuators on the rest of the model [J].  @param input that of the controller's input [J].
  double work(double input) const { return input - damped_ - (control_->elastic_energy(last_.q) - stored_at_first_); }
  /// Returns the largest deviation of a driven entry from the start [rad, m], and its name.
  double deviation() const { return deviation_; }
  std::string deviating() const { return deviating_ < 0 ? "" : control_->model().v_name(deviating_); }

 private:
  void note_deviation(const actio::VectorX<double>& q);

  const Control* control_;
  actio::State<double> first_, last_;
  double stored_at_first_ = 0, damped_ = 0, deviation_ = 0;
  Eigen::Index deviating_ = -1;
};

}  // namespace simulate
