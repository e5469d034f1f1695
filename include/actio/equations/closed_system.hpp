// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A tree and the rows that close its loops, where a step begins and ends: the system that the solvers of closures share, and products with
// it.
#include <algorithm>

#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/abi.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/math/invert.hpp"

namespace actio::detail {

/// How far a system with closures is solved.
enum class Accuracy : bool {
  of_update,  ///< so far that the next update brings as much as it can
  full,       ///< to rounding
};

/// A tree where a step begins and the rows that close its loops there: what solvers of
///   M w - G^T L = f,   G w + R L = d                                                              [srm_math.md, sections 5.2 and 5.3]
/// are given: velocities w (nv) and impulses L (rows) [N s, N m s] of f (nv) [N m s, N s] and rates d (rows) [m/s, rad/s]. Where rows are
/// redundant, impulses that add up to nothing, G^T N = 0, are left out of L: it is the least of all that do the same, in the norm
/// L^T D L, D = diag(G M^-1 G^T). A step's own matrix, which lacks the symmetry, may leave some in near singular poses.
/// Where only a singular pose makes rows depend on others, these rows have no impulse.
template <class ModelType>
struct ClosedNode {
  using S = typename ModelType::Scalar;  ///< of all numbers

  const TreePose<S>& tree;            ///< at q_k
  AbiData<S>& mass;                   ///< factors of M
  TreeClosures<ModelType>& closures;  ///< placed there
  const VectorX<S>& joint;            ///< (nv) armature and all else on the diagonal of M [kg m^2, kg]
  const VectorX<S>& R;                ///< (rows) softness, >= 0 [1/kg, 1/(kg m^2)]
  const VectorX<S>& D;                ///< (rows) as measure() found it, > 0: the metric of impulses, and exact, where rows are redundant
  bool is_redundant;                  ///< whether rows depend on others wherever the loops are closed
};

/// J = df/dx of the tree and G_end, the rows' Jacobian where the step ends, on its increment:
///   J w - G^T L = f,   G_end w + R L = d                                                         [srm_math.md, section 5.3]
template <class ModelType>
class ClosedStep {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers

  /// @param closures copied.  @param model outlives this.
  ClosedStep(const Model& model, const TreeClosures<Model>& closures)
      : model_(&model), end_(model), closures_(closures), turns_(closures.make_turns()), zeta_(VectorX<S>::Zero(model.nv())),
        from_increment_(MatrixX<S>::Zero(6, model.nv())) {}

  /// @param dT displacements of the bodies over the increment x (nv).  @param rates, factors of J there.
  /// @param joint (nv) of joint terms, in J.  @param turns of the loops where `tree` stands, copied: all else outlives what follows.
  void begin(const TreePose<S>& tree, const BodyArray<Displacement<S>>& dT, const TreeMatrix<S>& rates, TreeLu<S>& factors, const VectorX<S>& x,
             const VectorX<S>& joint, const typename TreeClosures<Model>::Turns& turns) noexcept {
    tree_ = &tree;
    dT_ = &dT;
    rates_ = &rates;
    factors_ = &factors;
    x_ = &x;
    joint_ = &joint;
    model_->integrate(tree.q, x, end_.q);
    place(*model_, end_, end_.q);
    turns_ = turns;
    closures_.place(end_, turns_);
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        if constexpr (!joints::is_flat<J>()) {
          const Eigen::Index v = model_->v_index(i);
          Eigen::Matrix<S, J::nv, J::nv> turn;
          if (!invert<S, J::nv>(rates.template to_increment_of<J>(v), turn)) turn.setIdentity();
          from_increment_.template block<J::nv, J::nv>(0, v) = turn;
        }
      });
    }
  }

  const TreePose<S>& end() const noexcept { return end_; }                           ///< at q_k (+) x
  const TreeClosures<Model>& closures_at_end() const noexcept { return closures_; }  ///< placed there
  const BodyArray<Displacement<S>>& displacements() const noexcept { return *dT_; }  ///< dT of the bodies, as given
  const TreeMatrix<S>& rates() const noexcept { return *rates_; }                    ///< of the bodies' momenta, as given
  const VectorX<S>& increment() const noexcept { return *x_; }                       ///< (nv) x, as given
  const VectorX<S>& joint() const noexcept { return *joint_; }                       ///< (nv) of joint terms, as given

  /// z = J^-1 f, (nv) both; may be the same.
  void solve(const ConstVectorRef<S>& f, VectorRef<S> z) noexcept { tree_lu_solve(*model_, *tree_, *rates_, *factors_, f, z); }
  /// d (rows) = G_end z, z (nv).
  void closure_rates(const ConstVectorRef<S>& z, VectorRef<S> d) noexcept {
    zeta_ = z;
    for_each_curved([&]<int n>(Eigen::Index v, const Eigen::Matrix<S, n, n>& turn) {
      zeta_.template segment<n>(v) = turn * z.template segment<n>(v);
    });
    closures_.rates(end_, zeta_, d);
  }
  /// g (nv) = a row of G_end.
  void closure_covector(Eigen::Index row, VectorRef<S> g) noexcept {
    closures_.covector(end_, row, g);
    for_each_curved([&]<int n>(Eigen::Index v, const Eigen::Matrix<S, n, n>& turn) {
      const Eigen::Matrix<S, n, 1> of_end = g.template segment<n>(v);
      g.template segment<n>(v) = turn.transpose() * of_end;
    });
  }

 private:
  /// Joints whose q_end does not move by dx but by dlog(-x)^-1 dx.
  template <class F>
  void for_each_curved(F&& f) noexcept {
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) {
      visit_joint(*model_, i, [&]<JointType J>(const J&) {
        if constexpr (!joints::is_flat<J>()) {
          const Eigen::Index v = model_->v_index(i);
          const Eigen::Matrix<S, J::nv, J::nv> turn = from_increment_.template block<J::nv, J::nv>(0, v);
          f.template operator()<J::nv>(v, turn);
        }
      });
    }
  }

  const Model* model_;
  TreePose<S> end_;
  TreeClosures<Model> closures_;
  typename TreeClosures<Model>::Turns turns_;
  VectorX<S> zeta_;
  MatrixX<S> from_increment_;  // (6 x nv) dlog(-x_i)^-1, laid out as TreeMatrix::to_increment
  const TreePose<S>* tree_ = nullptr;
  const BodyArray<Displacement<S>>* dT_ = nullptr;
  const TreeMatrix<S>* rates_ = nullptr;
  TreeLu<S>* factors_ = nullptr;
  const VectorX<S>*x_ = nullptr, *joint_ = nullptr;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosedStep<Model<double>>;
#endif

/// Products with G M^-1 G^T + R by sweeps over the tree, O(bodies + rows) each, and the system of ClosedNode by an iteration over them.
/// All members but the constructor neither allocate nor throw.
template <class ModelType>
class ClosureProducts {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< of all numbers

  /// @param rows of the closures.  @param model outlives this.
  ClosureProducts(const Model& model, Eigen::Index rows) : model_(&model), f_(VectorX<S>::Zero(model.nv())), r_(VectorX<S>::Zero(rows)), rate_(r_) {}

  /// out = (G M^-1 G^T + R) x.  @param x, out (rows), not the same.
  void multiply(const ClosedNode<Model>& at, const VectorX<S>& x, VectorX<S>& out) noexcept {
    f_.setZero();
    at.closures.add_forces(at.tree, x, f_);
    abi_solve(*model_, at.tree, at.mass, f_, f_);
    at.closures.rates(at.tree, f_, out);
    out += at.R.cwiseProduct(x);
  }
  /// @param w (nv) in: f; out.  @param L (rows) in: d; out.  @param iterate (r, L): solves for L, zero at first, of these rates r (rows).
  template <class Iterate>
  void solve(const ClosedNode<Model>& at, VectorRef<S> w, VectorRef<S> L, Iterate&& iterate) noexcept {
    abi_solve(*model_, at.tree, at.mass, w, w);
    at.closures.rates(at.tree, w, rate_);
    r_ = L - rate_;
    L.setZero();
    iterate(r_, L);
    f_.setZero();
    at.closures.add_forces(at.tree, L, f_);
    abi_solve(*model_, at.tree, at.mass, f_, f_);
    w += f_;
  }

 private:
  const Model* model_;
  VectorX<S> f_, r_, rate_;
};

}  // namespace actio::detail
