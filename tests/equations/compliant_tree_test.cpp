// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/compliant_tree.hpp"

#include "support/dense.hpp"
#include "support/loaded_bodies.hpp"

namespace compliant_tree_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;
using Bodies = CompliantTree<Model<double>>;

static_assert(ConeProblem<Bodies, double> && ConeProblem<CompliantTree<Model<float>>, float>);

TEST_CASE("compliant tree: products match the dense problem of its mass matrix and rows", "[integrators][compliant][long]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::Loaded<Bodies> loaded(seed, 12);
    const test::ConeCase one = loaded.dense();
    const Eigen::Index m = one.rows.size();
    CAPTURE(seed, loaded.model.nv(), m);
    test::check_products(loaded.bodies.problem(), one, seed + 99);
    const VectorXd exact = test::delassus(one.G, one.M).diagonal(), mobility = loaded.bodies.problem().mobility().head(m);
    for (Eigen::Index k = 0; k < m; ++k) CHECK(mobility[k] >= exact[k] * (1 - 1e-10));
    CHECK((mobility.head(5) - exact.head(5)).norm() < 1e-9 * exact.head(5).norm());  // of rows that act on the world
    CHECK((mobility.segment(m - 3, 2) - exact.segment(m - 3, 2)).norm() < 1e-9 * exact.segment(m - 3, 2).norm());
  }
}

TEST_CASE("compliant tree: forces and velocities match the dense problem, without allocation", "[integrators][compliant][long]") {
  test::check_loaded_solutions<Bodies>(12);
}

}  // namespace compliant_tree_test
