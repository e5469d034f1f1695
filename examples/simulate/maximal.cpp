// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::maximal() {
  return {"maximal", "variational in maximal coordinates, including closed loops and mimic joints, order 2", true,
          [](const Model& model, const Settings& settings) {
            actio::MaximalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::MaximalIntegrator<Model>>>(model, options));
          }};
}
