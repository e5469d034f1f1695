// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/root/quasi_newton.hpp"

#include "trial.hpp"

robustness::Outcome robustness::broyden(const Trial& trial) { return run<actio::Broyden>("broyden", trial); }
