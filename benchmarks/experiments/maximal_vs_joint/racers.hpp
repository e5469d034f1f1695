// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The integrators of this experiment; each is compiled in a separate .cpp file.
#include "support/race.hpp"

namespace maximal_vs_joint {

using Model = actio::Model<double>;
using State = actio::State<double>;
using Made = std::unique_ptr<experiments::Racer>;

Made maximal(const Model& model, const State& start, double h, double tolerance);
Made maximal_published(const Model& model, const State& start, double h, double tolerance);
Made automatic(const Model& model, const State& start, double h, double tolerance);
Made riqn(const Model& model, const State& start, double h, double tolerance);
Made riqn_published(const Model& model, const State& start, double h, double tolerance);
Made dense_newton(const Model& model, const State& start, double h, double tolerance);
Made composition(const Model& model, const State& start, double h, double tolerance);

}  // namespace maximal_vs_joint
