// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads the <compiler> element of an MJCF file, such as the unit of angles, and the orientations of elements, whose meaning depends on it.
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "actio/io/mjcf/defaults.hpp"

namespace actio::detail {

struct MjcfCompiler {
  enum class FromGeoms { if_not_given, always, never };

  double angle = one_degree;       ///< radians per unit of the file's angles
  std::string euler_axes = "xyz";  ///< lower case: axes that rotate with the frame; upper case: fixed axes
  bool auto_limits = true;         ///< a range without `limited` is a limit
  FromGeoms inertia_from_geoms = FromGeoms::if_not_given;
  std::array<double, 2> inertia_groups{0, 5};  ///< geom groups whose inertias are counted
  double least_mass = 0, least_moment = 0, total_mass = -1;
  std::string mesh_folder;       ///< of mesh files, relative to the main file
  bool strips_paths = false;     ///< mesh files are named without their folders
  bool balance = false;  ///< moments that violate the triangle inequality are replaced by their mean

  void read(ElementReader& reader, pugi::xml_node node) {
    reader.ignore_attributes(node, {"angle", "eulerseq", "autolimits", "inertiafromgeom", "inertiagrouprange", "boundmass", "boundinertia",
                                    "settotalmass", "balanceinertia", "coordinate", "meshdir", "assetdir", "strippath"});
    const auto yes = [&](const char* name, bool otherwise) {
      return reader.word(node, name, {"true", "false"}, otherwise ? "true" : "false") == "true";
    };
    if (node.attribute("angle")) angle = reader.word(node, "angle", {"degree", "radian"}, "degree") == "degree" ? one_degree : 1;
    if (const std::string_view axes = node.attribute("eulerseq").value(); !axes.empty()) {
      if (axes.size() == 3 && axes.find_first_not_of("xyzXYZ") == std::string_view::npos)
        euler_axes = axes;
      else
        reader.problem(node, "compiler.eulerseq", "eulerseq of <compiler> is " + excerpt(axes) + ", expected three of x, y, z, X, Y, Z");
    }
    auto_limits = yes("autolimits", auto_limits);
    balance = yes("balanceinertia", balance);
    strips_paths = yes("strippath", strips_paths);
    for (const char* folder : {"assetdir", "meshdir"}) {
      if (node.attribute(folder)) mesh_folder = node.attribute(folder).value();
    }
    if (node.attribute("inertiafromgeom")) {
      const std::string_view from = reader.word(node, "inertiafromgeom", {"auto", "true", "false"}, "auto");
      inertia_from_geoms = from == "true" ? FromGeoms::always : from == "false" ? FromGeoms::never : FromGeoms::if_not_given;
    }
    inertia_groups = reader.numbers<2>(node, "inertiagrouprange", inertia_groups);
    least_mass = reader.number(node, "boundmass", least_mass);
    least_moment = reader.number(node, "boundinertia", least_moment);
    total_mass = reader.number(node, "settotalmass", total_mass);
    if (reader.word(node, "coordinate", {"local", "global"}, "local") == "global") {
      reader.problem(node, "compiler.coordinate",
                     "coordinate of <compiler> is 'global', expected 'local': MuJoCo no longer supports it either");
    }
  }

  /// Returns the orientation given by quat, axisangle, xyaxes, zaxis or euler, of the element or its nearest default that has one.
  Matrix3<double> orientation(ElementReader& reader, const MjcfElement& element) const {
    static constexpr std::array<const char*, 5> ways{"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    for (const pugi::xml_node node : element.sources) {
      const char* way = nullptr;
      for (const char* known : ways) {
        if (!node.attribute(known)) continue;
        if (way) {
          reader.problem(
              node, "orientation.several",
              ElementReader::subject_of(node) + ": <" + node.name() + "> has both " + way + " and " + known + ", expected only one");
        }
        way = known;
      }
      if (way) return orientation(reader, node, way);
    }
    return Matrix3<double>::Identity();
  }

  Pose<double> pose(ElementReader& reader, const MjcfElement& element) const {
    return {orientation(reader, element), reader.vector(element.with("pos"), "pos", Vector3<double>::Zero())};
  }

 private:
  Matrix3<double> orientation(ElementReader& reader, pugi::xml_node node, std::string_view way) const {
    const auto unit = [&](const Vector3<double>& v) -> Vector3<double> {
      if (v.norm() > 1e-10) return v.normalized();
      reader.problem(node, "orientation.length",
                     ElementReader::subject_of(node) + ": " + std::string(way) + " of <" + node.name() + "> is " +
                         excerpt(node.attribute(std::string(way).c_str()).value()) + ", which does not define an orientation");
      return Vector3<double>::UnitX();
    };
    if (way == "quat") {
      const auto q = reader.numbers<4>(node, "quat", {1, 0, 0, 0});  // the real part first
      if (Vector4<double>(q[0], q[1], q[2], q[3]).norm() > 1e-10) return rotation_from_quaternion(q[1], q[2], q[3], q[0]);
      unit(Vector3<double>::Zero());
    } else if (way == "axisangle") {
      const auto a = reader.numbers<4>(node, "axisangle", {1, 0, 0, 0});
      return so3::rotation<double>(unit({a[0], a[1], a[2]}), angle * a[3]);
    } else if (way == "xyaxes") {
      const auto a = reader.numbers<6>(node, "xyaxes", {1, 0, 0, 0, 1, 0});
      const Vector3<double> x = unit({a[0], a[1], a[2]}), across = Vector3<double>(a[3], a[4], a[5]), y = unit(across - x * x.dot(across));
      Matrix3<double> R;
      R << x, y, x.cross(y);
      if (std::abs(x.dot(y)) < 1e-9) return R;
    } else if (way == "zaxis") {
      return shortest_turn_from_z(unit(reader.vector(node, "zaxis", Vector3<double>::UnitZ())));
    } else {
      const Vector3<double> angles = angle * reader.vector(node, "euler", Vector3<double>::Zero());
      Matrix3<double> R = Matrix3<double>::Identity();
      for (int k = 0; k < 3; ++k) {
        const char axis = euler_axes[static_cast<std::size_t>(k)];
        const bool turns_along = axis >= 'x';
        const Matrix3<double> turn = so3::rotation<double>(Vector3<double>::Unit(turns_along ? axis - 'x' : axis - 'X'), angles[k]);
        R = turns_along ? Matrix3<double>(R * turn) : Matrix3<double>(turn * R);
      }
      return R;
    }
    return Matrix3<double>::Identity();
  }
};

}  // namespace actio::detail
