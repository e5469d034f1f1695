// SPDX-License-Identifier: BSD-3-Clause
// As published: logarithm on SE(3), forward dynamics as guess.
#include "actio/integrators/variational.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered =
    bench::register_steps("riqn", [](const actio::Model<double>& model) { return actio::VariationalIntegrator(model, {.guess = actio::InitialGuess::dynamics}, actio::Drnea<actio::Se3>{}, actio::Riqn{}); });
