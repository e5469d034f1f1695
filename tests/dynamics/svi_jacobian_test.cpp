// SPDX-License-Identifier: BSD-3-Clause
// The exact Jacobian of SVI against central differences of its residual and against dual numbers.
#include "actio/dynamics/svi_jacobian.hpp"

#include "actio/dynamics/crba.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/ready/chain.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dual.hpp"
#include "support/flat_tree.hpp"

namespace {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd jacobian(const Model<double>& model, SviData<double>& data, const VectorXd& q, const VectorXd& x, double h) {
  MatrixXd J(model.nv(), model.nv());
  const test::AllocationCounter allocations;
  svi_evaluate(model, data, q, x, h);
  svi_jacobian(model, data, J);
  CHECK(allocations.count() == 0);
  return J;
}

TEST_CASE("svi jacobian: sixth-order differences, on random trees", "[dynamics][svi][jacobian][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = test::flat_tree(seed, 8);
    const double h = seed % 2 == 0 ? 0.25 : -0.1, e = 2e-2;
    CAPTURE(seed, h);
    const VectorXd q = models::random_configuration(model, seed, 1.0), x = h * models::random_velocity(model, seed + 100, 2.0);
    SviData<double> data(model);
    const MatrixXd J = jacobian(model, data, q, x, h);
    MatrixXd differenced(model.nv(), model.nv());
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const auto at = [&](double s) -> VectorXd {
        svi_evaluate(model, data, q, x + s * e * VectorXd::Unit(model.nv(), k), h);
        return data.left;
      };
      differenced.col(k) = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);
    }
    CHECK((J - differenced).norm() < 1e-8 * differenced.norm());
  }
}

TEST_CASE("svi jacobian: at rest it is M / h less h/4 the stiffness of gravity, and D1 D2 L_d is symmetric in time", "[dynamics][svi][jacobian][fast]") {
  const Model<double> model = test::flat_tree(7, 12);
  const double h = 0.05;
  const VectorXd q = models::random_configuration(model, 7, 1.0), x = h * models::random_velocity(model, 8);
  SviData<double> data(model);
  CrbaData<double> composite(model);
  const MatrixXd at_rest = jacobian(model, data, q, VectorXd::Zero(model.nv()), 1e-6);
  const MatrixXd M = MatrixXd(crba(model, composite, q)).selfadjointView<Eigen::Upper>();
  CHECK((1e-6 * at_rest - M).norm() < 1e-9 * M.norm());
  const MatrixXd there = jacobian(model, data, q, x, h), back = jacobian(model, data, q + x, -x, -h);
  CHECK((there + back.transpose()).norm() < 1e-12 * there.norm());  // J = -D2 D1 L_d, and L_d(q0, q1, h) = -L_d(q1, q0, -h)
}

TEST_CASE("svi jacobian: a directional derivative by dual numbers on a chain of a hundred links", "[dynamics][svi][jacobian]") {
  using test::Dual;
  const Model<double> model = models::revolute_chain(100);
  const double h = 1e-3;
  const VectorXd q = models::random_configuration(model, 1), x = h * models::random_velocity(model, 2), d = models::random_velocity(model, 3);
  SviData<double> data(model);
  const VectorXd rate = jacobian(model, data, q, x, h) * d;

  const Model<Dual> dual = cast<Dual>(model);
  SviData<Dual> in_dual(dual);
  VectorX<Dual> x_dual(model.nv());
  for (Eigen::Index k = 0; k < x.size(); ++k) x_dual[k] = Dual(x[k], d[k]);
  svi_evaluate(dual, in_dual, q.cast<Dual>(), x_dual, Dual(h));
  VectorXd expected(model.nv());
  for (Eigen::Index k = 0; k < x.size(); ++k) expected[k] = in_dual.left[k].derivative;
  CHECK((rate - expected).norm() < 1e-12 * expected.norm());
  MatrixX<Dual> J(model.nv(), model.nv());
  svi_jacobian(dual, in_dual, J);
  double off = 0;
  const MatrixXd plain = jacobian(model, data, q, x, h);
  for (Eigen::Index k = 0; k < J.size(); ++k) off = std::max(off, std::abs(J.data()[k].x - plain.data()[k]));
  CHECK(off < 1e-12 * plain.norm());
}

TEST_CASE("svi jacobian: single precision", "[dynamics][svi][jacobian][fast]") {
  const Model<double> model = test::flat_tree(9, 10);
  const Model<float> single = cast<float>(model);
  const VectorXd q = models::random_configuration(model, 9, 1.0), x = 0.1 * models::random_velocity(model, 10);
  SviData<double> data(model);
  SviData<float> in_single(single);
  const MatrixXd J = jacobian(model, data, q, x, 0.1);
  Eigen::MatrixXf J_single(model.nv(), model.nv());
  svi_evaluate(single, in_single, q.cast<float>(), x.cast<float>(), 0.1f);
  svi_jacobian(single, in_single, J_single);
  CHECK((J_single.cast<double>() - J).norm() < 1e-5 * J.norm());
}

}  // namespace
