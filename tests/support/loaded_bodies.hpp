// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Random trees with constraint rows, compared with dense cone problems.
#include "actio/constraints/row.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/model/samples/random.hpp"
#include "support/dense.hpp"
#include "support/velocity_problem.hpp"

namespace actio::test {

/// A random tree with random rows of all kinds, and the same problem as dense matrices.
template <class Bodies>
struct Loaded {
  Model<double> model;
  Bodies bodies;
  Eigen::VectorXd q, added, v, impulse, v_free;
  double h = 0;
  /// @param ties capacity for rows that connect bodies, joints or trees.
  Loaded(std::uint64_t seed, std::size_t ties) : Loaded(seed, ties, models::random_tree(seed, 7, options(seed))) {}
  Loaded(std::uint64_t seed, std::size_t ties, const Model<double>& tree)
      : model(tree), bodies(model, 120, ties), q(models::random_configuration(model, seed)),
        added(Eigen::VectorXd::Constant(model.nv(), 0.1)) {
    Random random(seed);
    h = std::pow(10, random(-3.5, -1.5));
    REQUIRE(bodies.begin(q, added, h) == 0);
    v = random.matrix(model.nv(), 1);
    impulse = random.matrix(model.nv(), 1);
    v_free = v;
    bodies.set_free_motion(v, impulse, v_free);
    const auto body = [&] { return 1 + static_cast<BodyIndex>(random(0, static_cast<double>(model.num_bodies() - 1))); };
    const auto entry = [&] { return static_cast<Eigen::Index>(random(0, static_cast<double>(model.nv()))); };
    const auto row = [&](BodyIndex a, BodyIndex b) {
      ConstraintRow<double> one;
      one.bodies[0] = {a, random.matrix(6, 1)};
      if (b > 0) one.bodies[1] = {b, random.matrix(6, 1)};
      return one;
    };
    bool fits = true;
    for (int k = 0; k < 4; ++k) {  // contacts with the world, and between bodies
      const BodyIndex a = body(), other = body(), b = k < 2 || other == a ? 0 : other;
      const std::array<ConstraintRow<double>, 3> rows{row(a, b), row(a, b), row(a, b)};
      const double R = std::pow(10, random(-9, -1)), bias = random(-0.3, 0.1);
      fits &= bodies.add({RowKind::contact, k % 2 == 0 ? 3 : 2, {R, 1e-4, 1e-4}, {bias, 0, 0}, random(0, 0.6)}, rows);
    }
    for (int k = 0; k < 3; ++k) {  // a limit, dry friction, a coupling of two joints
      std::array<ConstraintRow<double>, 1> one{};
      one[0].joints[0] = {entry(), random(0.5, 2)};
      if (k == 2) one[0].joints[1] = {entry(), random(-2, -0.5)};
      const RowKind kind = k == 0 ? RowKind::unilateral : k == 1 ? RowKind::friction : RowKind::bilateral;
      const double R = std::pow(10, random(-9, -1));
      fits &= bodies.add({kind, 1, {R, 0, 0}, {k == 1 ? 0 : random(-0.1, 0.1), 0, 0}, 0.5}, one);
    }
    REQUIRE(fits);
  }
  static models::RandomTreeOptions options(std::uint64_t seed) { return {.floating = seed % 3 == 0, .armature = seed % 2 == 0}; }
  /// Returns the problem in terms of its velocities.
  ConeCase dense() {
    using Eigen::MatrixXd, Eigen::VectorXd;
    const Eigen::Index n = model.nv();
    MatrixXd order(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      VectorXd x(n), back(n);
      bodies.to_problem(VectorXd::Unit(n, k), x);
      bodies.to_model(x, back);
      REQUIRE(back == VectorXd::Unit(n, k));
      order.col(k) = x;
    }
    CrbaData<double> data(model);
    MatrixXd M = crba(model, data, q);
    M.diagonal() += added;
    const VectorXd expected = v + solve(M, impulse);
    CHECK((v_free - expected).norm() < 1e-10 * expected.norm());
    return {"", {}, order * M * order.transpose(), jacobian(bodies.problem()), order * expected, h, bodies.problem().rows()};
  }
};

/// Checks that forces and velocities equal those of the dense problems, without allocation.
template <class Bodies>
void check_loaded_solutions(std::size_t ties) {
  int slid = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Loaded<Bodies> loaded(seed, ties);
    CAPTURE(seed);
    slid += check_solutions(loaded.bodies.problem(), loaded.dense());
  }
  CHECK(slid > 50);
}

}  // namespace actio::test
