// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered = bench::register_steps("variational6", [](const actio::Model<double>& model) {
  using Inner = actio::VariationalIntegrator<actio::Model<double>>;
  return actio::Composition<Inner, 6>(Inner(model, {.tolerance = 1e-12}));
});
