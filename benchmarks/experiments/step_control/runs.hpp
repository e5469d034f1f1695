// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Methods to choose the step, each run over the same motion.
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
  double work = 0;                ///< in residual evaluations: all computations, including rejected steps and step selection
  double seconds = 0;             ///< processor time, energies included
  int rejected = 0;
  bool complete = true;
};

Run equal_steps(const Model& model, const State& start, double duration, double h);
/// Compares a step of 2h with two of h; the difference determines the next h.
Run error_based(const Model& model, const State& start, double duration, double tolerance);
/// h = epsilon / density at the beginning of each step.
Run one_sided(const Model& model, const State& start, double duration, double epsilon);
/// ReversibleSteps with the same density.
Run reversible(const Model& model, const State& start, double duration, double epsilon);

}  // namespace step_control
