// SPDX-License-Identifier: BSD-3-Clause
// Robots dropped on the ground from random poses.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/io/urdf.hpp"
#include "actio/model/ready/random.hpp"
#include "support/catch.hpp"
#include "support/shared_file.hpp"

namespace {

using namespace actio;

struct Drops {
  int failed_steps = 0, at_rest = 0;
  double factorizations = 0;  ///< a step
  double fastest = 0;         ///< of all, at the end [m/s, rad/s]
};

/// @param h [s]; ten seconds each, with joint damping of 0.5 N m s/rad and more and with the joints' ranges.
Drops drop(const std::string& robot, int count, double h) {
  UrdfOptions reading;
  reading.base = Base::floating;
  const Model<double> read = read_urdf(test::shared_file("robots/" + robot + ".urdf")->string(), reading).model;
  ModelProperties<double> properties = read.properties();
  properties.damping.tail(read.nv() - 6) = properties.damping.tail(read.nv() - 6).cwiseMax(0.5);
  const Model<double> model = read.with_properties(properties).with_enforced({.limits = true, .contact = true});
  PlaneContacts<double> ground({Compliance<double>{1e5, 1e3}, 0.8});
  ground.add_shapes_of(model, Meshes::leave_out);
  CompliantOptions<double> options;
  options.contact_capacity = ground.most_points();
  CompliantIntegrator integrator(model, options, ground);
  const int steps = static_cast<int>(std::lround(10 / h));
  Drops drops;
  for (int k = 0; k < count; ++k) {
    models::Random random(static_cast<std::uint64_t>(k + 1));
    State<double> state = rest_state(model);
    state.q[2] = 1;
    state.q.segment<4>(3) = random.rotation<double>().coeffs();
    for (Eigen::Index j = 7; j < model.nq(); ++j) {
      const Eigen::Index v = j - 1;
      state.q[j] = random.uniform(std::max(-1.0, properties.lower[v]), std::min(1.0, properties.upper[v]));
    }
    integrator.reset(state);
    for (int step = 0; step < steps; ++step) {
      const StepResult<double> result = integrator.step({}, h);
      drops.failed_steps += !result;
      drops.factorizations += static_cast<double>(result.factorizations) / (count * steps);
      if (!result) break;
    }
    REQUIRE(integrator.read(state) == Status::converged);
    const double speed = state.v.cwiseAbs().maxCoeff();
    drops.at_rest += speed < 1e-3;
    drops.fastest = std::max(drops.fastest, speed);
  }
  std::cout << robot << ", h = " << h << " s: " << drops.at_rest << " of " << count << " at rest, fastest " << drops.fastest << ", failed steps "
            << drops.failed_steps << ", factorisations " << drops.factorizations << "\n";
  return drops;
}

TEST_CASE("compliant: a1 dropped from random poses takes every step and comes to lie", "[integrators][compliant][robots][fast]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const auto& [h, count] : {std::pair(1e-3, 1), std::pair(5e-3, 2), std::pair(1e-2, 2)}) {
    const Drops drops = drop("a1", count, h);
    CHECK(drops.failed_steps == 0);
    CHECK(drops.at_rest == count);
    CHECK(drops.factorizations < 5);
  }
}

TEST_CASE("compliant: a1 dropped a hundred times", "[integrators][compliant][robots][lab]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  for (const double h : {1e-2, 5e-3, 1e-3}) {
    const Drops drops = drop("a1", 100, h);
    CHECK(drops.failed_steps == 0);
    CHECK(drops.at_rest >= 90);  // others still roll: 94 to 97 rest, by chance
  }
}

TEST_CASE("compliant: atlas dropped a hundred times", "[integrators][compliant][robots][lab]") {
  if (!test::shared_file("robots")) ACTIO_SKIP("no collection of robots");
  // The file has eight points under each foot and nothing else that could touch: its 175 kg hang below the ground from these in the end,
  // and swing for longer than ten seconds.
  for (const double h : {1e-2, 5e-3, 1e-3}) CHECK(drop("atlas_v4_minimal", 100, h).failed_steps == 0);
}

}  // namespace
