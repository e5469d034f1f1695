// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/compliant.hpp"
#include "support/loop_racers.hpp"

experiments::loop_racers::Made experiments::loop_racers::compliant(const Model& model, const State& start, double h) {
  actio::CompliantOptions<double> options;
  options.contact_capacity = 0;
  options.bodies = actio::CompliantBodies::maximal;
  return racer(actio::CompliantIntegrator(model, options), start, h);
}
