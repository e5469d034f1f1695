// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "runs.hpp"
#include "support/cpu_time.hpp"

namespace compliant_stack {
namespace {

using namespace actio;

/// Returns the compression of the contact below a sphere; 1 is the lowest.
double overlap(const Scene& scene, int sphere) { return (scene.spheres + 1 - sphere) * mass * gravity / stiffness; }

Model<double> build(const Scene& scene) {
  ModelBuilder<double> builder("pile");
  builder.gravity({0, 0, -gravity});
  double height = -radius;
  for (int k = 1; k <= scene.bodies(); ++k) {
    const std::string name = "body" + std::to_string(k);
    const Box<double> cube{{0.2, 0.2, 0.2}};
    if (scene.spheres > 0) {
      builder.add_body(name, Inertia<double>::sphere(mass, radius)).add_shape({.name = name, .geometry = Sphere<double>{radius}}, name);
      height += 2 * radius - overlap(scene, k);
      if (k == 1) height = radius - overlap(scene, 1);
    } else {
      builder.add_body(name, Inertia<double>::box(mass, cube.size)).add_shape({.name = name, .geometry = cube}, name);
      height = 0.1 - predicted_sink(scene);
    }
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(0, 0, height), Free<double>());
  }
  return builder.build();
}

auto sources(const Model<double>& model, const ContactMaterial<double>& material) {
  PlaneContacts<double> ground(material);
  ground.add_shapes_of(model);
  BodyContacts<double> others(material);
  if (model.num_bodies() > 2) others.add_shapes_of(model);
  return ContactSources(ground, others);
}

CompliantOptions<double> room(int bodies) {
  CompliantOptions<double> options;
  options.contact_capacity = options.tie_capacity = static_cast<std::size_t>(2 * bodies + 8);
  options.contact_margin = 0.05;
  return options;
}

}  // namespace

double predicted_sink(const Scene& scene) { return scene.spheres > 0 ? overlap(scene, 1) : mass * gravity / (4 * stiffness); }

Run ours(const Scene& scene, int slices) {
  const Model<double> model = build(scene);
  const ContactMaterial<double> material{Compliance<double>{stiffness, damping}, friction};
  CompliantIntegrator integrator(model, room(scene.bodies()), sources(model, material));
  State<double> state = rest_state(model);
  integrator.reset(state);
  Run run;
  run.seconds = 1e9;
  constexpr int steps = 20;
  for (int slice = 0; slice < slices; ++slice) {
    const double begin = bench::cpu_seconds();
    for (int k = 0; k < steps; ++k) {
      const StepResult<double> result = integrator.step({}, h);
      if (!result) return run;
      run.factorizations += result.factorizations;
    }
    run.seconds = std::min(run.seconds, (bench::cpu_seconds() - begin) / steps);
  }
  if (integrator.read(state) != Status::converged) return run;
  run.complete = true;
  run.factorizations /= slices * steps;
  run.speed = state.v.cwiseAbs().maxCoeff();
  run.contacts = static_cast<int>(integrator.contacts().size());
  for (std::size_t c = 0; c < integrator.contacts().size(); ++c) {
    const ContactPoint<double>& point = integrator.contacts()[c];
    run.sink = std::max(run.sink, -point.gap);
    const double weight = scene.spheres > 0 ? overlap(scene, static_cast<int>(point.b)) * stiffness : mass * gravity / 4;
    const double force = integrator.row_forces()[integrator.rows().groups()[c].first];
    run.force_error = std::max(run.force_error, std::abs(force / weight - 1));
  }
  return run;
}

Fallen drop_ours(const Drop& drop) {
  ModelBuilder<double> builder("drop");
  builder.gravity({0, 0, -gravity});
  for (int k = 1; k <= drop.spheres; ++k) {
    const std::string name = "body" + std::to_string(k);
    builder.add_body(name, Inertia<double>::sphere(mass, radius)).add_shape({.name = name, .geometry = Sphere<double>{radius}}, name);
    const Vector3<double> at(0, 0, (2 * k - 1) * radius + k * drop.gap);
    builder.add_joint("free" + std::to_string(k), "world", name, Pose<double>::translation(at), Free<double>());
  }
  const Model<double> model = builder.build();
  const ContactMaterial<double> material{Compliance<double>{drop.stiffness, drop.damping}, friction};
  CompliantIntegrator integrator(model, room(drop.spheres), sources(model, material));
  Fallen fallen;
  const double begin = bench::cpu_seconds();
  for (; fallen.steps < drop.steps; ++fallen.steps) {
    const StepResult<double> result = integrator.step({}, drop.h);
    if (!result) break;
    fallen.relaxed += result.relaxed ? 1 : 0;
    fallen.factorizations += result.factorizations;
  }
  fallen.seconds = bench::cpu_seconds() - begin;
  fallen.factorizations /= std::max(fallen.steps, 1);
  State<double> state = rest_state(model);
  if (integrator.read(state) != Status::converged) return fallen;
  fallen.speed = state.v.cwiseAbs().maxCoeff();
  for (int k = 1; k <= drop.spheres; ++k) {
    const double start = (2 * k - 1) * radius + k * drop.gap;  // q is relative to it
    const auto moved = state.q.segment<3>(model.q_index(k));
    fallen.sideways = std::max(fallen.sideways, std::hypot(moved[0], moved[1]));
    if (k == drop.spheres) fallen.highest = (start + moved[2]) / ((2 * k - 1) * radius);
  }
  for (std::size_t c = 0; c < integrator.contacts().size(); ++c) {
    const double weight = (drop.spheres + 1 - static_cast<double>(integrator.contacts()[c].b)) * mass * gravity;
    const double force = integrator.row_forces()[integrator.rows().groups()[c].first];
    fallen.force_error = std::max(fallen.force_error, std::abs(force / weight - 1));
  }
  return fallen;
}

}  // namespace compliant_stack
