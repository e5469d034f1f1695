// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered =
    bench::register_steps("variational", [](const actio::Model<double>& model) { return actio::VariationalIntegrator(model); });
