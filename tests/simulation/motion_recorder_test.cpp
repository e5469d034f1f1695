// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/motion_recorder.hpp"

#include <cmath>
#include <limits>

#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"

using namespace actio;

namespace motion_recorder_test {

template <Scalar S>
Motion film(double rate, S h, std::int64_t steps) {
  const Model<S> model = models::revolute_chain<S>(3);
  SemiImplicitEuler integrator(model);
  MotionRecorder recorder(rate);
  const auto summary = simulate(integrator, h, Steps{steps}, recorder);
  CHECK(summary);
  return recorder.take();
}

TEST_CASE("MotionRecorder: keeps the first node at or after each frame's time", "[simulation][film]") {
  const Motion motion = film<double>(60, 1e-3, 1000);
  REQUIRE(motion.times.size() == 61);
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    CAPTURE(k);
    CHECK(motion.times[k] >= static_cast<double>(k) / 60 - 1e-9);
    CHECK(motion.times[k] < static_cast<double>(k) / 60 + 1e-3);
  }
}

TEST_CASE("MotionRecorder: a frame at the time of a node is this node, regardless of rounding", "[simulation][film]") {
  const double h = GENERATE(1e-3, 2e-3, 5e-3, 1e-2);
  const Motion motion = film<double>(100, h, static_cast<std::int64_t>(std::lround(2 / h)));
  REQUIRE(motion.times.size() == 201);
  for (std::size_t k = 0; k < motion.times.size(); ++k) CHECK(std::abs(motion.times[k] - 0.01 * static_cast<double>(k)) < 1e-9);
}

TEST_CASE("MotionRecorder: with steps longer than frames, or an infinite rate, every node is a frame", "[simulation][film]") {
  CHECK(film<double>(60, 0.05, 40).times.size() == 41);
  CHECK(film<double>(std::numeric_limits<double>::infinity(), 1e-3, 40).times.size() == 41);
}

TEST_CASE("MotionRecorder: frames are the configuration and the poses of the bodies", "[simulation][film]") {
  const Model<float> model = models::revolute_chain<float>(3);
  SemiImplicitEuler integrator(model);
  State<float> start = rest_state(model);
  start.q = models::horizontal(model);
  integrator.reset(start);
  MotionRecorder recorder(50);
  KinematicsData<float> last(model);
  VectorX<float> last_q;
  const auto see = [&](auto& node) {
    last = node.kinematics();
    last_q = node.state().q;
  };
  CHECK(simulate(integrator, 0.01f, Steps{20}, recorder, see));
  const Motion& motion = recorder.motion();
  REQUIRE(motion.times.size() == motion.poses.size());
  REQUIRE(motion.poses.back().size() == model.num_bodies());
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    CHECK(motion.poses.back()[i].p == last.T_WB[i].p.cast<double>());
    CHECK(motion.poses.back()[i].R == last.T_WB[i].R.cast<double>());
  }
  CHECK(motion.poses.front()[3].p != motion.poses.back()[3].p);
  REQUIRE(motion.q.size() == motion.times.size());
  CHECK(motion.q.front() == start.q.cast<double>());
  CHECK(motion.q.back() == last_q.cast<double>());
}

TEST_CASE("MotionRecorder: taking a motion starts a new one", "[simulation][film]") {
  const Model<double> model = models::revolute_chain<double>(1);
  SemiImplicitEuler integrator(model);
  MotionRecorder recorder(10);
  CHECK(simulate(integrator, 0.1, Steps{10}, recorder));
  CHECK(recorder.take().times.size() == 11);
  integrator.reset(rest_state(model));
  CHECK(simulate(integrator, 0.1, Steps{5}, recorder));
  CHECK(recorder.take().times.size() == 6);
}

TEST_CASE("MotionRecorder: an invalid rate is refused", "[simulation][film]") {
  const double rate = GENERATE(0.0, -1.0, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(MotionRecorder(rate), OptionsError);
}

}  // namespace motion_recorder_test
