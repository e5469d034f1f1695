// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Solvers for the impulses of closed loops within a step, and the choice among them.
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "actio/dynamics/requirements.hpp"
#include "actio/equations/closure_method.hpp"
#include "actio/equations/dense_closures.hpp"
#include "actio/equations/iterated_closures.hpp"
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
  ClosureSolver(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, ClosureMethod method);

  ClosureMethod method() const noexcept { return method_; }  ///< the method that was chosen; never automatic
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
  /// Factors the system of ClosedStep.  @param h time step [s].  @param R (rows) softness in the step's system.
  /// @returns false if something is not finite or singular.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept;
  /// Solves the system of ClosedStep, with arguments as in solve_mass().  @pre factor_step()
  void solve_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept;

 private:
  using Dense = DenseClosures<Model>;
  using Sparse = SparseClosures<Model>;
  using Exact = std::variant<Dense, Sparse>;
  static constexpr Eigen::Index few = 12;  // below this number of rows a dense matrix is faster

  static ClosureMethod choose(const Model& model, Eigen::Index rows, ClosureMethod method);
  static int iterations(const Model& model, int most);
  static Exact make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, ClosureMethod method);
  bool iterates() const noexcept { return iterated_.has_value(); }
  /// Calls f with the solver of the system with the mass matrix.
  template <class F>
  auto for_mass(F&& f) noexcept {
    return iterated_ ? f(*iterated_) : std::visit(f, exact_);
  }

  ClosureMethod method_;
  Exact exact_;
  std::optional<IteratedClosures<Model>> iterated_;
  VectorX<S> mobility_;       // as exact_ measures it
  bool is_measured_ = false;  // whether exact_ did so at this node
};

// The members are defined outside of the class, so that with ACTIO_PRECOMPILED users do not compile them again.
template <class Model>
ClosureSolver<Model>::ClosureSolver(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, ClosureMethod method)
    : method_(choose(model, rows, method)), exact_(make_exact(model, rows, rowed, method_)), mobility_(VectorX<S>::Zero(rows)) {
  const bool sweeps = method_ == ClosureMethod::sweeps;
  if (sweeps || method_ == ClosureMethod::conjugate_gradients) iterated_.emplace(model, sweeps);
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
ClosureMethod ClosureSolver<Model>::choose(const Model& model, Eigen::Index rows, ClosureMethod method) {
  if (rows == 0) return ClosureMethod::dense;  // which needs no inertia
  if (method != ClosureMethod::automatic) return method;
  if (rows < few || first_without_inertia(model) != 0) return ClosureMethod::dense;
  constexpr int quick = 3;
  return iterations(model, quick + 1) <= quick ? ClosureMethod::conjugate_gradients : ClosureMethod::sparse;
}

/// Returns the number of iterations that an update takes in the model's neutral pose, which measures the conditioning of the rows.
template <class Model>
int ClosureSolver<Model>::iterations(const Model& model, int most) {
  TreePose<S> tree(model);
  AbiData<S> mass(model);
  TreeClosures<Model> closures(model);
  auto turns = closures.make_turns();
  IteratedClosures<Model> gradients(model, false);
  const VectorX<S> joint = model.properties().armature, R = VectorX<S>::Zero(closures.size());
  place(model, tree, model.neutral());
  closures.place(tree, turns);
  const ClosedNode<Model> at{tree, mass, closures, joint, R, R, false};
  if (abi_factor(model, tree, mass, VectorX<S>::Zero(model.nv())) != 0 || !gradients.factor_mass(at)) return most;
  VectorX<S> w = VectorX<S>::Zero(model.nv()), L = R;
  for (Eigen::Index k = 0; k < L.size(); ++k) L[k] = S(ValueOf<S>(1) + ValueOf<S>((7 * k) % 5));  // a generic right-hand side
  gradients.solve_mass(at, w, L, Accuracy::of_update, most);
  return gradients.iterations();
}

template <class Model>
typename ClosureSolver<Model>::Exact ClosureSolver<Model>::make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed,
                                                                      ClosureMethod method) {
  if (method == ClosureMethod::sparse) require_body_inertia(model, "variational with ClosureMethod::sparse");
  const bool iterates = method != ClosureMethod::sparse && method != ClosureMethod::dense;
  if (method == ClosureMethod::sparse || (iterates && rows >= few && first_without_inertia(model) == 0)) {
    return Exact(std::in_place_type<Sparse>, model, rowed);
  }
  return Exact(std::in_place_type<Dense>, model, rows);
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosureSolver<Model<double>>;
#endif

}  // namespace actio::detail
