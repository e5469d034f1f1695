// SPDX-License-Identifier: BSD-3-Clause
// The README's example: a double pendulum for ten seconds.
#include <actio/actio.hpp>
#include <cstdio>

int main() {
  using namespace actio;

  // Two rods of 1 m and 1 kg that hang from the world and from each other.
  const auto rod = Inertia<double>::box(1.0, {0.05, 0.05, 1.0}).seen_from_parent(Pose<double>::translation(0, 0, -0.5));
  ModelBuilder<double> builder("double_pendulum");
  builder.add_body("upper", rod).add_body("lower", rod);
  builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("elbow", "upper", "lower", Pose<double>::translation(0, 0, -1), Revolute<double>({0, 1, 0}), {.damping = 0.0});
  const Model<double> model = builder.build();  // throws a ModelError that names what is wrong

  VariationalIntegrator integrator(model, {.tolerance = 1e-10});  // or SemiImplicitEuler(model), RungeKutta(model)
  State<double> state = rest_state(model);
  state.q << 2.0, 0.5;
  integrator.reset(state);

  Input<double> input(VectorX<double>::Zero(model.nv()));  // joint forces, held over the step
  for (int k = 0; k < 10000; ++k) {
    const StepResult<double> result = integrator.step(input, 1e-3);  // neither throws nor allocates
    if (!result) return std::printf("step %d: %s\n", k, describe(result.status).data()), 1;
  }
  if (integrator.read(state) != Status::converged) return 1;
  std::printf("after %g s: shoulder %.6f rad, elbow %.6f rad\n", state.time, state.q[0], state.q[1]);
}
