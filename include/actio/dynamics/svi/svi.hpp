// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The scalable variational integrator of Johnson and Murphey: both momenta of the discrete Lagrangian by the mid-point rule, from
// the derivatives of every body's twist by every joint entry on its path to the root. It is the baseline that DRNEA is compared
// with; the same momenta follow from one sweep in and one out, which is not done here.              [vi_math.md, section 10]
#include <limits>

#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/requirements.hpp"

namespace actio {

/// Workspace of svi_evaluate and svi_jacobian. O(bodies x depth) numbers, and nv x nv for the Jacobian.
///
/// The joint entries on the path from the root to body i are, in this order, the rows of path(i). With V_i the twist of the body in
/// its own frame,
///   row j = [B_ij, A_ij],  B_ij = dV_i/dv_j (its pose moves by it too: dT_i/dq_j = T_i [B_ij]),  A_ij = dV_i/dq_j.
template <Scalar S>
struct SviData {
  using Path = Eigen::Matrix<S, Eigen::Dynamic, 12>;  ///< (rows x 12) [B_ij, A_ij] of all j on the path of a body
  /// Where the path of a body is stored.
  struct Layout {
    Eigen::Index offset = 0;  ///< index of the first row of path(i) in `rows`
    Eigen::Index begin = 0;   ///< number of rows of the bodies before it: its joint's are begin ... end - 1
    Eigen::Index end = 0;     ///< number of rows of path(i)
    BodyIndex head = 0;       ///< first body on the path from which the entries up to this body's are contiguous in v too
  };

  S h{};                     ///< time step [s]
  TreePose<S> tree;          ///< at q + x/2
  VectorX<S> v;              ///< (nv) x / h
  BodyArray<Vector6<S>> V,   ///< twist, in the body's frame [rad/s, m/s]
      H,                     ///< momentum, in the body's frame [N m s, N s]
      W;                     ///< weight, in the body's frame [N m, N]
  BodyArray<Vector3<S>> g;   ///< gravity in the body's axes [m/s^2]
  BodyArray<Layout> layout;  ///< of each body
  VectorX<S> rows;           ///< all paths (rows x 12), each stored by columns, one after the other
  VectorX<S> dL_dv,          ///< (nv) gradient of the Lagrangian by v [N m s, N s]
      dL_dq;                 ///< (nv) and by q [N m, N]
  VectorX<S> left,           ///< (nv) -D1 L_d, gravity included [N m s, N s]
      right;                 ///< (nv) D2 L_d, gravity included [N m s, N s]
  VectorX<S> residual;       ///< (nv) workspace of Svi::reduce [N m s, N s]
  MatrixX<S> mirror;         ///< (nv x nv) workspace of svi_jacobian

  /// Sizes all members for the model.  @throws ModelError for joints that are not a product of screws.
  template <class Joints>
  explicit SviData(const Model<S, Joints>& model)
      : tree(model), V(model.num_bodies(), Vector6<S>::Constant(not_yet())), H(V), W(V), g(model.num_bodies(), model.gravity()),
        layout(model.num_bodies()) {
    detail::svi_require(model);
    Eigen::Index total = 0;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const BodyIndex parent = model.parent(i);
      const Eigen::Index begin = layout[parent].end;
      const bool beside = parent > 0 && model.v_index(parent) + model.nv(parent) == model.v_index(i);
      layout[i] = {total, begin, begin + model.nv(i), beside ? layout[parent].head : i};
      total += layout[i].end;
    }
    rows.setConstant(12 * total, not_yet());
    for (VectorX<S>* vector : {&v, &dL_dv, &dL_dq, &left, &right, &residual}) vector->setConstant(model.nv(), not_yet());
    mirror.setConstant(model.nv(), model.nv(), not_yet());
    V[0].setZero();
  }

  Eigen::Map<Path> path(BodyIndex i) { return {rows.data() + 12 * layout[i].offset, layout[i].end, 12}; }  ///< (layout[i].end x 12)

  /// Calls kernel(first row, first entry in v, count) for the rows 0 ... end - 1 of the path of body i, once for each range of entries
  /// that are contiguous in v: a chain has one range.  @pre layout[i].begin <= end <= layout[i].end.
  template <class Joints, class Kernel>
  void for_each_piece(const Model<S, Joints>& model, BodyIndex i, Eigen::Index end, const Kernel& kernel) const {
    while (i > 0) {
      const BodyIndex head = layout[i].head;
      const Eigen::Index begin = layout[head].begin;
      kernel(begin, model.v_index(head), end - begin);
      i = model.parent(head);
      end = begin;
    }
  }

 private:
  static S not_yet() { return S(std::numeric_limits<ValueOf<S>>::quiet_NaN()); }
};

namespace detail {

/// Transforms a path from the parent's frame to the child's: both halves of every row by Ad_T^-1.
template <Scalar S>
void carry_path(const Pose<S>& T, const Eigen::Map<typename SviData<S>::Path>& from, Eigen::Map<typename SviData<S>::Path> to) {
  const Matrix3<S> pR = so3::hat(T.p) * T.R;
  const Eigen::Index n = from.rows();
  for (const int half : {0, 6}) {
    const auto w = from.template middleCols<3>(half), v = from.template middleCols<3>(half + 3);
    to.template middleCols<3>(half).topRows(n) = w.lazyProduct(T.R);
    to.template middleCols<3>(half + 3).topRows(n) = v.lazyProduct(T.R) + w.lazyProduct(pR);
  }
}

}  // namespace detail

/// Computes both momenta of L_d = h L(q + x/2, x/h), L = kinetic minus gravitational energy, without springs, dampers and armature.
///   left = -D1 L_d = dL/dv - h/2 dL/dq,   right = D2 L_d = dL/dv + h/2 dL/dq,
///   dL/dv_j = sum_i B_ij . H_i,   dL/dq_j = sum_i A_ij . H_i + B_ij . W_i    [Johnson and Murphey 2009; vi_math.md, section 10]
/// over the bodies i that joint entry j moves. Results in data.left, data.right, valid until the next call.
/// @param q (nq), x (nv) the increment to q + x [rad, m].  @param h time step [s], not zero.
/// O(bodies x depth); allocates and throws nothing.
template <Scalar S, class Joints>
void svi_evaluate(const Model<S, Joints>& model, SviData<S>& data, const std::type_identity_t<ConstVectorRef<S>>& q,
                  const std::type_identity_t<ConstVectorRef<S>>& x, const std::type_identity_t<S>& h) noexcept {
  ACTIO_ASSERT(q.size() == model.nq() && x.size() == model.nv());
  data.h = h;
  data.v = x / h;
  data.tree.q = q + x / S(2);
  place(model, data.tree, data.tree.q);
  data.dL_dv.setZero();
  data.dL_dq.setZero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.parent(i);
    const Pose<S>& T = data.tree.T_PB[i];
    const Inertia<S>& G = model.inertia(i);
    Eigen::Map<typename SviData<S>::Path> path = data.path(i);
    if (parent > 0) detail::carry_path<S>(T, data.path(parent), path);
    Vector6<S> V = T.twist_to_child(data.V[parent]);
    for (Eigen::Index k = 0; k < model.nv(i); ++k) {
      const Vector6<S> S_k = data.tree.subspace.col(model.v_index(i) + k);
      path.row(data.layout[i].begin + k) << S_k.transpose(), detail::bracket<S>(V, S_k).transpose();  // V of the screws before k
      V += S_k * data.v[model.v_index(i) + k];
    }
    data.V[i] = V;
    data.H[i] = G.momentum(V);
    data.g[i] = T.R.transpose() * data.g[parent];
    const Vector3<S> weight = G.mass * data.g[i];
    data.W[i] = spatial<S>(G.com.cross(weight), weight);
    Eigen::Matrix<S, 12, 1> WH;
    WH << data.W[i], data.H[i];
    data.for_each_piece(model, i, data.layout[i].end, [&](Eigen::Index row, Eigen::Index entry, Eigen::Index count) {
      const auto piece = path.middleRows(row, count);
      data.dL_dv.segment(entry, count) += piece.template leftCols<6>().lazyProduct(data.H[i]);
      data.dL_dq.segment(entry, count) += piece.lazyProduct(WH);
    });
  }
  const S half = h / S(2);
  data.left = data.dL_dv - half * data.dL_dq;
  data.right = data.dL_dv + half * data.dL_dq;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void svi_evaluate(const Model<double>&, SviData<double>&, const ConstVectorRef<double>&, const ConstVectorRef<double>&,
                                     const double&) noexcept;
#endif

}  // namespace actio
