// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/contacts/foundation.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "box.hpp"
#include "support/cpu_time.hpp"

namespace compliant_foundation {

using namespace actio;

Run ours(const Box& box, double h, int repetitions) {
  constexpr double half = Box::side / 2;
  ModelBuilder<double> builder("box");
  builder.gravity({0, 0, -Box::gravity}).add_body("heaving", Inertia<double>::zero()).add_body("pitching", Inertia<double>::zero());
  builder.add_body("box", Inertia<double>::box(Box::mass, {Box::side, Box::side, Box::side}));
  builder.add_joint("heave", "world", "heaving", Pose<double>{Matrix3<double>::Identity(), {0, 0, half}}, Prismatic<double>({0, 0, 1}));
  builder.add_joint("pitch", "heaving", "pitching", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("roll", "pitching", "box", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  const Model<double> model = builder.build();
  FoundationContacts<double> layer;
  layer.add_bottom(model.num_bodies() - 1, Pose<double>::identity(), actio::Box<double>{{Box::side, Box::side, Box::side}}, box.edge, box.edge,
                   {box.young, Box::thickness, Box::damping * box.elements() / (Box::side * Box::side)});
  CompliantOptions<double> options;
  options.contact_capacity = layer.most_points();
  CompliantIntegrator integrator(model, options, layer);
  Input<double> input;
  input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Zero());
  const int steps = static_cast<int>(std::lround(1 / h));
  Run run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    integrator.reset(rest_state(model));
    run.steps = run.solves = run.factorizations = 0;
    bool complete = true;
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps && complete; ++k) {
      const VectorX<double>& q = integrator.configuration();
      const Vector3<double> force = so3::exp<double>({-q[2], 0, 0}) * (so3::exp<double>({0, -q[1], 0}) * Vector3<double>(0, 0, -box.load));
      input.wrench_begin[model.num_bodies() - 1] = spatial<double>(Vector3<double>(half, half, half).cross(force), force);
      const StepResult<double> result = integrator.step(input, h);
      complete = static_cast<bool>(result);
      run.steps += 1;
      run.solves += result.solves;
      run.factorizations += result.factorizations;
    }
    run.seconds = std::min(run.seconds, bench::cpu_seconds() - begin);
    run.complete = complete;
  }
  State<double> end = rest_state(model);
  run.complete = integrator.read(end) == Status::converged && run.complete;
  run.q = {end.q[0], end.q[2], end.q[1]};
  run.speed = end.v.cwiseAbs().maxCoeff();
  run.pressure.assign(static_cast<std::size_t>(box.elements()), 0.0);
  for (std::size_t k = 0; k < integrator.contacts().size(); ++k) {
    const double force = integrator.row_forces()[integrator.rows().groups()[k].first];
    run.pressure[integrator.contacts()[k].id] = force * box.elements() / (Box::side * Box::side);
  }
  return run;
}

}  // namespace compliant_foundation
