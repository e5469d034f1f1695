// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <tendon> of MJCF: the springs and dampers of those that are straight between two sites.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/io/xml/cast_numbers.hpp"
#include "actio/model/point_forces.hpp"

namespace actio::detail::mjcf {

/// A <site>: a point of a body.
struct Site {
  std::size_t body = 0;                          ///< index among the bodies of the file
  Vector3<double> p = Vector3<double>::Zero();   ///< in the body [m]
};

/// What a <tendon> element does: springs and dampers between two sites.
struct Tendon {
  Site a, b;
  std::vector<PointSpring<double>> springs;  ///< between them, without names and bodies; none if the tendon has no effect here
};

/// Reads a child of <tendon>. Of two values of springlength, between which a tendon is slack, the first must be 0, as of a rope, or equal
/// the second; a negative one means the length in the initial pose. A rope's damper acts in MuJoCo even where it is slack.
/// @param sites by name.  @param length (a, b) -> the distance of two sites in the initial pose [m].
template <class Length>
Tendon read_tendon(ElementReader& reader, const MjcfElement& element, const std::map<std::string, Site>& sites, Length&& length) {
  const pugi::xml_node node = element.node;
  const std::string subject = ElementReader::subject_of(node);
  const auto number = [&](const char* name) { return reader.number(element.with(name), name, 0); };
  const double stiffness = number("stiffness"), damping = number("damping");
  reader.ignore_attributes(node, {"name", "class", "stiffness", "damping", "springlength", "limited", "range", "frictionloss"});
  const auto lose = [&](const std::string& what) { reader.doubt(node, "tendon.unsupported", subject + ": " + what + " is not simulated"); };
  if (number("frictionloss") != 0) lose("its friction");
  const std::string_view limited = reader.word(element.with("limited"), "limited", {"auto", "true", "false"}, "auto");
  if (limited == "true" || (limited == "auto" && element.has("range"))) lose("its limit");
  Tendon tendon;
  if (!(stiffness >= 0 && damping >= 0)) reader.problem(node, "tendon.spring", subject + ": stiffness and damping are expected to be >= 0");
  if (!(stiffness > 0 || damping > 0)) return tendon;
  std::vector<const Site*> path;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string name = child.attribute("site").value();
    const auto found = sites.find(name);
    if (std::string_view(node.name()) != "spatial" || std::string_view(child.name()) != "site") {
      lose("its spring, which is not straight between two sites,");
      return tendon;
    }
    if (found == sites.end()) {
      reader.problem(child, "tendon.site", subject + ": site " + excerpt(name) + " is not declared");
      return tendon;
    }
    path.push_back(&found->second);
  }
  if (path.size() != 2) {
    lose("its spring, which has " + std::to_string(path.size()) + " sites, expected 2,");
    return tendon;
  }
  tendon.a = *path[0];
  tendon.b = *path[1];
  std::vector<double> range = reader.list(element.with("springlength"), "springlength", 1, 2);
  if (range.empty()) range = {-1};
  for (double& end : range) end = end < 0 ? length(tendon.a, tendon.b) : end;
  const double shortest = range.front(), longest = range.back();
  const bool is_rope = shortest == 0 && longest > 0;
  if (longest < shortest) reader.problem(node, "tendon.springlength", subject + ": the second springlength is less than the first");
  else if (!is_rope && shortest != longest) lose("that its spring is slack over a range of lengths that does not begin at 0");
  if (stiffness > 0) tendon.springs.push_back({.stiffness = stiffness, .length = longest, .tension_only = is_rope});
  if (damping > 0) tendon.springs.push_back({.damping = damping, .length = longest});
  if (tendon.springs.size() == 2 && !is_rope) {
    tendon.springs[0].damping = damping;
    tendon.springs.pop_back();
  }
  return tendon;
}

}  // namespace actio::detail::mjcf
