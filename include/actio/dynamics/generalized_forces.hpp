// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Joint forces of gravity and of wrenches on bodies, in O(bodies) with a few operations each; wrenches of springs between points and of
// constant forces.
#include <cstddef>

#include "actio/dynamics/tree_pose.hpp"

namespace actio {

/// Workspace of gravity_forces(). Gravity acts on a subtree as on its composite mass: only its first moment is carried inward.
template <Scalar S>
struct GravityData {
  BodyArray<S> mass;              ///< of the subtree, constant [kg]
  BodyArray<Vector3<S>> g;        ///< gravity in the body's axes [m/s^2]
  BodyArray<Vector3<S>> moment;   ///< mass times centre of mass of the subtree, about the body's origin, in its axes [kg m]

  /// Sizes all members for the model and sums its masses.
  template <class Joints>
  explicit GravityData(const Model<S, Joints>& model)
      : mass(model.num_bodies(), S(0)), g(model.num_bodies(), Vector3<S>::Zero()), moment(model.num_bodies(), Vector3<S>::Zero()) {
    for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
      mass[i] += model.inertia(i).mass;
      mass[model.parent(i)] += mass[i];
    }
  }
};

/// Computes the joint forces of gravity, tau = S^T of the weights.  @param tree at q.
/// @param tau (nv) result [N m, N].  Allocates and throws nothing.
template <Scalar S, class Joints>
void gravity_forces(const Model<S, Joints>& model, const TreePose<S>& tree, GravityData<S>& data,
                    std::type_identity_t<VectorRef<S>> tau) noexcept {
  using detail::column_times, detail::scaled, detail::store, detail::sum, detail::times;
  data.g[0] = model.gravity();
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Vector3<S>& g = data.g[model.parent(i)];
    const Matrix3<S>& R = tree.T_PB[i].R;
    store<S>(data.g[i],
             Vector3<S>(column_times(R, 0, g[0], g[1], g[2]), column_times(R, 1, g[0], g[1], g[2]), column_times(R, 2, g[0], g[1], g[2])));
    store<S>(data.moment[i], scaled(model.inertia(i).com, model.inertia(i).mass));
  }
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    const Vector3<S>&c = data.moment[i], &g = data.g[i];
    const S& m = data.mass[i];
    const Vector6<S> weight =
        vector6<S>(c[1] * g[2] - c[2] * g[1], c[2] * g[0] - c[0] * g[2], c[0] * g[1] - c[1] * g[0], m * g[0], m * g[1], m * g[2]);
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      model.template v_of<J>(i, tau) = detail::transpose_times<S>(tree.template S_of<J>(model.v_index(i)), weight);
    });
    if (model.parent(i) > 0) {
      Vector3<S>& moment = data.moment[model.parent(i)];
      const Pose<S>& T = tree.T_PB[i];
      store<S>(moment, sum<S>(moment, sum<S>(times(T.R, c[0], c[1], c[2]), scaled(T.p, m))));
    }
  }
}

/// Adds the joint forces S^T of wrenches on the bodies to tau.  @param F (bodies) wrenches in the bodies' frames [N m, N]; they are
/// overwritten by those of the subtrees.
/// @param tau (nv) [N m, N].
template <Scalar S, class Joints>
void add_wrench_forces(const Model<S, Joints>& model, const TreePose<S>& tree, BodyArray<Vector6<S>>& F,
                       std::type_identity_t<VectorRef<S>> tau) noexcept {
  for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
    visit_freedoms(model, i, [&]<detail::HasFreedoms J>(J) {
      model.template v_of<J>(i, tau) += detail::transpose_times<S>(tree.template S_of<J>(model.v_index(i)), F[i]);
    });
    if (model.parent(i) > 0) detail::add<S>(F[model.parent(i)], tree.T_PB[i].wrench_to_parent(F[i]));
  }
}

namespace detail {

/// Returns the velocity of a point of a body, in the world [m/s].  @param point in the frame of the body [m].  @param V its twist.
template <Scalar S>
Vector3<S> point_velocity(const Pose<S>& T_WB, const Vector6<S>& V, const Vector3<S>& point) {
  return T_WB.R * (V.template tail<3>() + V.template head<3>().cross(point));
}

/// The line between the ends of a spring.
template <Scalar S>
struct SpringLine {
  Vector3<S> along,             ///< from end a to end b, in the world [m]
      direction;                ///< unit vector of it; zero where the ends coincide
  S length{};                   ///< distance of the ends [m]

  /// @param T_WA, T_WB poses of the bodies of the ends.
  SpringLine(const PointSpring<S>& spring, const Pose<S>& T_WA, const Pose<S>& T_WB) : along(T_WB * spring.point_b - T_WA * spring.point_a) {
    using std::sqrt;
    const S square = along.squaredNorm();
    const auto apart = square > S(0);
    const S distance = sqrt(select(apart, square, S(1)));
    length = select(apart, distance, S(0));
    direction = along / distance;
  }
  /// Returns how far the spring is stretched [m].
  S stretch(const PointSpring<S>& spring) const { return length - spring.length; }
  /// Returns the force on end a, towards end b, in the world [N].  @param rate of the length [m/s].
  Vector3<S> pull(const PointSpring<S>& spring, const S& rate) const {
    const Vector3<S> force = spring.stiffness * along + (spring.damping * rate - spring.stiffness * spring.length) * direction;
    if (!spring.tension_only) return force;
    const S tension = select(stretch(spring) > S(0), S(spring.stiffness * stretch(spring) + spring.damping * rate), S(0));
    return force * select(tension > S(0), S(1), S(0));
  }
  /// Returns the rate of the length [m/s].  @param T_WB, V (bodies) poses and twists.
  S rate(const PointSpring<S>& spring, const BodyArray<Pose<S>>& T_WB, const BodyArray<Vector6<S>>& V) const {
    const BodyIndex a = spring.body_a, b = spring.body_b;
    return direction.dot(point_velocity<S>(T_WB[b], V[b], spring.point_b) - point_velocity<S>(T_WB[a], V[a], spring.point_a));
  }
  /// Returns the energy [J].
  S energy(const PointSpring<S>& spring) const {
    const S x = stretch(spring);
    const S of_stretch = spring.stiffness * x * x / S(2);
    return spring.tension_only ? select(x > S(0), of_stretch, S(0)) : of_stretch;
  }
};

/// Returns the wrench on a body, in its frame, of a force at a point of it.  @param force in the world [N].  @param point in the frame.
template <Scalar S>
Vector6<S> point_wrench(const Pose<S>& T_WB, const Vector3<S>& point, const Vector3<S>& force) {
  const Vector3<S> f = T_WB.R.transpose() * force;
  return spatial<S>(point.cross(f), f);
}

/// Adds the wrenches of the model's springs between points and of its constant forces to F (bodies), in the bodies' frames [N m, N].
/// @param T_WB (bodies) poses.  @param V (bodies) twists; null: dampers do not act.  @param acts (spring) -> whether it acts.
template <Scalar S, class Joints, class Acts>
void add_point_wrenches(const Model<S, Joints>& model, const BodyArray<Pose<S>>& T_WB, const BodyArray<Vector6<S>>* V,
                        BodyArray<Vector6<S>>& F, Acts&& acts) noexcept {
  for (std::size_t k = 0; k < model.springs().size(); ++k) {
    if (!acts(k)) continue;
    const PointSpring<S>& spring = model.springs()[k];
    const BodyIndex a = spring.body_a, b = spring.body_b;
    const SpringLine<S> line(spring, T_WB[a], T_WB[b]);
    const bool is_damped = V != nullptr && any(spring.damping > S(0));
    const Vector3<S> pull = line.pull(spring, is_damped ? line.rate(spring, T_WB, *V) : S(0));
    F[a] += point_wrench<S>(T_WB[a], spring.point_a, pull);
    F[b] -= point_wrench<S>(T_WB[b], spring.point_b, pull);
  }
  for (const PointForce<S>& force : model.forces()) F[force.body] += point_wrench<S>(T_WB[force.body], force.point, force.force);
}

/// Returns whether springs between points or constant forces at points act on a model.
template <Scalar S, class Joints>
bool has_point_forces(const Model<S, Joints>& model) noexcept {
  return !model.springs().empty() || !model.forces().empty();
}

/// The wrenches of add_point_wrenches() in a pose of the tree; empty for a model without such forces. Only the constructor allocates.
template <Scalar S>
class PointWrenches {
 public:
  template <class Joints>
  explicit PointWrenches(const Model<S, Joints>& model) {
    if (!has_point_forces(model)) return;
    T_WB_ = BodyArray<Pose<S>>(model.num_bodies(), Pose<S>::identity());
    F_ = BodyArray<Vector6<S>>(model.num_bodies(), Vector6<S>::Zero());
  }

  /// Places the bodies.  @returns their poses (bodies), valid until the next call.
  template <class Joints>
  const BodyArray<Pose<S>>& place(const Model<S, Joints>& model, const TreePose<S>& tree) noexcept {
    for (BodyIndex i = 1; i < T_WB_.size(); ++i) T_WB_[i] = T_WB_[model.parent(i)] * tree.T_PB[i];
    return T_WB_;
  }
  const BodyArray<Pose<S>>& poses() const noexcept { return T_WB_; }  ///< (bodies) of the last call of place() or at()
  /// Returns the wrenches (bodies) without those of dampers [N m, N]; valid until the next call.  @param acts (spring) -> whether it acts.
  template <class Joints, class Acts>
  const BodyArray<Vector6<S>>& at(const Model<S, Joints>& model, const TreePose<S>& tree, Acts&& acts) noexcept {
    place(model, tree);
    for (Vector6<S>& F : F_) F.setZero();
    add_point_wrenches<S>(model, T_WB_, nullptr, F_, acts);
    return F_;
  }
  /// Adds their joint forces to tau (nv) [N m, N].
  template <class Joints, class Acts>
  void add(const Model<S, Joints>& model, const TreePose<S>& tree, Acts&& acts, VectorX<S>& tau) noexcept {
    if (F_.size() == 0) return;
    at(model, tree, acts);
    add_wrench_forces(model, tree, F_, tau);
  }

 private:
  BodyArray<Pose<S>> T_WB_;
  BodyArray<Vector6<S>> F_;
};

}  // namespace detail

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE void gravity_forces(const Model<double>&, const TreePose<double>&, GravityData<double>&, VectorRef<double>) noexcept;
ACTIO_INSTANTIATE void add_wrench_forces(const Model<double>&, const TreePose<double>&, BodyArray<Vector6<double>>&,
                                         VectorRef<double>) noexcept;
#endif

}  // namespace actio
