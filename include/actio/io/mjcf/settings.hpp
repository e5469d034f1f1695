// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Settings of an MJCF file that apply to all bodies, and the names already in use.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

class MjcfSettings {
 public:
  explicit MjcfSettings(ElementReader& reader) : defaults(reader), reader_(reader) {}

  void read(pugi::xml_node root) {
    reader_.ignore_children(root, {"compiler", "option", "default", "worldbody", "equality", "include", "asset", "contact", "actuator",
                                  "keyframe", "tendon"});
    for (const pugi::xml_node node : root.children("compiler")) compiler.read(reader_, node);
    for (const pugi::xml_node node : root.children("option")) read_option(node);
    defaults.read(root);
    for (const pugi::xml_node assets : root.children("asset")) {
      reader_.ignore_children(assets, {"mesh", "include"});
      for (const pugi::xml_node mesh : assets.children("mesh")) read_mesh(mesh);
    }
    survey_elements(root);
    for (const pugi::xml_node actuators : root.children("actuator")) {
      for (const pugi::xml_node node : actuators.children()) {
        for (const char* joint : {"joint", "jointinparent"}) driven_joints.insert(node.attribute(joint).value());
      }
    }
    for (const pugi::xml_node equality : root.children("equality")) {
      for (const pugi::xml_node joint : equality.children("joint")) {
        coupled_joints.insert(joint.attribute("joint1").value());
        coupled_joints.insert(joint.attribute("joint2").value());
      }
    }
  }

  /// Returns the default class of elements inside a node.  @param around the class around the node.
  std::string childclass_of(pugi::xml_node node, const std::string& around) {
    const std::string own = node.attribute("childclass").value();
    return own.empty() || !defaults.known(node, own) ? around : own;
  }
  /// Returns a name that is not in `taken`, and adds it there.
  std::string unique(std::string wanted, std::set<std::string>& taken) {
    if (taken.insert(wanted).second) return wanted;
    const std::string stem = wanted;
    int& count = counts_.try_emplace({&taken, stem}, 1).first->second;
    do wanted = stem + '_' + std::to_string(++count);
    while (!taken.insert(wanted).second);
    return wanted;
  }

  Vector3<double> gravity() const { return pulls_ ? gravity_ : Vector3<double>(Vector3<double>::Zero()); }

  MjcfCompiler compiler;
  MjcfDefaults defaults;
  std::map<std::string, MeshFile> mesh_files;
  std::set<std::string> link_names, joint_names, loop_names, spring_names;
  std::set<std::string> coupled_joints;  ///< not merged with other joints
  std::set<std::string> driven_joints;   ///< by actuators
  std::optional<double> time_step;       ///< [s]
  bool loops_hold = true;

 private:
  /// Reports elements that cannot be ignored without changing the model, and collects the names in use.
  void survey_elements(pugi::xml_node root) {
    for (pugi::xml_node node = root; node;) {  // without recursion
      const std::string_view kind = node.name();
      if (kind == "include") {
        reader_.problem(node, "include.file",
                        "<include> of " + excerpt(node.attribute("file").value()) +
                            ": a model given as text has no folder to search, so read the model from a file");
      } else if (kind == "replicate" || kind == "composite" || kind == "flexcomp" || kind == "attach") {
        reader_.problem(node, "element.unsupported", '<' + std::string(kind) + "> is not supported: write out its bodies");
      } else if (kind == "body") {
        link_names.insert(node.attribute("name").value());
      } else if (kind == "joint" || kind == "freejoint") {
        joint_names.insert(node.attribute("name").value());
      }
      if (node.first_child()) {
        node = node.first_child();
        continue;
      }
      while (node && node != root && !node.next_sibling()) node = node.parent();
      node = node == root ? pugi::xml_node() : node.next_sibling();
    }
  }

  void read_mesh(pugi::xml_node node) {
    const MjcfElement mesh = defaults.element(node, "mesh", "");
    const std::string file = mesh.value("file"), path = compiler.strips_paths ? file.substr(file.find_last_of("/\\") + 1) : file;
    const std::string name = node.attribute("name").value(), last = file.substr(file.find_last_of("/\\") + 1);
    const std::string& folder = compiler.mesh_folder;
    const bool ends = folder.empty() || folder.back() == '/';
    if (mesh.has("refpos") || mesh.has("refquat")) {
      reader_.doubt(node, "mesh.reference", ElementReader::subject_of(node) + ": refpos and refquat are not supported and are ignored");
    }
    mesh_files.emplace(name.empty() ? last.substr(0, last.find_last_of('.')) : name,
                       MeshFile{path.empty() ? path : folder + (ends ? "" : "/") + path,
                                reader_.vector(mesh.with("scale"), "scale", Vector3<double>::Ones())});
  }

  void read_option(pugi::xml_node node) {
    reader_.ignore_attributes(node, {"gravity", "density", "viscosity", "timestep"});
    const pugi::xml_node flag = node.child("flag");
    reader_.ignore_children(node, {"flag"});
    reader_.ignore_attributes(flag, {"gravity", "equality"});
    const auto off = [&](const char* name) { return reader_.word(flag, name, {"enable", "disable"}, "enable") == "disable"; };
    if (node.attribute("gravity")) gravity_ = reader_.vector(node, "gravity", gravity_);
    if (node.attribute("timestep")) {
      time_step = reader_.number(node, "timestep", 0);
      const std::string given = excerpt(node.attribute("timestep").value());
      if (!(*time_step > 0)) reader_.problem(node, "option.timestep", "timestep of <option> is " + given + ", expected > 0");
    }
    if (off("gravity")) pulls_ = false;
    if (off("equality")) loops_hold = false;
    for (const char* fluid : {"density", "viscosity"}) {
      if (reader_.number(node, fluid, 0) != 0) reader_.doubt(node, "option.fluid", std::string(fluid) + " of a fluid is not simulated");
    }
  }

  ElementReader& reader_;
  Vector3<double> gravity_{0, 0, -9.81};
  bool pulls_ = true;
  std::map<std::pair<const void*, std::string>, int> counts_;  // last number appended to a name
};

}  // namespace actio::detail
