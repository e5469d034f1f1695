// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Problems of compliant rows that no robot made: the reference ones, and random ones.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "actio/model/ready/random.hpp"
#include "actio/solvers/cone_dual.hpp"
#include "actio/solvers/dense_velocities.hpp"
#include "support/dense.hpp"
#include "support/oracle.hpp"

namespace actio::test {

/// One step of a few velocities with rows: in forces, W lambda + b, and in velocities.
struct ConeCase {
  std::string name;
  Json json;  ///< of a reference problem
  Eigen::MatrixXd M, G;
  Eigen::VectorXd v_free;
  double h = 0;
  ConeRows<double> rows{0};

  DenseVelocities<double> velocities() const { return {M, G, v_free, h, rows}; }
  DenseConeProblem<double> forces() const {
    DenseConeProblem<double> problem{h * delassus(G, M), G * v_free + rows.bias(), rows};
    problem.W.diagonal() += rows.R();
    return problem;
  }
};

/// The reference problems of a kind: "bilateral", "unilateral" or "cone". Their free rates u are not all G times something: they are taken
/// as bias, over v_free = 0.
inline std::vector<ConeCase> cone_cases(const std::string& kind) {
  std::vector<ConeCase> cases;
  std::filesystem::path path(ACTIO_TEST_DATA);
  path /= "reference/problems_";
  const Json file = read_json(path.concat(kind).concat(".json"));
  for (const Json& problem : file["problems"]) {
    const auto vector = [&](const char* name) { return to_vector(problem[name]); };
    ConeCase one{problem["id"].get<std::string>(), problem, vector("Minv_diag").cwiseInverse().asDiagonal(), to_matrix(problem["G"]),
                 Eigen::VectorXd::Zero(problem["nv"].get<int>()), problem["h"].get<double>(), ConeRows<double>()};
    const Eigen::VectorXd D = vector("C") + one.h * vector("K"), bias = vector("u") + vector("K").cwiseQuotient(D).cwiseProduct(vector("phi0"));
    const Eigen::Index m = D.size(), nb = kind == "bilateral" ? m : problem.value("nb", 0), nu = kind == "unilateral" ? m : problem.value("nu", 0);
    one.rows = ConeRows<double>(m);
    bool fits = true;
    for (Eigen::Index i = 0; i < nb + nu; ++i) fits &= one.rows.add(i < nb ? RowKind::bilateral : RowKind::unilateral, 1 / D[i], bias[i]);
    const int dt = problem.value("dt", 0);
    for (std::size_t c = 0; one.rows.size() < m; ++c) {
      const Eigen::Index i = one.rows.size();
      fits &= one.rows.add_contact(dt, 1 / D[i], 1 / D[i + 1], problem["mu"][c].get<double>(), 0);
      one.rows.bias().segment(i, 1 + dt) = bias.segment(i, 1 + dt);
    }
    if (!fits) throw std::runtime_error(one.name);
    cases.push_back(one);
  }
  return cases;
}

class Random : public models::Random {
 public:
  using models::Random::Random;
  double operator()(double low, double high) { return uniform(low, high); }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns, double size = 1) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(-size, size); });
  }
};

/// Rows of all kinds, more or fewer than velocities, that may depend on and contradict each other; stiffness to 1e10, steps of 0.1 to 30 ms.
inline ConeCase random_cone_case(std::uint64_t seed, double largest_friction) {
  Random random(seed);
  const auto count = [&](int most) { return static_cast<int>(random(0, most + 1)); };
  const int n = 3 + count(19), contacts = 1 + count(9), bilateral = count(2), unilateral = count(3), friction = count(2), tangents = 1 + count(1);
  const int m = bilateral + unilateral + friction + contacts * (1 + tangents);
  ConeCase one{"random " + std::to_string(seed), {}, Eigen::MatrixXd::Identity(n, n), random.matrix(m, n), random.matrix(n, 1, 2),
               std::pow(10, random(-4, -1.5)),
               ConeRows<double>(m)};
  const Eigen::MatrixXd root = random.matrix(n, n);
  one.M += root * root.transpose();
  const double R = 1 / (one.h * std::pow(10, random(3, 10)));
  bool fits = true;
  for (int i = 0; i < bilateral; ++i) fits &= one.rows.add(RowKind::bilateral, R, random(-0.1, 0.1));
  for (int i = 0; i < unilateral; ++i) fits &= one.rows.add(RowKind::unilateral, R, random(-0.1, 0.1));
  for (int i = 0; i < friction; ++i) fits &= one.rows.add(RowKind::friction, 1e-4, 0, random(0, 5));
  for (int i = 0; i < contacts; ++i) {
    fits &= one.rows.add_contact(tangents, R, std::pow(10, random(-6, -2)), random(0, largest_friction), random(-0.3, 0.1));
  }
  if (!fits) throw std::runtime_error(one.name);
  return one;
}

/// The certificate from the data of a case alone, relative to its free rates.
inline ConeCertificate<double> certificate(const ConeCase& one, ConeLaw law, const Eigen::VectorXd& lambda) {
  const DenseConeProblem<double> problem = one.forces();
  return certify<double>(one.rows, law, lambda, problem.W * lambda + problem.b, problem.b.cwiseAbs().maxCoeff());
}

}  // namespace actio::test
