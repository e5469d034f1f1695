// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Ways to choose the step, each run once over a motion.
#include <string>
#include <vector>

#include "actio/model/state.hpp"

namespace step_control {

using Model = actio::Model<double>;
using State = actio::State<double>;

struct Run {
  std::string name;
  double parameter = 0;           ///< step [s], tolerance or epsilon
  std::vector<double> t, h;       ///< nodes [s] and the steps that led to them [s]; h[0] = 0
  std::vector<double> error;      ///< E - E_0 [J]
  double work = 0;                ///< in residual evaluations: all that was computed, rejected steps and the choice of steps included
  double seconds = 0;             ///< processor time, energies included
  int rejected = 0;
  bool complete = true;
};

Run equal_steps(const Model& model, const State& start, double duration, double h);
/// A step of 2h against two of h; the next h by the difference.
Run error_based(const Model& model, const State& start, double duration, double tolerance);
/// h = epsilon / density at the beginning of each step.
Run one_sided(const Model& model, const State& start, double duration, double epsilon);
/// ReversibleSteps with the same density.
Run reversible(const Model& model, const State& start, double duration, double epsilon);

}  // namespace step_control
