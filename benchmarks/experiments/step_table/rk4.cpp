// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"

#include "contestant.hpp"

[[maybe_unused]] static const bool rk4_entered =
    step_table::enter("rk4", 5, [](const actio::Model<double>& model) { return actio::RungeKutta(model); });
