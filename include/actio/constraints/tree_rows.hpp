// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The constraint rows of loops, couplings and nonholonomic constraints on a tree: their number, order, values, Jacobians and products.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actio/constraints/closures.hpp"
#include "actio/constraints/coupling.hpp"
#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/nonholonomic.hpp"
#include "actio/constraints/row_products.hpp"
#include "actio/constraints/spring_row.hpp"
#include "actio/core/status.hpp"
#include "actio/math/displacement.hpp"
#include "actio/model/properties.hpp"

namespace actio::detail {

/// Returns the row of the lower (side 1) or upper (side -1) limit of a joint entry whose coordinate is a vector: value >= 0 within the
/// range [rad, m].  @param configuration (nq).  @param q, v indices into configuration and velocities.
template <Scalar S>
ConstraintRow<S> limit_row(const ModelProperties<S>& properties, const ConstVectorRef<S>& configuration, Eigen::Index q, Eigen::Index v,
                           int side) {
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

/// Computes the rows of a loop.  @param T_aM pose of frame B in body a.  @param at that of frame B in frame A.
/// @param rows out: the rows, with zero biases, come first.  @returns the number of rows.
template <Scalar S>
std::size_t loop_rows(const Loop<S>& loop, const Pose<S>& T_aM, const PoseRowsAt<S>& at, std::span<ConstraintRow<S>> rows) noexcept {
  PoseRows<S> pose_rows;
  closure_rows(loop, at, pose_rows);
  for (std::size_t k = 0; k < pose_rows.count; ++k) {
    const Vector6<S>& wrench = pose_rows.wrench[k];  // on frame B, in frame B
    rows[k] = {};
    rows[k].value = pose_rows.value[k];
    rows[k].bodies[0] = {loop.body_b, loop.T_B.wrench_to_parent(wrench)};
    rows[k].bodies[1] = {loop.body_a, -T_aM.wrench_to_parent(wrench)};
  }
  return pose_rows.count;
}
/// The same by the poses of both bodies in the world; the first part of a row is then on a moving body.
template <Scalar S>
std::size_t loop_rows(const Loop<S>& loop, const Pose<S>& T_WA, const Pose<S>& T_WB, std::array<ConstraintRow<S>, 6>& rows) noexcept {
  const Pose<S> T_aM = T_WA.inverse() * (T_WB * loop.T_B);
  const std::size_t count = loop_rows<S>(loop, T_aM, PoseRowsAt<S>(loop.T_A.inverse() * T_aM), rows);
  for (std::size_t k = 0; loop.body_b == 0 && k < count; ++k) std::swap(rows[k].bodies[0], rows[k].bodies[1]);
  return count;
}

/// The rows of a model's active loops, followed by those of its active couplings and nonholonomic constraints, and by those of its springs
/// between points if they are wanted. place(), values() and the products neither allocate nor throw. Products with the rows' Jacobian G take
/// O(bodies + rows).
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
  using Rotations = std::vector<Quaternion<S>>;

  /// @param model outlives this.
  explicit TreeClosures(const Model& model, Springs springs = Springs::left_out)
      : model_(&model), closures_(closures_of(model, springs)), T_WB_(model.num_bodies(), Pose<S>::identity()), products_(model),
        size_of_g_(VectorX<ValueOf<S>>::Zero(model.nv())) {
    for (const Closure<S>& closure : closures_) {
      if (closure.loop) loops_.push_back({Pose<S>::identity(), Pose<S>::identity()});
    }
    rows_.resize(num_rows(closures_));
  }

  const Model& model() const noexcept { return *model_; }                                 ///< as given to the constructor
  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(rows_.size()); }  ///< number of rows of them all
  /// Returns identity rotations, one for each loop, with which to begin.
  Rotations make_rotations() const { return Rotations(loops_.size(), Quaternion<S>(S(1), S(0), S(0), S(0))); }
  const Closure<S>& closure(Eigen::Index row) const noexcept { return closure_of(closures_, row); }     ///< what a row belongs to
  Culprit culprit(Eigen::Index row) const noexcept { return detail::culprit(*model_, closure(row)); }  ///< the same, for a StepResult
  /// A loop in the pose of place().
  struct Placed {
    Pose<S> T_FM,  ///< of frame B in frame A
        T_aM;      ///< of frame B in body a
  };
  std::span<const Placed> loops() const noexcept { return loops_; }            ///< the active loops, the first of closures()
  std::span<const Closure<S>> closures() const noexcept { return closures_; }  ///< all, in the order of their rows

  /// Computes the rows at the pose of the tree.  @param tree outlives the calls of values().
  /// @param rotations rotations at the previous node; out: at this node.
  void place(const TreePose<S>& tree, Rotations& rotations) noexcept {
    q_ = &tree.q;
    for (BodyIndex i = 1; i < model_->num_bodies(); ++i) T_WB_[i] = T_WB_[model_->parent(i)] * tree.T_PB[i];
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      Placed& at = loops_[k];
      const Loop<S>& loop = *closures_[k].loop;
      at.T_aM = T_WB_[loop.body_a].inverse() * (T_WB_[loop.body_b] * loop.T_B);
      at.T_FM = loop.T_A.inverse() * at.T_aM;
      const Quaternion<S> rotation = quaternion::from_matrix<S>(at.T_FM.R);
      const S sign = select(rotation.dot(rotations[k]) < S(0), S(-1), S(1));
      rotations[k] = Quaternion<S>(sign * rotation.w(), sign * rotation.x(), sign * rotation.y(), sign * rotation.z());
      loop_rows<S>(loop, at.T_aM, PoseRowsAt<S>(at.T_FM, rotations[k]), std::span(rows_).subspan(closures_[k].first));
    }
    for (std::size_t k = loops_.size(); k < closures_.size(); ++k) {
      const Closure<S>& closure = closures_[k];
      if (closure.spring) {
        rows_[closure.first] = spring_row(*closure.spring, T_WB_[closure.spring->body_a], T_WB_[closure.spring->body_b]);
        continue;
      }
      if (closure.coupling) {
        rows_[closure.first] = coupling_row<S>(*closure.coupling, tree.q);
        continue;
      }
      const BodyIndex body = closure.nonholonomic->body;
      BodyRows<S> on_body;
      std::visit([&](const auto& type) { node_rows(type, T_WB_[body], origin(), on_body); }, closure.nonholonomic->type);
      for (std::size_t r = 0; r < closure.count; ++r) {
        rows_[closure.first + r].value = on_body.value[r];
        rows_[closure.first + r].bodies[0] = {body, on_body.on_b[r]};
      }
    }
  }
  /// Returns a row as place() computed it.
  const ConstraintRow<S>& operator[](Eigen::Index row) const noexcept { return rows_[static_cast<std::size_t>(row)]; }

  const BodyArray<Pose<S>>& poses() const noexcept { return T_WB_; }  ///< (bodies) in the world, at the pose of place()

  /// Computes the values of the rows after the bodies moved by dT and the joints by x from the pose of place(), exact relative to that.
  /// Those of nonholonomic constraints are the displacements over that motion that are to vanish: see step_rows().
  /// @param rotations rotations at that node.  @param dT (bodies).  @param x (nv) [rad, m].
  /// @pre springs are left out.  @param d (size) out, as in PoseRows; of couplings [rad, m], of nonholonomic constraints [m].
  void values(const Rotations& rotations, const BodyArray<Displacement<S>>& dT, const VectorX<S>& x, VectorRef<S> d) const noexcept {
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      const Placed& at = loops_[k];
      const Loop<S>& loop = *closures_[k].loop;
      const Displacement<S> of_b = loop.body_b == 0 ? Displacement<S>::identity() : dT[loop.body_b].seen_from(loop.T_B);
      const Displacement<S> E = loop.body_a == 0 ? of_b : dT[loop.body_a].seen_from(at.T_aM).inverse() * of_b;
      const Quaternion<S> rotation = quaternion::multiply<S>(rotations[k], E.dQ);
      PoseRows<S> rows;
      closure_rows(loop, PoseRowsAt<S>({quaternion::rotation_matrix<S>(rotation), at.T_FM * E.d}, rotation), rows);
      for (std::size_t r = 0; r < rows.count; ++r) d[static_cast<Eigen::Index>(closures_[k].first + r)] = rows.value[r];
    }
    for (std::size_t k = loops_.size(); k < closures_.size(); ++k) {
      const auto first = static_cast<Eigen::Index>(closures_[k].first);
      if (closures_[k].coupling) {
        const Coupling<S>& coupling = *closures_[k].coupling;
        d[first] = coupling_gap<S>(coupling, *q_) + x[coupling.follower_v] - coupling.ratio * x[coupling.leader_v];
        continue;
      }
      const BodyIndex body = closures_[k].nonholonomic->body;
      const auto step = BodyStep<S>::of_unit_time(dT[body]);
      BodyRows<S> rows;
      std::visit([&](const auto& type) { step_rows(type, T_WB_[body], origin(), step, S(1), rows); }, closures_[k].nonholonomic->type);
      for (std::size_t r = 0; r < rows.count; ++r) d[first + static_cast<Eigen::Index>(r)] = rows.value[r];
    }
  }
  /// Returns the length to which the rounding errors of a row's value are relative [m].
  ValueOf<S> reach(Eigen::Index row) const noexcept {
    const Closure<S>& of_row = closure(row);
    if (of_row.nonholonomic) return 1 + value_of(S(T_WB_[of_row.nonholonomic->body].p.norm()));
    return of_row.loop ? 1 + value_of(S(loops_[static_cast<std::size_t>(&of_row - closures_.data())].T_aM.p.norm())) : ValueOf<S>(1);
  }

  // Products at the pose of place().
  /// Computes w = G v.  @param v (nv) [rad/s, m/s].  @param w (size) out.
  void rates(const TreePose<S>& tree, const ConstVectorRef<S>& v, VectorRef<S> w) noexcept { products_.rates(tree, rows_, v, w); }
  const BodyArray<Vector6<S>>& twists() const noexcept { return products_.twists(); }  ///< (bodies) of the last call of rates()
  /// Computes f += G^T L.  @param L (size).  @param f (nv).
  void add_forces(const TreePose<S>& tree, const ConstVectorRef<S>& L, VectorRef<S> f) noexcept { products_.add_forces(tree, rows_, L, f); }
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
  static Vector3<S> origin() { return Vector3<S>::Zero(); }  // of a body: the point to which wrenches on bodies refer

  const Model* model_;
  std::vector<Closure<S>> closures_;
  std::vector<Placed> loops_;  // the first of them
  std::vector<ConstraintRow<S>> rows_;
  const VectorX<S>* q_ = nullptr;
  BodyArray<Pose<S>> T_WB_;
  RowProducts<Model> products_;
  VectorX<ValueOf<S>> size_of_g_;  // (nv) sums of the magnitudes that an entry of the covector adds up
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class TreeClosures<Model<double>>;
#endif

}  // namespace actio::detail
