// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>

#include "actio/integrators/closed_node.hpp"

namespace actio {

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

}  // namespace actio
