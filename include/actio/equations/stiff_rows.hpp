// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step on a tree with compliant rows, by any factorisation.
#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "actio/core/elementary.hpp"
#include "actio/equations/articulated_matrix.hpp"
#include "actio/equations/choose_factorization.hpp"
#include "actio/equations/compliant_forest.hpp"
#include "actio/equations/rows_on_tree.hpp"
#include "actio/equations/sparse_closures.hpp"
#include "actio/equations/tied_rows.hpp"

namespace actio::detail {

/// Solves (M + added + h G^T H G) x = b, H the slope of the rows' forces. Rows on one body or one joint are part of the tree's matrix. So
/// are loops and couplings unless the factorisation is dense. TiedRows eliminates all others, which connect two bodies or two joints. In
/// blocks all rows are part of the matrix, which is dense within each tree of joints and sparse between trees.
///                                                                                                   [compliant_math.md, section 8]
template <class ModelType>
class StiffRows {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using Forest = CompliantForest<Model>;

  /// @param factorization dense, sparse, iterated or blocks.  @param capacity rows.  @param ties largest number of rows that connect two
  /// bodies or joints, besides `closures`.  @param closures those of loops and couplings among them.  @param model outlives this.
  /// @throws ModelError if the factorisation is sparse and a body lacks mass or inertia.
  StiffRows(const Model& model, Factorization factorization, std::size_t capacity, std::size_t ties, std::size_t closures)
      : model_(&model), matrix_(make_matrix(model, factorization, capacity, ties + closures)), joint_(VectorX<S>::Zero(model.nv())),
        ties_(model, factorization == Factorization::blocks ? 0 : ties + tied(factorization, closures),
              static_cast<std::size_t>(few_rows) + tied(factorization, closures)) {}

  bool is_in_blocks() const noexcept { return std::holds_alternative<Forest>(matrix_); }  ///< whether blocks() are the matrix
  /// Returns the trees with their masses and rows, which are built when they are first needed: steps at rest do without.  @param rows of
  /// the present problem.  @param added, h as for factor().  @returns null if there is no room for the pairs of trees that the rows
  /// connect.  @pre is_in_blocks()
  Forest* blocks(const RowsOnTree<Model>& rows, const VectorX<S>& added, const S& h) noexcept {
    Forest& forest = std::get<Forest>(matrix_);
    if (!std::exchange(has_masses_, true)) static_cast<void>(forest.begin(rows.tree().q, added, h));
    const auto groups = rows.rows().groups();
    for (; num_in_blocks_ < groups.size(); ++num_in_blocks_) {
      const RowGroup<S>& group = groups[num_in_blocks_];
      if (!forest.add(rows.rows().copy(group), {&rows.constraint(group.first), static_cast<std::size_t>(group.size)})) return nullptr;
    }
    return forest.complete() ? &forest : nullptr;
  }
  /// Begins a step at the pose of the tree, without rows.
  void begin(const TreePose<S>& tree) noexcept {
    has_masses_ = false;
    num_in_blocks_ = 0;
    if (!is_in_blocks()) begin_rows(tree);
  }
  /// Begins another step of the same length h [s] at the same pose with the same `added` as the last one, without rows.
  void begin_again(const TreePose<S>& tree, const S& h) noexcept {
    num_in_blocks_ = 0;
    if (!is_in_blocks()) begin_rows(tree);
    else if (has_masses_) std::get<Forest>(matrix_).problem().begin(h);
  }
  /// Adds the last group of the rows.  @param group, added as it was added to them.  @returns false if there is no room for it.
  [[nodiscard]] bool add_last_group(const RowsOnTree<Model>& rows, const NewGroup<S>& group,
                                    std::span<const ConstraintRow<S>> added) noexcept {
    if (is_in_blocks() || takes(added[0])) return true;
    const auto groups = rows.rows().groups();
    return ties_.add(groups.size() - 1, groups.back().first, static_cast<std::size_t>(group.size));
  }
  /// Factors the matrix.  @param added (nv) to the diagonal of M, besides armature.  @param mobility begun at the pose of the tree.
  /// @param forces of all groups.  @param h time step [s].  @returns false if the matrix is singular.
  bool factor(RowsOnTree<Model>& rows, const RowMobility<Model>& mobility, const VectorX<S>& added, std::span<const GroupForce<S>> forces,
              const S& h) noexcept {
    if (is_in_blocks()) {
      Forest* const forest = blocks(rows, added, h);
      return forest != nullptr && forest->problem().factor(forces);
    }
    joint_ = model_->properties().armature + added;
    const bool regular = visit([&](auto& matrix) {
      matrix.set_masses();
      for (std::size_t g = 0; g < forces.size(); ++g) {
        const RowGroup<S>& group = rows.rows().groups()[g];
        if (!takes(rows.constraint(group.first))) continue;
        for (int r = 0; r < group.size; ++r) {
          for (int c = 0; c < group.size; ++c) {
            const S stiffness = h * forces[g].H(r, c);
            if (stiffness != S(0)) add(matrix, rows.constraint(group.first + r), rows.constraint(group.first + c), stiffness);
          }
        }
      }
      return matrix.factor(rows.tree(), joint_);
    });
    return regular && (ties_.empty() || ties_.factor(rows, mobility, forces, h, untied(rows)));
  }
  /// Replaces x (nv) by the inverse times x.  @pre factor() returned true
  void solve(RowsOnTree<Model>& rows, VectorRef<S> x) noexcept {
    if (is_in_blocks()) {
      Forest& forest = std::get<Forest>(matrix_);
      forest.to_problem(x, joint_);
      forest.problem().solve(joint_);
      forest.to_model(joint_, x);
    } else if (ties_.empty()) {
      untied(rows)(x);
    } else {
      ties_.solve(rows, untied(rows), x);
    }
  }

 private:
  using Matrix = std::variant<ArticulatedMatrix<Model>, SparseClosures<Model>, Forest>;
  static Matrix make_matrix(const Model& model, Factorization factorization, std::size_t capacity, std::size_t ties) {
    if (factorization == Factorization::blocks) {
      // Elimination couples further pairs of trees, O(n^(4/3)) in space. Lattices of 27 to 1000 balls with three rows a contact need a
      // fifth to two thirds of this room.
      const auto fill = static_cast<std::size_t>(static_cast<double>(ties) * elementary::cbrt(static_cast<double>(ties)) / 4);
      return Forest(model, capacity, ties + fill);
    }
    if (factorization != Factorization::sparse) return ArticulatedMatrix<Model>(model, factorization == Factorization::iterated);
    const std::vector<bool> rowed(static_cast<std::size_t>(model.num_bodies()), true);
    return SparseClosures<Model>(model, rowed, Closures::soft, "compliant");
  }
  /// Calls f with matrix_, unless it is in blocks.
  template <class F>
  auto visit(const F& f) noexcept {
    SparseClosures<Model>* const sparse = std::get_if<SparseClosures<Model>>(&matrix_);
    return sparse != nullptr ? f(*sparse) : f(std::get<ArticulatedMatrix<Model>>(matrix_));
  }
  void begin_rows(const TreePose<S>& tree) noexcept {
    ties_.clear();
    visit([&](auto& matrix) { matrix.begin(tree); });
  }
  /// Returns how many rows of loops and couplings are left to TiedRows, which then always solves them directly.
  static std::size_t tied(Factorization factorization, std::size_t closures) {
    return factorization == Factorization::dense ? closures : 0;
  }
  /// Returns whether matrix_ has the row: it acts on one body or joint, or belongs to a closure.
  bool takes(const ConstraintRow<S>& row) noexcept {
    return row.num_parts() <= 1 || (row.closure >= 0 && visit([](const auto& matrix) { return matrix.takes_closures(); }));
  }
  /// Adds  left^T stiffness right  for two rows of one group that the matrix takes.  @param stiffness their entry of h H [kg, kg m^2].
  template <class M>
  void add(M& matrix, const ConstraintRow<S>& left, const ConstraintRow<S>& right, const S& stiffness) noexcept {
    if (left.closure >= 0 && matrix.takes_closures()) return matrix.set_closure(left, stiffness);
    for (std::size_t part = 0; part < 2; ++part) {
      const auto& body = left.bodies[part];
      const auto& joint = left.joints[part];
      if (body.body > 0) matrix.add_to_body(body.body, stiffness, body.wrench, right.bodies[part].wrench);
      if (joint.v >= 0) joint_[joint.v] += stiffness * joint.coefficient * right.joints[part].coefficient;
    }
  }
  /// Returns a function that solves with matrix_ alone.
  auto untied(const RowsOnTree<Model>& rows) noexcept {
    return [&](VectorRef<S> x) { visit([&](auto& matrix) { matrix.solve(rows.tree(), x); }); };
  }

  const Model* model_;
  Matrix matrix_;  // of M + added and the rows that it takes
  VectorX<S> joint_;  // (nv) all that is on the diagonal of M besides the bodies; in blocks: x in the order of the trees
  TiedRows<Model> ties_;
  bool has_masses_ = false;        // whether the blocks have the masses of the present step
  std::size_t num_in_blocks_ = 0;  // number of groups in them
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class StiffRows<Model<double>>;
#endif

}  // namespace actio::detail
