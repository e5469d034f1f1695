// SPDX-License-Identifier: BSD-3-Clause
// Compositions of variational steps with closed loops and couplings: order, reversal, energy, what they refuse.
#include <cmath>
#include <string>
#include <vector>

#include "actio/integrators/composition.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/bounded_runs.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace composition_loops_test {

using namespace actio;
using namespace actio::test;
using Eigen::VectorXd;

using Inner = VariationalIntegrator<Model<double>>;
template <int order>
using Composed = Composition<Inner, order>;

/// Two hinges with a gear, on an arm in gravity.
Model<double> geared() {
  ModelBuilder<double> builder("geared");
  const auto rod = Inertia<double>::box(1, {0.05, 0.05, 0.5}).seen_from_parent(Pose<double>::translation(0, 0, -0.25));
  builder.gravity({0, 0, -9.81}).add_body("arm", rod).add_body("hand", rod).add_body("tip", rod);
  builder.add_joint("shoulder", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 1, 0}));
  builder.add_joint("elbow", "arm", "hand", Pose<double>::translation(0, 0, -0.5), Revolute<double>({0, 1, 0}));
  builder.add_joint("wrist", "hand", "tip", Pose<double>::translation(0, 0, -0.5), Revolute<double>({1, 0, 0}));
  builder.add_coupling("elbow", "shoulder", 1.5, 0);
  return builder.build();
}
/// A state in motion, with velocities that the loops allow.
State<double> moving(const Model<double>& model) {
  State<double> state = rest_state(model);
  for (Eigen::Index k = 0; k < state.v.size(); ++k) state.v[k] = 1.5 * std::sin(2.0 * static_cast<double>(k) + 1);
  Inner inner(model, {.tolerance = 0});
  inner.reset(state);
  return read(inner);
}

/// Returns the largest differences in q and v at a time from those of a run by the sixth order in short steps.
template <int order>
void check_order(const Model<double>& model, double h, double least) {
  const State<double> start = moving(model);
  constexpr double time = 0.4;
  Composed<6> fine(Inner(model, {.tolerance = 0}));
  const State<double> exact = run(fine, start, h / 8, time);
  std::vector<double> q, v;
  for (const double step : {h, h / 2, h / 4}) {
    Composed<order> integrator(Inner(model, {.tolerance = 0}));
    const State<double> end = run(integrator, start, step, time);
    q.push_back(model.difference(exact.q, end.q).cwiseAbs().maxCoeff());
    v.push_back((exact.v - end.v).cwiseAbs().maxCoeff());
  }
  CAPTURE(model.name(), order, q, v);
  CHECK(fitted_order(q) > least);
  CHECK(fitted_order(v) > least);
}

TEST_CASE("composition with loops: q and v have the order of the scheme", "[integrators][composition][fast]") {
  for (const Model<double>& model : {models::four_bars<double>(1), models::closed_planar_chain<double>(4), geared()}) {
    check_order<4>(model, 0.02, 3.9);
    check_order<6>(model, 0.04, 5.8);
  }
}

TEST_CASE("composition with loops: steps back in time undo those forward, and the energy stays", "[integrators][composition][fast]") {
  for (const Model<double>& model : {models::four_bars<double>(2), models::closed_chain<double>(4), geared()}) {
    CAPTURE(model.name());
    const State<double> start = moving(model);
    Composed<4> integrator(Inner(model, {.tolerance = 0}));
    integrator.reset(start);
    const double energy = energy_at(model, start);
    for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, 4e-3));
    State<double> there = rest_state(model);
    REQUIRE(integrator.read(there) == Status::converged);
    CHECK(model.difference(start.q, there.q).cwiseAbs().maxCoeff() > 0.05);
    CHECK(std::abs(energy_at(model, there) - energy) < 2e-8 * std::abs(energy));  // 5e-9
    for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, -4e-3));
    REQUIRE(integrator.read(there) == Status::converged);
    CHECK(model.difference(start.q, there.q).cwiseAbs().maxCoeff() < 1e-11);  // 6e-13: rounding over 1000 steps
    CHECK((start.v - there.v).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("composition with loops: loops with springs are refused", "[integrators][composition][fast]") {
  const Model<double> model = geared();
  const std::string why = test::refusal<ModelError>([&] { Composed<4>(Inner(model, {.closure = {1e3, 0}})); });
  CHECK(test::missing(why, {"composition", "springs of loops", "closure"}).empty());
}

}  // namespace composition_loops_test
