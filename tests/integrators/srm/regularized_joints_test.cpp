// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/srm/joints.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace regularized_joints_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

/// A random tree with loops of all types and couplings between its bodies, at a random open configuration.
Model<double> tied_tree(std::uint64_t seed) {
  models::Random random(seed);
  ModelBuilder<double> builder("tied_tree");
  constexpr int bodies = 9;
  const auto link = [](int k) { return k == 0 ? std::string("world") : "body_" + std::to_string(k); };
  std::vector<std::string> single;
  for (int k = 1; k <= bodies; ++k) {
    const int parent = random.happens(0.6) ? k - 1 : random.below(k);
    const Pose<double> placement = random.pose<double>(0.5);
    const DefaultJoints<double> joint = models::detail::random_joint<double>(random);
    builder.add_body(link(k), models::detail::random_inertia<double>(random));
    std::visit([&]<JointType J>(const J& of_type) {
      builder.add_joint("joint_" + link(k), link(parent), link(k), placement, of_type,
                        models::detail::random_properties<double, J>(random, {.armature = true}));
      if (J::nv == 1) single.push_back("joint_" + link(k));
    }, joint);
  }
  for (int k = 0; k < 9; ++k) {
    Loop<double> loop;
    loop.name = "loop_" + std::to_string(k);
    loop.type = static_cast<LoopType>(k);
    loop.T_A = random.pose<double>(0.3);
    loop.T_B = random.pose<double>(0.3);
    loop.axis = random.direction<double>();
    loop.axis2 = random.direction<double>();
    loop.length = 0.5;
    const int a = random.below(bodies + 1), b = 1 + (a + random.below(bodies - 1)) % bodies;
    builder.add_loop(loop, link(a), link(a == b ? b % bodies + 1 : b));
  }
  for (std::size_t k = 1; k < single.size(); ++k) builder.add_coupling(single[k], single[0], random.uniform(-3, 3), 0.1);
  return builder.build();
}

TEST_CASE("regularized joints: rates are the derivatives of gaps on any tree, closed or not", "[integrators][srm][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = tied_tree(seed);
    JointLoops<Model<double>> loops(model);
    const VectorXd q = models::random_configuration(model, seed);
    Culprit culprit;
    const auto gap_at = [&](const VectorXd& at) {
      REQUIRE(loops.place({at, VectorXd::Zero(model.nv()), 0}, culprit) == Status::converged);
      return VectorXd(loops.gap());
    };
    CAPTURE(seed);
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const VectorXd along = VectorXd::Unit(model.nv(), k);
      REQUIRE(loops.place({q, along, 0}, culprit) == Status::converged);
      const VectorXd rate = loops.rate();
      constexpr double step = 1e-6;
      const VectorXd numeric = (gap_at(model.integrate(q, step * along)) - gap_at(model.integrate(q, -step * along))) / (2 * step);
      CHECK((rate - numeric).cwiseAbs().maxCoeff() < 1e-7);
    }
  }
}

}  // namespace regularized_joints_test
