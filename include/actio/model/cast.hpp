// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The same model in another scalar: float for speed, dual numbers for derivatives.
#include "actio/model/model.hpp"

namespace actio {
namespace detail {

/// Returns x / |x|; zero for zero.
template <Scalar S>
Vector3<S> unit_or_zero(const Vector3<S>& x) {
  using std::sqrt;
  const S square = x.squaredNorm();
  return x / S(select(square > S(0), S(sqrt(square)), S(1)));
}

/// Converts numbers of one scalar to another.
template <class To>
struct Cast {
  template <Scalar From>
  To operator()(const From& x) const {
    return To(x);
  }
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& x) const {
    return x.template cast<To>().eval();
  }
  /// Returns a pose whose rotation is orthogonal to the precision of To, even if From is less precise.
  template <Scalar From>
  Pose<To> operator()(const Pose<From>& T) const {
    const Matrix3<To> R = (*this)(T.R);
    return {epsilon<To> < epsilon<From> ? quaternion::rotation_matrix<To>(quaternion::from_matrix<To>(R)) : R, (*this)(T.p)};
  }
  template <Scalar From>
  Inertia<To> operator()(const Inertia<From>& G) const {
    return {(*this)(G.mass), (*this)(G.com), (*this)(G.I_com)};
  }
  template <Scalar From>
  Geometry<To> operator()(const Geometry<From>& geometry) const {
    return std::visit(
        [&]<class G>(const G& g) -> Geometry<To> {
          if constexpr (std::same_as<G, Sphere<From>>)
            return Sphere<To>{(*this)(g.radius)};
          else if constexpr (std::same_as<G, Box<From>>)
            return Box<To>{(*this)(g.size)};
          else if constexpr (std::same_as<G, Cylinder<From>>)
            return Cylinder<To>{(*this)(g.radius), (*this)(g.length)};
          else if constexpr (std::same_as<G, Capsule<From>>)
            return Capsule<To>{(*this)(g.radius), (*this)(g.length)};
          else if constexpr (std::same_as<G, ConvexPoints<From>>) {
            ConvexPoints<To> hull;
            for (const Vector3<From>& x : g.points) hull.points.push_back((*this)(x));
            return hull;
          } else
            return g;
        },
        geometry);
  }
  template <Scalar From>
  Nonholonomic<To> operator()(const Nonholonomic<From>& constraint) const {
    Nonholonomic<To> copy{constraint.name, constraint.body, {}, constraint.active};
    if (const auto* rolling = std::get_if<Rolling<From>>(&constraint.type)) {
      copy.type = Rolling<To>{(*this)(rolling->center), (*this)(rolling->radius), unit_or_zero<To>((*this)(rolling->axle)),  // of a ball: zero
                              unit_or_zero<To>((*this)(rolling->normal)), (*this)(rolling->height)};
    } else {
      const auto& knife = std::get<KnifeEdge<From>>(constraint.type);
      copy.type = KnifeEdge<To>{(*this)(knife.point), unit_or_zero<To>((*this)(knife.across))};
    }
    return copy;
  }
  template <Scalar From>
  Model<To> operator()(const Model<From>& model) const {
    const Cast& as = *this;
    Model<To> copy;
    copy.name_ = model.name_;
    copy.gravity_ = as(model.gravity_);
    copy.nq_ = model.nq_;
    copy.nv_ = model.nv_;
    copy.depth_ = model.depth_;
    for (const DefaultJoints<From>& joint : model.joints_) {
      copy.joints_.push_back(std::visit([](const auto& j) { return DefaultJoints<To>(j.template cast<To>()); }, joint));
    }
    for (const auto& b : model.bodies_) {
      const Pose<To> T_PF = as(b.mount.T);
      const auto i = static_cast<BodyIndex>(copy.bodies_.size());  // the world has no joint
      const Mount<To> mount =
          i == 0 ? Mount<To>(T_PF) : std::visit([&](const auto& joint) { return joints::mount(joint, T_PF); }, copy.joint(i));
      copy.bodies_.push_back({b.parent, b.subtree_end, b.q, b.v, b.nq, b.nv, mount, as(b.inertia)});
    }
    for (const auto& names : model.names_) copy.names_.push_back({names.body, names.joint});
    copy.neutral_ = as(model.neutral_);
    const ModelProperties<From>& p = model.properties_;
    copy.properties_ = {as(p.damping), as(p.armature), as(p.stiffness),      as(p.rest),        as(p.friction),
                        as(p.lower),   as(p.upper),    as(p.restitution),    as(p.velocity_limit), as(p.effort_limit),
                        as(p.force)};
    copy.properties_.rest = copy.integrate(copy.properties_.rest, VectorX<To>::Zero(copy.nv_));  // makes quaternions unit in To
    for (const Frame<From>& frame : model.frames_) copy.frames_.push_back({frame.name, frame.body, as(frame.T_BF)});
    for (const Loop<From>& l : model.loops_) {
      copy.loops_.push_back({l.name, l.type, l.body_a, l.body_b, as(l.T_A), as(l.T_B), unit_or_zero<To>(as(l.axis)), unit_or_zero<To>(as(l.axis2)),
                             as(l.length), l.active});
    }
    for (const Coupling<From>& c : model.couplings_) {
      copy.couplings_.push_back({c.name, c.follower_body, c.leader_body, c.follower_q, c.leader_q, c.follower_v, c.leader_v, as(c.ratio),
                                 as(c.offset), c.active});
    }
    for (const Nonholonomic<From>& constraint : model.nonholonomic_) copy.nonholonomic_.push_back(as(constraint));
    for (const PointSpring<From>& s : model.springs_) {
      copy.springs_.push_back({s.name, s.body_a, s.body_b, as(s.point_a), as(s.point_b), as(s.stiffness), as(s.damping), as(s.length),
                               s.tension_only});
    }
    for (const PointForce<From>& f : model.forces_) copy.forces_.push_back({f.name, f.body, as(f.point), as(f.force)});
    for (const Shape<From>& shape : model.shapes_) {
      copy.shapes_.push_back({shape.name, shape.body, as(shape.T_BS), as(shape.geometry), shape.filter});
    }
    for (const Servo<From>& s : model.servos_) {
      copy.servos_.push_back({s.body, s.entry, as(s.stiffness), as(s.damping), as(s.rest), as(s.limit)});
    }
    copy.enforced_ = model.enforced_;
    return copy;
  }
};

}  // namespace detail

/// Returns the model with every number in the scalar To; names, layout and the choice of active data stay the same.
template <Scalar To, Scalar From>
Model<To> cast(const Model<From>& model) {
  return detail::Cast<To>()(model);
}

}  // namespace actio
