// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <include> of SDF: inserts the model of another file, renamed or moved, or merges it into the enclosing one. [sdformat.org, "Composition"]
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/sdf/joint.hpp"
#include "actio/io/xml/include_files.hpp"

namespace actio::detail {

/// Inserts all included models into an SDF document. A <uri> is either a path, relative to the file that contains it, to a file or a folder
/// with a model.sdf, or "model://" and a name in one of the model folders.
class SdfIncludes {
 public:
  explicit SdfIncludes(IncludeFiles& files) : files_(files), document_(files.document()) {}

  /// Inserts all models.  @throws ParseError
  void expand() {
    const pugi::xml_node root = document_.root();
    if (std::string_view(root.name()) != "sdf") return;  // the reader reports it
    std::vector<pugi::xml_node> merged;
    for (pugi::xml_node node = root; node; node = next_in_text(node, root)) {
      const std::string_view around = node.parent().name();
      if (std::string_view(node.name()) != "include" || (around != "sdf" && around != "world" && around != "model")) continue;
      const bool is_merged = merges(node);
      const pugi::xml_node include = node;
      node = put_in(include);  // continues into the model, which may include others
      if (is_merged) {
        if (around != "model") files_.refuse(node, "a model can be merged only into another <model>");
        merged.push_back(node);
      }
    }
    for (auto model = merged.rbegin(); model != merged.rend(); ++model) merge_into_parent(*model);  // inner ones first
    document_.check_elements();
  }

 private:
  static std::string text(pugi::xml_node node) {
    const std::string_view all = node.child_value();
    const std::size_t first = std::min(all.find_first_not_of(xml_space), all.size());
    return std::string(all.substr(first, all.find_last_not_of(xml_space) + 1 - first));
  }
  static bool is_true(std::string_view text) { return text == "true" || text == "1"; }
  static void remove_all(pugi::xml_node from, const char* name) {
    while (from.remove_child(name)) {
    }
  }
  static void set(pugi::xml_node node, const char* attribute, const std::string& value) {
    if (!node.attribute(attribute)) node.append_attribute(attribute);
    node.attribute(attribute).set_value(value.c_str());
  }

  void repair(pugi::xml_node node, const char* code, const std::string& broken, const char* remedy) {
    document_.add_repair({{code, document_.origin(node), "<include>: " + broken}, remedy});
  }

  bool merges(pugi::xml_node include) {
    const std::string merge = include.attribute("merge").value();
    if (!merge.empty() && !is_true(merge) && merge != "false" && merge != "0") {
      repair(include, "include.merge", "merge is " + excerpt(merge) + ", expected true or false", "treated as false");
    }
    return is_true(merge);
  }

  /// Replaces an <include> by its model.  @returns the model.
  pugi::xml_node put_in(pugi::xml_node include) {
    const IncludeFiles::Path path = find(include);
    if (files_.stands_in(include, path)) files_.refuse(include, excerpt(path.string()) + " includes itself");
    const XmlDocument& file = files_.open(include, path);
    pugi::xml_node original = file.root().child("model");
    for (const char* seen : {"light", "actor"}) {  // the reader reports that they are ignored
      if (!original) original = file.root().child(seen);
    }
    if (std::string_view(file.root().name()) != "sdf" || !original || original.next_sibling("model")) {
      files_.refuse(include, excerpt(path.string()) + " is not an <sdf> with exactly one <model>");
    }
    if (const std::string doubt = doubt_of_version(file.root()); !doubt.empty()) {
      document_.add_repair({{"sdf.version", file.origin(file.root()), doubt}, "treated as 1.6 or later"});
    }
    pugi::xml_node model = document_.adopt(file, original, include);
    if (axes_are_in_model(file.root()) != axes_are_in_model(document_.root())) say_frame_of_axes(model, axes_are_in_model(file.root()));
    if (include.child("placement_frame") && !include.child("pose")) files_.refuse(include, "a <placement_frame> needs a <pose>");
    for (pugi::xml_node child = include.first_child(); child;) {
      const pugi::xml_node next = child.next_sibling();
      const std::string_view kind = child.name();
      if (kind == "name" || kind == "placement_frame") set(model, child.name(), text(child));
      else if (kind != "uri" && child.type() == pugi::node_element) {
        if (kind == "pose" || kind == "static") remove_all(model, child.name());
        model.append_move(child);
      }
      child = next;
    }
    include.parent().remove_child(include);
    return model;
  }

  IncludeFiles::Path find(pugi::xml_node include) {
    if (const auto other = include.child("uri").next_sibling("uri")) repair(other, "element.duplicate", "it has a second <uri>", "ignored");
    const std::string uri = text(include.child("uri"));
    constexpr std::string_view scheme = "model://";
    const IncludeFiles::Path path = uri.starts_with(scheme) ? files_.find_model(include, uri.substr(scheme.size()))
                                                             : files_.find(include, files_.folder_of(include), uri);
    std::error_code none;
    return std::filesystem::is_directory(path, none) ? (path / "model.sdf").lexically_normal() : path;
  }

  /// Marks the frame of joint axes in an included model whose default differs from the main file's: before SDF 1.5 it is the model's frame.
  void say_frame_of_axes(pugi::xml_node model, bool in_model) {
    for (pugi::xml_node node = model; node; node = next_in_text(node, model)) {
      const std::string_view kind = node.name();
      if ((kind != "axis" && kind != "axis2") || node.child("use_parent_model_frame")) continue;
      pugi::xml_node flag = node.append_child("use_parent_model_frame");
      flag.text().set(in_model);
      document_.place(flag, node);
    }
  }

  /// Merges a model into the enclosing one; a frame replaces it as the target of references.
  void merge_into_parent(pugi::xml_node model) {
    pugi::xml_node parent = model.parent();
    if (model.attribute("placement_frame"))
      document_.fail(model, "<include>: a model with a placement_frame cannot be merged", "include.merge");
    if (is_true(text(model.child("static")))) {
      repair(model.child("static"), "include.merge", "a static model is merged, but only the enclosing model decides whether it is static",
             "<static> is ignored");
    }
    std::string carrier = model.attribute("canonical_link").value();
    for (const pugi::xml_node child : model.children()) {
      const std::string_view kind = child.name();
      if (carrier.empty() && (kind == "link" || kind == "model")) carrier = child.attribute("name").value();
    }
    if (carrier.empty()) document_.fail(model, "<include>: a model without links cannot be merged", "include.merge");

    const std::string stand_in = "_merged__" + std::string(model.attribute("name").value()) + "__model__";
    pugi::xml_node frame = parent.insert_child_before("frame", model);
    document_.place(frame, model);
    set(frame, "name", stand_in);
    set(frame, "attached_to", carrier);
    if (const pugi::xml_node pose = model.child("pose")) frame.append_move(pose);
    refer(frame, "__model__");
    for (pugi::xml_node child = model.first_child(); child;) {
      const pugi::xml_node next = child.next_sibling();
      const std::string_view kind = child.name();
      if (kind != "static" && kind != "pose") {
        refer_to(stand_in, child);
        parent.insert_move_before(child, model);
      }
      child = next;
    }
    parent.remove_child(model);
  }

  /// Redirects all references in an element of a merged model to a frame: explicit ones to "__model__" and default ones.
  void refer_to(const std::string& frame, pugi::xml_node element) {
    const std::string_view kind = element.name();
    const auto replace = [&](pugi::xml_node node, const char* attribute) {
      if (std::string_view(node.attribute(attribute).value()) == "__model__") set(node, attribute, frame);
    };
    if (kind == "frame" && !element.attribute("attached_to")) set(element, "attached_to", frame);
    replace(element, "attached_to");
    if (kind == "link" || kind == "model") refer(element, frame);
    replace(element.child("pose"), "relative_to");
    if (kind == "link") {
      for (const pugi::xml_node collision : element.children("collision")) replace(collision.child("pose"), "relative_to");
    }
    if (kind != "joint") return;
    for (const char* side : {"parent", "child"}) {
      if (const pugi::xml_node name = element.child(side); text(name) == "__model__") name.text().set(frame.c_str());
    }
    for (const char* name : {"axis", "axis2"}) {
      pugi::xml_node axis = element.child(name), xyz = axis.child("xyz");
      if (is_true(text(axis.child("use_parent_model_frame"))) && xyz) set(xyz, "expressed_in", frame);
      axis.remove_child("use_parent_model_frame");
      replace(xyz, "expressed_in");
    }
  }
  /// Makes a pose relative to a frame if it names no other.
  void refer(pugi::xml_node element, const std::string& frame) {
    pugi::xml_node pose = element.child("pose");
    if (!pose) {
      pose = element.prepend_child("pose");
      pose.text().set("0 0 0 0 0 0");
      document_.place(pose, element);
    }
    if (pose_reference(element).empty()) set(pose, "relative_to", frame);
  }

  IncludeFiles& files_;
  XmlDocument& document_;
};

inline void include_sdf(IncludeFiles& files) { SdfIncludes(files).expand(); }

}  // namespace actio::detail
