// SPDX-License-Identifier: BSD-3-Clause
// Falls of random chains with limits and dry friction of all joints.
#include <algorithm>
#include <cmath>

#include "actio/integrators/maximal.hpp"
#include "support/bounded_models.hpp"
#include "support/catch.hpp"

namespace maximal_bounds_long_test {

using namespace actio;

TEST_CASE("maximal bounds: no step of three hundred falls of chains with ten joints fails", "[integrators][maximal][long]") {
  for (const double h : {0.001, 0.005, 0.01}) {
    int failed = 0, halved = 0, relaxed = 0, stopped = 0;
    double beyond = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      models::Random random(seed);
      const Model<double> model = test::random_bounded_chain(random, 10);
      const ModelProperties<double>& joints = model.properties();
      MaximalIntegrator integrator(model);
      State<double> start = rest_state(model);
      for (Eigen::Index k = 0; k < model.nv(); ++k) start.q[k] = random.uniform(joints.lower[k], joints.upper[k]);
      start.v = models::random_velocity(model, random, 3);
      integrator.reset(start);
      for (int n = 0; n < std::lround(0.3 / h); ++n) {
        const StepResult<double> result = integrator.step({}, h);
        failed += !result;
        halved += result.substeps > 1;
        relaxed += result.relaxed;
        const Eigen::VectorXd& q = integrator.configuration();
        const double gap = std::min((q - joints.lower).minCoeff(), (joints.upper - q).minCoeff());
        stopped += gap < 1e-9;
        beyond = std::max(beyond, -gap);
      }
    }
    CAPTURE(h, failed, halved, relaxed, stopped, beyond);
    CHECK(failed == 0);
    CHECK(relaxed == 0);
    CHECK(halved <= 90);  // 0, 6 and 60 of 90000, 18000 and 9000 at 1, 5 and 10 ms
    CHECK(stopped > 1000);
    CHECK(beyond < 1e-12);
  }
}

}  // namespace maximal_bounds_long_test
