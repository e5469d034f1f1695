// SPDX-License-Identifier: BSD-3-Clause
#include "actio/model/builder.hpp"

template class actio::Model<double>;
template class actio::ModelBuilder<double>;
