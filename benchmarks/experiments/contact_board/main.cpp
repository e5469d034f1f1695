// SPDX-License-Identifier: BSD-3-Clause
// A board of solvers for frictional contact problems from simulations, in the manner of Acary, Brémond and Huber 2018.
#include <Eigen/Cholesky>
#include <Eigen/SparseCore>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "actio/solvers/contact_problem.hpp"
#include "actio/solvers/reference/dense_cone.hpp"
#include "problems.hpp"
#include "support/report.hpp"

namespace {

using actio::ConeLaw, actio::ConeRows, actio::RowGroup, actio::RowKind, actio::Vector3;
using contact_board::Problem;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double error(const Problem& problem, const VectorXd& r) {
  return actio::natural_map<double>(problem.W * r + problem.q, problem.mu, r) / problem.scale();
}

/// The contacts as rows of the cone solvers.  @param R share of the diagonal of W.
ConeRows<double> rows_of(const Problem& problem, double R) {
  ConeRows<double> rows(problem.q.size());
  const VectorXd softness = R * problem.W.diagonal();
  for (Index c = 0; c < problem.mu.size(); ++c) {
    const RowGroup<double> group{RowKind::contact, static_cast<int>(problem.size()), problem.size() * c, problem.mu[c]};
    Vector3<double> own = actio::of_group(group, softness);
    own.tail<2>().setConstant(own.tail<2>().maxCoeff());
    static_cast<void>(rows.add({group.kind, group.size, own, actio::of_group(group, problem.q), group.limit}));
  }
  return rows;
}

struct Outcome {
  VectorXd r;
  double iterations = 0;
};

Outcome newton(const Problem& problem, double) {
  const actio::ContactSolution<double> solution = actio::solve_contact(problem.W, problem.q, problem.mu);
  return {solution.r, static_cast<double>(solution.factorizations)};
}
Outcome convex(const Problem& problem, double) {
  const Index m = problem.q.size();
  actio::detail::DelassusVelocities<double> contacts(problem.W, rows_of(problem, 0));
  actio::detail::ConeNewton<double> solver(2 * m, m);
  VectorXd v = VectorXd::Zero(2 * m), r = VectorXd::Zero(m);
  const actio::detail::ConeResult<double> result = solver.solve(contacts, {.law = ConeLaw::convex}, v, r);
  return {r, static_cast<double>(result.factorizations)};
}
Outcome dense(const Problem& problem, const std::function<actio::ConeSolution<double>(const actio::DenseConeProblem<double>&)>& solve) {
  constexpr double R = 1e-10;
  actio::DenseConeProblem<double> softened{problem.W, problem.q, rows_of(problem, R)};
  softened.W.diagonal() += softened.rows.R();
  const actio::ConeSolution<double> solution = solve(softened);
  return {solution.lambda, static_cast<double>(solution.iterations)};
}
Outcome interior(const Problem& problem, double) {
  return dense(problem, [](const auto& softened) { return actio::solve(softened, ConeLaw::coulomb); });
}
Outcome published(const Problem& problem, double) {
  return dense(problem, [](const auto& softened) { return actio::solve_published(softened); });
}
/// Repeats sweeps until the natural map is small or the time is over.
template <class Sweep>
Outcome repeat(const Problem& problem, double seconds, int at_once, const Sweep& sweep) {
  Outcome outcome{VectorXd::Zero(problem.q.size())};
  const Clock::time_point start = Clock::now();
  do {
    for (int k = 0; k < at_once; ++k) sweep(outcome.r);
    outcome.iterations += at_once;
  } while (since(start) < seconds && error(problem, outcome.r) > 1e-8);
  return outcome;
}
Outcome sweeps(const Problem& problem, double seconds) {
  const actio::DenseConeProblem<double> dense{problem.W, problem.q, rows_of(problem, 0)};
  const actio::ConeSweeps<double> solver(dense);
  return repeat(problem, seconds, 10, [&](VectorXd& r) { solver.run(ConeLaw::coulomb, 1, r); });
}
/// Non-smooth Gauss-Seidel: one contact after the other is solved exactly, by repeated projection. [Jourdan, Alart and Jean 1998]
Outcome gauss_seidel(const Problem& problem, double seconds) {
  const Eigen::SparseMatrix<double> W = problem.W.sparseView();
  const ConeRows<double> rows = rows_of(problem, 0);
  return repeat(problem, seconds, 10, [&](VectorXd& r) {
    for (const RowGroup<double>& group : rows.groups()) {
      const MatrixXd own = problem.W.block(group.first, group.first, group.size, group.size);
      VectorXd others(group.size);
      for (int k = 0; k < group.size; ++k) others[k] = W.col(group.first + k).dot(r) + problem.q[group.first + k];
      others -= own * r.segment(group.first, group.size);
      const Vector3<double> rho = Vector3<double>::Constant(own.cwiseAbs().rowwise().sum().maxCoeff());
      for (int k = 0; k < 100; ++k) {
        const VectorXd before = r.segment(group.first, group.size);
        Vector3<double> w = Vector3<double>::Zero();
        w.head(group.size) = own * before + others - rho[0] * before;
        r.segment(group.first, group.size) = actio::detail::group_force(group, ConeLaw::coulomb, rho, w).lambda.head(group.size);
        if ((r.segment(group.first, group.size) - before).norm() <= 1e-14 * before.norm()) break;
      }
    }
  });
}
/// The method of multipliers in alternating directions: u_hat = -rho xi at its end; mu |u_t| is set anew in each iteration.
Outcome admm(const Problem& problem, double seconds) {
  const Index m = problem.q.size();
  const double rho = std::sqrt(problem.W.diagonal().maxCoeff() * problem.W.diagonal().minCoeff());
  const Eigen::LLT<MatrixXd> factors(problem.W + rho * MatrixXd::Identity(m, m));
  const ConeRows<double> rows = rows_of(problem, 0);
  VectorXd xi = VectorXd::Zero(m), shifted(m);
  return repeat(problem, seconds, 10, [&](VectorXd& z) {
    shifted = rho * (z - xi) - problem.q;
    for (const RowGroup<double>& group : rows.groups())
      shifted[group.first] -= group.limit * rho * actio::of_group(group, xi).tail<2>().norm();
    const VectorXd sum = factors.solve(shifted) + xi;
    for (const RowGroup<double>& group : rows.groups()) {
      const Vector3<double> w = -actio::of_group(group, sum), ones = Vector3<double>::Ones();
      z.segment(group.first, group.size) = actio::detail::group_force(group, ConeLaw::convex, ones, w).lambda.head(group.size);
    }
    xi = sum - z;
  });
}

struct Solver {
  std::string name;
  Index largest;  ///< number of rows
  Outcome (*run)(const Problem&, double seconds);
};

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "contact_board", "Solvers of frictional contact problems from simulations, side by side");
  const std::filesystem::path folder = std::filesystem::path(ACTIO_SHARED_DIR) / "benchmarks" / "contact_problems";
  if (!std::filesystem::exists(folder)) {
    report.say("The problems, a part of Siconos' tests, are not here: no folder " + folder.filename().string() + ". Skipped.");
    report.check("no problems, nothing solved: skipped", true);
    return report.verdict();
  }
  std::vector<Problem> problems;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".dat") problems.push_back(contact_board::read_problem(entry.path()));
  }
  std::sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) { return a.name < b.name; });
  report.say("W is replaced by its symmetric part. Error: the natural map over |q|, at least 1e-6. Solved: an error of at most 1e-8.\n"
             "Iterations: factorisations of `Newton` and `convex`, interior points, sweeps, steps of ADMM. `convex` and `published` solve\n"
             "other laws, whose error shows how far these are from Coulomb's. Dense solvers run up to 160 rows, sweeps for a\n"
             "limited time.");
  const double seconds = report.is_short() ? 0.05 : 2;
  const Index dense_rows = report.is_short() ? 30 : 160;
  constexpr Index any = 100000;
  const std::vector<Solver> solvers{{"Newton", any, newton},
                                    {"convex", any, convex},
                                    {"interior points", dense_rows, interior},
                                    {"published", dense_rows, published},
                                    {"sweeps", any, sweeps},
                                    {"Gauss-Seidel", any, gauss_seidel},
                                    {"ADMM", any, admm}};
  experiments::Table table{{"problem", "contacts", "solver", "natural map / |q|", "iterations", "ms"}, {}};
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> times(solvers.size());  // infinite: not solved
  double worst = 0, slowest_small = 0, slowest = 0;
  for (const Problem& problem : problems) {
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      times[s].push_back(infinite);
      if (problem.q.size() > solvers[s].largest) continue;
      double ms = infinite;
      Outcome outcome;
      for (int k = 0; k < (s == 0 ? 3 : 1); ++k) {
        const Clock::time_point start = Clock::now();
        outcome = solvers[s].run(problem, seconds);
        ms = std::min(ms, 1e3 * since(start));
      }
      const double off = error(problem, outcome.r);
      if (off <= 1e-8) times[s].back() = ms;
      table.rows.push_back({problem.name, static_cast<double>(problem.mu.size()), solvers[s].name, off, outcome.iterations, ms});
      if (s > 0) continue;
      worst = std::max(worst, off);
      (problem.mu.size() <= 60 ? slowest_small : slowest) = std::max(problem.mu.size() <= 60 ? slowest_small : slowest, ms);
    }
  }
  report.table("problems", table);

  experiments::Table shares{{"solver", "solved", "within twice the best time"}, {}};
  experiments::Panel profile{"Performance profile", "time over the best", "share of the problems solved", true, false, {}};
  const double all = static_cast<double>(problems.size());
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    std::vector<double> ratios;
    for (std::size_t p = 0; p < problems.size(); ++p) {
      double best = infinite;
      for (const std::vector<double>& of : times) best = std::min(best, of[p]);
      if (times[s][p] < infinite) ratios.push_back(times[s][p] / best);
    }
    const auto within = [&](double factor) {
      return static_cast<double>(std::count_if(ratios.begin(), ratios.end(), [&](double ratio) { return ratio <= factor; })) / all;
    };
    shares.rows.push_back({solvers[s].name, within(infinite), within(2)});
    experiments::Curve curve{solvers[s].name, {}, {}};
    for (double factor = 1; factor < 1e5; factor *= 1.2) {
      curve.x.push_back(factor);
      curve.y.push_back(within(factor));
    }
    profile.curves.push_back(curve);
  }
  report.table("profile", shares);
  report.figure("profile", {profile});
  report.check("Newton: the natural map is at most 1e-10 |q| on all problems; measured " + experiments::text(worst, 2), worst <= 1e-10);
  if (report.is_short()) return report.verdict();  // whose times depend on what else the machine does
  report.check("Newton: at most 50 ms up to 60 contacts; measured " + experiments::text(slowest_small, 2) + " ms", slowest_small <= 50);
  report.check("Newton: at most 500 ms for all others; measured " + experiments::text(slowest, 2) + " ms", slowest <= 500);
  return report.verdict();
}
