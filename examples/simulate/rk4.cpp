// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::rk4() {
  return {"rk4", "classical Runge-Kutta on the manifold, order 4, explicit", false, [](const Model& model, const Settings&) {
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::RungeKutta<Model, actio::RungeKutta4>>>(model));
          }};
}
