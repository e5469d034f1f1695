// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The class ModelBuilder; include actio/model/builder.hpp. Its checks are in checks.hpp, and how it then builds the model in growth.hpp.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actio/model/checks.hpp"
#include "actio/model/model.hpp"

namespace actio {
namespace detail {
inline constexpr std::string_view world_name = "world";
}

/// How the root link, which no joint carries, is connected to the world.
enum class Base {
  fixed,     ///< it is merged into the world
  floating,  ///< a Free joint connects it to the world
};

/// Whether moments of inertia that no rigid body can have (negative, or violating the triangle inequality) are refused
/// or only reported as warnings: models of real robots contain them.
enum class InertiaCheck {
  refuse,  ///< ModelBuilder::build() throws
  warn,    ///< ModelBuilder::warnings() names them
};

/// Stands for the type of a joint without degrees of freedom: its child is merged into the parent when the model is built.
struct Fixed {};

/// Collects links, joints, closures and shapes by name, in any order, then checks them and builds a Model. Every add_...() returns the
/// builder.
template <Scalar S, class Joints = DefaultJoints<S>>
class ModelBuilder {
 public:
  using Joint = JointProperties<S>;  ///< damping, spring, limits ... of a joint

  explicit ModelBuilder(std::string name) : name_(std::move(name)) {}  ///< name of the model, for messages

  /// Sets the gravity in the world [m/s^2]; (0, 0, -9.81) by default.
  ModelBuilder& gravity(const Vector3<S>& gravity) {
    gravity_ = gravity;
    return *this;
  }
  /// Connects the root link to the world: fixed by default; floating, by a Free joint of this name.
  ModelBuilder& base(Base base, std::string joint_name = "base") { base_ = base; base_joint_ = std::move(joint_name); return *this; }
  ModelBuilder& inertia_check(InertiaCheck check) { inertia_check_ = check; return *this; }  ///< refuses by default

  /// Adds a link.  @param inertia of the link in its own frame.  @param origin where it was read from ("file:line"), for messages.
  ModelBuilder& add_body(std::string name, const Inertia<S>& inertia, std::string origin = {}) {
    links_.push_back({std::move(name), inertia, std::move(origin)});
    return *this;
  }
  /// Adds a joint of any type in Joints between two links, or between "world" and a link. The joint frame M is the
  /// frame of the body that moves.
  /// @param placement T_PF, joint frame in the parent link.  @param T_MC child link in the joint frame M: by default they coincide.
  template <class J>
    requires std::constructible_from<Joints, J>
  ModelBuilder& add_joint(std::string name, std::string parent, std::string child, const Pose<S>& placement, const J& joint,
                          const JointProperties<S>& properties = {}, std::string origin = {}, const Pose<S>& T_MC = Pose<S>::identity()) {
      joints_.push_back(
          {std::move(name), std::move(parent), std::move(child), placement, Joints(joint), properties, std::move(origin), T_MC});
      return *this;
  }
  /// Adds a joint without degrees of freedom: the child is merged into its parent.  @param placement T_PC, child link in the parent link.
  ModelBuilder& add_joint(std::string name, std::string parent, std::string child, const Pose<S>& placement, Fixed,
                          std::string origin = {}) {
    joints_.push_back(
        {std::move(name), std::move(parent), std::move(child), placement, std::nullopt, {}, std::move(origin), Pose<S>::identity()});
    return *this;
  }
  /// Adds a named frame fixed on a link. Every link is a frame already, under its own name.
  ModelBuilder& add_frame(std::string name, std::string link, const Pose<S>& T_LF, std::string origin = {}) {
    frames_.push_back({std::move(name), std::move(link), T_LF, std::move(origin)});
    return *this;
  }
  /// Adds a closure between frames on two links. loop.T_A and loop.T_B are in those links; body indices are set and axes normalised.
  ModelBuilder& add_loop(Loop<S> loop, std::string link_a, std::string link_b, std::string origin = {}) {
    loops_.push_back({std::move(loop), std::move(link_a), std::move(link_b), std::move(origin)});
    return *this;
  }
  /// Adds a coupling: q of joint `follower` = ratio q of joint `leader` + offset. Both joints must have one entry.  @param offset [rad, m].
  ModelBuilder& add_coupling(std::string follower, std::string leader, S ratio, S offset, std::string origin = {}) {
    couplings_.push_back({std::move(follower), std::move(leader), ratio, offset, std::move(origin)});
    return *this;
  }
  /// Adds a nonholonomic constraint on a link. Points and directions of the body are in the link, those of the plane in the world; the body
  /// index is set and directions normalised.
  ModelBuilder& add_nonholonomic(Nonholonomic<S> constraint, std::string link, std::string origin = {}) {
    nonholonomic_.push_back({std::move(constraint), std::move(link), std::move(origin)});
    return *this;
  }
  ///@{
  /// Add a spring and damper between points of two links, or a constant force at a point of a link. Points are in those links, the force is
  /// in the world; body indices are set.
  ModelBuilder& add_spring(PointSpring<S> spring, std::string link_a, std::string link_b, std::string origin = {}) {
    springs_.push_back({std::move(spring), std::move(link_a), std::move(link_b), std::move(origin)});
    return *this;
  }
  ModelBuilder& add_force(PointForce<S> force, std::string link, std::string origin = {}) {
    forces_.push_back({std::move(force), std::move(link), std::move(origin)});
    return *this;
  }
  ///@}
  /// Adds a collision shape; shape.T_BS is in the link.
  ModelBuilder& add_shape(Shape<S> shape, std::string link, std::string origin = {}) {
    shapes_.push_back({std::move(shape), std::move(link), std::move(origin)});
    return *this;
  }

  /// Returns the model. Links, joints and their numbers are checked first, then the tree, then frames, loops, couplings,
  /// nonholonomic constraints, springs, forces and shapes.
  /// @throws ModelError with one line for each error of the first stage that has any. A pose is an error if R^T R differs from the identity
  /// by 1000 epsilon or more.
  Model<S, Joints> build();

  /// Returns what build() accepted although it is doubtful.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Link { std::string name; Inertia<S> inertia; std::string origin; };
  struct JointEntry {
    std::string name, parent, child;
    Pose<S> placement;
    std::optional<Joints> joint;  // none: fixed
    JointProperties<S> properties;
    std::string origin;
    Pose<S> T_MC;  // child link in the joint frame M
  };
  struct FrameEntry { std::string name, link; Pose<S> T; std::string origin; };
  struct LoopEntry { Loop<S> loop; std::string a, b, origin; };
  struct CouplingEntry { std::string follower, leader; S ratio, offset; std::string origin; };
  struct NonholonomicEntry { Nonholonomic<S> constraint; std::string link, origin; };
  struct SpringEntry { PointSpring<S> spring; std::string a, b, origin; };
  struct ForceEntry { PointForce<S> force; std::string link, origin; };
  struct ShapeEntry { Shape<S> shape; std::string link, origin; };
  /// Where a link is in the model: its body, and its pose in that body.
  struct Seat { BodyIndex body; Pose<S> T; };

  // builder/checks.hpp: each adds its errors to problems_.
  void check_names();
  void check_inertias();
  void check_joints();
  void check_properties(const JointEntry& entry, const detail::JointFacts& facts);
  void check_topology();
  void check_cycles(const std::vector<const JointEntry*>& carrier);
  void check_roots(const std::vector<const JointEntry*>& carrier);
  void throw_if_wrong() const;
  // builder/growth.hpp: what build() does after the checks.
  void grow(Model<S, Joints>& model);
  void attach(Model<S, Joints>& model, BodyIndex parent, const Pose<S>& placement, const JointEntry& entry);
  void seat(Model<S, Joints>& model, const std::string& link, BodyIndex body, const Pose<S>& T);
  void set_properties(Model<S, Joints>& model);
  void add_frames(Model<S, Joints>& model);
  void add_loops(Model<S, Joints>& model);
  void add_couplings(Model<S, Joints>& model);
  void set_nonholonomic(Model<S, Joints>& model);
  void add_point_forces(Model<S, Joints>& model);
  void add_shapes(Model<S, Joints>& model);
  const Seat* find_seat(const std::string& link, const std::string& subject, const std::string& origin);
  void problem(const std::string& origin, std::initializer_list<std::string_view> text) { note(problems_, origin, text); }
  void warn(const std::string& origin, std::initializer_list<std::string_view> text) { note(warnings_, origin, text); }
  static void note(std::vector<std::string>& where, const std::string& origin, std::initializer_list<std::string_view> text) {
    where.push_back(detail::concat({origin, origin.empty() ? "" : ": ", detail::concat(text)}));
  }

  std::string name_, base_joint_ = "base";
  Vector3<S> gravity_ = Vector3<S>(S(0), S(0), S(-9.81));
  Base base_ = Base::fixed;
  InertiaCheck inertia_check_ = InertiaCheck::refuse;
  std::vector<Link> links_;
  std::vector<JointEntry> joints_;
  std::vector<FrameEntry> frames_;
  std::vector<LoopEntry> loops_;
  std::vector<CouplingEntry> couplings_;
  std::vector<NonholonomicEntry> nonholonomic_;
  std::vector<SpringEntry> springs_;
  std::vector<ForceEntry> forces_;
  std::vector<ShapeEntry> shapes_;

  // Set by build().
  std::map<std::string, std::size_t, std::less<>> link_of_name_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> joints_below_;  // parent link -> joints, in the order they were added
  std::map<std::string, Seat, std::less<>> seats_;
  std::vector<const JointEntry*> entry_of_body_;  // of bodies 1, 2, ...
  std::optional<JointEntry> base_entry_;
  std::vector<std::string> problems_, warnings_;
};

}  // namespace actio
