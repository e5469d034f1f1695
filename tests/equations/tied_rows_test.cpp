// SPDX-License-Identifier: BSD-3-Clause
// Rows between bodies of one tree, few and many, against the dense matrix.
#include <cmath>

#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/equations/tied_rows.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace tied_rows_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double h = 1e-3;

/// Contacts between bodies of a random tree, each with its current stiffness.
struct Tied {
  Model<double> model;
  AbiData<double> abi;
  RowsOnTree<Model<double>> rows;
  RowMobility<Model<double>> mobility;
  std::vector<GroupForce<double>> forces;
  MatrixXd K;  // M + h G^T H G

  /// @param stiff h H A as a power of ten.
  Tied(std::uint64_t seed, int contacts, double stiff)
      : model(models::random_tree(seed, 14)), abi(model), rows(model, 3 * std::size_t(contacts)), mobility(model) {
    models::Random random(seed);
    const VectorXd q = models::random_configuration(model, seed);
    rows.begin(q);
    REQUIRE(abi_factor(model, rows.tree(), abi, VectorXd::Zero(model.nv())) == 0);
    mobility.begin(rows.tree(), abi);
    CrbaData<double> crba_data(model);
    K = crba(model, crba_data, q);
    K.triangularView<Eigen::StrictlyUpper>() = K.transpose();
    for (int k = 0; k < contacts; ++k) {
      std::array<ConstraintRow<double>, 3> contact;
      const int a = 1 + random.below(14), b = 1 + (a - 1 + 1 + random.below(13)) % 14;
      const auto part = [&](int body) {
        const Vector3<double> at = 0.3 * random.direction<double>();
        const Matrix3<double> R = random.pose<double>(0).R;
        std::array<Vector6<double>, 3> wrench;
        for (int r = 0; r < 3; ++r) wrench[static_cast<std::size_t>(r)] = spatial<double>(at.cross(R.col(r)), R.col(r));
        for (std::size_t r = 0; r < 3; ++r) contact[r].bodies[body == a ? 0 : 1] = {body, wrench[r]};
      };
      part(a);
      part(b);
      REQUIRE(rows.add({RowKind::contact, 3, {1, 1, 1}, {0, 0, 0}, 0.5}, contact));
      GroupForce<double> force;
      const double k_n = std::pow(10, random.uniform(0, stiff)) / (h * mobility(contact[0]));
      if (random.happens(0.8)) {  // otherwise the contact is open
        Matrix3<double> some;
        for (double& x : some.reshaped()) x = random.uniform(-1, 1);
        force.H = k_n * (some * some.transpose());
        if (random.happens(0.5)) force.H(1, 0) += 0.2 * k_n;  // the contact slides
      }
      forces.push_back(force);
    }
    const Eigen::Index m = rows.rows().size();
    MatrixXd G(m, model.nv()), H = MatrixXd::Zero(m, m);
    for (Eigen::Index r = 0; r < m; ++r) {
      VectorXd g(model.nv());
      rows.covector(r, g);
      G.row(r) = g;
    }
    for (std::size_t g = 0; g < forces.size(); ++g) H.block<3, 3>(3 * Eigen::Index(g), 3 * Eigen::Index(g)) = forces[g].H;
    K += h * G.transpose() * H * G;
  }
  auto solve_M() {
    return [this](VectorRef<double> x) { abi_solve(model, rows.tree(), abi, x, x); };
  }
};

TEST_CASE("tied rows: solutions by dense matrices and by iteration match the complete matrix", "[integrators][compliant][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& [contacts, stiff] : {std::pair{2, 8.}, {10, 2.}, {30, 2.}, {10, 6.}, {30, 6.}}) {
      Tied scene(seed, contacts, stiff);
      VectorXd b(scene.model.nv());
      models::Random random(seed + 50);
      for (double& x : b) x = random.uniform(-1, 1);
      const VectorXd exact = test::solve(scene.K, b);
      for (const bool dense : {true, false}) {
        CAPTURE(seed, contacts, stiff, dense, scene.model.nv());
        TiedRows<Model<double>> ties(scene.model, 3 * std::size_t(contacts), dense ? 1000 : 0);
        for (std::size_t g = 0; g < std::size_t(contacts); ++g) REQUIRE(ties.add(g, 3 * Eigen::Index(g), 3));
        CHECK_FALSE(ties.add(std::size_t(contacts), 0, 1));
        VectorXd x = b;
        const test::AllocationCounter allocations;
        const bool regular = ties.factor(scene.rows, scene.mobility, scene.forces, h, scene.solve_M());
        ties.solve(scene.rows, scene.solve_M(), x);
        CHECK(allocations.count() == 0);
        REQUIRE(regular);
        const double error = (x - exact).norm() / exact.norm();
        CHECK(error < 1e-13 * std::pow(10, stiff) + 1e-8);  // rounding, amplified by stiff rows that are nearly dependent
      }
    }
  }
}

}  // namespace tied_rows_test
