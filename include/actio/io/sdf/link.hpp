// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <link> of SDF: pose, inertia and collision shapes. Visual elements are ignored.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/xml/cast_numbers.hpp"
#include "actio/io/xml/element_reader.hpp"
#include "actio/io/xml/inertia.hpp"

namespace actio::detail {

/// Reads <pose>: position, then roll, pitch and yaw in radians or degrees, or a quaternion; the identity if it is absent or empty.
/// Files write pi / 2 as 1.5708. Axes that should be parallel then differ by 4e-6, so that a planar loop is locked or opens by as much;
/// therefore, except in strict mode, an angle that equals a multiple of pi / 4 to all of its digits is replaced by that multiple.
inline Pose<double> read_sdf_pose(ElementReader& reader, pugi::xml_node node) {
  if (!node || is_blank(reader.text(node))) return Pose<double>::identity();
  reader.ignore_attributes(node, {"relative_to", "frame", "degrees", "rotation_format"});
  const std::string_view format = reader.word(node, "rotation_format", {"euler_rpy", "quat_xyzw"}, "euler_rpy");
  const double unit = reader.flag(node, "degrees", node.attribute("degrees").value(), false) ? one_degree : 1;
  if (format == "euler_rpy") {
    const std::array<double, 6> x = reader.text_numbers<6>(node, {});
    Vector3<double> rpy = unit * Vector3<double>(x[3], x[4], x[5]);
    const std::string text = reader.text(node);
    const std::vector<std::string_view> words = words_of(text);
    for (std::size_t k = 0; k < 3 && unit == 1 && words.size() == 6 && !reader.is_strict(); ++k) {
      double& angle = rpy[static_cast<Eigen::Index>(k)];
      const double written = std::exchange(angle, eighth_of_a_turn(words[k + 3], angle));
      if (angle != written) ++reader.rounded_angles;
    }
    return {rotation_from_rpy(rpy), {x[0], x[1], x[2]}};
  }
  const std::array<double, 7> x = reader.text_numbers<7>(node, {0, 0, 0, 0, 0, 0, 1});
  if (Vector4<double>(x[3], x[4], x[5], x[6]).norm() > 1e-10) return {rotation_from_quaternion(x[3], x[4], x[5], x[6]), {x[0], x[1], x[2]}};
  reader.problem(node, "pose.quaternion", ElementReader::subject_of(node) + ": the quaternion of <pose> has zero length");
  return Pose<double>::identity();
}

/// Returns the frame in which a <pose> is given, as written; empty for the default. SDF 1.5 and 1.6 call the attribute `frame`.
inline std::string pose_reference(pugi::xml_node owner) {
  const pugi::xml_node pose = owner.child("pose");
  return pose.attribute("relative_to") ? pose.attribute("relative_to").value() : pose.attribute("frame").value();
}

struct SdfShape {
  Geometry<double> geometry;
  Matrix3<double> R = Matrix3<double>::Identity();  ///< orientation of the shape's frame in that of the <collision>
};

/// Returns the shape of a <collision>; nothing, with a warning, if it is not supported.
inline std::optional<SdfShape> read_sdf_geometry(ElementReader& reader, pugi::xml_node collision) {
  const std::string subject = ElementReader::subject_of(collision);
  const pugi::xml_node geometry = reader.only(collision, "geometry");
  const pugi::xml_node shape = geometry.find_child([](pugi::xml_node node) { return node.type() == pugi::node_element; });
  const std::string_view kind = shape.name();
  const auto sound = [&](pugi::xml_node size, bool negative) {
    if (negative) {
      reader.problem(size, "shape.size",
                     subject + ": <" + size.name() + "> of <" + shape.name() + "> is " + excerpt(reader.text(size)) + ", expected >= 0");
    }
  };
  const auto length = [&](const char* name) {
    const pugi::xml_node size = reader.only(shape, name);
    const double x = reader.text_number(size, 1);  // the default of SDF for an absent size
    sound(size, x < 0);
    return x;
  };
  if (kind == "sphere") return SdfShape{Sphere<double>{length("radius")}};
  if (kind == "cylinder") return SdfShape{Cylinder<double>{length("radius"), length("length")}};
  if (kind == "capsule") return SdfShape{Capsule<double>{length("radius"), length("length")}};
  if (kind == "box") {
    const pugi::xml_node size = reader.only(shape, "size");
    const Vector3<double> edges = reader.text_vector(size, Vector3<double>::Ones());
    sound(size, (edges.array() < 0).any());
    return SdfShape{Box<double>{edges}};
  }
  if (kind == "plane") {
    reader.ignore_children(shape, {"normal"});
    const pugi::xml_node element = reader.only(shape, "normal");
    const Vector3<double> normal = reader.text_vector(element, Vector3<double>::UnitZ());
    if (normal.norm() > 1e-10) return SdfShape{HalfSpace{}, shortest_turn_from_z(normal.normalized())};
    reader.problem(element, "shape.normal", subject + ": the normal of <plane> has zero length");
    return std::nullopt;
  }
  if (kind == "mesh") {
    reader.ignore_children(shape, {"uri", "scale"});
    const Vector3<double> scale = reader.text_vector(reader.only(shape, "scale"), Vector3<double>::Ones());
    return SdfShape{MeshFile{reader.text(reader.only(shape, "uri")), scale}};
  }
  reader.warn(collision, "shape.unknown",
              subject + ": <collision> has no supported shape (box, sphere, cylinder, capsule, plane, mesh)" +
                  (shape ? ", but <" + std::string(kind) + ">" : std::string()));
  return std::nullopt;
}

/// Returns SDF's default inertia of a link: 1 kg, and 1 kg m^2 about each axis.
inline Inertia<double> default_sdf_inertia() { return {1, Vector3<double>::Zero(), Matrix3<double>::Identity()}; }

/// Reads an <inertial> that is given by numbers, in the link's frame.
inline Inertia<double> read_sdf_inertia(ElementReader& reader, pugi::xml_node link) {
  const pugi::xml_node inertial = reader.only(link, "inertial");
  const std::string subject = ElementReader::subject_of(link);
  if (!inertial) {
    reader.warn(link, "inertia.missing", subject + ": it has no <inertial>, for which SDF's default is 1 kg and 1 kg m^2");
    return default_sdf_inertia();
  }
  reader.ignore_attributes(inertial, {"auto"});
  reader.ignore_children(inertial, {"pose", "mass", "inertia"});
  if (inertial.child("fluid_added_mass")) reader.doubt(inertial, "inertia.fluid", subject + ": added mass of a fluid is not simulated");
  Inertia<double> G = default_sdf_inertia();
  const Pose<double> T = read_sdf_pose(reader, reader.only(inertial, "pose"));
  G.com = T.p;
  const pugi::xml_node mass = reader.only(inertial, "mass"), moments = reader.only(inertial, "inertia");
  if (!mass) reader.warn(inertial, "inertia.mass", subject + ": <inertial> has no <mass>, for which SDF's default is 1 kg");
  G.mass = reader.text_number(mass, 1);
  if (!moments) {
    reader.warn(inertial, "inertia.missing", subject + ": <inertial> has no <inertia>, for which SDF's default is 1 kg m^2");
    return G;
  }
  const auto moment = [&](const char* name, double otherwise) { return reader.text_number(reader.only(moments, name), otherwise); };
  const double xx = moment("ixx", 1), yy = moment("iyy", 1), zz = moment("izz", 1);
  const double xy = moment("ixy", 0), xz = moment("ixz", 0), yz = moment("iyz", 0);
  Matrix3<double> I;
  I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  G.I_com = checked_moments(reader, moments, subject, G.mass, I, T.R);
  return G;
}

/// Reports properties of a link that the model cannot represent.
inline void doubt_link_options(ElementReader& reader, pugi::xml_node link) {
  const std::string subject = ElementReader::subject_of(link);
  if (const auto node = link.child("gravity"); !reader.text_flag(node, true)) {
    reader.doubt(node, "link.gravity", subject + ": <gravity> is false, but gravity acts on all links here");
  }
  if (const auto node = link.child("kinematic"); reader.text_flag(node, false)) {
    reader.doubt(node, "link.kinematic", subject + ": <kinematic> is true, but forces move all links here");
  }
  for (const char* name : {"linear", "angular"}) {
    const pugi::xml_node node = link.child("velocity_decay").child(name);
    if (reader.text_number(node, 0) != 0) reader.doubt(node, "link.decay", subject + ": <velocity_decay> is not simulated");
  }
}

}  // namespace actio::detail
