// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/reference/dense_roots.hpp"

#include "trial.hpp"

robustness::Outcome robustness::dense_newton(const Trial& trial) { return run<actio::DenseNewton>("dense_newton", trial); }
