// SPDX-License-Identifier: BSD-3-Clause
// Lanes against the scalar integrator, and against themselves in other places and company.
#include "actio/integrators/variational_lanes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/lanes.hpp"
#include "support/refusal.hpp"

namespace variational_lanes_test {

using namespace actio;
using namespace actio::test;

constexpr int N = 4;  // with more, this file would take minutes to compile where registers have two lanes
using Lanes = VariationalLanes<Model<double>, N>;
using Inputs = std::array<Input<double>, N>;
static_assert(LaneIntegrator<Lanes>);

/// A joint force for motion number k, which varies in time, and a wrench on the last body.
Input<double> input(const Model<double>& model, int k, int step) {
  Input<double> forces;
  forces.tau_begin = VectorX<double>::Constant(model.nv(), 0.1 * (k + 1));
  forces.tau_end = VectorX<double>::Constant(model.nv(), 0.1 * (k + 1) * std::cos(0.01 * step));
  if (k % 2 == 0) {
    forces.wrench_end = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Zero());
    forces.wrench_end[model.num_bodies() - 1] = Vector6<double>::Constant(0.2);
  }
  return forces;
}
/// All that a lane shows.
struct Shown {
  VectorX<double> q, p;
  double time;
  friend bool operator==(const Shown& a, const Shown& b) { return a.q == b.q && a.p == b.p && a.time == b.time; }
};
Shown shown(const Lanes& lanes, int k) {
  Shown s{VectorX<double>(lanes.model().nq()), VectorX<double>(lanes.model().nv()), lanes.time(k)};
  lanes.configuration(k, s.q);
  lanes.momentum(k, s.p);
  return s;
}
TEST_CASE("lanes: tree algorithms compute in each lane what they do for one instance", "[integrators][lanes][long]") {
  using B = Batch<double, N>;
  const Model<double> model = models::random_tree(GENERATE(1U, 2U), 20, {.armature = true});
  const Model<B> wide = cast<B>(model);
  VectorX<B> q(model.nq()), v(model.nv());
  for (int k = 0; k < N; ++k) {
    const State<double> x = start(model, k);
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i].set(k, x.q[i]);
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i].set(k, x.v[i]);
  }
  RneaData<B> rnea_data(wide);
  AbaData<B> aba_data(wide);
  const VectorX<B> tau = rnea(wide, rnea_data, q, v, v);
  REQUIRE(aba(wide, aba_data, q, v, v) == 0);
  for (int k = 0; k < N; ++k) {
    const State<double> x = start(model, k);
    RneaData<double> rnea_one(model);
    AbaData<double> aba_one(model);
    const VectorX<double> tau_one = rnea(model, rnea_one, x.q, x.v, x.v);
    REQUIRE(aba(model, aba_one, x.q, x.v, x.v) == 0);
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      CHECK(std::abs(tau[i][k] - tau_one[i]) < 1e-12 * tau_one.norm());
      CHECK(std::abs(aba_data.a[i][k] - aba_one.a[i]) < 1e-11 * aba_one.a.norm());
    }
  }
}

TEST_CASE("lanes: every lane follows the scalar integrator", "[integrators][variational][lanes][long]") {
  const Model<double> model = GENERATE(models::humanoid(), models::revolute_chain(12), models::spherical_chain(4),
                                       pushed(models::random_tree(3, 12, {.damping = true, .springs = true, .armature = true})));
  CAPTURE(model.name());
  const VariationalOptions<double> exact{.tolerance = 0};  // otherwise both would differ by the tolerance
  Lanes lanes = begun<Lanes>(model, in_order, exact);
  std::vector<VariationalIntegrator<Model<double>>> alone(N, VariationalIntegrator<Model<double>>(model, exact));
  for (int k = 0; k < N; ++k) alone[at(k)].reset(start(model, k));
  for (int step = 0; step < 200; ++step) {
    const double h = step < 100 ? 1e-3 : 1e-3 * (1 + 0.2 * (step % 3));
    Inputs inputs;
    for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, step);
    const Lanes::Results results = lanes.step(inputs, h);
    for (int k = 0; k < N; ++k) {
      const StepResult<double> result = alone[at(k)].step(inputs[at(k)], h);
      REQUIRE((result && results[at(k)]));
      CHECK(results[at(k)].substeps == result.substeps);
    }
  }
  for (int k = 0; k < N; ++k) {
    CAPTURE(k);
    CHECK((shown(lanes, k).q - alone[at(k)].configuration()).cwiseAbs().maxCoeff() < 1e-11);
    CHECK((shown(lanes, k).p - alone[at(k)].momentum()).norm() < 1e-11 * (1 + alone[at(k)].momentum().norm()));
    State<double> of_lane = rest_state(model), of_one = of_lane;
    REQUIRE((lanes.read(k, of_lane) == Status::converged && alone[at(k)].read(of_one) == Status::converged));
    CHECK((of_lane.v - of_one.v).cwiseAbs().maxCoeff() < 1e-9);
    CHECK(of_lane.time == of_one.time);
  }
}

TEST_CASE("lanes: a motion has the same bits in any lane and any company", "[integrators][variational][lanes][long]") {
  // Some of them need several updates, the exact Jacobian, or substeps.
  const double h = GENERATE(1e-3, 2e-2);
  const Model<double> model = GENERATE(models::revolute_chain(6), models::random_tree(5, 10, {.damping = true, .springs = true, .armature = true}));
  CAPTURE(h, model.name());
  Lanes first = begun<Lanes>(model, in_order);
  const std::array<int, N> motion{2, 0, 2, 7};
  Lanes second = begun<Lanes>(model, motion);
  for (int step = 0; step < 60; ++step) {
    (void)first.step({}, h);
    (void)second.step({}, h);
    for (int k = 0; k < N; ++k) {
      if (motion[at(k)] >= N) continue;
      const Shown a = shown(first, motion[at(k)]), b = shown(second, k);
      CAPTURE(step, k);
      REQUIRE((a.q == b.q && a.p == b.p));
    }
  }
}

TEST_CASE("lanes: a lane that begins later than its neighbours has the bits of one that begins with them",
          "[integrators][variational][lanes][long]") {
  const double h = GENERATE(1e-3, 2e-2);
  const Model<double> model = models::revolute_chain(6);
  for (const int before : {1, 2, 5}) {
    Lanes together = begun<Lanes>(model, in_order), late = together;
    for (int step = 0; step < before; ++step) (void)late.step({}, h);
    late.reset(1, start(model, 1));
    for (int step = 0; step < 12; ++step) {
      (void)together.step({}, h);
      (void)late.step({}, h);
      CAPTURE(h, before, step);
      REQUIRE(shown(late, 1) == shown(together, 1));
    }
  }
}

TEST_CASE("lanes: a lane that fails stays alone", "[integrators][variational][lanes][long]") {
  const Model<double> model = models::humanoid();
  Lanes good = begun<Lanes>(model, in_order, VariationalOptions<double>{.max_halvings = 1}), bad = good;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  State<double> wild = start(model, 3);
  wild.v.setConstant(1e5);
  for (int step = 0; step < 40; ++step) {
    Inputs inputs;
    for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, step);
    const Lanes::Results all = good.step(inputs, 1e-3);
    for (int k = 0; k < N; ++k) REQUIRE(all[at(k)]);
    const bool is_too_fast = step >= 10 && step < 20, has_no_number = step >= 20 && step < 30;
    if (step == 10) bad.reset(3, wild);
    if (step == 20) bad.reset(3, start(model, 3));
    if (has_no_number) inputs[3].tau_end[4] = nan;
    const Shown before = shown(bad, 3);
    const Lanes::Results results = bad.step(inputs, 1e-3);
    for (int k = 0; k < N; ++k) {
      CAPTURE(step, k);
      if (k == 3) {
        CHECK(bool(results[3]) == !(is_too_fast || has_no_number));
        if (has_no_number) CHECK(results[3].status == Status::invalid_input);
        if (!results[3]) CHECK(shown(bad, 3) == before);
      } else {
        REQUIRE(results[at(k)]);
        REQUIRE(shown(bad, k) == shown(good, k));
      }
    }
  }
}

TEST_CASE("lanes: a lane that needs substeps makes them alone, as the scalar integrator does", "[integrators][variational][lanes][long]") {
  const Model<double> model = models::revolute_chain(5);
  Lanes lanes = begun<Lanes>(model, in_order), quiet = lanes;
  VariationalIntegrator alone(model);
  const State<double> fast = start(model, 2, 40);
  lanes.reset(2, fast);
  alone.reset(fast);
  int most = 1;
  for (int step = 0; step < 20; ++step) {
    const Lanes::Results results = lanes.step({}, 2e-2);
    (void)quiet.step({}, 2e-2);
    const StepResult<double> result = alone.step({}, 2e-2);
    REQUIRE((results[2] && result));
    most = std::max(most, results[2].substeps);
    if (step < 3) CHECK((shown(lanes, 2).q - alone.configuration()).cwiseAbs().maxCoeff() < 1e-8);
    for (int k = 0; k < N; ++k) {
      if (k != 2) REQUIRE(shown(lanes, k) == shown(quiet, k));
    }
  }
  CHECK(most > 1);
}

TEST_CASE("lanes: saved memories and copies continue bitwise, and a reset reads back", "[integrators][variational][lanes][long]") {
  const Model<double> model = models::random_tree(7, 8);
  Lanes lanes = begun<Lanes>(model, in_order);
  State<double> back = rest_state(model);
  REQUIRE(lanes.read(3, back) == Status::converged);
  const State<double> begin = start(model, 3);
  CHECK((back.q == begin.q && back.v == begin.v && back.time == begin.time));
  for (int step = 0; step < 8; ++step) (void)lanes.step({}, 1e-3);
  Lanes copy = lanes;
  auto memory = lanes.make_memory();
  for (int step = 0; step < 8; ++step) (void)lanes.step({}, 1e-3);
  std::vector<Shown> wanted;
  for (int k = 0; k < N; ++k) wanted.push_back(shown(lanes, k));
  lanes.restore(memory);
  for (int step = 0; step < 8; ++step) {
    (void)lanes.step({}, 1e-3);
    (void)copy.step({}, 1e-3);
  }
  for (int k = 0; k < N; ++k) CHECK((shown(lanes, k) == wanted[at(k)] && shown(copy, k) == wanted[at(k)]));
}

TEST_CASE("lanes: a lane that rests keeps its state and does not change the others", "[integrators][variational][lanes][long]") {
  const Model<double> model = models::revolute_chain(6);
  Lanes lanes = begun<Lanes>(model, in_order), all = lanes;
  for (int step = 0; step < 20; ++step) {
    if (step == 12) all = begun<Lanes>(model, in_order);  // what lane 1 does from there it did here at the start
    const Lanes::Results results = lanes.step({}, 1e-3, step < 12 ? 0b1101U : 0b0010U);
    (void)all.step({}, 1e-3);
    for (int k = 0; k < N; ++k) {
      CAPTURE(step, k);
      REQUIRE(results[at(k)]);
      if ((k == 1) == (step >= 12)) REQUIRE(shown(lanes, k) == shown(all, k));
    }
  }
}

TEST_CASE("lanes: a step of -h leads back", "[integrators][variational][lanes][long]") {
  const Model<double> model = models::random_tree(7, 8);
  Lanes lanes = begun<Lanes>(model, in_order);
  for (int step = 0; step < 20; ++step) (void)lanes.step({}, 1e-3);
  for (int step = 0; step < 20; ++step) REQUIRE(lanes.step({}, -1e-3)[0]);
  for (int k = 0; k < N; ++k) CHECK((shown(lanes, k).q - start(model, k).q).cwiseAbs().maxCoeff() < 1e-10);
}

TEST_CASE("lanes: a step, a read and a saved memory allocate nothing", "[integrators][variational][lanes][long]") {
  const Model<double> model = pushed(models::random_tree(3, 12, {.damping = true, .springs = true, .armature = true}));
  Lanes lanes = begun<Lanes>(model, in_order);
  auto memory = lanes.make_memory();
  State<double> state = rest_state(model);
  Inputs inputs;
  for (int k = 0; k < N; ++k) inputs[at(k)] = input(model, k, 0);
  inputs[1].tau_begin[0] = std::numeric_limits<double>::infinity();
  const test::AllocationCounter counter;
  for (int step = 0; step < 10; ++step) (void)lanes.step(inputs, step < 5 ? 1e-3 : 3e-2);
  (void)lanes.read(2, state);
  lanes.save(memory);
  lanes.restore(memory);
  CHECK(counter.count() == 0);
}

TEST_CASE("lanes: what they do not support is refused by name", "[integrators][variational][lanes][long]") {
  const auto refusal = [](const Model<double>& model, const VariationalOptions<double>& options = {}) {
    return test::refusal<std::invalid_argument>([&] { return Lanes(model, options); });
  };
  const Model<double> tree = models::revolute_chain(2);
  CHECK(test::missing(refusal(models::closed_chain(4)), {"variational in lanes", "loop", "with_loops(false)"}).empty());
  CHECK(test::missing(refusal(tree.with_enforced({.limits = true})), {"limits", "with_enforced()"}).empty());
  PointSpring<double> rope;
  rope.name = "rope";
  rope.body_b = 2;
  rope.stiffness = 5;
  CHECK(test::missing(refusal(tree.with_springs({rope})), {"'rope'", "VariationalIntegrator"}).empty());
  CHECK(test::missing(refusal(tree, {.guess = InitialGuess::last}), {"guess", "momentum"}).empty());
  CHECK(test::missing(refusal(tree, {.tolerance = -1}), {"tolerance"}).empty());
  Lanes lanes(tree);
  State<double> wrong = rest_state(tree);
  wrong.q[0] = std::numeric_limits<double>::quiet_NaN();
  const Shown before = shown(lanes, 1);
  CHECK_THROWS_AS(lanes.reset(1, wrong), OptionsError);
  CHECK(shown(lanes, 1) == before);
  for (const StepResult<double>& result : lanes.step({}, 0)) CHECK(result.status == Status::invalid_step);
}

}  // namespace variational_lanes_test
