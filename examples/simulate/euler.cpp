// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::euler() {
  return {"euler", "semi-implicit Euler, order 1: used by most simulators", false, [](const Model& model, const Settings&) {
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::SemiImplicitEuler<Model>>>(model));
          }};
}
