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

/// An element and, behind it, the defaults that it inherits from, nearest first.
struct MjcfElement {
  pugi::xml_node node;
  std::vector<pugi::xml_node> sources;  ///< the element itself is the first

  /// Where an attribute is written; the element itself where it is not.
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

  /// All <default> sections of a file; there may be several, which add up.
  void read(pugi::xml_node root) {
    std::vector<std::pair<pugi::xml_node, std::string>> open;  // with the class around it
    for (const pugi::xml_node section : root.children("default")) {
      const std::string name = section.attribute("class").value();
      if (!name.empty() && name != "main") {
        reader_.problem(section, "default.class", "the class of a <default> at the top is " + excerpt(name) + ", expected 'main' or none");
      }
      open.push_back({section, "main"});
    }
    for (std::size_t k = 0; k < open.size(); ++k) {  // in the order of the file, so that later ones come first when asked
      const auto [around, parent] = open[k];
      for (const pugi::xml_node section : around.children()) {
        if (std::string_view(section.name()) != "default") {
          classes_[parent].settings[section.name()].push_back(section);
          continue;
        }
        const std::string name = section.attribute("class").value();
        if (name.empty()) reader_.problem(section, "default.class", "a <default> inside another has no class");
        const auto [found, is_new] = classes_.emplace(name, Class{parent});
        if (!is_new && found->second.parent != parent) {
          reader_.problem(section, "default.class", "two classes named " + excerpt(name));
          continue;  // else classes could inherit in circles
        }
        open.push_back({section, name});
      }
    }
  }

  /// @param kind the element that the defaults are given for, such as "geom".  @param childclass in force where the element stands.
  MjcfElement element(pugi::xml_node node, const char* kind, const std::string& childclass) {
    MjcfElement found{node, {node}};
    const std::string own = node.attribute("class").value();
    std::string name = !own.empty() ? own : childclass.empty() ? "main" : childclass;
    if (!known(node, name)) name = "main";
    for (; !name.empty(); name = classes_[name].parent) {
      const auto settings = classes_[name].settings.find(kind);
      if (settings != classes_[name].settings.end()) found.sources.insert(found.sources.end(), settings->second.rbegin(), settings->second.rend());
    }
    return found;
  }

  /// Whether there is a class, with a remark where there is not.
  bool known(pugi::xml_node node, const std::string& name) {
    if (classes_.contains(name)) return true;
    reader_.problem(node, "default.unknown", ElementReader::who(node) + ": class " + excerpt(name) + " is not declared");
    return false;
  }

 private:
  struct Class {
    std::string parent;
    std::map<std::string, std::vector<pugi::xml_node>, std::less<>> settings{};  ///< by kind of element, as they stand
  };
  ElementReader& reader_;
  std::map<std::string, Class> classes_;
};

}  // namespace actio::detail
