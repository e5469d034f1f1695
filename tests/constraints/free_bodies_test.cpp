// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/mobility.hpp"

#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace free_bodies_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("free bodies: a wrench accelerates a body as its inertia demands", "[constraints][fast]") {
  const Model<double> model = models::random_tree(2, 6);
  const FreeBodies<double> bodies(model);
  models::Random random(1);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<double>& G = model.inertia(i);
    const auto wrench = random.in_box<double, 6>(1);
    const Vector6<double> V = bodies.twist(i, bodies.about_com(i, wrench)), W = test::solve(G.matrix(), wrench);
    CHECK((V.head<3>() - W.head<3>()).norm() < 1e-12 * W.norm());
    CHECK((V.tail<3>() - (W.tail<3>() + W.head<3>().cross(G.com))).norm() < 1e-12 * W.norm());  // at the centre of mass
  }
}

TEST_CASE("free bodies: the world and bodies with singular inertia are not moved", "[constraints][fast]") {
  ModelBuilder<double> builder("point");
  builder.add_body("point", Inertia<double>::point(1, {0, 0, 1}));
  builder.add_joint("hinge", "world", "point", Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  const Model<double> model = builder.build();
  const FreeBodies<double> bodies(model);
  const Vector6<double> wrench = Vector6<double>::Ones();
  for (const BodyIndex i : {0, 1}) CHECK(bodies.twist(i, bodies.about_com(i, wrench)).norm() == 0);
}

}  // namespace free_bodies_test
