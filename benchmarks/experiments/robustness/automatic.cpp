// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/automatic.hpp"

#include "trial.hpp"

robustness::Outcome robustness::automatic(const Trial& trial) { return run<actio::Automatic>("automatic", trial); }
