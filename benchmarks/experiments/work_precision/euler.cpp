// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"
#include "run.hpp"

work_precision::Run work_precision::euler(const System& system, double h, const std::vector<double>& marks) {
  return run(actio::SemiImplicitEuler(system.model), system.start, h, marks);
}
