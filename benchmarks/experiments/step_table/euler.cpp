// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"

#include "contestant.hpp"

[[maybe_unused]] static const bool euler_entered =
    step_table::enter("euler", 4, [](const actio::Model<double>& model) { return actio::SemiImplicitEuler(model); });
