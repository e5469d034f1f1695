// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A tree and the rows that close its loops, at the beginning and the end of a step: the linear systems that the solvers of closures share,
// and products with their matrices.
#include <algorithm>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// The accuracy to which a system with closures is solved.
enum class Accuracy : bool {
  of_update,  ///< loose: does not limit the convergence of the next update
  full,       ///< up to rounding errors
};

/// A tree at the beginning of a step, and the rows that close its loops there: the data of the system
///   M w - G^T L = f,   G w + R L = d                                                              [srm_math.md, sections 5.2 and 5.3]
/// for velocities w (nv) and impulses L (rows) [N s, N m s], given f (nv) [N m s, N s] and rates d (rows) [m/s, rad/s]. If rows are
/// redundant, L contains no impulses N with G^T N = 0: it is the smallest of all solutions in the norm L^T D L, D = diag(G M^-1 G^T). The
/// matrix of a step is not symmetric, and its solution may contain some N near singular poses.
/// Rows that are redundant only because of a singular pose have no impulse.
template <class ModelType>
struct ClosedNode {
  using S = typename ModelType::Scalar;  ///< the scalar

  const TreePose<S>& tree;            ///< at q_k
  AbiData<S>& mass;                   ///< factors of M
  TreeClosures<ModelType>& closures;  ///< placed there
  const VectorX<S>& joint;            ///< (nv) armature and all other terms on the diagonal of M [kg m^2, kg]
  const VectorX<S>& R;                ///< (rows) compliance, >= 0 [1/kg, 1/(kg m^2)]
  const VectorX<S>& D;                ///< (rows) mobility from measure(), > 0; if rows are redundant, exact, and the metric of impulses
  bool is_redundant;                  ///< whether rows are redundant in every pose with closed loops

  /// See RowIteration.
  ///@{
  void solve_tree(VectorRef<S> x) const noexcept { abi_solve(closures.model(), tree, mass, x, x); }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> out) const noexcept { closures.rates(tree, v, out); }
  void add_forces(const ConstVectorRef<S>& L, VectorRef<S> f) const noexcept { closures.add_forces(tree, L, f); }
  ///@}
};

/// The exact system of a step, with J = df/dx of the tree and G_end, the Jacobian at the end of the step on its increment:
///   J w - G^T L = f,   G_end w + R L = d                                                         [srm_math.md, section 5.3]
template <class ModelType>
class ClosedStep {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param closures is copied.  @param model outlives this.
  ClosedStep(const Model& model, const TreeClosures<Model>& closures)
      : model_(&model), end_(model), closures_(closures), rotations_(closures.make_rotations()), zeta_(VectorX<S>::Zero(model.nv())),
        from_increment_(MatrixX<S>::Zero(6, model.nv())) {}

  /// Begins a step; the arguments outlive the calls below, except for `rotations`, which is copied.  @param tree at q_k.
  /// @param dT displacements of the bodies over the increment x (nv).  @param matrix, factors those of J at x.
  /// @param joint (nv) joint terms in J.  @param rotations rotations of the loops at q_k.
  void begin(const TreePose<S>& tree, const BodyArray<Displacement<S>>& dT, const TreeMatrix<S>& matrix, TreeLu<S>& factors,
             const VectorX<S>& x, const VectorX<S>& joint, const typename TreeClosures<Model>::Rotations& rotations) noexcept {
    tree_ = &tree;
    dT_ = &dT;
    matrix_ = &matrix;
    factors_ = &factors;
    x_ = &x;
    joint_ = &joint;
    model_->integrate(tree.q, x, end_.q);
    place(*model_, end_, end_.q);
    rotations_ = rotations;
    closures_.place(end_, rotations_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        if constexpr (!joints::is_flat<J>()) {
          const Eigen::Index v = model_->v_index(i);
          Eigen::Matrix<S, J::nv, J::nv> turn;
          if (!invert<S, J::nv>(matrix.template to_increment_of<J>(v), turn)) turn.setIdentity();
          from_increment_.template block<J::nv, J::nv>(0, v) = turn;
        }
      });
    }
  }

  const TreePose<S>& end() const noexcept { return end_; }                           ///< the tree at q_k (+) x
  const TreeClosures<Model>& closures_at_end() const noexcept { return closures_; }  ///< the closures there
  const BodyArray<Displacement<S>>& displacements() const noexcept { return *dT_; }  ///< dT of the bodies, as given
  const TreeMatrix<S>& matrix() const noexcept { return *matrix_; }                  ///< J without its joint terms, as given
  const VectorX<S>& increment() const noexcept { return *x_; }                       ///< (nv) x, as given
  const VectorX<S>& joint() const noexcept { return *joint_; }                       ///< (nv) joint terms, as given

  /// Computes x := J^-1 x, x (nv).
  void solve_tree(VectorRef<S> x) noexcept { tree_lu_solve(*model_, *tree_, *matrix_, *factors_, x, x); }
  /// Computes out (rows) = G_end z, z (nv). Coordinates that are not flat change at the end by dlog(-x)^-1 dx.
  void rates(const ConstVectorRef<S>& z, VectorRef<S> out) noexcept {
    zeta_ = z;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        if constexpr (!joints::is_flat<J>()) {
          const Eigen::Index v = model_->v_index(i);
          zeta_.template segment<J::nv>(v) = from_increment_.template block<J::nv, J::nv>(0, v) * z.template segment<J::nv>(v);
        }
      });
    }
    closures_.rates(end_, zeta_, out);
  }

 private:
  const Model* model_;
  TreePose<S> end_;
  TreeClosures<Model> closures_;
  typename TreeClosures<Model>::Rotations rotations_;
  VectorX<S> zeta_;
  MatrixX<S> from_increment_;  // (6 x nv) dlog(-x_i)^-1, laid out as TreeMatrix::to_increment
  const TreePose<S>* tree_ = nullptr;
  const BodyArray<Displacement<S>>* dT_ = nullptr;
  const TreeMatrix<S>* matrix_ = nullptr;
  TreeLu<S>* factors_ = nullptr;
  const VectorX<S>*x_ = nullptr, *joint_ = nullptr;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosedStep<Model<double>>;
#endif

}  // namespace actio::detail
