// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"
#include "support/loop_racers.hpp"

using namespace actio;

namespace experiments {
namespace {

CompliantIntegrator<Model<double>> make(const Model<double>& model) {
  CompliantOptions<double> options;
  options.contact_capacity = 0;
  options.factorization = Factorization::sparse;
  return CompliantIntegrator(model, options);
}

}  // namespace

loop_racers::Made loop_racers::compliant(const Model& model, const State& start, double h) { return racer(make(model), start, h); }

VectorX<double> loop_racers::forces_at_rest(const Model& model, const State& start) {
  CompliantIntegrator<Model> integrator = make(model);
  integrator.reset(start);
  const bool made = static_cast<bool>(integrator.step({}, 1e-3));  // at rest they are those of the start for any step length
  const VectorX<double> forces = -integrator.row_forces();
  return made ? forces : VectorX<double>::Zero(forces.size());
}

}  // namespace experiments
