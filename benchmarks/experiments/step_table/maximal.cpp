// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "contestant.hpp"

[[maybe_unused]] static const bool maximal_entered = step_table::enter(
    "maximal", 3, [](const actio::Model<double>& model) { return actio::MaximalIntegrator<actio::Model<double>>(model); }, true);
