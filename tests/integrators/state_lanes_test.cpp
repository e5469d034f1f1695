// SPDX-License-Identifier: BSD-3-Clause
// Lanes of steps without iterations against their scalar integrators, and against themselves in other places and company.
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "actio/integrators/compliant_lanes.hpp"
#include "actio/integrators/semi_implicit_euler_lanes.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "actio/simulation/rollouts.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/lanes.hpp"
#include "support/refusal.hpp"

namespace state_lanes_test {

using namespace actio;
using namespace actio::test;

constexpr int N = 4;
using M = Model<double>;

struct Euler {
  using Lanes = SemiImplicitEulerLanes<M, N>;
  using Single = SemiImplicitEuler<M>;
};
struct Compliant {
  using Lanes = CompliantLanes<M, N>;
  using Single = CompliantIntegrator<M>;
};
static_assert(LaneIntegrator<Euler::Lanes> && LaneIntegrator<Compliant::Lanes>);

/// Joint forces for motion number k, and a wrench on the last body.
Input<double> input(const M& model, int k, int step) {
  Input<double> forces;
  if (k != 1) forces.tau_begin = VectorX<double>::Constant(model.nv(), 0.1 * (k + 1) * std::cos(0.01 * step));
  if (k % 2 == 0) {
    forces.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Zero());
    forces.wrench_begin[model.num_bodies() - 1] = Vector6<double>::Constant(0.2);
  }
  return forces;
}
template <class Lanes>
State<double> shown(Lanes& lanes, int k) {
  State<double> state;
  REQUIRE(lanes.read(k, state) == Status::converged);
  return state;
}
bool equal(const State<double>& a, const State<double>& b) { return a.q == b.q && a.v == b.v && a.time == b.time; }
/// A tree of all joints with springs, dampers, armature and a constant force at a point.
M tree() { return pushed(models::random_tree(3, 14, {.damping = true, .springs = true, .armature = true})); }

TEMPLATE_TEST_CASE("state lanes: every lane follows the scalar integrator", "[integrators][lanes][long]", Euler, Compliant) {
  const M model = GENERATE(models::humanoid(), models::spherical_chain(4), tree());
  CAPTURE(model.name());
  auto lanes = begun<typename TestType::Lanes>(model, in_order);
  std::vector<typename TestType::Single> alone(N, typename TestType::Single(model));
  for (int k = 0; k < N; ++k) alone[at(k)].reset(start(model, k));
  for (int step = 0; step < 200; ++step) {
    std::array<Input<double>, N> inputs;
    for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, step);
    const auto results = lanes.step(inputs, 1e-3);
    for (int k = 0; k < N; ++k) {
      const StepResult<double> result = alone[at(k)].step(inputs[at(k)], 1e-3);
      REQUIRE((result && results[at(k)]));
      CHECK((results[at(k)].method == result.method && results[at(k)].evaluations == result.evaluations &&
             results[at(k)].factorizations == result.factorizations && results[at(k)].substeps == result.substeps));
    }
  }
  for (int k = 0; k < N; ++k) {
    CAPTURE(k);
    const State<double> of_lane = shown(lanes, k);
    State<double> of_one = rest_state(model);
    REQUIRE(alone[at(k)].read(of_one) == Status::converged);
    // Rounding errors of 200 steps: 1e-16 of q, and 1e-15 of v, of which a lane rounds each otherwise than the scalar integrator.
    CHECK((of_lane.q - of_one.q).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((of_lane.v - of_one.v).cwiseAbs().maxCoeff() < 1e-11);
    CHECK(of_lane.time == of_one.time);
  }
}

TEMPLATE_TEST_CASE("state lanes: a motion has the same bits in any lane and any company, resting or not", "[integrators][lanes][long]", Euler,
                   Compliant) {
  const M model = tree();
  auto first = begun<typename TestType::Lanes>(model, in_order);
  const std::array<int, N> motion{2, 0, 2, 7};
  auto second = begun<typename TestType::Lanes>(model, motion);
  const State<double> rests = shown(second, 3);
  for (int step = 0; step < 60; ++step) {
    (void)first.step({}, 1e-3);
    (void)second.step({}, 1e-3, step < 30 ? 15U : 7U);
  }
  CHECK(equal(shown(first, 2), shown(second, 0)));
  CHECK(equal(shown(first, 0), shown(second, 1)));
  CHECK(equal(shown(first, 2), shown(second, 2)));
  CHECK_FALSE(equal(shown(second, 3), rests));
  auto stopped = begun<typename TestType::Lanes>(model, motion);
  for (int step = 0; step < 30; ++step) (void)stopped.step({}, 1e-3);
  CHECK(equal(shown(stopped, 3), shown(second, 3)));
}

TEMPLATE_TEST_CASE("state lanes: a lane that fails stays alone", "[integrators][lanes][long]", Euler, Compliant) {
  const M model = models::humanoid();
  auto good = begun<typename TestType::Lanes>(model, in_order), bad = good;
  State<double> wild = start(model, 3);
  wild.v.setConstant(1e200);
  for (int step = 0; step < 30; ++step) {
    std::array<Input<double>, N> inputs;
    for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, step);
    (void)good.step(inputs, 1e-3);
    if (step == 10) bad.reset(3, wild);
    if (step == 20) bad.reset(3, start(model, 3));
    if (step >= 20) inputs[3].tau_begin[4] = std::numeric_limits<double>::quiet_NaN();
    const State<double> before = shown(bad, 3);
    const auto results = bad.step(inputs, 1e-3);
    CAPTURE(step);
    CHECK(results[3].status == (step < 10 ? Status::converged : step < 20 ? Status::not_finite : Status::invalid_input));
    if (step >= 10) CHECK(equal(shown(bad, 3), before));
    for (int k = 0; k < 3; ++k) {
      REQUIRE(results[at(k)]);
      REQUIRE(equal(shown(bad, k), shown(good, k)));
    }
  }
  for (const StepResult<double>& result : good.step({}, -1e-3)) CHECK(result.status == Status::invalid_step);
}

TEMPLATE_TEST_CASE("state lanes: saved memories and copies continue bitwise, and nothing is allocated", "[integrators][lanes][long]", Euler,
                   Compliant) {
  const M model = tree();
  auto lanes = begun<typename TestType::Lanes>(model, in_order);
  auto memory = lanes.make_memory();
  std::array<Input<double>, N> inputs;
  for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, 0);
  inputs[1].tau_begin = VectorX<double>::Constant(model.nv(), std::numeric_limits<double>::infinity());
  for (int step = 0; step < 8; ++step) (void)lanes.step(inputs, 1e-3);
  const auto copy = lanes;
  {
    const test::AllocationCounter counter;
    lanes.save(memory);
    for (int step = 0; step < 8; ++step) (void)lanes.step(inputs, 1e-3);
    CHECK(counter.count() == 0);
  }
  auto restored = lanes, copied = copy;  // copies of copies refer to their own data
  restored.restore(memory);
  for (int step = 0; step < 8; ++step) {
    (void)restored.step(inputs, 1e-3);
    (void)copied.step(inputs, 1e-3);
  }
  for (int k = 0; k < N; ++k) {
    CHECK(equal(shown(restored, k), shown(lanes, k)));
    CHECK(equal(shown(copied, k), shown(lanes, k)));
  }
}

TEST_CASE("state lanes: a lane with a damper that its step does not resolve is stepped by the scalar integrator", "[integrators][lanes][long]") {
  M model = models::revolute_chain(5);
  ModelProperties<double> joints = model.properties();
  joints.damping.setConstant(1e4);
  model = model.with_properties(joints);
  auto lanes = begun<Compliant::Lanes>(model, in_order);
  Compliant::Single alone(model);
  alone.reset(start(model, 2));
  for (int step = 0; step < 20; ++step) {
    REQUIRE(lanes.step({}, 1e-2)[2]);
    REQUIRE(alone.step({}, 1e-2));
  }
  State<double> of_one = rest_state(model);
  REQUIRE(alone.read(of_one) == Status::converged);
  CHECK(equal(shown(lanes, 2), of_one));
}

TEMPLATE_TEST_CASE("state lanes: rollouts fill lanes with runs, which end alone", "[integrators][lanes][rollouts][long]", Euler, Compliant) {
  const M model = models::humanoid();
  std::vector<State<double>> starts;
  for (int k = 0; k < 2 * N + 3; ++k) starts.push_back(start(model, k));
  starts[5].v.setConstant(1e200);  // fails in its first step
  const auto control = [&](std::size_t k, auto& node, Input<double>& forces) {
    forces = input(model, static_cast<int>(k), static_cast<int>(node.step()));
  };
  std::vector<int> seen(starts.size());
  const auto observe = [&](std::size_t k, auto& node) {
    REQUIRE(node.step() == seen[k]++);
    REQUIRE(node.configuration() == node.state().q);
    REQUIRE(std::isfinite(node.energy().kinetic) == (k != 5));  // the square of 1e200 is infinite
    return !(k == 2 && node.step() == 7);
  };
  const typename TestType::Lanes lanes(model);
  const auto summaries = rollouts(lanes, starts, control, 1e-3, Seconds{0.0205}, observe, {.threads = 1});
  for (std::size_t k = 0; k < starts.size(); ++k) {
    CAPTURE(k);
    const std::int64_t steps = k == 5 ? 0 : k == 2 ? 7 : 21;
    CHECK((summaries[k].steps == steps && seen[k] == steps + 1 && summaries[k].failed_steps == (k == 5)));
    CHECK(summaries[k].status == (k == 5 ? Status::not_finite : Status::converged));
    const double length = k == 5 ? 0 : k == 2 ? 0.007 : 0.0205;
    CHECK(std::abs(summaries[k].time - starts[k].time - length) < 1e-12);
  }

  // The same bits on several threads and in lanes stepped by hand; close to the scalar integrator.
  const auto one = trajectories(lanes, starts, control, 1e-3, Steps{20}, 3, {.threads = 1});
  const auto many = trajectories(lanes, starts, control, 1e-3, Steps{20}, 3, {.threads = 3});
  const auto scalar = trajectories(typename TestType::Single(model), starts, control, 1e-3, Steps{20}, 3);
  auto by_hand = begun<typename TestType::Lanes>(model, {9, 9, 9, 9});
  for (int step = 0; step < 20; ++step) (void)by_hand.step(input(model, 9, step), 1e-3);
  CHECK(VectorX<double>(one[9].q.col(7)) == shown(by_hand, 1).q);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    if (k == 5) continue;
    REQUIRE(one[k].q.cols() == 8);
    CHECK((one[k].q == many[k].q && one[k].v == many[k].v && one[k].times == many[k].times));
    CHECK((one[k].q - scalar[k].q).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((one[k].times - scalar[k].times).cwiseAbs().maxCoeff() < 1e-12);
  }
  starts[6].q[0] = std::numeric_limits<double>::quiet_NaN();
  const auto begin = [&] { (void)trajectories(lanes, starts, Input<double>(), 1e-3, Steps{1}); };
  CHECK(test::missing(test::refusal<OptionsError>(begin), {"start 6", "px"}).empty());
}

TEST_CASE("state lanes: what they do not support is refused by name", "[integrators][lanes][long]") {
  const auto refusal = [](const auto& make) { return test::refusal<std::invalid_argument>(make); };
  const M loop = models::closed_chain(4), chain = models::revolute_chain(2);
  CHECK(test::missing(refusal([&] { return Compliant::Lanes(loop); }), {"compliant in lanes", "loop", "with_loops(false)"}).empty());
  CHECK(test::missing(refusal([&] { return Euler::Lanes(loop); }), {"euler in lanes", "loop"}).empty());
  PointSpring<double> rope;
  rope.name = "rope";
  rope.body_b = 2;
  rope.stiffness = 5;
  const M tied = chain.with_springs({rope});
  CHECK(test::missing(refusal([&] { return Compliant::Lanes(tied); }), {"'rope'", "CompliantIntegrator"}).empty());
  Euler::Lanes lanes(chain);
  State<double> wrong = rest_state(chain);
  wrong.q[0] = std::numeric_limits<double>::quiet_NaN();
  const State<double> before = shown(lanes, 1);
  CHECK_THROWS_AS(lanes.reset(1, wrong), OptionsError);
  CHECK(equal(shown(lanes, 1), before));
}

}  // namespace state_lanes_test
