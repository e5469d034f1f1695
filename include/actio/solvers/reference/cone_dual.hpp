// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant forces from their own dense matrix: what a simulator need not form, and everybody understands.
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "actio/solvers/cone/certificate.hpp"
#include "actio/solvers/cone/law.hpp"
#include "actio/solvers/reference/conic_program.hpp"

namespace actio {

/// Forces lambda and slack rates y = W lambda + b with lambda in its set, y >= 0 where that is on its boundary:
///   W = h A + diag(R) = h G M^-1 G^T + diag(R),   b = G v* + bias                     [compliant_math.md, section 0]
template <Scalar S>
struct DenseConeProblem {
  MatrixX<S> W;      ///< (rows, rows), symmetric, positive semidefinite; positive diagonal [m/(N s), rad/(N m s)]
  VectorX<S> b;      ///< (rows) [m/s, rad/s]
  ConeRows<S> rows;  ///< of it sets and R
};

/// Forces and slack rates y = W lambda + b that answer each other.
template <Scalar S>
struct ConeSolution {
  VectorX<S> lambda,                       ///< (rows) forces [N, N m]
      y;                                   ///< (rows) slack rates [m/s, rad/s]
  Status status = Status::max_iterations;  ///< converged, or why not
  int iterations = 0;                      ///< of the method
  ConeCertificate<S> certificate{};        ///< how far they are from answering each other
};

namespace detail {

/// lambda = P(lambda - y / rho), which forces and slack rates that answer each other satisfy and no others do.
template <Scalar S>
class NaturalMap {
 public:
  NaturalMap(const DenseConeProblem<S>& problem, ConeLaw law) : problem_(&problem), law_(law), rho_(problem.W.diagonal()) {
    for (const RowGroup<S>& group : problem.rows.groups()) {
      if (group.kind != RowKind::contact || group.size < 3) continue;
      auto tangents = rho_.segment(group.first + 1, 2);
      tangents.setConstant(std::max(tangents[0], tangents[1]));
    }
  }
  /// |lambda - P(lambda - y / rho)| weighed by rho, and its generalised Jacobian.
  S evaluate(const VectorX<S>& lambda, VectorX<S>& f, MatrixX<S>* J) {
    const VectorX<S> w = problem_->W * lambda + problem_->b - rho_.cwiseProduct(lambda);
    f = lambda;
    if (J) J->setIdentity(f.size(), f.size());
    for (const RowGroup<S>& group : problem_->rows.groups()) {
      const Vector3<S> rho = of_group(group, rho_);
      const GroupForce<S> force = detail::group_force(group, law_, rho, of_group(group, w));
      f.segment(group.first, group.size) -= force.lambda.head(group.size);
      if (!J) continue;
      const auto H = force.H.topLeftCorner(group.size, group.size);
      J->middleRows(group.first, group.size) += H * problem_->W.middleRows(group.first, group.size);
      J->block(group.first, group.first, group.size, group.size) -= H * rho.head(group.size).asDiagonal();
    }
    return std::sqrt(f.cwiseAbs2().dot(rho_));
  }

 private:
  const DenseConeProblem<S>* problem_;
  ConeLaw law_;
  VectorX<S> rho_;
};

/// Adds to a program in scaled forces x, lambda = scale x, that they are in their sets.
template <Scalar S>
void add_force_sets(const ConeRows<S>& rows, const VectorX<S>& scale, ConicProgram<S>& program) {
  for (const RowGroup<S>& group : rows.groups()) {
    const Eigen::Index i = group.first;
    if (group.kind == RowKind::unilateral) program.B(program.add_cone(1), i) = S(1);
    if (group.kind == RowKind::friction) {
      for (const S side : {S(1), S(-1)}) {
        const Eigen::Index row = program.add_cone(1);
        program.B(row, i) = side;
        program.c[row] = group.limit / scale[i];
      }
    }
    if (group.kind != RowKind::contact) continue;
    if (group.limit > S(0)) {
      const Eigen::Index row = program.add_cone(group.size);
      const S size = std::max(S(group.limit * scale[i]), scale[i + 1]);
      program.B(row, i) = group.limit * scale[i] / size;
      for (int t = 1; t < group.size; ++t) program.B(row + t, i + t) = scale[i + t] / size;
    } else {  // a cone without inside: its tangents are no unknowns
      program.B(program.add_cone(1), i) = S(1);
      for (int t = 1; t < group.size; ++t) {
        program.P.row(i + t).setZero();
        program.P.col(i + t).setZero();
        program.P(i + t, i + t) = S(1);
        program.q[i + t] = S(0);
      }
    }
  }
}

/// Newton's iteration on the natural map, cut while its norm grows.  @returns whether it came down to rounding.
template <Scalar S>
bool semismooth_newton(const DenseConeProblem<S>& problem, ConeLaw law, ConeSolution<S>& solution, int max_iterations) {
  NaturalMap<S> map(problem, law);
  const Eigen::Index n = problem.b.size();
  VectorX<S> f(n), step(n), tried(n);
  MatrixX<S> J(n, n);
  S norm = map.evaluate(solution.lambda, f, &J), least = norm;
  VectorX<S> best = solution.lambda;
  int idle = 0;
  const auto scale = [&] { return std::sqrt(solution.lambda.cwiseAbs2().dot(problem.W.diagonal())); };
  for (int k = 0; k < max_iterations && idle < 3 && norm > S(0); ++k, ++solution.iterations) {
    step = Eigen::PartialPivLU<MatrixX<S>>(J).solve(f);
    if (!is_finite(S(step.sum()))) break;
    S tried_norm = norm;
    for (S a(1); a > S(1e-3); a /= S(2)) {
      tried = solution.lambda - a * step;
      tried_norm = map.evaluate(tried, f, nullptr);
      if (tried_norm < norm || norm <= S(1e3) * epsilon<S> * scale()) break;
    }
    solution.lambda = tried;
    norm = map.evaluate(solution.lambda, f, &J);
    idle = norm < S(0.5) * least ? 0 : idle + 1;
    if (norm < least) {
      least = norm;
      best = solution.lambda;
    }
  }
  solution.lambda = best;
  return std::isfinite(least) && least <= S(1e4) * epsilon<S> * scale();
}

}  // namespace detail

/// The forces by the interior-point method, which solves every convex problem, then by Newton's iteration to rounding; Coulomb's from
/// there, else by shifting normal rates by mu |y_t| until nothing changes. O(rows^3) an iteration; allocates.
///                                                                             [compliant_math.md, sections 4.1, 5.1, 5.2 and 8]
/// @returns converged, or max_iterations and where it ended, or not_finite.  @pre there is a row.
template <Scalar S>
ConeSolution<S> solve(const DenseConeProblem<S>& problem, ConeLaw law) {
  ConeSolution<S> solution{VectorX<S>::Zero(problem.b.size()), problem.b};
  const auto convex = [&](const DenseConeProblem<S>& of) {
    const VectorX<S> scale = of.W.diagonal().cwiseSqrt().cwiseInverse();
    ConicProgram<S> program{scale.asDiagonal() * of.W * scale.asDiagonal(), MatrixX<S>(0, scale.size()), scale.cwiseProduct(of.b),
                            VectorX<S>(0), {}};
    detail::add_force_sets(of.rows, scale, program);
    const ConicSolution<S> inner = solve(program);
    solution.iterations += inner.iterations;
    solution.lambda = scale.cwiseProduct(inner.x);
    return detail::semismooth_newton(of, ConeLaw::convex, solution, 20) || inner.status == Status::converged;
  };
  bool done = convex(problem);
  if (law == ConeLaw::coulomb && done) {
    done = false;
    DenseConeProblem<S> shifted = problem;
    for (int k = 0; k < 50 && !done; ++k) {
      const VectorX<S> from = solution.lambda;
      done = detail::semismooth_newton(problem, law, solution, 20);
      if (done) break;
      const VectorX<S> y = problem.W * from + problem.b;
      for (const RowGroup<S>& group : problem.rows.groups()) {
        if (group.kind != RowKind::contact) continue;
        const Eigen::Index i = group.first;
        shifted.b[i] = problem.b[i] + group.limit * y.segment(i + 1, group.size - 1).norm();
      }
      if (!convex(shifted)) break;
    }
  }
  solution.y = problem.W * solution.lambda + problem.b;
  solution.certificate = certify(problem.rows, law, solution.lambda, solution.y, S(problem.b.cwiseAbs().maxCoeff() + epsilon<S>));
  // Whatever the iterations say: where forces or bounds differ by 1e10 and more, these may be small beside the largest, and wrong.
  solution.status = done && solution.certificate.worst() <= S(1e-3F) ? Status::converged : Status::max_iterations;
  const ConeCertificate<S>& certificate = solution.certificate;  // not finite where squares of forces or rates overflow
  if (!is_finite(S(certificate.force + certificate.rate + certificate.power))) solution.status = Status::not_finite;
  return solution;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeSolution<double> solve(const DenseConeProblem<double>&, ConeLaw);
#endif

}  // namespace actio
