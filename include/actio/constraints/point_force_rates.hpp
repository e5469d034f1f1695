// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// How the joint forces of springs between points and of constant forces change with the configuration, for derivatives of steps.
#include <cstddef>
#include <vector>

#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/tree_products.hpp"

namespace actio::detail {

/// The derivative of the joint forces of add_point_wrenches(), without dampers and without the part in which the wrenches are fixed to
/// their bodies, as an operator in O(bodies + springs). The force t on end a of a spring changes with the displacements d of its ends by
///   dt = H (d_b - d_a),   H = k n n^T + t/l (1 - n n^T);
/// a force f in the axes of a body that rotates by w changes by  f x w. Only the constructor allocates.
template <class ModelType>
class PointForceRates {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param model outlives this.
  explicit PointForceRates(const Model& model)
      : model_(&model), V_(model.num_bodies(), Vector6<S>::Zero()), F_(V_), springs_(model.springs().size()), forces_(model.forces().size()) {}

  /// Linearises in a pose.  @param T_WB (bodies) there.  @param acts (spring) -> whether it acts.
  template <class Acts>
  void begin(const BodyArray<Pose<S>>& T_WB, Acts&& acts) noexcept {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const PointSpring<S>& spring = model_->springs()[k];
      const Pose<S>&A = T_WB[spring.body_a], &B = T_WB[spring.body_b];
      const SpringLine<S> line(spring, A, B);
      const Vector3<S> pull = line.pull(spring, S(0));
      Spring& at = springs_[k];
      at.acts = acts(k) && !(spring.tension_only && pull.isZero(0));
      const bool has_length = value_of(line.length) > 0;
      set(at, spring, A, B, pull, line.direction, spring.stiffness, spring.stiffness * (has_length ? S(line.stretch(spring) / line.length) : S(1)));
    }
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      const PointForce<S>& force = model_->forces()[k];
      const Matrix3<S>& R = T_WB[force.body].R;
      forces_[k] = {force.body, R, force.point, R.transpose() * force.force};
    }
  }
  /// Linearises the joint forces of springs alone, whose ends are pulled together by constant forces.  @param tensions (springs) [N].
  void begin_at(const BodyArray<Pose<S>>& T_WB, const ConstVectorRef<S>& tensions) noexcept {
    forces_.clear();
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const PointSpring<S>& spring = model_->springs()[k];
      const Pose<S>&A = T_WB[spring.body_a], &B = T_WB[spring.body_b];
      const SpringLine<S> line(spring, A, B);
      const S& tension = tensions[static_cast<Eigen::Index>(k)];
      Spring& at = springs_[k];
      at.acts = tension != S(0) && value_of(line.length) > 0;
      if (at.acts) set(at, spring, A, B, tension * line.direction, line.direction, S(0), tension / line.length);
    }
  }
  /// Adds the wrenches of the forces, times a factor, on the bodies (bodies) in their frames.
  void add_wrenches(const S& factor, BodyArray<Vector6<S>>& wrench) const noexcept {
    const auto add = [&](const End& end) { wrench[end.body] += spatial<S>(Vector3<S>(end.point.cross(end.force)), end.force) * factor; };
    for (const Spring& spring : springs_) {
      if (spring.acts) add(spring.a), add(spring.b);
    }
    for (const End& end : forces_) add(end);
  }
  /// Adds a factor times the change of the joint forces.  @param tree at that pose, as below.  @param dq (nv) variation of q.
  /// @param sum (nv) [N m, N].
  void add(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& dq, VectorRef<S> sum) noexcept {
    apply(tree, factor, dq, sum, [](const End& end, const Vector6<S>& V, Vector6<S>& F) {
      const Vector3<S> turned = end.force.cross(V.template head<3>());
      F += spatial<S>(end.point.cross(turned), turned);
    });
  }
  /// Adds a factor times the transposed product.  @param y (nv) weights of the joint forces.  @param sum (nv) of dq.
  void add_transposed(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& y, VectorRef<S> sum) noexcept {
    apply(tree, factor, y, sum, [](const End& end, const Vector6<S>& V, Vector6<S>& F) { F.template head<3>() += end.velocity(V).cross(end.force); });
  }

 private:
  /// A force at a point of a body, in its axes.
  struct End {
    BodyIndex body = 0;
    Matrix3<S> R = Matrix3<S>::Identity();  // of the body in the world
    Vector3<S> point = Vector3<S>::Zero(), force = point;

    Vector3<S> velocity(const Vector6<S>& V) const { return V.template tail<3>() + V.template head<3>().cross(point); }
  };
  struct Spring {
    End a, b;
    Matrix3<S> H = Matrix3<S>::Zero();  // in the world
    bool acts = false;
  };
  /// @param along, across stiffness along and across the line [N/m].
  static void set(Spring& at, const PointSpring<S>& spring, const Pose<S>& T_WA, const Pose<S>& T_WB, const Vector3<S>& pull,
                  const Vector3<S>& direction, const S& along, const S& across) noexcept {
    at.a = {spring.body_a, T_WA.R, spring.point_a, T_WA.R.transpose() * pull};
    at.b = {spring.body_b, T_WB.R, spring.point_b, T_WB.R.transpose() * -pull};
    at.H = across * Matrix3<S>::Identity() + (along - across) * direction * direction.transpose();
  }
  /// @param turn adds what the force of an end contributes by the twist of its body alone.
  template <class Turn>
  void apply(const TreePose<S>& tree, const S& factor, const ConstVectorRef<S>& x, VectorRef<S> sum, Turn&& turn) noexcept {
    if (springs_.empty() && forces_.empty()) return;
    body_twists(*model_, tree, x, V_);
    for (Vector6<S>& F : F_) F.setZero();
    for (const Spring& spring : springs_) {
      if (!spring.acts) continue;
      const End &a = spring.a, &b = spring.b;
      const Vector3<S> more = spring.H * (b.R * b.velocity(V_[b.body]) - a.R * a.velocity(V_[a.body]));
      for (const End* end : {&a, &b}) {
        const Vector3<S> force = end->R.transpose() * (end == &a ? more : Vector3<S>(-more));
        F_[end->body] += spatial<S>(end->point.cross(force), force);
        turn(*end, V_[end->body], F_[end->body]);
      }
    }
    for (const End& end : forces_) turn(end, V_[end.body], F_[end.body]);
    for (Vector6<S>& F : F_) F *= factor;
    add_joint_forces(*model_, tree, F_, sum);
  }

  const Model* model_;
  BodyArray<Vector6<S>> V_, F_;
  std::vector<Spring> springs_;
  std::vector<End> forces_;
};

}  // namespace actio::detail
