// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/maximal.hpp"

#include "racers.hpp"
#include "support/published_newton.hpp"

using namespace actio;

maximal_vs_joint::Made maximal_vs_joint::maximal(const Model& model, const State& start, double h, double tolerance) {
  return experiments::racer(MaximalIntegrator(model, {.tolerance = tolerance}), start, h);
}
/// Stops after 100 updates; no step is halved.
maximal_vs_joint::Made maximal_vs_joint::maximal_published(const Model& model, const State& start, double h, double tolerance) {
  const MaximalOptions<double> options{
      .tolerance = tolerance, .max_iterations = 100, .max_halvings = 0, .velocity = NodeVelocity::interval, .carry_residual = false};
  return experiments::racer(MaximalIntegrator<Model, experiments::PublishedNewton>(model, options), start, h);
}
