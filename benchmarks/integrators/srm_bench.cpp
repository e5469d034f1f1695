// SPDX-License-Identifier: BSD-3-Clause
// At a fixed number of iterations a step costs the same per body however many loops there are.
#include "actio/integrators/sequential_regularization.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered = bench::register_steps(
    "srm", [](const actio::Model<double>& model) { return actio::SequentialRegularization(model); }, {.largest = 4096, .models = bench::loops()});
