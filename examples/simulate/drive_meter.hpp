// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The work of the actuators in a run, and how far the joints that they drive move.
#include <string>

#include "actio/simulation/actuator_control.hpp"
#include "actio/simulation/diagnostics.hpp"

namespace simulate {

using Control = actio::ActuatorControl<double>;

/// What the actuators did in a run: an observer, of every node.
class DriveMeter {
 public:
  /// @param control outlives this.
  explicit DriveMeter(const Control& control) : control_(&control) {}

  /// @param books of the run at this node, null for none.
  template <class N>
  void add(N& node, const actio::DiagnosticsSample<double>* books) {
    const actio::State<double>& x = node.state();
    if (node.step() == 0) begin(x);
    else add_step(x, books);
  }
  /// Returns the work of all actuators on the rest of the model [J]. As springs of the model it is that of their forces at both ends of
  /// each step: the work of a spring, of a damper as Diagnostics has it, and of a limited force. Otherwise it is that of the forces that
  /// acted.
  double work() const { return work_; }
  double damped() const { return damped_; }                ///< the work of those of their dampers that the model carries [J]
  double largest_error() const { return largest_error_; }  ///< of the energy of the rest of the model, beside work and dissipation [J]
  double deviation() const { return deviation_; }          ///< the largest one of a driven entry from the start [rad, m]
  std::string deviating() const { return deviating_ < 0 ? "" : control_->model().v_name(deviating_); }  ///< the name of this entry

 private:
  void begin(const actio::State<double>& x);
  void add_step(const actio::State<double>& x, const actio::DiagnosticsSample<double>* books);
  actio::VectorX<double> forces(const actio::State<double>& x) const;

  const Control* control_;
  actio::State<double> first_, last_;
  actio::VectorX<double> tau_;  // of the actuators at the last node
  double work_ = 0, damped_ = 0, deviation_ = 0, largest_error_ = 0;
  Eigen::Index deviating_ = -1;
};

}  // namespace simulate
