// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/contacts/foundation.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "box.hpp"
#include "support/cpu_time.hpp"

namespace compliant_foundation {
namespace {

using namespace actio;

constexpr double half = Box::side / 2;

Model<double> box_model(bool three_joints) {
  ModelBuilder<double> builder("box");
  builder.gravity({0, 0, -Box::gravity});
  const Pose<double> at_full_extension = Pose<double>::translation(0, 0, half);
  if (three_joints) builder.add_body("heaving", Inertia<double>::zero()).add_body("pitching", Inertia<double>::zero());
  builder.add_body("box", Inertia<double>::box(Box::mass, {Box::side, Box::side, Box::side}));
  if (three_joints) {
    builder.add_joint("heave", "world", "heaving", at_full_extension, Prismatic<double>({0, 0, 1}));
    builder.add_joint("pitch", "heaving", "pitching", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
    builder.add_joint("roll", "pitching", "box", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  } else {
    builder.add_joint("free", "world", "box", at_full_extension, Free<double>());
  }
  return builder.build();
}

/// Returns the coordinates of the box.  @param q of the model.
Coordinates coordinates(const VectorX<double>& q) {
  if (q.size() == 7) return q;
  const Eigen::Quaterniond turn = Eigen::AngleAxisd(q[1], Eigen::Vector3d::UnitY()) * Eigen::AngleAxisd(q[2], Eigen::Vector3d::UnitX());
  return (Coordinates() << 0, 0, q[0], turn.coeffs()).finished();
}

template <class... Solver>
Run run_with(const Box& box, const Settings& settings, const Solver&... solver) {
  const Model<double> model = box_model(settings.three_joints);
  const BodyIndex body = model.num_bodies() - 1;
  FoundationContacts<double> layer;
  layer.add_bottom(body, Pose<double>::identity(), actio::Box<double>{{Box::side, Box::side, Box::side}}, box.edge, box.edge,
                   {box.young, Box::thickness, box.damping * box.elements() / (Box::side * Box::side)});
  CompliantOptions<double> options;
  CompliantIntegrator integrator(model, options, layer, solver...);
  Input<double> input;
  input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Zero());
  const int steps = static_cast<int>(std::lround(settings.duration / settings.h));
  Run run;
  run.seconds = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < settings.repetitions; ++repetition) {
    integrator.reset(rest_state(model));
    run.steps = run.updates = run.factorizations = 0;
    bool complete = true;
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps && complete; ++k) {
      const Coordinates q = coordinates(integrator.configuration());
      const Vector3<double> force = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).conjugate() * Vector3<double>(0, 0, -box.load);
      input.wrench_begin[body] = spatial<double>(Vector3<double>(half, half, half).cross(force), force);
      const StepResult<double> result = integrator.step(input, settings.h);
      complete = static_cast<bool>(result);
      run.steps += 1;
      run.updates += result.iterations;
      run.factorizations += result.factorizations;
      run.highest = std::max(run.highest, coordinates(integrator.configuration())[2]);
    }
    run.seconds = std::min(run.seconds, bench::cpu_seconds() - begin);
    run.complete = complete;
  }
  State<double> end = rest_state(model);
  run.complete = integrator.read(end) == Status::converged && run.complete;
  run.q = coordinates(end.q);
  run.speed = end.v.cwiseAbs().maxCoeff();
  run.pressure.assign(static_cast<std::size_t>(box.elements()), 0.0);
  for (std::size_t k = 0; k < integrator.contacts().size(); ++k) {
    const double force = integrator.row_forces()[integrator.rows().groups()[k].first];
    run.pressure[integrator.contacts()[k].id] = force * box.elements() / (Box::side * Box::side);
  }
  return run;
}

}  // namespace

Run compliant(const Box& box, const Settings& settings) { return run_with(box, settings); }
Run published(const Box& box, const Settings& settings) {
  return run_with(box, settings, actio::DenseCone<actio::PublishedForms<double>>());
}

}  // namespace compliant_foundation
