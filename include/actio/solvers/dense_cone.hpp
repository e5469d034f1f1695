// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solvers of the rows' dense matrix in the place of one in velocities: to compare with, and where all else is in doubt.
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "actio/solvers/cone_dual.hpp"
#include "actio/solvers/cone_problem.hpp"
#include "actio/solvers/cone_sweeps.hpp"
#include "actio/solvers/published_forms.hpp"

namespace actio {

/// Interior points, then Newton's iteration to rounding: what ConeNewton is to find.
struct InteriorPoints {
  /// Takes of the options the law alone; ignores the guess.
  template <Scalar S>
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const ConeOptions<S>& options, const VectorX<S>&) const {
    return actio::solve(problem, options.law);
  }
};

/// The programs of Drumwright 2019 as published, whatever the law asked for: singular where rows that push are rigid. Contacts that are open
/// but known may push, too: what is looked at is better near.
template <Scalar S>
struct PublishedForms {
  S weight = S(1);  ///< of normal forces, > 0: see solve_published
  /// Ignores options and the guess.  @returns Status::singular where rows that push are rigid.
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const ConeOptions<S>&, const VectorX<S>&) const {
    for (const RowGroup<S>& group : problem.rows.groups()) {
      const auto R = problem.rows.R().segment(group.first, group.size);
      if (group.kind != RowKind::bilateral && !(R.minCoeff() > S(0))) return {VectorX<S>::Zero(problem.b.size()), problem.b, Status::singular, 0, {}};
    }
    return solve_published(problem, weight);
  }
};

/// So many sweeps from the guess, which is the forces of the step before: anytime, never exact. Counts as converged; the
/// residual says how far it is from that.
struct AnytimeSweeps {
  int sweeps = 50;  ///< in each solve
  /// @param guess (rows) forces to begin with.
  template <Scalar S>
  ConeSolution<S> operator()(const DenseConeProblem<S>& problem, const ConeOptions<S>& options, const VectorX<S>& guess) const {
    ConeSolution<S> solution{guess, problem.b, Status::converged, sweeps, {}};
    ConeSweeps<S>(problem).run(options.law, sweeps, solution.lambda);
    solution.y += problem.W * solution.lambda;
    solution.certificate = certify(problem.rows, options.law, solution.lambda, solution.y, S(problem.b.cwiseAbs().maxCoeff() + epsilon<S>));
    return solution;
  }
};

/// A solver for ConstraintForces and CompliantIntegrator that hands a DenseConeProblem to a method. A solve and a dense column for each row,
/// O(rows^2 n) and what the method takes; allocates in each step, and reports Status::capacity where there is no memory.
template <class Method>
class DenseCone {
 public:
  /// @param method (DenseConeProblem, ConeOptions, guess of the forces) -> ConeSolution, const.
  explicit DenseCone(Method method = {}) : method_(std::move(method)) {}

  /// As ConeNewton::solve(), but v is out alone. `solves` counts the method's iterations, `residual` is ConeCertificate::worst().
  template <class S, ConeProblem<S> Problem>
  ConeResult<S> solve(Problem& problem, const ConeOptions<S>& options, std::type_identity_t<VectorRef<S>> v,
                      std::type_identity_t<VectorRef<S>> lambda) const noexcept {
    ConeResult<S> result;
    try {
      const ConeRows<S>& rows = problem.rows();
      const Eigen::Index n = v.size(), m = rows.size();
      result.factorizations = 1;
      const std::vector<GroupForce<S>> none(rows.groups().size());
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
      dense.b += rows.bias();
      v = problem.v_free();
      result.status = Status::converged;
      if (m == 0) return result;
      const ConeSolution<S> solution = method_(dense, options, VectorX<S>(lambda));
      result.status = solution.status;
      result.solves = solution.iterations;
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
