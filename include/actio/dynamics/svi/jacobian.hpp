// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The exact Jacobian of the scalable variational integrator, from the second derivatives of every body's twist.
#include "actio/dynamics/svi/svi.hpp"

namespace actio {

namespace detail {

/// Returns -ad_B^T Z: the c with [X, B] . Z = X . c for every twist X.
template <Scalar S>
Vector6<S> rotated(const Vector6<S>& B, const Vector6<S>& Z) {
  const Vector3<S> w = B.template head<3>(), v = B.template tail<3>(), n = Z.template head<3>(), f = Z.template tail<3>();
  return spatial<S>(w.cross(n) + v.cross(f), w.cross(f));
}

}  // namespace detail

/// Computes J = d left/dx at the point of the last svi_evaluate().
///   J = L_vv / h + (L_vq - L_qv) / 2 - h/4 L_qq
/// On the path of a body, for entries j before or equal to l, with the second derivatives dB_j/dq_l = [B_j, B_l], dB_l/dq_j = 0,
/// dA_j/dq_l = dA_l/dq_j = [A_j, B_l] and e_l = G A_l + rotated(B_l, H), u_l the same for W and the change of W itself:
///   vv_jl = B_j . G B_l,   vq_jl = B_j . e_l,   vq_lj = qv_jl = A_j . G B_l,   qq_jl = A_j . e_l + B_j . u_l.
/// The second derivatives are thus never formed: each pair costs two products of 12 numbers for each body that both move.
/// @param J (nv x nv) result.  O(bodies x depth^2); allocates and throws nothing.       [Johnson and Murphey 2009; vi_math.md, section 10]
template <Scalar S, class Joints>
void svi_jacobian(const Model<S, Joints>& model, SviData<S>& data, MatrixX<S>& J) noexcept {
  ACTIO_ASSERT(J.rows() == model.nv() && J.cols() == model.nv());
  using Row = Eigen::Matrix<S, 12, 1>;
  const S inverse_h = S(1) / data.h, half = S(1) / S(2), quarter_h = data.h / S(4);
  J.setZero();
  data.mirror.setZero();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<S>& G = model.inertia(i);
    const Vector3<S> weight = G.mass * data.g[i];
    const Eigen::Map<typename SviData<S>::Path> path = data.path(i);
    for (BodyIndex b = i; b > 0; b = model.parent(b)) {
      for (Eigen::Index k = 0; k < model.nv(b); ++k) {
        const Eigen::Index row = data.layout[b].begin + k, column = model.v_index(b) + k;
        const Vector6<S> B = path.template leftCols<6>().row(row).transpose(), A = path.template rightCols<6>().row(row).transpose();
        const Vector6<S> GB = G.momentum(B), e = G.momentum(A) + detail::rotated<S>(B, data.H[i]);
        const Vector3<S> of_com = B.template tail<3>() + B.template head<3>().cross(G.com);
        const Vector6<S> symmetric = inverse_h * GB - spatial<S>(quarter_h * of_com.cross(weight), Vector3<S>::Zero());
        Row upper, lower;  // J_jl and J_lj are row j of the path times these
        upper << symmetric + half * e, -half * GB - quarter_h * e;
        lower << symmetric - half * e, half * GB - quarter_h * e;
        data.for_each_piece(model, b, row + 1, [&](Eigen::Index first, Eigen::Index entry, Eigen::Index count) {
          const auto piece = path.middleRows(first, count);
          J.col(column).segment(entry, count) += piece.lazyProduct(upper);
          data.mirror.col(column).segment(entry, count) += piece.lazyProduct(lower);
        });
      }
    }
  }
  for (Eigen::Index k = 1; k < model.nv(); ++k) J.row(k).head(k) = data.mirror.col(k).head(k).transpose();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void svi_jacobian(const Model<double>&, SviData<double>&, MatrixX<double>&) noexcept;
#endif

}  // namespace actio
