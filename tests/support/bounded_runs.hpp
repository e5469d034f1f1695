// SPDX-License-Identifier: BSD-3-Clause

// Runs of integrators on models with enforced limits and dry friction of joints.
#pragma once
#include <cmath>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/integrator.hpp"
#include "support/catch.hpp"

namespace actio::test {

inline double energy_at(const Model<double>& model, const State<double>& state) {
  KinematicsData<double> data(model);
  return energy(model, data, state.q, state.v).total();
}
template <class I>
State<double> read(I& integrator) {
  State<double> state = rest_state(integrator.model());
  REQUIRE(integrator.read(state) == Status::converged);
  return state;
}
/// Steps through a time, and returns the state at its end.
template <class I>
State<double> run(I& integrator, const State<double>& start, double h, double time, const Input<double>& input = {}) {
  integrator.reset(start);
  for (long k = 0; k < std::lround(time / h); ++k) {
    const StepResult<double> result = integrator.step(input, h);
    CAPTURE(k, h);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE_FALSE(result.relaxed);
  }
  return read(integrator);
}
inline State<double> at(const Model<double>& model, std::vector<double> q, std::vector<double> v = {}) {
  State<double> state = rest_state(model);
  for (std::size_t k = 0; k < q.size(); ++k) state.q[static_cast<Eigen::Index>(k)] = q[k];
  for (std::size_t k = 0; k < v.size(); ++k) state.v[static_cast<Eigen::Index>(k)] = v[k];
  return state;
}
/// The slope of log2(error) over halvings of h, by least squares.
inline double fitted_order(const std::vector<double>& errors) {
  const auto n = static_cast<double>(errors.size());
  double sum = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) sum += (static_cast<double>(k) - (n - 1) / 2) * std::log2(errors[k]);
  return -12 * sum / (n * (n * n - 1));
}

}  // namespace actio::test
