// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Model: a tree of rigid bodies with its joints, built and checked once by ModelBuilder and constant afterwards.
#include <algorithm>
#include <concepts>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/core/precompiled.hpp"
#include "actio/core/types.hpp"
#include "actio/math/inertia.hpp"
#include "actio/model/checks.hpp"
#include "actio/model/frame.hpp"
#include "actio/model/joints/default_joints.hpp"
#include "actio/model/loop.hpp"
#include "actio/model/nonholonomic.hpp"
#include "actio/model/point_forces.hpp"
#include "actio/model/properties.hpp"
#include "actio/model/shape.hpp"

namespace actio {

template <Scalar S, class Joints>
class ModelBuilder;
namespace detail {
template <class To>
struct Cast;  // model/cast.hpp
}

/// Which of the recorded data take part in the dynamics; each loop, coupling and nonholonomic constraint has a separate flag.
struct Enforcement {
  bool limits = false;    ///< joint ranges
  bool friction = false;  ///< dry joint friction
  bool contact = false;   ///< collision shapes
  friend bool operator==(const Enforcement&, const Enforcement&) = default;  ///< whether the same data are enforced
};

/// A tree of rigid bodies. Body 0 is the world, parent(i) < i, joint i connects body i to its parent, subtrees are contiguous.
/// Active data take part in the dynamics: the tree, inertia, damping, armature, springs, constant forces, and the loops, couplings,
/// nonholonomic constraints, limits, friction and contact that are switched on. All other data are only recorded.
template <Scalar S, class Joints = DefaultJoints<S>>
class Model {
 public:
  using Scalar = S;             ///< type of every number in it
  using JointVariant = Joints;  ///< std::variant of the joint types
  using Vector = VectorX<S>;    ///< (nq) or (nv)

  const std::string& name() const { return name_; }                                ///< name of the model, for messages
  const Vector3<S>& gravity() const { return gravity_; }                           ///< in the world frame [m/s^2]
  BodyIndex num_bodies() const { return static_cast<BodyIndex>(bodies_.size()); }  ///< the world included
  Eigen::Index nq() const { return nq_; }                                          ///< entries of a configuration, those of quaternions included
  Eigen::Index nv() const { return nv_; }                                          ///< entries of a velocity
  /// Returns the number of degrees of freedom that remain with the couplings of the model, active or not: nv minus the number of couplings.
  Eigen::Index dof() const { return nv_ - static_cast<Eigen::Index>(couplings_.size()); }
  int depth() const { return depth_; }                              ///< number of bodies on the longest path from the world
  /// Returns the mass of all bodies, those merged into the world included [kg].
  S mass() const {
    S sum(0);
    for (const Body& body : bodies_) sum += body.inertia.mass;
    return sum;
  }

  BodyIndex parent(BodyIndex i) const { return body(i).parent; }  ///< < i; 0 for the bodies connected to the world and for the world
  const Pose<S>& placement(BodyIndex i) const { return body(i).mount.T; }  ///< T_PF, joint frame in the parent body
  const Mount<S>& mount(BodyIndex i) const { return body(i).mount; }  ///< the same with what place() needs of it
  const Inertia<S>& inertia(BodyIndex i) const { return body(i).inertia; }  ///< in the frame of body i; for the world, what was merged in
  const Joints& joint(BodyIndex i) const { return joints_[static_cast<std::size_t>(i - 1)]; }  ///< i >= 1
  Eigen::Index q_index(BodyIndex i) const { return body(i).q; }     ///< first entry of joint i in q
  Eigen::Index v_index(BodyIndex i) const { return body(i).v; }     ///< first entry of joint i in v
  Eigen::Index nq(BodyIndex i) const { return body(i).nq; }  ///< entries of joint i in q, 0 for the world
  Eigen::Index nv(BodyIndex i) const { return body(i).nv; }  ///< entries of joint i in v, 0 for the world
  BodyIndex subtree_end(BodyIndex i) const { return body(i).subtree_end; }  ///< the subtree of i is i ... subtree_end(i) - 1
  const std::string& body_name(BodyIndex i) const { return names_[static_cast<std::size_t>(i)].body; }  ///< "world" for 0
  const std::string& joint_name(BodyIndex i) const { return names_[static_cast<std::size_t>(i)].joint; }  ///< i >= 1

  const ModelProperties<S>& properties() const { return properties_; }  ///< damping, springs, limits ... of all joints, entry by entry
  /// Returns whether energy is dissipated: by damping, by servos, or by limits, friction or contact that are enforced.
  bool is_dissipative() const {
    return (properties_.damping.array() > S(0)).any() || !servos_.empty() || enforced_ != Enforcement{} ||
           std::any_of(springs_.begin(), springs_.end(), [](const PointSpring<S>& spring) { return spring.damping > S(0); });
  }
  const std::vector<Frame<S>>& frames() const { return frames_; }           ///< of the world, of every link, and what the user added
  const std::vector<Loop<S>>& loops() const { return loops_; }              ///< closed and released ones
  const std::vector<Coupling<S>>& couplings() const { return couplings_; }  ///< active and released ones
  const std::vector<Nonholonomic<S>>& nonholonomic() const { return nonholonomic_; }  ///< rolling, knife edges; active and released ones
  const std::vector<PointSpring<S>>& springs() const { return springs_; }   ///< springs and dampers between two points
  const std::vector<PointForce<S>>& forces() const { return forces_; }      ///< constant forces at points
  const std::vector<Shape<S>>& shapes() const { return shapes_; }           ///< collision shapes, those of the world included
  const std::vector<Servo<S>>& servos() const { return servos_; }           ///< springs and dampers with limited forces
  const Enforcement& enforced() const { return enforced_; }                 ///< which of the recorded data take part in the dynamics

  ///@{
  /// Return the entries of joint i in a vector laid out as q (nq) or as v (nv); their number is known at compile time.
  template <JointType J, class Derived>
  auto q_of(BodyIndex i, Derived&& q) const { return q.template segment<J::nq>(body(i).q); }
  template <detail::HasFreedoms J, class Derived>
  auto v_of(BodyIndex i, Derived&& v) const { return v.template segment<J::nv>(body(i).v); }
  ///@}

  /// Returns the configuration (nq) in which every joint has its zero pose.
  Vector neutral() const { return neutral_; }
  /// Computes q (+) x, joint by joint.  @param q (nq).  @param x (nv) [rad, m].  @param out (nq) may be q itself.
  void integrate(const ConstVectorRef<S>& q, const ConstVectorRef<S>& x, VectorRef<S> out) const;
  Vector integrate(const ConstVectorRef<S>& q, const ConstVectorRef<S>& x) const;  ///< the same as a new vector (nq)
  /// Computes q1 (-) q0, the x (nv) with q0 (+) x = q1 [rad, m].
  void difference(const ConstVectorRef<S>& q0, const ConstVectorRef<S>& q1, VectorRef<S> x) const;
  Vector difference(const ConstVectorRef<S>& q0, const ConstVectorRef<S>& q1) const;  ///< the same as a new vector
  /// Returns why q is not a configuration of this model (size, NaN, a quaternion that is not unit to some 1e-6), or nothing when it is one.
  std::string why_not_configuration(const ConstVectorRef<S>& q) const;

  ///@{
  /// Return the name of entry k: the joint's name, followed by a dot and the entry's if the joint has several.  @pre 0 <= k < nq or nv.
  std::string q_name(Eigen::Index k) const;
  std::string v_name(Eigen::Index k) const;
  ///@}
  /// Returns, for each entry of v (nv), the body whose joint it belongs to.
  std::vector<BodyIndex> bodies_of_entries() const {
    std::vector<BodyIndex> all;
    for (BodyIndex i = 1; i < num_bodies(); ++i) all.insert(all.end(), static_cast<std::size_t>(nv(i)), i);
    return all;
  }
  ///@{
  /// Return the body, joint or frame of this name.  @throws ModelError that lists the known names if there is none of this name.
  BodyIndex find_body(std::string_view name) const;
  BodyIndex find_joint(std::string_view name) const;  ///< the child body of the joint; throws as the others
  const Frame<S>& find_frame(std::string_view name) const;
  ///@}

  // Copies of the model with other values and the same layout.
  /// Returns a model with another inertia of body i, in its frame.  @throws ModelError if it is negative, not finite or not symmetric.
  Model with_inertia(BodyIndex i, const Inertia<S>& inertia) const;
  Model with_gravity(const Vector3<S>& gravity) const;  ///< in the world [m/s^2].  @throws ModelError where it is not finite
  Model with_properties(const ModelProperties<S>& p) const;  ///< @throws ModelError for a size, range or rest position that the builder would refuse.
  /// Returns a model with these shapes in place of its own.
  /// @throws ModelError if the model does not have the body of a shape, or a size or pose is not valid.
  Model with_shapes(std::vector<Shape<S>> shapes) const;
  Model with_enforced(const Enforcement& enforced) const { return changed([&](Model& m) { m.enforced_ = enforced; }); }  ///< see Enforcement
  /// Returns a model with these servos in place of its own.
  /// @throws ModelError if the model does not have the entry of a servo, or a number is not in its range.
  Model with_servos(std::vector<Servo<S>> servos) const;
  ///@{
  /// Return a model with these springs between points, or constant forces, in the frames of its bodies, in place of its own.
  /// @throws ModelError for a body that the model does not have, and for names and numbers that ModelBuilder would refuse.
  Model with_springs(std::vector<PointSpring<S>> springs) const;
  Model with_forces(std::vector<PointForce<S>> forces) const;
  ///@}
  /// Returns a model with all loops closed, or with all of them released.
  Model with_loops(bool active) const {
    return changed([&](Model& m) { for (Loop<S>& loop : m.loops_) loop.active = active; });
  }
  /// Returns a model with all couplings active, or with all of them released.
  Model with_couplings(bool active) const {
    return changed([&](Model& m) { for (Coupling<S>& coupling : m.couplings_) coupling.active = active; });
  }
  /// Returns a model with these nonholonomic constraints, in the frames of its bodies, in place of its own. Directions are normalised.
  /// @throws ModelError for a body that the model does not have, and for names and numbers that ModelBuilder would refuse.
  Model with_nonholonomic(std::vector<Nonholonomic<S>> constraints) const;
  /// Returns a model with all nonholonomic constraints active, or with all of them released.
  Model with_nonholonomic(bool active) const {
    return changed([&](Model& m) { for (Nonholonomic<S>& constraint : m.nonholonomic_) constraint.active = active; });
  }

 private:
  friend class ModelBuilder<S, Joints>;
  template <class To> friend struct detail::Cast;

  /// The data of a body that the sweeps read, contiguous in memory.
  struct Body {
    BodyIndex parent = 0, subtree_end = 0;
    Eigen::Index q = 0, v = 0, nq = 0, nv = 0;
    Mount<S> mount{Pose<S>::identity()};
    Inertia<S> inertia = Inertia<S>::zero();
  };
  struct Names {
    std::string body, joint;
  };

  Model() = default;
  const Body& body(BodyIndex i) const { return bodies_[static_cast<std::size_t>(i)]; }
  Body& mutable_body(BodyIndex i) { return bodies_[static_cast<std::size_t>(i)]; }
  ///@{
  /// Throw a ModelError: of an item with a title; if another of all has its name, or it has none; if the model has no such body; if the
  /// numbers of a spring or force are not sound.
  template <class Item>
  [[noreturn]] void refuse(const Item& item, const std::string& why) const {
    throw ModelError("model '" + name_ + "': " + detail::title(item) + why);
  }
  template <class Item>
  void check_name(const std::vector<Item>& all, const Item& item) const {
    const auto has_its_name = [&](const Item& other) { return other.name == item.name; };
    if (item.name.empty() || std::count_if(all.begin(), all.end(), has_its_name) > 1) refuse(item, ": expected a name that no other one has");
  }
  template <class Item>
  void check_body(const Item& item, BodyIndex body, BodyIndex first) const {
    if (body >= first && body < num_bodies()) return;
    refuse(item, " is on body " + std::to_string(body) + ", expected " + std::to_string(first) + " ... " + std::to_string(num_bodies() - 1));
  }
  template <class Item>
  void check_item(const std::vector<Item>& all, const Item& item) const {
    if (const std::string why = detail::why_not_sound(item); !why.empty()) refuse(item, ": " + why);
    check_name(all, item);
  }
  ///@}
  template <class Change>
  Model changed(Change change) const {
    Model copy = *this;
    change(copy);
    return copy;
  }

  std::string name_;
  Vector3<S> gravity_ = Vector3<S>(S(0), S(0), S(ValueOf<S>(-9.81)));
  Eigen::Index nq_ = 0, nv_ = 0;
  int depth_ = 0;
  std::vector<Body> bodies_;
  std::vector<Joints> joints_;  // of bodies 1, 2, ...: the world has none
  std::vector<Names> names_;
  Vector neutral_;
  ModelProperties<S> properties_;
  std::vector<Frame<S>> frames_;
  std::vector<Loop<S>> loops_;
  std::vector<Coupling<S>> couplings_;
  std::vector<Nonholonomic<S>> nonholonomic_;
  std::vector<PointSpring<S>> springs_;
  std::vector<PointForce<S>> forces_;
  std::vector<Shape<S>> shapes_;
  std::vector<Servo<S>> servos_;
  Enforcement enforced_;
};

/// Calls kernel(joint i) with the type of the joint: the only place where joint types are distinguished.
template <Scalar S, class Joints, class Kernel>
decltype(auto) visit_joint(const Model<S, Joints>& model, BodyIndex i, Kernel&& kernel) {
  return std::visit(std::forward<Kernel>(kernel), model.joint(i));
}

namespace detail {
/// Return whether a list of joint types has one with n degrees of freedom, and the largest number in it.
template <int n, class... J>
consteval bool has_freedoms(const std::variant<J...>*) {
  return ((J::nv == n) || ...);
}
template <class... J>
consteval int most_freedoms(const std::variant<J...>*) {
  return std::max({J::nv...});
}

template <int n, Scalar S, class Joints, class Kernel>
decltype(auto) visit_freedoms_from(Eigen::Index nv, Kernel&& kernel) {
  constexpr const Joints* joints = nullptr;
  if constexpr (n == most_freedoms(joints)) {
    return kernel(Freedoms<S, n>());
  } else {
    if constexpr (has_freedoms<n>(joints)) {
      if (nv == n) return kernel(Freedoms<S, n>());
    }
    return visit_freedoms_from<n + 1, S, Joints>(nv, std::forward<Kernel>(kernel));
  }
}
}  // namespace detail

/// Calls kernel(Freedoms) with the number of degrees of freedom of joint i: for code that depends on nothing else of its type, and is
/// compiled once for each number and not for each type.
template <Scalar S, class Joints, class Kernel>
decltype(auto) visit_freedoms(const Model<S, Joints>& model, BodyIndex i, Kernel&& kernel) {
  return detail::visit_freedoms_from<0, S, Joints>(model.nv(i), std::forward<Kernel>(kernel));
}

/// Returns whether joint i is a J: `is_joint<Free<double>>(model, i)`.
template <class J, Scalar S, class Joints>
bool is_joint(const Model<S, Joints>& model, BodyIndex i) {
  return visit_joint(model, i, []<JointType Other>(const Other&) { return std::same_as<J, Other>; });
}

template <Scalar S, class Joints>
void Model<S, Joints>::integrate(const ConstVectorRef<S>& q, const ConstVectorRef<S>& x, VectorRef<S> out) const {
  for (BodyIndex i = 1; i < num_bodies(); ++i) {
    visit_joint(*this, i, [&]<JointType J>(const J& joint) {
      const typename J::Config q_i = q_of<J>(i, q);
      q_of<J>(i, out) = joint.integrate(q_i, v_of<J>(i, x));
    });
  }
}

template <Scalar S, class Joints>
VectorX<S> Model<S, Joints>::integrate(const ConstVectorRef<S>& q, const ConstVectorRef<S>& x) const {
  Vector out(nq_);
  integrate(q, x, out);
  return out;
}

template <Scalar S, class Joints>
void Model<S, Joints>::difference(const ConstVectorRef<S>& q0, const ConstVectorRef<S>& q1, VectorRef<S> x) const {
  for (BodyIndex i = 1; i < num_bodies(); ++i) {
    visit_joint(*this, i, [&]<JointType J>(const J& joint) { v_of<J>(i, x) = joint.difference(q_of<J>(i, q0), q_of<J>(i, q1)); });
  }
}

template <Scalar S, class Joints>
VectorX<S> Model<S, Joints>::difference(const ConstVectorRef<S>& q0, const ConstVectorRef<S>& q1) const {
  Vector x(nv_);
  difference(q0, q1, x);
  return x;
}

template <Scalar S, class Joints>
std::string Model<S, Joints>::why_not_configuration(const ConstVectorRef<S>& q) const {
  if (q.size() != nq_) return "q has " + std::to_string(q.size()) + " entries, expected " + std::to_string(nq_);
  for (Eigen::Index k = 0; k < nq_; ++k) {
    if (!is_finite(q[k])) return "q '" + q_name(k) + "' is not finite";
  }
  for (BodyIndex i = 1; i < num_bodies(); ++i) {
    const bool valid = visit_joint(*this, i, [&]<JointType J>(const J& joint) { return joints::is_valid(joint, q_of<J>(i, q)); });
    if (!valid) return "q of joint '" + joint_name(i) + "' is not a valid configuration: expected a unit quaternion";
  }
  return {};
}

namespace detail {
inline std::string entry_name(const std::string& joint, const std::string& entry) { return entry.empty() ? joint : joint + '.' + entry; }

/// Returns the first of first ... end - 1 whose name is `wanted`.  @throws ModelError that lists the known names if there is none.
template <class NameOf>
BodyIndex find_name(BodyIndex first, BodyIndex end, std::string_view wanted, const char* kind, const std::string& model, NameOf name_of) {
  for (BodyIndex i = first; i < end; ++i) {
    if (name_of(i) == wanted) return i;
  }
  std::string known;
  for (BodyIndex i = first; i < end; ++i) {
    known += (i == first ? "" : ", ") + name_of(i);
    if (known.size() > 400 && i + 1 < end) {
      known += ", ...";
      break;
    }
  }
  throw ModelError(concat({"model '", model, "' has no ", kind, " '", wanted, "'; it has ", known.empty() ? "none" : known}));
}
}  // namespace detail

template <Scalar S, class Joints>
std::string Model<S, Joints>::q_name(Eigen::Index k) const {
  ACTIO_ASSERT(0 <= k && k < nq_);
  BodyIndex i = num_bodies() - 1;
  while (q_index(i) > k) --i;
  const int entry = static_cast<int>(k - q_index(i));
  return visit_joint(*this, i, [&]<JointType J>(const J&) { return detail::entry_name(joint_name(i), joints::q_name<J>(entry)); });
}

template <Scalar S, class Joints>
std::string Model<S, Joints>::v_name(Eigen::Index k) const {
  ACTIO_ASSERT(0 <= k && k < nv_);
  BodyIndex i = num_bodies() - 1;
  while (v_index(i) > k) --i;
  const int entry = static_cast<int>(k - v_index(i));
  return visit_joint(*this, i, [&]<JointType J>(const J&) { return detail::entry_name(joint_name(i), joints::v_name<J>(entry)); });
}

template <Scalar S, class Joints>
BodyIndex Model<S, Joints>::find_body(std::string_view wanted) const {
  const auto name_of = [&](BodyIndex i) -> const std::string& { return body_name(i); };
  return detail::find_name(0, num_bodies(), wanted, "body", name_, name_of);
}

template <Scalar S, class Joints>
BodyIndex Model<S, Joints>::find_joint(std::string_view wanted) const {
  const auto name_of = [&](BodyIndex i) -> const std::string& { return joint_name(i); };
  return detail::find_name(1, num_bodies(), wanted, "joint", name_, name_of);
}

template <Scalar S, class Joints>
const Frame<S>& Model<S, Joints>::find_frame(std::string_view wanted) const {
  const auto name_of = [&](BodyIndex i) -> const std::string& { return frames_[static_cast<std::size_t>(i)].name; };
  const BodyIndex k = detail::find_name(0, static_cast<BodyIndex>(frames_.size()), wanted, "frame", name_, name_of);
  return frames_[static_cast<std::size_t>(k)];
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_inertia(BodyIndex i, const Inertia<S>& inertia) const {
  ACTIO_ASSERT(0 <= i && i < num_bodies());
  if (!inertia.is_positive_semidefinite()) {  // the triangle inequality is not checked: models of real robots violate it
    throw ModelError("body '" + body_name(i) + "': mass " + detail::to_text(inertia.mass) + " kg or moments of inertia " +
                     detail::to_text(inertia.I_com.diagonal()) + " kg m^2 are negative or not finite, or their matrix is not symmetric");
  }
  return changed([&](Model& m) { m.mutable_body(i).inertia = inertia; });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_gravity(const Vector3<S>& gravity) const {
  if (!detail::all_finite(gravity)) throw ModelError("model '" + name_ + "': gravity is " + detail::to_text(gravity) + ", expected finite numbers");
  return changed([&](Model& m) { m.gravity_ = gravity; });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_shapes(std::vector<Shape<S>> shapes) const {
  for (const Shape<S>& shape : shapes) {
    const std::string subject = "model '" + name_ + "': shape '" + shape.name + '\'';
    if (shape.body < 0 || shape.body >= num_bodies()) {
      throw ModelError(subject + " is on body " + std::to_string(shape.body) + ", expected 0 ... " + std::to_string(num_bodies() - 1));
    }
    if (!is_finite(shape.T_BS.p.sum()) || !is_finite(shape.T_BS.R.sum())) throw ModelError(subject + ": its pose in the body is not finite");
    if (const std::string why = detail::why_not_sound<S>(shape.geometry); !why.empty()) throw ModelError(subject + ": " + why);
  }
  return changed([&](Model& m) { m.shapes_ = std::move(shapes); });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_nonholonomic(std::vector<Nonholonomic<S>> constraints) const {
  for (Nonholonomic<S>& constraint : constraints) {
    check_body(constraint, constraint.body, 1);
    if (const std::vector<std::string> problems = detail::normalize(constraint); !problems.empty()) {
      refuse(constraint, ": " + problems.front());
    }
    check_name(constraints, constraint);
  }
  return changed([&](Model& m) { m.nonholonomic_ = std::move(constraints); });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_springs(std::vector<PointSpring<S>> springs) const {
  for (const PointSpring<S>& spring : springs) {
    check_item(springs, spring);
    if (spring.body_a == spring.body_b) refuse(spring, ": both ends are on body " + std::to_string(spring.body_a));
    for (const BodyIndex body : {spring.body_a, spring.body_b}) check_body(spring, body, 0);
  }
  return changed([&](Model& m) { m.springs_ = std::move(springs); });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_forces(std::vector<PointForce<S>> forces) const {
  for (const PointForce<S>& force : forces) {
    check_item(forces, force);
    check_body(force, force.body, 1);
  }
  return changed([&](Model& m) { m.forces_ = std::move(forces); });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_servos(std::vector<Servo<S>> servos) const {
  for (std::size_t k = 0; k < servos.size(); ++k) {
    const Servo<S>& servo = servos[k];
    const auto refuse = [&](const std::string& why) {
      throw ModelError("model '" + name_ + "': servo " + std::to_string(k) + ' ' + why);
    };
    if (servo.body < 1 || servo.body >= num_bodies() || servo.entry < 0 || servo.entry >= nv(servo.body)) {
      refuse("is on entry " + std::to_string(servo.entry) + " of the joint of body " + std::to_string(servo.body) +
             ", which the model does not have");
    }
    const ValueOf<S> k_ = value_of(servo.stiffness), d = value_of(servo.damping), limit = value_of(servo.limit);
    if (!(k_ >= 0 && d >= 0 && k_ + d > 0 && limit > 0 && is_finite(k_ + d + limit + value_of(servo.rest)))) {
      refuse("has stiffness " + detail::to_text(k_) + ", damping " + detail::to_text(d) + " and limit " + detail::to_text(limit) +
             ", expected finite numbers >= 0, the limit and one of the others > 0");
    }
    if (k_ > 0 && !detail::facts_of(joint(servo.body)).flat)
      refuse("has stiffness, but the q of joint '" + joint_name(servo.body) + "' is not a vector");
  }
  return changed([&](Model& m) { m.servos_ = std::move(servos); });
}

template <Scalar S, class Joints>
Model<S, Joints> Model<S, Joints>::with_properties(const ModelProperties<S>& p) const {
  const auto check = [&](const char* what, const VectorX<S>& values, bool may_be_negative, bool may_be_infinite) {
    if (values.size() != nv_) {
      throw ModelError("model '" + name_ + "': " + what + " has " + std::to_string(values.size()) + " entries, expected " +
                       std::to_string(nv_));
    }
    for (Eigen::Index k = 0; k < nv_; ++k) {
      const ValueOf<S> x = value_of(values[k]);
      if (detail::is_in_range(x, may_be_negative, may_be_infinite)) continue;
      throw ModelError("joint entry '" + v_name(k) + "': " + what + ' ' + detail::to_text(x) + ", expected " +
                       detail::range_in_words(may_be_negative, may_be_infinite));
    }
  };
  detail::for_each_property(p, check);
  const std::string why = why_not_configuration(p.rest);
  if (!why.empty()) throw ModelError("model '" + name_ + "': the rest position is not valid: " + why);
  for (BodyIndex i = 1; i < num_bodies(); ++i) {
    const auto facts = detail::facts_of(joint(i));
    const auto refuse = [&](const char* what) {
      throw ModelError("joint '" + joint_name(i) + "': " + what + " supported only for joints whose q is a vector, not for a " +
                       std::string(facts.type) + " joint");
    };
    for (Eigen::Index k = v_index(i); k < v_index(i) + nv(i); ++k) {
      const bool limited = is_finite(p.lower[k]) || is_finite(p.upper[k]);
      if (!facts.flat && limited) refuse("limits are");
      if (!facts.flat && p.armature[k] != S(0)) refuse("armature is");
      if (!facts.flat && p.force[k] != S(0)) refuse("constant forces are");
      if (p.restitution[k] > S(1)) {
        throw ModelError("joint entry '" + v_name(k) + "': restitution " + detail::to_text(p.restitution[k]) + ", expected 0 ... 1");
      }
      if (p.lower[k] > p.upper[k]) {
        throw ModelError("joint entry '" + v_name(k) + "': lower limit " + detail::to_text(p.lower[k]) + " is above upper limit " +
                         detail::to_text(p.upper[k]) + ": swap them");
      }
    }
  }
  return changed([&](Model& m) { m.properties_ = p; });
}

}  // namespace actio

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class actio::Model<double>;
#endif
