// SPDX-License-Identifier: BSD-3-Clause
// Closed loops in maximal coordinates: at any attitude, redundant, overlapping; they stay closed.
#include <cmath>
#include <numbers>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace maximal_loops_test {

using namespace actio;
using Eigen::VectorXd;
constexpr double pi = std::numbers::pi;

MaximalOptions<double> to_rounding() {
  MaximalOptions<double> options;
  options.tolerance = 0;
  return options;
}

/// The model block of a file, with the world rotated by R.
test::Json turned(test::Json file, const Matrix3<double>& R) {
  const auto turn = [&](test::Json& vector) {
    const Vector3<double> v = R * test::to_vector(vector);
    vector = {v[0], v[1], v[2]};
  };
  const auto turn_frame = [&](test::Json& frame) {
    if (frame.contains("p")) turn(frame["p"]);
    Matrix3<double> old = Matrix3<double>::Identity();
    if (frame.contains("R"))
      old = frame["R"].size() == 3 ? Matrix3<double>(test::to_matrix(frame["R"]))
                                   : Matrix3<double>(test::to_vector(frame["R"]).reshaped<Eigen::RowMajor>(3, 3));
    const Matrix3<double> now = R * old;
    frame["R"] = test::Json::array();
    for (int r = 0; r < 3; ++r) frame["R"].push_back({now(r, 0), now(r, 1), now(r, 2)});
  };
  test::Json& model = file["model"];
  turn(model["gravity"]);
  for (test::Json& body : model["bodies"]) {
    if (body["parent"].get<int>() < 0) turn_frame(body["placement"]);
  }
  for (test::Json& loop : model["loops"]) {
    if (loop["bodyA"].get<int>() < 0) turn_frame(loop["frameA"]);
    if (loop["bodyB"].get<int>() < 0) turn_frame(loop["frameB"]);
  }
  return file;
}

/// The nodes of a run to t = 0.5 s, in steps of 5 ms.
std::vector<VectorXd> half_a_second(const Model<double>& model, const State<double>& start) {
  MaximalIntegrator integrator(model, to_rounding());
  integrator.reset(start);
  std::vector<VectorXd> nodes;
  for (int k = 0; k < 100; ++k) {
    const StepResult<double> result = integrator.step({}, 5e-3);
    CAPTURE(k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    CHECK(result.substeps == 1);
    CHECK(integrator.gap() < 1e-12);
    nodes.push_back(integrator.configuration());
  }
  return nodes;
}
double largest_difference(const Model<double>& model, const std::vector<VectorXd>& a, const std::vector<VectorXd>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, model.difference(a[k], b[k]).cwiseAbs().maxCoeff());
  return largest;
}

TEST_CASE("maximal loops: a rotated mechanism has the rotated motion", "[integrators][maximal][long]") {
  models::Random random(1);
  for (const std::string& name : test::loop_reference_names()) {
    const test::Reference upright = test::reference(name);
    const State<double> start{upright.q0(), upright.v0(), 0};
    const std::vector<VectorXd> nodes = half_a_second(upright.model, start);
    for (int attitude = 0; attitude < 5; ++attitude) {
      const test::Reference leaning =
          test::make_reference(turned(upright.json, quaternion::rotation_matrix<double>(random.rotation<double>())));
      CAPTURE(name, attitude);
      CHECK(largest_difference(upright.model, nodes, half_a_second(leaning.model, start)) < 1e-9);
    }
  }
}

/// Over time, two closures of the same mechanism give the same motion.
void same_motion(const Model<double>& minimal, const Model<double>& redundant, const VectorXd& q0) {
  State<double> start = rest_state(minimal);
  start.q = close_loops(minimal, q0);
  const std::vector<VectorXd> expected = half_a_second(minimal, start), found = half_a_second(redundant, start);
  CHECK(largest_difference(minimal, expected, found) < 1e-9);
  CHECK(minimal.difference(start.q, expected.back()).cwiseAbs().maxCoeff() > 0.1);  // the mechanism moves
}

TEST_CASE("maximal loops: a redundant hinge in planar four-bars changes nothing", "[integrators][maximal][long]") {
  for (const int segments : {1, 3}) {
    const Model<double> minimal = models::four_link_segments(segments),
                        redundant = models::four_link_segments(segments, LoopType::revolute);
    VectorXd q = minimal.neutral();
    for (int k = 0; k < segments; ++k) models::open_segment(minimal, k, 0.5 + 0.1 * k, 0.7 - 0.6 * k, q);
    CAPTURE(segments);
    same_motion(minimal, redundant, q);
  }
}

/// A link between two hinges about z: the second is at a along x from the first, and rotated about x by alpha.  [Denavit and Hartenberg]
Pose<double> across(double a, double alpha) { return {so3::exp<double>(Vector3<double>(alpha, 0, 0)), Vector3<double>(a, 0, 0)}; }

/// A ring of links on hinges, with the last one on the ground; `closure` closes it.
Model<double> ring(const std::vector<std::pair<double, double>>& links, LoopType closure) {
  ModelBuilder<double> builder("ring");
  std::string parent = "world";
  Pose<double> at = Pose<double>::identity();
  for (std::size_t k = 0; k + 1 < links.size(); ++k) {
    const std::string name = std::to_string(k);
    const double a = links[k].first;
    builder.add_body("link" + name, Inertia<double>::box(1, {a, 0.1, 0.1}).seen_from_parent(Pose<double>::translation(a / 2, 0, 0)));
    builder.add_joint("hinge" + name, parent, "link" + name, at, Revolute<double>({0, 0, 1}));
    parent = "link" + name;
    at = across(links[k].first, links[k].second);
  }
  Loop<double> loop;
  loop.name = "closure";
  loop.type = closure;
  loop.axis = Vector3<double>::UnitZ();
  loop.T_A = across(links.back().first, links.back().second).inverse();
  loop.T_B = at;
  builder.add_loop(loop, "world", parent);
  return builder.build();
}

TEST_CASE("maximal loops: Bennett's loop is mobile, although five rows constrain its three joints", "[integrators][maximal][long]") {
  // Opposite links are equal and sin(alpha) / a = sin(beta) / b: it is mobile only by its dimensions.
  const double a = 1, alpha = 0.6, b = 0.7, beta = std::asin(b * std::sin(alpha) / a);
  const std::vector<std::pair<double, double>> links{{a, alpha}, {b, beta}, {a, alpha}, {b, beta}};
  const double first = 1.1, second = 2 * std::atan(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2) / std::tan(first / 2));
  VectorXd q(3);
  q << first, second, -first;
  same_motion(ring(links, LoopType::point_on_line), ring(links, LoopType::revolute), q);
}

TEST_CASE("maximal loops: Bricard's ring of six hinges is mobile, although five rows constrain its five joints",
          "[integrators][maximal][long]") {
  // Equal links with axes at right angles, alternating to both sides: four of the five rows are independent.
  const std::vector<std::pair<double, double>> links{{1, pi / 2}, {1, -pi / 2}, {1, pi / 2}, {1, -pi / 2}, {1, pi / 2}, {1, -pi / 2}};
  VectorXd q(5);
  q << 2.0, -1.2, 2.0, -1.2, 2.0;
  same_motion(ring(links, LoopType::cylindrical), ring(links, LoopType::revolute), q);
}

TEST_CASE("maximal loops: overlapping segments start, and pass their singular poses", "[integrators][maximal][long]") {
  for (const LoopType closure : {LoopType::point_on_line, LoopType::revolute}) {
    for (const int segments : {1, 2, 3}) {
      CAPTURE(name(closure), segments);
      const Model<double> model = models::four_link_segments(segments, closure);
      MaximalIntegrator integrator(model);
      State<double> start = rest_state(model);  // all segments overlap
      models::open_segment(model, 0, 0, 0.6, start.q);
      integrator.reset(start);
      for (int k = 0; k < 300; ++k) {
        const StepResult<double> result = integrator.step({}, 1e-2);
        REQUIRE(describe(result.status) == describe(Status::converged));
        REQUIRE(result.iterations <= 4);
        REQUIRE(integrator.gap() < 1e-10);
      }
      // Rhombi become flat and open to the other side.
      start.q.setZero();
      for (int k = 0; k < segments; ++k) models::open_segment(model, k, 1.0, k == 0 ? 0.4 : -0.2, start.q);
      integrator.reset(start);
      int passages = 0;
      double before = 1;
      for (int k = 0; k < 500; ++k) {
        const StepResult<double> result = integrator.step({}, 1e-2);
        CAPTURE(k);
        REQUIRE(describe(result.status) == describe(Status::converged));
        REQUIRE(integrator.gap() < 1e-9);
        const double opening = std::sin(integrator.configuration()[model.q_index(model.find_body("b1"))]);
        passages += opening * before < 0;
        before = opening;
      }
      CHECK(passages >= 2);
    }
  }
}

TEST_CASE("maximal loops: gaps are below the tolerance, and at rounding for tolerance zero", "[integrators][maximal][long]") {
  const Model<double> model = models::four_link_segments(8);
  State<double> start = rest_state(model);
  for (int k = 0; k < 8; ++k) models::open_segment(model, k, 0.5, k == 0 ? 1.0 : 0.5, start.q);
  const auto largest_gap = [](auto integrator, const auto& from, auto h, int steps) {
    integrator.reset(from);
    double largest = 0;
    for (int k = 0; k < steps; ++k) {
      REQUIRE(integrator.step({}, h));
      largest = std::max(largest, double(integrator.gap()));
    }
    return largest;
  };
  CHECK(largest_gap(MaximalIntegrator(model), start, 1e-2, 300) < 1e-9);
  CHECK(largest_gap(MaximalIntegrator(model, {.tolerance = 0}), start, 1e-2, 300) < 1e-13);
}

TEST_CASE("maximal loops: loops stay closed and the energy is conserved", "[integrators][maximal][long]") {
  for (const Model<double>& model : {models::closed_chain(6), models::closed_planar_chain(6), models::ladder(3)}) {
    State<double> state = rest_state(model);
    if (model.name() == "ladder") state.q = models::sheared(model, Eigen::Vector3d(0.7, -0.3, 0.2));
    MaximalIntegrator integrator(model);
    integrator.reset(state);
    KinematicsData<double> data(model);
    const double initial = energy(model, data, state.q, state.v).total();
    double error = 0, kinetic = 0;
    for (int k = 0; k < 1000; ++k) {
      REQUIRE(integrator.step({}, 2e-3));
      REQUIRE(integrator.gap() < 1e-10);
      REQUIRE(integrator.read(state) == Status::converged);
      const Energy<double> now = energy(model, data, state.q, state.v);
      error = std::max(error, std::abs(now.total() - initial));
      kinetic = std::max(kinetic, now.kinetic);
    }
    CAPTURE(model.name(), error, kinetic);
    CHECK(kinetic > 1);
    CHECK(error < 2e-3 * kinetic);
  }
}

}  // namespace maximal_loops_test
