// SPDX-License-Identifier: BSD-3-Clause
// A stack of balls on slides, whose energy no step may raise.
#pragma once
#include <cmath>
#include <string>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/variational.hpp"
#include "support/contact_models.hpp"

namespace actio::test {

/// Drops three balls of random masses on the ground and on each other, and checks that no step of 10 ms is halved or raises the energy.
/// @param share () returns a random number of 0 ... 1.
template <class Share>
void check_stack_gains_no_energy(const ContactMaterial<double>& of_pairs, const ContactMaterial<double>& of_ground, Share&& share) {
  ModelBuilder<double> builder("stack");
  builder.gravity({0, 0, -9.81});
  State<double> state;
  state.q.setZero(3);
  state.v.setZero(3);
  BodyContacts<double> pairs(of_pairs);
  PlaneContacts<double> ground(of_ground);
  for (BodyIndex i = 1; i <= 3; ++i) {
    const std::string name = std::to_string(i);
    builder.add_body(name, {std::pow(10., 2 * share() - 1), Vector3<double>::Zero(), Matrix3<double>::Zero()});
    builder.add_joint("slide" + name, "world", name, Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitZ()));
    pairs.add(i, Pose<double>::identity(), Sphere<double>{0.1});
    ground.add(i, Pose<double>::identity(), Sphere<double>{0.1});
    state.q[i - 1] = 0.15 + 0.22 * static_cast<double>(i - 1);
    state.v[i - 1] = 2 * share() - 1;
  }
  const Model<double> model = builder.build();
  VariationalIntegrator integrator(model, {.tolerance = 0}, ContactSources(ground, pairs));
  integrator.reset(state);
  KinematicsData<double> kinematics(model);
  const auto total = [&] { return energy(model, kinematics, state.q, state.v).total() + integrator.row_energy(); };
  const double first = total();
  double before = first;
  for (int k = 0; k < 300; ++k) {
    const StepResult<double> result = integrator.step({}, 0.01);
    CAPTURE(k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    CHECK(result.substeps == 1);
    REQUIRE(integrator.read(state) == Status::converged);
    const double now = total();
    REQUIRE(now <= before + 1e-12 * first);
    before = now;
  }
}

}  // namespace actio::test
