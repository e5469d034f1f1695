// SPDX-License-Identifier: BSD-3-Clause
// A minimal user's program: built in each of the ways to use the library.
#include <actio/actio.hpp>

#include <cmath>
#include <cstdio>

int main() {
  using actio::Inertia, actio::Pose, actio::Revolute;
  const Pose<double> tip = actio::Pose<double>::translation(0, 0, -1);
  actio::ModelBuilder<double> builder("two rods");
  builder.add_body("upper", Inertia<double>::rod(1, 1, {0, 0, 1}));
  builder.add_body("lower", Inertia<double>::rod(1, 1, {0, 0, 1}));
  builder.add_joint("shoulder", "world", "upper", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("elbow", "upper", "lower", tip, Revolute<double>({1, 0, 0}));
  const actio::Model<double> model = builder.build();

  actio::State<double> state = actio::rest_state(model);
  state.q[0] = 1;
  actio::KinematicsData<double> data(model);
  const double before = actio::energy(model, data, state.q, state.v).total();
  actio::VariationalIntegrator integrator(model);
  integrator.reset(state);
  if (!integrator.step({}, 1e-3)) return 1;
  if (integrator.read(state) != actio::Status::converged) return 1;
  const double after = actio::energy(model, data, state.q, state.v).total();
  std::printf("actio %d.%d.%d: energy %.6f J, after a step %.6f J\n", ACTIO_VERSION_MAJOR, ACTIO_VERSION_MINOR, ACTIO_VERSION_PATCH, before,
              after);
  return std::abs(after - before) < 1e-5 ? 0 : 1;
}
