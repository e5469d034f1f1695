// SPDX-License-Identifier: BSD-3-Clause
// The compliant step of a box on an elastic foundation, against the reference trajectories and, at rest, against closed forms.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "actio/contacts/foundation.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/model/builder.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace compliant_foundation_test {

using namespace actio;
using test::Json;
using Eigen::Vector2d, Eigen::Vector3d, Eigen::VectorXd;

TEST_CASE("compliant: a box on an elastic foundation with a load on its corner matches the references", "[integrators][compliant][fast]") {
  const Json file = test::read_json(std::filesystem::path(ACTIO_TEST_DATA) / "reference/traj_foundation.json");
  const double side = file["meta"]["model"]["side"].get<double>(), depth = file["meta"]["model"]["depth"].get<double>();
  const double g = file["meta"]["model"]["g"].get<double>(), mass = file["meta"]["model"]["density"].get<double>() * side * side * side;
  const double h = file["meta"]["h"].get<double>(), damping = file["meta"]["C_element"].get<double>();
  // The coordinates of the file (z, tilt about x, tilt about y), R = Ry Rx, as three joints.
  ModelBuilder<double> builder("box");
  builder.gravity({0, 0, -g}).add_body("z", Inertia<double>::zero()).add_body("y", Inertia<double>::zero());
  builder.add_body("box", Inertia<double>::box(mass, {side, side, side}));
  builder.add_joint("up", "world", "z", Pose<double>::identity(), Prismatic<double>({0, 0, 1}));
  builder.add_joint("about_y", "z", "y", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("about_x", "y", "box", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  const Model<double> model = builder.build();
  int seen = 0;
  for (const Json& one : file["cases"]) {
    const bool is_exact = one["formulation"].get<std::string>() == "exact";
    const int n = static_cast<int>(std::lround(std::sqrt(one["elements"].get<double>())));
    const double load = one["load"].get<double>(), young = one["young"].get<double>();
    FoundationContacts<double> foundation;
    foundation.add_bottom(3, Pose<double>::identity(), Box<double>{{side, side, side}}, n, n,
                          {young, depth, damping * n * n / (side * side)});
    CompliantOptions<double> options;
    options.tolerance = 0;  // the residual speeds of the file are rounding
    const auto compare = [&](auto&& integrator) {
      State<double> state = rest_state(model);
      state.q[0] = side / 2;
      integrator.reset(state);
      Input<double> input;
      input.wrench_begin = BodyArray<Vector6<double>>(4, Vector6<double>::Zero());
      const int steps = static_cast<int>(std::lround(one.value("T", file["meta"]["T"].get<double>()) / h));
      for (int k = 0; k < steps; ++k) {
        const VectorXd& q = integrator.configuration();
        const Matrix3<double> R = so3::exp<double>({0, q[1], 0}) * so3::exp<double>({q[2], 0, 0});
        const Vector3d force = R.transpose() * Vector3d(0, 0, -load), corner(side / 2, side / 2, side / 2);
        input.wrench_begin[3] = spatial<double>(corner.cross(force), force);
        REQUIRE(describe(integrator.step(input, h).status) == describe(Status::converged));
      }
      REQUIRE(integrator.read(state) == Status::converged);
      const VectorXd q = test::to_vector(one["q"]), v = test::to_vector(one["v"]);
      CAPTURE(n, load, young, (Vector3d(state.q[0], state.q[2], state.q[1]) - q).transpose());
      // the tolerance of the schema
      CHECK((Vector3d(state.q[0], state.q[2], state.q[1]) - q).cwiseAbs().maxCoeff() < (is_exact ? 1e-12 : 1e-6));
      CHECK((Vector3d(state.v[0], state.v[2], state.v[1]) - v).cwiseAbs().maxCoeff() < (is_exact ? 1e-10 : 1e-6));
      double sum = 0, most = 0;
      int active = 0;
      for (const RowGroup<double>& group : integrator.rows().groups()) {
        const double force = integrator.row_forces()[group.first];
        sum += force;
        most = std::max(most, force);
        active += force > (is_exact ? 0 : 1e-4);  // interior points leave a small force on every element [N]
      }
      CHECK(active == one["active"].get<int>());
      CHECK(std::abs(sum - one["sum_lambda"].get<double>()) < (is_exact ? 1e-7 : 1e-6) * sum);
      CHECK(std::abs(most - one["max_lambda"].get<double>()) < 1e-5 * most);
    };
    if (is_exact) compare(CompliantIntegrator(model, options, foundation));
    else compare(CompliantIntegrator(model, options, foundation, DenseCone<PublishedForms<double>>()));
    ++seen;
  }
  CHECK(seen == 16);
}

/// A box of 10 kg with edges of 1, 0.8 and 0.4 m, at rest on a layer with a load on its top.
struct RestingBox {
  static constexpr double weight = 98, length = 1, width = 0.8;
  std::vector<ContactPoint<double>> points;
  std::vector<double> forces;  ///< normal forces, 0 where the box has lifted off

  /// @param at position of the load, from the middle of the top [m].
  RestingBox(double load, const Vector2d& at, int nx, int ny, double friction) {
    ModelBuilder<double> builder("box");
    builder.gravity({0, 0, -9.8}).add_body("box", Inertia<double>::box(10, {length, width, 0.4}));
    builder.add_joint("free", "world", "box", Pose<double>::identity(), Free<double>());
    const Model<double> model = builder.build();
    FoundationContacts<double> foundation;
    foundation.add_bottom(1, Pose<double>::identity(), Box<double>{{length, width, 0.4}}, nx, ny, {1e8, 0.1, 1e4, friction});
    CompliantIntegrator integrator(model, {}, foundation);
    // if left open, the capacity is that of the source
    CHECK(integrator.options().contact_capacity == std::max(foundation.most_points(), std::size_t(64)));
    State<double> state = rest_state(model);
    state.q[2] = 0.2;
    integrator.reset(state);
    Input<double> input;
    input.wrench_begin = BodyArray<Vector6<double>>(2, Vector6<double>::Zero());
    for (int k = 0; k < 100; ++k) {
      const Vector3d force = Eigen::Quaterniond(integrator.configuration().tail<4>()).conjugate() * Vector3d(0, 0, -load),
                     arm(at[0], at[1], 0.2);
      input.wrench_begin[1] = spatial<double>(arm.cross(force), force);
      REQUIRE(describe(integrator.step(input, 0.05).status) == describe(Status::converged));
    }
    REQUIRE(integrator.read(state) == Status::converged);
    REQUIRE(state.v.cwiseAbs().maxCoeff() < 1e-9);
    points.assign(integrator.contacts().begin(), integrator.contacts().end());
    for (const RowGroup<double>& group : integrator.rows().groups()) forces.push_back(integrator.row_forces()[group.first]);
    REQUIRE(forces.size() == points.size());
  }
};

TEST_CASE("compliant on a foundation: a load inside the middle third gives a linear pressure", "[integrators][compliant][fast]") {
  const double friction = GENERATE(0.0, 0.5);
  constexpr int nx = 10, ny = 8;
  constexpr double load = 40;
  const Vector2d at(0.2, -0.15);
  const RestingBox box(load, at, nx, ny, friction);
  double sum_x2 = 0, sum_y2 = 0, sum = 0;
  for (const ContactPoint<double>& point : box.points) {
    sum_x2 += point.p[0] * point.p[0];
    sum_y2 += point.p[1] * point.p[1];
  }
  REQUIRE(box.points.size() == nx * ny);
  for (std::size_t k = 0; k < box.points.size(); ++k) {
    const Vector3d& p = box.points[k].p;
    const double linear = (box.weight + load) / (nx * ny) + load * (at[0] * p[0] / sum_x2 + at[1] * p[1] / sum_y2);
    CAPTURE(friction, k);
    CHECK(linear > 0);
    CHECK(std::abs(box.forces[k] - linear) < 1e-4 * box.weight / (nx * ny));  // rotated by 1e-5 rad
    sum += box.forces[k];
  }
  CHECK(std::abs(sum - (box.weight + load)) < 1e-7 * box.weight);
}

TEST_CASE("compliant on a foundation: a load outside it lifts the far edge, and the pressure is triangular",
          "[integrators][compliant][fast]") {
  constexpr int nx = 200;
  constexpr double load = 150;
  const RestingBox box(load, {0.45, 0}, nx, 1, 0.5);
  const double total = box.weight + load, excentric = load * 0.45 / total,
               bearing = 3 * (box.length / 2 - excentric);  // moments about the near edge
  REQUIRE(excentric > box.length / 6);
  double sum = 0;
  for (std::size_t k = 0; k < box.points.size(); ++k) {
    const double from_zero = box.points[k].p[0] - (box.length / 2 - bearing);
    const double triangle = std::max(0.0, 2 * total / (bearing * bearing) * from_zero) * box.length / nx;
    CHECK(std::abs(box.forces[k] - triangle) < 2e-3 * 2 * total / bearing * box.length / nx);  // elements are 1/200 of the edge
    sum += box.forces[k];
  }
  CHECK(std::abs(sum - total) < 1e-7 * total);
}

}  // namespace compliant_foundation_test
