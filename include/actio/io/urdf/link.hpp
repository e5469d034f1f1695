// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <link> of URDF: inertia and collision shapes. Visual elements are ignored.
#include <optional>
#include <string>

#include "actio/io/xml/cast_numbers.hpp"
#include "actio/io/xml/element_reader.hpp"
#include "actio/io/xml/inertia.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

/// Reads <inertial> of a link, in the link's frame; no mass if it is absent.
inline Inertia<double> read_inertia(ElementReader& reader, pugi::xml_node link) {
  const pugi::xml_node inertial = reader.only(link, "inertial");
  if (!inertial) return Inertia<double>::zero();
  const std::string subject = ElementReader::subject_of(link);
  reader.ignore_children(inertial, {"origin", "mass", "inertia"});
  const Pose<double> T = reader.pose(reader.only(inertial, "origin"));
  const pugi::xml_node mass = reader.only(inertial, "mass"), moments = reader.only(inertial, "inertia");

  Inertia<double> G = Inertia<double>::point(0, T.p);
  if (mass) G.mass = reader.required_number(mass, "value");
  else reader.problem(inertial, "inertia.mass", subject + ": <inertial> has no <mass>");
  if (!moments) {
    if (G.mass != 0)
      reader.repair(inertial, "inertia.missing", subject + ": <inertial> has a <mass> but no <inertia>", "treated as a point mass");
    return G;
  }
  const double xx = reader.required_number(moments, "ixx"), yy = reader.required_number(moments, "iyy"),
               zz = reader.required_number(moments, "izz");
  const double xy = reader.number(moments, "ixy", 0), xz = reader.number(moments, "ixz", 0), yz = reader.number(moments, "iyz", 0);
  Matrix3<double> I;
  I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  G.I_com = checked_moments(reader, moments, subject, G.mass, I, T.R);
  return G;
}

/// Returns the shape of a <geometry>; nothing, with a warning, if it is not supported.
template <Scalar S>
std::optional<Geometry<S>> read_geometry(ElementReader& reader, pugi::xml_node collision) {
  const std::string subject = ElementReader::subject_of(collision);
  const pugi::xml_node geometry = reader.only(collision, "geometry");
  const pugi::xml_node shape = geometry.find_child([](pugi::xml_node node) { return node.type() == pugi::node_element; });
  const std::string_view kind = shape.name();
  const auto length = [&](const char* attribute) {
    const double x = reader.required_number(shape, attribute);
    if (x < 0) {
      reader.problem(shape, "shape.size", subject + ": " + attribute + " of <" + shape.name() + "> is " + to_text(x) + ", expected >= 0");
    }
    return cast_number<S>(x);
  };
  if (kind == "sphere") return Sphere<S>{length("radius")};
  if (kind == "cylinder") return Cylinder<S>{length("radius"), length("length")};
  if (kind == "capsule") return Capsule<S>{length("radius"), length("length")};
  if (kind == "box") {
    const Vector3<double> size = reader.required_vector(shape, "size");
    if ((size.array() < 0).any()) {
      reader.problem(shape, "shape.size", subject + ": size of <box> is " + excerpt(shape.attribute("size").value()) + ", expected >= 0");
    }
    return Box<S>{cast_numbers<S>(size)};
  }
  if (kind == "mesh" && shape.attribute("filename")) {
    reader.ignore_attributes(shape, {"filename", "scale"});
    std::vector<double> scale = reader.list(shape, "scale", 1, 3);
    if (scale.size() == 1) {
      reader.repair(shape, "mesh.scale", subject + ": scale of <mesh> has 1 number, expected 3", "used for all axes");
      scale.assign(3, double(scale[0]));  // a copy: assign() may free its own elements first
    } else if (scale.size() == 2) {
      reader.problem(shape, "mesh.scale", subject + ": scale of <mesh> has 2 numbers, expected 3");
    }
    scale.resize(3, 1);
    return MeshFile{shape.attribute("filename").value(), {scale[0], scale[1], scale[2]}};
  }
  reader.warn(collision, "shape.unknown",
              subject + ": <collision> has no supported shape (box, sphere, cylinder, capsule, mesh)" +
                  (shape ? ", but <" + std::string(kind) + ">" : std::string()));
  return std::nullopt;
}

/// Reads a <collision>; the shape gets the name of the element, else of its link.
template <Scalar S>
std::optional<Shape<S>> read_collision(ElementReader& reader, pugi::xml_node collision) {
  reader.ignore_children(collision, {"origin", "geometry"});
  std::optional<Geometry<S>> geometry = read_geometry<S>(reader, collision);
  if (!geometry) return std::nullopt;
  const char* name = collision.attribute("name") ? collision.attribute("name").value() : collision.parent().attribute("name").value();
  return Shape<S>{name, 0, cast_numbers<S>(reader.pose(reader.only(collision, "origin"))), std::move(*geometry)};
}

}  // namespace actio::detail
