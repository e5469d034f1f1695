// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The matrix of a Newton step on a tree with compliant rows, by articulated-body recursion, and an iteration for loops and couplings.
#include <algorithm>
#include <vector>

#include "actio/constraints/closure_weights.hpp"
#include "actio/constraints/row_products.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/equations/row_iteration.hpp"
#include "actio/math/symmetric_inertia.hpp"

namespace actio::detail {

/// The matrix M + h G^T H G of a Newton step on a tree with compliant rows, in O(bodies + rows), for rows with one part: a row between a
/// body and the world adds to the inertia of that body, a row on one joint adds to the stiffness of that joint. What remains is one
/// articulated-body factorisation T with M_i + h J^T H J in the place of M_i.                [compliant_math.md, section 8]
///
/// Loops and couplings, if it takes them, are solved for by an iteration, without a matrix of their rows:
///   (T + G^T k G)^-1 b = T^-1 (b - G^T y),   W y = G T^-1 b,   W = G T^-1 G^T + 1/k,
/// by conjugate gradients over products with W, O(bodies + rows) each, or by GMRES if these fail, since W is not symmetric where contacts
/// slide. Their number depends on the conditioning of W: half a dozen for loops that are connected at corners, as many as there are rungs
/// for a ladder. Newton's iteration begins with the forces of the last step, so that one solution suffices for a smooth motion. Bodies may
/// lack inertia, and loops may be redundant.                       [srm_math.md, section 5.2; compliant_math.md, section 2.2]
template <class ModelType>
class ArticulatedMatrix {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar
  using V = ValueOf<S>;              ///< the type of tolerances

  /// @param takes_closures whether set_closure() is used.  @param model outlives this.
  ArticulatedMatrix(const Model& model, bool takes_closures)
      : model_(&model),
        rates_(model),
        factors_(model),
        weights_(model),
        rows_(takes_closures ? weights_.rows() : 0, none()),
        products_(model),
        iteration_(model.nv(), size(), 10 * epsilon<S>),
        compliance_(VectorX<S>::Zero(size())),
        y_(compliance_) {}

  bool takes_closures() const noexcept { return size() > 0; }  ///< whether it has rows of loops and couplings

  /// Begins a step at the pose of the tree.
  void begin(const TreePose<S>& tree) noexcept { rates_.S_end = tree.subspace; }
  /// Begins a matrix, with M only.
  void set_masses() noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i)
      rates_.K[i] = MomentumRate<S>::of(SymmetricInertia<S>::of(model_->inertia(i)).matrix());
    std::fill(rows_.begin(), rows_.end(), none());
  }
  /// Adds  left stiffness right^T  to body i, for two wrenches in its frame.  @param stiffness their entry of h H [kg, kg m^2].
  void add_to_body(BodyIndex i, const S& stiffness, const Vector6<S>& left, const Vector6<S>& right) noexcept {
    rates_.K[i] = rates_.K[i].less_outer(-stiffness * left, right);
  }
  /// Adds the stiffness of a row of a loop or coupling.  @param row outlives the matrix.  @param stiffness k [kg, kg m^2].
  void set_closure(const ConstraintRow<S>& row, const S& stiffness) noexcept {
    rows_[static_cast<std::size_t>(row.closure)] = &row;
    compliance_[row.closure] = S(1) / stiffness;
  }
  /// Factors the matrix.  @param joint (nv) armature and all other terms on the diagonal [kg m^2, kg].  @returns false if it is singular.
  bool factor(const TreePose<S>& tree, const VectorX<S>& joint) noexcept {
    if (tree_lu_factor(*model_, tree, rates_, factors_, joint) != 0) return false;
    if (!takes_closures()) return true;
    // Rows without stiffness, or on bodies without full inertia, are not preconditioned.
    const auto diagonal = [&](Eigen::Index k, const S& own) { return own > S(0) ? S(own + compliance_[k]) : S(1); };
    const auto row = [&](Eigen::Index k) -> const ConstraintRow<S>& { return *rows_[static_cast<std::size_t>(k)]; };
    return !weights_.set(tree, row, diagonal);
  }
  /// Replaces x (nv) by the inverse times x.  @pre factor() returned true
  void solve(const TreePose<S>& tree, VectorRef<S> x) noexcept {
    if (!takes_closures()) return solve_tree(tree, x);
    constexpr V accurate = 10 * epsilon<S>;  // y exceeds its effect in proportion to the stiffness of the rows
    y_.setZero();
    iteration_.solve(System{*this, tree, compliance_}, x, y_, [&](const auto& r, auto&& out) { weights_.times(r, out); }, accurate,
                     static_cast<int>(10 * size() + 100));
  }

 private:
  /// A row without stiffness: it acts on nothing.
  static const ConstraintRow<S>* none() noexcept {
    static const ConstraintRow<S> row;
    return &row;
  }
  struct Rows {
    const std::vector<const ConstraintRow<S>*>& pointers;
    std::size_t size() const noexcept { return pointers.size(); }
    const ConstraintRow<S>& operator[](std::size_t k) const noexcept { return *pointers[k]; }
  };

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(rows_.size()); }

  /// See RowIteration.
  struct System {
    ArticulatedMatrix& of;
    const TreePose<S>& tree;
    const VectorX<S>& R;
    void solve_tree(VectorRef<S> x) const noexcept { of.solve_tree(tree, x); }
    void rates(const ConstVectorRef<S>& v, VectorRef<S> out) const noexcept { of.products_.rates(tree, Rows{of.rows_}, v, out); }
    void add_forces(const ConstVectorRef<S>& y, VectorRef<S> f) const noexcept { of.products_.add_forces(tree, Rows{of.rows_}, y, f); }
  };

  void solve_tree(const TreePose<S>& tree, VectorRef<S> x) noexcept { tree_lu_solve(*model_, tree, rates_, factors_, x, x); }

  const Model* model_;
  TreeMatrix<S> rates_;  // K: inertia and rows of the bodies; S_end: motion subspaces
  TreeLu<S> factors_;
  ClosureWeights<Model> weights_;              // with the compliance of the rows
  std::vector<const ConstraintRow<S>*> rows_;  // those of closures; none() if their stiffness is zero
  RowProducts<Model> products_;
  RowIteration<S, false> iteration_;
  VectorX<S> compliance_, y_;  // (rows); compliance is 1/k
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ArticulatedMatrix<Model<double>>;
#endif

}  // namespace actio::detail
