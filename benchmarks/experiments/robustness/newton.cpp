// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/newton.hpp"

#include "trial.hpp"

robustness::Outcome robustness::newton(const Trial& trial) { return run<actio::Newton>("newton", trial); }
