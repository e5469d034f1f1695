// SPDX-License-Identifier: BSD-3-Clause
#include "actio/constraints/tree_rows.hpp"

#include "actio/dynamics/drnea/residual.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/tangled_tree.hpp"

namespace tree_closures_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;
using Closures = TreeClosures<Model<double>>;

VectorXd values(const Closures& closures) {
  VectorXd all(closures.size());
  for (Eigen::Index k = 0; k < closures.size(); ++k) all[k] = closures[k].value;
  return all;
}

TEST_CASE("tree closures: rates, rows of G and forces match the derivatives of the values", "[constraints][fast]") {
  int types = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const test::Tangled tangled = test::tangled_tree(seed, 8, 3);
    const Model<double>& model = tangled.model;
    TreePose<double> tree(model);
    Closures closures(model);
    const auto values_at = [&](const VectorXd& q) {
      auto rotations = closures.make_rotations();
      place(model, tree, q);
      closures.place(tree, rotations);
      return values(closures);
    };
    CAPTURE(seed);
    CHECK(values_at(tangled.q).cwiseAbs().maxCoeff() < 1e-12);
    models::Random random(seed);
    VectorXd away(model.nv()), L(closures.size());
    for (double& x : away) x = random.uniform(-0.3, 0.3);
    for (double& x : L) x = random.uniform(-1, 1);
    const VectorXd q = model.integrate(tangled.q, away), v = models::random_velocity(model, seed);
    constexpr double step = 1e-5;
    const VectorXd numeric = (values_at(model.integrate(q, step * v)) - values_at(model.integrate(q, -step * v))) / (2 * step);
    values_at(q);
    VectorXd w(closures.size()), f = VectorXd::Constant(model.nv(), 0.5), g(model.nv()), sum = f;
    const test::AllocationCounter allocations;
    closures.rates(tree, v, w);
    closures.add_forces(tree, L, f);
    for (Eigen::Index k = 0; k < closures.size(); ++k) {
      closures.covector(tree, k, g);
      CHECK(std::abs(g.dot(v) - w[k]) < 1e-12 * (1 + w.norm()));
      sum += L[k] * g;
    }
    CHECK(allocations.count() == 0);
    CHECK((w - numeric).norm() < 1e-8 * (1 + w.norm()));
    CHECK((f - sum).norm() < 1e-11 * (1 + f.norm()));
    types |= 1 << static_cast<int>(model.loops()[0].type);
  }
  CHECK(types == (1 << 9) - 1);
}

TEST_CASE("tree closures: values predicted for a step match the values at its end", "[constraints][fast]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    test::PlacedTangle tangle(test::tangled_tree(seed, 8, 3));
    auto& [model, q, tree, closures, rotations] = tangle;
    const VectorXd x = 0.3 * models::random_velocity(model, seed);
    Drnea<Split>::Data<double> data(model);
    Drnea<Split>::move(model, tree, data, x, 1.0);
    VectorXd after(closures.size());
    closures.values(rotations, Drnea<Split>::displacements(data), x, after);
    place(model, tree, model.integrate(q, x));
    closures.place(tree, rotations);
    CAPTURE(seed);
    CHECK(after.norm() > 1e-3);
    CHECK((after - values(closures)).norm() < 1e-12 * (1 + after.norm()));
  }
}

TEST_CASE("tree closures: each row names its loop or coupling, with its index in the model", "[constraints][fast]") {
  ModelBuilder<double> builder("named");
  const Revolute<double> hinge(Vector3<double>::UnitX());
  for (const std::string name : {"a", "b"}) {
    builder.add_body(name, Inertia<double>::sphere(1, 0.1));
    builder.add_joint("of_" + name, "world", name, Pose<double>::identity(), hinge);
  }
  Loop<double> loop;
  for (const std::string name : {"released", "point"}) {
    loop.name = name;
    loop.active = name == "point";
    builder.add_loop(loop, "a", "b");
  }
  const Model<double> model = builder.add_coupling("of_b", "of_a", 2, 0).build();
  const Closures closures(model);
  REQUIRE(closures.size() == 4);
  for (Eigen::Index row = 0; row < 3; ++row) {
    CHECK(describe(model, closures.culprit(row)) == "loop 'point'");
    CHECK(closures.culprit(row) == Culprit::loop(1));
  }
  CHECK(describe(model, closures.culprit(3)) == "the coupling of joint 'of_b'");
  CHECK(closures.culprit(3) == Culprit::coupling(0));
}

}  // namespace tree_closures_test
