// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include "support/energy_run.hpp"

namespace energy_chain10 {

using experiments::EnergyRun;
using Model = actio::Model<double>;
using State = actio::State<double>;

EnergyRun variational(const Model& model, const State& start, double h, double duration);
EnergyRun variational_se3(const Model& model, const State& start, double h, double duration);
EnergyRun euler(const Model& model, const State& start, double h, double duration);
EnergyRun rk4(const Model& model, const State& start, double h, double duration);

}  // namespace energy_chain10
