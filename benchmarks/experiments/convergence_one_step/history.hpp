// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The residual after each update of one step, by root finder.
#include <limits>
#include <vector>

#include "actio/integrators/variational.hpp"

namespace convergence {

using Model = actio::Model<double>;
using State = actio::State<double>;

/// Norms after 0, 1, 2, ... updates from x = 0, until only rounding is left: the step is taken anew with every limit of updates.
/// The norm is the integrator's own, sqrt(f^T M^-1 f) relative to the motion.
template <class Root>
std::vector<double> history(const Model& model, const State& start, double h, int most) {
  const auto residual_after = [&](int updates) {
    actio::VariationalOptions<double> options{
        .tolerance = 0, .max_iterations = updates, .max_halvings = 0, .guess = actio::InitialGuess::zero};
    if (updates == 0) options.tolerance = std::numeric_limits<double>::max(), options.max_iterations = 1;  // the guess will do
    actio::VariationalIntegrator integrator(model, options, actio::Drnea<actio::Se3>{}, Root{});
    integrator.reset(start);
    return integrator.step({}, h);
  };
  std::vector<double> norms;
  for (int k = 0; k <= most; ++k) {
    const actio::StepResult<double> result = residual_after(k);
    if (k > 0 && result.solves < k) break;
    norms.push_back(result.residual);
  }
  return norms;
}

std::vector<double> newton(const Model& model, const State& start, double h, int most);
std::vector<double> simplified_newton(const Model& model, const State& start, double h, int most);
std::vector<double> dense_broyden(const Model& model, const State& start, double h, int most);
std::vector<double> broyden(const Model& model, const State& start, double h, int most);
std::vector<double> anderson(const Model& model, const State& start, double h, int most);
std::vector<double> riqn(const Model& model, const State& start, double h, int most);

}  // namespace convergence
