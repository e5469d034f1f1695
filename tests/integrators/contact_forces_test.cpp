// SPDX-License-Identifier: BSD-3-Clause
// Forces of contacts in the world: Newton's second law for free boxes, and what films show of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/contacts/bodies.hpp"
#include "actio/contacts/sources.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/simulation/motion_recorder.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/contact_models.hpp"

namespace contact_forces_test {

using namespace actio;
using namespace actio::test;

const Vector3<double> brick(0.4, 0.3, 0.2);
const double mass = 2, g = 9.81;

/// Checks that the momenta of free boxes change by the impulses of gravity and of the contacts.  @returns the number of contacts in all steps.
template <class I>
std::size_t check_impulses(I integrator, const State<double>& start, double h, double tolerance) {
  const BodyIndex boxes = integrator.model().num_bodies() - 1;
  const auto velocity = [](const State<double>& x, BodyIndex i) {
    const Eigen::Map<const Eigen::Quaterniond> Q(x.q.data() + 7 * (i - 1) + 3);
    return Vector3<double>(Q * Vector3<double>(x.v.segment<3>(6 * (i - 1) + 3)));
  };
  integrator.reset(start);
  State<double> before = start, after = start;
  std::size_t contacts = 0;
  double worst = 0;
  for (int k = 0; k < 300; ++k) {
    const StepResult<double> result = integrator.step({}, h);
    REQUIRE(result);
    REQUIRE(result.substeps == 1);  // forces are those of the last substep
    REQUIRE(integrator.read(after) == Status::converged);
    std::vector<Vector3<double>> force(static_cast<std::size_t>(boxes + 1), Vector3<double>(0, 0, -mass * g));
    for (std::size_t c = 0; c < integrator.contacts().size(); ++c) {
      force[static_cast<std::size_t>(integrator.contacts()[c].a)] -= integrator.contact_force(c);
      force[static_cast<std::size_t>(integrator.contacts()[c].b)] += integrator.contact_force(c);
    }
    contacts += integrator.contacts().size();
    for (BodyIndex i = 1; i <= boxes; ++i) {
      const Vector3<double> gained = mass * (velocity(after, i) - velocity(before, i)), impulse = h * force[static_cast<std::size_t>(i)];
      worst = std::max(worst, (gained - impulse).norm());
    }
    before = after;
  }
  CAPTURE(1e15 * worst);
  CHECK(worst < tolerance);
  return contacts;
}

// Momenta are about 1 N s here. Solved to rounding, they are exact to some units of rounding.
constexpr double rounded = 1e-14, solved = 1e-11;  // solved: by `compliant`, to 1e-12 of the velocities

TEST_CASE("contact forces: the momentum of a box changes by their impulses", "[integrators][variational][maximal][compliant][fast]") {
  const Model<double> model = free_box(mass, brick);
  const State<double> tumbling = falling_on_a_corner();
  CHECK(check_impulses(VariationalIntegrator(model, {.tolerance = 0}, corners(brick, 0.5)), tumbling, 0.002, rounded) > 100);
  CHECK(check_impulses(MaximalIntegrator(model, {.tolerance = 0}, corners(brick, 0.5)), tumbling, 0.002, rounded) > 100);
  State<double> sliding = rest_state(model);
  sliding.q[2] = brick[2] / 2;
  sliding.v[3] = 2;  // without rotation, so that a first-order step is exact
  CHECK(check_impulses(CompliantIntegrator(model, {}, corners(brick, 0.3)), sliding, 0.002, solved) == 1200);
  CHECK(check_impulses(CompliantIntegrator(model, {}, corners(brick, 0)), sliding, 0.002, solved) == 1200);
}

TEST_CASE("contact forces: between bodies they act on both", "[integrators][variational][compliant][fast]") {
  ModelBuilder<double> builder("stack");
  builder.gravity({0, 0, -g});
  BodyContacts<double> between(rigid(0.3));
  for (int k = 0; k < 2; ++k) {
    const std::string name = "box" + std::to_string(k);
    builder.add_body(name, Inertia<double>::box(mass, brick)).add_joint(name, "world", name, Pose<double>::identity(), Free<double>());
    between.add(k + 1, Pose<double>::identity(), Box<double>{brick});
  }
  const Model<double> model = builder.build();
  const ContactSources source(corners(brick, 0.6), between);
  State<double> start = rest_state(model);
  start.q[2] = 0.1;
  start.q[9] = 0.3;
  start.v[9] = 0.1;  // the upper box slides on the lower one, which rests, and stops
  CHECK(check_impulses(VariationalIntegrator(model, {.tolerance = 0, .tie_capacity = 16}, source), start, 0.002, rounded) > 2000);
  CHECK(check_impulses(CompliantIntegrator(model, {.tie_capacity = 16}, source), start, 0.002, solved) > 2000);
}

TEST_CASE("contact forces: those of compliant contacts that are open are zero", "[integrators][compliant][fast]") {
  const Model<double> model = free_box(mass, brick);
  CompliantIntegrator integrator(model, {.contact_margin = 0.5}, corners(brick, 0.5));
  State<double> above = rest_state(model);
  above.q[2] = 0.3;
  integrator.reset(above);
  REQUIRE(integrator.step({}, 1e-3));
  REQUIRE(integrator.contacts().size() == 8);
  for (std::size_t c = 0; c < 8; ++c) CHECK(integrator.contact_force(c) == Vector3<double>::Zero());
}

TEST_CASE("contact forces: a film has those of each frame", "[integrators][variational][film][fast]") {
  const Model<double> model = free_box(mass, brick);
  VariationalIntegrator integrator(model, {}, corners(brick, 0.5));
  State<double> start = rest_state(model);
  start.q[2] = brick[2] / 2 + 0.01;
  integrator.reset(start);
  MotionRecorder film(std::numeric_limits<double>::infinity());
  REQUIRE(simulate(integrator, 0.01, Steps{50}, film));
  const Motion& motion = film.motion();
  REQUIRE(motion.contacts.size() == 51);
  CHECK(motion.contacts.front().empty());
  CHECK(motion.contacts[2].empty());
  REQUIRE(motion.contacts.back().size() == 4);
  double weight = 0;
  for (const ContactForce& contact : motion.contacts.back()) {
    weight += contact.force[2];
    CHECK(std::abs(contact.p[2]) < 1e-12);
    CHECK(std::abs(std::abs(contact.p[0]) - brick[0] / 2) < 1e-12);
  }
  CHECK(std::abs(weight - mass * g) < 1e-12 * mass * g);
  VariationalIntegrator free(model);
  MotionRecorder without;
  REQUIRE(simulate(free, 0.01, Steps{5}, without));
  CHECK(without.motion().contacts.empty());
}

}  // namespace contact_forces_test
