// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::variational() {
  return {"variational", "variational with its recommended settings, order 2: the default", true,
          [](const Model& model, const Settings& settings) {
            actio::VariationalOptions<double> options;
            if (settings.tolerance) options.tolerance = *settings.tolerance;
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::VariationalIntegrator<Model>>>(model, options));
          }};
}
