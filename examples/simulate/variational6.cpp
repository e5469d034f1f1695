// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::variational6() {
  using Inner = actio::VariationalIntegrator<Model>;
  return {"variational6", "nine variational steps, some of them backward in time, order 6; no damping", true,
          [](const Model& model, const Settings& settings) {
            const actio::VariationalOptions<double> options{.tolerance =
                                                                settings.tolerance.value_or(1e-12)};  // 1e-11 shows in the energy at 8 ms
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::Composition<Inner, 6>>>(Inner(model, options)));
          }};
}
