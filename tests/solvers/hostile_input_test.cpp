// SPDX-License-Identifier: BSD-3-Clause
// Values that are not finite, overflow, vanish or make a matrix singular: every solver ends, and none reports a solution that is wrong.
#include <limits>

#include "actio/solvers/cone/newton.hpp"
#include "actio/solvers/krylov.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/automatic.hpp"
#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/quasi_newton.hpp"
#include "actio/solvers/sparse/block_ldu.hpp"
#include "actio/solvers/sparse/changing_ldu.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense_velocities.hpp"
#include "support/root_problem.hpp"

namespace hostile_input_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::array<double, 8> hostile{std::nan(""), infinity, -infinity, 1e300, -1e300, 1e-300, 5e-324, 0};

/// A root of a system with one hostile number, from a guess that may have one too.
template <class Root>
void check_root_finder(const char* name) {
  for (const double number : hostile) {
    for (const int place : {0, 1, 2, 3, 4}) {
      test::SineProblem problem(0.1, 0.5);
      VectorXd x = VectorXd::Constant(4, 0.1);
      if (place == 0) problem.b[1] = number;
      if (place == 1) problem.A(2, 1) = number;
      if (place == 2) problem.A.setConstant(number);
      if (place == 3) x[3] = number;
      if (place == 4) problem.H.setConstant(number);
      typename Root::template Workspace<double> work(4);
      RootMemory<Root, double> memory{};
      const RootResult<double> result = find_root<Root, double>(problem, x, work, memory, {1e-10, 50});
      CAPTURE(name, number, place, x.transpose(), result.norm);
      if (result.status != Status::converged) continue;
      CHECK(x.allFinite());
      CHECK(problem.value_at(x).norm() <= 1e-3 * (1 + problem.b.norm()));  // the tolerance of ConstantCost; that of the others is 1e-10
    }
  }
}

TEST_CASE("hostile input: root finders end and report no false roots", "[solvers][hostile][fast]") {
  check_root_finder<Riqn>("riqn");
  check_root_finder<Newton>("newton");
  check_root_finder<SimplifiedNewton>("simplified newton");
  check_root_finder<Automatic>("automatic");
  check_root_finder<ConstantCost>("constant cost");
  check_root_finder<Broyden>("broyden");
  check_root_finder<Anderson>("anderson");
  check_root_finder<DenseNewton>("dense newton");
  check_root_finder<DenseBroyden>("dense broyden");
}

/// A diagonally dominant matrix and a right-hand side with one hostile number; or the whole matrix is hostile.
struct Linear {
  MatrixXd A = MatrixXd::Constant(6, 6, 0.1) + 3 * MatrixXd::Identity(6, 6);
  VectorXd b = VectorXd::LinSpaced(6, -1, 2);
  Linear(double number, int place) {
    if (place == 0) b[2] = number;
    if (place == 1) A(3, 3) = number;
    if (place == 2) A(1, 4) = A(4, 1) = number;
    if (place == 3) A.setConstant(number);
  }
};

template <class Solve>
void check_iteration(const char* name, Solve solve) {
  for (const double number : hostile) {
    for (const int place : {0, 1, 2, 3}) {
      const Linear system(number, place);
      VectorXd r = system.b, x = VectorXd::Zero(6);
      const SweepResult<double> result = solve(system, r, x);
      CAPTURE(name, number, place, result.residual, x.transpose());
      CHECK(result.iterations <= 100);
      if (!(result.residual <= 1e-8)) continue;  // reported as not solved
      CHECK(x.allFinite());
      if (place > 0) CHECK((system.A * x - system.b).norm() < 1e-6);
    }
  }
}

TEST_CASE("hostile input: iterative solvers end and report no false solutions", "[solvers][hostile][fast]") {
  const auto times = [](const Linear& system) { return [&system](const auto& x, auto&& out) { out = system.A * x; }; };
  const auto third = [](const auto& r, auto&& out) { out = r / 3; };
  check_iteration("conjugate gradients", [&](const Linear& s, VectorXd& r, VectorXd& x) {
    return ConjugateGradients<double>(6).solve(times(s), third, r, x, 1e-10, 100);
  });
  check_iteration("Richardson", [&](const Linear& s, VectorXd& r, VectorXd& x) {
    return Richardson<double>(6).solve(times(s), third, r, x, 1e-10, 100);
  });
  check_iteration("GMRES",
                  [&](const Linear& s, VectorXd& r, VectorXd& x) { return Gmres<double>(6, 4).solve(times(s), r, x, 1e-10, 100); });
}

TEST_CASE("hostile input: factorisations end and report no false solutions", "[solvers][hostile][fast]") {
  BlockGraph graph;
  for (int i = 0; i < 2; ++i) graph.add_node(3);
  graph.couple(0, 1);
  for (const double number : hostile) {
    for (const int place : {1, 2, 3}) {
      const Linear system(number, place);
      BlockLdu<double> ldu(graph, {0, 1});
      ChangingLdu<double> changing({3, 3}, 1);
      const std::vector<std::array<int, 2>> pair{{0, 1}};
      REQUIRE(changing.plan(pair));
      for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
          ldu.block(a, b) = system.A.block(3 * a, 3 * b, 3, 3);
          double* const to = changing.block(changing.place(a, b));
          for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) to[r + detail::leading<double>(3) * c] = system.A(3 * a + r, 3 * b + c);
          }
        }
      }
      CAPTURE(number, place);
      VectorXd x = system.b, y = system.b;
      if (ldu.factor() == -1) {
        ldu.solve(x);
        CHECK((system.A * x - system.b).norm() < 1e-6);
      }
      if (changing.factor()) {
        changing.solve(y);
        CHECK((system.A * y - system.b).norm() < 1e-6);
      }
      CHECK_FALSE((place == 3 && ldu.factor() == -1));
      test::DenseVelocities<double> dense(system.A, MatrixXd(0, 6), VectorXd::Zero(6), 1e-2, ConeRows<double>(0));
      VectorXd z = system.b;
      if (!dense.factor({})) continue;
      dense.solve(z);
      CHECK((system.A * z - system.b).norm() < 1e-6);
    }
  }
}

TEST_CASE("hostile input: cone solvers end and report no false solutions", "[solvers][hostile][fast]") {
  for (const double number : hostile) {
    for (const int place : {0, 1, 2, 3, 4, 5}) {
      const Linear system(number, place);
      DenseConeProblem<double> problem{system.A, -system.b, ConeRows<double>(6)};
      const double R = place == 4 ? number : 1e-3, limit = place == 5 ? number : 0.7;
      REQUIRE((problem.rows.add(RowKind::bilateral, 1e-3, 0) && problem.rows.add(RowKind::unilateral, R, 0)));
      REQUIRE((problem.rows.add_contact(2, R, 1e-3, limit, 0) && problem.rows.add(RowKind::friction, 1e-3, 0, limit)));
      CAPTURE(number, place);
      for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
        const ConeSolution<double> found = solve(problem, law);
        if (found.status == Status::converged) {
          CAPTURE(found.lambda.transpose(), found.certificate.force, found.certificate.rate, found.certificate.power);
          CHECK(found.lambda.allFinite());
          CHECK((found.certificate.worst() < 1e-6 || limit > 1e10));  // with such a limit a slack rate of rounding size is a power
        }
      }
      const ConeSolution<double> published = solve_published(problem);
      if (published.status == Status::converged) CHECK((published.lambda.allFinite() && published.y.allFinite()));
      VectorXd swept = VectorXd::Zero(6);
      ConeSweeps<double>(problem).run(ConeLaw::coulomb, 20, swept);  // a fixed number of sweeps: it ends
      const bool never = !std::isfinite(number) && place < 4;
      CHECK_FALSE((never && solve(problem, ConeLaw::convex).status == Status::converged));
    }
  }
}

/// Small contact problems with one hostile number. Solutions that are reported as converged are finite and, where bodies have mass, satisfy
/// the
/// balance of momentum and the law that they claim.
TEST_CASE("hostile input: Newton's method for contact velocities ends and reports no false solutions", "[solvers][hostile][fast]") {
  enum Place { free_motion, an_inertia, all_inertias, an_arm, all_arms, a_bias, guessed_motion, guessed_force, num_places };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const double number : hostile) {
      for (int place = 0; place < num_places; ++place) {
        test::ConeCase one = test::small_cone_case(seed);
        VectorXd v = one.v_free, lambda = VectorXd::Zero(one.rows.size());
        if (place == free_motion) one.v_free[1] = number;
        if (place == an_inertia) one.M(0, 0) = number;
        if (place == all_inertias) one.M.setConstant(number);
        if (place == an_arm) one.G(0, 1) = number;
        if (place == all_arms) one.G.setConstant(number);
        if (place == a_bias) one.rows.bias()[0] = number;
        if (place == guessed_motion) v[0] = number;
        if (place == guessed_force) lambda[0] = number;
        for (const ConeLaw law : {ConeLaw::coulomb, ConeLaw::convex}) {
          test::DenseVelocities<double> problem = one.velocities();
          ConeNewton<double> solver(v.size(), lambda.size());
          VectorXd solved_v = v, forces = lambda;
          const ConeResult<double> result = solver.solve(problem, {law, 1e-12, 200}, solved_v, forces);
          CAPTURE(seed, number, place, law == ConeLaw::coulomb, result.residual, result.is_convex, solved_v.transpose(),
                  forces.transpose());
          if (result.status != Status::converged) continue;
          CHECK((solved_v.allFinite() && forces.allFinite()));
          if (place == an_inertia || place == all_inertias) continue;  // not positive definite
          if (place == a_bias && number == infinity) {  // far from contact
            CHECK(forces[0] == 0);
            continue;
          }
          const VectorXd momentum = one.M * (solved_v - one.v_free), impulse = one.h * one.G.transpose() * forces;
          CHECK((momentum - impulse).norm() <= 1e-8 * ((one.M * one.v_free).norm() + impulse.norm()));
          const VectorXd free = one.G * one.v_free + one.rows.bias(),
                         rates = one.G * solved_v + one.rows.bias() + one.rows.R().cwiseProduct(forces);
          // the square of a smaller number is zero
          const double scale = std::max({free.cwiseAbs().maxCoeff(), rates.cwiseAbs().maxCoeff(), 1e-150});
          CHECK(certify<double>(one.rows, result.is_convex ? ConeLaw::convex : law, forces, rates, scale).worst() < 1e-6);
        }
      }
    }
  }
}

}  // namespace hostile_input_test
