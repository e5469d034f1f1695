// SPDX-License-Identifier: BSD-3-Clause
// Ten rods fall from horizontal and swing for ten seconds, once with each integrator.
#include <cstdio>

#include "actio/integrators/runge_kutta.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/simulate.hpp"

template <actio::Integrator I>
void swing(const char* name, I integrator) {
  actio::State<double> start = actio::rest_state(integrator.model());
  start.q[0] = 1.57;
  integrator.reset(start);
  actio::EnergyMeter<double> energy;
  const auto run = actio::simulate(integrator, 1e-3, actio::Seconds{10}, energy);
  if (!run) std::printf("%-22s %s\n", name, actio::describe(run.status).data());
  else std::printf("%-22s %10.2e  %8.3f s\n", name, energy.relative_error(), run.seconds);
}

int main() {
  actio::ModelBuilder<double> builder("chain");
  for (int k = 1; k <= 10; ++k) {
    const std::string rod = "rod" + std::to_string(k), parent = k == 1 ? "world" : "rod" + std::to_string(k - 1);
    const actio::Pose<double> tip = actio::Pose<double>::translation(0, 0, k == 1 ? 0.0 : -1.0), middle{tip.R, {0, 0, -0.5}};
    builder.add_body(rod, actio::Inertia<double>::box(1, {0.1, 0.1, 1}).seen_from_parent(middle));
    builder.add_joint("joint" + std::to_string(k), parent, rod, tip, actio::Revolute<double>(actio::Vector3<double>::Unit(k % 2)));
  }
  const actio::Model<double> chain = builder.build();
  std::printf("%-22s %10s  %10s\n", "integrator", "drift", "time");
  swing("semi-implicit Euler", actio::SemiImplicitEuler(chain));
  swing("Heun", actio::RungeKutta<actio::Model<double>, actio::Heun>(chain));
  swing("Runge-Kutta 4", actio::RungeKutta(chain));
  swing("variational", actio::VariationalIntegrator(chain));
}
