// SPDX-License-Identifier: BSD-3-Clause
// A user's program that compiles everything it needs: a pendulum swings down, with its single joint type.
#include <actio/actio.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using Joints = std::variant<actio::Revolute<double>>;
  actio::ModelBuilder<double, Joints> builder("pendulum");
  const actio::Pose<double> middle = actio::Pose<double>::translation(0, 0, -0.5);
  builder.add_body("rod", actio::Inertia<double>::rod(1, 1, {0, 0, 1}).seen_from_parent(middle));
  builder.add_joint("pivot", "world", "rod", actio::Pose<double>::identity(), actio::Revolute<double>({0, 1, 0}));
  const actio::Model<double, Joints> model = builder.build();

  actio::State<double> state = actio::rest_state(model);
  state.q[0] = 1;
  actio::RungeKutta integrator(model);
  integrator.reset(state);
  if (!integrator.step({}, 1e-2)) return 1;
  if (integrator.read(state) != actio::Status::converged) return 1;
  std::printf("actio %d.%d.%d: %.9f rad\n", ACTIO_VERSION_MAJOR, ACTIO_VERSION_MINOR, ACTIO_VERSION_PATCH, state.q[0]);
  return std::abs(state.q[0] - (1 - 0.5e-4 * 1.5 * 9.81 * std::sin(1.0))) < 1e-7 ? 0 : 1;  // q'' = -3 g / (2 l) sin q
}
