// SPDX-License-Identifier: BSD-3-Clause
// Tutorial, step 2: reads a robot from a file and simulates it in free flight.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "actio/integrators/variational.hpp"
#include "actio/io/diagnostic_plots.hpp"
#include "actio/io/html.hpp"
#include "actio/io/model_file.hpp"
#include "actio/model/describe.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/simulate.hpp"

using namespace actio;

int main() {
  // [read]
  const Loaded<double> loaded = read_model(ACTIO_MODELS "/humanoid.urdf", {.base = Base::floating});
  std::cout << loaded.report;  // repairs, warnings, ignored elements
  const Model<double> model = loaded.model.with_gravity({0, 0, 0});  // a new value; the model that was read is unchanged
  // [read]

  // [look]
  std::cout << describe(model) << '\n';
  const BodyIndex knee = model.find_joint("right_knee");  // throws a ModelError that lists the joints if there is none
  std::printf("'%s' is q[%d], from %.2f to %.2f rad\n", model.joint_name(knee).c_str(), static_cast<int>(model.q_index(knee)),
              model.properties().lower[model.v_index(knee)], model.properties().upper[model.v_index(knee)]);
  // [look]

  // [fly]
  State<double> start = rest_state(model);
  start.q[model.q_index(knee)] = 1.0;                                 // rad
  start.v.head<6>() << 1.0, 2.0, 0.5, 0.0, 0.0, 3.0;                  // of the base, in its axes: rad/s, then m/s
  start.v[model.v_index(model.find_joint("left_elbow"))] = -2.0;      // rad/s
  VariationalIntegrator integrator(model);
  integrator.reset(start);

  EnergyMeter<double> energy;
  MomentumMeter momentum(model);
  const auto run = simulate(integrator, 1e-3, Seconds{2}, energy, momentum);
  // [fly]
  if (!run) return std::printf("%s\n", describe(run.status).data()), 1;
  std::printf("%.2f s: energy error %.1e of the kinetic energy; %s kept to %.1e and %.1e\n", run.time, energy.relative_error(),
              momentum.what().c_str(), momentum.linear_error(), momentum.angular_error());

  // [film]
  MotionRecorder recorder;               // 60 frames per second
  Diagnostics diagnostics(model, 16);    // keeps every 16th step for the plots
  integrator.reset(start);
  const auto filmed = simulate(integrator, 1e-3, Seconds{2}, recorder, diagnostics);
  std::ofstream page("humanoid.html");   // opens in any browser, needs no network
  page << to_html(film_of(model, recorder.take(), diagnostic_plots(diagnostics.samples())));
  // [film]
  if (!filmed || !page.flush()) return 1;
  return energy.relative_error() < 1e-4 && momentum.linear_error() < 1e-10 && momentum.angular_error() < 1e-10 ? 0 : 1;
}
