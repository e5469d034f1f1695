// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"
#include "runner.hpp"

simulate::IntegratorEntry simulate::riqn() {
  using Published = actio::VariationalIntegrator<Model, actio::Drnea<actio::Se3>, actio::Riqn>;
  return {"riqn", "variational as published: logarithm on SE(3), RIQN from guess IG3, order 2", true,
          [](const Model& model, std::optional<double> tolerance) {
            actio::VariationalOptions<double> options{.guess = actio::InitialGuess::dynamics};
            if (tolerance) options.tolerance = *tolerance;
            return std::unique_ptr<Runner>(std::make_unique<RunnerOf<Published>>(model, options));
          }};
}
