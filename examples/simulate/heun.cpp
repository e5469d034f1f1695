// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::heun() {
  return {"heun", "Heun's method on the manifold, order 2, explicit", false, [](const Model& model, const Settings&) {
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::RungeKutta<Model, actio::Heun>>>(model));
          }};
}
