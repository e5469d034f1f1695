// SPDX-License-Identifier: BSD-3-Clause
// Limits and rigid contact in a variational step, with a loop that cannot be closed exactly, and couplings of fingers that touch the ground.
#include <string>

#include "actio/integrators/variational.hpp"
#include "support/bounded_models.hpp"
#include "support/contact_models.hpp"

namespace variational_contact_closures_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

TEST_CASE("variational contact: a loop that cannot be closed exactly is softened in a whole step, with friction and limits too",
          "[integrators][variational][fast]") {
  const Model<double> model = taut_chain({.friction = 1e-3, .lower = -3, .upper = 3}).with_enforced({.limits = true, .friction = true});
  State<double> start = rest_state(model);
  start.v << 1, -2;
  VariationalIntegrator integrator(model), strict(model, {.relaxation = 0});
  int relaxed = 0;
  integrator.reset(start);
  for (int k = 0; k < 50; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-2);
    REQUIRE(result);
    CHECK_FALSE(result.relaxed.friction);
    if (!result.relaxed) continue;
    ++relaxed;
    CHECK(result.relaxed.loops);
    CHECK(result.substeps == 1);
    CHECK(loop_gap(model, integrator.configuration()) < 1e-3);  // the widest that a step accepts
  }
  CHECK(relaxed > 0);
  strict.reset(start);
  const StepResult<double> refused = strict.step({}, 1e-2);
  CHECK_FALSE(refused);
  CHECK(strict.configuration() == start.q);
}

/// A palm with six light fingers of three links each, whose two outer joints follow the inner one.
Model<double> hand() {
  ModelBuilder<double> builder("hand");
  builder.gravity({0, 0, -9.81});
  builder.add_body("palm", Inertia<double>::box(1, {0.1, 0.12, 0.03}));
  builder.add_joint("free", "world", "palm", Pose<double>::identity(), Free<double>());
  Inertia<double> inertia = Inertia<double>::box(0.01, {0.03, 0.01, 0.01});
  inertia.com[0] = 0.015;
  for (int finger = 0; finger < 6; ++finger) {
    std::string parent = "palm";
    for (int link = 0; link < 3; ++link) {
      const std::string name = std::to_string(finger) + "abc"[link];
      builder.add_body(name, inertia);
      const Pose<double> where =
          link == 0 ? Pose<double>::translation(0.05, 0.02 * finger - 0.05, 0) : Pose<double>::translation(0.03, 0, 0);
      builder.add_joint("joint" + name, parent, name, where, Revolute<double>({0, 1, 0}));
      if (link > 0) builder.add_coupling("joint" + name, "joint" + std::to_string(finger) + 'a', link == 1 ? 1.0 : 0.8, 0);
      parent = name;
    }
  }
  return builder.build();
}

TEST_CASE("variational contact: the couplings of a hand that lands are eliminated densely", "[integrators][variational][fast]") {
  const Model<double> model = hand();
  PlaneContacts<double> ground(rigid(0.8));
  ground.add(1, Pose<double>::identity(), Box<double>{{0.1, 0.12, 0.03}});
  for (BodyIndex i = 4; i < model.num_bodies(); i += 3) ground.add(i, Pose<double>::translation(0.03, 0, 0), Sphere<double>{0.005});
  State<double> start = rest_state(model);
  start.q[2] = 0.03;
  start.v[0] = 1;
  start.v[1] = -0.5;
  VariationalIntegrator automatic(model, {}, ground), dense(model, {.factorization = Factorization::dense}, ground);
  automatic.reset(start);
  dense.reset(start);
  int halved = 0, factorizations = 0;
  for (int k = 0; k < 150; ++k) {
    const auto result = automatic.step({}, 1e-3);
    CAPTURE(k, result.culprit.index);
    REQUIRE(result);
    REQUIRE_FALSE(result.relaxed);
    REQUIRE(dense.step({}, 1e-3));
    halved += result.substeps > 1;
    factorizations += result.factorizations;
  }
  CAPTURE(halved, factorizations);
  CHECK((automatic.configuration() - dense.configuration()).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(halved <= 1);
  CHECK(factorizations < 150 * 40);
}

}  // namespace variational_contact_closures_test
