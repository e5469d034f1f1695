// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact Jacobian of a variational step of a tree with closed loops, as their solvers see it.
#include "actio/constraints/tree_closures.hpp"
#include "actio/dynamics/drnea_factor.hpp"
#include "actio/math/invert.hpp"

namespace actio {

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
  void begin(const TreePose<S>& tree, const BodyArray<Displacement<S>>& dT, const DrneaRates<S>& rates, DrneaFactors<S>& factors, const VectorX<S>& x,
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
  const DrneaRates<S>& rates() const noexcept { return *rates_; }                    ///< of the bodies' momenta, as given
  const VectorX<S>& increment() const noexcept { return *x_; }                       ///< (nv) x, as given
  const VectorX<S>& joint() const noexcept { return *joint_; }                       ///< (nv) of joint terms, as given

  /// z = J^-1 f, (nv) both; may be the same.
  void solve(const ConstVectorRef<S>& f, VectorRef<S> z) noexcept { drnea_solve(*model_, *tree_, *rates_, *factors_, f, z); }
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
  MatrixX<S> from_increment_;  // (6 x nv) dlog(-x_i)^-1, laid out as DrneaRates::to_increment
  const TreePose<S>* tree_ = nullptr;
  const BodyArray<Displacement<S>>* dT_ = nullptr;
  const DrneaRates<S>* rates_ = nullptr;
  DrneaFactors<S>* factors_ = nullptr;
  const VectorX<S>*x_ = nullptr, *joint_ = nullptr;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosedStep<Model<double>>;
#endif

}  // namespace actio
