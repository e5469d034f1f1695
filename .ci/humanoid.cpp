// SPDX-License-Identifier: BSD-3-Clause
// Steps a humanoid through the air for half a second by the variational integrator and onto the ground for another half by the compliant
// one. Prints the states, which two builds of this program must agree on to rounding, and the time per step to the standard error.
#include <chrono>
#include <cstdio>

#include "actio/actio.hpp"
#include "actio/io/urdf.hpp"  // must compile; needs pugixml only where it is called

template <class Integrator>
bool run(const char* name, Integrator integrator, actio::State<double> state) {
  constexpr int steps = 500;
  integrator.reset(state);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) {
    if (const auto result = integrator.step({}, 1e-3); !result) return std::printf("%s: step %d failed\n", name, k), false;
  }
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
  if (integrator.read(state) != actio::Status::converged) return std::printf("%s: the state cannot be read\n", name), false;
  std::fprintf(stderr, "%s: %.0f us per step\n", name, time.count() / steps);
  for (const double q : state.q) std::printf("%.17g\n", q);
  for (const double v : state.v) std::printf("%.17g\n", v);
  return true;
}

int main() {
  const actio::Model<double> model = actio::models::humanoid();
  actio::State<double> state = actio::rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 0.1 * static_cast<double>(k % 7 - 3);
  const actio::Compliance<double> spring{.stiffness = 1e5, .damping = 1e3};  // N/m, N s/m
  actio::PlaneContacts<double> ground({.normal = spring, .friction = 0.8}, Eigen::Vector3d::UnitZ(), -1);
  ground.add_shapes_of(model);
  return run("variational", actio::VariationalIntegrator(model), state) &&
                 run("compliant", actio::CompliantIntegrator(model, {}, ground), state)
             ? 0
             : 1;
}
