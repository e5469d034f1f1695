// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <joint> of SDF: types, axes, limits and dynamics, as a joint of the tree or as a loop constraint.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/sdf/frames.hpp"
#include "actio/io/sdf/link.hpp"
#include "actio/model/builder.hpp"

namespace actio::detail {

/// A joint type of SDF and its number of axes.
struct SdfJointType {
  std::string_view name;
  int axes;
};
inline constexpr std::array<SdfJointType, 8> sdf_joint_types{
    {{"fixed", 0}, {"revolute", 1}, {"continuous", 1}, {"prismatic", 1}, {"screw", 1}, {"ball", 0}, {"universal", 2}, {"revolute2", 2}}};

/// Returns what is wrong with the version number of a file; empty for a known version.
inline std::string doubt_of_version(pugi::xml_node sdf) {
  constexpr std::array<std::string_view, 13> known{"1.0", "1.2", "1.3",  "1.4",  "1.5",  "1.6", "1.7",
                                                   "1.8", "1.9", "1.10", "1.11", "1.12", "1.13"};
  const std::string_view version = sdf.attribute("version").value();
  if (version.empty()) return "<sdf> has no version";
  return std::find(known.begin(), known.end(), version) != known.end() ? "" : "<sdf> has the unknown version " + excerpt(version);
}

/// Returns whether joint axes are in the model's frame, as before SDF 1.5, rather than in the joint's.
inline bool axes_are_in_model(pugi::xml_node sdf) {
  const std::string_view version = sdf.attribute("version").value();
  return version == "1.4" || version == "1.3" || version == "1.2" || version == "1.0";
}

struct SdfAxis {
  Vector3<double> direction = Vector3<double>::UnitZ();  ///< in the joint's frame, unit
  double damping = 0, friction = 0, stiffness = 0, rest = 0;
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower, velocity = upper, effort = upper;
};

/// A <joint> after its parts have been read. The frames on both of its sides coincide initially: frame J.
struct SdfJoint {
  pugi::xml_node node;
  std::string name, scope, parent, child;  ///< parent and child are full names of links
  const SdfJointType* type = nullptr;      ///< null: unknown, which has been reported
  std::vector<SdfAxis> axes;
  double damping = 0;                      ///< of a ball joint
  double pitch = 0;                        ///< of a screw joint [m/rad]
  Pose<double> T_PJ = Pose<double>::identity(), T_CJ = Pose<double>::identity();

  template <Scalar S>
  JointProperties<S> properties() const {
    JointProperties<S> p;
    if (axes.empty()) {
      p.damping = PerEntry<S>(cast_number<S>(damping));
      return p;
    }
    const auto gather = [&](double SdfAxis::*member) {
      VectorX<double> all(static_cast<Eigen::Index>(axes.size()));
      for (std::size_t k = 0; k < axes.size(); ++k) all[static_cast<Eigen::Index>(k)] = axes[k].*member;
      return cast_entries<S>(all);
    };
    p.damping = gather(&SdfAxis::damping);
    p.friction = gather(&SdfAxis::friction);
    p.stiffness = gather(&SdfAxis::stiffness);
    p.rest = gather(&SdfAxis::rest);
    p.lower = gather(&SdfAxis::lower);
    p.upper = gather(&SdfAxis::upper);
    p.velocity_limit = gather(&SdfAxis::velocity);
    p.effort_limit = gather(&SdfAxis::effort);
    return p;
  }

  /// Adds the joint to the tree.
  template <Scalar S>
  void add_to(ModelBuilder<S>& builder, const std::string& as, const std::string& on, const std::string& link,
              const std::string& origin) const {
    const auto axis = [&](std::size_t k) { return cast_numbers<S>(axes[k].direction); };
    const auto add = [&](const auto& joint) {
      builder.add_joint(as, on, link, cast_numbers<S>(T_PJ), joint, properties<S>(), origin, cast_numbers<S>(T_CJ.inverse()));
    };
    if (type->name == "fixed") builder.add_joint(as, on, link, cast_numbers<S>(T_PJ * T_CJ.inverse()), Fixed{}, origin);
    else if (type->name == "ball") add(Spherical<S>());
    else if (type->name == "prismatic") add(Prismatic<S>(axis(0)));
    else if (type->name == "screw") add(Helical<S>(axis(0), cast_number<S>(pitch)));
    else if (type->axes == 2) add(Universal<S>(axis(0), axis(1)));
    else add(Revolute<S>(axis(0)));
  }

  /// Converts the joint to a loop constraint.  @returns why this is impossible; empty on success.
  template <Scalar S>
  std::string close(Loop<S>& loop) const {
    if (type->name == "fixed") loop.type = LoopType::fixed;
    else if (type->name == "ball") loop.type = LoopType::ball;
    else if (type->name == "prismatic") loop.type = LoopType::prismatic;
    else if (type->axes == 2) loop.type = LoopType::universal;
    else if (type->name != "screw") loop.type = LoopType::revolute;
    else return "a screw joint cannot close a loop";
    if (type->axes == 2 && std::abs(axes[0].direction.dot(axes[1].direction)) > 1e-12)
      return "a joint whose axes are not perpendicular cannot close a loop";
    loop.T_A = cast_numbers<S>(T_PJ);
    loop.T_B = cast_numbers<S>(T_CJ);
    if (!axes.empty()) loop.axis = cast_numbers<S>(axes[0].direction);
    if (axes.size() > 1) loop.axis2 = cast_numbers<S>(axes[1].direction);
    return {};
  }

  /// Returns a list of the joint's properties that a loop constraint cannot represent; empty if there are none.
  std::string lost_in_a_loop() const {
    std::string lost;
    const auto lose = [&](bool is_there, const char* what) {
      if (is_there && lost.find(what) == std::string::npos) lost += (lost.empty() ? "" : ", ") + std::string(what);
    };
    lose(damping != 0, "damping");
    for (const SdfAxis& axis : axes) {
      lose(axis.damping != 0, "damping");
      lose(axis.friction != 0, "friction");
      lose(axis.stiffness != 0, "spring");
      lose(std::isfinite(axis.lower) || std::isfinite(axis.upper), "limits");
    }
    return lost;
  }
};

/// Reads <dynamics> and <limit> of an axis. Bounds of 1e16 and more mean none, as in SDF before 1.10; so do negative speeds and efforts.
inline void read_sdf_axis_properties(ElementReader& reader, pugi::xml_node node, bool ranged, SdfAxis& axis) {
  const pugi::xml_node dynamics = reader.only(node, "dynamics"), limit = reader.only(node, "limit");
  reader.ignore_children(dynamics, {"damping", "friction", "spring_reference", "spring_stiffness"});
  const auto value = [&](const char* name) { return reader.text_number(reader.only(dynamics, name), 0); };
  axis.damping = value("damping");
  axis.friction = value("friction");
  axis.stiffness = value("spring_stiffness");
  axis.rest = value("spring_reference");

  reader.ignore_children(limit, {"lower", "upper", "effort", "velocity"});
  const double infinity = std::numeric_limits<double>::infinity();
  const auto bound = [&](const char* name, double otherwise) {
    const double x = reader.text_limit(reader.only(limit, name), otherwise);
    return std::abs(x) < 1e16 ? x : std::copysign(infinity, x);
  };
  const auto most = [&](const char* name) {
    const double x = reader.text_limit(reader.only(limit, name), infinity);
    return x < 0 ? infinity : x;
  };
  axis.velocity = most("velocity");
  axis.effort = most("effort");
  if (!ranged) return;
  axis.lower = bound("lower", -infinity);
  axis.upper = bound("upper", infinity);
  if (axis.lower > axis.upper) {
    reader.problem(limit, "joint.limit",
                   ElementReader::subject_of(node) + ": lower limit " + to_text(axis.lower) + " is above upper limit " +
                       to_text(axis.upper) + ": swap them");
    axis.lower = -infinity;
    axis.upper = infinity;
  }
}

/// Returns the translation along the axis per radian [m/rad].  <screw_thread_pitch> is in metres per revolution, right-handed if positive;
/// the older <thread_pitch> in radians per metre, left-handed if positive.
inline double read_screw_pitch(ElementReader& reader, pugi::xml_node joint) {
  const pugi::xml_node pitch = reader.only(joint, "screw_thread_pitch"), old = reader.only(joint, "thread_pitch");
  if (pitch || !old) return reader.text_number(pitch, 1) / (2 * pi);
  const double radians = reader.text_number(old, 1);
  if (std::abs(radians) > 1e-10) return -1 / radians;
  reader.problem(old, "joint.pitch", ElementReader::subject_of(joint) + ": <thread_pitch> is 0 rad/m, expected a nonzero number");
  return 0;
}

inline const SdfJointType* find_sdf_joint_type(ElementReader& reader, pugi::xml_node joint) {
  const std::string_view name = joint.attribute("type").value();
  std::string names;
  for (const SdfJointType& type : sdf_joint_types) {
    if (type.name == name) return &type;
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  const std::string subject = ElementReader::subject_of(joint);
  reader.problem(joint, "joint.type", name.empty() ? subject + ": it has no type attribute, expected one of " + names
                                                   : subject + ": unknown type " + excerpt(name) + ", expected one of " + names);
  return nullptr;
}

}  // namespace actio::detail
