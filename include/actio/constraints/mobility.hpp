// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mobility of constraint rows, the diagonal of the Delassus matrix: on unconstrained bodies (cheap, an upper bound) and on the tree.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "actio/constraints/body_rows.hpp"
#include "actio/constraints/row.hpp"
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/tree_pose.hpp"
#include "actio/math/invert.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// Inverse inertias of the single bodies. The world, and bodies whose own inertia is not of full rank, are treated as immobile.
template <Scalar S>
class FreeBodies {
 public:
  /// Inverts the inertia of each body.  @param times (bodies) multiples of the inverses; empty: one.
  template <class Joints>
  explicit FreeBodies(const Model<S, Joints>& model, const BodyArray<int>& times = {}) : bodies_(model.num_bodies()) {
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      const Inertia<S>& G = model.inertia(i);
      bodies_[i].com = G.com;
      if (!G.is_full()) continue;
      [[maybe_unused]] const bool regular = invert<S, 3>(G.I_com, bodies_[i].rotational);
      ACTIO_ASSERT(regular);
      const S n(static_cast<ValueOf<S>>(times.size() > 0 ? times[i] : 1));
      bodies_[i].rotational *= n;
      bodies_[i].translational = n / G.mass;
    }
  }

  /// Returns a wrench about the body's origin as the wrench about its centre of mass.
  Vector6<S> about_com(BodyIndex i, const Vector6<S>& wrench) const noexcept { return detail::about_point<S>(wrench, bodies_[i].com); }
  /// Returns I^-1 F, the twist [rad/s, m/s] caused by an impulse F [N m s, N s], both about the centre of mass, in the body's axes.
  Vector6<S> twist(BodyIndex i, const Vector6<S>& F) const noexcept {
    const Body& body = bodies_[i];
    const Vector3<S> w = detail::times(body.rotational, F[0], F[1], F[2]);
    return vector6<S>(w[0], w[1], w[2], body.translational * F[3], body.translational * F[4], body.translational * F[5]);
  }

 private:
  struct Body {
    Vector3<S> com = Vector3<S>::Zero();
    S translational{};  // 1/m
    Matrix3<S> rotational = Matrix3<S>::Zero();  // I_com^-1
  };
  BodyArray<Body> bodies_;
};

/// Mobility of rows on unconstrained bodies: the sum of J I^-1 J^T over a row's bodies, I the inertia of the single body. It is an upper
/// bound of G M^-1 G^T without armature, and does not vanish at singular poses, as the latter may.  O(1) per row.
///                                                                                                          [srm_math.md, section 5]
template <class ModelType>
class FreeMobility {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}

  /// @param model outlives this.  @param times (bodies) factors of the bodies' mobilities; empty: one.
  explicit FreeMobility(const Model& model, const BodyArray<int>& times = {})
      : model_(&model), bodies_(model, times), body_of_entry_(model.bodies_of_entries()) {}

  /// Returns the mobility of a row; zero if none of its bodies has full inertia.
  S operator()(const TreePose<S>& tree, const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) sum += of_body(part.body, part.wrench, part.wrench);
    for (const auto& part : row.joints) {
      if (part.v < 0) continue;
      const BodyIndex i = body_of_entry_[static_cast<std::size_t>(part.v)];
      const Vector6<S> S_i = tree.subspace.col(part.v), on_child = S_i * (part.coefficient / S_i.squaredNorm());
      const Vector6<S> on_parent = tree.T_PB[i].wrench_to_parent(on_child);
      sum += of_body(i, on_child, on_child) + of_body(model_->parent(i), on_parent, on_parent);
    }
    return sum;
  }
  /// Computes the mobility of the rows of a loop or coupling: the rates A (size x size) for unit multipliers of each.
  /// @param row (k) -> row k < size <= 6 of the group. All act on the same bodies, or on nothing.
  template <class RowOf>
  void of_group(const TreePose<S>& tree, Eigen::Index size, const RowOf& row, Matrix6<S>& A) const noexcept {
    for (Eigen::Index r = 0; r < size; ++r) {
      for (Eigen::Index c = 0; c <= r; ++c) A(r, c) = S(0);
    }
    if (size == 1) A(0, 0) = (*this)(tree, row(0));  // also of a coupling
    for (std::size_t side = 0; size > 1 && side < 2; ++side) {
      std::array<Vector6<S>, 6> F;  // about the centre of mass
      for (Eigen::Index r = 0; r < size; ++r) {
        const auto& part = row(r).bodies[side];
        Vector6<S>& F_r = F[static_cast<std::size_t>(r)];
        F_r.setZero();
        if (part.body == 0) continue;
        F_r = bodies_.about_com(part.body, part.wrench);
        const Vector6<S> V = bodies_.twist(part.body, F_r);
        for (Eigen::Index c = 0; c <= r; ++c) A(r, c) += V.dot(F[static_cast<std::size_t>(c)]);
      }
    }
    for (Eigen::Index r = 0; r < size; ++r) {
      for (Eigen::Index c = 0; c < r; ++c) A(c, r) = A(r, c);
    }
  }

 private:
  S of_body(BodyIndex i, const Vector6<S>& wrench, const Vector6<S>& other) const noexcept {
    return bodies_.twist(i, bodies_.about_com(i, wrench)).dot(bodies_.about_com(i, other));
  }

  const Model* model_;
  FreeBodies<S> bodies_;
  std::vector<BodyIndex> body_of_entry_;
};

/// Mobility of single rows on a tree, the diagonal of G M^-1 G^T, from the factors of M: O(1) per row, and once for each body on which a row
/// acts or that carries one of these.
template <class ModelType>
class RowMobility {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}

  /// @param model outlives this.
  explicit RowMobility(const Model& model)
      : model_(&model), of_bodies_(model.num_bodies(), Matrix6<S>::Zero()), is_known_(static_cast<std::size_t>(model.num_bodies())),
        path_(is_known_.size()), body_of_entry_(model.bodies_of_entries()) {}

  /// Begins at a pose.  @param abi factored at the pose of `tree`; both outlive the calls below.
  void begin(const TreePose<S>& tree, const AbiData<S>& abi) noexcept {
    refer_to(tree, abi);
    std::fill(is_known_.begin(), is_known_.end(), false);
    is_known_[0] = true;
  }
  /// Refers to copies of what begin() was given, after this was copied together with them.
  void refer_to(const TreePose<S>& tree, const AbiData<S>& abi) noexcept {
    tree_ = &tree;
    abi_ = &abi;
  }
  /// Returns the mobility of a row; for a row that connects two bodies or joints an upper bound, twice the sum of its parts' mobilities.
  S operator()(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) {
      if (part.body > 0) sum += part.wrench.dot(of_body(part.body) * part.wrench);
    }
    sum += of_joints(row);
    return row.num_parts() > 1 ? S(S(2) * sum) : sum;
  }
  /// Returns the exact mobility of a row, also if it connects two: the forces of both ends are carried towards the root until they meet.
  /// O(bodies between the ends).
  S exact(const ConstraintRow<S>& row) const noexcept {
    struct End {
      BodyIndex body = 0;
      Vector6<S> wrench = Vector6<S>::Zero();
    } near, far;  // from the root: far has the larger body index
    const auto begin_at = [&](const End& end) { (far.body == 0 ? far : near) = end; };
    ACTIO_ASSERT(row.num_parts() <= 2);
    for (const auto& part : row.bodies) {
      if (part.body > 0) begin_at({part.body, part.wrench});
    }
    for (const auto& part : row.joints) {
      if (part.v >= 0) begin_at({body_of_entry_[static_cast<std::size_t>(part.v)], Vector6<S>::Zero()});
    }
    for (S sum(0);;) {
      if (far.body < near.body) std::swap(near, far);
      if (far.body == 0) return sum;
      if (near.body == far.body) {
        far.wrench += near.wrench;
        near = End{};
      }
      const BodyIndex i = far.body;
      const Eigen::Index first = model_->v_index(i), nv = model_->nv(i);
      Vector6<S> force = Vector6<S>::Zero();  // along the axes of the joint
      bool has_joints = false;                // joint parts here or nearer to the root
      for (const auto& part : row.joints) {
        if (part.v < 0 || part.v >= first + nv) continue;
        has_joints = true;
        if (part.v >= first) force[part.v - first] += part.coefficient;
      }
      if (near.body == 0 && !has_joints) return sum + far.wrench.dot(of_body(i) * far.wrench);
      for (Eigen::Index k = 0; k < nv; ++k) force[k] += tree_->subspace.col(first + k).dot(far.wrench);
      for (Eigen::Index k = 0; k < nv; ++k) {
        const S rate = abi_->D_inverse.col(first + k).head(nv).dot(force.head(nv));
        sum += force[k] * rate;
        far.wrench -= rate * abi_->U.col(first + k);
      }
      far = {model_->parent(i), tree_->T_PB[i].wrench_to_parent(far.wrench)};
    }
  }
  /// Returns the bound |wrench|^2 trace(mobility) of a row's mobility, summed over its bodies: the scale of its rounding errors.
  S reach(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.bodies) {
      if (part.body > 0) sum += part.wrench.squaredNorm() * of_body(part.body).trace();
    }
    return sum + of_joints(row);
  }
  /// Returns whether a row's mobility exceeds rounding errors. That of rows out of the plane of a planar mechanism does not.
  bool moves(const ConstraintRow<S>& row) const noexcept { return (*this)(row) > S(100) * epsilon<S> * reach(row); }
  /// Returns an estimate of the entry of G M^-1 G^T of two rows of a group, in line with operator(): mobility between different bodies is
  /// omitted, and the sum is doubled for rows that connect two.
  S between(const ConstraintRow<S>& row, const ConstraintRow<S>& other) const noexcept {
    if (&row == &other) return (*this)(row);
    S sum(0);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto &part = row.bodies[k], &of_other = other.bodies[k];
      if (part.body > 0 && part.body == of_other.body) sum += part.wrench.dot(of_body(part.body) * of_other.wrench);
    }
    return row.num_parts() > 1 ? S(S(2) * sum) : sum;
  }
  /// Computes the mobility of each row of the closures, after begin(); zero if it is within rounding errors.  @param mobility (rows) out.
  template <class Closures>
  void of_closures(const TreePose<S>& tree, const AbiData<S>& abi, const Closures& closures, VectorX<S>& mobility) noexcept {
    begin(tree, abi);
    for (Eigen::Index k = 0; k < mobility.size(); ++k) mobility[k] = moves(closures[k]) ? (*this)(closures[k]) : S(0);
  }
  /// The same with exact().
  template <class Closures>
  void exact_of_closures(const TreePose<S>& tree, const AbiData<S>& abi, const Closures& closures, VectorX<S>& mobility) noexcept {
    begin(tree, abi);
    for (Eigen::Index k = 0; k < mobility.size(); ++k) {
      const S own = exact(closures[k]);
      mobility[k] = own > S(100) * epsilon<S> * reach(closures[k]) ? own : S(0);
    }
  }

 private:
  S of_joints(const ConstraintRow<S>& row) const noexcept {
    S sum(0);
    for (const auto& part : row.joints) {
      if (part.v >= 0) sum += part.coefficient * part.coefficient * of_joint(part.v);
    }
    return sum;
  }
  S of_joint(Eigen::Index v) const noexcept {
    const BodyIndex i = body_of_entry_[static_cast<std::size_t>(v)];
    of_body(model_->parent(i));
    return joint_mobility(*model_, *tree_, *abi_, of_bodies_, i, v - model_->v_index(i));
  }
  /// Returns the mobility of a body, which is computed when it is first asked for.
  const Matrix6<S>& of_body(BodyIndex i) const noexcept {
    std::size_t length = 0;
    for (BodyIndex b = i; !is_known_[static_cast<std::size_t>(b)]; b = model_->parent(b)) path_[length++] = b;
    while (length > 0) {
      const BodyIndex b = path_[--length];
      body_mobility(*model_, *tree_, *abi_, b, of_bodies_);
      is_known_[static_cast<std::size_t>(b)] = true;
    }
    return of_bodies_[i];
  }

  const Model* model_;
  const TreePose<S>* tree_ = nullptr;
  const AbiData<S>* abi_ = nullptr;
  mutable BodyArray<Matrix6<S>> of_bodies_;  // of those that are known
  mutable std::vector<bool> is_known_;
  mutable std::vector<BodyIndex> path_;      // towards the root, in of_body()
  std::vector<BodyIndex> body_of_entry_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE FreeBodies<double>::FreeBodies(const Model<double>&, const BodyArray<int>&);
ACTIO_INSTANTIATE class FreeMobility<Model<double>>;
ACTIO_INSTANTIATE class RowMobility<Model<double>>;
#endif

}  // namespace actio::detail
