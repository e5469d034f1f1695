// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include "trial.hpp"

robustness::Outcome robustness::riqn(const Trial& trial) { return run<actio::Riqn>("riqn", trial); }
