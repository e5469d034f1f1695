// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <include> of MJCF: the children of another file's root element take its place.        [mujoco.readthedocs.io, "XML reference", "include"]
#include <map>
#include <string>
#include <string_view>

#include "actio/io/xml/include_files.hpp"

namespace actio::detail {

/// Inserts all included files into an MJCF document. All paths are relative to the folder of the main file, and each file is
/// included at most once.  @throws ParseError
inline void include_mjcf(IncludeFiles& files) {
  XmlDocument& document = files.document();
  std::map<std::string, std::string> included;  // file and the place that includes it
  const pugi::xml_node root = document.root();
  if (std::string_view(root.name()) != "mujoco") return;  // the reader reports it
  for (pugi::xml_node node = root; node;) {
    if (std::string_view(node.name()) != "include") {
      node = next_in_text(node, root);
      continue;
    }
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (std::string_view(attribute.name()) != "file") files.refuse(node, "attribute " + excerpt(attribute.name()) + " is not supported");
    }
    if (node.first_child()) files.refuse(node, "it has child elements, expected none");
    const IncludeFiles::Path path = files.find(node, files.main_folder(), node.attribute("file").value());
    if (files.stands_in(node, path)) files.refuse(node, excerpt(path.string()) + " includes itself");
    const auto [earlier, is_new] = included.emplace(path.string(), document.origin(node));
    if (!is_new) files.refuse(node, excerpt(path.string()) + " is already included at " + earlier->second);
    const XmlDocument& file = files.open(node, path);
    if (const std::string_view kind = file.root().name(); kind == "robot" || kind == "sdf") {
      files.refuse(node, excerpt(path.string()) + " has the root element <" + std::string(kind) + ">, expected MJCF");
    }
    pugi::xml_node first;
    for (const pugi::xml_node child : file.root().children()) {
      if (child.type() != pugi::node_element) continue;
      const pugi::xml_node copy = document.adopt(file, child, node);
      if (!first) first = copy;
    }
    if (!first) files.refuse(node, excerpt(path.string()) + " has no elements to include");
    node.parent().remove_child(node);
    node = first;
  }
  document.check_elements();
}

}  // namespace actio::detail
