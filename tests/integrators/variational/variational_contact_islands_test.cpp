// SPDX-License-Identifier: BSD-3-Clause
// Several robots and piles on the ground: what stands does not wait for what moves, and needs no solution where nothing moves.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/limb.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"

namespace variational_contact_islands_test {

using namespace actio;
using namespace actio::test;

/// Quadrupeds with springs and dampers in their joints.  @param dy distance of each from the one before [m].
Model<double> quadrupeds(int copies, double dy) {
  ModelBuilder<double> builder("quadrupeds");
  builder.gravity({0, 0, -9.81});
  for (int k = 0; k < copies; ++k) {
    models::detail::add_quadruped<double>(builder, std::to_string(k) + "/", Pose<double>::translation(0, k * dy, 0.47), Base::floating);
  }
  Model<double> model = builder.build();
  ModelProperties<double> properties = model.properties();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    if (model.nv(i) != 1) continue;
    properties.stiffness[model.v_index(i)] = 400;  // N m/rad
    properties.damping[model.v_index(i)] = 4;      // N m s/rad
  }
  return model.with_properties(properties);
}

template <class Integrator>
void check_standing(const Model<double>& model) {
  PlaneContacts<double> ground(test::rigid(0.8));
  ground.add_shapes_of(model);
  Integrator integrator(model, {}, ground);
  integrator.reset(rest_state(model));
  for (int k = 0; k < 1000; ++k) REQUIRE(integrator.step({}, 1e-3));
  const VectorX<double> q = integrator.configuration();
  int iterations = 0;
  for (int k = 0; k < 500; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    REQUIRE(result);
    iterations += result.iterations;
  }
  CHECK(iterations == 0);
  CHECK(integrator.configuration() == q);
  State<double> end = rest_state(model);
  REQUIRE(integrator.read(end) == Status::converged);
  CHECK(end.v.cwiseAbs().maxCoeff() < 1e-15);  // rounding errors do not add up to a velocity
}

TEST_CASE("islands: robots that stand need no solution, wherever they stand", "[integrators][variational][maximal][fast]") {
  // In poses that differ by powers of two rounding errors differ: those at 2 and 4 m once accelerated by 5e-15 N s in each step.
  const Model<double> model = quadrupeds(3, 2);
  check_standing<VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>>>(model);
  check_standing<MaximalIntegrator<Model<double>, Newton, NoForce, PlaneContacts<double>>>(model);
}

TEST_CASE("islands: robots that do not touch each other fall as if they were alone", "[integrators][variational][fast]") {
  constexpr int count = 8;  // so many are solved island by island
  const Model<double> all = quadrupeds(count, 0), one = quadrupeds(1, 0);
  const Eigen::Index nq = one.nq(), nv = one.nv();
  State<double> together = rest_state(all);
  for (Eigen::Index k = 0; k < all.nv(); ++k) together.v[k] = 0.5 * std::sin(static_cast<double>(3 * k + k * k % 7));
  using Integrator = VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>>;
  PlaneContacts<double> ground(test::rigid(0.8)), ground_of_one = ground;
  ground.add_shapes_of(all);
  ground_of_one.add_shapes_of(one);
  Integrator crowd(all, {.tolerance = 1e-13, .contact_capacity = 400}, ground);
  crowd.reset(together);
  std::vector<Integrator> alone;
  for (int k = 0; k < count; ++k) {
    State<double> start = rest_state(one);
    start.v = together.v.segment(k * nv, nv);
    alone.emplace_back(one, VariationalOptions<double>{.tolerance = 1e-13}, ground_of_one);
    alone.back().reset(start);
  }
  double difference = 0, certificate = 0;
  std::size_t most = 0;
  for (int step = 0; step < 150; ++step) {
    CAPTURE(step);
    const StepResult<double> result = crowd.step({}, 1e-3);
    REQUIRE(result);
    REQUIRE(result.substeps == 1);
    REQUIRE_FALSE(result.relaxed);
    most = std::max(most, crowd.contacts().size());
    certificate = std::max(certificate, crowd.certificate().worst());
    for (int k = 0; k < count; ++k) {
      REQUIRE(alone[static_cast<std::size_t>(k)].step({}, 1e-3));
      const VectorX<double> own = crowd.configuration().segment(k * nq, nq);
      difference = std::max(difference, one.difference(own, alone[static_cast<std::size_t>(k)].configuration()).cwiseAbs().maxCoeff());
    }
  }
  CHECK(most > 16);
  CHECK(certificate > 0);
  CHECK(certificate < 1e-9);  // to which V is solved
  CHECK(difference < 2e-11);  // 6e-13: the tolerance, and what falls amplify
}

}  // namespace variational_contact_islands_test
