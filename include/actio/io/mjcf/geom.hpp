// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <geom> and <inertial> of MJCF: collision shapes, and the inertia of a body, given or from its geoms.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/io/xml/inertia.hpp"

namespace actio::detail {

struct MjcfGeom {
  pugi::xml_node node;
  std::string name;
  Pose<double> T = Pose<double>::identity();  ///< in the body
  std::optional<Geometry<double>> shape;      ///< none: cannot make contact
  std::optional<Solid> solid;                 ///< none: the volume is not known
  double mass = 0;
  std::optional<double> density{};            ///< [kg/m^3], of a mesh without a mass
  bool counts = false;  ///< contributes to the inertia of the body
  bool collides = false;
  ContactFilter filter{};  ///< contype and conaffinity
};

namespace mjcf {

/// Returns the bits of a whole number.
inline std::uint32_t bits_of(double number) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::clamp(number, -2147483648.0, 4294967295.0)));
}

/// Returns the frame at the midpoint of an elongated shape, its z axis pointing from the second end to the first.
inline Pose<double> between(ElementReader& reader, const MjcfElement& geom, double& length) {
  const auto ends = reader.numbers<6>(geom.with("fromto"), "fromto", {});
  const Vector3<double> from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
  length = (from - to).norm();
  const Pose<double> middle = Pose<double>::translation((from + to) / 2);
  if (length > 1e-10) return {shortest_turn_from_z((from - to) / length), middle.p};
  reader.problem(geom.with("fromto"), "geom.fromto", ElementReader::subject_of(geom.node) + ": the two ends of fromto are the same point");
  return middle;
}

/// Returns the half lengths and radii, as many as the type has.
inline std::vector<double> sizes(ElementReader& reader, const MjcfElement& geom, std::size_t count) {
  const pugi::xml_node node = geom.with("size");
  std::vector<double> size = reader.list(node, "size", 1, 3);
  const std::string subject = ElementReader::subject_of(geom.node);
  if (size.size() < count) {
    reader.problem(node, "geom.size",
                   subject + ": size has " + std::to_string(size.size()) + " numbers, expected " + std::to_string(count));
  }
  size.resize(3, 0);
  for (std::size_t k = 0; k < count; ++k) {
    if (size[k] < 0)
      reader.problem(node, "geom.size", subject + ": size is " + excerpt(node.attribute("size").value()) + ", expected >= 0");
  }
  return size;
}

/// Reads a <geom>.  @param mesh_files of <asset>, by name.
inline MjcfGeom read_geom(ElementReader& reader, const MjcfElement& geom, const MjcfCompiler& compiler,
                          const std::map<std::string, MeshFile>& mesh_files) {
  const std::string subject = ElementReader::subject_of(geom.node);
  reader.ignore_attributes(geom.node, {"name", "class", "type", "size", "fromto", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler",
                                       "mass", "density", "group", "contype", "conaffinity", "mesh"});
  const auto number = [&](const char* name, double otherwise) { return reader.number(geom.with(name), name, otherwise); };
  MjcfGeom read{.node = geom.node, .name = geom.node.attribute("name").value(), .shape = std::nullopt, .solid = std::nullopt};
  const std::string_view type =
      reader.word(geom.with("type"), "type", {"sphere", "capsule", "cylinder", "box", "ellipsoid", "plane", "mesh", "hfield", "sdf"},
                  geom.has("mesh") ? "mesh" : "sphere");
  const bool is_long = type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid";
  const bool by_ends = is_long && geom.has("fromto"), like_a_mesh = geom.has("mesh");
  double length = 0;
  read.T = by_ends ? between(reader, geom, length) : compiler.pose(reader, geom);
  const auto size = [&](std::size_t count) {
    std::vector<double> all = sizes(reader, geom, by_ends ? 1 : count);
    if (by_ends) {
      if (count == 3)
        all = {all[0], all[0], length / 2};
      else
        all[1] = length / 2;
    }
    return all;
  };
  if (like_a_mesh && type != "mesh") {
    reader.warn(geom.node, "shape.unknown", subject + ": a " + std::string(type) + " fitted to a mesh has no shape here");
  } else if (type == "sphere") {
    read.shape = Sphere<double>{size(1)[0]};
  } else if (type == "capsule") {
    const auto s = size(2);
    read.shape = Capsule<double>{s[0], 2 * s[1]};
  } else if (type == "cylinder") {
    const auto s = size(2);
    read.shape = Cylinder<double>{s[0], 2 * s[1]};
  } else if (type == "box") {
    const auto s = size(3);
    read.shape = Box<double>{2 * Vector3<double>(s[0], s[1], s[2])};
  } else if (type == "ellipsoid") {
    const auto s = size(3);
    read.solid = solid_ellipsoid({s[0], s[1], s[2]});
  } else if (type == "plane") {
    read.shape = HalfSpace{};
  } else if (type == "mesh") {
    const auto file = mesh_files.find(geom.value("mesh"));
    read.shape = file == mesh_files.end() ? MeshFile{geom.value("mesh")} : file->second;
  }
  if (read.shape) read.solid = solid_of(*read.shape);

  const double group = number("group", 0), density = number("density", 1000);
  read.counts = type != "plane" && type != "hfield" && compiler.inertia_groups[0] <= group && group <= compiler.inertia_groups[1];
  read.filter = {bits_of(number("contype", 1)), bits_of(number("conaffinity", 1))};
  read.collides = read.filter.groups != 0 || read.filter.touches != 0;
  read.mass = geom.has("mass") ? number("mass", 0) : read.solid ? density * read.solid->volume : 0;
  if (!read.solid && !geom.has("mass")) read.density = density;
  if (read.mass < 0) reader.problem(geom.node, "geom.mass", subject + ": mass " + to_text(read.mass) + " kg, expected >= 0");
  if (read.collides && !read.shape && !like_a_mesh) {
    reader.warn(geom.node, "shape.unknown", subject + ": type '" + std::string(type) + "' is not supported for contact");
  }
  return read;
}

/// Reads <inertial>, in the body's frame.
inline Inertia<double> read_inertial(ElementReader& reader, pugi::xml_node node, const MjcfCompiler& compiler) {
  const std::string subject = ElementReader::subject_of(node);
  reader.ignore_attributes(node, {"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "mass", "diaginertia", "fullinertia"});
  const Pose<double> T{compiler.orientation(reader, {node, {node}}), reader.required_vector(node, "pos")};
  Inertia<double> G = Inertia<double>::point(reader.required_number(node, "mass"), T.p);
  Matrix3<double> I = Matrix3<double>::Zero();
  if (node.attribute("fullinertia")) {
    if (node.attribute("diaginertia"))
      reader.problem(node, "inertia.several", subject + ": it has both diaginertia and fullinertia, expected only one");
    const auto m = reader.numbers<6>(node, "fullinertia", {});
    I << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
  } else if (node.attribute("diaginertia")) {
    I = reader.vector(node, "diaginertia", Vector3<double>::Zero()).asDiagonal();
  } else if (G.mass != 0) {
    reader.repair(node, "inertia.missing", subject + ": it has a mass but no diaginertia or fullinertia", "treated as a point mass");
  }
  G.I_com = checked_moments(reader, node, subject, G.mass, I, T.R);
  return G;
}

/// Returns the inertia of a body after the corrections of <compiler>: lower bounds, and moments that satisfy the triangle inequality.
inline Inertia<double> adjusted(Inertia<double> G, const MjcfCompiler& compiler) {
  if (G.mass < 0) return G;  // the builder will refuse it
  G.mass = std::max(G.mass, compiler.least_mass);
  if (compiler.least_moment <= 0 && !compiler.balance) return G;
  const Eigen::SelfAdjointEigenSolver<Matrix3<double>> principal(G.I_com);
  Vector3<double> moments = principal.eigenvalues().cwiseMax(compiler.least_moment);
  if (compiler.balance && moments[2] > moments[0] + moments[1]) moments.setConstant(moments.mean());
  const Matrix3<double> I = principal.eigenvectors() * moments.asDiagonal() * principal.eigenvectors().transpose();
  G.I_com = (I + I.transpose()) / 2;
  return G;
}

}  // namespace mjcf
}  // namespace actio::detail
