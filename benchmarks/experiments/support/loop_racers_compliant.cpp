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
  const auto closures = static_cast<Eigen::Index>(actio::detail::num_rows(actio::detail::closures_of(model)));  // the first rows
  return made ? VectorX<double>(-integrator.row_forces().head(closures)) : VectorX<double>::Zero(closures);
}

}  // namespace experiments
