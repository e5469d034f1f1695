// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraint rows of loops and couplings on a tree: their number, order, values, Jacobians and products.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "actio/constraints/coupling.hpp"
#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/row.hpp"
#include "actio/core/status.hpp"
#include "actio/dynamics/tree_products.hpp"
#include "actio/math/displacement.hpp"
#include "actio/model/properties.hpp"

namespace actio::detail {

/// Returns the row of the lower (side 1) or upper (side -1) limit of a joint entry whose coordinate is a vector: value >= 0 within the
/// range [rad, m].  @param configuration (nq).  @param q, v indices into configuration and velocities.
template <Scalar S>
ConstraintRow<S> limit_row(const ModelProperties<S>& properties, const ConstVectorRef<S>& configuration, Eigen::Index q, Eigen::Index v, int side) {
  ConstraintRow<S> row;
  row.value = side > 0 ? S(configuration[q] - properties.lower[v]) : S(properties.upper[v] - configuration[q]);
  row.joints[0] = {v, S(side)};
  return row;
}

/// Returns the row of dry friction of a joint entry: its rate, without a value.  @param v index into the velocities.
template <Scalar S>
ConstraintRow<S> friction_row(Eigen::Index v) {
  ConstraintRow<S> row;
  row.joints[0] = {v, S(1)};
  return row;
}

/// Returns the row of a coupling: its violation [rad, m] and two joint entries.  @param q (nq).
template <Scalar S>
ConstraintRow<S> coupling_row(const Coupling<S>& coupling, const ConstVectorRef<S>& q) {
  ConstraintRow<S> row;
  row.value = coupling_gap<S>(coupling, q);
  row.joints = {{{coupling.follower_v, S(1)}, {coupling.leader_v, S(-coupling.ratio)}}};
  return row;
}

/// Computes the rows of a loop.  @param T_WA, T_WB poses of the two bodies in the world.  @param rows out: the rows, with zero biases, come
/// first.  @returns the number of rows.
template <Scalar S>
std::size_t loop_rows(const Loop<S>& loop, const Pose<S>& T_WA, const Pose<S>& T_WB, std::array<ConstraintRow<S>, 6>& rows) {
  const Pose<S> T_FM = (T_WA * loop.T_A).inverse() * (T_WB * loop.T_B);
  PoseRows<S> pose_rows;
  closure_rows(loop, PoseRowsAt<S>(T_FM), pose_rows);
  for (std::size_t k = 0; k < pose_rows.count; ++k) {
    const Vector6<S>& wrench = pose_rows.wrench[k];  // on frame B, in frame B
    rows[k] = {};
    rows[k].value = pose_rows.value[k];
    rows[k].bodies[0] = {loop.body_b, loop.T_B.wrench_to_parent(wrench)};
    rows[k].bodies[1] = {loop.body_a, -loop.T_A.wrench_to_parent(T_FM.wrench_to_parent(wrench))};
    if (loop.body_b == 0) std::swap(rows[k].bodies[0], rows[k].bodies[1]);
  }
  return pose_rows.count;
}

/// The rows of a model's active loops, followed by those of its active couplings. place(), values() and the products neither allocate nor
/// throw. Products with the rows' Jacobian G take O(bodies + rows).
template <class ModelType>
class TreeClosures {
 public:
  ///@{
  /// The model's type, and its scalar.
  using Model = ModelType;
  using S = typename Model::Scalar;
  ///@}
  /// The rotation of frame B in frame A of each loop, as a quaternion whose sign continues from node to node, because rotation rows change
  /// sign with it.
  using Turns = std::vector<Quaternion<S>>;

  /// @param model outlives this.
  explicit TreeClosures(const Model& model)
      : model_(&model), T_WB_(model.num_bodies(), Pose<S>::identity()), V_(model.num_bodies(), Vector6<S>::Zero()), F_(V_),
        size_of_g_(VectorX<ValueOf<S>>::Zero(model.nv())) {
    for (const Loop<S>& loop : model.loops()) {
      if (!loop.active) continue;
      loops_.push_back({&loop, static_cast<std::size_t>(size_), Pose<S>::identity(), Pose<S>::identity()});
      size_ += num_rows(loop.type);
    }
    for (const Coupling<S>& coupling : model.couplings()) {
      if (coupling.active) couplings_.push_back(&coupling), ++size_;
    }
    rows_.resize(static_cast<std::size_t>(size_));
  }

  Eigen::Index size() const noexcept { return size_; }  ///< number of rows of all loops and couplings
  /// Returns identity rotations, one for each loop, with which to begin.
  Turns make_turns() const { return Turns(loops_.size(), Quaternion<S>(S(1), S(0), S(0), S(0))); }
  /// Returns the loop or coupling of a row in words, for messages.
  std::string name(Eigen::Index row) const {
    const Placed* at = loop_of(row);
    return at ? "loop '" + at->loop->name + "'" : "the coupling of joint '" + coupling_of(row)->name + "'";
  }
  /// Returns the loop or coupling of a row, for a StepResult.
  Culprit culprit(Eigen::Index row) const noexcept {
    if (const Placed* at = loop_of(row)) return Culprit::loop(static_cast<int>(at->loop - model_->loops().data()));
    return Culprit::coupling(static_cast<int>(coupling_of(row) - model_->couplings().data()));
  }

  /// Computes the rows at the pose of the tree.  @param tree outlives the calls of values().
  /// @param turns rotations at the previous node; out: at this node.
  void place(const TreePose<S>& tree, Turns& turns) noexcept {
    q_ = &tree.q;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_WB_[i] = T_WB_[model_->parent(i)] * tree.T_PB[i];
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      Placed& at = loops_[k];
      const Loop<S>& loop = *at.loop;
      at.T_aM = T_WB_[loop.body_a].inverse() * (T_WB_[loop.body_b] * loop.T_B);
      at.T_FM = loop.T_A.inverse() * at.T_aM;
      const Quaternion<S> turn = quaternion::from_matrix<S>(at.T_FM.R);
      const S sign = select(turn.dot(turns[k]) < S(0), S(-1), S(1));
      turns[k] = Quaternion<S>(sign * turn.w(), sign * turn.x(), sign * turn.y(), sign * turn.z());
      PoseRows<S> pose_rows;
      closure_rows(loop, PoseRowsAt<S>(at.T_FM, turns[k]), pose_rows);
      for (std::size_t r = 0; r < pose_rows.count; ++r) {
        ConstraintRow<S>& row = rows_[at.first + r];
        row.value = pose_rows.value[r];
        row.bodies[0] = {loop.body_b, loop.T_B.wrench_to_parent(pose_rows.wrench[r])};
        row.bodies[1] = {loop.body_a, -at.T_aM.wrench_to_parent(pose_rows.wrench[r])};
      }
    }
    for (std::size_t k = 0; k < couplings_.size(); ++k) rows_[rows_.size() - couplings_.size() + k] = coupling_row<S>(*couplings_[k], tree.q);
  }
  /// Returns a row as place() computed it.
  const ConstraintRow<S>& operator[](Eigen::Index row) const noexcept { return rows_[static_cast<std::size_t>(row)]; }

  /// Computes the values of the rows after the bodies moved by dT and the joints by x from the pose of place(), exact relative to that.
  /// @param turns rotations at that node.  @param dT (bodies).  @param x (nv) [rad, m].
  /// @param d (size) out, as in PoseRows; of couplings [rad, m].
  void values(const Turns& turns, const BodyArray<Displacement<S>>& dT, const VectorX<S>& x, VectorRef<S> d) const noexcept {
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      const Placed& at = loops_[k];
      const Loop<S>& loop = *at.loop;
      const Displacement<S> of_b = loop.body_b == 0 ? Displacement<S>::identity() : dT[loop.body_b].seen_from(loop.T_B);
      const Displacement<S> E = loop.body_a == 0 ? of_b : dT[loop.body_a].seen_from(at.T_aM).inverse() * of_b;
      const Quaternion<S> turn = quaternion::multiply<S>(turns[k], E.dQ);
      PoseRows<S> rows;
      closure_rows(loop, PoseRowsAt<S>({quaternion::rotation_matrix<S>(turn), at.T_FM * E.d}, turn), rows);
      for (std::size_t r = 0; r < rows.count; ++r) d[static_cast<Eigen::Index>(at.first + r)] = rows.value[r];
    }
    for (std::size_t k = 0; k < couplings_.size(); ++k) {
      const Coupling<S>& coupling = *couplings_[k];
      d[first_coupling() + static_cast<Eigen::Index>(k)] =
          coupling_gap<S>(coupling, *q_) + x[coupling.follower_v] - coupling.ratio * x[coupling.leader_v];
    }
  }
  /// Returns the length to which the rounding errors of a row's value are relative [m].
  ValueOf<S> reach(Eigen::Index row) const noexcept {
    const Placed* at = loop_of(row);
    return at ? 1 + value_of(S(at->T_aM.p.norm())) : ValueOf<S>(1);
  }

  // Products at the pose of place().
  /// Computes w = G v.  @param v (nv) [rad/s, m/s].  @param w (size) out.
  void rates(const TreePose<S>& tree, const ConstVectorRef<S>& v, VectorRef<S> w) noexcept {
    body_twists(*model_, tree, v, V_);
    for (std::size_t k = 0; k < rows_.size(); ++k) w[static_cast<Eigen::Index>(k)] = rows_[k].rate(V_, v);
  }
  /// Returns the body twists (bodies) of the last call of rates().
  const BodyArray<Vector6<S>>& twists() const noexcept { return V_; }
  /// Computes f += G^T L.  @param L (size).  @param f (nv).
  void add_forces(const TreePose<S>& tree, const ConstVectorRef<S>& L, VectorRef<S> f) noexcept {
    for (Vector6<S>& F : F_) F.setZero();
    for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k].apply(L[static_cast<Eigen::Index>(k)], F_, f);
    add_joint_forces(*model_, tree, F_, f);
  }
  /// Computes g (nv), a row of G, in O(depth). Entries within rounding errors of zero are set to zero, so that rows out of the plane of a
  /// planar mechanism vanish.
  void covector(const TreePose<S>& tree, Eigen::Index row, VectorRef<S> g) noexcept {
    using std::abs;
    g.setZero();
    size_of_g_.setZero();
    for (const auto& part : (*this)[row].bodies) {
      Vector6<S> F = part.wrench;
      for (BodyIndex i = part.body; i > 0; i = model_->parent(i)) {
        for (Eigen::Index k = model_->v_index(i); k < model_->v_index(i) + model_->nv(i); ++k) {
          g[k] += tree.subspace.col(k).dot(F);
          size_of_g_[k] += value_of(S(tree.subspace.col(k).norm() * F.norm()));
        }
        F = tree.T_PB[i].wrench_to_parent(F);
      }
    }
    for (const auto& part : (*this)[row].joints) {
      if (part.v >= 0) g[part.v] += part.coefficient;
    }
    for (Eigen::Index k = 0; k < g.size(); ++k) {
      if (value_of(S(abs(g[k]))) < 100 * epsilon<S> * size_of_g_[k]) g[k] = S(0);
    }
  }

 private:
  struct Placed {
    const Loop<S>* loop;
    std::size_t first;   // of its rows
    Pose<S> T_FM, T_aM;  // frame B in frame A and in body a
  };
  Eigen::Index first_coupling() const noexcept { return size_ - static_cast<Eigen::Index>(couplings_.size()); }
  /// Returns null if the row belongs to a coupling.
  const Placed* loop_of(Eigen::Index row) const noexcept {
    if (row >= first_coupling()) return nullptr;
    std::size_t k = loops_.size() - 1;
    while (loops_[k].first > static_cast<std::size_t>(row)) --k;
    return &loops_[k];
  }
  const Coupling<S>* coupling_of(Eigen::Index row) const noexcept { return couplings_[static_cast<std::size_t>(row - first_coupling())]; }

  const Model* model_;
  std::vector<Placed> loops_;
  std::vector<const Coupling<S>*> couplings_;
  std::vector<ConstraintRow<S>> rows_;
  const VectorX<S>* q_ = nullptr;
  BodyArray<Pose<S>> T_WB_;
  BodyArray<Vector6<S>> V_, F_;
  VectorX<ValueOf<S>> size_of_g_;  // (nv) sums of the magnitudes that an entry of the covector adds up
  Eigen::Index size_ = 0;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class TreeClosures<Model<double>>;
#endif

}  // namespace actio::detail
