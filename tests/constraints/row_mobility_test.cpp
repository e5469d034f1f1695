// SPDX-License-Identifier: BSD-3-Clause
// Mobility of rows, against the dense inverse of the mass matrix.
#include "actio/constraints/mobility.hpp"
#include "actio/constraints/tree_rows.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/tangled_tree.hpp"

namespace row_mobility_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("row mobility: exact on request and for rows on one body, an upper bound for others", "[constraints][fast]") {
  int single = 0, tying = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::PlacedTangle tangle(test::tangled_tree(seed, 8, 3, 1, {.armature = true}));
    auto& [model, q, tree, closures, rotations] = tangle;
    AbiData<double> abi(model);
    REQUIRE(abi_factor(model, tree, abi, VectorXd::Zero(model.nv())) == 0);
    const MatrixXd M = tangle.mass_matrix();
    RowMobility<Model<double>> mobility(model);
    mobility.begin(tree, abi);
    CAPTURE(seed);
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      VectorXd g(model.nv());
      closures.covector(tree, k, g);
      const double exact = g.dot(test::solve(M, g)), ours = mobility(closures[k]);
      const bool ties = closures[k].num_parts() > 1;
      (ties ? tying : single)++;
      CHECK(exact <= ours * (1 + 1e-9));
      if (!ties) CHECK(std::abs(ours - exact) < 1e-9 * (1 + exact));
      CHECK(std::abs(mobility.exact(closures[k]) - exact) < 1e-9 * (1 + exact));
      CHECK(ours <= 2 * mobility.reach(closures[k]) * (1 + 1e-9));
    }
    for (Eigen::Index v = 0; v < model.nv(); ++v) {  // rows of single joints
      const double exact = test::solve(M, VectorXd::Unit(model.nv(), v))[v];
      CHECK(std::abs(mobility(friction_row<double>(v)) - exact) < 1e-9 * (1 + exact));
      CHECK(std::abs(mobility.exact(friction_row<double>(v)) - exact) < 1e-9 * (1 + exact));
    }
  }
  CHECK(single > 20);
  CHECK(tying > 20);
}

TEST_CASE("row mobility: a planar mechanism cannot move out of its plane", "[constraints][fast]") {
  const Model<double> model = models::square_chain(3);
  TreePose<double> tree(model);
  AbiData<double> abi(model);
  place(model, tree, models::random_configuration(model, 1));
  REQUIRE(abi_factor(model, tree, abi, VectorXd::Zero(model.nv())) == 0);
  RowMobility<Model<double>> mobility(model);
  mobility.begin(tree, abi);
  ConstraintRow<double> row;
  row.bodies[0].body = model.num_bodies() - 1;
  for (int k = 0; k < 3; ++k) {
    row.bodies[0].wrench = Vector6<double>::Unit(3 + k);
    CHECK(mobility.moves(row) == (k != 0));  // the hinges rotate about x
  }
}

}  // namespace row_mobility_test
