// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/simulate.hpp"

#include "actio/integrators/reversible_steps.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/motion_recorder.hpp"
#include "actio/simulation/rate_meter.hpp"
#include "actio/simulation/recorder.hpp"
#include "support/allocation_guard.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"

using namespace actio;

namespace simulate_test {

using Chain = Model<double>;

State<double> thrown(const Chain& model) {
  State<double> x = rest_state(model);
  for (Eigen::Index k = 0; k < model.nv(); ++k) x.v[k] = k % 2 == 0 ? 1.0 : -0.5;
  return x;
}

VariationalIntegrator<Chain> started(const Chain& model) {
  VariationalIntegrator integrator(model);
  integrator.reset(thrown(model));
  return integrator;
}

TEST_CASE("simulate: it does what an explicit loop does", "[simulation][fast]") {
  const Chain model = models::revolute_chain(4);
  VariationalIntegrator by_hand = started(model), by_loop = started(model);
  std::int64_t iterations = 0, evaluations = 0;
  for (int k = 0; k < 50; ++k) {
    const StepResult<double> result = by_hand.step({}, 1e-2);
    REQUIRE(result);
    iterations += result.iterations;
    evaluations += result.evaluations;
  }
  const auto run = simulate(by_loop, 1e-2, Steps{50});
  CHECK(run);
  CHECK(run.steps == 50);
  CHECK(run.substeps == 50);
  CHECK(run.iterations == iterations);
  CHECK(run.evaluations == evaluations);
  CHECK(run.mean_evaluations() == static_cast<double>(evaluations) / 50);
  CHECK(run.mean_iterations() == static_cast<double>(iterations) / 50);
  CHECK(run.worst_iterations >= run.mean_iterations());
  CHECK(run.worst_residual <= 1e-10);
  CHECK(run.time == by_hand.time());
  CHECK(run.seconds > 0);
  CHECK(by_loop.configuration() == by_hand.configuration());
  CHECK(by_loop.momentum() == by_hand.momentum());
}

TEST_CASE("simulate: observers see the nodes that they request, and change nothing", "[simulation][fast]") {
  const Chain model = models::revolute_chain(3);
  VariationalIntegrator plain = started(model), watched = started(model);
  (void)simulate(plain, 1e-2, Steps{20});

  std::vector<std::int64_t> all, some;
  std::vector<double> times;
  Recorder<double> recorder;
  const auto note = [&](auto& node) {
    some.push_back(node.step());
    times.push_back(node.time());
  };
  const auto note_all = [&](auto& node) { all.push_back(node.step()); };
  const auto run = simulate(watched, Input<double>(), 1e-2, Seconds{0.2}, note_all, every(6, note), every(10, recorder));
  CHECK(run.steps == 20);
  CHECK(all.size() == 21);
  CHECK(some == std::vector<std::int64_t>{0, 6, 12, 18, 20});  // the last one too
  CHECK(times[3] == 18 * 1e-2);
  CHECK(watched.configuration() == plain.configuration());
  REQUIRE(recorder.samples().size() == 3);
  CHECK(recorder.samples()[0].state.v == thrown(model).v);
  CHECK(recorder.samples()[2].state.q == plain.configuration());
  State<double> end = rest_state(model);
  REQUIRE(plain.read(end) == Status::converged);
  CHECK(recorder.samples()[2].state.v == end.v);
}

TEST_CASE("simulate: an observer may end the run, and the other observers have seen the last node", "[simulation][fast]") {
  const Chain model = models::revolute_chain(2);
  VariationalIntegrator integrator = started(model);
  std::int64_t seen = 0, seen_rarely = 0, calls = 0;
  const auto note_rarely = [&](auto& node) {
    seen_rarely = node.step();
    ++calls;
  };
  const auto run = simulate(
      integrator, 1e-2, Steps{100}, [](auto& node) { return node.time() < 0.3; }, [&](auto& node) { seen = node.step(); },
      every(20, note_rarely), every(15, note_rarely));
  CHECK(run);
  CHECK(run.steps == 30);
  CHECK(seen == 30);
  CHECK(seen_rarely == 30);
  CHECK(calls == 3 + 3);  // steps 0, 20, 30 and 0, 15, 30
}

TEST_CASE("simulate: a controller sets the input before each step", "[simulation][fast]") {
  const Chain model = models::revolute_chain(2);
  VariationalIntegrator held = started(model), controlled = started(model);
  Input<double> push(Eigen::Vector2d(3, -1));
  (void)simulate(held, push, 1e-2, Steps{10});
  int calls = 0;
  const auto control = [&](auto& node, Input<double>& input) {
    CHECK(node.step() == calls);
    CHECK(node.state().time == Approx(1e-2 * calls).margin(1e-12));
    input = push;
    ++calls;
  };
  (void)simulate(controlled, control, 1e-2, Steps{10});
  CHECK(calls == 10);
  CHECK(controlled.configuration() == held.configuration());
}

TEST_CASE("simulate: observers see the input and the length of the step that led to a node", "[simulation][fast]") {
  const Chain model = models::revolute_chain(2);
  VariationalIntegrator integrator = started(model);
  const auto control = [](auto& node, Input<double>& input) { input.tau_begin = Eigen::Vector2d(static_cast<double>(node.step()), 1); };
  std::vector<double> seen;
  const auto note = [&](auto& node) {
    CHECK(node.h() == 1e-2);
    if (node.step() == 0) CHECK(node.input().tau_begin.size() == 0);
    else seen.push_back(node.input().tau_begin[0]);
  };
  (void)simulate(integrator, control, 1e-2, Steps{4}, note);
  CHECK(seen == std::vector<double>{0, 1, 2, 3});
  Input<double> push(Eigen::Vector2d(3, -1));
  (void)simulate(integrator, push, 1e-2, Steps{2}, [&](auto& node) { CHECK((node.step() == 0 || &node.input() == &push)); });
}

TEST_CASE("simulate: it stops at the first failed step, and the integrator stays where it was", "[simulation][fast]") {
  const Chain model = models::revolute_chain(2);
  VariationalIntegrator integrator = started(model);
  VectorX<double> q;
  std::int64_t nodes = 0, last = 0;
  const auto control = [&](auto& node, Input<double>& input) {
    if (node.step() < 7) return;
    q = node.configuration();
    input.tau_begin = VectorX<double>::Zero(5);  // of wrong size
  };
  const auto run = simulate(
      integrator, control, 1e-2, Steps{100}, [&](auto&) { ++nodes; }, every(4, [&](auto& node) { last = node.step(); }));
  CHECK_FALSE(run);
  CHECK(run.status == Status::invalid_input);
  CHECK(last == 7);  // the node before the step that failed
  CHECK(run.steps == 7);
  CHECK(run.failed_steps == 1);
  CHECK(nodes == 8);
  CHECK(integrator.configuration() == q);
}

TEST_CASE("simulate: an observer that would never be called is refused", "[simulation][fast]") {
  CHECK_THROWS_AS(every(0, [](auto&) {}), OptionsError);
}

TEST_CASE("simulate: steps that relaxed a law are counted", "[simulation][fast]") {
  const Model<double> model = test::taut_chain();
  State<double> start = rest_state(model);
  start.v << 1, -2;
  VariationalIntegrator integrator(model), same(model);
  integrator.reset(start);
  same.reset(start);
  std::int64_t relaxed = 0;
  for (int k = 0; k < 20; ++k) relaxed += same.step({}, 1e-2).relaxed.loops;
  const auto summary = simulate(integrator, 1e-2, Steps{20});
  REQUIRE(summary);
  REQUIRE(relaxed > 0);
  CHECK(summary.relaxed_loops == relaxed);
  CHECK(summary.relaxed_friction == 0);
  CHECK(summary.impacts == 0);
}

TEST_CASE("simulate: impacts with restitution are counted", "[simulation][fast]") {
  const Model<double> model = test::free_box(1, {0.1, 0.1, 0.1});
  ContactMaterial<double> bouncing = test::rigid(0);
  bouncing.restitution = 0.5;
  PlaneContacts<double> ground(bouncing);
  ground.add(1, Pose<double>::identity(), Sphere<double>{0.05});
  VariationalIntegrator integrator(model, {}, ground);
  State<double> start = rest_state(model);
  start.q[2] = 0.55;  // falls 0.5 m in 0.319 s, then bounces for 0.319 s
  integrator.reset(start);
  const auto summary = simulate(integrator, 1e-2, Seconds{0.6});
  REQUIRE(summary);
  CHECK(summary.impacts == 1);
  CHECK(summary.relaxed_restitution == 0);
}

TEST_CASE("simulate: it allocates only before the first step", "[simulation][fast]") {
  const Chain model = models::revolute_chain(5);
  VariationalIntegrator integrator = started(model);
  EnergyMeter<double> energy;
  std::size_t at_second_step = 0, at_end = 0;
  const test::AllocationCounter allocations;
  const auto count = [&](auto& node) { (node.step() <= 1 ? at_second_step : at_end) = allocations.count(); };
  (void)simulate(integrator, 1e-2, Steps{50}, energy, count);
  CHECK(at_end == at_second_step);

  const test::AllocationCounter without_observers;
  (void)simulate(integrator, Input<double>(), 1e-2, Steps{50});
  CHECK(without_observers.count() == 0);
}

TEST_CASE("simulate: the number of steps that covers a time is found", "[simulation][fast]") {
  CHECK(steps_to_cover(Seconds{10}, 1e-3).count == 10000);
  CHECK(steps_to_cover(Seconds{1}, 0.3).count == 4);
  CHECK(steps_to_cover(Seconds{0.1 + 0.2}, 0.1).count == 3);  // 0.1 + 0.2 > 0.3
  CHECK(steps_to_cover(Seconds{1}, 0.1f).count == 10);
  CHECK(steps_to_cover(Seconds{-1}, -0.1).count == 10);  // backward in time
  CHECK(steps_to_cover(Seconds{-1}, 0.1).count == 0);
  CHECK(steps_to_cover(Seconds{1}, 0.0).count == 0);
  CHECK(steps_to_cover(Seconds{std::numeric_limits<double>::quiet_NaN()}, 0.1).count == 0);
}

TEST_CASE("simulate: the last step is shortened to end where asked", "[simulation][fast]") {
  const Chain model = models::revolute_chain(3);
  VariationalIntegrator by_hand = started(model), by_loop = started(model);
  for (int k = 0; k < 3; ++k) REQUIRE(by_hand.step({}, 3e-2));
  REQUIRE(by_hand.step({}, 0.1 - 3 * 3e-2));
  std::vector<double> times, lengths;
  Diagnostics diagnostics(model, 1);
  const auto run = simulate(by_loop, 3e-2, Seconds{0.1}, diagnostics, [&](auto& node) {
    times.push_back(node.time());
    lengths.push_back(node.h());
  });
  CHECK(run.steps == 4);
  CHECK(run.time == Approx(0.1).epsilon(1e-15));
  CHECK(by_loop.configuration() == by_hand.configuration());
  CHECK(by_loop.momentum() == by_hand.momentum());
  REQUIRE(times.size() == 5);
  CHECK(times[3] == 3 * 3e-2);
  CHECK(times[4] == Approx(0.1).epsilon(1e-15));
  CHECK(lengths[4] == Approx(0.01).epsilon(1e-14));
  CHECK(diagnostics.largest_balance() < 1e-2 * diagnostics.now().energy.kinetic);

  const auto back = simulate(by_loop, -3e-2, Seconds{-0.1});
  CHECK(back.steps == 4);
  CHECK(std::abs(back.time) < 1e-15);
  CHECK(simulate(by_loop, 3e-2, Seconds{1e-3}).time == Approx(1e-3));  // shorter than a step
  CHECK(simulate(by_loop, 3e-2, Seconds{0}).steps == 0);
}

TEST_CASE("simulate: the last step is as long as the others if the duration is a multiple to rounding", "[simulation][fast]") {
  for (const double h : {1e-3, 0.1, 0.3e-2, 1.0 / 3}) {
    for (const int n : {1, 3, 10, 999, 1'000'000}) {
      CAPTURE(h, n);
      CHECK(steps_to_cover(Seconds{n * h}, h).count == n);
      CHECK(last_step(Seconds{n * h}, h) == h);
      CHECK(last_step(Seconds{(n - 0.5) * h}, h) == Approx(0.5 * h).epsilon(1e-9));
    }
  }
  CHECK(last_step(Seconds{10}, 1e-3f) == 1e-3f);  // 10 / 1e-3f is 9999.9995
  CHECK(steps_to_cover(Seconds{30}, 1e-3f).count == 30000);
  CHECK(last_step(Seconds{-1}, -0.3) == Approx(-0.1));
}

TEST_CASE("simulate: a run backward in time returns to the start", "[simulation][fast]") {
  const Chain model = models::revolute_chain(3);
  VariationalIntegrator integrator(model, {.tolerance = 0});
  integrator.reset(thrown(model));
  (void)simulate(integrator, 1e-2, Seconds{0.5});
  const auto run = simulate(integrator, -1e-2, Seconds{-0.5});
  CHECK(run.steps == 50);
  CHECK((integrator.configuration() - model.neutral()).norm() < 1e-11);
}

using Varied = ReversibleSteps<VariationalIntegrator<Chain>>;
static_assert(StepControl<Varied> && !Integrator<Varied>);
static_assert(Integrator<VariationalIntegrator<Chain>> && !StepControl<VariationalIntegrator<Chain>>);

Varied folding(const Chain& model) {
  Varied steps{VariationalIntegrator(model, {.tolerance = 1e-13}), 0.02};
  steps.reset(models::folded(model));
  return steps;
}

TEST_CASE("simulate: observers of reversible steps see the times and lengths of the steps", "[simulation][fast]") {
  const Chain model = models::folding_pendulum();
  Varied by_hand = folding(model), by_loop = folding(model);
  Recorder<double> recorder;
  MotionRecorder film(std::numeric_limits<double>::infinity());
  Diagnostics diagnostics(model, 1);
  RateMeter<double> rate;
  std::vector<double> lengths;
  const auto note = [&](auto& node) { lengths.push_back(node.h()); };
  const auto run = simulate(by_loop, Seconds{3}, recorder, film, diagnostics, rate, note);
  REQUIRE(run);
  const std::size_t nodes = static_cast<std::size_t>(run.steps) + 1;
  REQUIRE(recorder.samples().size() == nodes);
  REQUIRE(film.motion().times.size() == nodes);
  REQUIRE(diagnostics.samples().size() == nodes);
  REQUIRE(lengths.size() == nodes);
  CHECK(lengths[0] == by_hand.h());
  for (std::size_t k = 0; k < nodes; ++k) {
    CHECK(recorder.samples()[k].state.time == by_hand.time());
    CHECK(recorder.samples()[k].state.q == by_hand.state().q);
    CHECK(recorder.samples()[k].state.v == by_hand.state().v);
    CHECK(film.motion().times[k] == by_hand.time());
    CHECK(diagnostics.samples()[k].time == by_hand.time());
    if (k + 2 == nodes) by_hand.shorten(3 - by_hand.time());
    const double h = by_hand.h();
    REQUIRE(by_hand.step());
    if (k + 1 < nodes) CHECK(lengths[k + 1] == h);
  }
  CHECK(*std::max_element(lengths.begin(), lengths.end()) > 3 * *std::min_element(lengths.begin(), lengths.end()));
  CHECK(rate.largest_rotation() < 0.5 * rate.largest() * *std::max_element(lengths.begin(), lengths.end()));
  CHECK(run.time == Approx(3).epsilon(1e-15));
  CHECK(recorder.samples()[nodes - 2].state.time < 3);
}

TEST_CASE("simulate: reversible steps conserve the energy and return to the start, node by node", "[simulation][fast]") {
  const Chain model = models::folding_pendulum();
  Varied steps = folding(model);
  const State<double> start = steps.state();
  EnergyMeter<double> energy;
  Recorder<double> there, back;
  const auto out = simulate(steps, Seconds{20}, there, energy);
  REQUIRE(out);
  CHECK(energy.relative_error() < 2e-3);
  const double forth = energy.largest_error();
  steps.reverse();
  const auto home = simulate(steps, Seconds{out.time}, back, energy);
  REQUIRE(home);
  CHECK(out.time == Approx(20).epsilon(1e-14));
  CHECK(home.steps == out.steps);
  CHECK(std::abs(home.time) < 1e-9);
  REQUIRE(back.samples().size() == there.samples().size());
  double apart = 0;
  for (std::size_t k = 0; k < back.samples().size(); ++k) {
    apart = std::max(apart, (back.samples()[k].state.q - there.samples()[back.samples().size() - 1 - k].state.q).norm());
  }
  CHECK(apart < 1e-8);  // the tolerance of 1e-13, amplified by twenty seconds of chaotic motion
  CHECK((steps.state().v - start.v).norm() < 1e-8);
  CHECK(energy.largest_error() < forth * (1 + 1e-6));
}

TEST_CASE("simulate: reversible steps run with a controller, for a number of steps, or until one fails", "[simulation][fast]") {
  const Chain model = models::folding_pendulum();
  Varied driven = folding(model), pushed = folding(model);
  const Input<double> push(VectorX<double>::Constant(model.nv(), 0.3));
  int calls = 0;
  CHECK(simulate(driven, [&](auto& node, Input<double>& input) { input = push, calls += node.step() == calls; }, Steps{20}).steps == 20);
  CHECK(calls == 20);
  CHECK(simulate(pushed, push, Steps{20}).steps == 20);
  CHECK(driven.state().q == pushed.state().q);
  CHECK(simulate(driven, Seconds{0}).steps == 0);
  CHECK(simulate(driven, Seconds{-1}).steps == 0);

  ReversibleSteps too_long{VariationalIntegrator(model), 50.0};
  too_long.reset(models::folded(model));
  const auto run = simulate(too_long, Steps{10});
  CHECK_FALSE(run);
  CHECK(run.failed_steps == 1);
}

}  // namespace simulate_test
