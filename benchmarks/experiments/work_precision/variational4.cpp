// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "run.hpp"

work_precision::Run work_precision::variational4(const System& system, double h, const std::vector<double>& marks) {
  using Inner = actio::VariationalIntegrator<Model>;
  return run(actio::Composition<Inner, 4>(Inner(system.model, {.tolerance = 1e-12})), system.start, h, marks);
}
