// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include "support/energy_run.hpp"

namespace maximal_energy {

using experiments::EnergyRun;
using Model = actio::Model<double>;
using State = actio::State<double>;

EnergyRun maximal(const Model& model, const State& start, double h, double duration);
EnergyRun maximal_as_published(const Model& model, const State& start, double h, double duration);
EnergyRun variational(const Model& model, const State& start, double h, double duration);
EnergyRun heun(const Model& model, const State& start, double h, double duration);

}  // namespace maximal_energy
