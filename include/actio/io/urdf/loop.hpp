// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <loop_joint>, an extension of URDF for closed loops, in its two dialects.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "actio/io/urdf/link.hpp"
#include "actio/model/loop.hpp"

namespace actio::detail {

template <Scalar S>
struct UrdfLoop {
  Loop<S> loop;
  std::string link_a, link_b;
};

/// Reads a <loop_joint>. <link1> and <link2> name a link and give the loop's frame in it by xyz and rpy; <axis> is in these frames.
/// Without a type (Drake) the loop is a revolute joint; ConstrainedDynamics.jl and Dojo.jl write the type, named as for joints.
/// They take the second frame's rotation from the assembly; here it is used as written, by default the axes of the link.
template <Scalar S>
std::optional<UrdfLoop<S>> read_loop_joint(ElementReader& reader, pugi::xml_node node) {
  static constexpr std::array<std::pair<std::string_view, LoopType>, 11> types{{
      {"", LoopType::revolute},
      {"revolute", LoopType::revolute},
      {"continuous", LoopType::revolute},
      {"prismatic", LoopType::prismatic},
      {"fixed", LoopType::fixed},
      {"cylindrical", LoopType::cylindrical},
      {"ball", LoopType::ball},
      {"spherical", LoopType::ball},
      {"planar", LoopType::planar},
      {"planaraxis", LoopType::planar},
      {"cylindricalfree", LoopType::point_on_line},
  }};
  const std::string subject = ElementReader::subject_of(node);
  const std::string_view type_name = node.attribute("type").value();
  const auto type = std::find_if(types.begin(), types.end(), [&](const auto& known) { return known.first == type_name; });
  if (type == types.end()) {
    std::string names;
    for (const auto& known : types) names += (names.empty() || known.first.empty() ? "" : ", ") + std::string(known.first);
    reader.problem(node, "loop.type", subject + ": unknown type " + excerpt(type_name) + ", expected none or one of " + names);
    return std::nullopt;
  }

  reader.ignore_children(node, {"link1", "link2", "axis"});
  const pugi::xml_node a = reader.only(node, "link1"), b = reader.only(node, "link2"), axis_element = reader.only(node, "axis");
  UrdfLoop<S> read;
  read.link_a = a.attribute("link").value();
  read.link_b = b.attribute("link").value();
  if (read.link_a.empty()) reader.problem(node, "loop.link", subject + ": it has no <link1> that names a link");
  if (read.link_b.empty()) reader.problem(node, "loop.link", subject + ": it has no <link2> that names a link");
  const Vector3<double> axis = reader.vector(axis_element, "xyz", Vector3<double>::UnitX());
  if (!(axis.norm() > 1e-10)) {
    reader.problem(axis_element, "loop.axis",
                   subject + ": axis " + excerpt(axis_element.attribute("xyz").value()) + " has zero length, expected a direction");
  }
  read.loop.name = node.attribute("name").value();
  read.loop.type = type->second;
  read.loop.T_A = cast_numbers<S>(reader.pose(a));
  read.loop.T_B = cast_numbers<S>(reader.pose(b));
  if (read.link_a.empty() || read.link_b.empty() || !(axis.norm() > 1e-10)) return std::nullopt;
  read.loop.axis = cast_numbers<S>(Vector3<double>(axis.normalized()));
  return read;
}

}  // namespace actio::detail
