// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/close_loops.hpp"

#include "actio/integrators/maximal.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace close_loops_test {

using namespace actio;
using Eigen::VectorXd;

TEST_CASE("close_loops: it finds a closed configuration, or reports which loop stays open", "[integrators][close_loops][long]") {
  const Model<double> segments = models::four_link_segments(3, LoopType::revolute);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const VectorXd q = close_loops(segments, models::random_configuration(segments, seed, 0.5));
    MaximalOptions<double> options;
    options.closure_tolerance = 1e-12;
    MaximalIntegrator integrator(segments, options);
    CHECK_NOTHROW(integrator.reset({q, VectorXd::Zero(segments.nv()), 0}));
    CHECK(integrator.gap() < 1e-13);
  }
  // A closed configuration is not changed.
  VectorXd q = segments.neutral();
  models::open_segment(segments, 1, 0.4, 0.1, q);
  CHECK((close_loops(segments, q) - q).norm() < 1e-13);

  ModelBuilder<double> builder("short");
  builder.add_body("rod", Inertia<double>::box(1, {0.1, 0.1, 1}));
  builder.add_joint("hinge", "world", "rod", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  Loop<double> loop;
  loop.name = "too far";
  loop.T_A.p = Vector3<double>(0, 3, 0);
  loop.T_B.p = Vector3<double>(0, 0, -1);
  builder.add_loop(loop, "world", "rod");
  const Model<double> model = builder.build();
  CHECK(test::missing(test::refusal<ModelError>([&] { return close_loops(model, model.neutral()); }),
                      {"loop 'too far'", "still has a constraint violation of"})
            .empty());
}

TEST_CASE("close_loops: couplings are satisfied too, also in single precision", "[integrators][close_loops][long]") {
  ModelBuilder<double> builder("gears");
  builder.add_body("first", Inertia<double>::cylinder(2, 0.3, 0.05)).add_body("second", Inertia<double>::cylinder(1, 0.1, 0.05));
  builder.add_joint("shaft", "world", "first", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  builder.add_joint("driven", "world", "second", Pose<double>::translation(0.42, 0, 0), Revolute<double>({0, 0, 1}));
  builder.add_coupling("driven", "shaft", -2.0, 0.1);
  const Model<double> model = builder.build();
  const VectorXd q = close_loops(model, Eigen::Vector2d(0.3, 9));  // more than a turn apart
  CHECK(std::abs(q[1] + 2 * q[0] - 0.1) < 1e-13);
  // Least motion in the metric of the inertia: I_1 dq_1 : I_2 dq_2 equals the ratio of the row's entries, 2 : 1, apart from the
  // nonlinearity of the quaternion map in steps of half a radian.
  CHECK(std::abs((q[0] - 0.3) * (2 * 0.09 / 2) - 2 * (q[1] - 9) * (0.01 / 2)) < 0.02 * std::abs((q[0] - 0.3) * (2 * 0.09 / 2)));
}

}  // namespace close_loops_test
