// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/abi.hpp"

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace abi_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("M^-1: diagonal terms may be added, the right-hand side overwritten and the factors used again", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 10, {.armature = true});
    const VectorXd q = models::random_configuration(model, seed), f = models::random_velocity(model, seed + 1),
                   g = models::random_velocity(model, seed + 2);
    const VectorXd added = models::random_velocity(model, seed + 3).cwiseAbs();
    CrbaData<double> composite(model);
    Eigen::MatrixXd M = crba(model, composite, q);
    M.diagonal() += added;
    AbiData<double> factors(model);
    REQUIRE(abi_factor(model, composite.tree, factors, added) == 0);
    VectorXd z(model.nv()), in_place = f;
    abi_solve(model, composite.tree, factors, g, z);
    CHECK((M * z - g).cwiseAbs().maxCoeff() < 1e-10);
    const double energy = abi_solve(model, composite.tree, factors, in_place, in_place);
    CHECK((M * in_place - f).cwiseAbs().maxCoeff() < 1e-10);
    CHECK(std::abs(energy - f.dot(test::solve(M, f))) < 1e-10 * energy);

    AbaData<double> forward(model);
    forward.added = added;
    const Model<double> weightless_field = model.with_gravity(Eigen::Vector3d::Zero());
    REQUIRE(aba(weightless_field, forward, q, VectorXd::Zero(model.nv()), g) == 0);
    CHECK((forward.a - z).cwiseAbs().maxCoeff() < 1e-10 * std::max(1.0, z.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("M^-1 and ABA report the joint that moves no inertia, and no other joint", "[dynamics][fast]") {
  const auto tip_joint = GENERATE(as<DefaultJoints<double>>(), Revolute<double>({0, 1, 0}), Prismatic<double>({0, 1, 0}),
                                  Spherical<double>(), Universal<double>({1, 0, 0}, {0, 1, 0}), Planar<double>(), Free<double>());
  const double armature = GENERATE(0.0, 0.1);
  const bool flat = std::visit([]<JointType J>(const J&) { return joints::is_flat<J>(); }, tip_joint);
  if (armature > 0 && !flat) return;
  ModelBuilder<double> builder("weightless_tip");
  builder.add_body("arm", Inertia<double>::box(1, {1, 0.1, 0.1}))
      .add_body("hand", Inertia<double>::box(1, {0.1, 1, 0.1}))
      .add_body("tip", Inertia<double>::zero());
  builder.add_joint("shoulder", "world", "arm", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  const Pose<double> along = Pose<double>::translation(1, 0, 0);
  std::visit([&](const auto& joint) { builder.add_joint("wrist", "arm", "tip", along, joint, {.armature = armature}); }, tip_joint);
  builder.add_joint("elbow", "arm", "hand", along, Revolute<double>({0, 1, 1}));
  const Model<double> model = builder.build();
  const BodyIndex expected = armature > 0 ? 0 : model.find_joint("wrist");
  const VectorXd zero = VectorXd::Zero(model.nv());
  TreePose<double> tree(model);
  AbiData<double> factors(model);
  AbaData<double> forward(model);
  CHECK(abi_factor(model, tree, factors, zero) == expected);
  CHECK(aba(model, forward, model.neutral(), zero, zero) == expected);
  if (expected == 0) CHECK(forward.a.allFinite());
}

}  // namespace abi_test
