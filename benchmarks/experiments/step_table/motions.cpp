// SPDX-License-Identifier: BSD-3-Clause
#include "motions.hpp"

#include <numbers>
#include <stdexcept>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"

namespace {

using namespace actio;

/// @throws std::runtime_error if a step fails.
template <class I>
State<double> under_way(I integrator, State<double> state) {
  integrator.reset(state);
  for (int k = 0; k < 2000; ++k) {
    if (!integrator.step({}, 1e-3))
      throw std::runtime_error(integrator.model().name() + ": a step before the timed part of the motion failed");
  }
  if (integrator.read(state) != Status::converged)
    throw std::runtime_error(integrator.model().name() + ": the velocities at the start cannot be read");
  return state;
}

step_table::Motion open(Model<double> model) {
  State<double> state = rest_state(model);
  state.q = models::random_configuration(model, 1, std::numbers::pi / 2);
  state = under_way(VariationalIntegrator(model), state);
  return {model.name(), std::move(model), std::move(state)};
}

step_table::Motion closed(Model<double> model) {
  State<double> state = under_way(MaximalIntegrator<Model<double>>(model), rest_state(model));
  return {model.name(), std::move(model), std::move(state)};
}

}  // namespace

std::vector<step_table::Motion> step_table::motions(int n) {
  std::vector<Motion> all;
  all.push_back(open(models::revolute_chain(n)));
  all.push_back(open(models::spherical_chain(n)));
  all.push_back(closed(models::closed_chain(n)));
  return all;
}
