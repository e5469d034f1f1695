// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Cone problems with dense matrices, solved by sweeps, by the published form or by the interior-point method: for comparison.
#include <Eigen/Cholesky>
#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "actio/solvers/cone/problem.hpp"
#include "actio/solvers/reference/cone_dual.hpp"

namespace actio {

/// Projected block Gauss-Seidel: for one group after the other, the forces of its law are computed at its present rates, in the
/// norm of a diagonal matrix that bounds its block of W from above. Forces are in their sets after each sweep; under the convex law
/// lambda^T W lambda / 2 + b^T lambda decreases with each group. Convergence is linear, and slow for long stacks and badly scaled rows;
/// Coulomb's law converges if friction is moderate. Only the constructor allocates. [compliant_math.md, section 8]
template <Scalar S>
class ConeSweeps {
 public:
  /// @param problem outlives this.
  explicit ConeSweeps(const DenseConeProblem<S>& problem) : problem_(&problem), rho_(problem.W.diagonal()) {
    for (const RowGroup<S>& group : problem.rows.groups()) {
      auto rho = rho_.segment(group.first, group.size);
      rho = problem.W.block(group.first, group.first, group.size, group.size).cwiseAbs().rowwise().sum();  // Gershgorin's bound
      if (group.size == 3) rho.tail(2).setConstant(rho.tail(2).maxCoeff());
    }
  }

  /// Runs sweeps.  @param sweeps their number, >= 0.  @param lambda (rows) in: a guess, inside the sets or not; out: improved [N, N m].
  void run(ConeLaw law, int sweeps, VectorX<S>& lambda) const noexcept {
    for (int k = 0; k < sweeps; ++k) {
      for (const RowGroup<S>& group : problem_->rows.groups()) {
        Vector3<S> rho = Vector3<S>::Ones(), w = Vector3<S>::Zero();
        for (int r = 0; r < group.size; ++r) {
          const Eigen::Index i = group.first + r;
          rho[r] = rho_[i];
          w[r] = problem_->W.col(i).dot(lambda) + problem_->b[i] - rho[r] * lambda[i];  // W is symmetric
        }
        lambda.segment(group.first, group.size) = detail::group_force(group, law, rho, w).lambda.head(group.size);
      }
    }
  }

 private:
  const DenseConeProblem<S>* problem_;
  VectorX<S> rho_;
};

/// Solves the published form: minimises  weight (|lambda_u|^2 + |lambda_n|^2) / 2 + |lambda_t|^2 / 2 + |D_t y_t|^2 / 2  with forces in
/// their sets and slack rates y_u, y_n >= 0, after bilateral rows are eliminated by Appendix A's mixed reduction. It is a quadratic program
/// without contacts, and has quadratic constraints with them.
///                                        [Drumwright 2019, (83)-(85), (109)-(120), (124)-(198); compliant_math.md, sections 4, 5 and 7]
/// The solution does not follow the law of its springs: stiff contacts that separate may push, and the weight determines friction. The
/// certificate, of the convex law, shows the difference. Friction rows count as tangents with a constant bound. Allocates; O(rows^3) per
/// iteration.
/// @param problem at least one row, with R > 0 except in bilateral rows.  @param weight of normal forces, > 0.
/// @returns the solution with the status converged or max_iterations, from solve() of the program.
template <Scalar S>
ConeSolution<S> solve_published(const DenseConeProblem<S>& problem, const S& weight = S(1)) {
  const Eigen::Index all = problem.b.size();
  std::vector<Eigen::Index> held, kept, damped;  // bilateral rows; the others; rows whose y_t counts, including tangents without friction
  ConeRows<S> rows(all);
  for (const RowGroup<S>& group : problem.rows.groups()) {
    if (group.kind == RowKind::bilateral) {
      held.push_back(group.first);
      continue;
    }
    const bool slides_freely = group.kind == RowKind::contact && !(group.limit > S(0));
    const int size = slides_freely ? 1 : group.size;
    for (int r = 0; r < size; ++r) kept.push_back(group.first + r);
    for (int r = group.kind == RowKind::friction ? 0 : 1; r < group.size; ++r) damped.push_back(group.first + r);
    const auto R = problem.rows.R();
    [[maybe_unused]] const bool fits = size > 1
                                           ? rows.add_contact(size - 1, R[group.first], R[group.first + 1], group.limit, S(0))
                                           : rows.add(slides_freely ? RowKind::unilateral : group.kind, R[group.first], S(0), group.limit);
  }
  const Eigen::LDLT<MatrixX<S>> W_bb(problem.W(held, held));
  const MatrixX<S> reach = W_bb.solve(problem.W(held, kept));  // W_bb^-1 W_bi
  const VectorX<S> held_b = W_bb.solve(problem.b(held));
  const auto reduced = [&](const std::vector<Eigen::Index>& of) { return MatrixX<S>(problem.W(of, kept) - problem.W(of, held) * reach); };
  const auto reduced_b = [&](const std::vector<Eigen::Index>& of) { return VectorX<S>(problem.b(of) - problem.W(of, held) * held_b); };
  const MatrixX<S> W = reduced(kept);
  const VectorX<S> b = reduced_b(kept), D = problem.rows.R()(damped).cwiseInverse();
  const MatrixX<S> Y = D.asDiagonal() * reduced(damped);

  const Eigen::Index n = b.size();
  ConicProgram<S> program{Y.transpose() * Y, MatrixX<S>(0, n), Y.transpose() * D.cwiseProduct(reduced_b(damped)), VectorX<S>(0), {}};
  program.P.diagonal().array() += S(1);
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.kind != RowKind::friction) program.P(group.first, group.first) += weight - S(1);
  }
  // Scales the unknowns to about 1, the force that each row would exert alone.
  VectorX<S> scale = program.P.diagonal().cwiseSqrt().cwiseInverse();
  const S brought = n == 0 ? S(0) : (b.cwiseAbs().array() / (W.diagonal().array() * scale.array())).maxCoeff();
  const S unit = brought > S(0) ? brought : S(1);
  program.P = (scale.asDiagonal() * program.P * scale.asDiagonal()).eval();
  program.q = scale.cwiseProduct(program.q) / unit;
  scale *= unit;
  detail::add_force_sets(rows, scale, program);
  for (const RowGroup<S>& group : rows.groups()) {
    if (group.kind == RowKind::friction) continue;
    const VectorX<S> slack = scale.cwiseProduct(W.row(group.first).transpose());
    const S size = slack.cwiseAbs().maxCoeff();
    const Eigen::Index row = program.add_cone(1);
    program.B.row(row) = slack.transpose() / size;
    program.c[row] = b[group.first] / size;
  }
  const ConicSolution<S> inner = solve(program);

  ConeSolution<S> solution{VectorX<S>::Zero(all), problem.b};
  const VectorX<S> lambda = scale.cwiseProduct(inner.x);
  solution.lambda(kept) = lambda;
  solution.lambda(held) = -held_b - reach * lambda;
  solution.y += problem.W * solution.lambda;
  solution.status = inner.status;
  solution.iterations = inner.iterations;
  solution.certificate =
      certify(problem.rows, ConeLaw::convex, solution.lambda, solution.y, S(problem.b.cwiseAbs().maxCoeff() + epsilon<S>));
  return solution;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeSolution<double> solve_published(const DenseConeProblem<double>&, const double&);
#endif

/// Interior points, then Newton's method to rounding errors: the reference for ConeNewton.
struct InteriorPoints {
  /// Solves the problem; uses only the law of the options, and ignores the guess.
  template <Scalar S>
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const detail::ConeOptions<S>& options, const VectorX<S>&) const {
    return actio::solve(problem, options.law);
  }
};

/// The programs of Drumwright 2019 as published, independent of the law in the options; singular if rows other than bilateral ones are
/// rigid. Open contacts that are listed may push, too: the margin of contacts should be small.
template <Scalar S>
struct PublishedForms {
  S weight = S(1);  ///< weight of normal forces, > 0: see solve_published
  /// Solves the problem; ignores options and the guess.  @returns Status::singular if rows other than bilateral ones are rigid.
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const detail::ConeOptions<S>&, const VectorX<S>&) const {
    for (const RowGroup<S>& group : problem.rows.groups()) {
      const auto R = problem.rows.R().segment(group.first, group.size);
      if (group.kind != RowKind::bilateral && !(R.minCoeff() > S(0)))
        return {VectorX<S>::Zero(problem.b.size()), problem.b, Status::singular, 0, {}};
    }
    return solve_published(problem, weight);
  }
};

/// A fixed number of sweeps from the guess, the forces of the previous step: available at any time, never exact. The status is converged;
/// the residual shows how far it is from that.
struct AnytimeSweeps {
  int sweeps = 50;  ///< number of sweeps in each solution
  /// Improves the guess.  @param guess (rows) forces to begin with.
  template <Scalar S>
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const detail::ConeOptions<S>& options, const VectorX<S>& guess) const {
    ConeSolution<S> solution{guess, problem.b, Status::converged, sweeps, {}};
    ConeSweeps<S>(problem).run(options.law, sweeps, solution.lambda);
    solution.y += problem.W * solution.lambda;
    solution.certificate = certify(problem.rows, options.law, solution.lambda, solution.y, S(problem.b.cwiseAbs().maxCoeff() + epsilon<S>));
    return solution;
  }
};

/// A solver for ConstraintForces and CompliantIntegrator that passes a DenseConeProblem to a method. It takes a solution and a dense column
/// for each row, O(rows^2 n), plus the cost of the method. Allocates in each step, and reports Status::capacity if memory is exhausted.
template <class Method>
class DenseCone {
 public:
  /// @param method (DenseConeProblem, ConeOptions, guess of the forces) -> ConeSolution, const.
  explicit DenseCone(Method method = {}) : method_(std::move(method)) {}

  /// Solves as ConeNewton::solve() does, except that v is output only. `iterations` counts the method's iterations, `residual` is
  /// ConeCertificate::worst().
  template <class S, detail::ConeProblem<S> Problem>
  detail::ConeResult<S> solve(Problem& problem, const detail::ConeOptions<S>& options, std::type_identity_t<VectorRef<S>> v,
                      std::type_identity_t<VectorRef<S>> lambda) const noexcept {
    detail::ConeResult<S> result;
    try {
      const ConeRows<S>& rows = problem.rows();
      const Eigen::Index n = v.size(), m = rows.size();
      result.factorizations = 1;
      const std::vector<detail::GroupForce<S>> none(rows.groups().size());
      if (!problem.factor(none)) {
        result.status = Status::singular;
        return result;
      }
      MatrixX<S> impulses(n, m);  // h M^-1 G^T
      VectorX<S> column(n);
      DenseConeProblem<S> dense{MatrixX<S>(m, m), VectorX<S>(m), rows};
      for (Eigen::Index k = 0; k < m; ++k) {
        problem.forces(VectorX<S>::Unit(m, k), column);
        problem.solve(column);
        impulses.col(k) = problem.h() * column;
        problem.rates(impulses.col(k), dense.W.col(k));
      }
      dense.W = ((dense.W + dense.W.transpose()) / S(2)).eval();
      dense.W.diagonal() += rows.R();
      problem.rates(problem.v_free(), dense.b);
      dense.b += rows.whole_bias();
      v = problem.v_free();
      result.status = Status::converged;
      if (m == 0) return result;
      const ConeSolution<S> solution = method_(dense, options, VectorX<S>(lambda));
      result.status = solution.status;
      result.iterations = solution.iterations;
      result.residual = solution.certificate.worst();
      lambda = solution.lambda;
      v += impulses * solution.lambda;
    } catch (const std::bad_alloc&) {
      result.status = Status::capacity;
    }
    return result;
  }

 private:
  Method method_;
};

}  // namespace actio
