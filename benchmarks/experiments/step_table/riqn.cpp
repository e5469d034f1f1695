// SPDX-License-Identifier: BSD-3-Clause
// As published: logarithm on SE(3), guess by forward dynamics.
#include "actio/integrators/variational.hpp"

#include "contestant.hpp"

[[maybe_unused]] static const bool riqn_entered = step_table::enter("riqn", 2, [](const actio::Model<double>& model) {
  return actio::VariationalIntegrator<actio::Model<double>, actio::Drnea<actio::Se3>, actio::Riqn>(
      model, {.guess = actio::InitialGuess::dynamics});
});
