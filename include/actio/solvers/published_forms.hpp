// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The programs of Drumwright 2019 as they were published, for comparison: least forces among those that are at least the springs'.
#include <Eigen/Cholesky>

#include <vector>

#include "actio/solvers/cone_dual.hpp"

namespace actio {

/// Minimises  weight (|lambda_u|^2 + |lambda_n|^2) / 2 + |lambda_t|^2 / 2 + |D_t y_t|^2 / 2  where forces are in their sets and slack
/// rates y_u, y_n >= 0, after bilateral rows are eliminated: Appendix A's mixed reduction, a quadratic program without contacts, one with
/// quadratic constraints with them.       [Drumwright 2019, (83)-(85), (109)-(120), (124)-(198); compliant_math.md, sections 4, 5 and 7]
/// It is not the law of its springs: stiff contacts that separate may push, and the weight decides what friction does; the certificate,
/// of the convex law, tells by how much.  Friction rows count as tangents with a bound of their own.  Allocates; O(rows^3) an iteration.
/// @param problem R > 0 but in bilateral rows, of one row at least.  @param weight of normal forces, > 0.
/// @returns converged or max_iterations, as solve() of the program.
template <Scalar S>
ConeSolution<S> solve_published(const DenseConeProblem<S>& problem, const S& weight = S(1)) {
  const Eigen::Index all = problem.b.size();
  std::vector<Eigen::Index> held, kept, damped;  // bilateral rows; the others; of these and of tangents without friction whose y_t counts
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
    [[maybe_unused]] const bool fits = size > 1 ? rows.add_contact(size - 1, R[group.first], R[group.first + 1], group.limit, S(0))
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
  // Unknowns of about 1: what each row would bring alone.
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
  solution.certificate = certify(problem.rows, ConeLaw::convex, solution.lambda, solution.y, S(problem.b.cwiseAbs().maxCoeff() + epsilon<S>));
  return solution;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE ConeSolution<double> solve_published(const DenseConeProblem<double>&, const double&);
#endif

}  // namespace actio
