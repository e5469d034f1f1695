// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/rollouts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/reversible_steps.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"
#include "support/refusal.hpp"

namespace rollouts_test {

using namespace actio;
using Eigen::VectorXd;
using States = std::vector<State<double>>;

States random_states(const Model<double>& model, std::size_t count) {
  States states;
  for (std::size_t k = 0; k < count; ++k) {
    states.push_back({models::random_configuration(model, k, 0.5), models::random_velocity(model, k + 1000), 0.1 * static_cast<double>(k)});
  }
  return states;
}
bool equal_bits(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.cols() == b.cols() && test::equal_bits<double>(a.reshaped(), b.reshaped());
}
bool equal_bits(const Trajectory<double>& a, const Trajectory<double>& b) {
  return equal_bits(a.times, b.times) && equal_bits(a.q, b.q) && equal_bits(a.v, b.v) && a.summary.iterations == b.summary.iterations &&
         a.summary.status == b.summary.status;
}

/// Checks runs of every number of threads, and of a part of the starts in reverse order, against runs one by one with new integrators.
template <class Make>
void check_equal_bits(const Make& make, const States& starts, double h) {
  const auto integrator = make();
  const auto push = [](std::size_t k, auto& node, Input<double>& input) {
    input.tau_begin = VectorXd::Constant(node.model().nv(), 0.01 * std::sin(static_cast<double>(k) + node.time()));
  };
  std::vector<Trajectory<double>> alone;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    auto one = make();
    one.reset(starts[k]);
    Trajectory<double> run;
    run.times.resize(41);
    run.q.resize(one.model().nq(), 41);
    run.v.resize(one.model().nv(), 41);
    Eigen::Index column = 0;
    run.summary = simulate(one, [&](auto& node, Input<double>& input) { push(k, node, input); }, h, Steps{40}, [&](auto& node) {
      run.times[column] = node.time();
      run.q.col(column) = node.state().q;
      run.v.col(column++) = node.state().v;
    });
    REQUIRE(run.summary);
    alone.push_back(run);
  }
  for (const int threads : {1, 2, 3, 16}) {
    CAPTURE(threads);
    const auto all = trajectories(integrator, starts, push, h, Steps{40}, 1, {.threads = threads});
    REQUIRE(all.size() == starts.size());
    for (std::size_t k = 0; k < all.size(); ++k) CHECK(equal_bits(all[k], alone[k]));
  }
  const States reversed(starts.rbegin(), starts.rend() - 1);  // other neighbours, other copies
  const std::size_t last = starts.size() - 1;
  const auto reversed_push = [&](std::size_t k, auto& node, Input<double>& input) { push(last - k, node, input); };
  const auto all = trajectories(integrator, reversed, reversed_push, h, Steps{40}, 1, {.threads = 2});
  for (std::size_t k = 0; k < all.size(); ++k) CHECK(equal_bits(all[k], alone[last - k]));
}

TEST_CASE("rollouts: each run has the bits of a run alone, with any number of threads and any neighbours", "[simulation][rollouts][fast]") {
  const Model<double> tree = models::random_tree(3, 8), chain = models::closed_chain(4), humanoid = models::humanoid();
  check_equal_bits([&] { return VariationalIntegrator(tree); }, random_states(tree, 9), 5e-3);
  check_equal_bits([&] { return MaximalIntegrator(tree); }, random_states(tree, 5), 5e-3);
  States closed(5, rest_state(chain));
  check_equal_bits([&] { return VariationalIntegrator(chain); }, closed, 5e-3);
  States falling(5, rest_state(humanoid));
  for (std::size_t k = 0; k < falling.size(); ++k) falling[k].q[2] = 0.9 + 0.01 * static_cast<double>(k);
  PlaneContacts<double> ground({Compliance<double>{1e5, 1e3}, 0.5});
  ground.add_shapes_of(humanoid);
  check_equal_bits([&] { return CompliantIntegrator(humanoid, {}, ground); }, falling, 1e-3);
}

TEST_CASE("rollouts: observers see each node of each run once, and end runs", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(3);
  const States starts = random_states(model, 20);
  std::vector<std::vector<std::int64_t>> seen(starts.size());
  std::vector<std::set<std::thread::id>> threads(starts.size());
  const VariationalIntegrator integrator(model);
  const auto summaries = rollouts(integrator, starts, Input<double>(), 1e-2, Seconds{0.1}, [&](std::size_t k, auto& node) {
    seen[k].push_back(node.step());
    threads[k].insert(std::this_thread::get_id());
    return !(k == 7 && node.step() == 4);
  }, {.threads = 3});
  REQUIRE(summaries.size() == starts.size());
  for (std::size_t k = 0; k < starts.size(); ++k) {
    CAPTURE(k);
    const std::int64_t steps = k == 7 ? 4 : 10;
    CHECK(summaries[k].steps == steps);
    CHECK(std::abs(summaries[k].time - (starts[k].time + 0.01 * static_cast<double>(steps))) < 1e-12);
    REQUIRE(seen[k].size() == static_cast<std::size_t>(steps) + 1);
    for (std::int64_t step = 0; step <= steps; ++step) CHECK(seen[k][static_cast<std::size_t>(step)] == step);
    CHECK(threads[k].size() == 1);
  }
  std::vector<std::vector<std::int64_t>> some(starts.size());
  CHECK(rollouts(integrator, starts, Input<double>(), 1e-2, Steps{10}, every(4, [&](std::size_t k, auto& node) {
    some[k].push_back(node.step());
  })).size() == starts.size());
  for (const auto& steps : some) CHECK(steps == std::vector<std::int64_t>{0, 4, 8, 10});
}

TEST_CASE("rollouts: trajectories keep every stride-th node and the last one", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(2);
  const States starts = random_states(model, 3);
  const VariationalIntegrator integrator(model);
  for (const std::int64_t steps : {0, 1, 9, 10}) {
    for (const std::int64_t stride : {1, 3, 5, 100}) {
      CAPTURE(steps, stride);
      const auto all = trajectories(integrator, starts, Input<double>(), 1e-2, Steps{steps}, stride);
      const std::int64_t nodes = steps / stride + 1 + (steps % stride == 0 ? 0 : 1);
      for (std::size_t k = 0; k < all.size(); ++k) {
        REQUIRE(all[k].q.cols() == nodes);
        REQUIRE(all[k].v.cols() == nodes);
        CHECK(all[k].times[0] == starts[k].time);
        CHECK(all[k].q.col(0) == starts[k].q);
        CHECK(all[k].v.col(0) == starts[k].v);
        CHECK(std::abs(all[k].times[nodes - 1] - starts[k].time - 0.01 * static_cast<double>(steps)) < 1e-12);
      }
    }
  }
  CHECK(trajectories(integrator, States(), Input<double>(), 1e-2, Steps{10}).empty());
}

TEST_CASE("rollouts: a run that fails ends alone", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(3);
  const States starts = random_states(model, 12);
  const VariationalIntegrator integrator(model);
  const auto poison = [](std::size_t k, auto& node, Input<double>& input) {
    input.tau_begin = VectorXd::Zero(3);
    if (k == 5 && node.step() == 6) input.tau_begin[1] = NAN;
  };
  const auto all = trajectories(integrator, starts, poison, 1e-2, Steps{20}, 4, {.threads = 2});
  const auto good = trajectories(integrator, starts, Input<double>(VectorXd::Zero(3)), 1e-2, Steps{20}, 4, {.threads = 2});
  for (std::size_t k = 0; k < all.size(); ++k) {
    CAPTURE(k);
    if (k == 5) {
      CHECK(all[k].summary.status == Status::invalid_input);
      CHECK(all[k].summary.steps == 6);
      REQUIRE(all[k].q.cols() == 3);  // nodes 0, 4 and 6
      CHECK(equal_bits(all[k].q.leftCols(2), good[k].q.leftCols(2)));
    } else {
      CHECK(equal_bits(all[k], good[k]));
    }
  }
}

TEST_CASE("rollouts: of several exceptions that of the first run is thrown, and nothing is left running", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(3);
  const VariationalIntegrator integrator(model);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::atomic<int> inside = 0;
    const std::string thrown = test::refusal<std::runtime_error>([&] {
      for_each_rollout(integrator, 64, [&](std::size_t k, auto&) {
        ++inside;
        if (k % 8 == 3) {
          --inside;
          throw std::runtime_error("run " + std::to_string(k));
        }
        --inside;
      }, {.threads = 4});
    });
    CHECK(thrown == "run 3");
    CHECK(inside == 0);
  }
  States starts = random_states(model, 6);
  starts[4].q.conservativeResize(2);
  const std::string refused = test::refusal<OptionsError>([&] { (void)trajectories(integrator, starts, Input<double>(), 1e-2, Steps{1}); });
  CHECK(test::missing(refused, {"rollouts", "start 4"}) == "");
  CHECK_THROWS_AS((void)trajectories(integrator, starts, Input<double>(), 1e-2, Steps{1}, 0), OptionsError);
  CHECK_THROWS_AS(for_each_rollout(integrator, 1, [](std::size_t, auto&) {}, {.threads = -1}), OptionsError);
}

TEST_CASE("rollouts: runs with models of their own", "[simulation][rollouts][fast]") {
  std::vector<double> steps(9);
  for_each_rollout(steps.size(), [&](std::size_t k) {
    const Model<double> model = models::revolute_chain(1 + static_cast<int>(k));
    VariationalIntegrator integrator(model);
    integrator.reset(rest_state(model));
    steps[k] = static_cast<double>(simulate(integrator, 1e-2, Steps{static_cast<std::int64_t>(k)}, [](auto&) {}).steps);
  }, {.threads = 3});
  for (std::size_t k = 0; k < steps.size(); ++k) CHECK(steps[k] == static_cast<double>(k));
  CHECK_NOTHROW(for_each_rollout(0, [](std::size_t) { throw std::runtime_error("called"); }));
}

TEST_CASE("rollouts: each begins from the original's state, whatever was done with its copy before; step controls too", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(3);
  ReversibleSteps control(VariationalIntegrator<Model<double>>(model), 1e-2);
  control.reset(random_states(model, 1)[0]);
  for (int k = 0; k < 5; ++k) REQUIRE(control.step({}));
  auto expected = control;
  for (int k = 0; k < 7; ++k) REQUIRE(expected.step({}));
  std::vector<VectorXd> ends(30);
  for_each_rollout(control, ends.size(), [&](std::size_t k, auto& copy) {
    for (int step = 0; step < 7; ++step) {
      if (!copy.step({})) return;
    }
    ends[k] = copy.configuration();
  }, {.threads = 1});
  for (const VectorXd& end : ends) CHECK(equal_bits(end, expected.configuration()));
}

}  // namespace rollouts_test
