// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "run.hpp"

work_precision::Run work_precision::rk4(const System& system, double h, const std::vector<double>& marks) {
  return run(actio::RungeKutta(system.model), system.start, h, marks);
}
