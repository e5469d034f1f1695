// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/rollout_gradient.hpp"

#include <cmath>
#include <vector>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/contact_models.hpp"
#include "support/refusal.hpp"

namespace rollout_gradient_test {

using namespace actio;
using namespace actio::test;
using Eigen::MatrixXd, Eigen::VectorXd;

/// A function of a run: the squares of q - rest, v and tau with random weights at all nodes and steps.
template <class Integrator>
class Problem {
 public:
  Problem(const Integrator& integrator, const State<double>& start, double h, std::int64_t steps, std::uint64_t seed)
      : integrator_(integrator), start_(start), h_(h), steps_(steps), weights_(integrator.model()) {
    models::Random random(seed);
    const Eigen::Index n = model().nv();
    plan_.resize(2 * n, steps);
    for (double& x : plan_.reshaped()) x = random.uniform(-0.3, 0.3);
    of_q_.resize(n, steps + 1);
    of_v_.resize(n, steps + 1);
    for (double& x : of_q_.reshaped()) x = random.uniform(-1, 1);
    for (double& x : of_v_.reshaped()) x = random.uniform(-1, 1);
  }
  const Model<double>& model() const { return integrator_.model(); }

  /// J of the run with changed plan and start, each along a direction.
  double value(const MatrixXd& change, const VectorXd& dq, const VectorXd& dv) {
    Integrator run = integrator_;
    State<double> start = start_;
    start.q = model().integrate(start.q, dq);
    start.v += dv;
    run.reset(start);
    double J = 0;
    State<double> state = start;
    for (std::int64_t k = 0; k <= steps_; ++k) {
      REQUIRE(run.read(state) == Status::converged);
      J += of_q_.col(k).dot(model().difference(start_.q, state.q)) + of_v_.col(k).dot(state.v);
      if (k < steps_) REQUIRE(run.step(input_of(plan_ + change, k), h_));
    }
    return J;
  }
  /// The gradient by the plan (2 nv x steps), and of the start.
  MatrixXd gradient(const RolloutGradientOptions& options, VectorXd& of_q, VectorXd& of_v) {
    RolloutGradient gradient(integrator_, options);
    const auto inputs = [&](std::int64_t k, Input<double>& input) { input = input_of(plan_, k); };
    REQUIRE(gradient.run(start_, inputs, h_, steps_));
    MatrixXd result(plan_.rows(), plan_.cols());
    const Eigen::Index n = model().nv();
    VectorXd v(n);
    const auto weigh = [&](std::int64_t k, const VectorXd& q, const VectorXd& p, VectorXd& w_q, VectorXd& w_p) {
      v = velocity(q, p);
      w_q += differenced_weights(q, of_q_.col(k));
      REQUIRE(weights_.add_from_velocity(q, v, of_v_.col(k), w_q, w_p));
    };
    const auto collect = [&](std::int64_t k, const VectorXd& w_begin, const VectorXd& w_end) {
      result.col(k).head(n) = w_begin;
      result.col(k).tail(n) = w_end;
    };
    REQUIRE(describe(gradient.backward(inputs, weigh, collect)) == describe(Status::converged));
    of_q = gradient.of_start_q();
    of_v.resize(n);
    weights_.to_velocity(start_.q, start_.v, gradient.of_start_p(), of_q, of_v);
    return result;
  }

 private:
  Input<double> input_of(const MatrixXd& plan, std::int64_t k) const {
    const Eigen::Index n = model().nv();
    Input<double> input(VectorXd(plan.col(k).head(n)));
    input.tau_end = plan.col(k).tail(n);
    return input;
  }
  VectorXd velocity(const VectorXd& q, const VectorXd& p) {
    TreePose<double> tree(model());
    place(model(), tree, q);
    AbiData<double> mass(model());
    VectorXd v(model().nv());
    REQUIRE(abi_factor(model(), tree, mass, VectorXd::Zero(model().nv())) == 0);
    abi_solve(model(), tree, mass, p, v);
    return v;
  }
  /// The gradient of w . difference(start.q, q) by q, by differences: independent of the library's derivatives.
  VectorXd differenced_weights(const VectorXd& q, const VectorXd& w) {
    VectorXd result(w.size());
    for (Eigen::Index k = 0; k < w.size(); ++k) {
      const VectorXd e = 1e-5 * VectorXd::Unit(w.size(), k);
      result[k] = w.dot(model().difference(start_.q, model().integrate(q, e)) - model().difference(start_.q, model().integrate(q, -e))) / 2e-5;
    }
    return result;
  }

  Integrator integrator_;
  State<double> start_;
  double h_;
  std::int64_t steps_;
  MomentumWeights<Model<double>> weights_;
  MatrixXd plan_, of_q_, of_v_;
};

/// Checks the gradient against differences of the run along random directions, in the plan, q_0 and v_0.  @param e of the differences.
template <class Integrator>
void check_gradient(const Integrator& integrator, const State<double>& start, double h, std::int64_t steps, double e, double tolerance) {
  Problem problem(integrator, start, h, steps, 7);
  VectorXd of_q, of_v;
  const MatrixXd of_plan = problem.gradient({.segment = 8}, of_q, of_v);
  models::Random random(11);
  const Eigen::Index n = of_q.size();
  const MatrixXd no_plan = MatrixXd::Zero(of_plan.rows(), of_plan.cols());
  const VectorXd zero = VectorXd::Zero(n);
  const auto check = [&](double exact, const MatrixXd& plan, const VectorXd& dq, const VectorXd& dv, double scale) {
    const auto at = [&](double s) { return problem.value(s * e * plan, s * e * dq, s * e * dv); };
    const double difference = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * e);
    CAPTURE(exact, difference, scale);
    CHECK(std::abs(exact - difference) < tolerance * scale);
  };
  for (int trial = 0; trial < 3; ++trial) {
    MatrixXd plan(of_plan.rows(), of_plan.cols());
    VectorXd dq(n), dv(n);
    for (double& x : plan.reshaped()) x = random.uniform(-1, 1);
    for (double& x : dq) x = random.uniform(-1, 1);
    for (double& x : dv) x = random.uniform(-1, 1);
    check(of_plan.cwiseProduct(plan).sum(), plan, zero, zero, of_plan.norm());
    check(of_q.dot(dq), no_plan, dq, zero, of_q.norm());
    check(of_v.dot(dv), no_plan, zero, dv, of_v.norm());
  }
}

TEST_CASE("rollout gradient: it matches differences of the run, for all joint types", "[simulation][rollouts][fast]") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 6, {.damping = true, .springs = true, .armature = true});
    const State<double> start{models::random_configuration(model, seed, 0.5), 0.3 * models::random_velocity(model, seed + 1), 0};
    check_gradient(VariationalIntegrator(model, {.tolerance = 0}), start, 5e-3, 30, 1e-4, 1e-7);
  }
}

TEST_CASE("rollout gradient: it matches differences of a box that falls on springs and slides", "[simulation][rollouts][fast]") {
  const Model<double> model = free_box(1, {0.4, 0.3, 0.2});
  ContactMaterial<double> material;
  material.normal = Compliance<double>{2e3, 20};
  material.friction = 0.3;
  State<double> start = rest_state(model);
  start.q[2] = 0.101;
  start.v[3] = 1;
  check_gradient(VariationalIntegrator(model, {.tolerance = 0}, under_corners(material)), start, 2e-3, 40, 1e-6, 1e-4);
}

TEST_CASE("rollout gradient: segments of any length give the same bits, and each step is made twice", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(4);
  const State<double> start{models::random_configuration(model, 3), models::random_velocity(model, 4), 0};
  const VariationalIntegrator integrator(model);
  Problem problem(integrator, start, 1e-2, 50, 5);
  VectorXd of_q, of_v, q, v;
  const MatrixXd expected = problem.gradient({.segment = 50}, of_q, of_v);
  for (const std::int64_t segment : {1, 3, 7, 10, 49, 51, 1000}) {
    CAPTURE(segment);
    for (const bool keep : {true, false}) {
      CHECK(problem.gradient({.segment = segment, .keep_increments = keep}, q, v) == expected);
      CHECK(q == of_q);
      CHECK(v == of_v);
    }
  }
  RolloutGradient gradient(integrator, {.segment = 7});
  int calls = 0;
  const auto inputs = [&](std::int64_t, Input<double>&) { ++calls; };
  REQUIRE(gradient.run(start, inputs, 1e-2, 50));
  std::vector<std::int64_t> nodes, steps;
  const auto weigh = [&](std::int64_t k, const auto&, const auto&, auto&, auto&) { nodes.push_back(k); };
  REQUIRE(gradient.backward(inputs, weigh, [&](std::int64_t k, const auto&, const auto&) { steps.push_back(k); }) == Status::converged);
  CHECK(calls == 100);
  REQUIRE((nodes.size() == 51 && steps.size() == 50));
  for (std::int64_t k = 0; k < 50; ++k) CHECK((nodes[static_cast<std::size_t>(k)] == 50 - k && steps[static_cast<std::size_t>(k)] == 49 - k));
  CHECK(nodes.back() == 0);
}

TEST_CASE("variational: a repeated step has the same bits", "[simulation][rollouts][fast]") {
  const Model<double> model = GENERATE(models::random_tree(3, 8, {.damping = true, .springs = true, .armature = true}), models::closed_chain(5));
  CAPTURE(model.name());
  State<double> start = rest_state(model);
  if (model.loops().empty()) start = {models::random_configuration(model, 3, 0.5), models::random_velocity(model, 4), 0.5};
  VariationalIntegrator once(model);
  once.reset(start);
  auto again = once;
  Input<double> input;
  VectorXd x;
  for (int step = 0; step < 40; ++step) {
    input.tau_begin = VectorXd::Constant(model.nv(), 0.1 * std::sin(step));
    input.tau_end = VectorXd::Constant(model.nv(), 0.1 * std::cos(step));
    input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Constant(0.01 * step));
    const VectorXd q = once.configuration();
    REQUIRE(once.step(input, 1e-2));
    REQUIRE(again.repeat(input, 1e-2, once.last_step().x));
    CHECK((again.configuration() == once.configuration() && again.momentum() == once.momentum() && again.time() == once.time()));
    CHECK((again.last_step().x == once.last_step().x && again.last_step().h == 1e-2 && again.last_step().q == q));
  }
  auto memory = once.make_memory();
  once.save(memory);
  again.restore(memory);
  const VectorXd before = again.configuration();
  VectorXd bad = VectorXd::Constant(model.nv() + 1, 0);
  if (model.loops().empty()) {
    CHECK(again.repeat(input, 1e-2, bad).status == Status::invalid_input);
    CHECK(again.repeat(input, 1e-2, VectorXd::Constant(model.nv(), NAN)).status == Status::not_finite);
    CHECK(again.repeat(input, 0, VectorXd::Constant(model.nv(), 0)).status == Status::invalid_step);
    CHECK(again.configuration() == before);
    REQUIRE(again.repeat(input, 1e-2, VectorXd::Constant(model.nv(), 1e-3)));
    REQUIRE(again.step(input, 1e-2));  // goes on
  }
}

TEST_CASE("rollout gradient: what it cannot do is said", "[simulation][rollouts][fast]") {
  const Model<double> model = models::revolute_chain(2), loop = models::closed_chain(4);
  const VariationalIntegrator integrator(model);
  CHECK_THROWS_AS(RolloutGradient(integrator, {.segment = 0}), OptionsError);
  CHECK_THROWS_AS(MomentumWeights(loop), ModelError);
  RolloutGradient gradient(integrator, {.segment = 4});
  const auto weigh = [](std::int64_t, const auto&, const auto&, auto&, auto&) {};
  const auto collect = [](std::int64_t, const auto&, const auto&) {};
  const auto none = [](std::int64_t, Input<double>&) {};
  CHECK(gradient.backward(none, weigh, collect) == Status::invalid_step);  // no run yet
  double force = 0;
  const auto drifting = [&](std::int64_t, Input<double>& input) { input.tau_begin = VectorXd::Constant(2, force += 0.1); };
  State<double> start = rest_state(model);
  start.q[0] = 1;
  REQUIRE(gradient.run(start, drifting, 1e-2, 10));
  CHECK(gradient.backward(drifting, weigh, collect) == Status::callback_failed);  // other inputs than before
  const auto bad = [&](std::int64_t k, Input<double>& input) { input.tau_begin = VectorXd::Constant(2, k == 6 ? NAN : 0); };
  CHECK(gradient.run(start, bad, 1e-2, 10).status == Status::invalid_input);
  CHECK(gradient.backward(bad, weigh, collect) == Status::invalid_step);
  REQUIRE(gradient.run(start, none, 1e-2, 0));
  CHECK(gradient.backward(none, [](std::int64_t k, const auto&, const auto&, auto& w_q, auto&) { w_q.setConstant(k == 0 ? 2 : 0); }, collect) ==
        Status::converged);
  CHECK(gradient.of_start_q() == VectorXd::Constant(2, 2));
}

}  // namespace rollout_gradient_test
