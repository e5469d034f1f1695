// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Checks whether forces solve the published program, without the solver: they are feasible, and the gradient of the objective is a sum of
// the active constraints' gradients with weights >= 0, which is sufficient for a convex program.
#include <Eigen/QR>

#include <algorithm>
#include <vector>

#include "support/cone_problems.hpp"

namespace actio::test {

/// Returns the u >= 0 that minimises |E u - f|.                                                [Lawson and Hanson 1974, ch. 23]
inline Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& E, const Eigen::VectorXd& f) {
  Eigen::VectorXd u = Eigen::VectorXd::Zero(E.cols());
  std::vector<Eigen::Index> in;
  for (Eigen::Index round = 0; round < 10 * E.cols() + 50; ++round) {
    const Eigen::VectorXd downhill = E.transpose() * (f - E * u);
    Eigen::Index next = -1;
    double most = 1e-13 * E.cwiseAbs().maxCoeff() * f.norm();
    for (Eigen::Index k = 0; k < E.cols(); ++k) {
      if (std::find(in.begin(), in.end(), k) != in.end() || downhill[k] <= most) continue;
      most = downhill[k];
      next = k;
    }
    if (next < 0) break;
    in.push_back(next);
    while (!in.empty()) {
      const Eigen::VectorXd wanted = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(E(Eigen::all, in)).solve(f);
      const bool is_inside = wanted.minCoeff() > 0;
      double a = 1;
      for (std::size_t k = 0; k < in.size(); ++k) {
        if (wanted[static_cast<Eigen::Index>(k)] <= 0) a = std::min(a, u[in[k]] / (u[in[k]] - wanted[static_cast<Eigen::Index>(k)]));
      }
      std::vector<Eigen::Index> kept;
      for (std::size_t k = 0; k < in.size(); ++k) {
        u[in[k]] += a * (wanted[static_cast<Eigen::Index>(k)] - u[in[k]]);
        if (u[in[k]] > 1e-14 * u.maxCoeff()) kept.push_back(in[k]);
        else u[in[k]] = 0;
      }
      if (is_inside) break;
      if (kept.size() == in.size()) kept.pop_back();
      in = kept;
    }
  }
  return u;
}

/// Errors of forces as a solution of the program of solve_published.
struct PublishedConditions {
  double infeasible = 0;  ///< largest violation, relative to the largest force or free rate
  double gradient = 0;    ///< residual of the gradient after the active constraints, relative
};
inline PublishedConditions published_conditions(const DenseConeProblem<double>& problem, const Eigen::VectorXd& lambda, double weight) {
  using Eigen::VectorXd;
  struct Apex {
    Eigen::Index first;
    int size;
    double limit;
  };
  const Eigen::Index n = lambda.size();
  const VectorXd y = problem.W * lambda + problem.b;
  const double rates = problem.b.cwiseAbs().maxCoeff();
  const double forces = std::max(lambda.cwiseAbs().maxCoeff(), 1e-3 * problem.b.cwiseQuotient(problem.W.diagonal()).cwiseAbs().maxCoeff());
  const double small_force = 1e-7 * forces, small_rate = 1e-7 * rates;
  PublishedConditions conditions;
  VectorXd gradient = VectorXd::Zero(n);
  double rounding = 0;
  std::vector<VectorXd> rays;
  std::vector<Apex> apexes;  // of cones, where any of their normals may act; rays are added as they are needed
  const auto violated = [&](double by) { conditions.infeasible = std::max(conditions.infeasible, by); };
  const auto unit = [&](Eigen::Index i, double side) { rays.push_back(side * VectorXd::Unit(n, i)); };
  const auto row = [&](Eigen::Index i) { return VectorXd(problem.W.row(i).transpose()); };
  const auto damp = [&](Eigen::Index i) {
    const VectorXd by = row(i) / (problem.rows.R()[i] * problem.rows.R()[i]);
    gradient += y[i] * by;
    rounding += 1e-6 * rates * by.norm();
  };
  for (const RowGroup<double>& group : problem.rows.groups()) {
    const Eigen::Index i = group.first;
    if (group.kind == RowKind::bilateral) {
      violated(std::abs(y[i]) / rates);
      rays.push_back(row(i));
      rays.push_back(-row(i));
      continue;
    }
    gradient[i] += (group.kind == RowKind::friction ? 1 : weight) * lambda[i];
    if (group.kind == RowKind::friction) {
      damp(i);
      violated((std::abs(lambda[i]) - group.limit) / forces);
      if (lambda[i] > group.limit - small_force) unit(i, -1);
      if (lambda[i] < small_force - group.limit) unit(i, 1);
      continue;
    }
    violated(-y[i] / rates);
    violated(-lambda[i] / forces);
    if (y[i] < small_rate) rays.push_back(row(i));
    if (lambda[i] < small_force) unit(i, 1);
    if (group.kind == RowKind::unilateral) continue;
    for (int t = 1; t < group.size; ++t) {
      damp(i + t);
      gradient[i + t] += lambda[i + t];
    }
    const VectorXd tangents = lambda.segment(i + 1, group.size - 1);
    violated((tangents.norm() - group.limit * lambda[i]) / forces);
    if (group.limit * lambda[i] < small_force) {
      apexes.push_back({i, group.size, group.limit});
    } else if (tangents.norm() > group.limit * lambda[i] - small_force) {
      VectorXd normal = group.limit * VectorXd::Unit(n, i);
      normal.segment(i + 1, group.size - 1) = -tangents.normalized();
      rays.push_back(normal);
    }
  }
  if (gradient.norm() == 0) return conditions;
  for (bool more = true; more;) {
    more = false;
    VectorXd rest = gradient;
    if (!rays.empty()) {
      Eigen::MatrixXd E(n, static_cast<Eigen::Index>(rays.size()));
      for (std::size_t k = 0; k < rays.size(); ++k) E.col(static_cast<Eigen::Index>(k)) = rays[k].normalized();
      rest -= E * nonnegative_least_squares(E, gradient);
    }
    conditions.gradient = rest.norm() / (rounding + gradient.norm());
    if (conditions.gradient < 1e-9 || rays.size() > 2000) break;
    for (const Apex& apex : apexes) {
      VectorXd normal = apex.limit * VectorXd::Unit(n, apex.first);
      normal.segment(apex.first + 1, apex.size - 1) = VectorXd(rest.segment(apex.first + 1, apex.size - 1)).normalized();
      if (normal.dot(rest) <= 1e-10 * gradient.norm()) continue;
      rays.push_back(normal);
      more = true;
    }
  }
  return conditions;
}

/// Unilateral rows, or rows of all kinds, on free masses: in a chain in which neighbours touch, or random.  @param rows 1 or more.
inline DenseConeProblem<double> random_free_masses(std::uint64_t seed, Eigen::Index rows, bool one_sided) {
  Random random(seed);
  const Eigen::Index n = seed % 3 == 0 ? rows : seed % 3 == 1 ? rows / 2 + 1 : 2 * rows;
  const double h = 1e-2;
  Eigen::MatrixXd G = random.matrix(rows, n);
  if (seed % 3 == 0) {
    G.setIdentity();
    G.diagonal(-1).setConstant(-1);
  }
  const Eigen::VectorXd mobility = Eigen::VectorXd::NullaryExpr(n, [&] { return std::pow(10, random(-1, 1)); });
  const double D = h * std::pow(10, random(2, 8));
  DenseConeProblem<double> problem{h * G * mobility.asDiagonal() * G.transpose(), random.matrix(rows, 1), ConeRows<double>(rows)};
  while (problem.rows.size() < rows) {
    const int tangents = static_cast<int>(std::min<Eigen::Index>(rows - problem.rows.size() - 1, 1 + static_cast<int>(random(0, 2))));
    const double kind = one_sided ? 0 : random(0, 1);
    bool fits = true;
    if (kind > 0.4 && tangents > 0) fits = problem.rows.add_contact(tangents, 1 / D, std::pow(10, random(-5, -2)), random(0, 1), 0);
    else if (kind > 0.3) fits = problem.rows.add(RowKind::friction, 1e-4, 0, random(0, 5));
    else if (kind > 0.2) fits = problem.rows.add(RowKind::bilateral, 1 / D, 0);
    else fits = problem.rows.add(RowKind::unilateral, std::pow(10, random(-1, 1)) / D, 0);
    if (!fits) throw std::logic_error("the rows exceed the capacity");
  }
  problem.W.diagonal() += problem.rows.R();
  return problem;
}

}  // namespace actio::test
