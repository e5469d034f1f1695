// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/body_mobility.hpp"

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"

namespace body_mobility_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;

TEST_CASE("body mobility: it maps a wrench on a body to the acceleration that ABA gives", "[dynamics][fast]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.floating = seed % 3 == 0, .armature = seed % 2 == 0});
    TreePose<double> tree(model);
    place(model, tree, models::random_configuration(model, seed));
    AbiData<double> abi(model);
    const VectorXd added = VectorXd::Constant(model.nv(), 0.01 * static_cast<double>(seed % 4));
    REQUIRE(abi_factor(model, tree, abi, added) == 0);
    BodyArray<Matrix6<double>> mobility(model.num_bodies());
    body_mobilities(model, tree, abi, mobility);
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      for (int k = 0; k < 6; ++k) {
        BodyArray<Vector6<double>> wrenches(model.num_bodies(), Vector6<double>::Zero());
        wrenches[i] = Vector6<double>::Unit(k);
        VectorXd z(model.nv());
        const double energy = abi_reduce(model, tree, abi, wrenches, VectorXd::Zero(model.nv()));
        abi_expand(model, tree, abi, z);
        CAPTURE(seed, i, k);
        CHECK(std::abs(energy - mobility[i](k, k)) < 1e-11 * (1 + energy));
        CHECK((abi.V[i] - mobility[i].col(k)).norm() < 1e-11 * (1 + mobility[i].norm()));
      }
    }
  }
}

TEST_CASE("body mobility: rounding errors do not grow along a chain", "[dynamics][fast]") {
  const Model<double> model = models::spherical_chain(200);
  TreePose<double> tree(model);
  place(model, tree, model.integrate(model.neutral(), 1e-3 * models::random_velocity(model, 1)));
  AbiData<double> abi(model);
  const VectorXd zero = VectorXd::Zero(model.nv());
  REQUIRE(abi_factor(model, tree, abi, zero) == 0);
  BodyArray<Matrix6<double>> mobility(model.num_bodies());
  body_mobilities(model, tree, abi, mobility);
  for (const BodyIndex i : {BodyIndex{50}, BodyIndex{100}, BodyIndex{200}}) {
    for (int k = 0; k < 6; ++k) {
      BodyArray<Vector6<double>> wrenches(model.num_bodies(), Vector6<double>::Zero());
      wrenches[i] = Vector6<double>::Unit(k);
      const double energy = abi_reduce(model, tree, abi, wrenches, zero);
      CAPTURE(i, k);
      CHECK(std::abs(energy - mobility[i](k, k)) < 1e-11 * (1 + energy));
    }
  }
}

}  // namespace body_mobility_test
