// SPDX-License-Identifier: BSD-3-Clause
// opened_chain and closed_chain have the same start: they differ only in the closed loop.
#include "actio/integrators/maximal.hpp"

#include "support/steps.hpp"

namespace {

auto make = [](const actio::Model<double>& model) { return actio::MaximalIntegrator<actio::Model<double>>(model); };

[[maybe_unused]] const bool registered =
    bench::register_steps("maximal", make, {.models = bench::trees_and_loops()}) &&
    bench::register_steps("maximal", make, {.models = {"square_chain", "square_net", "four_bar"}, .n = {1, 2, 4, 8, 16}}) &&
    bench::register_steps(
        "maximal_10ms", make,
        {.models = {"revolute_chain", "spherical_chain", "opened_chain", "closed_chain"}, .h = 1e-2, .n = {10, 30, 100, 300}});

}  // namespace
