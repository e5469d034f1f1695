// SPDX-License-Identifier: BSD-3-Clause
// Checks the baseline: its laws, and the motion to which maximal coordinates converge.
#include "actio/core/text.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "runs.hpp"
#include "support/acceleration_level_loops.hpp"

namespace {

using namespace actio;
using maximal_drift::allowed;

struct System {
  Model<double> model;
  State<double> start;
};

std::vector<System> systems() {
  Model<double> planar = models::closed_planar_chain<double>(4), ball = models::closed_chain<double>(3),
                segments = models::four_link_segments<double>(2);
  State<double> of_planar{planar.neutral(), models::random_velocity(planar, 1, 2), 0},
      of_ball{ball.neutral(), models::random_velocity(ball, 2, 2), 0},
      of_segments{segments.neutral(), models::random_velocity(segments, 3, 2), 0};
  models::open_segment(segments, 0, 0.5, 0.2, of_segments.q);
  models::open_segment(segments, 1, 0.7, -0.3, of_segments.q);
  std::vector<System> all;
  all.push_back({std::move(planar), of_planar});
  all.push_back({std::move(ball), of_ball});
  all.push_back({std::move(segments), of_segments});
  for (System& system : all) system.start = allowed(system.model, system.start);
  return all;
}

/// Returns d^2g/dt^2 of the loops along the motion, by a difference over two short steps, from velocities that violate the loops [m/s^2].
double opening(const System& system) {
  constexpr double h = 1e-3;
  KinematicsData<double> kinematics(system.model);
  const auto gaps = [&](double length) {
    experiments::AccelerationLevelLoops integrator(system.model);
    integrator.reset({system.start.q, models::random_velocity(system.model, 5, 1), 0});
    if (length != 0 && !integrator.step({}, length)) return std::vector<Vector3<double>>{};
    forward_kinematics(system.model, kinematics, integrator.configuration());
    std::vector<Vector3<double>> p;
    for (const Loop<double>& loop : system.model.loops()) {
      const Vector3<double> apart = (kinematics.T_WB[loop.body_a] * loop.T_A).inverse() * (kinematics.T_WB[loop.body_b] * loop.T_B).p;
      p.push_back(loop.type == LoopType::ball ? apart : Vector3<double>(loop.axis.cross(apart)));
    }
    return p;
  };
  const auto before = gaps(-h), here = gaps(0), after = gaps(h);
  double largest = before.empty() || after.empty() ? 1e10 : 0;
  for (std::size_t k = 0; largest < 1 && k < here.size(); ++k)
    largest = std::max(largest, (before[k] - 2 * here[k] + after[k]).norm() / (h * h));
  return largest;
}

/// Returns the power of the forces that close the loops, M a + bias, on velocities that satisfy the loops [W].
double power(const System& system) {
  experiments::LoopDynamics dynamics(system.model, 0);
  if (!dynamics.evaluate(system.start.q, system.start.v)) return 1e10;
  RneaData<double> data(system.model);
  const VectorX<double> closing = rnea(system.model, data, system.start.q, system.start.v, dynamics.acceleration());
  double largest = 0;
  for (std::uint64_t seed = 11; seed < 15; ++seed) {
    const State<double> other = allowed(system.model, {system.start.q, models::random_velocity(system.model, seed, 1), 0});
    largest = std::max(largest, std::abs(closing.dot(other.v)));
  }
  return largest;
}

/// Returns the distance from the result of maximal coordinates with short steps after 0.3 s [rad, m].
double distance(const System& system) {
  constexpr int steps = 300;
  experiments::AccelerationLevelLoops baseline(system.model);
  baseline.reset(system.start);
  const auto end = [&](int substeps) {
    MaximalIntegrator maximal(system.model, {.tolerance = 1e-12});
    maximal.reset(system.start);
    for (int k = 0; k < steps * substeps; ++k) {
      if (!maximal.step({}, 1e-3 / substeps)) break;
    }
    return maximal.configuration();
  };
  for (int k = 0; k < steps; ++k) {
    if (!baseline.step({}, 1e-3)) return 1e10;
  }
  const VectorX<double> coarse = end(2), fine = end(4), gone = system.model.difference(coarse, fine) / 3;  // of order two: a third remains
  return (system.model.difference(fine, baseline.configuration()) - gone).lpNorm<Eigen::Infinity>();
}

}  // namespace

std::vector<maximal_drift::Law> maximal_drift::check_baseline() {
  std::vector<Law> laws;
  for (const System& system : systems()) {
    const auto expect = [&](const std::string& what, double error, double most) {
      laws.push_back({"baseline on " + system.model.name() + ": " + what + ", at most " + detail::to_text(most, 3) + ": " +
                          detail::to_text(error, 3),
                      error <= most});
    };
    expect("acceleration at which a loop opens [m/s^2]", opening(system), 1e-6);
    expect("power of the forces that close loops [W]", power(system), 1e-8);
    expect("difference from maximal coordinates [rad, m]", distance(system), 2e-7);
  }
  return laws;
}
