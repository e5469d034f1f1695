// SPDX-License-Identifier: BSD-3-Clause
#include "actio/equations/compliant_forest.hpp"

#include "support/dense.hpp"
#include "support/loaded_bodies.hpp"

namespace compliant_forest_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;
using Bodies = CompliantForest<Model<double>>;

TEST_CASE("compliant forest: products match the dense problem of its mass matrix and rows", "[integrators][compliant][fast]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    test::Loaded<Bodies> loaded(seed, 60);
    const test::ConeCase one = loaded.dense();
    const Eigen::Index m = one.rows.size();
    CAPTURE(seed, loaded.model.nv(), m);
    test::check_products(loaded.bodies.problem(), one, seed + 99);
    const VectorXd exact = test::delassus(one.G, one.M).diagonal(), mobility = loaded.bodies.problem().mobility().head(m);
    CHECK((mobility - exact).norm() < 1e-9 * exact.norm());
  }
}

TEST_CASE("compliant forest: forces and velocities match the dense problem, without allocation", "[integrators][compliant][fast]") {
  test::check_loaded_solutions<Bodies>(60);
}

}  // namespace compliant_forest_test
