// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Accelerations of a tree in redundant coordinates, its joints being constraints, in O(bodies): the recursion of Ascher and Lin.
#include "actio/core/types.hpp"
#include "actio/dynamics/abi.hpp"

namespace actio::detail {

/// The blocks of one body of a tree in redundant coordinates u in  M u'' + G^T mu = f,  G u'' = gamma.     [Ascher and Lin 1999, (2.5)]
/// Its first `port` coordinates are those of the joint to its children, and the only ones in the constraints of these.
template <Scalar S, int size_, int rows_, int port_>
struct DescriptorBlocks {
  using Scalar = S;                       ///< type of every number in it
  static constexpr int size = size_,      ///< coordinates u_j of a body
      rows = rows_,                       ///< constraints between it and its parent
      port = port_;                       ///< coordinates of the joint to its children, the first of u_j
  Eigen::Matrix<S, size, size> M;         ///< M_j, symmetric positive definite
  Eigen::Matrix<S, rows, size> G;         ///< G_jj, of the constraints with its parent, by its coordinates; of full rank
  Eigen::Matrix<S, rows, port> G_parent;  ///< G_jf, of the same constraints by the port of the parent
  Eigen::Matrix<S, rows, 1> gamma;        ///< right-hand side of those constraints
  Eigen::Matrix<S, size, 1> f;            ///< force on the coordinates of the body
};

/// A body after the elimination of its children:  u'' = K x'' + k  and  mu = A x'' + a, where x'' is the acceleration of the parent's port.
template <class Blocks>
struct EliminatedBody {
  using S = typename Blocks::Scalar;               ///< type of every number in it
  Eigen::Matrix<S, Blocks::size, Blocks::port> K;  ///< derivative of u'' by x''
  Eigen::Matrix<S, Blocks::size, 1> k;             ///< u'' where x'' is zero
  Eigen::Matrix<S, Blocks::port, Blocks::port> P;  ///< its children exert the force q - P x'' on its port, x'' its acceleration
  Eigen::Matrix<S, Blocks::port, 1> q;             ///< that force where the acceleration of the port is zero
};

/// Eliminates a body:
///   (M_j + P) u'' + G_jj^T mu = f_j + q,   G_jj u'' = gamma_j - G_jf x''                                                  (2.11)
/// and adds  G_jf^T A to P and -G_jf^T a to q of its parent.                                                               (2.12)
/// @param body P and q from all of its children; K and k are the result.  @param parent its parent, null for the world.
/// @returns false if M_j + P is not positive definite, or G_jj does not have full rank.
template <class Blocks>
bool eliminate(const Blocks& blocks, EliminatedBody<Blocks>& body, EliminatedBody<Blocks>* parent) noexcept {
  using S = typename Blocks::Scalar;
  constexpr int size = Blocks::size, rows = Blocks::rows, port = Blocks::port;
  Eigen::Matrix<S, size, size> M = blocks.M, M_inverse;
  M.template topLeftCorner<port, port>() += body.P;
  Eigen::Matrix<S, size, 1> f = blocks.f;
  f.template head<port>() += body.q;
  if (!detail::invert_pivot(M, M_inverse)) return false;
  const Eigen::Matrix<S, size, rows> Y = M_inverse * blocks.G.transpose();
  const Eigen::Matrix<S, rows, rows> W = blocks.G * Y;
  Eigen::Matrix<S, rows, rows> W_inverse;
  if (!detail::invert_pivot(W, W_inverse)) return false;
  const Eigen::Matrix<S, rows, port> A = W_inverse * blocks.G_parent;
  const Eigen::Matrix<S, rows, 1> a = W_inverse * (Y.transpose() * f - blocks.gamma);
  body.K.noalias() = -Y * A;
  body.k = M_inverse * f - Y * a;
  if (parent) {
    parent->P.noalias() += blocks.G_parent.transpose() * A;
    parent->q.noalias() -= blocks.G_parent.transpose() * a;
  }
  return true;
}

/// Workspace of the recursion: bodies 1, 2, ..., parents before their children; 0 is the world.
template <class Blocks>
using DescriptorData = BodyArray<EliminatedBody<Blocks>>;

/// Computes the accelerations from leaves to root by (2.11) and (2.12), then from root to leaves by u'' = K x'' + k.  O(bodies); allocates
/// and throws nothing.  @param parent_of (j) -> 0 or a body before j, its parent.  @param blocks_of (j) -> Blocks.
/// @param data (bodies + 1).  @param a (bodies times size) result.
/// @returns 0, or the first body from the leaves that cannot be eliminated.
template <class Blocks, class ParentOf, class BlocksOf>
[[nodiscard]] BodyIndex descriptor_accelerations(DescriptorData<Blocks>& data, const ParentOf& parent_of, const BlocksOf& blocks_of,
                                                 std::type_identity_t<VectorRef<typename Blocks::Scalar>> a) noexcept {
  constexpr int size = Blocks::size, port = Blocks::port;
  for (EliminatedBody<Blocks>& body : data) {
    body.P.setZero();
    body.q.setZero();
  }
  for (BodyIndex j = data.size() - 1; j > 0; --j) {
    const BodyIndex parent = parent_of(j);
    if (!eliminate<Blocks>(blocks_of(j), data[j], parent > 0 ? &data[parent] : nullptr)) return j;
  }
  for (BodyIndex j = 1; j < data.size(); ++j) {
    const BodyIndex parent = parent_of(j);
    auto a_j = a.template segment<size>(size * (j - 1));
    a_j = data[j].k;
    if (parent > 0) a_j.noalias() += data[j].K * a.template segment<port>(size * (parent - 1));
  }
  return 0;
}

}  // namespace actio::detail
