// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The ways to close loops within a step, and which is taken.
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

/// One of them for a model. Iterations meet the systems of the mass; those of a step's exact Jacobian, which steps through singular poses need,
/// are no symmetric ones, and are factored.
template <class ModelType>
class ClosureSolver {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers

  /// @param rowed (bodies) joints with terms of their own on the diagonal.  @param model outlives this.
  /// @throws ModelError that names a body without the inertia that the method needs.
  ClosureSolver(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, ClosureMethod method);

  ClosureMethod method() const noexcept { return method_; }  ///< that was taken; never automatic
  /// Whether what follows takes factors of M.
  bool wants_mass() const noexcept;
  /// How rows move, the diagonal of G M^-1 G^T, or a bound of it: first of all at a node. Exact, and with factors of M at hand, where rows are
  /// redundant.  @param mobility (rows) out [1/kg, 1/(kg m^2)].
  void measure(const ClosedNode<Model>& at, VectorX<S>& mobility) noexcept;
  /// After measure() at that node.  @returns false when something is not finite or singular.
  bool factor_mass(const ClosedNode<Model>& at) noexcept;
  /// Whether rows depend on others, which closed loops may have for good, and any in singular poses.  @pre factor_mass() of rows that do
  /// not count as redundant
  bool is_redundant(const ClosedNode<Model>& at) noexcept;
  /// The system of ClosedNode.  @param w (nv) in: f; out.  @param L (rows) in: d; out.  @pre factor_mass()
  void solve_mass(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Accuracy accuracy) noexcept;
  /// Factors the system of ClosedStep.  @param h [s].  @param R (rows) of the step.
  /// @returns false when something is not finite or singular.
  bool factor_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, const S& h, const VectorX<S>& R) noexcept;
  /// As solve_mass(), of the step's own matrix.  @pre factor_step()
  void solve_step(const ClosedNode<Model>& at, ClosedStep<Model>& step, VectorRef<S> w, VectorRef<S> L) noexcept;

 private:
  using Dense = DenseClosures<Model>;
  using Sparse = SparseClosures<Model>;
  using Exact = std::variant<Dense, Sparse>;
  static constexpr Eigen::Index few = 12;  // rows that a dense matrix is faster for

  static ClosureMethod choose(const Model& model, Eigen::Index rows, ClosureMethod method);
  static int iterations(const Model& model, int most);
  static Exact make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed, ClosureMethod method);
  bool iterates() const noexcept { return iterated_.has_value(); }
  /// f of the solver of the mass' system.
  template <class F>
  auto for_mass(F&& f) noexcept {
    return iterated_ ? f(*iterated_) : std::visit(f, exact_);
  }

  ClosureMethod method_;
  Exact exact_;
  std::optional<IteratedClosures<Model>> iterated_;
  VectorX<S> mobility_;       // as the exact one measures it
  bool is_measured_ = false;  // by the exact one
};

// What follows stands outside of the class, so that with ACTIO_PRECOMPILED nobody compiles it again.
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
  if (rows == 0) return ClosureMethod::dense;  // nothing is asked of bodies
  if (method != ClosureMethod::automatic) return method;
  if (rows < few || first_without_inertia(model) != 0) return ClosureMethod::dense;
  constexpr int quick = 3;
  return iterations(model, quick + 1) <= quick ? ClosureMethod::conjugate_gradients : ClosureMethod::sparse;
}

/// Conditioning of the rows in the model's neutral pose, as what it costs: iterations that an update takes.
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
  for (Eigen::Index k = 0; k < L.size(); ++k) L[k] = S(ValueOf<S>(1) + ValueOf<S>((7 * k) % 5));  // nothing special
  gradients.solve_mass(at, w, L, Accuracy::of_update, most);
  return gradients.iterations();
}

template <class Model>
typename ClosureSolver<Model>::Exact ClosureSolver<Model>::make_exact(const Model& model, Eigen::Index rows, const std::vector<bool>& rowed,
                                                                      ClosureMethod method) {
  if (method == ClosureMethod::sparse) require_body_inertia(model, "variational, asked for ClosureMethod::sparse,");
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
