// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant rows on many trees, such as the bodies of a pile, as a problem for the cone solver.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "actio/constraints/row.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/solvers/cone/block_velocities.hpp"

namespace actio::detail {

/// Fills a BlockVelocities. A node is a tree of joints that hangs from the world, with the dense mass matrix of its joints; rows connect
/// pairs of trees. For trees of few joints; CompliantTree is for a tree of many.                     [compliant_math.md, section 8]
template <class ModelType>
class CompliantForest {
 public:
  using Model = ModelType;           ///< the trees and their bodies
  using S = typename Model::Scalar;  ///< scalar type of all numbers

  /// @param capacity rows.  @param pairs of trees that rows connect, including the fill-in of elimination.  @param model outlives this.
  CompliantForest(const Model& model, std::size_t capacity, std::size_t pairs);

  /// Returns the number of nodes for a model.
  static std::size_t num_trees(const Model& model);

  /// Begins a step of length h [s] at q (nq), without rows.
  /// @param added (nv) >= 0, adds to the diagonal of M, for implicit joint forces [kg m^2, kg].
  /// @returns the first body of the first tree that has a joint that moves no mass; 0 if none.
  BodyIndex begin(const ConstVectorRef<S>& q, const ConstVectorRef<S>& added, const S& h) noexcept;
  /// Returns whether a part of `added` for entry k of the joint of a body is more than half of its entry on the diagonal of M, with
  /// `added`.
  bool dominates(const S& part, BodyIndex i, Eigen::Index k) noexcept {
    const Place at = place_[static_cast<std::size_t>(model_->v_index(i) + k)];
    return S(2) * part > blocks_.mass(at.node)(at.entry, at.entry);
  }
  const TreePose<S>& tree() const noexcept { return tree_; }  ///< in the pose of begin()
  /// Returns the twists (bodies) in the bodies' frames at velocities v (nv) of the model; valid until the next call.
  const BodyArray<Vector6<S>>& twists(const ConstVectorRef<S>& v) noexcept {
    body_twists(*model_, tree_, v, V_);
    return V_;
  }

  /// Convert velocities and impulses (nv) between the order of the model and that of the problem, which is tree by tree.
  ///@{
  void to_problem(const ConstVectorRef<S>& of_model, VectorRef<S> x) const noexcept {
    for (Eigen::Index k = 0; k < of_model.size(); ++k) x[entry(k)] = of_model[k];
  }
  void to_model(const ConstVectorRef<S>& x, VectorRef<S> of_model) const noexcept {
    for (Eigen::Index k = 0; k < of_model.size(); ++k) of_model[k] = x[entry(k)];
  }
  ///@}
  /// Computes v_free = v + M^-1 impulse, all (nv) in the order of the model, impulse [N m s, N s].
  void set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse, VectorRef<S> v_free) noexcept;
  /// The problem for the solver, in its own order.
  ///@{
  BlockVelocities<S>& problem() noexcept { return blocks_; }
  const BlockVelocities<S>& problem() const noexcept { return blocks_; }
  ///@}

  /// Adds a group of rows, as CompliantTree::add().
  [[nodiscard]] bool add(NewGroup<S> group, std::span<const ConstraintRow<S>> rows) noexcept {
    std::array<int, 2> nodes{none, none};
    const std::array<S*, 2> G{column_.data(), column_.data() + 3 * largest_};
    for (std::size_t r = 0; r < static_cast<std::size_t>(group.size); ++r) {
      const auto column = [&](int node) {
        const std::size_t side = nodes[0] == node || nodes[0] == none ? 0 : 1;
        if (nodes[side] == none) {
          nodes[side] = node;
          std::fill_n(G[side], 3 * largest_, S(0));
        }
        ACTIO_ASSERT(nodes[side] == node);  // rows connect at most two nodes
        return G[side] + static_cast<std::ptrdiff_t>(r) * detail::leading<S>(blocks_.size(node));
      };
      for (const auto& part : rows[r].bodies) {
        const int node = node_[static_cast<std::size_t>(part.body)];
        if (node != none) add_wrench(part.body, part.wrench, column(node));
      }
      for (const auto& part : rows[r].joints) {
        if (part.v < 0) continue;
        const Place at = place_[static_cast<std::size_t>(part.v)];
        column(at.node)[at.entry] += part.coefficient;
      }
    }
    // A rigid row without mobility, such as one out of the plane of a plane mechanism, gets a compliance, so that its force is finite.
    if (!(group.R[0] > S(0)) && !can_follow(rows[0], nodes, G)) group.R[0] = S(1);
    return blocks_.add(group, nodes, {G[0], G[1]});
  }
  /// Completes the rows after the last one.  @returns false if there is no room for the pairs of trees that they connect.
  [[nodiscard]] bool complete() noexcept { return blocks_.place(); }

 private:
  static constexpr int none = BlockVelocities<S>::none;
  struct Place {  // of an entry of v
    int node = none, entry = 0;
  };
  /// Returns the number of velocities of each tree; sets node_, place_ and largest_.
  std::vector<int> sizes(const Model& model);
  Eigen::Index entry(Eigen::Index k) const noexcept {
    const Place at = place_[static_cast<std::size_t>(k)];
    return blocks_.offset(at.node) + at.entry;
  }
  /// Whether a row's G, in the columns of its nodes, is larger than rounding.
  bool can_follow(const ConstraintRow<S>& row, const std::array<int, 2>& nodes, const std::array<S*, 2>& G) const noexcept;
  /// Calls is(entry of v, F) for each joint between a body and the world, F the wrench on that joint's body, until it returns true.
  template <class Is>
  bool any_carrier(BodyIndex body, Vector6<S> F, const Is& is) const noexcept {
    for (BodyIndex i = body; i > 0; i = model_->parent(i)) {
      for (Eigen::Index k = model_->v_index(i); k < model_->v_index(i) + model_->nv(i); ++k) {
        if (is(k, F)) return true;
      }
      if (model_->parent(i) > 0) F = tree_.T_PB[i].wrench_to_parent(F);
    }
    return false;
  }
  /// Adds J^T F to g.
  void add_wrench(BodyIndex body, const Vector6<S>& F, S* g) const noexcept {
    any_carrier(body, F, [&](Eigen::Index k, const Vector6<S>& F_i) {
      g[place_[static_cast<std::size_t>(k)].entry] += tree_.subspace.col(k).dot(F_i);
      return false;
    });
  }

  const Model* model_;
  TreePose<S> tree_;
  BodyArray<Inertia<S>> composite_;
  BodyArray<Vector6<S>> V_;
  std::vector<int> node_;  // of a body
  std::vector<Place> place_;
  int largest_ = 0;
  BlockVelocities<S> blocks_;
  VectorX<S> v_, impulse_, column_;
};

template <class Model>
CompliantForest<Model>::CompliantForest(const Model& model, std::size_t capacity, std::size_t pairs)
    : model_(&model), tree_(model), composite_(model.num_bodies(), Inertia<S>::zero()), V_(model.num_bodies(), Vector6<S>::Zero()),
      node_(static_cast<std::size_t>(model.num_bodies()), none), place_(static_cast<std::size_t>(model.nv())),
      blocks_(sizes(model), capacity, pairs), v_(VectorX<S>::Zero(model.nv())), impulse_(v_), column_(VectorX<S>::Zero(6 * largest_)) {}

template <class Model>
std::size_t CompliantForest<Model>::num_trees(const Model& model) {
  std::size_t trees = 0;
  std::vector<bool> moves(static_cast<std::size_t>(model.num_bodies()), false);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const bool carried = moves[static_cast<std::size_t>(model.parent(i))];
    moves[static_cast<std::size_t>(i)] = carried || model.nv(i) > 0;
    trees += !carried && model.nv(i) > 0;
  }
  return trees;
}

template <class Model>
BodyIndex CompliantForest<Model>::begin(const ConstVectorRef<S>& q, const ConstVectorRef<S>& added, const S& h) noexcept {
  place(*model_, tree_, q);
  composite_inertias(*model_, tree_, composite_);
  blocks_.begin(h);
  for (int node = 0; node < blocks_.num_nodes(); ++node) blocks_.mass(node).setZero();
  for_each_mass_entry(*model_, tree_, composite_, [&](Eigen::Index row, Eigen::Index column, const S& value) {
    const Place r = place_[static_cast<std::size_t>(row)], c = place_[static_cast<std::size_t>(column)];
    auto mass = blocks_.mass(r.node);
    mass(r.entry, c.entry) = mass(c.entry, r.entry) = value;
  });
  for (Eigen::Index k = 0; k < model_->nv(); ++k) {
    const Place at = place_[static_cast<std::size_t>(k)];
    blocks_.mass(at.node)(at.entry, at.entry) += model_->properties().armature[k] + added[k];
  }
  const int singular = blocks_.invert_masses();
  if (singular == none) return 0;
  return static_cast<BodyIndex>(std::find(node_.begin(), node_.end(), singular) - node_.begin());
}

template <class Model>
void CompliantForest<Model>::set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse, VectorRef<S> v_free) noexcept {
  to_problem(v, v_);
  to_problem(impulse, impulse_);
  blocks_.set_free_motion(v_, impulse_);
  to_model(blocks_.v_free(), v_free);
}

template <class Model>
std::vector<int> CompliantForest<Model>::sizes(const Model& model) {
  std::vector<int> sizes;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    int& node = node_[static_cast<std::size_t>(i)];
    node = node_[static_cast<std::size_t>(model.parent(i))];
    if (model.nv(i) == 0) continue;
    if (node == none) {
      node = static_cast<int>(sizes.size());
      sizes.push_back(0);
    }
    int& size = sizes[static_cast<std::size_t>(node)];
    for (Eigen::Index k = 0; k < model.nv(i); ++k) place_[static_cast<std::size_t>(model.v_index(i) + k)] = {node, size++};
  }
  for (const int size : sizes) largest_ = std::max(largest_, detail::leading<S>(size));
  return sizes;
}

template <class Model>
bool CompliantForest<Model>::can_follow(const ConstraintRow<S>& row, const std::array<int, 2>& nodes,
                                        const std::array<S*, 2>& G) const noexcept {
  constexpr S noise = S(1e4) * epsilon<S> * epsilon<S>;
  if (row.joints[0].v >= 0 || row.joints[1].v >= 0) return true;
  for (const auto& part : row.bodies) {
    const int node = node_[static_cast<std::size_t>(part.body)];
    if (node == none) continue;
    const S* g = G[node == nodes[0] ? 0 : 1];
    const bool follows = any_carrier(part.body, part.wrench, [&](Eigen::Index k, const Vector6<S>& F) {
      const S entry = g[place_[static_cast<std::size_t>(k)].entry];
      return entry * entry > noise * tree_.subspace.col(k).squaredNorm() * F.squaredNorm();
    });
    if (follows) return true;
  }
  return false;
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class CompliantForest<Model<double>>;
#endif

}  // namespace actio::detail
