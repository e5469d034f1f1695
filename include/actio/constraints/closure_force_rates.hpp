// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the joint forces of closures change with the configuration, for derivatives of steps.
#include <concepts>
#include <cstddef>
#include <vector>

#include "actio/constraints/tree_rows.hpp"
#include "actio/core/dual.hpp"
#include "actio/constraints/point_force_rates.hpp"
#include "actio/math/se3.hpp"

namespace actio::detail {

/// The derivative of G(q)^T L by q at constant L, as an operator, without the part in which the wrenches of the rows are fixed to their
/// bodies. With W the wrench of a loop's rows on its frame B, e the motion of B relative to A, and b, a the two bodies as seen from B,
///   dW = H e,  H = sum L_k dW_k/de,   y . d(G^T L) = (y_b - y_a) . H e + W . ad(e) y_a.
/// Rows of couplings have constant covectors. Rows are those with the springs between points. Only the constructor allocates.
///                                                                                              [vi_math.md, section 7.9]
template <class ModelType>
class ClosureForceRates {
 public:
  using Model = ModelType;                        ///< the tree and its bodies
  using S = typename Model::Scalar;               ///< float or double
  using Closures = TreeClosures<Model>;           ///< its rows
  static_assert(std::floating_point<S>);

  /// @param model outlives this.
  explicit ClosureForceRates(const Model& model)
      : model_(&model), springs_(model), motion_(model.num_bodies(), Vector6<S>::Zero()), wrench_(motion_) {
    for (const Loop<S>& loop : model.loops()) {
      if (!loop.active) continue;
      Held held{loop.body_a, loop.body_b, loop.T_B, loop.T_B, Matrix6<S>::Zero(), Vector6<S>::Zero(), {}};
      held.loop.type = loop.type;
      held.loop.axis = loop.axis.template cast<Dual<S>>();
      held.loop.axis2 = loop.axis2.template cast<Dual<S>>();
      held.loop.length = Dual<S>(loop.length);
      loops_.push_back(held);
    }
  }

  /// Linearises in the pose in which closures are placed.  @param rotations there.  @param L (rows) [N s, N m s].
  void begin(const Closures& closures, const typename Closures::Rotations& rotations, const ConstVectorRef<S>& L) noexcept {
    if (const auto springs = static_cast<Eigen::Index>(model_->springs().size()); springs > 0) springs_.begin_at(closures.poses(), L.tail(springs));
    for (std::size_t k = 0; k < loops_.size(); ++k) {
      Held& held = loops_[k];
      held.T_aM = closures.loops()[k].T_aM;
      const auto first = static_cast<Eigen::Index>(closures.closures()[k].first);
      for (int direction = 0; direction < 6; ++direction) {
        PoseRows<Dual<S>> rows;
        closure_rows(held.loop, moved(closures.loops()[k].T_FM, rotations[k], direction), rows);
        held.W.setZero();
        held.H.col(direction).setZero();
        for (std::size_t r = 0; r < rows.count; ++r) {
          const S& impulse = L[first + static_cast<Eigen::Index>(r)];
          for (int c = 0; c < 6; ++c) {
            held.W[c] += impulse * rows.wrench[r][c].value;
            held.H(c, direction) += impulse * rows.wrench[r][c].derivative;
          }
        }
      }
    }
  }
  /// Adds the wrenches of the impulses on the bodies, times a factor.  @param wrench (bodies) in the bodies' frames.
  void add_wrenches(const S& factor, BodyArray<Vector6<S>>& wrench) const noexcept {
    springs_.add_wrenches(factor, wrench);
    for (const Held& held : loops_) {
      wrench[held.b] += factor * held.T_B.wrench_to_parent(held.W);
      wrench[held.a] -= factor * held.T_aM.wrench_to_parent(held.W);
    }
  }
  /// Adds a factor times the change of G^T L.  @param tree at that pose, as below.  @param dq (nv) variation of q.  @param sum (nv).
  void add(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& dq, VectorRef<S> sum) noexcept {
    springs_.add(tree, factor, dq, sum);
    apply(tree, factor, dq, sum, [](const Held& held, const Vector6<S>& e, const Vector6<S>&) {
      const Vector6<S> on_M = held.H * e;
      return Wrenches{on_M, on_M - se3::ad<S>(e).transpose() * held.W};
    });
  }
  /// Adds a factor times the transposed product.  @param y (nv) weights of the joint forces.  @param sum (nv) of dq.
  void add_transposed(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& y, VectorRef<S> sum) noexcept {
    springs_.add_transposed(tree, factor, y, sum);
    apply(tree, factor, y, sum, [](const Held& held, const Vector6<S>& e, const Vector6<S>& of_a) {
      const Vector6<S> on_M = held.H.transpose() * e - se3::ad<S>(of_a).transpose() * held.W;
      return Wrenches{on_M, on_M};
    });
  }

 private:
  struct Held {
    BodyIndex a, b;
    Pose<S> T_B, T_aM;  // frame B in both bodies
    Matrix6<S> H;
    Vector6<S> W;
    Loop<Dual<S>> loop;
  };
  struct Wrenches {
    Vector6<S> on_b, on_a;  // in frame B; that on a with the opposite sign
  };
  /// Returns the pose of frame B after an infinitesimal motion along one of its axes.
  static PoseRowsAt<Dual<S>> moved(const Pose<S>& T_FM, const Quaternion<S>& rotation, int direction) noexcept {
    using D = Dual<S>;
    Pose<D> T{T_FM.R.template cast<D>(), T_FM.p.template cast<D>()};
    Quaternion<S> rate(S(0), S(0), S(0), S(0));
    if (direction < 3) {
      const Vector3<S> axis = Vector3<S>::Unit(direction);
      for (int r = 0; r < 3; ++r) {
        const Vector3<S> row = Vector3<S>(T_FM.R.row(r)).cross(axis);
        for (int c = 0; c < 3; ++c) T.R(r, c).derivative = row[c];
      }
      rate = quaternion::multiply<S>(rotation, quaternion::from_parts<S>(S(0), Vector3<S>(axis / S(2))));
    } else {
      for (int r = 0; r < 3; ++r) T.p[r].derivative = T_FM.R(r, direction - 3);
    }
    return PoseRowsAt<D>(T, Quaternion<D>(D(rotation.w(), rate.w()), D(rotation.x(), rate.x()), D(rotation.y(), rate.y()),
                                          D(rotation.z(), rate.z())));
  }
  template <class Respond>
  void apply(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& x, VectorRef<S> sum, Respond&& respond) noexcept {
    body_twists(*model_, tree, x, motion_);
    for (Vector6<S>& wrench : wrench_) wrench.setZero();
    for (const Held& held : loops_) {
      const Vector6<S> of_a = held.T_aM.twist_to_child(motion_[held.a]);
      const Vector6<S> e = held.T_B.twist_to_child(motion_[held.b]) - of_a;
      const Wrenches on = respond(held, e, of_a);
      wrench_[held.b] += factor * held.T_B.wrench_to_parent(on.on_b);
      wrench_[held.a] -= factor * held.T_aM.wrench_to_parent(on.on_a);
    }
    add_joint_forces(*model_, tree, wrench_, sum);
  }

  const Model* model_;
  std::vector<Held> loops_;
  PointForceRates<Model> springs_;
  BodyArray<Vector6<S>> motion_, wrench_;
};

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class ClosureForceRates<Model<double>>;
#endif

}  // namespace actio::detail
