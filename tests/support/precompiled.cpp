// SPDX-License-Identifier: BSD-3-Clause
// Defines what precompiled.hpp declares.
#include "support/precompiled.hpp"

template class Eigen::PartialPivLU<Eigen::MatrixXd>;
template class actio::Model<float>;
template class actio::ModelBuilder<float>;
