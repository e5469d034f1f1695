// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <joint> of MJCF. A body may have several; each one moves in the frame that the previous one produces.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/model/builder.hpp"

namespace actio::detail {

struct MjcfJoint {
  enum class Type { hinge, slide, ball, free };

  std::string name, origin;
  Type type = Type::hinge;
  Vector3<double> pos = Vector3<double>::Zero();    ///< position of the anchor, in the body
  Vector3<double> axis = Vector3<double>::UnitZ();  ///< in the body, unit
  double damping = 0, stiffness = 0, rest = 0, armature = 0, friction = 0;
  double ref = 0;  ///< MuJoCo's q in the pose of the file, where it is 0 here [rad, m]
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;

  bool is_plain() const { return stiffness == 0 && armature == 0 && lower < -1e300 && upper > 1e300; }
};

namespace mjcf {

/// Reads a joint. Hinge angles are in the file's unit; q counts from the file's pose, whereas MuJoCo's counts from `ref`.
inline MjcfJoint read_joint(ElementReader& reader, const MjcfElement& element, const MjcfCompiler& compiler) {
  const pugi::xml_node node = element.node;
  const std::string subject = ElementReader::subject_of(node);
  const auto number = [&](const char* name) { return reader.number(element.with(name), name, 0); };
  reader.ignore_attributes(node, {"name", "class", "type", "pos", "axis", "range", "limited", "damping", "stiffness", "springref",
                                  "armature", "frictionloss", "ref"});
  MjcfJoint joint;
  joint.name = node.attribute("name").value();
  joint.origin = reader.origin(node);
  const std::string_view type = reader.word(element.with("type"), "type", {"hinge", "slide", "ball", "free"}, "hinge");
  joint.type = type == "free"    ? MjcfJoint::Type::free
               : type == "ball"  ? MjcfJoint::Type::ball
               : type == "slide" ? MjcfJoint::Type::slide
                                 : MjcfJoint::Type::hinge;
  joint.damping = number("damping");
  joint.friction = number("frictionloss");
  joint.armature = number("armature");
  joint.stiffness = number("stiffness");
  if (type != "free") joint.pos = reader.vector(element.with("pos"), "pos", Vector3<double>::Zero());
  if (element.has("springdamper"))
    reader.doubt(node, "joint.spring", subject + ": springdamper is not supported: give stiffness and damping");

  const auto lose = [&](bool there, const char* what) {
    if (there) reader.doubt(node, "joint.property", subject + ": a " + std::string(type) + " joint does not support " + what + ": ignored");
  };
  const auto range = reader.numbers<2>(element.with("range"), "range", {0, 0});
  const std::string_view limited = reader.word(element.with("limited"), "limited", {"auto", "true", "false"}, "auto");
  if (limited == "auto" && element.has("range") && !compiler.auto_limits) {
    reader.repair(node, "joint.limit", subject + ": it has a range, but neither limited nor autolimits enables it", "treated as unlimited");
  }
  const bool is_limited = limited == "true" || (limited == "auto" && element.has("range") && compiler.auto_limits);
  if (joint.type == MjcfJoint::Type::ball || joint.type == MjcfJoint::Type::free) {
    lose(is_limited, "limits");
    lose(joint.armature != 0, "armature");
    joint.armature = 0;
    if (joint.type == MjcfJoint::Type::ball) return joint;
    lose(joint.stiffness != 0, "a spring");
    joint.stiffness = 0;
    return joint;
  }

  const pugi::xml_node axis_node = element.with("axis");
  const Vector3<double> axis = reader.vector(axis_node, "axis", Vector3<double>::UnitZ());
  if (axis.norm() > 1e-10)
    joint.axis = axis.normalized();
  else
    reader.problem(axis_node, "joint.axis",
                   subject + ": axis " + excerpt(axis_node.attribute("axis").value()) + " has zero length, expected a direction");
  const double unit = joint.type == MjcfJoint::Type::hinge ? compiler.angle : 1, ref = joint.ref = unit * number("ref");
  joint.rest = unit * number("springref") - ref;
  if (ref != 0) {
    reader.warn(element.with("ref"), "joint.ref",
                subject + ": q is 0 in the pose of the file, whereas MuJoCo's is " + element.value("ref"));
  }
  if (!is_limited) return joint;
  joint.lower = unit * range[0] - ref;
  joint.upper = unit * range[1] - ref;
  if (joint.lower < joint.upper) return joint;
  reader.problem(element.with("range"), "joint.limit",
                 subject + ": range is " + excerpt(element.value("range")) + ", expected a lower limit below the upper limit");
  joint.lower = -std::numeric_limits<double>::infinity();
  joint.upper = -joint.lower;
  return joint;
}

/// Adds the joints of a body to a builder: as one joint if an equivalent type exists, else as a chain of joints with massless links between
/// them.
template <Scalar S>
class JointChain {
 public:
  /// @param alone names of joints that are not merged, because couplings need joints with one degree of freedom.
  /// @param driven names of joints that are not merged to planar ones, whose velocities are not those of the joints.
  JointChain(ModelBuilder<S>& builder, const std::set<std::string>& alone, const std::set<std::string>& driven)
      : builder_(builder), alone_(alone), driven_(driven) {}

  /// Adds the joints.  @param T_PB initial pose of the body on its parent.  @param link_name makes names for the links between the joints.
  /// @returns for the report, what several joints have become; empty for a single one.
  template <class LinkName>
  std::string add(const std::vector<MjcfJoint>& joints, const std::string& parent, const std::string& body, const Pose<double>& T_PB,
                  LinkName link_name) {
    if (joints.size() == 1) {
      add_one(joints[0], parent, body, T_PB);
      return {};
    }
    std::string names;
    for (const MjcfJoint& joint : joints) names += (names.empty() ? "" : "+") + joint.name;
    const bool apart = std::any_of(joints.begin(), joints.end(), [&](const MjcfJoint& joint) { return alone_.contains(joint.name); });
    if (!apart && (add_pair(joints, names, parent, body, T_PB) || add_planar(joints, names, parent, body, T_PB))) {
      return std::to_string(joints.size()) + " joints are replaced by one joint '" + names + '\'';
    }
    std::string at = parent;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool last = k + 1 == joints.size();
      const std::string link = last ? body : link_name(joints[k].name);
      if (!last) builder_.add_body(link, Inertia<S>::zero(), joints[k].origin);
      add_one(joints[k], at, link, k == 0 ? T_PB : Pose<double>::identity());
      at = link;
    }
    return std::to_string(joints.size()) + " joints form a chain with massless links between them";
  }

 private:
  using Type = MjcfJoint::Type;

  /// @param R orientation of the joint's frame in the body.
  template <class J>
  void add(const std::string& name, const MjcfJoint& at, const std::string& parent, const std::string& body, const Pose<double>& T_PB,
           const J& joint, const JointProperties<S>& properties, const Matrix3<double>& R = Matrix3<double>::Identity()) {
    const Pose<double> T_BJ{R, at.pos};
    builder_.add_joint(name, parent, body, cast_numbers<S>(T_PB * T_BJ), joint, properties, at.origin, cast_numbers<S>(T_BJ.inverse()));
  }

  void add_one(const MjcfJoint& joint, const std::string& parent, const std::string& body, const Pose<double>& T_PB) {
    const Vector3<S> axis = cast_numbers<S>(joint.axis);
    switch (joint.type) {
      case Type::hinge:
        return add(joint.name, joint, parent, body, T_PB, Revolute<S>(axis), properties({joint}));
      case Type::slide:
        return add(joint.name, joint, parent, body, T_PB, Prismatic<S>(axis), properties({joint}));
      case Type::ball:
        return add(joint.name, joint, parent, body, T_PB, Spherical<S>(), isotropic(joint));
      case Type::free:
        return add(joint.name, joint, parent, body, T_PB, Free<S>(), isotropic(joint));
    }
  }

  /// Merges two hinges at one point, or a hinge and a slide along its axis.  @returns whether the joints are such a pair.
  bool add_pair(const std::vector<MjcfJoint>& joints, const std::string& name, const std::string& parent, const std::string& body,
                const Pose<double>& T_PB) {
    if (joints.size() != 2) return false;
    const MjcfJoint &first = joints[0], &second = joints[1];
    const double sine = first.axis.cross(second.axis).norm(), cosine = first.axis.dot(second.axis);
    if (first.type == Type::hinge && second.type == Type::hinge && (first.pos - second.pos).norm() < 1e-12 && std::abs(cosine) < 1e-12) {
      add(name, first, parent, body, T_PB, Universal<S>(cast_numbers<S>(first.axis), cast_numbers<S>(second.axis)), properties(joints));
      return true;
    }
    const bool slides_first = first.type == Type::slide && second.type == Type::hinge;
    if ((slides_first || (first.type == Type::hinge && second.type == Type::slide)) && sine < 1e-12 && cosine > 0) {
      const MjcfJoint &hinge = slides_first ? second : first, &slide = slides_first ? first : second;
      add(name, hinge, parent, body, T_PB, Cylindrical<S>(cast_numbers<S>(hinge.axis)), properties({hinge, slide}));
      return true;
    }
    return false;
  }

  /// Merges two slides and a hinge across both.  @returns whether the joints are such a triple. Planar velocities are in the child, so that
  /// damping must be the same along both slides, without friction.
  bool add_planar(const std::vector<MjcfJoint>& joints, const std::string& name, const std::string& parent, const std::string& body,
                  const Pose<double>& T_PB) {
    if (joints.size() != 3 || joints[0].type != Type::slide || joints[1].type != Type::slide || joints[2].type != Type::hinge) return false;
    const auto is_plain = [&](const MjcfJoint& joint) { return joint.is_plain() && !driven_.contains(joint.name); };
    if (!std::all_of(joints.begin(), joints.end(), is_plain)) return false;
    if (joints[0].damping != joints[1].damping || joints[0].friction != 0 || joints[1].friction != 0) return false;
    const Vector3<double> x = joints[0].axis, y = joints[1].axis, z = joints[2].axis;
    if (std::abs(x.dot(y)) > 1e-12 || (x.cross(y) - z).norm() > 1e-12) return false;
    Matrix3<double> R;
    R << x, y, x.cross(y);
    add(name, joints[2], parent, body, T_PB, Planar<S>(),
        {.damping = gather(joints, &MjcfJoint::damping), .friction = gather(joints, &MjcfJoint::friction)}, R);
    return true;
  }

  static PerEntry<S> gather(const std::vector<MjcfJoint>& joints, double MjcfJoint::*member) {
    VectorX<double> all(static_cast<Eigen::Index>(joints.size()));
    for (std::size_t k = 0; k < joints.size(); ++k) all[static_cast<Eigen::Index>(k)] = joints[k].*member;
    return cast_entries<S>(all);
  }
  static JointProperties<S> properties(const std::vector<MjcfJoint>& joints) {
    JointProperties<S> p;
    p.damping = gather(joints, &MjcfJoint::damping);
    p.armature = gather(joints, &MjcfJoint::armature);
    p.stiffness = gather(joints, &MjcfJoint::stiffness);
    p.rest = gather(joints, &MjcfJoint::rest);
    p.friction = gather(joints, &MjcfJoint::friction);
    p.lower = gather(joints, &MjcfJoint::lower);
    p.upper = gather(joints, &MjcfJoint::upper);
    return p;
  }
  static JointProperties<S> isotropic(const MjcfJoint& joint) {
    JointProperties<S> p;
    p.damping = PerEntry<S>(cast_number<S>(joint.damping));
    p.stiffness = PerEntry<S>(cast_number<S>(joint.stiffness));
    p.friction = PerEntry<S>(cast_number<S>(joint.friction));
    return p;
  }

  ModelBuilder<S>& builder_;
  const std::set<std::string>&alone_, &driven_;
};

}  // namespace mjcf
}  // namespace actio::detail
