// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "actio/model/state.hpp"
#include "options.hpp"

namespace simulate {

/// Where a run begins: neutral and at rest, or random; then what --q and --v say.
/// @throws BadInput that names the flag and the entry.
actio::State<double> start_state(const actio::Model<double>& model, const Options& options);

}  // namespace simulate
