// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "support/steps.hpp"

namespace {

auto make = [](const actio::Model<double>& model) { return actio::VariationalIntegrator(model); };

[[maybe_unused]] const bool registered = bench::register_steps("variational", make) &&
                                         bench::register_steps("variational", make, {.models = bench::loops(), .n = {1, 2, 4, 8, 16}});

}  // namespace
