// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Builds a model from the elements of a URDF file; include actio/io/urdf.hpp.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/urdf/joint.hpp"
#include "actio/io/urdf/loop.hpp"
#include "actio/io/xml/model_reader.hpp"

namespace actio::detail {

template <Scalar S>
class UrdfReader : public ModelReader<S> {
  using ModelReader<S>::reader_;
  using ModelReader<S>::root_;
  using ModelReader<S>::options_;
  using ModelReader<S>::builder_;
  using ModelReader<S>::refuse;

 public:
  UrdfReader(const XmlDocument& document, const ReadOptions& options)
      : ModelReader<S>(document, options, document.root().attribute("name").value()) {
    if (std::string_view(root_.name()) != "robot") {
      reader_.problem(root_, "urdf.root",
                      "the root element is <" + std::string(root_.name()) + ">, expected <robot>: is this SDF or MJCF?");
      refuse();
    }
  }

  /// Reads the model.  @throws ParseError with all errors.
  Model<S> read() {
    refuse_xacro();
    survey();
    for (const pugi::xml_node node : root_.children()) {
      if (node.type() != pugi::node_element) continue;
      const std::string_view kind = node.name();
      if (kind == "link") read_link(node);
      else if (kind == "joint") read_joint(node);
      else if (kind == "loop_joint") read_loop(node);
      else if (kind == "frame" && node.attribute("name") && node.attribute("link")) read_frame(node);
      else if (kind == "inertial") reader_.repair(node, "element.misplaced", "<inertial> outside of any link", "ignored");
      else reader_.ignore(node);
    }
    check_world();
    if (!tree_is_known_) refuse();
    Model<S> model = this->build();
    reader_.report.dof = agreed_dof(moving_joints_) - static_cast<int>(model.couplings().size());
    reader_.report.floating = options_.base == Base::floating;
    return model;
  }

 private:
  /// Refuses a file with macros of xacro: without them it would be read as another robot.
  void refuse_xacro() {
    for (const pugi::xml_node node : root_.children()) {
      if (!std::string_view(node.name()).starts_with("xacro:")) continue;
      reader_.problem(node, "urdf.xacro", "<" + std::string(node.name()) +
                                              "> is a macro of xacro, which is not read: run `xacro FILE > robot.urdf` and read that file");
      refuse();
    }
  }
  /// Collects what must be known before the first link and joint is read.
  void survey() {
    if (std::string_view(root_.attribute("name").value()).empty()) {
      reader_.repair(root_, "name.missing", "<robot> has no name", "left empty");
    }
    std::set<std::string_view> joint_names;
    std::vector<pugi::xml_node> on_world;
    for (const pugi::xml_node joint : root_.children("joint")) {
      joint_names.insert(joint.attribute("name").value());
      const UrdfJointType* type = find_urdf_joint_type(joint.attribute("type").value());
      if (type && type->dialect == UrdfJointType::constrained_dynamics) axis_may_be_placeholder_ = true;
      if (is_world(joint.child("parent"))) on_world.push_back(joint);
    }
    on_world_ = !on_world.empty();
    for (const pugi::xml_node link : root_.children("link")) {
      const char* name = link.attribute("name").value();
      if (joint_names.contains(name)) reader_.doubt(link, "name.shared", "link " + excerpt(name) + ": a joint has the same name");
      if (std::string_view(name) != world_name) continue;
      if (declares_world_) reader_.problem(link, "name.duplicate", "two links named 'world'; rename one");
      declares_world_ = true;
    }
    if (!root_.child("link")) {
      reader_.problem(root_, "urdf.empty",
                      "robot " + excerpt(root_.attribute("name").value()) + " has no links, expected at least one <link>");
      refuse();
    }
    if (options_.base == Base::floating) {
      std::string name = "base";
      while (joint_names.contains(name)) name = "floating_" + name;
      if (on_world_) free_base(on_world, name);
      else builder_.base(Base::floating, name);
      if (options_.fix_idle_joints) find_idle_joints();
    }
  }

  /// Replaces the weld that attaches a robot to the world by a free joint; any other attachment is an error.
  void free_base(const std::vector<pugi::xml_node>& on_world, const std::string& name) {
    const pugi::xml_node weld = on_world[0];
    const std::string first = ElementReader::subject_of(weld);
    const std::string_view type = weld.attribute("type").value();
    if (on_world.size() == 1 && type == "fixed") {
      freed_ = weld;
      base_name_ = name;
      reader_.warn(weld, "base.freed",
                   first + ": it fixes the robot to 'world'; a free joint takes its place, since a floating base was requested");
      return;
    }
    const std::string others = on_world.size() > 1 ? " and " + std::to_string(on_world.size() - 1) + " more" : " of type " + excerpt(type);
    reader_.problem(weld, "base.floating",
                    "a floating base was requested, but " + first + others + " attach" + (on_world.size() > 1 ? "" : "es") +
                        " the robot to 'world', where only a single fixed joint can be replaced by a free one");
  }

  /// Finds the joints that move nothing but what a free joint of the root moves too: the only joint on a root without inertia, shapes and
  /// loops, and on what it moves if that has none either. They become fixed, because such a root would turn and slide without inertia.
  void find_idle_joints() {
    if (root_.child("loop_joint")) return;
    std::map<std::string_view, pugi::xml_node> links;
    std::multimap<std::string_view, pugi::xml_node> carried;
    for (const pugi::xml_node link : root_.children("link")) links.emplace(link.attribute("name").value(), link);
    std::set<std::string_view> bases, leaders;
    for (const auto& [name, link] : links) bases.insert(name);
    bases.erase(world_name);
    const auto child_of = [](pugi::xml_node joint) { return std::string_view(joint.child("child").attribute("link").value()); };
    for (const pugi::xml_node joint : root_.children("joint")) {
      carried.emplace(joint.child("parent").attribute("link").value(), joint);
      if (joint != freed_) bases.erase(child_of(joint));
      leaders.insert(joint.child("mimic").attribute("joint").value());
    }
    if (bases.size() != 1) return;
    std::vector<std::string_view> open{*bases.begin()};
    pugi::xml_node moving;
    for (std::size_t visited = 0; visited < links.size(); ++visited) {
      const auto [first, last] = carried.equal_range(open.back());
      const pugi::xml_node link = links[open.back()];
      open.pop_back();
      if (!link || link.child("inertial") || link.child("collision")) return;
      for (auto at = first; at != last; ++at) {
        const bool is_fixed = std::string_view(at->second.attribute("type").value()) == "fixed";
        if (is_fixed) open.push_back(child_of(at->second));
        else if (std::exchange(moving, at->second)) return;  // a second one
      }
      if (!open.empty()) continue;
      if (!moving || moving.child("mimic") || leaders.contains(moving.attribute("name").value())) return;
      idle_.insert(moving);
      reader_.warn(moving, "base.idle",
                   ElementReader::subject_of(moving) +
                       ": it is fixed, since nothing before it has inertia and the free joint of the base moves the same");
      open.push_back(child_of(std::exchange(moving, {})));
    }
  }

  static bool is_world(pugi::xml_node reference) { return reference.attribute("link").value() == world_name; }

  void read_link(pugi::xml_node link) {
    std::string name = link.attribute("name").value();
    ++reader_.report.links;
    reader_.ignore_children(link, {"inertial", "collision"});
    const Inertia<S> inertia = cast_numbers<S>(read_inertia(reader_, link));
    if (name == world_name) {  // the link is the world, which has no inertia: a body fixed to it carries the link's
      if (link.child("inertial")) {
        builder_.add_body("world.inertial", inertia, reader_.origin(link));
        builder_.add_joint("world.inertial", std::string(world_name), "world.inertial", Pose<S>::identity(), Fixed{}, reader_.origin(link));
      }
    } else {
      builder_.add_body(name, inertia, reader_.origin(link));
    }
    for (const pugi::xml_node collision : link.children("collision")) {
      if (auto shape = read_collision<S>(reader_, collision)) builder_.add_shape(std::move(*shape), name, reader_.origin(collision));
    }
  }

  void read_joint(pugi::xml_node node) {
    const std::string subject = ElementReader::subject_of(node);
    const std::string_view type_name = node.attribute("type").value();
    ++reader_.report.joints[std::string(type_name)];
    ++moving_joints_[std::string(type_name)];
    reader_.ignore_children(node, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});

    UrdfJoint<S> joint;
    joint.name = node.attribute("name").value();
    joint.origin = reader_.origin(node);
    joint.parent = read_reference(node, "parent", "joint.parent");
    joint.child = read_reference(node, "child", "joint.child");
    joint.T = reader_.pose(reader_.only(node, "origin"));
    if (const UrdfJointType* type = find_urdf_joint_type(type_name)) {
      joint.motion = type->motion;
      joint.axis = read_axis(reader_, node, type->motion, axis_may_be_placeholder_);
      joint.properties = read_properties<S>(reader_, node, type->motion);
      if (type->dialect != UrdfJointType::urdf) {
        reader_.repair(node, "joint.type", subject + ": type '" + std::string(type_name) + "' is not a type of URDF", type->remedy);
      }
    } else if (type_name.empty()) {
      reader_.problem(node, "joint.type", subject + ": it has no type attribute, expected one of " + known_urdf_joint_types());
    } else {
      reader_.problem(node, "joint.type",
                      subject + ": unknown type " + excerpt(type_name) + ", expected one of " + known_urdf_joint_types());
    }
    if (idle_.contains(node)) {
      joint.motion = UrdfMotion::fixed;
      --moving_joints_[std::string(type_name)];
    }
    if (node == freed_) {
      builder_.add_joint(base_name_, joint.parent, joint.child, cast_numbers<S>(joint.T), Free<S>(), {}, joint.origin);
    } else if (tree_is_known_) {
      joint.add_to(builder_);
    }

    const pugi::xml_node mimic = reader_.only(node, "mimic");
    if (!mimic) return;
    reader_.ignore_attributes(mimic, {"joint", "multiplier", "offset"});
    const double ratio = reader_.number(mimic, "multiplier", 1), offset = reader_.number(mimic, "offset", 0);
    if (joint.motion == UrdfMotion::fixed) {
      reader_.repair(mimic, "joint.mimic", subject + ": a fixed joint cannot have a <mimic>", "ignored");
    } else {
      builder_.add_coupling(joint.name, mimic.attribute("joint").value(), cast_number<S>(ratio), cast_number<S>(offset),
                            reader_.origin(mimic));
    }
  }

  /// Returns the link that a <parent> or <child> names; without it the tree cannot be checked.
  std::string read_reference(pugi::xml_node joint, const char* element, const char* code) {
    const pugi::xml_node reference = joint.child(element);
    if (const pugi::xml_node second = reference.next_sibling(element)) {
      reader_.problem(second, code, ElementReader::subject_of(joint) + ": it has a second <" + element + '>');
    }
    const std::string link = reference.attribute("link").value();
    if (link.empty()) {
      reader_.problem(joint, code,
                      ElementReader::subject_of(joint) + (reference ? ": <" + std::string(element) + "> names no link"
                                                                    : ": it has no <" + std::string(element) + ">, expected <" +
                                                                          std::string(element) + " link=\"...\"/>"));
      tree_is_known_ = false;
    } else if (link == world_name && !declares_world_ && std::string_view(element) == "parent") {
      reader_.repair(reference, "joint.parent", ElementReader::subject_of(joint) + ": link 'world' is not declared",
                     "treated as the world");
    }
    return link;
  }

  void read_loop(pugi::xml_node node) {
    if (auto loop = read_loop_joint<S>(reader_, node)) {
      builder_.add_loop(std::move(loop->loop), loop->link_a, loop->link_b, reader_.origin(node));
    }
  }

  /// Reads Drake's <frame name link xyz rpy>.
  void read_frame(pugi::xml_node node) {
    reader_.ignore_attributes(node, {"name", "link", "xyz", "rpy"});
    builder_.add_frame(node.attribute("name").value(), node.attribute("link").value(), cast_numbers<S>(reader_.pose(node)),
                       reader_.origin(node));
  }

  /// Reports a link 'world' on which no joint hangs: it would be a second root.
  void check_world() {
    if (!declares_world_ || on_world_) return;
    const pugi::xml_node link = root_.find_child_by_attribute("link", "name", std::string(world_name).c_str());
    reader_.problem(link, "tree.roots", "link 'world': it is the parent of no joint");
  }

  bool axis_may_be_placeholder_ = false;  // the file comes from ConstrainedDynamics.jl, which ignores some axes
  bool on_world_ = false, declares_world_ = false;
  bool tree_is_known_ = true;
  pugi::xml_node freed_{};  // the weld to the world that a floating base replaces, if there is one
  std::string base_name_{};
  std::set<pugi::xml_node> idle_{};             // see find_idle_joints
  std::map<std::string, int> moving_joints_{};  // by type, without those
};

}  // namespace actio::detail
