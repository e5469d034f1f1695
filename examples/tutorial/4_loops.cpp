// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 4: simulates a swing of four bars, a closed loop, with three integrators.
#include <cmath>
#include <cstdio>

#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/gap_meter.hpp"
#include "actio/simulation/simulate.hpp"

using namespace actio;

// [build]
/// Returns a swing: two ropes, modelled as rods of 1 m, carry a seat of 0.6 m. Three hinges are joints of the tree, the fourth is a loop.
Model<double> make_swing() {
  const auto at = [](double x, double z) { return Pose<double>::translation(x, 0, z); };
  const Inertia<double> rope = Inertia<double>::box(0.5, {0.03, 0.03, 1.0}).seen_from_parent(at(0, -0.5));
  const Revolute<double> hinge({0, 1, 0});
  ModelBuilder<double> builder("swing");
  builder.add_body("left", rope).add_body("right", rope);
  builder.add_body("seat", Inertia<double>::box(2, {0.6, 0.3, 0.03}).seen_from_parent(at(0.3, 0)));
  builder.add_joint("left_top", "world", "left", at(0, 0), hinge);
  builder.add_joint("right_top", "world", "right", at(0.6, 0), hinge);
  builder.add_joint("left_end", "left", "seat", at(0, -1), hinge);
  Loop<double> right_end;
  right_end.name = "right_end";
  right_end.type = LoopType::revolute;
  right_end.T_A = at(0.6, 0);  // on the seat
  right_end.T_B = at(0, -1);   // on the right rope
  right_end.axis = {0, 1, 0};
  builder.add_loop(right_end, "seat", "right");
  return builder.build();
}
// [build]

// [run]
/// Returns whether the loop stays closed within `gap` [m], the ropes parallel and the energy constant.
template <Integrator I>
bool swing(const char* name, I integrator, const State<double>& start, double gap) {
  const Model<double>& model = integrator.model();
  integrator.reset(start);
  GapMeter<double> gaps;
  EnergyMeter<double> energy;
  const auto run = simulate(integrator, 2e-3, Seconds{10}, gaps, energy);
  const VectorX<double>& q = integrator.configuration();
  const double left = q[model.q_index(model.find_joint("left_top"))];
  const double right = q[model.q_index(model.find_joint("right_top"))];
  std::printf("%-12s ropes at %9.6f and %9.6f rad, gap at most %.0e m, energy within %.0e\n", name, left, right,
              gaps.largest(), energy.relative_error());
  return run && gaps.largest() < gap && std::abs(left - right) < 10 * gap && energy.relative_error() < 0.01;
}
// [run]

int main() {
  const Model<double> model = make_swing();

  // [start]
  // Joints of a loop cannot be set independently: choose angles that nearly satisfy it, and let close_loops() do the rest.
  State<double> start = rest_state(model);
  start.q.setConstant(1.0);
  start.q = close_loops(model, start.q);
  // [start]

  // [refused]
  try {
    SemiImplicitEuler cannot(model);
    return 1;
  } catch (const ModelError& error) {
    std::printf("refused: %s\n", error.what());
  }
  // [refused]
  const bool a = swing("variational", VariationalIntegrator(model), start, 1e-8);
  const bool b = swing("maximal", MaximalIntegrator(model), start, 1e-8);
  const bool c = swing("srm", SequentialRegularization(model), start, 1e-3);
  return a && b && c ? 0 : 1;
}
