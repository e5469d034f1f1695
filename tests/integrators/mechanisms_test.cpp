// SPDX-License-Identifier: BSD-3-Clause
// Variational loops on mechanisms: closed at every node, of second order, with correct momenta and energy, at any attitude
// and through singular poses. Long runs are in mechanisms_long_test.cpp.
#include <cmath>
#include <numbers>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/long_runs.hpp"
#include "support/mechanisms.hpp"

namespace mechanisms_test {

using namespace actio;
using Eigen::VectorXd;
constexpr double pi = std::numbers::pi;

/// Returns the state after `steps` steps of length h, each of which must converge.
template <class I>
VectorXd end_of_run(I integrator, const State<double>& start, double h, int steps) {
  integrator.reset(start);
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> result = integrator.step({}, h);
    CAPTURE(h, k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE_FALSE(result.relaxed);
    REQUIRE(result.substeps == 1);
  }
  return integrator.configuration();
}

TEST_CASE("mechanisms: at five attitudes they stay closed and conserve their energy", "[integrators][variational][fast]") {
  for (const Matrix3<double>& attitude : test::attitudes(5)) {
    for (const auto& [model, start] : test::mechanisms(attitude)) {
      VariationalIntegrator integrator(model);
      integrator.reset(start);
      State<double> state = start;
      REQUIRE(integrator.read(state) == Status::converged);
      KinematicsData<double> data(model);
      const double initial = energy(model, data, state.q, state.v).total();
      test::ClosureWatch loops(model);
      double error = 0, kinetic = 0, moved = 0;
      for (int k = 0; k < 500; ++k) {
        const StepResult<double> result = integrator.step({}, 1e-3);
        CAPTURE(model.name(), k);
        REQUIRE(describe(result.status) == describe(Status::converged));
        REQUIRE(result.substeps == 1);
        REQUIRE(integrator.read(state) == Status::converged);
        loops.add(result, state.q);
        const Energy<double> now = energy(model, data, state.q, state.v);
        error = std::max(error, std::abs(now.total() - initial));
        kinetic = std::max(kinetic, now.kinetic);
        moved = std::max(moved, model.difference(start.q, state.q).cwiseAbs().maxCoeff());
      }
      CAPTURE(model.name(), attitude);
      loops.check();
      CHECK(loops.relaxed() == 0);
      CHECK(error < 1e-3 * kinetic);
      CHECK(moved > 0.05);
    }
  }
}

TEST_CASE("mechanisms: the motion matches maximal coordinates and rotates with the world", "[integrators][variational][fast]") {
  const Matrix3<double> attitude = test::attitudes(1)[0], level = Matrix3<double>::Identity();
  const std::vector<test::Mechanism> turned = test::mechanisms(attitude), upright = test::mechanisms(level);
  for (std::size_t m = 0; m < turned.size(); ++m) {
    const auto& [model, start] = turned[m];
    CAPTURE(model.name());
    const VectorXd joints = end_of_run(VariationalIntegrator<Model<double>, Drnea<Quat>>(model, {.tolerance = 0}), start, 2e-3, 150);
    const VectorXd bodies = end_of_run(MaximalIntegrator(model, {.tolerance = 0}), start, 2e-3, 150);
    CHECK(model.difference(joints, bodies).cwiseAbs().maxCoeff() < 1e-9);
    CHECK(model.difference(start.q, joints).cwiseAbs().maxCoeff() > 0.05);

    const Model<double> leaning = model.with_gravity(attitude * upright[m].model.gravity());
    const VectorXd expected = end_of_run(VariationalIntegrator(upright[m].model, {.tolerance = 0}), upright[m].start, 2e-3, 150);
    CHECK(model.difference(expected, end_of_run(VariationalIntegrator(leaning, {.tolerance = 0}), start, 2e-3, 150)).cwiseAbs().maxCoeff() <
          1e-9);
    CHECK(model.difference(expected, end_of_run(VariationalIntegrator(model, {.tolerance = 0}), start, 2e-3, 150)).cwiseAbs().maxCoeff() >
          1e-3);
  }
}

TEST_CASE("mechanisms: halving the step leaves a quarter of the error", "[integrators][variational][fast]") {
  for (const Matrix3<double>& attitude : test::attitudes(2)) {
    for (const auto& [model, start] : test::mechanisms(attitude)) {
      const auto end = [&, &model = model, &start = start](int steps) {
        return end_of_run(VariationalIntegrator(model, {.tolerance = 0}), start, 0.2 / steps, steps);
      };
      const VectorXd coarse = end(100), middle = end(200), fine = end(400);
      const double order = std::log2(model.difference(coarse, middle).norm() / model.difference(middle, fine).norm());
      CAPTURE(model.name(), order);
      CHECK(std::abs(order - 2) < 0.1);
    }
  }
}

TEST_CASE("mechanisms: a floating four-bar conserves its momenta", "[integrators][variational][fast]") {
  const Model<double> model = test::floating_four_bar();
  const State<double> start{model.neutral(), models::random_velocity(model, 1, 2), 0};
  VariationalIntegrator integrator(model);
  integrator.reset(start);
  State<double> state = start;
  REQUIRE(integrator.read(state) == Status::converged);
  CHECK((state.v - start.v).norm() > 0.1);
  KinematicsData<double> data(model);
  const test::FloatingRun run = test::run_floating(model, start, 2e-3, 1000);
  CHECK(run.first.linear.norm() > 0.1);
  CHECK((run.first.linear - test::momenta(model, data, start).linear).norm() < 1e-12);  // closing impulses are internal
  CHECK(run.linear < 1e-10);
  CHECK(run.angular < 1e-9);
  run.loops.check();
  CHECK(run.loops.relaxed() == 0);
  CHECK(std::abs(run.end.q[model.q_index(model.find_body("crank"))]) > 0.5);
}

/// Intersection of the circles about a and b, to the left of the line from a to b, by angles, unlike in the model.
Vector2<double> corner(const Vector2<double>& a, double from_a, const Vector2<double>& b, double from_b) {
  const double apart = (b - a).norm(), way = std::atan2(b.y() - a.y(), b.x() - a.x());
  const double angle = way + std::acos((apart * apart + from_a * from_a - from_b * from_b) / (2 * apart * from_a));
  return a + from_a * Vector2<double>(std::cos(angle), std::sin(angle));
}
/// The foot of Jansen's leg in its plane, as a function of the angle of the crank from y.
Vector2<double> foot_of_jansen(double crank) {
  const Vector2<double> pivot(-0.38, -0.078), pin = 0.15 * Vector2<double>(std::cos(crank), std::sin(crank));
  const Vector2<double> top = corner(pivot, 0.415, pin, 0.5), side = corner(pivot, 0.401, top, 0.558),
                        knee = corner(pin, 0.619, pivot, 0.393);
  const Vector2<double> ankle = corner(knee, 0.367, side, 0.394);
  return corner(knee, 0.49, ankle, 0.657);
}

TEST_CASE("mechanisms: the driven crank of Jansen's leg revolves, and the foot matches intersecting circles",
          "[integrators][variational][fast]") {
  for (const LoopType closure : {LoopType::point_on_line, LoopType::revolute}) {
    const Matrix3<double> attitude = test::attitudes(1)[0];
    const Model<double> leg = models::jansen_leg(attitude, closure);
    State<double> state = rest_state(leg);
    Input<double> input;
    input.tau_begin = 10 * VectorXd::Unit(leg.nv(), 0);
    VariationalIntegrator integrator(leg);
    integrator.reset(state);
    KinematicsData<double> data(leg);
    const Frame<double>& foot = leg.find_frame("foot");
    double lowest = 0, highest = -1;
    for (int k = 0; k < 600; ++k) {
      const StepResult<double> result = integrator.step(input, 2e-3);
      CAPTURE(name(closure), k);
      REQUIRE(describe(result.status) == describe(Status::converged));
      REQUIRE_FALSE(result.relaxed);
      state.q = integrator.configuration();
      forward_kinematics(leg, data, state.q, state.v);
      const Vector3<double> at = attitude.transpose() * (data.T_WB[foot.body] * foot.T_BF.p);
      const Vector2<double> expected = foot_of_jansen(state.q[0] + pi / 2);
      REQUIRE((at - Vector3<double>(0, expected.x(), expected.y())).norm() < 1e-10);
      lowest = std::min(lowest, at.z());
      highest = std::max(highest, at.z());
    }
    CAPTURE(state.q[0], lowest, highest);
    CHECK(std::abs(state.q[0]) > 4 * pi);
    CHECK(highest - lowest > 0.2);  // the foot is lifted
  }
}

struct Passage {
  int through = 0;  ///< number of flat poses that were passed
  int relaxed = 0;
};
/// Runs a square of rods, which must move on and stay closed except after relaxed steps; at its flat poses a second branch of motion
/// exists.
Passage run_square(const Model<double>& square, const State<double>& start, const VectorXd& tau, double h, int steps) {
  VariationalIntegrator integrator(square);
  integrator.reset(start);
  Input<double> input;
  input.tau_begin = tau;
  test::ClosureWatch loops(square);
  State<double> state = start;
  Passage passage;
  double before = 0, unmoved = 0, longest_unmoved = 0;
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> result = integrator.step(input, h);
    CAPTURE(h, k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    unmoved = square.difference(state.q, integrator.configuration()).norm() < 1e-9 ? unmoved + 1 : 0;
    longest_unmoved = std::max(longest_unmoved, unmoved);
    REQUIRE(integrator.read(state) == Status::converged);
    REQUIRE((state.q.allFinite() && state.v.allFinite()));
    loops.add(result, state.q);
    const double level = std::cos(state.q[square.q_index(square.find_body("left_1"))]);
    passage.through += level * before < 0;
    before = level;
  }
  CHECK(std::abs(state.time - steps * h) < 1e-9);
  CHECK(longest_unmoved < 3);
  loops.check();
  passage.relaxed = loops.relaxed();
  return passage;
}

TEST_CASE("mechanisms: a parallelogram falls and is driven through its flat pose, and starts from it", "[integrators][variational][fast]") {
  int through = 0, driven_through = 0, relaxed = 0;
  for (const Matrix3<double>& attitude : test::attitudes(5)) {
    const Model<double> square = models::ladder(1).with_gravity(attitude.transpose() * Vector3<double>(0, 0, -9.81));
    ModelProperties<double> properties = square.properties();
    properties.damping.setConstant(2);
    const Model<double> damped = square.with_properties(properties);
    const VectorXd nothing = VectorXd::Zero(square.nv());
    VectorXd torque = nothing;
    torque[square.v_index(square.find_body("left_1"))] = 40;
    const auto at = [&](double angle, double speed) {
      State<double> start = rest_state(square);
      start.q = models::sheared(square, VectorXd::Constant(1, angle));
      start.v[0] = speed;
      return start;
    };
    CAPTURE(attitude);
    for (const double h : {2e-3, 1e-2}) {
      const int steps = static_cast<int>(std::lround(2 / h));
      through += run_square(square, at(2, 0), nothing, h, steps).through;
      through += run_square(square, at(0.3, 6), nothing, h, steps).through;
      driven_through += run_square(damped, at(0, 0), torque, h, steps).through;
      for (const double speed : {0., 1., -3.}) relaxed += run_square(square, at(pi / 2, speed), nothing, h, steps).relaxed;
    }
  }
  CAPTURE(through, driven_through, relaxed);
  CHECK(through > 40);
  CHECK(driven_through > 30);
  CHECK(relaxed > 0);
}

}  // namespace mechanisms_test
