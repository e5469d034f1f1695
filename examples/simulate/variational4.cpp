// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::variational4() {
  using Inner = actio::VariationalIntegrator<Model>;
  return {"variational4", "five variational steps, some of them backward in time, order 4; no damping", true,
          [](const Model& model, const Settings& settings) {
            const actio::VariationalOptions<double> options{.tolerance =
                                                                settings.tolerance.value_or(1e-11)};  // 1e-10 shows in the energy at 1 ms
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<actio::Composition<Inner, 4>>>(Inner(model, options)));
          }};
}
