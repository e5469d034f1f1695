// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/semi_implicit_euler.hpp"

#include "support/steps.hpp"

[[maybe_unused]] static const bool registered =
    bench::register_steps("euler", [](const actio::Model<double>& model) { return actio::SemiImplicitEuler(model); });
