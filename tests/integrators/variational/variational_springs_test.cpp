// SPDX-License-Identifier: BSD-3-Clause
// Contacts with springs and dampers in a variational step: energy, damping, rest, order, friction, and what stays as it was.
#include <algorithm>
#include <cmath>
#include <vector>

#include "actio/integrators/variational.hpp"
#include "support/allocation_guard.hpp"
#include "support/contact_models.hpp"
#include "support/oracle.hpp"

namespace variational_springs_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

/// A spring and damper along the normal.
ContactMaterial<double> spring(double K, double C = 0, double friction = 0) {
  ContactMaterial<double> material;
  material.normal = Compliance<double>{K, C};
  material.friction = friction;
  return material;
}
/// A body on a slide along z.
Model<double> ball(double mass = 1) {
  ModelBuilder<double> builder("ball");
  builder.gravity({0, 0, -9.81});
  builder.add_body("ball", {mass, Vector3<double>::Zero(), Matrix3<double>::Zero()});
  builder.add_joint("slide", "world", "ball", Pose<double>::identity(), Prismatic<double>(Vector3<double>::UnitZ()));
  return builder.build();
}
PlaneContacts<double> ground(const ContactMaterial<double>& material) {
  return PlaneContacts<double>(material).add(1, Pose<double>::identity(), Sphere<double>{0});
}
State<double> at(double q, double v = 0) { return {VectorXd::Constant(1, q), VectorXd::Constant(1, v), 0}; }

/// A run of a ball, its energy and what it does.
struct Run {
  Model<double> model;
  VariationalIntegrator<Model<double>, Drnea<Split>, Automatic, NoForce, PlaneContacts<double>> integrator;
  State<double> state;

  Run(const ContactMaterial<double>& material, const State<double>& start, double mass = 1)
      : model(ball(mass)), integrator(model, {.tolerance = 0}, ground(material)), state(start) {
    integrator.reset(start);
  }
  Run(const Run&) = delete;
  void step(double h) {
    const StepResult<double> result = integrator.step({}, h);
    REQUIRE(describe(result.status) == describe(Status::converged));
    CHECK(result.substeps == 1);
    CHECK_FALSE(result.relaxed);
    REQUIRE(integrator.read(state) == Status::converged);
  }
  double energy() {
    const double m = model.inertia(1).mass;
    return m / 2 * state.v.squaredNorm() + m * 9.81 * state.q[0] + integrator.row_energy();
  }
};

TEST_CASE("variational springs: reference runs of a ball", "[integrators][variational][fast]") {
  const Json file = read_json(ACTIO_TEST_DATA "/reference/variational_ball_on_spring.json");
  for (const Json& run : file["discrete"]) {
    const double h = run["h"].get<double>();
    Run ball(spring(file["model"]["K"].get<double>()), at(file["model"]["start_height"].get<double>()));
    int done = 0;
    for (const Json& sample : run["samples"]) {
      for (; done < sample["step"].get<int>(); ++done) ball.step(h);
      CAPTURE(h, done);
      CHECK(std::abs(ball.state.q[0] - sample["q"][0].get<double>()) < 1e-9);
      CHECK(std::abs(ball.state.v[0] - sample["v"][0].get<double>()) < 1e-9);
      CHECK(std::abs(ball.energy() - sample["energy"].get<double>()) < 1e-9);
    }
  }
}

TEST_CASE("variational springs: no stiffness and step add energy, and bounces that are resolved keep it", "[integrators][variational][fast]") {
  struct Case {
    double hw, most;  // loss
  };
  const double h = 0.005;
  for (const Case& is : {Case{0.05, 1e-6}, Case{0.1, 1e-6}, Case{0.2, 1e-6}, Case{0.5, 1}, Case{1, 1}, Case{2, 1}, Case{5, 1}, Case{50, 1}, Case{1e4, 1}}) {
    CAPTURE(is.hw);
    Run ball(spring(is.hw * is.hw / (h * h)), at(0.05));
    const double start = ball.energy();
    double highest = start;
    int bounces = 0;
    for (int k = 0; k < 4000; ++k) {
      const bool falls = ball.state.v[0] < 0;
      ball.step(h);
      bounces += falls && ball.state.v[0] >= 0;
      highest = std::max(highest, ball.energy());
    }
    std::printf("hw %g bounces %d loss %g highest %g\n", is.hw, bounces, 1 - ball.energy() / start, highest / start - 1);
    CHECK(highest <= start * (1 + 1e-12));
    if (is.most < 1) {
      CHECK(bounces > 50);
      CHECK(1 - ball.energy() / start <= bounces * is.most);
    }
  }
}

}  // namespace variational_springs_test
