// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Accelerations of trees of rods in redundant coordinates of the world, with Baumgarte stabilisation.
#include "actio/dynamics/descriptor_tree.hpp"
#include "actio/model/rods.hpp"

namespace actio {

/// Gains that correct a constraint violation g of joints: instead of d^2g/dt^2 = 0 they satisfy  d^2g/dt^2 + 2 a1 dg/dt + a2^2 g = 0.
template <Scalar S>
struct Baumgarte {
  S a1 = S(10),    ///< damping [1/s]                                                [srm_math.md, section 1]
      a2 = S(10);  ///< frequency [1/s]: critically damped if it equals a1
  friend bool operator==(const Baumgarte&, const Baumgarte&) = default;  ///< whether the gains are equal
};

namespace detail {

/// The blocks of a rod: coordinates (x, r), constraint rows of its length and of its joint.
template <Scalar S, int d>
using RodBlocks = DescriptorBlocks<S, 2 * d, d + 1, d>;

/// Returns the blocks of rod j at (p, v).  @param p, v (tree.size()) coordinates and their rates [m, m/s].  @param push (tree.size())
/// forces on the coordinates, in addition to the uniform acceleration [N].
template <Scalar S, int d>
RodBlocks<S, d> rod_blocks(const RodTree<S, d>& tree, BodyIndex j, const ConstVectorRef<S>& p, const ConstVectorRef<S>& v,
                           const ConstVectorRef<S>& push, const Baumgarte<S>& back) {
  using Tree = RodTree<S, d>;
  using Point = typename Tree::Point;
  using Square = Eigen::Matrix<S, d, d>;
  const S &m = tree.mass(), one(1);
  const Point r = Tree::vector_of(j, p), r_rate = Tree::vector_of(j, v);
  Point gap = Tree::end_of(j, p) - r, gap_rate = Tree::end_of(j, v) - r_rate;
  const BodyIndex parent = tree.parent(j);
  if (parent > 0) {
    gap -= Tree::end_of(parent, p);
    gap_rate -= Tree::end_of(parent, v);
  } else {
    gap -= tree.knot(j);
  }
  RodBlocks<S, d> blocks;
  blocks.M << m * Square::Identity(), -m / S(2) * Square::Identity(), -m / S(2) * Square::Identity(), m / S(3) * Square::Identity();
  blocks.G << Eigen::Matrix<S, 1, d>::Zero(), r.transpose(), Square::Identity(), -Square::Identity();
  blocks.G_parent << Eigen::Matrix<S, 1, d>::Zero(), -Square::Identity();
  const S l2 = tree.length() * tree.length(), k = back.a2 * back.a2;
  blocks.gamma[0] = -r_rate.squaredNorm() - S(2) * back.a1 * r.dot(r_rate) - k * (r.squaredNorm() - l2) / S(2);
  blocks.gamma.template tail<d>() = -S(2) * back.a1 * gap_rate - k * gap;
  blocks.f << tree.acceleration() * m, tree.acceleration() * (-m / S(2) * one);
  blocks.f += push.template segment<2 * d>(2 * d * (j - 1));
  return blocks;
}

/// Computes the accelerations of the rods without the loops.  O(rods).  @param data (rods + 1).  @param p, v, push as of rod_blocks().
/// @param a (tree.size()) result [m/s^2].  @returns as descriptor_accelerations.
template <Scalar S, int d>
[[nodiscard]] BodyIndex rod_accelerations(const RodTree<S, d>& tree, DescriptorData<RodBlocks<S, d>>& data,
                                          const std::type_identity_t<ConstVectorRef<S>>& p,
                                          const std::type_identity_t<ConstVectorRef<S>>& v,
                                          const std::type_identity_t<ConstVectorRef<S>>& push, const Baumgarte<S>& back,
                                          std::type_identity_t<VectorRef<S>> a) noexcept {
  ACTIO_ASSERT(data.size() == tree.num_rods() + 1);
  return descriptor_accelerations<RodBlocks<S, d>>(
      data, [&](BodyIndex j) { return tree.parent(j); }, [&](BodyIndex j) { return rod_blocks<S, d>(tree, j, p, v, push, back); }, a);
}

}  // namespace detail

/// Returns the largest constraint violation: of joints the gap [m], of lengths (r.r - l^2) / 2 [m^2].  @param p (tree.size()).
template <Scalar S, int d>
S largest_joint_gap(const RodTree<S, d>& tree, const std::type_identity_t<ConstVectorRef<S>>& p) {
  using Tree = RodTree<S, d>;
  using std::abs;
  S largest(0);
  for (BodyIndex j = 1; j <= tree.num_rods(); ++j) {
    const typename Tree::Point r = Tree::vector_of(j, p), x = Tree::end_of(j, p);
    const typename Tree::Point p_parent = tree.parent(j) > 0 ? typename Tree::Point(Tree::end_of(tree.parent(j), p)) : tree.knot(j);
    const S of_length = abs(S(r.squaredNorm() - tree.length() * tree.length()) / S(2)), of_joint = (x - p_parent - r).cwiseAbs().maxCoeff();
    largest = std::max({largest, of_length, of_joint});
  }
  return largest;
}

}  // namespace actio
