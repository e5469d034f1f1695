// SPDX-License-Identifier: BSD-3-Clause
// The compliant step against the reference trajectories: pendulum, limit, incline, stack.
#include <cmath>
#include <filesystem>
#include <string>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "support/any_contacts.hpp"
#include "support/catch.hpp"
#include "support/pinned_pendulum.hpp"
#include "support/oracle.hpp"

namespace compliant_reference_test {

using namespace actio;
using test::Json;
using Eigen::Vector3d, Eigen::VectorXd;

Json trajectory(const char* name) {
  std::filesystem::path path(ACTIO_TEST_DATA);
  path /= "reference/traj_";
  return test::read_json(path.concat(name).concat(".json"));
}

TEST_CASE("compliant: the pendulum on two springs of any stiffness, in absolute coordinates, is reproduced",
          "[integrators][compliant][fast]") {
  const Json file = trajectory("pendulum");
  const Model<double> model = test::pinned_pendulum();
  int seen = 0;
  for (const Json& one : file["cases"]) {
    const double h = one["h"].get<double>();
    CompliantOptions<double> options;
    options.closure = {one["K"].get<double>(), one["C"].get<double>()};
    options.predictor_rotation = one["third_order_predictor"].get<bool>() ? 100 : 0;
    CompliantIntegrator integrator(model, options);
    State<double> state = rest_state(model);
    state.q << 1, 0, 0;
    integrator.reset(state);
    int done = 0;
    for (const Json& sample : one["samples"]) {
      for (; done < std::lround(sample["t"].get<double>() / h); ++done)
        REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
      REQUIRE(integrator.read(state) == Status::converged);
      const VectorXd q = test::to_vector(sample["q"]), v = test::to_vector(sample["v"]);
      const double tolerance = h < 5e-3 ? 1e-6 : 1e-8;  // the tolerance of the schema
      CAPTURE(h, options.closure.stiffness, options.closure.damping, done);
      CHECK((state.q - q).norm() < tolerance * std::max(1.0, q.norm()));
      CHECK((state.v - v).norm() < tolerance * std::max(1.0, v.norm()));
    }
    ++seen;
  }
  CHECK(seen == 18);
}

TEST_CASE("compliant: a pendulum that falls on its stop is reproduced", "[integrators][compliant][fast]") {
  const Json file = trajectory("limit_pendulum");
  ModelBuilder<double> builder("pendulum");
  builder.gravity({0, 0, -9.8}).add_body("bob", Inertia<double>{1, {0, 0, -1}, 1e-9 * Matrix3<double>::Identity()});
  builder.add_joint("hinge", "world", "bob", Pose<double>::identity(), Revolute<double>({1, 0, 0}), {.lower = 0.0});
  const Model<double> model = builder.build().with_enforced({.limits = true});
  int seen = 0;
  for (const Json& one : file["cases"]) {
    const double h = one["h"].get<double>();
    CompliantOptions<double> options;
    options.limit = {one["K"].get<double>(), one["C"].get<double>()};
    CompliantIntegrator integrator(model, options);
    State<double> state = rest_state(model);
    state.q << std::acos(-1.0) / 2;
    integrator.reset(state);
    int done = 0;
    for (const Json& sample : one["samples"]) {
      for (; done < std::lround(sample[0].get<double>() / h); ++done) REQUIRE(integrator.step({}, h));
      REQUIRE(integrator.read(state) == Status::converged);
      CAPTURE(h, options.limit.stiffness, done);
      // the bob of the file is a point mass; 1e-9 kg m^2 is what a body needs here
      CHECK(std::abs(state.q[0] - sample[1].get<double>()) < 1e-7);
      CHECK(std::abs(state.v[0] - sample[2].get<double>()) < 1e-6);
    }
    ++seen;
  }
  CHECK(seen == 9);
}

TEST_CASE("compliant: a box slides down an incline as the discrete closed form predicts", "[integrators][compliant][fast]") {
  const Json file = trajectory("incline");
  const double alpha = file["meta"]["model"]["alpha"].get<double>(), g = 9.8;
  ModelBuilder<double> builder("box");
  builder.gravity({g * std::sin(alpha), 0, -g * std::cos(alpha)}).add_body("box", Inertia<double>::box(1, {0.2, 0.1, 0.05}));
  builder.add_joint("free", "world", "box", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  int coulomb = 0, convex = 0;
  for (const Json& one : file["cases"]) {
    const double h = one["h"].get<double>(), mu = one["mu"].get<double>();
    const bool is_coulomb = one["formulation"].get<std::string>() == "coulomb";
    PlaneContacts<double> ground({Compliance<double>{1e7, 1}, mu, 1e6});
    ground.add(1, Pose<double>::identity(), Box<double>{{0.2, 0.1, 0.05}});
    CompliantOptions<double> options;
    options.law = is_coulomb ? ConeLaw::coulomb : ConeLaw::convex;
    CompliantIntegrator integrator(model, options, ground);
    State<double> state = rest_state(model);
    state.q[2] = 0.025 - g * std::cos(alpha) / (4 * 1e7);
    integrator.reset(state);
    int done = 0;
    for (const Json& sample : one["samples"]) {
      for (; done < std::lround(sample["t"].get<double>() / h); ++done)
        REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
      REQUIRE(integrator.read(state) == Status::converged);
      CAPTURE(h, mu, is_coulomb, done);
      CHECK((state.q.head<3>() - test::to_vector(sample["x"])).norm() < 1e-6);
    }
    (is_coulomb ? coulomb : convex) += 1;
    if (!is_coulomb) continue;
    const double T = done * h, a = g * (std::sin(alpha) - mu * std::cos(alpha));
    if (a > 0) CHECK(std::abs(state.q[0] - a * T * T / 2 * (1 + h / T)) < 1e-6);
    else CHECK(state.q[0] < 1.5e-6);  // it creeps at m g sin(alpha) / (4 C_t)
  }
  CHECK(coulomb >= 10);
  CHECK(convex >= 1);
}

TEST_CASE("compliant: in a stack of aligned spheres each contact carries the weight above it", "[integrators][compliant][fast]") {
  const Json file = trajectory("stack");
  const double r = 0.5, gap = 0.05, h = 0.01, g = 9.8;
  int seen = 0;
  for (const Json& one : file["cases"]) {
    const int n = one["n"].get<int>();
    ModelBuilder<double> builder("stack");
    builder.gravity({0, 0, -g});
    for (int k = 0; k < n; ++k) {
      const std::string name = "ball" + std::to_string(k);
      builder.add_body(name, Inertia<double>::sphere(1, r));
      builder.add_joint("up" + std::to_string(k), "world", name, Pose<double>::identity(), Prismatic<double>({0, 0, 1}));
    }
    const Model<double> model = builder.build();
    /// Spheres on the plane and on each other, and the distances between them.
    struct Pile {
      double radius;
      ContactMaterial<double> material{Compliance<double>{1e9, 1e3}, 0.5, 1e5};
      void find(const BodyArray<Pose<double>>& T_WB, const double&, ContactList<double>& found) const noexcept {
        for (BodyIndex i = 1; i < T_WB.size(); ++i) {
          const double below = i == 1 ? 0 : T_WB[i - 1].p[2] + radius, above = T_WB[i].p[2] - radius;
          found.add({i - 1, i, {0, 0, (below + above) / 2}, Vector3d::UnitZ(), above - below, static_cast<std::uint64_t>(i), &material});
        }
      }
    };
    CompliantOptions<double> options;
    options.contact_capacity = options.tie_capacity = static_cast<std::size_t>(n);
    CompliantIntegrator integrator(model, options, test::AnyContacts(Pile{r}));
    State<double> state = rest_state(model);
    for (int k = 0; k < n; ++k) state.q[k] = r + gap + k * (2 * r + gap);
    integrator.reset(state);
    int done = 0;
    for (const Json& sample : one["samples"]) {
      for (; done < sample["step"].get<int>(); ++done) REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
      CAPTURE(n, done);
      const VectorXd z = test::to_vector(sample["z"]);
      CHECK((integrator.configuration() - z).norm() < 1e-8 * z.norm());
    }
    REQUIRE(integrator.read(state) == Status::converged);
    CHECK(state.v.cwiseAbs().maxCoeff() < 1e-9);
    for (int k = 0; k < n; ++k) CHECK(std::abs(integrator.row_forces()[3 * k] / ((n - k) * g) - 1) < 1e-8);
    ++seen;
  }
  CHECK(seen == 4);
}

}  // namespace compliant_reference_test
