// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Counts the residual evaluations of the steps of a motion.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/integrators/variational.hpp"

namespace iterations {

using Model = actio::Model<double>;
using State = actio::State<double>;

struct Count {
  std::vector<int> of_frame;  ///< evaluations a step, including the last one, which accepts the root
  bool complete = true;       ///< no step failed; the frames end at a failure

  double mean() const {
    double sum = 0;
    for (const int n : of_frame) sum += n;
    return sum / static_cast<double>(std::max<std::size_t>(of_frame.size(), 1));
  }
  double deviation() const {
    double sum = 0;
    for (const int n : of_frame) sum += (n - mean()) * (n - mean());
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(of_frame.size(), 1)));
  }
  int most() const { return of_frame.empty() ? 0 : *std::max_element(of_frame.begin(), of_frame.end()); }
};

template <class Residual, class Root>
Count count(const Model& model, const State& start, int frames, const actio::VariationalOptions<double>& options) {
  constexpr double h = 1e-3;
  actio::VariationalIntegrator<actio::Model<double>, Residual, Root> integrator(model, options);
  integrator.reset(start);
  Count counted;
  counted.of_frame.reserve(static_cast<std::size_t>(frames));
  for (int k = 0; k < frames; ++k) {
    const actio::StepResult<double> result = integrator.step({}, h);
    if (!result) {
      counted.complete = false;
      break;
    }
    counted.of_frame.push_back(result.evaluations);
  }
  return counted;
}

/// As in the released code: guess by forward dynamics, tolerance 1e-8.
template <class Residual, class Root>
Count as_released(const Model& model, const State& start, int frames) {
  return count<Residual, Root>(model, start, frames, {.tolerance = 1e-8, .guess = actio::InitialGuess::dynamics});
}
/// With our default options.
template <class Root>
Count as_ours(const Model& model, const State& start, int frames) {
  return count<actio::Drnea<actio::Split>, Root>(model, start, frames, {});
}

Count svi_newton(const Model& model, const State& start, int frames);
Count svi_broyden(const Model& model, const State& start, int frames);
Count svi_riqn(const Model& model, const State& start, int frames);
Count svi_newton_absolute(const Model& model, const State& start, int frames);  ///< the tolerance is on the Euclidean norm [N m s]
Count svi_riqn_absolute(const Model& model, const State& start, int frames);
Count newton(const Model& model, const State& start, int frames);
Count simplified_newton(const Model& model, const State& start, int frames);
Count broyden(const Model& model, const State& start, int frames);
Count anderson(const Model& model, const State& start, int frames);
Count riqn(const Model& model, const State& start, int frames);
Count our_default(const Model& model, const State& start, int frames);

}  // namespace iterations
