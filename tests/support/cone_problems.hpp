// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Problems of compliant rows without a robot: reference problems, and random ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "actio/model/samples/random.hpp"
#include "actio/solvers/reference/cone_dual.hpp"
#include "support/dense.hpp"
#include "support/dense_velocities.hpp"
#include "support/oracle.hpp"

namespace actio::test {

/// One step of a few velocities with rows, in forces, W lambda + b, and in velocities.
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

/// Returns the reference problems of a kind: "bilateral", "unilateral" or "cone". Their free rates u are not always in the range of G, so
/// they become the bias, with v_free = 0.
inline std::vector<ConeCase> cone_cases(const std::string& kind) {
  std::vector<ConeCase> cases;
  std::filesystem::path path(ACTIO_TEST_DATA);
  path /= "reference/problems_";
  const Json file = read_json(path.concat(kind).concat(".json"));
  for (const Json& problem : file["problems"]) {
    const auto vector = [&](const char* name) { return to_vector(problem[name]); };
    ConeCase one{problem["id"].get<std::string>(), problem, vector("Minv_diag").cwiseInverse().asDiagonal(), to_matrix(problem["G"]),
                 Eigen::VectorXd::Zero(problem["nv"].get<int>()), problem["h"].get<double>(), ConeRows<double>()};
    const Eigen::VectorXd D = vector("C") + one.h * vector("K"),
                          bias = vector("u") + vector("K").cwiseQuotient(D).cwiseProduct(vector("phi0"));
    const Eigen::Index m = D.size(), nb = kind == "bilateral" ? m : problem.value("nb", 0),
                       nu = kind == "unilateral" ? m : problem.value("nu", 0);
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

/// Rows of all kinds, more or fewer than velocities, possibly dependent and contradictory; stiffness to 1e10, steps of 0.1 to 30 ms.
inline ConeCase random_cone_case(std::uint64_t seed, double largest_friction) {
  Random random(seed);
  const auto count = [&](int most) { return static_cast<int>(random(0, most + 1)); };
  const int n = 3 + count(19), contacts = 1 + count(9), bilateral = count(2), unilateral = count(3), friction = count(2),
            tangents = 1 + count(1);
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

/// Contacts on springs that are initially compressed by -phi or open; their energy is T + U.
struct SprungCone : ConeCase {
  double K = 0;         ///< of all normal directions [N/m]
  Eigen::VectorXd phi;  ///< (rows) before the step; zero for tangents [m]

  double energy(const Eigen::VectorXd& v, const Eigen::VectorXd& at) const {
    double sum = v.dot(M * v) / 2;
    for (const RowGroup<double>& group : rows.groups()) sum += K / 2 * std::pow(std::min(0., at[group.first]), 2);
    return sum;
  }
  double energy_before() const { return energy(v_free, phi); }
  double energy_after(const Eigen::VectorXd& v) const { return energy(v, phi + h * G * v); }
};

/// One to four contacts of two or three rows on two to six velocities, friction to 1.5, stiffness 1e2 to 1e12 N/m, steps of 1 to 100 ms.
/// Half of them use multiples of a quarter, where pieces of the law meet and rows are dependent, half normally distributed numbers.
inline SprungCone small_cone_case(std::uint64_t seed) {
  Random random(seed);
  const auto count = [&](int most) { return static_cast<int>(random(0, most + 1)); };
  const bool is_coarse = random(0, 1) < 0.5;
  const int contacts = 1 + count(3), tangents = 1 + count(1), n = 2 + count(4), m = contacts * (1 + tangents);
  const auto entry = [&] {
    if (is_coarse) return (count(8) - 4) / 4.;
    double sum = 0;
    for (int i = 0; i < 12; ++i) sum += random(-0.5, 0.5);
    return sum;
  };
  const auto matrix = [&](Eigen::Index r, Eigen::Index c) { return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(r, c, entry)); };
  SprungCone one{
      {"small " + std::to_string(seed), {}, Eigen::MatrixXd::Identity(n, n), {}, {}, std::pow(10, -1 - count(2)), ConeRows<double>(m)},
      0,
      Eigen::VectorXd::Zero(m)};
  if (!is_coarse) {
    const Eigen::MatrixXd root = matrix(n, n);
    one.M += root * root.transpose();
  }
  one.G = matrix(m, n);
  one.v_free = matrix(n, 1);
  const bool is_loaded = random(0, 1) < 0.5;
  one.K = std::pow(10, 2 + count(10));
  const double C_n = std::pow(10, count(3)) - 1, C_t = std::pow(10, 1 + count(5)), D = C_n + one.h * one.K, mu = count(6) / 4.;
  const bool is_uniform = random(0, 1) < 0.5;
  bool fits = true;
  for (int c = 0; c < contacts; ++c) {
    const double phi = is_loaded ? one.h * (is_coarse ? (count(6) - 4) / 4. : random(-1, 0.5)) : 0;
    one.phi[one.rows.size()] = phi;
    fits &= one.rows.add_contact(tangents, 1 / D, 1 / C_t, is_uniform ? mu : count(6) / 4., one.K / D * phi);
  }
  if (!fits) throw std::runtime_error(one.name);
  return one;
}

/// One or two boards, the second on the first, with four to forty contacts, some corners repeated: many more rows than velocities.
inline ConeCase board_case(std::uint64_t seed) {
  Random random(seed);
  const auto count = [&](int most) { return static_cast<int>(random(0, most + 1)); };
  const int boards = 1 + count(1), contacts = 4 + count(36), m = 3 * contacts;
  ConeCase one{"board " + std::to_string(seed), {}, Eigen::MatrixXd::Identity(6 * boards, 6 * boards), Eigen::MatrixXd::Zero(m, 6 * boards),
               Eigen::VectorXd(6 * boards), std::pow(10, random(-3, -1)), ConeRows<double>(m)};
  const Eigen::Vector3d half(0.5, std::pow(10, random(-1, 0)), std::pow(10, random(-2, -0.5)));
  for (int k = 0; k < boards; ++k) {
    const double mass = std::pow(10, random(-1, 1));
    one.M.diagonal().segment<6>(6 * k) << mass / 3 * (half.squaredNorm() - half.cwiseAbs2().array()).matrix(), mass, mass, mass;
    one.v_free.segment<6>(6 * k) = random.matrix(6, 1, std::pow(10, random(-3, 0.5)));
    one.v_free[6 * k + 5] -= 9.81 * one.h;
  }
  const double K = std::pow(10, random(3, 10)), D = 1 + one.h * K, R_t = std::pow(10, -random(2, 6)), mu = random(0, 1.2);
  const double depth = count(1) * std::pow(10, random(-8, -3));
  bool fits = true;
  for (int c = 0; c < contacts; ++c) {
    const int board = count(boards - 1);
    const bool is_corner = count(1) == 1;
    const auto place = [&](int axis) { return half[axis] * (is_corner ? 2 * count(1) - 1 : random(-1, 1)); };
    const double x = place(0), y = place(1);
    for (int k = std::max(board - 1, 0); k <= board; ++k) {  // the world does not move
      const Eigen::Vector3d p(x, y, k == board ? -half[2] : half[2]);
      for (int r = 0; r < 3; ++r) {
        const Eigen::Vector3d axis = (k == board ? 1 : -1) * Eigen::Vector3d::Unit((r + 2) % 3);
        one.G.block<1, 6>(one.rows.size() + r, 6 * k) << p.cross(axis).transpose(), axis.transpose();
      }
    }
    fits &= one.rows.add_contact(2, 1 / D, R_t, mu, K / D * depth * random(-1, 0.2));
  }
  if (!fits) throw std::runtime_error(one.name);
  return one;
}

/// Returns the certificate, computed from the data of a case alone, relative to its free rates.
inline ConeCertificate<double> certificate(const ConeCase& one, ConeLaw law, const Eigen::VectorXd& lambda) {
  const DenseConeProblem<double> problem = one.forces();
  return certify<double>(one.rows, law, lambda, problem.W * lambda + problem.b, problem.b.cwiseAbs().maxCoeff());
}

/// Returns the certificate at velocities v, which stay accurate where forces are large and cancel.
inline ConeCertificate<double> certificate(const ConeCase& one, ConeLaw law, const Eigen::VectorXd& lambda, const Eigen::VectorXd& v) {
  const Eigen::VectorXd free = one.G * one.v_free + one.rows.bias(), y = one.G * v + one.rows.bias() + one.rows.R().cwiseProduct(lambda);
  return certify<double>(one.rows, law, lambda, y, free.cwiseAbs().maxCoeff());
}

/// A heap of bodies, each resting by points on one of the three bodies below it or on the ground: more rigid rows than velocities, with the
/// R that settles how redundant rows share a force, a share 4e-11 of h A.
inline ConeCase heap_case(std::uint64_t seed, int bodies, int points) {
  Random random(seed);
  const int m = 3 * bodies * points, n = 6 * bodies;
  ConeCase one{"heap " + std::to_string(seed), {}, Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Zero(m, n), Eigen::VectorXd::Zero(n),
               0.01, ConeRows<double>(m)};
  for (int row = 0; row < m; row += 3) {
    const int body = row / (3 * points), below = body - 1 - static_cast<int>(random(0, 3));
    Eigen::Matrix3d axes;  // by rows
    axes.row(0) = Eigen::RowVector3d(random(-0.3, 0.3), random(-0.3, 0.3), 1).normalized();
    const Eigen::Vector3d at(random(-1, 1), random(-1, 1), -0.5);
    axes.row(1) = axes.row(0).cross(Eigen::RowVector3d::UnitX()).normalized();
    axes.row(2) = axes.row(0).cross(axes.row(1));
    for (int r = 0; r < 3; ++r) {
      const Eigen::Vector3d axis = axes.row(r);
      one.G.row(row + r).segment<6>(6 * body) << at.cross(axis).transpose(), axis.transpose();
      if (below < 0) continue;
      one.G.row(row + r).segment<6>(6 * below) << -Eigen::Vector3d(at[0], at[1], 0.5).cross(axis).transpose(), -axis.transpose();
    }
    const double R = 3.7e-11 * one.h * one.G.middleRows(row, 3).rowwise().squaredNorm().maxCoeff();
    if (!one.rows.add_contact(2, R, R, 0.7, 0)) throw std::runtime_error(one.name);
  }
  for (int i = 0; i < n; ++i) one.v_free[i] = random(-0.02, 0.02) - (i % 6 == 5 ? 0.1 : 0);
  return one;
}

}  // namespace actio::test
