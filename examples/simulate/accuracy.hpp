// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The step with which a run reaches a wanted accuracy.
#include <functional>

#include "options.hpp"

namespace simulate {

struct Accuracy {
  double step = 0;      ///< [s]
  double q = 0, v = 0;  ///< estimated largest errors, relative to the larger of 1 and the largest displacement or velocity of that coordinate
  bool reached = false;
  int runs = 0;
};

/// Returns the step with which a run of the integrator has errors of q below options.accuracy: steps are halved until two successive runs
/// agree at sixteen times, after as many runs as show at which rate their differences decrease.  @param start closed.
/// @param prepare sets what acts in a run.  @throws BadInput if no run succeeds
Accuracy find_step(Runner& runner, const Model& model, const actio::State<double>& start, const Options& options,
                   const std::function<void(Watch&)>& prepare);
/// Returns the first integrator of several that takes the model.
std::string first_that_takes(const std::vector<std::string>& names, const Model& model, const Settings& settings);
/// Returns the accuracy in words.
std::string in_words(const Accuracy& accuracy);

}  // namespace simulate
