// SPDX-License-Identifier: BSD-3-Clause
#include "actio/solvers/cone/newton.hpp"

#include <algorithm>
#include <cstring>
#include <iostream>

#include <Eigen/LU>

#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense.hpp"

namespace cone_newton_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;

struct Solved {
  ConeResult<double> result;
  VectorXd v, lambda;
};
Solved solved(const test::ConeCase& one, const ConeOptions<double>& options) {
  test::DenseVelocities<double> problem = one.velocities();
  ConeNewton<double> newton(one.v_free.size(), one.rows.size());
  Solved end{{}, one.v_free, VectorXd::Zero(one.rows.size())};
  end.result = newton.solve(problem, options, end.v, end.lambda);
  return end;
}
/// The residual of M (v - v_free) = h G^T lambda.
double momentum_error(const test::ConeCase& one, const Solved& end) {
  const VectorXd p = one.M * (end.v - one.v_free);
  return (p - one.h * one.G.transpose() * end.lambda).norm() / (p.norm() + (one.M * one.v_free).norm());
}

TEST_CASE("cone newton: reference problems: determined forces, and all velocities and impulses, are reproduced", "[solvers][cone][fast]") {
  int seen = 0;
  for (const char* kind : {"bilateral", "unilateral", "cone"}) {
    for (const test::ConeCase& one : test::cone_cases(kind)) {
      const double condition = one.json["cond"].get<double>();
      if (condition > 1e9) continue;  // forces of 1e11 N that cancel have no significant digit
      const Solved end = solved(one, {.law = ConeLaw::convex});
      const VectorXd lambda = test::to_vector(one.json[one.json.contains("lambda") ? "lambda" : "lambda_exact"]);
      const VectorXd impulse = test::to_vector(one.json[one.json.contains("lambda") ? "gen_impulse" : "gen_impulse_exact"]),
                     p = one.M * end.v;
      CAPTURE(one.name, condition, end.result.factorizations);
      CHECK(end.result);
      CHECK((p - impulse).cwiseAbs().maxCoeff() < 1e-10 * std::max(1.0, impulse.cwiseAbs().maxCoeff()));
      CHECK((end.lambda - lambda).cwiseAbs().maxCoeff() < 1e-8 * lambda.cwiseAbs().maxCoeff());
      CHECK(end.result.factorizations <= 20);
      if (std::string(kind) == "cone") {
        const Solved coulomb = solved(one, {.law = ConeLaw::coulomb});
        CHECK(coulomb.result);
        CHECK(test::certificate(one, ConeLaw::coulomb, coulomb.lambda).worst() < 1e-10);
      }
      ++seen;
    }
  }
  CHECK(seen == 60);
}

TEST_CASE("cone newton: both laws are solved for arbitrary rows", "[solvers][cone][fast]") {
  int unsolved = 0, factorizations = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 1.2);
    CAPTURE(seed);
    const Solved convex = solved(one, {.law = ConeLaw::convex}), coulomb = solved(one, {.law = ConeLaw::coulomb});
    REQUIRE(convex.result);
    // rates of rows with 1e10 N/m amplify the rounding of the forces, 1e-16 of D
    REQUIRE(test::certificate(one, ConeLaw::convex, convex.lambda).worst() < 1e-7);
    REQUIRE(momentum_error(one, convex) < 1e-9);
    factorizations += convex.result.factorizations;
    unsolved += coulomb.result.is_convex;
    REQUIRE(coulomb.result);
    if (coulomb.result.is_convex) continue;
    REQUIRE(test::certificate(one, ConeLaw::coulomb, coulomb.lambda).worst() < 1e-7);
    REQUIRE(momentum_error(one, coulomb) < 1e-9);
  }
  CHECK(factorizations < 8 * 1000);
  CHECK(unsolved == 0);
}

TEST_CASE("cone newton: problems with moderate friction are always solved", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 0.4);
    CAPTURE(seed);
    const ConeResult<double> result = solved(one, {.law = ConeLaw::coulomb}).result;
    REQUIRE((result && !result.is_convex));
  }
}

TEST_CASE("cone newton: rigid bilateral rows are satisfied as equations", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    test::ConeCase one = test::random_cone_case(seed, 0.5);
    const Eigen::Index n = one.v_free.size(), m = 2;
    one.rows = ConeRows<double>(m);
    one.G = random.matrix(m, n);
    REQUIRE((one.rows.add(RowKind::bilateral, 0, random(-1, 1)) && one.rows.add(RowKind::bilateral, 0, random(-1, 1))));
    MatrixXd kkt = MatrixXd::Zero(n + m, n + m);
    kkt << one.M, -one.h * one.G.transpose(), one.G, MatrixXd::Zero(m, m);
    VectorXd right(n + m);
    right << one.M * one.v_free, -one.rows.bias();
    const VectorXd expected = test::solve(kkt, right);
    const Solved end = solved(one, {});
    CAPTURE(seed);
    REQUIRE(end.result);
    CHECK((end.v - expected.head(n)).norm() < 1e-10 * expected.head(n).norm());
    CHECK((end.lambda - expected.tail(m)).norm() < 1e-7 * expected.tail(m).norm());
  }
}

/// Rigid equations, the last of which is as close to dependent as `smallest`, and two redundant ones if `is_redundant`.
struct NearlyDependent {
  test::ConeCase one;
  double smallest;
  VectorXd v;  ///< the solution, computed with more digits
};
NearlyDependent nearly_dependent(std::uint64_t seed, bool is_redundant) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  test::Random random(seed);
  const Eigen::Index n = 6 + static_cast<int>(random(0, 11)), m = 3 + static_cast<int>(random(0, static_cast<double>(n) - 4)),
                     all = is_redundant ? m + 2 : m;
  const MatrixXd root = random.matrix(n, n);
  NearlyDependent equations{{"", {}, MatrixXd::Identity(n, n) + root * root.transpose(), random.matrix(all, n), random.matrix(n, 1),
                             std::pow(10, random(-4, -2)), ConeRows<double>(all)},
                            std::pow(10, random(-6, 0)),
                            {}};
  test::ConeCase& one = equations.one;
  one.G.row(m - 1) = (random.matrix(1, m - 1) * one.G.topRows(m - 1) + equations.smallest * random.matrix(1, n)).eval();
  if (is_redundant) one.G.bottomRows(2) = (random.matrix(2, m) * one.G.topRows(m)).eval();
  const VectorXd bias = -one.G * random.matrix(n, 1, 0.1), mobility = test::delassus(one.G, one.M).diagonal();
  for (Eigen::Index i = 0; i < all; ++i) {
    REQUIRE(one.rows.add(RowKind::bilateral, 0, bias[i]));
    settle_rigid_rows(one.rows, mobility, one.h);
  }
  Long kkt = Long::Zero(n + all, n + all), right(n + all, 1);
  const Long G = one.G.cast<long double>(), M = one.M.cast<long double>();
  kkt << M, -static_cast<long double>(one.h) * G.transpose(), G, Long(one.rows.R().cast<long double>().asDiagonal());
  right << M * one.v_free.cast<long double>(), -bias.cast<long double>();
  equations.v = kkt.fullPivLu().solve(right).topRows(n).cast<double>();
  return equations;
}

TEST_CASE("cone newton: velocities of loops close to dependent are as exact as the tolerance says", "[solvers][cone][fast]") {
  // Their residuals are small far from the solution: errors were once up to 2e4 tolerances.
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto [one, smallest, v] = nearly_dependent(seed, seed % 2 == 0);
    for (const double tolerance : {1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
      const Solved end = solved(one, {.tolerance = tolerance});
      const VectorXd d = end.v - v;
      CAPTURE(seed, smallest, tolerance, end.result.residual);
      CHECK(end.result);
      CHECK(end.result.factorizations <= 5);
      CHECK(std::sqrt(d.dot(one.M * d)) < (10 * tolerance + 1e-15 / smallest) * std::sqrt(one.v_free.dot(one.M * one.v_free)));
    }
  }
}

TEST_CASE("cone newton: both exact laws dissipate energy and never add any", "[solvers][cone][fast]") {
  int moved = 0, unsolved = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    // One step of springs at phi_0, without forces at the start: T + U never rises.                [compliant_math.md, section 2.3]
    test::Random random(seed + 5000);
    const int n = 3 + static_cast<int>(random(0, 6)), unilateral = 2, contacts = 4, m = unilateral + 3 * contacts;
    const MatrixXd root = random.matrix(n, n);
    test::ConeCase one{"", {}, root * root.transpose() + MatrixXd::Identity(n, n), random.matrix(m, n), random.matrix(n, 1, 2),
                       std::pow(10, random(-4, -1)), ConeRows<double>(m)};
    const double K = std::pow(10, random(2, 12)), C = random(0, 100), D = C + one.h * K;
    VectorXd phi = VectorXd::Zero(m);
    bool fits = true;
    for (int k = 0; k < unilateral + contacts; ++k) {
      const Eigen::Index i = one.rows.size();
      phi[i] = random(-1, 0.5) * one.h;
      fits &= k < unilateral ? one.rows.add(RowKind::unilateral, 1 / D, K / D * phi[i])
                             : one.rows.add_contact(2, 1 / D, 1e-5, random(0, 0.6), K / D * phi[i]);
    }
    REQUIRE(fits);
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      const Solved end = solved(one, {.law = law});
      unsolved += end.result.is_convex;
      REQUIRE(end.result);
      const auto elastic = [&](const VectorXd& at) {
        double sum = 0;
        for (const RowGroup<double>& group : one.rows.groups()) sum += K / 2 * std::pow(std::min(0.0, at[group.first]), 2);
        return sum;
      };
      const double before = one.v_free.dot(one.M * one.v_free) / 2 + elastic(phi),
                   after = end.v.dot(one.M * end.v) / 2 + elastic(phi + one.h * one.G * end.v);
      CAPTURE(seed, before, after);
      CHECK(after <= before * (1 + 1e-12));
      moved += (end.v - one.v_free).norm() > 1e-3;
    }
  }
  CHECK(moved > 1500);
  CHECK(unsolved == 0);
}

/// Statistics of solved problems: converged solutions satisfy their law, and relaxed ones add no energy.
struct Verdict {
  long coulomb = 0, relaxed = 0, failed = 0;
  long relaxed_in_vain = 0;                ///< relaxed problems for which the interior-point method finds Coulomb forces
  long coarse = 0;                         ///< of Coulomb's law, with a certificate above 1e-6
  double worst = 0, worst_relaxed = 0;     ///< largest certificates
  double unbalanced = 0;                   ///< violation of the balance of momentum, relative to the sum of the magnitudes of all impulses
  double gain = 0;                         ///< relative increase of energy
  long factorizations = 0, most_factorizations = 0;

  void add(const test::ConeCase& one, const Solved& end) {
    factorizations += end.result.factorizations;
    most_factorizations = std::max<long>(most_factorizations, end.result.factorizations);
    if (!end.result) {
      ++failed;
      return;
    }
    const ConeLaw law = end.result.is_convex ? ConeLaw::convex : ConeLaw::coulomb;
    double& largest = end.result.is_convex ? worst_relaxed : worst;
    const double certificate = test::certificate(one, law, end.lambda, end.v).worst();
    largest = std::max(largest, certificate);
    coarse += !end.result.is_convex && certificate > 1e-6;
    const VectorXd p = one.M * (end.v - one.v_free), sum = one.h * one.G.cwiseAbs().transpose() * end.lambda.cwiseAbs();
    unbalanced =
        std::max(unbalanced, (p - one.h * one.G.transpose() * end.lambda).norm() / (sum.norm() + (one.M * one.v_free).norm() + 1e-300));
    ++(end.result.is_convex ? relaxed : coulomb);
    if (!end.result.is_convex) return;
    const ConeSolution<double> interior = solve(one.forces(), ConeLaw::coulomb);
    relaxed_in_vain += interior.status == Status::converged && interior.certificate.worst() < 1e-6;
  }
  void add(const test::SprungCone& one, const Solved& end) {
    add(static_cast<const test::ConeCase&>(one), end);
    if (end.result) gain = std::max(gain, one.energy_after(end.v) / one.energy_before() - 1);
  }
  void print(const char* name) const {
    std::cout << name << ": " << coulomb << " by Coulomb's law, largest certificate " << worst << ", " << coarse << " above 1e-6; "
              << relaxed << " by the convex law, largest " << worst_relaxed << ", " << relaxed_in_vain
              << " of them solved by interior points; " << failed << " failed; largest momentum error " << unbalanced
              << ", largest gain of energy " << gain << "; factorisations: " << factorizations << ", at most " << most_factorizations
              << "\n";
  }
};

/// The smallest problem that halved steps from the guess and from the convex solution do not solve.
test::ConeCase smallest_stubborn_case() {
  test::ConeCase one{"one contact", {}, MatrixXd::Identity(3, 3), MatrixXd(3, 3), Eigen::Vector3d(-1, 0.5, 1), 0.01, ConeRows<double>(3)};
  one.G << 0.5, 0.25, 0.25, 0.5, 0.5, 0, -0.75, -0.5, -0.5;
  REQUIRE(one.rows.add_contact(2, 1 / (1 + 0.01 * 1e6), 1e-4, 0.75, 0));
  return one;
}

TEST_CASE("cone newton: one contact that Newton's method alone does not solve satisfies Coulomb's law", "[solvers][cone][fast]") {
  const test::ConeCase one = smallest_stubborn_case();
  const Solved end = solved(one, {});
  CHECK(end.result);
  CHECK_FALSE(end.result.is_convex);
  CHECK(end.result.factorizations < 200);
  CHECK(test::certificate(one, ConeLaw::coulomb, end.lambda).worst() < 1e-10);
}

/// Checks that every problem satisfies Coulomb's law and that none adds energy.
void check_coulomb(const Verdict& verdict) {
  CHECK(verdict.failed == 0);
  CHECK(verdict.relaxed == 0);
  CHECK(verdict.worst < 1e-6);
  CHECK(verdict.unbalanced < 1e-8);
  CHECK(verdict.gain < 1e-9);
}

TEST_CASE("cone newton: the path to Coulomb's law is followed where it turns back", "[solvers][cone][fast]") {
  // Among a million small problems these were relaxed after 1000 factorisations, although solutions by Coulomb's law exist; the last five
  // counted as
  // converged with a residual just below 1e-6, one of them with forces of 1e-7 N instead of 11 N.
  Verdict verdict;
  for (const std::uint64_t seed : {8328UL, 44173UL, 50691UL, 198574UL, 248176UL, 274594UL, 327172UL, 343026UL, 477563UL, 512265UL, 615148UL,
                                   954581UL, 238513UL, 408225UL, 735756UL, 936299UL, 943642UL}) {
    const test::SprungCone one = test::small_cone_case(seed);
    verdict.add(one, solved(one, {}));
  }
  check_coulomb(verdict);
}

TEST_CASE("cone newton: small problems of any stiffness and friction satisfy Coulomb's law and add no energy", "[solvers][cone][fast]") {
  Verdict verdict;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const test::SprungCone one = test::small_cone_case(seed);
    verdict.add(one, solved(one, {}));
  }
  // Their wrong convex forces once added energy: up to 6e6 times the initial energy.
  for (const std::uint64_t seed : {10643UL, 11049UL, 11717UL, 69808UL, 72586UL, 74378UL}) {
    const test::SprungCone one = test::small_cone_case(seed);
    verdict.add(one, solved(one, {}));
  }
  check_coulomb(verdict);
  CHECK(verdict.factorizations < 5 * 3000);
}

TEST_CASE("cone newton: without a Coulomb solution the result satisfies the convex law and adds no energy", "[solvers][cone][fast]") {
  // T + U decreases under the convex law too, although it lifts sliding contacts: with the lift y_n, the previous spring force K f, f =
  // -phi >= 0,
  // and the rate w_n, a contact adds within a time h at most h (y_n (2 D w_n - K f - D y_n) - C w_n^2 - h K w_n^2 / 2) <= 0 while h w_n <=
  // f.
  Verdict verdict;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const test::SprungCone one = test::small_cone_case(seed);
    const Solved end = solved(one, {.max_factorizations = 40});  // so few that some problems do not reach Coulomb's law
    verdict.add(one, end);
    CAPTURE(seed, end.result.factorizations);
    CHECK(end.result);
    if (end.result.is_convex) {
      CHECK(end.result.residual < 1e-8);
      CHECK(end.result.factorizations <= 120);  // at most 40 each for the search, the path and the convex law
    }
  }
  CHECK(verdict.relaxed > 20);
  CHECK(verdict.worst_relaxed < 1e-7);
  CHECK(verdict.unbalanced < 1e-8);
  CHECK(verdict.gain < 1e-9);
}

TEST_CASE("cone newton: boards on many redundant contacts satisfy Coulomb's law", "[solvers][cone][fast]") {
  Verdict verdict;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const test::ConeCase one = test::board_case(seed);
    verdict.add(one, solved(one, {}));
  }
  CHECK(verdict.failed == 0);
  CHECK(verdict.relaxed == 0);
  CHECK(verdict.worst < 1e-6);
}

TEST_CASE("cone newton: heaps of bodies on redundant rigid contacts satisfy Coulomb's law", "[solvers][cone][fast]") {
  // Before steps were damped, most of such heaps took more than 700 factorisations each. Their residuals rise before they fall: at a
  // tolerance of 1e-8, two once ended with certificates of 5e-6 and 1e-5.
  for (const double tolerance : {1e-12, 1e-8}) {
    Verdict verdict;
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
      const test::ConeCase one = test::heap_case(seed, 10, 6);
      verdict.add(one, solved(one, {.tolerance = tolerance}));
    }
    CAPTURE(tolerance);
    CHECK(verdict.failed == 0);
    CHECK(verdict.relaxed == 0);
    CHECK(verdict.worst < 1e-9 + 10 * tolerance);
    CHECK(verdict.most_factorizations < 100);
  }
}

TEST_CASE("cone newton: a million random problems satisfy the law that they report", "[solvers][cone][lab]") {
  Verdict small, boards, mixed;
  for (std::uint64_t seed = 1; seed <= 1000000; ++seed) {
    const test::SprungCone one = test::small_cone_case(seed);
    small.add(one, solved(one, {}));
  }
  small.print("a million small problems");
  for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
    const test::ConeCase one = test::board_case(seed);
    boards.add(one, solved(one, {}));
  }
  boards.print("ten thousand boards");
  for (std::uint64_t seed = 1; seed <= 100000; ++seed) {
    const test::ConeCase one = test::random_cone_case(seed, 1.2);
    mixed.add(one, solved(one, {}));
  }
  mixed.print("a hundred thousand problems with rows of all kinds");
  for (const Verdict& verdict : {small, boards, mixed}) {
    CHECK(verdict.failed == 0);
    CHECK(verdict.worst_relaxed < 1e-6);
    CHECK(verdict.unbalanced < 1e-8);
    CHECK(verdict.gain < 1e-9);
  }
  // Above 1e-6: rates next to forces of 1e11 N that cancel.
  CHECK(small.coarse <= 8);
  CHECK(boards.coarse == 0);
  CHECK(mixed.coarse == 0);
  CHECK(small.relaxed <= 1);
  CHECK(small.relaxed_in_vain <= 1);
  CHECK(boards.relaxed == 0);
  CHECK(mixed.relaxed == 0);
}

TEST_CASE("cone newton: a solution allocates nothing and is reproducible", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    // 2: solved by path following
    const test::ConeCase one = seed == 1   ? smallest_stubborn_case()
                               : seed == 2 ? test::ConeCase(test::small_cone_case(44173))
                                           : test::random_cone_case(seed, 0.4);
    test::DenseVelocities<double> problem = one.velocities();
    ConeNewton<double> newton(one.v_free.size(), one.rows.size() + 5);
    VectorXd v = one.v_free, lambda = VectorXd::Zero(one.rows.size());
    const std::size_t allocations = test::allocations_of_this_thread();
    const ConeResult<double> first = newton.solve(problem, {}, v, lambda);
    CHECK(test::allocations_of_this_thread() == allocations);
    VectorXd again = one.v_free, forces = VectorXd::Zero(one.rows.size());
    const ConeResult<double> second = newton.solve(problem, {}, again, forces);
    CHECK((first.iterations == second.iterations &&
           std::memcmp(v.data(), again.data(), sizeof(double) * static_cast<std::size_t>(v.size())) == 0));
    // From the solution a single evaluation suffices.
    CHECK(newton.solve(problem, {}, v, lambda).factorizations <= 2);
  }
}

TEST_CASE("cone newton: problems without rows are solved, and non-finite input is reported", "[solvers][cone][fast]") {
  test::ConeCase one = test::random_cone_case(1, 0.4);
  one.rows = ConeRows<double>(0);
  one.G.resize(0, one.v_free.size());
  const Solved free = solved(one, {});
  CHECK(free.result);
  CHECK((free.v - one.v_free).isZero(0));
  test::ConeCase broken = test::random_cone_case(2, 0.4);
  broken.v_free[0] = std::numeric_limits<double>::quiet_NaN();
  CHECK(solved(broken, {}).result.status == Status::not_finite);
}

TEST_CASE("cone newton: single precision matches double precision", "[solvers][cone][fast]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    test::ConeCase one = test::random_cone_case(seed, 0.4);
    ConeRows<float> rows(one.rows.size());
    ConeRows<double> same(one.rows.size());  // the values as rounded to single precision
    bool fits = true;
    for (const RowGroup<double>& group : one.rows.groups()) {
      const Eigen::Index i = group.first;
      // rows more than 1e7 times stiffer than the bodies are rounding errors
      const auto resolved = [](double R) { return std::max(1e-5F, static_cast<float>(R)); };
      const float R = resolved(one.rows.R()[i]), R_t = resolved(one.rows.R()[i + group.size - 1]);
      const float bias = static_cast<float>(one.rows.bias()[i]), limit = static_cast<float>(group.limit);
      const auto add = [&](auto& to) {
        return group.kind == RowKind::contact ? to.add_contact(group.size - 1, R, R_t, limit, bias) : to.add(group.kind, R, bias, limit);
      };
      fits &= add(rows) && add(same);
    }
    REQUIRE(fits);
    one.rows = same;
    one.M = one.M.cast<float>().cast<double>();
    one.G = one.G.cast<float>().cast<double>();
    one.v_free = one.v_free.cast<float>().cast<double>();
    one.h = static_cast<float>(one.h);
    test::DenseVelocities<float> problem(one.M.cast<float>(), one.G.cast<float>(), one.v_free.cast<float>(), static_cast<float>(one.h), rows);
    ConeNewton<float> newton(one.v_free.size(), rows.size());
    VectorX<float> v = one.v_free.cast<float>(), lambda = VectorX<float>::Zero(rows.size());
    CAPTURE(seed);
    REQUIRE(newton.solve(problem, {.law = ConeLaw::convex}, v, lambda));
    const Solved end{{}, v.cast<double>(), lambda.cast<double>()};
    CHECK(momentum_error(one, end) < 1e-3);
    CHECK(test::certificate(one, ConeLaw::convex, end.lambda).worst() < 1e-2);
  }
}

TEST_CASE("cone newton: a rigid row without mobility is ignored if satisfied, and reported if not", "[solvers][cone][fast]") {
  for (const double bias : {0., 1.}) {
    for (const ConeLaw law : {ConeLaw::convex, ConeLaw::coulomb}) {
      MatrixXd G = MatrixXd::Zero(2, 3);
      G.row(1) << 1, 2, 3;
      ConeRows<double> rows(2);
      REQUIRE((rows.add(RowKind::bilateral, 0, bias) && rows.add(RowKind::bilateral, 0, 0.5)));
      test::DenseVelocities<double> problem(MatrixXd::Identity(3, 3), G, VectorXd::Ones(3), 1e-3, rows);
      ConeNewton<double> newton(3, 2);
      VectorXd v = VectorXd::Ones(3), lambda = VectorXd::Zero(2);
      const ConeResult<double> result = newton.solve(problem, {.law = law}, v, lambda);
      CAPTURE(bias, static_cast<int>(law));
      CHECK(bool(result) == (bias == 0));
      if (result) CHECK(lambda.allFinite());
      if (result) CHECK(std::abs(G.row(1).dot(v) + 0.5) < 1e-9);
    }
  }
}

}  // namespace cone_newton_test
