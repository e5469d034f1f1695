// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/variational.hpp"

#include "contestant.hpp"

[[maybe_unused]] static const bool variational_entered =
    step_table::enter("variational", 1, [](const actio::Model<double>& model) { return actio::VariationalIntegrator(model); });
