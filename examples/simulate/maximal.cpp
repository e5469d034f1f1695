// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::maximal() {
  return {"maximal", "variational in maximal coordinates, closed loops and mimic joints included, order 2", true,
          [](const Model& model, std::optional<double> tolerance) {
            actio::MaximalOptions<double> options;
            if (tolerance) options.tolerance = *tolerance;
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::MaximalIntegrator<Model>>>(model, options));
          }};
}
