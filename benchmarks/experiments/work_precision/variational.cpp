// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "run.hpp"

work_precision::Run work_precision::variational(const System& system, double h, const std::vector<double>& marks) {
  return run(actio::VariationalIntegrator(system.model), system.start, h, marks);
}
