// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mechanisms with closed loops that move, at any attitude, and how far their loops open.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "actio/constraints/tree_rows.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/long_runs.hpp"

namespace actio::test {

struct Mechanism {
  Model<double> model;
  State<double> start;
};

/// Four-bar and Jansen's leg with cranks that start with a velocity, some to rotate fully and some to swing; a Stewart platform on springs
/// that is pushed, a ring of eight links with springs from rest. Without springs the platform would fall and the ring pass singular poses.
inline std::vector<Mechanism> mechanisms(const Matrix3<double>& attitude) {
  std::vector<Mechanism> all;
  for (const Model<double>& model : {models::four_bars(1, attitude), models::jansen_leg(attitude),
                                     models::stewart_platform(attitude, 5000.), models::eight_bar(attitude, 5.)}) {
    State<double> start = rest_state(model);
    if (model.name() == "four_bars") start.v[0] = 8;
    if (model.name() == "jansen_leg") start.v[0] = 10;
    if (model.name() == "stewart_platform") start.v = models::random_velocity(model, 1);
    all.push_back({model, start});
  }
  return all;
}

/// Random rotations, the same on every platform.
inline std::vector<Matrix3<double>> attitudes(int n) {
  models::Random random(1);
  std::vector<Matrix3<double>> all;
  for (int k = 0; k < n; ++k) all.push_back(quaternion::rotation_matrix<double>(random.rotation<double>()));
  return all;
}

/// A floating body with three more on hinges that close a four-bar with it, without a common plane of symmetry; without gravity.
inline Model<double> floating_four_bar() {
  ModelBuilder<double> builder("floating_four_bar");
  builder.gravity(Vector3<double>::Zero());
  const Revolute<double> hinge(Vector3<double>::UnitX());
  const auto bar = [&](const std::string& name, double length) {
    builder.add_body(name,
                     Inertia<double>::box(length, {0.1, length, 0.05}).seen_from_parent(Pose<double>::translation(0.03, length / 2, 0)));
  };
  const double right_angle = std::acos(0.);
  const Matrix3<double> up = so3::rotation<double>(Vector3<double>::UnitX(), right_angle);
  bar("frame", 1);
  bar("crank", 0.5);
  bar("coupler", 1);
  bar("rocker", 0.5);
  builder.add_joint("floats", "world", "frame", Pose<double>::identity(), Free<double>());
  builder.add_joint("hinge_1", "frame", "crank", {up, {0, 0, 0}}, hinge);
  builder.add_joint("hinge_2", "crank", "coupler", {up.transpose(), {0, 0.5, 0}}, hinge);
  builder.add_joint("hinge_3", "coupler", "rocker", {up.transpose(), {0, 1, 0}}, hinge);
  Loop<double> loop;
  loop.name = "closure";
  loop.type = LoopType::point_on_line;
  loop.axis = Vector3<double>::UnitX();
  loop.T_A.p = {0, 1, 0};
  loop.T_B.p = {0, 0.5, 0};
  return builder.add_loop(loop, "frame", "rocker").build();
}

/// max(a, b), or NaN if either is NaN.
inline double larger(double a, double b) { return b <= a ? a : b; }

/// Records the constraint violation of a run's loops, in joint coordinates.  [m, rad]
class ClosureWatch {
 public:
  explicit ClosureWatch(const Model<double>& model)
      : model_(&model), tree_(model), closures_(model), rotations_(closures_.make_rotations()) {}

  /// Adds a step that converged.  @param q at its end.
  void add(const StepResult<double>& result, const Eigen::VectorXd& q) {
    relaxed_ += bool(result.relaxed);
    since_relaxed_ = result.relaxed ? 0 : since_relaxed_ + 1;
    const double open = gap(q);
    widest_softened_ = larger(widest_softened_, open);
    if (since_relaxed_ >= 3) widest_ = larger(widest_, open);
  }
  /// Returns the largest absolute value of a loop row.
  double gap(const Eigen::VectorXd& q) {
    place(*model_, tree_, q);
    closures_.place(tree_, rotations_);
    double largest = 0;
    for (Eigen::Index k = 0; k < closures_.size(); ++k) {
      largest = larger(largest, std::abs(closures_[k].value));
    }
    return largest;
  }
  double widest() const { return widest_; }                    ///< except for relaxed steps and two after each
  double widest_softened() const { return widest_softened_; }  ///< of all steps
  int relaxed() const { return relaxed_; }                     ///< number of relaxed steps
  void check() const {
    CAPTURE(relaxed_);
    CHECK(widest_ <= 1e-10);
    CHECK(widest_softened_ <= 1e-3);
  }

 private:
  const Model<double>* model_;
  TreePose<double> tree_;
  detail::TreeClosures<Model<double>> closures_;
  detail::TreeClosures<Model<double>>::Rotations rotations_;
  int relaxed_ = 0, since_relaxed_ = 3;
  double widest_ = 0, widest_softened_ = 0;
};

/// A motion of the floating four-bar, with the changes of its momenta from their initial values.
struct FloatingRun {
  Momenta first;                   ///< of the velocities that its loop allows
  double linear = 0, angular = 0;  ///< largest change [N s, N m s]
  ClosureWatch loops;
  State<double> end;
};
inline FloatingRun run_floating(const Model<double>& model, const State<double>& start, double h, int steps) {
  VariationalIntegrator integrator(model);
  integrator.reset(start);
  KinematicsData<double> data(model);
  FloatingRun run{{}, 0, 0, ClosureWatch(model), start};
  REQUIRE(integrator.read(run.end) == Status::converged);
  run.first = momenta(model, data, run.end);
  for (int k = 0; k < steps; ++k) {
    const StepResult<double> result = integrator.step({}, h);
    CAPTURE(k);
    REQUIRE(describe(result.status) == describe(Status::converged));
    REQUIRE(integrator.read(run.end) == Status::converged);
    run.loops.add(result, run.end.q);
    const Momenta now = momenta(model, data, run.end);
    run.linear = larger(run.linear, (now.linear - run.first.linear).norm());
    run.angular = larger(run.angular, (now.angular - run.first.angular).norm());
  }
  return run;
}

}  // namespace actio::test
