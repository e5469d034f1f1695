// SPDX-License-Identifier: BSD-3-Clause
// With a fixed number of iterations the cost of a step per body does not depend on the number of loops.
#include "actio/integrators/sequential_regularization.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered =
    bench::register_steps("srm", [](const actio::Model<double>& model) { return actio::SequentialRegularization(model); },
                          {.largest = 4096, .models = bench::loops()});
