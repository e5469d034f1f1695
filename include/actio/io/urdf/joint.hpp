// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <joint> of URDF: types, axis, limits, dynamics, and the joints of a model that each type becomes.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "actio/io/urdf/link.hpp"
#include "actio/model/builder.hpp"

namespace actio::detail {

enum class UrdfMotion {
  fixed,
  revolute,
  continuous,
  prismatic,
  planar,
  floating,
  spherical,
  cylindrical,
  plane_and_ball,
  line_and_ball,
  translation
};

/// A joint type as files name it.
struct UrdfJointType {
  std::string_view name;
  UrdfMotion motion;
  enum Dialect { urdf, common, constrained_dynamics } dialect;
  const char* remedy;  ///< how a type that is not URDF's is interpreted
};

/// URDF's six types, those that several programs add, and those of ConstrainedDynamics.jl and Dojo.jl (src/joints/prototypes.jl there).
inline constexpr std::array<UrdfJointType, 13> urdf_joint_types{{
    {"fixed", UrdfMotion::fixed, UrdfJointType::urdf, ""},
    {"revolute", UrdfMotion::revolute, UrdfJointType::urdf, ""},
    {"continuous", UrdfMotion::continuous, UrdfJointType::urdf, ""},
    {"prismatic", UrdfMotion::prismatic, UrdfJointType::urdf, ""},
    {"planar", UrdfMotion::planar, UrdfJointType::urdf, ""},
    {"floating", UrdfMotion::floating, UrdfJointType::urdf, ""},
    {"spherical", UrdfMotion::spherical, UrdfJointType::common, "treated as three rotations"},
    {"ball", UrdfMotion::spherical, UrdfJointType::common, "treated as three rotations"},
    {"cylindrical", UrdfMotion::cylindrical, UrdfJointType::common, "treated as rotation about and translation along the axis"},
    {"planaraxis", UrdfMotion::planar, UrdfJointType::constrained_dynamics, "treated as translation across and rotation about the axis"},
    {"planarfree", UrdfMotion::plane_and_ball, UrdfJointType::constrained_dynamics,
     "treated as translation across the axis and all rotations"},
    {"cylindricalfree", UrdfMotion::line_and_ball, UrdfJointType::constrained_dynamics,
     "treated as translation along the axis and all rotations"},
    {"fixedorientation", UrdfMotion::translation, UrdfJointType::constrained_dynamics, "treated as three translations"},
}};

inline const UrdfJointType* find_urdf_joint_type(std::string_view name) {
  const auto found =
      std::find_if(urdf_joint_types.begin(), urdf_joint_types.end(), [&](const UrdfJointType& type) { return type.name == name; });
  return found == urdf_joint_types.end() ? nullptr : &*found;
}

inline std::string known_urdf_joint_types() {
  std::string names;
  for (const UrdfJointType& type : urdf_joint_types) names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

/// Returns the degrees of freedom without the types of ConstrainedDynamics.jl and without cylindrical joints: see LoadReport::dof.
inline int agreed_dof(const std::map<std::string, int>& joints) {
  int sum = 0;
  for (const auto& [type, count] : joints) {
    if (type == "revolute" || type == "continuous" || type == "prismatic") sum += count;
    if (type == "planar" || type == "spherical" || type == "ball") sum += 3 * count;
    if (type == "floating") sum += 6 * count;
  }
  return sum;
}

inline bool has_axis(UrdfMotion motion) {
  return motion != UrdfMotion::fixed && motion != UrdfMotion::floating && motion != UrdfMotion::spherical &&
         motion != UrdfMotion::translation;
}

/// Returns the unit axis, (1, 0, 0) by default.
/// @param placeholders whether a moving joint's axis of zero length means the default, as in files of ConstrainedDynamics.jl.
inline Vector3<double> read_axis(ElementReader& reader, pugi::xml_node joint, UrdfMotion motion, bool placeholders) {
  const Vector3<double> x = Vector3<double>::UnitX();
  const pugi::xml_node element = reader.only(joint, "axis");
  const Vector3<double> axis = reader.vector(element, "xyz", x);
  const double length = axis.norm();
  const std::string subject = ElementReader::subject_of(joint);
  if (length > 1e-10) {
    if (std::abs(length - 1) > 1e-3 && has_axis(motion)) {
      reader.warn(element, "joint.axis",
                  subject + ": axis " + excerpt(element.attribute("xyz").value()) + " has length " + to_text(length) + ", normalised");
    }
    return axis / length;
  }
  const std::string none = subject + ": axis " + excerpt(element.attribute("xyz").value()) + " has zero length";
  if (!has_axis(motion)) reader.repair(element, "joint.axis", none, "but the joint needs no axis");
  else if (placeholders) reader.repair(element, "joint.axis", none, "the default 1 0 0 is used");
  else reader.problem(element, "joint.axis", none + ", expected a direction");
  return x;
}

/// Reads <limit> and <dynamics>. Only revolute and prismatic joints have a range; 0 to 0 means unlimited.
template <Scalar S>
JointProperties<S> read_properties(ElementReader& reader, pugi::xml_node joint, UrdfMotion motion) {
  const auto number = [](double x) { return PerEntry<S>(cast_number<S>(x)); };
  const std::string subject = ElementReader::subject_of(joint);
  JointProperties<S> properties;
  if (motion == UrdfMotion::fixed) {
    for (const char* name : {"dynamics", "limit"}) {
      if (const pugi::xml_node element = joint.child(name)) reader.ignore(element);
    }
    return properties;
  }

  const pugi::xml_node dynamics = reader.only(joint, "dynamics"), limit = reader.only(joint, "limit");
  reader.ignore_attributes(dynamics, {"damping", "friction"});
  if (dynamics.attribute("damping")) properties.damping = number(reader.number(dynamics, "damping", 0));
  if (dynamics.attribute("friction")) properties.friction = number(reader.number(dynamics, "friction", 0));

  const bool has_range = motion == UrdfMotion::revolute || motion == UrdfMotion::prismatic;
  if (!limit) {
    if (has_range) {
      reader.repair(joint, "joint.limit", subject + ": a " + joint.attribute("type").value() + " joint needs a <limit>",
                    "treated as unlimited");
    }
    return properties;
  }
  if (has_range) {
    reader.ignore_attributes(limit, {"lower", "upper", "effort", "velocity"});
    const double lower = reader.unbounded_number(limit, "lower", 0), upper = reader.unbounded_number(limit, "upper", 0);
    if (lower == 0 && upper == 0) {
      reader.repair(limit, "joint.limit", subject + ": limits 0 to 0 allow no motion", "treated as unlimited");
    } else if (lower > upper) {
      reader.problem(limit, "joint.limit",
                     subject + ": lower limit " + to_text(lower) + " is above upper limit " + to_text(upper) + ": swap them");
    } else {
      properties.lower = number(lower);
      properties.upper = number(upper);
    }
  } else {
    reader.ignore_attributes(limit, {"effort", "velocity"});
  }
  if (limit.attribute("effort")) properties.effort_limit = number(reader.unbounded_number(limit, "effort", 0));
  if (limit.attribute("velocity")) {
    const double velocity = reader.unbounded_number(limit, "velocity", 0);
    if (velocity == 0) reader.warn(limit, "joint.limit", subject + ": the velocity limit is 0, treated as unlimited");
    else properties.velocity_limit = number(velocity);
  }
  return properties;
}

/// Returns a rotation whose columns are two directions perpendicular to n, and n; the identity for z. It is the shortest rotation from z to
/// n or, if n_z < 0, half a revolution about x followed by the shortest rotation from -z to n.
inline Matrix3<double> frame_with_normal(const Vector3<double>& n) {
  const double up = n[2] < 0 ? -1 : 1;
  const Vector3<double> pole(0, 0, up);
  const Matrix3<double> w = so3::hat<double>(pole.cross(n));
  const Matrix3<double> rotation = Matrix3<double>::Identity() + w + w * w / (1 + up * n[2]);
  return rotation * Vector3<double>(1, up, up).asDiagonal();
}

/// A <joint> after its parts have been read.
template <Scalar S>
struct UrdfJoint {
  std::string name, parent, child, origin;
  UrdfMotion motion = UrdfMotion::continuous;
  Pose<double> T = Pose<double>::identity();
  Vector3<double> axis = Vector3<double>::UnitX();
  JointProperties<S> properties;

  /// Adds the joint. Types without an equivalent become a chain of joints with massless links; the last joint has the name of the <joint>.
  void add_to(ModelBuilder<S>& builder) const {
    const Vector3<S> a = cast_numbers<S>(axis);
    const Matrix3<double> R = frame_with_normal(axis);
    switch (motion) {
      case UrdfMotion::fixed: builder.add_joint(name, parent, child, cast_numbers<S>(T), Fixed{}, origin); break;
      case UrdfMotion::revolute:
      case UrdfMotion::continuous: add_last(builder, parent, T, Revolute<S>(a)); break;
      case UrdfMotion::prismatic: add_last(builder, parent, T, Prismatic<S>(a)); break;
      case UrdfMotion::cylindrical: add_last(builder, parent, T, Cylindrical<S>(a)); break;
      case UrdfMotion::spherical: add_last(builder, parent, T, Spherical<S>()); break;
      case UrdfMotion::floating: add_last(builder, parent, T, Free<S>()); break;
      case UrdfMotion::planar: add_planar(builder, R); break;
      case UrdfMotion::plane_and_ball: {
        const std::string x = add_slide(builder, parent, T, ".px", R.col(0)),
                          y = add_slide(builder, x, Pose<double>::identity(), ".py", R.col(1));
        add_last(builder, y, Pose<double>::identity(), Spherical<S>());
        break;
      }
      case UrdfMotion::line_and_ball:
        add_last(builder, add_slide(builder, parent, T, ".px", axis), Pose<double>::identity(), Spherical<S>());
        break;
      case UrdfMotion::translation: {
        const std::string x = add_slide(builder, parent, T, ".px", Vector3<double>::UnitX()),
                          y = add_slide(builder, x, Pose<double>::identity(), ".py", Vector3<double>::UnitY());
        add_last(builder, y, Pose<double>::identity(), Prismatic<S>(Vector3<S>::UnitZ()));
        break;
      }
    }
  }

 private:
  template <class J>
  void add_last(ModelBuilder<S>& builder, const std::string& from, const Pose<double>& placement, const J& joint) const {
    builder.add_joint(name, from, child, cast_numbers<S>(placement), joint, properties, origin);
  }
  /// @returns the massless link that the slide moves.
  std::string add_slide(ModelBuilder<S>& builder, const std::string& from, const Pose<double>& placement, const char* suffix,
                        const Vector3<double>& along) const {
    const std::string link = child + suffix;
    builder.add_body(link, Inertia<S>::zero(), origin);
    builder.add_joint(name + suffix, from, link, cast_numbers<S>(placement), Prismatic<S>(cast_numbers<S>(along)), properties, origin);
    return link;
  }
  /// Adds a planar joint. It moves in its frame's xy plane, so the frame is rotated to the axis; the link keeps its pose.
  void add_planar(ModelBuilder<S>& builder, const Matrix3<double>& R) const {
    const Pose<double> rotation = Pose<double>::rotation(R);
    builder.add_joint(name, parent, child, cast_numbers<S>(T * rotation), Planar<S>(), properties, origin,
                      cast_numbers<S>(rotation.inverse()));
  }
};

}  // namespace actio::detail
