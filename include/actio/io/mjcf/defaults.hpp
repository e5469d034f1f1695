// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <default> of MJCF: attributes that elements inherit by class.                     [mujoco.readthedocs.io, "Modeling", "Default settings"]
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actio/io/xml/element_reader.hpp"

namespace actio::detail {

/// An element, followed by the defaults that it inherits from, nearest first.
struct MjcfElement {
  pugi::xml_node node;
  std::vector<pugi::xml_node> sources;  ///< the element itself comes first

  /// Returns the node that sets an attribute; the element itself if none does.
  pugi::xml_node with(const char* attribute) const {
    for (const pugi::xml_node source : sources) {
      if (source.attribute(attribute)) return source;
    }
    return node;
  }
  bool has(const char* attribute) const { return bool(with(attribute).attribute(attribute)); }
  const char* value(const char* attribute) const { return with(attribute).attribute(attribute).value(); }
};

class MjcfDefaults {
 public:
  explicit MjcfDefaults(ElementReader& reader) : reader_(reader) { classes_["main"]; }

  /// Reads all <default> sections of a file; if there are several, they are combined.
  void read(pugi::xml_node root) {
    std::vector<std::pair<pugi::xml_node, std::string>> open;  // each with the class around it
    for (const pugi::xml_node section : root.children("default")) {
      const std::string name = section.attribute("class").value();
      if (!name.empty() && name != "main") {
        reader_.problem(section, "default.class", "the class of a top-level <default> is " + excerpt(name) + ", expected 'main' or none");
      }
      open.push_back({section, "main"});
    }
    for (std::size_t k = 0; k < open.size(); ++k) {  // in file order, so that later settings take precedence
      const auto [around, parent] = open[k];
      for (const pugi::xml_node section : around.children()) {
        if (std::string_view(section.name()) != "default") {
          classes_[parent].settings[std::string(kind_of(section.name()))].push_back(section);
          continue;
        }
        const std::string name = section.attribute("class").value();
        if (name.empty()) reader_.problem(section, "default.class", "a <default> inside another has no class");
        const auto [found, is_new] = classes_.emplace(name, Class{parent});
        if (!is_new && found->second.parent != parent) {
          reader_.problem(section, "default.class", "two classes named " + excerpt(name) + "; rename one");
          continue;  // otherwise classes could inherit in a cycle
        }
        open.push_back({section, name});
      }
    }
  }

  /// Returns an element with its defaults.
  /// @param kind of the defaults, such as "geom"; "actuator" for all actuators, which share them.  @param childclass in effect at the
  /// element.
  MjcfElement element(pugi::xml_node node, const char* kind, const std::string& childclass) {
    MjcfElement found{node, {node}};
    const std::string own = node.attribute("class").value();
    std::string name = !own.empty() ? own : childclass.empty() ? "main" : childclass;
    if (!known(node, name)) name = "main";
    for (; !name.empty(); name = classes_[name].parent) {
      const auto settings = classes_[name].settings.find(kind);
      if (settings != classes_[name].settings.end())
        found.sources.insert(found.sources.end(), settings->second.rbegin(), settings->second.rend());
    }
    return found;
  }

  /// Returns whether a class is declared, and reports a problem if it is not.
  bool known(pugi::xml_node node, const std::string& name) {
    if (classes_.contains(name)) return true;
    reader_.problem(node, "default.unknown", ElementReader::subject_of(node) + ": class " + excerpt(name) + " is not declared");
    return false;
  }

 private:
  static std::string_view kind_of(std::string_view name) {
    for (const std::string_view actuator : {"general", "motor", "position", "velocity"}) {
      if (name == actuator) return "actuator";
    }
    return name;
  }
  struct Class {
    std::string parent;
    std::map<std::string, std::vector<pugi::xml_node>, std::less<>> settings{};  ///< by kind of element, in file order
  };
  ElementReader& reader_;
  std::map<std::string, Class> classes_;
};

}  // namespace actio::detail
