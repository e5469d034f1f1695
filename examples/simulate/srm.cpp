// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/sequential_regularization.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::srm() {
  return {"srm", "sequential regularisation of closed loops and mimic joints, two copies by the midpoint rule, explicit, order 2", false,
          [](const Model& model, const Settings&) {
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::SequentialRegularization<Model>>>(model));
          }};
}
