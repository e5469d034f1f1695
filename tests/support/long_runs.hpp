// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Long runs of any integrator, and measures of their quality: energy, momenta, convergence.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace actio::test {

/// Returns E - E_0 at every node, until a step fails.
template <class I>
std::vector<double> energy_error(I integrator, const State<double>& start, double h, double duration) {
  integrator.reset(start);
  KinematicsData<double> kinematics(integrator.model());
  State<double> state = start;
  const double initial = energy(integrator.model(), kinematics, state.q, state.v).total();
  std::vector<double> error{0};
  const auto steps = static_cast<std::size_t>(std::lround(duration / h));
  error.reserve(steps + 1);
  while (error.size() <= steps && integrator.step({}, h) && integrator.read(state) == Status::converged) {
    error.push_back(energy(integrator.model(), kinematics, state.q, state.v).total() - initial);
  }
  return error;
}

/// Momenta of a tree in the world, angular ones about its centre of mass, and the sums of the magnitudes of the bodies' momenta.
struct Momenta {
  Vector3<double> linear = Vector3<double>::Zero(), angular = Vector3<double>::Zero();
  double linear_scale = 0, angular_scale = 0;
};
inline Momenta momenta(const Model<double>& model, KinematicsData<double>& kinematics, const State<double>& x) {
  forward_kinematics(model, kinematics, x.q, x.v);
  const Vector3<double> c = center_of_mass(model, kinematics);
  Momenta sum;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Pose<double> from_com{kinematics.T_WB[i].R, kinematics.T_WB[i].p - c};
    const Vector6<double> own = from_com.wrench_to_parent(model.inertia(i).momentum(kinematics.V[i]));
    sum.angular += own.head<3>();
    sum.linear += own.tail<3>();
    sum.angular_scale += own.head<3>().norm();
    sum.linear_scale += own.tail<3>().norm();
  }
  return sum;
}

/// The largest change over a run, relative to the largest scale of the run.
struct MomentumErrors {
  double linear = 0, angular = 0;
};
template <class I>
MomentumErrors momentum_errors(I integrator, const State<double>& start, int steps) {
  const Model<double>& model = integrator.model();
  integrator.reset(start);
  KinematicsData<double> kinematics(model);
  State<double> x = start;
  const Momenta first = momenta(model, kinematics, x);
  double linear = 0, angular = 0, linear_scale = first.linear_scale, angular_scale = first.angular_scale;
  std::int64_t evaluations = 0;
  int worst = 0, halved = 0;
  for (int k = 1; k <= steps; ++k) {
    const StepResult<double> result = integrator.step({}, 1e-3);
    CAPTURE(k);
    REQUIRE(result.status == Status::converged);
    evaluations += result.evaluations;
    worst = std::max(worst, result.evaluations);
    halved += result.substeps > 1;
    if (k % 100 != 0) continue;
    REQUIRE(integrator.read(x) == Status::converged);
    const Momenta now = momenta(model, kinematics, x);
    linear = std::max(linear, (now.linear - first.linear).norm());
    angular = std::max(angular, (now.angular - first.angular).norm());
    linear_scale = std::max(linear_scale, now.linear_scale);
    angular_scale = std::max(angular_scale, now.angular_scale);
  }
  std::cout << model.name() << ", tolerance " << integrator.options().tolerance << ": linear " << linear / linear_scale << ", angular "
            << angular / angular_scale << ", residual evaluations " << static_cast<double>(evaluations) / steps << " mean, " << worst
            << " worst, " << halved << " steps halved\n";
  return {linear / linear_scale, angular / angular_scale};
}

/// Checks both momenta of three free trees without gravity, over 1e5 steps.  @param make (model) -> an integrator with its default
/// tolerance, or (model, 0) -> one that solves to rounding.
template <class Make>
void check_momenta_stay(const Make& make) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Model<double> tree = models::random_tree(seed, 8, {.floating = true}).with_gravity(Vector3<double>::Zero());
    // Springs keep the tree together: without them its sliding joints let it drift apart to hundreds of metres, and the rounding
    // error, which is proportional to the lever arms, grows with them.
    ModelProperties<double> properties = tree.properties();
    properties.stiffness.setOnes();
    properties.stiffness.head<6>().setZero();  // the base is free
    const Model<double> model = tree.with_properties(properties);
    const State<double> start{models::random_configuration(model, seed), models::random_velocity(model, seed + 1000), 0};
    CAPTURE(seed);
    const MomentumErrors at_default = momentum_errors(make(model), start, 100'000);
    CHECK(at_default.linear < 1e-9);
    CHECK(at_default.angular < 1e-9);
    const MomentumErrors to_rounding = momentum_errors(make(model, 0.), start, 100'000);
    CHECK(to_rounding.linear < 1e-10);
    CHECK(to_rounding.angular < 1e-10);
  }
}

/// Statistics of steps from rest at a configuration.
struct ConvergenceRun {
  int worst_updates = 0, halved = 0;
  double mean_updates = 0, residual = 0;
};
/// Runs steps, none of which may fail.
template <class I>
ConvergenceRun convergence_run(I& integrator, const char* from, const VectorX<double>& q, double h, int steps) {
  const Model<double>& model = integrator.model();
  integrator.reset({q, VectorX<double>::Zero(model.nv()), 0});
  ConvergenceRun run;
  int failed = 0, worst_step = 0;
  std::int64_t updates = 0, evaluations = 0;
  for (int k = 1; k <= steps && failed == 0; ++k) {
    const StepResult<double> result = integrator.step({}, h);
    failed += !result;
    run.halved += result.substeps > 1;
    updates += result.iterations;
    evaluations += result.evaluations;
    run.residual = std::max(run.residual, double(result.residual));
    if (result.iterations <= run.worst_updates) continue;
    run.worst_updates = result.iterations;
    worst_step = k;
  }
  run.mean_updates = static_cast<double>(updates) / steps;
  std::cout << model.name() << ' ' << model.num_bodies() - 1 << " from " << from << ", h " << h << " s: residual evaluations "
            << static_cast<double>(evaluations) / steps << " mean, updates " << run.mean_updates << " mean, " << run.worst_updates
            << " worst (step " << worst_step << "), largest residual " << run.residual << ", " << run.halved << " steps halved, " << failed
            << " failed\n";
  CAPTURE(model.name(), model.num_bodies(), from, h, integrator.time());
  CHECK(failed == 0);
  return run;
}

}  // namespace actio::test
