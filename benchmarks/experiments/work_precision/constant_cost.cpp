// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"

#include "actio/integrators/variational.hpp"
#include "run.hpp"

work_precision::Run work_precision::constant_cost(const System& system, double h, const std::vector<double>& marks) {
  using actio::Drnea, actio::Split;
  return run(actio::VariationalIntegrator<actio::Model<double>, Drnea<Split>, actio::ConstantCost>(system.model), system.start, h, marks);
}
