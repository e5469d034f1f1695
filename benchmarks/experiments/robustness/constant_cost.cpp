// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"

#include "trial.hpp"

robustness::Outcome robustness::constant_cost(const Trial& trial) { return run<actio::ConstantCost>("constant_cost", trial); }
