// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/runge_kutta.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered = bench::register_steps(
    "heun", [](const actio::Model<double>& model) { return actio::RungeKutta<actio::Model<double>, actio::Heun>(model); });
