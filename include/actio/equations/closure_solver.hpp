// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solvers for the impulses of closed loops within a step, and the choice among them.
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "actio/equations/choose_factorization.hpp"
#include "actio/equations/dense_closures.hpp"
#include "actio/equations/sparse_closures.hpp"

namespace actio::detail {

/// The solver for a model. Iterative methods are used for systems with the mass matrix only: systems with a step's exact Jacobian, which
/// steps through singular poses need, are not symmetric and are factored.
template <class ModelType>
class ClosureSolver {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param rows number of rows of the closures.  @param rowed (bodies) joints that add terms to the diagonal.  @param model outlives this.
  /// @throws ModelError naming a body without the inertia that the method needs.
  ClosureSolver(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, Factorization method);

  Factorization method() const noexcept { return method_; }  ///< the one in use; never automatic
  /// Returns whether the calls below use factors of M.
  bool wants_mass() const noexcept;
  /// Computes the mobility of the rows, the diagonal of G M^-1 G^T, or an upper bound of it; to be called first at a node. If rows are
  /// redundant it is exact, and takes the factors of M.  @param mobility (rows) out [1/kg, 1/(kg m^2)].
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept;
  /// Factors the system of ClosedNode.  @pre measure() at that node.  @returns false if something is not finite or singular.
  bool factor_mass(const ClosedNode<Model>& at) noexcept;
  /// Returns whether rows are redundant, which those of closed loops may always be, and any may be in singular poses.
  /// @pre factor_mass(), with at.is_redundant false
  bool is_redundant(const ClosedNode<Model>& at) noexcept;
  /// Solves the system of ClosedNode.  @param w (nv) in: f; out: w.  @param L (rows) in: d; out: L.  @pre factor_mass()
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy accuracy) noexcept;
  /// Factors the system of ClosedStep.  @param h time step [s].  @param R (rows) compliance in the step's system.
  /// @returns false if something is not finite or singular.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept;
  /// Solves the system of ClosedStep, with arguments as in solve_mass().  @pre factor_step()
  void solve_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept;

 private:
  using Dense = DenseClosures<Model>;
  using Sparse = SparseClosures<Model>;
  using Exact = std::variant<Dense, Sparse>;

  static Exact make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, Factorization method);
  bool iterates() const noexcept { return iterated_.has_value(); }
  /// Calls f with the solver of the system with the mass matrix.
  template <class F>
  auto for_mass(F&& f) noexcept {
    return iterated_ ? f(*iterated_) : std::visit(f, exact_);
  }

  Factorization method_;
  Exact exact_;
  std::optional<IteratedClosures<Model>> iterated_;
  VectorX<S> mobility_;       // as exact_ measures it
  bool is_measured_ = false;  // whether exact_ did so at this node
};

// The members are defined outside of the class, so that with ACTIO_PRECOMPILED users do not compile them again.
template <class Model>
ClosureSolver<Model>::ClosureSolver(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, Factorization method)
    : method_(choose_factorization(model, rows, method)),
      exact_(make_exact(model, rows, rowed, method_)),
      mobility_(VectorX<S>::Zero(rows)) {
  const bool sweeps = method_ == Factorization::sweeps;
  if (sweeps || method_ == Factorization::iterated) iterated_.emplace(model, sweeps);
}

template <class Model>
bool ClosureSolver<Model>::wants_mass() const noexcept {
  return iterates() || std::visit([](const auto& solver) { return solver.wants_mass; }, exact_);
}

template <class Model>
void ClosureSolver<Model>::measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept {
  for_mass([&](auto& solver) { solver.measure(at, mobility); });
  is_measured_ = !iterates();
}

template <class Model>
bool ClosureSolver<Model>::factor_mass(const ClosedNode<Model>& at) noexcept {
  return for_mass([&](auto& solver) { return solver.factor_mass(at); });
}

template <class Model>
bool ClosureSolver<Model>::is_redundant(const ClosedNode<Model>& at) noexcept {
  return for_mass([&](auto& solver) { return solver.is_redundant(at); });
}

template <class Model>
void ClosureSolver<Model>::solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy accuracy) noexcept {
  for_mass([&](auto& solver) { solver.solve_mass(at, w, L, accuracy); });
}

template <class Model>
bool ClosureSolver<Model>::factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept {
  return std::visit([&](auto& solver) {
    if (!std::exchange(is_measured_, true)) solver.measure(at, mobility_);
    return solver.factor_step(at, step, h, R);
  }, exact_);
}

template <class Model>
void ClosureSolver<Model>::solve_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept {
  std::visit([&](auto& solver) { solver.solve_step(at, step, w, L); }, exact_);
}

template <class Model>
typename ClosureSolver<Model>::Exact ClosureSolver<Model>::make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed,
                                                                      Factorization method) {
  const bool iterates = method != Factorization::sparse && method != Factorization::dense;
  if (method == Factorization::sparse || (iterates && rows >= few_rows && first_without_inertia(model) == 0)) {
    return Exact(std::in_place_type<Sparse>, model, rowed, Closures::rigid, "variational");
  }
  return Exact(std::in_place_type<Dense>, model, rows);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosureSolver<Model<double>>;
#endif

}  // namespace actio::detail
