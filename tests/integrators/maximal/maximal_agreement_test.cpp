// SPDX-License-Identifier: BSD-3-Clause
// Maximal and joint coordinates give the same map: the discrete mechanics of the kinetic kind Quat.
#include <cmath>

#include "actio/dynamics/momentum.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/oracle.hpp"

namespace maximal_agreement_test {

using namespace actio;
using Eigen::VectorXd;

/// Takes a step from the same (q, p) at each node of a trajectory, by both and to rounding: the largest relative difference of the results.
template <class Model>
double difference(const Model& model, const State<double>& start, double h, int nodes, SpringRule springs, bool pushed) {
  VariationalOptions<double> joint_options;
  joint_options.tolerance = 0;
  joint_options.springs = springs;
  joint_options.carry_residual = false;
  MaximalOptions<double> options;
  options.tolerance = 0;
  options.springs = springs;
  options.carry_residual = false;
  VariationalIntegrator<Model, Drnea<Quat>, Riqn> in_joints(model, joint_options);
  MaximalIntegrator<Model> maximal(model, options);
  State<double> a = start, b = start;
  TreePose<double> tree(model);
  JointMomentumData<double> momentum(model);
  models::Random random(7);
  Input<double> input;
  double worst = 0;
  for (int k = 0; k < nodes; ++k) {
    if (pushed) {
      input.tau_begin = models::random_velocity(model, random, 0.5);
      input.tau_end = models::random_velocity(model, random, 0.5);
      input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), random.in_box<double, 6>(0.5));
    }
    in_joints.reset(a);
    maximal.reset(a);
    CAPTURE(k);
    REQUIRE(describe(in_joints.step(input, h).status) == describe(Status::converged));
    REQUIRE(describe(maximal.step(input, h).status) == describe(Status::converged));
    REQUIRE(in_joints.read(a) == Status::converged);
    REQUIRE(maximal.read(b) == Status::converged);
    worst = std::max(worst, model.difference(a.q, b.q).cwiseAbs().maxCoeff() / std::max(1.0, a.q.cwiseAbs().maxCoeff()));
    // The state is (q, p); velocities lose as many digits as the condition number of M where joints have moved far apart.
    place(model, tree, b.q);
    const VectorXd& p = in_joints.momentum();
    worst =
        std::max(worst, (p - joint_momentum(model, tree, momentum, b.v)).cwiseAbs().maxCoeff() / std::max(1.0, p.cwiseAbs().maxCoeff()));
  }
  return worst;
}

void reference_trees(int nodes) {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    CAPTURE(name);
    CHECK(difference(reference.model, {reference.q0(), reference.v0(), 0}, reference.json["dt"].get<double>(), nodes, SpringRule::trapezoid,
                     false) < 1e-11);
  }
}
void random_trees(int trees, int nodes) {
  for (int seed = 1; seed <= trees; ++seed) {
    const bool with_terms = seed % 2 == 0;
    const Model<double> model =
        models::random_tree(static_cast<std::uint64_t>(seed), 1 + seed % 9,
                            {.floating = seed % 3 == 0, .damping = with_terms, .springs = with_terms, .armature = with_terms});
    const State<double> start{models::random_configuration(model, 1), models::random_velocity(model, 2), 0};
    CAPTURE(seed);
    CHECK(difference(model, start, 1e-3, nodes, seed % 4 == 0 ? SpringRule::midpoint : SpringRule::trapezoid, with_terms) < 1e-11);
  }
}

TEST_CASE("maximal: it is the same map as the kinetic kind Quat on reference and random trees", "[integrators][maximal][long]") {
  reference_trees(30);
  random_trees(20, 30);
}
TEST_CASE("maximal: it is the same map as the kinetic kind Quat at each of a thousand nodes", "[integrators][maximal][long]") {
  reference_trees(1000);
  random_trees(50, 1000);
}

TEST_CASE("maximal: it is the same map on custom joints, with and without their optional members", "[integrators][maximal][long]") {
  using Joints = std::variant<test::Cam<double>, test::CompleteCam<double>, test::Skate<double>, Revolute<double>, test::Weld>;
  ModelBuilder<double, Joints> builder("custom");
  models::Random random(3);
  for (int k = 0; k < 5; ++k) builder.add_body("body" + std::to_string(k), models::detail::random_inertia<double>(random));
  builder.add_joint("cam", "world", "body0", random.pose<double>(0.5), test::Cam<double>(0.1));
  builder.add_joint("complete_cam", "body0", "body1", random.pose<double>(0.5), test::CompleteCam<double>(0.2));
  builder.add_joint("skate", "body1", "body2", random.pose<double>(0.5), test::Skate<double>());
  builder.add_joint("hinge", "body1", "body3", random.pose<double>(0.5), Revolute<double>({0, 1, 0}));
  builder.add_joint("weld", "body3", "body4", random.pose<double>(0.5), test::Weld());
  const Model<double, Joints> model = builder.build();
  const State<double> start{models::random_configuration(model, 1), models::random_velocity(model, 2), 0};
  CHECK(difference(model, start, 5e-3, 50, SpringRule::midpoint, true) < 1e-11);
}

}  // namespace maximal_agreement_test
