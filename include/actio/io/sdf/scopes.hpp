// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The declarations of an SDF file, collected before anything is read: nested models, their links and joints, and all frames.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/sdf/frames.hpp"
#include "actio/io/sdf/link.hpp"
#include "actio/model/builder.hpp"

namespace actio::detail {

/// Names inside a model are full names: "outer::inner::link". If the file has one model, its name is not part of them.
class SdfScopes {
 public:
  struct ModelEntry {
    pugi::xml_node node;
    std::string scope;  ///< prefix of the names inside: "" or "outer::"
    bool is_static;
    std::size_t top;                   ///< index into models: the outermost model around this one, or this one
    pugi::xml_node self_collide = {};  ///< empty: not given
  };
  struct Link {
    pugi::xml_node node;
    std::string name;   ///< full name
    std::size_t model;  ///< index into models
    bool is_static;
    std::string carrier = {};  ///< the link that carries it in the tree; empty: a base
    Link* towards_base = nullptr;
  };

  explicit SdfScopes(ElementReader& reader) : frames(reader), reader_(reader) {}

  /// Collects all declarations, and reports invalid names and references to frames that do not exist.
  void survey(pugi::xml_node root) {
    find_models(root);
    for (std::size_t k = 0; k < models.size(); ++k) declare(k);  // nested models are appended to `models`
    if (links.empty() && reader_.problems.empty()) reader_.problem(root, "sdf.empty", "<sdf> has no links, expected at least one <link>");
    frames.check();
  }

  /// Returns the full name of the frame in which an element's pose is given.
  std::string reference(pugi::xml_node node, const std::string& scope, const std::string& otherwise) const {
    const std::string given = pose_reference(node);
    return given.empty() ? otherwise : full_name(scope, given);
  }
  std::string full_name(const std::string& scope, const std::string& name) const {
    if (name == world_name) return name;
    if (!only_model_.empty() && scope.empty() && name == only_model_) return "__model__";
    if (!only_model_.empty() && scope.empty() && name.starts_with(only_model_ + "::")) return name.substr(only_model_.size() + 2);
    return scope + name;
  }

  SdfFrames frames;
  std::vector<ModelEntry> models;  ///< outer models before inner ones
  std::vector<Link> links;
  std::map<std::string, std::size_t> link_of_name;
  std::vector<std::pair<pugi::xml_node, std::string>> joint_nodes, frame_nodes;  ///< each with its scope
  std::optional<Vector3<double>> gravity;                                        ///< of the world
  std::optional<double> time_step;                                               ///< of the world's <physics> [s]

 private:
  static std::string placement(pugi::xml_node model, const std::string& scope) {
    const std::string frame = model.attribute("placement_frame").value();
    return frame.empty() ? frame : scope + frame;
  }
  void find_models(pugi::xml_node root) {
    const pugi::xml_node world = reader_.only(root, "world"), from = world ? world : root;
    if (world && root.child("model"))
      reader_.problem(root.child("model"), "sdf.root", "<sdf> has both a <world> and a <model>, expected one of them");
    if (!world && root.child("model").next_sibling("model")) {
      reader_.problem(root.child("model").next_sibling("model"), "sdf.root",
                      "<sdf> has a second <model>, expected one, or a <world> of several");
    }
    reader_.ignore_children(root, {"world", "model", "include"});
    if (world) read_world(world);
    refuse_includes(from);
    const bool several = from.child("model").next_sibling("model");
    if (world && !several) only_model_ = from.child("model").attribute("name").value();
    for (const pugi::xml_node node : from.children("model")) {
      const std::string name = node.attribute("name").value(), scope = several ? name + "::" : "";
      if (name.empty()) reader_.repair(node, "name.missing", "<model> has no name", "left empty");
      const bool is_static = reader_.text_flag(reader_.only(node, "static"), false);
      frames.add(scope + "__model__", {node, reference(node, "", "world"), read_sdf_pose(reader_, reader_.only(node, "pose")),
                                       scope + "__canonical__", placement(node, scope)});
      if (several) frames.add(name, {node, scope + "__model__", Pose<double>::identity(), scope + "__model__"});
      models.push_back({node, scope, is_static, models.size()});
    }
    for (const pugi::xml_node node : world.children("frame")) declare_frame(node, "", "world");
  }

  void read_world(pugi::xml_node world) {
    reader_.ignore_children(world, {"model", "frame", "gravity", "include", "joint", "physics"});
    for (const pugi::xml_node joint : world.children("joint")) {
      reader_.problem(joint, "joint.world",
                      ElementReader::subject_of(joint) + ": joints of a <world> are not supported, only those of a <model>");
    }
    const pugi::xml_node own = reader_.only(world, "gravity"), old = world.child("physics").child("gravity");
    for (const pugi::xml_node physics : world.children("physics")) {  // the default one counts, or the first
      reader_.ignore_children(physics, {"gravity", "max_step_size"});
      const pugi::xml_node node = physics.child("max_step_size");
      if (!node || (time_step && !physics.attribute("default").as_bool())) continue;
      time_step = reader_.text_number(node, 0);
      if (*time_step > 0) continue;
      reader_.repair(node, "physics.step", "<max_step_size> is " + excerpt(reader_.text(node)) + ", expected > 0", "ignored");
      time_step.reset();
    }
    gravity = reader_.text_vector(own ? own : old, {0, 0, -9.8});  // SDF's default if it is absent
  }

  /// Refuses an <include>: those of files have been replaced, see include.hpp.
  void refuse_includes(pugi::xml_node scope) {
    for (const pugi::xml_node node : scope.children("include")) {
      reader_.problem(node, "include.file",
                      "<include> of " + excerpt(reader_.text(node.child("uri"))) +
                          ": a model given as text has no folder to search, so read the model from a file");
    }
  }

  void declare_frame(pugi::xml_node node, const std::string& scope, const std::string& otherwise) {
    const std::string name = node.attribute("name").value(), to = node.attribute("attached_to").value();
    const std::string carrier = to.empty() ? otherwise : full_name(scope, to);
    reader_.ignore_children(node, {"pose"});
    frames.add(scope + name, {node, reference(node, scope, carrier), read_sdf_pose(reader_, reader_.only(node, "pose")), carrier});
    frame_nodes.push_back({node, scope});
  }

  /// Collects the frames, links, joints and nested models of a model.
  void declare(std::size_t index) {
    const ModelEntry model = models[index];
    const pugi::xml_node node = model.node;
    models[index].self_collide = node.child("self_collide");
    const std::string own = model.scope + "__model__";
    reader_.ignore_children(node, {"pose", "link", "joint", "frame", "model", "static", "self_collide", "include"});
    refuse_includes(node);
    std::string first;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view kind = child.name();
      const std::string name = child.attribute("name").value();
      if (kind == "link") {
        check_name(child, name);
        const std::string full = model.scope + name;
        if (first.empty()) first = full;
        frames.add(full, {child, reference(child, model.scope, own), read_sdf_pose(reader_, reader_.only(child, "pose")), full});
        link_of_name[full] = links.size();
        links.push_back({child, full, index, model.is_static});
      } else if (kind == "joint") {
        check_name(child, name);
        const std::string carrier = full_name(model.scope, reader_.text(reader_.only(child, "child")));
        frames.add(model.scope + name,
                   {child, reference(child, model.scope, carrier), read_sdf_pose(reader_, reader_.only(child, "pose")), carrier});
        joint_nodes.push_back({child, model.scope});
      } else if (kind == "frame") {
        check_name(child, name);
        declare_frame(child, model.scope, own);
      } else if (kind == "model") {
        check_name(child, name);
        const std::string scope = model.scope + name + "::";
        if (first.empty()) first = scope + "__model__";
        frames.add(scope + "__model__", {child, reference(child, model.scope, own), read_sdf_pose(reader_, reader_.only(child, "pose")),
                                         scope + "__canonical__", placement(child, scope)});
        frames.add(model.scope + name, {child, scope + "__model__", Pose<double>::identity(), scope + "__model__"});
        const bool is_static = model.is_static || reader_.text_flag(reader_.only(child, "static"), false);
        models.push_back({child, scope, is_static, model.top});
      }
    }
    const std::string given = node.attribute("canonical_link").value();
    const std::string canonical = given.empty() ? first : model.scope + given;
    if (canonical.empty())
      reader_.problem(node, "model.empty", ElementReader::subject_of(node) + ": it has no links, expected at least one <link>");
    else
      frames.add(model.scope + "__canonical__", {node, own, Pose<double>::identity(), canonical});
  }

  void check_name(pugi::xml_node node, const std::string& name) {
    if (name.empty())
      reader_.problem(node, "name.missing", std::string("a ") + node.name() + " has no name");
    else if (name == world_name || name.starts_with("__") || name.find("::") != std::string::npos) {
      reader_.problem(node, "name.reserved",
                      ElementReader::subject_of(node) + ": SDF reserves 'world', names with '::' and names that begin with '__'");
    }
  }

  ElementReader& reader_;
  std::string only_model_;  // of a world with a single model
};

}  // namespace actio::detail
