// SPDX-License-Identifier: BSD-3-Clause
// The exact Jacobian of SVI against central differences of its residual and against dual numbers.
#include "actio/dynamics/svi/jacobian.hpp"

#include <algorithm>

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/dual.hpp"
#include "support/flat_tree.hpp"

namespace svi_jacobian_test {

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

TEST_CASE("svi jacobian: it matches sixth-order differences on random trees", "[dynamics][svi][jacobian][long]") {
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

TEST_CASE("svi jacobian: for a short step it is M / h, and the step back in time has minus its transpose",
          "[dynamics][svi][jacobian][long]") {
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

TEST_CASE("svi jacobian: it matches dual numbers on a chain of a hundred links", "[dynamics][svi][jacobian]") {
  using test::Dual;
  const Model<double> model = models::revolute_chain(100);
  const double h = 1e-3;
  const VectorXd q = models::random_configuration(model, 1), x = h * models::random_velocity(model, 2),
                 d = models::random_velocity(model, 3);
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

/// Returns q after n steps of length h by Newton's method from (q, v).  @param watch called with (q, p) at each node.
template <class Watch>
VectorXd run(const Model<double>& model, VectorXd q, const VectorXd& v, double h, int n, const Watch& watch) {
  SviData<double> data(model);
  CrbaData<double> composite(model);
  MatrixXd J(model.nv(), model.nv());
  VectorXd p = MatrixXd(crba(model, composite, q)).selfadjointView<Eigen::Upper>() * v, x = h * v;
  for (int k = 0; k < n; ++k) {
    int iterations = 0;
    for (double change = 1; change > 1e-11 && iterations < 20; ++iterations) {
      svi_evaluate(model, data, q, x, h);
      svi_jacobian(model, data, J);
      const VectorXd z = test::solve(J, p - data.left);
      change = z.cwiseAbs().maxCoeff();
      x += z;
    }
    REQUIRE(iterations <= 6);
    svi_evaluate(model, data, q, x, h);
    p = data.right;
    q += x;
    watch(q, p);
  }
  return q;
}

TEST_CASE("svi: steps conserve the momentum about a vertical hinge, bound the energy error and have order 2",
          "[dynamics][svi][jacobian][long]") {
  models::Random random(3);
  ModelBuilder<double> builder("carousel");
  const auto add = [&](const std::string& name, const std::string& parent, const Pose<double>& at, const DefaultJoints<double>& joint) {
    builder.add_body(name, models::detail::random_inertia<double>(random));
    builder.add_joint(name, parent, name, at, joint);
  };
  add("post", "world", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  add("arm", "post", random.pose<double>(0.5), Universal<double>({1, 0, 0}, {0, 1, 0}));
  add("rod", "arm", random.pose<double>(0.5), Revolute<double>({1, 2, 1}));
  add("other", "post", random.pose<double>(0.5), Revolute<double>({0, 1, 1}));
  const Model<double> model = builder.build();
  const VectorXd q = models::random_configuration(model, 1, 1.0), v = models::random_velocity(model, 2);

  CrbaData<double> composite(model);
  KinematicsData<double> at(model);
  const auto energy_at = [&](const VectorXd& q_k, const VectorXd& p_k) {
    const MatrixXd M = MatrixXd(crba(model, composite, q_k)).selfadjointView<Eigen::Upper>();
    forward_kinematics(model, at, q_k);
    return p_k.dot(test::solve(M, p_k)) / 2 + potential_energy(model, at);
  };
  const MatrixXd M = MatrixXd(crba(model, composite, q)).selfadjointView<Eigen::Upper>();
  const VectorXd p0 = M * v;
  const double start = energy_at(q, p0);
  double drift = 0, off = 0;
  run(model, q, v, 0.01, 1000, [&](const VectorXd& q_k, const VectorXd& p_k) {
    drift = std::max(drift, std::abs(p_k[0] - p0[0]));
    off = std::max(off, std::abs(energy_at(q_k, p_k) - start));
  });
  CAPTURE(start, off);
  CHECK(drift < 1e-10 * p0.norm());
  CHECK(off < 0.02 * std::abs(start));

  VectorXd exact = q, rate = v;  // reference by the classical Runge-Kutta method of order 4
  AbaData<double> forward(model);
  const VectorXd none = VectorXd::Zero(model.nv());
  const auto a = [&](const VectorXd& q_k, const VectorXd& v_k) -> VectorXd {
    REQUIRE(aba(model, forward, q_k, v_k, none) == 0);
    return forward.a;
  };
  const double h = 0.001;
  for (int k = 0; k < 400; ++k) {
    const VectorXd a1 = a(exact, rate), v2 = rate + h / 2 * a1, a2 = a(exact + h / 2 * rate, v2), v3 = rate + h / 2 * a2;
    const VectorXd a3 = a(exact + h / 2 * v2, v3), v4 = rate + h * a3, a4 = a(exact + h * v3, v4);
    exact += h / 6 * (rate + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const auto nothing = [](const VectorXd&, const VectorXd&) {};
  const double coarse = (run(model, q, v, 0.01, 40, nothing) - exact).norm(), fine = (run(model, q, v, 0.005, 80, nothing) - exact).norm();
  CAPTURE(coarse, fine);
  CHECK(std::abs(coarse / fine - 4) < 0.2);
}

TEST_CASE("svi jacobian: it matches double precision in single precision", "[dynamics][svi][jacobian][long]") {
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

}  // namespace svi_jacobian_test
