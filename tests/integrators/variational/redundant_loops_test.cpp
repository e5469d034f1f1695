// SPDX-License-Identifier: BSD-3-Clause
// Loops with redundant rows: only the combined effect of the rows is determined, and only this is kept from step to step.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/integrators/variational.hpp"
#include "support/catch.hpp"
#include "support/impulse_judge.hpp"
#include "support/long_runs.hpp"
#include "support/redundant_loops.hpp"
#include "support/window_test.hpp"

namespace redundant_loops_test {

using namespace actio;
using Eigen::VectorXd;

constexpr std::array methods{Factorization::automatic, Factorization::dense, Factorization::sparse, Factorization::iterated,
                             Factorization::sweeps};
constexpr std::array guesses{InitialGuess::zero,     InitialGuess::last,    InitialGuess::dynamics,
                             InitialGuess::momentum, InitialGuess::linear,  InitialGuess::quadratic,
                             InitialGuess::cubic,    InitialGuess::quartic, InitialGuess::quintic};

struct Case {
  test::RedundantLoops loops;
  State<double> start;
};
Case make(test::RedundantLoops&& loops, double speed) {
  State<double> start{loops.q, speed * models::random_velocity(loops.model, 3), 0};
  return {std::move(loops), std::move(start)};
}

/// Checks a run at the default tolerance: no energy trend, if the run is long enough to show one; bounded |L|; conserved momenta of
/// floating mechanisms.
void runs_long(const Case& one, Factorization method, InitialGuess guess, int steps) {
  const Model<double>& model = one.loops.model;
  const bool floats = model.nv(1) == 6;
  VariationalIntegrator integrator(model, {.guess = guess, .factorization = method});
  integrator.reset(one.start);
  KinematicsData<double> kinematics(model);
  State<double> x = one.start;
  REQUIRE(integrator.read(x) == Status::converged);
  const test::Momenta first = test::momenta(model, kinematics, x);
  const double initial = energy(model, kinematics, x.q, x.v).total();
  std::vector<double> error;
  double largest_L = 0, early_L = 0, strays = 0, swing = 0;
  int halved = 0;
  for (int k = 1; k <= steps; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    CAPTURE(model.name(), int(method), int(guess), k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    halved += result.substeps > 1;
    REQUIRE(integrator.read(x) == Status::converged);
    const auto now = energy(model, kinematics, x.q, x.v);
    error.push_back(now.total() - initial);
    swing = std::max(swing, now.kinetic);
    (k <= steps / 10 ? early_L : largest_L) = std::max(k <= steps / 10 ? early_L : largest_L, integrator.closure_impulses().norm());
    if (!floats || k % 100 != 0) continue;
    const test::Momenta moved = test::momenta(model, kinematics, x);
    strays = std::max(
        {strays, (moved.linear - first.linear).norm() / moved.linear_scale, (moved.angular - first.angular).norm() / moved.angular_scale});
  }
  const test::WindowTest window = test::window_test(error);
  CAPTURE(model.name(), int(method), int(guess), window, early_L, largest_L, strays, halved);
  std::cout << model.name() << ", method " << int(method) << ", guess " << int(guess) << ": " << window.root_mean_square / swing
            << " of the kinetic energy (RMS error), |L| " << early_L << " early, " << largest_L << " later, momentum error " << strays
            << ", " << halved << " halved\n";
  if (steps >= 100'000) CHECK(window.passed());
  CHECK(window.root_mean_square < 1e-3 * swing);
  CHECK(largest_L < 10 * early_L);
  CHECK(strays < 1e-10);
}

std::vector<Case> cases(bool all) {
  std::vector<Case> some;
  for (const int n : all ? std::vector{1, 2, 4, 8, 16} : std::vector{1, 4}) some.push_back(make(test::tilted_four_bars(n), 0));
  some.push_back(make(test::bricard(), 1));
  some.push_back(make(test::ring_with_two_closures(), 0.3));
  some.push_back(make(test::redundant_ladder(4, false), 0.3));
  some.push_back(make(test::redundant_ladder(all ? 12 : 3, true), 0.3));
  return some;
}

TEST_CASE("redundant loops: every method agrees with a dense one, step by step, with least-norm impulses",
          "[integrators][variational][fast]") {
  for (const Case& one : cases(false)) {
    for (const Factorization method : methods) test::agrees_with_dense(one.loops.model, one.start, method, InitialGuess::quintic, 200, 7);
  }
  // With the matrix of a step, whose redundant rows demand gaps to be closed that are determined by the other rows.
  const Case ladder = make(test::redundant_ladder(12, true), 0.3);
  test::agrees_with_dense(ladder.loops.model, ladder.start, Factorization::sparse, InitialGuess::zero, 200, 7);
}

TEST_CASE("redundant loops: impulses stay bounded", "[integrators][variational][long]") {
  for (const Case& one : cases(false)) runs_long(one, Factorization::automatic, InitialGuess::quintic, 3000);
}

// The floating ladder of twelve rungs is sometimes close to singular: with the sparse method one step in ten thousand then needs substeps.
TEST_CASE("redundant loops: a hundred thousand steps by every method and every initial guess", "[integrators][variational][lab]") {
  for (const Case& one : cases(true)) {
    for (const Factorization method : methods) {
      for (const InitialGuess guess : guesses) {
        if (method != Factorization::automatic && guess != InitialGuess::quintic && guess != InitialGuess::momentum) continue;
        test::agrees_with_dense(one.loops.model, one.start, method, guess, 2000, 10);
        runs_long(one, method, guess, 100'000);
      }
    }
  }
}

}  // namespace redundant_loops_test
