// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cone problems in forces, with the dense matrix W of the rows, solved by interior points and Newton's method: a reference for tests.
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include "actio/solvers/cone/certificate.hpp"
#include "actio/solvers/cone/law.hpp"
#include "actio/solvers/reference/conic_program.hpp"

namespace actio {

/// A problem in forces lambda and slack rates y = W lambda + b: lambda is in its set, and y is zero except where lambda is on the boundary.
///   W = h A + diag(R) = h G M^-1 G^T + diag(R),   b = G v* + bias                     [compliant_math.md, section 0]
template <Scalar S>
struct DenseConeProblem {
  MatrixX<S> W;      ///< (rows, rows), symmetric, positive semidefinite; positive diagonal [m/(N s), rad/(N m s)]
  VectorX<S> b;      ///< (rows) [m/s, rad/s]
  ConeRows<S> rows;  ///< the rows, of which sets and R are used
};

/// Forces and slack rates y = W lambda + b that solve a DenseConeProblem.
template <Scalar S>
struct ConeSolution {
  VectorX<S> lambda,                       ///< (rows) forces [N, N m]
      y;                                   ///< (rows) slack rates [m/s, rad/s]
  Status status = Status::max_iterations;  ///< converged, or the reason of failure
  int iterations = 0;                      ///< iterations of the method
  ConeCertificate<S> certificate{};        ///< how far they are from complementarity
};

namespace detail {

/// The natural map of  lambda = P(lambda - y / rho),  an equation that exactly the solutions satisfy.
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
  /// Computes f = lambda - P(lambda - y / rho) and, unless J is null, its generalised Jacobian.  @returns the norm of f, weighted by rho.
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

/// Adds the constraints that forces are in their sets to a program in scaled forces x, lambda = scale x.
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
    } else {  // without friction the cone has no interior: its tangents are not unknowns
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

/// Iterates with Newton's method on the natural map; steps are halved while the norm grows.
/// @returns whether it converged to rounding errors.
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

/// Solves the problem by the interior-point method, which solves every convex problem, then by Newton's method to rounding errors. Under
/// Coulomb's law, Newton's method continues from there; if it fails, normal rates are increased by mu |y_t| and the convex problem is
/// solved again, repeatedly. O(rows^3) per iteration; allocates.
///                                                                             [compliant_math.md, sections 4.1, 5.1, 5.2 and 8]
/// @returns the solution with the status converged, max_iterations or not_finite.  @pre there is at least one row.
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
  // The iterations alone are not trusted: if forces or bounds differ by 1e10 or more, the small ones may be wrong.
  solution.status = done && solution.certificate.worst() <= S(1e-3F) ? Status::converged : Status::max_iterations;
  const ConeCertificate<S>& certificate = solution.certificate;  // not finite if squares of forces or rates overflow
  if (!is_finite(S(certificate.force + certificate.rate + certificate.power))) solution.status = Status::not_finite;
  return solution;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeSolution<double> solve(const DenseConeProblem<double>&, ConeLaw);
#endif

}  // namespace actio
