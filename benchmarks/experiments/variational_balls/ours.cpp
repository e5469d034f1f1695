// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/builder.hpp"
#include "runs.hpp"
#include "support/cpu_time.hpp"

namespace variational_balls {

std::optional<Run> run(const Contestant& contestant, const Scene& scene) {
  using namespace actio;
  if (contestant.kind == Contestant::mujoco) return run_mujoco(*contestant.version, scene);
  ContactMaterial<double> elastic;
  elastic.restitution = 1;
  PlaneContacts<double> ground(elastic);
  BodyContacts<double> pairs(elastic);
  ModelBuilder<double> builder("balls");
  builder.gravity({0, 0, -g});
  const Sphere<double> ball{radius};
  for (std::size_t k = 0; k < scene.centres.size(); ++k) {
    const std::string name = "ball" + std::to_string(k);
    const auto& [x, y, z] = scene.centres[k];
    builder.add_body(name, Inertia<double>::sphere(mass, radius));
    builder.add_joint(name, "world", name, Pose<double>::translation(x, y, z), Free<double>());
    ground.add(static_cast<BodyIndex>(k + 1), Pose<double>::identity(), ball);
    pairs.add(static_cast<BodyIndex>(k + 1), Pose<double>::identity(), ball);
  }
  const Model<double> model = builder.build();
  VariationalOptions<double> options;
  options.impacts = contestant.kind == Contestant::located ? Impacts::located : Impacts::in_place;
  options.tie_capacity = 6 * scene.centres.size();  // a ball has at most 12 neighbours
  options.contact_capacity = 7 * scene.centres.size();
  options.contact_margin = 0.02;
  VariationalIntegrator integrator(model, options, ContactSources(ground, pairs));
  State<double> state = rest_state(model);
  KinematicsData<double> data(model);
  Run run;
  run.start = energy(model, data, state.q, state.v).total();
  for (int k = 0; k < std::lround(scene.duration / scene.h); ++k) {
    const double begin = bench::cpu_seconds();
    const StepResult<double> result = integrator.step({}, scene.h);
    run.seconds += bench::cpu_seconds() - begin;
    if (!result || integrator.read(state) != Status::converged) return {};
    run.energy.push_back(energy(model, data, state.q, state.v).total());
    run.impacts += result.impacts;
    run.relaxed += bool(result.relaxed);
    run.guarded += result.relaxed.restitution;
  }
  return run;
}

}  // namespace variational_balls
