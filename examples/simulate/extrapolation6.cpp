// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/extrapolation.hpp"
#include "actio/integrators/variational.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::extrapolation6() {
  using Inner = actio::VariationalIntegrator<Model>;
  return {"extrapolation6", "variational steps, extrapolated from three lengths, order 6; also with damping", true,
          [](const Model& model, const Settings& settings) {
            const actio::VariationalOptions<double> options{.tolerance = settings.tolerance.value_or(1e-12)};
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::Extrapolation<Inner, 6>>>(Inner(model, options)));
          }};
}
