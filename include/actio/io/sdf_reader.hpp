// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// From the elements of an SDF file to a ModelBuilder; include actio/io/sdf.hpp.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/model_reader.hpp"
#include "actio/io/sdf_joint.hpp"

namespace actio::detail {

/// Names inside a model are full names: "outer::inner::link". The file's one model needs no name before that of its links.
template <Scalar S>
class SdfReader : public ModelReader<S> {
  using ModelReader<S>::reader_;
  using ModelReader<S>::root_;
  using ModelReader<S>::options_;
  using ModelReader<S>::builder_;
  using ModelReader<S>::refuse;

 public:
  SdfReader(const XmlDocument& document, const ReadOptions& options)
      : ModelReader<S>(document, options, name_of(document.root())), frames_(reader_) {}

  /// @throws ParseError with all that is wrong.
  Model<S> read() {
    read_version();
    find_models();
    for (std::size_t k = 0; k < models_.size(); ++k) declare(k);  // models_ grows by those inside
    if (links_.empty() && reader_.problems.empty()) reader_.problem(root_, "sdf.empty", "<sdf> has no links, expected at least one <link>");
    frames_.check();
    if (!reader_.problems.empty()) refuse();  // poses need sound names
    for (const Link& link : links_) read_link(link);
    std::vector<SdfJoint> joints;
    for (const auto& [node, scope] : joint_nodes_) joints.push_back(read_joint(node, scope));
    for (const auto& [node, scope] : frame_nodes_) read_frame(node, scope);
    if (!reader_.problems.empty()) refuse();
    hang(joints);
    put_down_bases();
    for (const SdfJoint& joint : joints) add_mimic(joint);
    if (reader_.rounded_angles > 0) {
      reader_.warn(root_, "pose.angle", std::to_string(reader_.rounded_angles) + " angles of <pose> are multiples of pi / 4 to all of their digits, taken as that");
    }
    Model<S> model = this->build();
    reader_.report.dof = static_cast<int>(model.dof()) - 6 * reader_.report.floating;
    return model;
  }

 private:
  struct ModelEntry {
    pugi::xml_node node;
    std::string scope, base;  ///< what stands before the names inside: "" or "outer::"; the frame its pose is in by default
    bool is_static;
    std::size_t top;          ///< of models_: the one it is inside of, or itself
  };
  struct Link {
    pugi::xml_node node;
    std::string name;     ///< full
    std::size_t model;    ///< of models_
    bool is_static;
    std::string carrier = {};  ///< the link that carries it in the tree; none: a base
  };

  static std::string name_of(pugi::xml_node root) {
    const pugi::xml_node world = root.child("world"), model = world ? world : root;
    const bool one = model.child("model") && !model.child("model").next_sibling("model");
    return (one || !world ? model.child("model") : world).attribute("name").value();
  }

  void read_version() {
    if (std::string_view(root_.name()) != "sdf") {
      reader_.problem(root_, "sdf.root", "the root element is <" + std::string(root_.name()) + ">, expected <sdf>: is this URDF or MJCF?");
      refuse();
    }
    const std::string_view version = root_.attribute("version").value();
    if (version.empty()) reader_.repair(root_, "sdf.version", "<sdf> has no version", "taken as 1.6 or later");
    axes_are_in_model_ = version == "1.4" || version == "1.3" || version == "1.2" || version == "1.0";
  }

  void find_models() {
    const pugi::xml_node world = reader_.only(root_, "world"), from = world ? world : root_;
    if (world && root_.child("model")) reader_.problem(root_.child("model"), "sdf.root", "<model> beside <world>: which of them is meant?");
    if (!world && root_.child("model").next_sibling("model")) {
      reader_.problem(root_.child("model").next_sibling("model"), "sdf.root", "a second <model> under <sdf>, expected one, or a <world> of them");
    }
    reader_.ignore_children(root_, {"world", "model", "include"});
    if (world) read_world(world);
    refuse_includes(from);
    const bool several = from.child("model").next_sibling("model");
    if (world && !several) only_model_ = from.child("model").attribute("name").value();
    for (const pugi::xml_node node : from.children("model")) {
      const std::string name = node.attribute("name").value(), scope = several ? name + "::" : "";
      if (name.empty()) reader_.repair(node, "name.missing", "<model> has no name", "left without");
      const bool is_static = reader_.text_flag(reader_.only(node, "static"), false);
      frames_.add(scope + "__model__", {node, reference(node, "", "world"), read_sdf_pose(reader_, reader_.only(node, "pose")),
                                        scope + "__canonical__", placement(node, scope)});
      if (several) frames_.add(name, {node, scope + "__model__", Pose<double>::identity(), scope + "__model__"});
      models_.push_back({node, scope, "world", is_static, models_.size()});
    }
    for (const pugi::xml_node node : world.children("frame")) declare_frame(node, "", "world");
  }

  void read_world(pugi::xml_node world) {
    reader_.ignore_children(world, {"model", "frame", "gravity", "include", "joint"});
    for (const pugi::xml_node joint : world.children("joint")) {
      reader_.problem(joint, "joint.world", ElementReader::who(joint) + ": joints of a <world> are not read, only those of a <model>");
    }
    const pugi::xml_node own = reader_.only(world, "gravity"), old = world.child("physics").child("gravity");
    builder_.gravity(cast_numbers<S>(reader_.text_vector(own ? own : old, {0, 0, -9.8})));  // SDF's own where it is absent
  }

  void refuse_includes(pugi::xml_node scope) {
    for (const pugi::xml_node node : scope.children("include")) {
      reader_.problem(node, "include.file", "<include> of " + excerpt(reader_.text(node.child("uri"))) + ": other files are not read, put the model here");
    }
  }

  static std::string placement(pugi::xml_node model, const std::string& scope) {
    const std::string frame = model.attribute("placement_frame").value();
    return frame.empty() ? frame : scope + frame;
  }
  /// The full name of the frame that an element's pose is in.
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

  void declare_frame(pugi::xml_node node, const std::string& scope, const std::string& otherwise) {
    const std::string name = node.attribute("name").value(), to = node.attribute("attached_to").value();
    const std::string carrier = to.empty() ? otherwise : full_name(scope, to);
    reader_.ignore_children(node, {"pose"});
    frames_.add(scope + name, {node, reference(node, scope, carrier), read_sdf_pose(reader_, reader_.only(node, "pose")), carrier});
    frame_nodes_.push_back({node, scope});
  }

  /// The frames, links, joints and inner models of a model.
  void declare(std::size_t index) {
    const ModelEntry model = models_[index];
    const pugi::xml_node node = model.node;
    const std::string own = model.scope + "__model__";
    reader_.ignore_children(node, {"pose", "link", "joint", "frame", "model", "static", "include"});
    refuse_includes(node);
    std::string first;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view kind = child.name();
      const std::string name = child.attribute("name").value();
      if (kind == "link") {
        check_name(child, name);
        const std::string full = model.scope + name;
        if (first.empty()) first = full;
        frames_.add(full, {child, reference(child, model.scope, own), read_sdf_pose(reader_, reader_.only(child, "pose")), full});
        link_of_name_[full] = links_.size();
        links_.push_back({child, full, index, model.is_static});
      } else if (kind == "joint") {
        check_name(child, name);
        const std::string carrier = full_name(model.scope, reader_.text(reader_.only(child, "child")));
        frames_.add(model.scope + name, {child, reference(child, model.scope, carrier), read_sdf_pose(reader_, reader_.only(child, "pose")), carrier});
        joint_nodes_.push_back({child, model.scope});
      } else if (kind == "frame") {
        check_name(child, name);
        declare_frame(child, model.scope, own);
      } else if (kind == "model") {
        check_name(child, name);
        const std::string scope = model.scope + name + "::";
        if (first.empty()) first = scope + "__model__";
        frames_.add(scope + "__model__", {child, reference(child, model.scope, own), read_sdf_pose(reader_, reader_.only(child, "pose")),
                                          scope + "__canonical__", placement(child, scope)});
        frames_.add(model.scope + name, {child, scope + "__model__", Pose<double>::identity(), scope + "__model__"});
        const bool is_static = model.is_static || reader_.text_flag(reader_.only(child, "static"), false);
        models_.push_back({child, scope, own, is_static, model.top});
      }
    }
    const std::string given = node.attribute("canonical_link").value();
    const std::string canonical = given.empty() ? first : model.scope + given;
    if (canonical.empty()) reader_.problem(node, "model.empty", ElementReader::who(node) + ": no links, expected at least one <link>");
    else frames_.add(model.scope + "__canonical__", {node, own, Pose<double>::identity(), canonical});
  }

  void check_name(pugi::xml_node node, const std::string& name) {
    if (name.empty()) reader_.problem(node, "name.missing", std::string("a ") + node.name() + " has no name");
    else if (name == world_name || name.starts_with("__") || name.find("::") != std::string::npos) {
      reader_.problem(node, "name.reserved", ElementReader::who(node) + ": SDF keeps 'world', '::' and what begins with '__' for itself");
    }
  }

  void read_link(const Link& link) {
    const pugi::xml_node node = link.node;
    ++reader_.report.links;
    reader_.ignore_children(node, {"pose", "inertial", "collision", "gravity", "kinematic", "velocity_decay"});
    doubt_link_options(reader_, node);
    const bool from_shapes = reader_.flag(node, "auto of <inertial>", node.child("inertial").attribute("auto").value(), false);
    Inertia<double> of_shapes = Inertia<double>::zero();
    for (const pugi::xml_node collision : node.children("collision")) {
      reader_.ignore_children(collision, {"pose", "geometry", "density"});
      const auto shape = read_sdf_geometry(reader_, collision);
      if (!shape) continue;
      const Pose<double> T_LS = in_link(collision, link) * Pose<double>{shape->R, Vector3<double>::Zero()};
      if (from_shapes) {
        const auto solid = solid_of(shape->geometry);
        const double density = reader_.text_number(collision.child("density"), reader_.text_number(node.child("inertial").child("density"), 1000));
        if (solid) of_shapes += placed(*solid, density * solid->volume, T_LS);
        else reader_.problem(collision, "inertia.auto", ElementReader::who(node) + ": <inertial auto> of a shape that has no volume here, write its inertia down");
      }
      const char* name = collision.attribute("name") ? collision.attribute("name").value() : node.attribute("name").value();
      builder_.add_shape({name, 0, cast_numbers<S>(T_LS), cast_geometry<S>(shape->geometry)}, link.name, reader_.origin(collision));
    }
    const Inertia<double> G = from_shapes ? of_shapes : read_sdf_inertia(reader_, node);
    builder_.add_body(link.name, cast_numbers<S>(G), reader_.origin(node));
  }

  /// Pose of a collision's frame in its link.
  Pose<double> in_link(pugi::xml_node node, const Link& link) {
    const std::string base = reference(node, models_[link.model].scope, link.name);
    if (!frames_.contains(base)) {
      reader_.problem(node, "frame.unknown", ElementReader::who(node) + ": frame " + excerpt(base) + " is not declared");
      return Pose<double>::identity();
    }
    const Pose<double> T = read_sdf_pose(reader_, reader_.only(node, "pose"));
    return base == link.name ? T : frames_.pose(link.name).inverse() * frames_.pose(base) * T;
  }

  void read_frame(pugi::xml_node node, const std::string& scope) {
    const std::string name = scope + node.attribute("name").value(), link = frames_.link_of(name);
    if (link.empty()) return;
    builder_.add_frame(name, link, cast_numbers<S>(frames_.pose(link).inverse() * frames_.pose(name)), reader_.origin(node));
  }

  SdfJoint read_joint(pugi::xml_node node, const std::string& scope) {
    const std::string who = ElementReader::who(node);
    ++reader_.report.joints[node.attribute("type").value()];
    reader_.ignore_children(node, {"pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch"});
    SdfJoint joint;
    joint.node = node;
    joint.scope = scope;
    joint.name = scope + node.attribute("name").value();
    joint.parent = read_side(node, scope, "parent");
    joint.child = read_side(node, scope, "child");
    joint.type = find_sdf_joint_type(reader_, node);
    if (!joint.type || joint.parent.empty() || joint.child.empty()) return joint;
    const Pose<double> T_WJ = frames_.pose(joint.name);
    joint.T_PJ = frames_.pose(joint.parent).inverse() * T_WJ;
    joint.T_CJ = frames_.pose(joint.child).inverse() * T_WJ;
    const bool same = reference(node, scope, joint.child) == joint.child;
    if (same) joint.T_CJ = read_sdf_pose(reader_, node.child("pose"));  // as written, without the detour through the world
    for (int k = 0; k < joint.type->axes; ++k) joint.axes.push_back(read_axis(node, scope, k == 0 ? "axis" : "axis2", T_WJ.R));
    if (joint.axes.size() == 2 && joint.axes[0].direction.cross(joint.axes[1].direction).norm() < 1e-5) {
      reader_.problem(node, "joint.axis", who + ": its two axes are parallel, expected different directions");
      joint.type = nullptr;
    }
    if (joint.type && joint.type->name == "ball") {  // no axis, but what brakes it stands in one
      joint.damping = reader_.text_number(node.child("axis").child("dynamics").child("damping"), 0);
    }
    if (joint.type && joint.type->name == "screw") joint.pitch = read_screw_pitch(reader_, node);
    return joint;
  }

  /// The link on one side of a joint, or "world"; none, after a remark, where there is none.
  std::string read_side(pugi::xml_node joint, const std::string& scope, const char* side) {
    const std::string who = ElementReader::who(joint), code = "joint." + std::string(side);
    const pugi::xml_node node = reader_.only(joint, side);
    const std::string name = reader_.text(node);
    if (name.empty()) {
      reader_.problem(joint, code.c_str(), who + ": no <" + side + "> that names a link or frame");
      return {};
    }
    const std::string full = full_name(scope, name);
    if (!frames_.contains(full)) {
      reader_.problem(node, code.c_str(), who + ": " + side + ' ' + excerpt(name) + " is not declared: add it or correct the name");
      return {};
    }
    const std::string link = frames_.link_of(full);
    if (link == world_name && std::string_view(side) == "child") {
      reader_.problem(node, code.c_str(), who + ": child is the world, which can only be a parent");
      return {};
    }
    return link;
  }

  SdfAxis read_axis(pugi::xml_node joint, const std::string& scope, const char* name, const Matrix3<double>& R_WJ) {
    const std::string who = ElementReader::who(joint);
    SdfAxis axis;
    const pugi::xml_node node = reader_.only(joint, name);
    if (!node) {
      reader_.repair(joint, "joint.axis", who + ": no <" + name + '>', "taken as 0 0 1");
      return axis;
    }
    reader_.ignore_children(node, {"xyz", "dynamics", "limit", "use_parent_model_frame", "mimic"});
    const pugi::xml_node xyz = reader_.only(node, "xyz"), old = reader_.only(node, "use_parent_model_frame");
    const Vector3<double> given = reader_.text_vector(xyz, Vector3<double>::UnitZ());
    const double length = given.norm();
    if (!(length > 1e-10)) {
      reader_.problem(xyz, "joint.axis", who + ": axis " + excerpt(reader_.text(xyz)) + " has zero length, expected a direction");
    } else {
      if (std::abs(length - 1) > 1e-3) {
        reader_.warn(xyz, "joint.axis", who + ": axis " + excerpt(reader_.text(xyz)) + " has length " + to_text(length) + ", normalised");
      }
      axis.direction = given / length;
    }
    std::string in = xyz.attribute("expressed_in").value();
    if (in.empty() && (axes_are_in_model_ || reader_.text_flag(old, false))) in = "__model__";
    if (!in.empty()) {
      const std::string full = full_name(scope, in);
      if (frames_.contains(full)) axis.direction = R_WJ.transpose() * frames_.pose(full).R * axis.direction;
      else reader_.problem(xyz, "joint.axis", who + ": frame " + excerpt(in) + " is not declared");
    }
    const bool ranged = std::string_view(joint.attribute("type").value()) != "continuous";
    read_sdf_axis_properties(reader_, node, ranged, axis);
    return axis;
  }

  /// The first joint that names a link as its child carries it; others close loops, as do those that lead back to where they come from.
  void hang(const std::vector<SdfJoint>& joints) {
    for (const SdfJoint& joint : joints) {
      const std::string who = ElementReader::who(joint.node), origin = reader_.origin(joint.node);
      Link& child = links_[link_of_name_[joint.child]];
      const bool parent_rests = joint.parent == world_name || links_[link_of_name_[joint.parent]].is_static;
      if (joint.parent == joint.child) {
        reader_.problem(joint.node, "joint.child", who + ": parent and child are one link, '" + joint.child + '\'');
      } else if (child.is_static && parent_rests) {
        reader_.warn(joint.node, "joint.static", who + ": joins what is static, passed over");
      } else if (!child.is_static && child.carrier.empty() && !is_carried_by(joint.parent, joint.child)) {
        child.carrier = joint.parent;
        joint.add_to(builder_, joint.name, joint.parent, joint.child, origin);
      } else {
        Loop<S> loop;
        loop.name = joint.name;
        if (const std::string why = joint.close(loop); !why.empty()) {
          reader_.problem(joint.node, "loop.type", who + ": " + why);
          continue;
        }
        builder_.add_loop(std::move(loop), joint.parent, joint.child, origin);
        if (const std::string lost = joint.lost_in_a_loop(); !lost.empty()) {
          reader_.doubt(joint.node, "loop.properties", who + ": closes a loop, and its " + lost + " cannot act there");
        }
      }
    }
  }
  bool is_carried_by(std::string link, const std::string& whom) {
    while (!link.empty() && link != world_name) {
      if (link == whom) return true;
      link = links_[link_of_name_[link]].carrier;
    }
    return false;
  }

  /// Links that no joint carries rest in the world where they are static or so asked for, else float, with the file's pose for zero.
  void put_down_bases() {
    std::set<std::string> names;
    for (const auto& [node, scope] : joint_nodes_) names.insert(scope + node.attribute("name").value());
    bool any_floats = false;
    for (const Link& link : links_) {
      if (!link.carrier.empty()) continue;
      const std::string origin = reader_.origin(link.node);
      const Pose<S> T_WL = cast_numbers<S>(frames_.pose(link.name));
      const bool fixed = link.is_static || (options_.base == Base::fixed && is_main_base(link));
      std::string joint = any_floats || fixed ? "base_" + link.name : "base";
      while (!names.insert(joint).second) joint = (fixed ? "fixed_" : "floating_") + joint;
      if (fixed) {
        builder_.add_joint(joint, std::string(world_name), link.name, T_WL, Fixed{}, origin);
      } else {
        builder_.add_joint(joint, std::string(world_name), link.name, T_WL, Free<S>(), {}, origin);
        ++reader_.report.floating;
        any_floats = true;
      }
    }
    if (options_.base == Base::floating && !any_floats) {
      reader_.problem(root_, "base.floating", "a floating base was asked for, but the file fixes its links to 'world'");
    }
  }
  /// Whether a base carries the canonical link of its outermost model.
  bool is_main_base(const Link& base) {
    std::string link = frames_.link_of(models_[models_[base.model].top].scope + "__canonical__");
    while (!link.empty() && link != base.name && link != world_name) link = links_[link_of_name_[link]].carrier;
    return link == base.name;
  }

  void add_mimic(const SdfJoint& joint) {
    for (const char* axis : {"axis", "axis2"}) {
      const pugi::xml_node mimic = joint.node.child(axis).child("mimic");
      if (!mimic) continue;
      const auto value = [&](const char* name, double otherwise) { return reader_.text_number(reader_.only(mimic, name), otherwise); };
      const double ratio = value("multiplier", 1), offset = value("offset", 0) - ratio * value("reference", 0);
      builder_.add_coupling(joint.name, full_name(joint.scope, mimic.attribute("joint").value()), cast_number<S>(ratio), cast_number<S>(offset),
                            reader_.origin(mimic));
    }
  }

  SdfFrames frames_;
  std::vector<ModelEntry> models_;  // outer ones before those inside
  std::string only_model_;          // of a world, where it has but one
  std::vector<Link> links_;
  std::map<std::string, std::size_t> link_of_name_;
  std::vector<std::pair<pugi::xml_node, std::string>> joint_nodes_, frame_nodes_;  // each with its scope
  bool axes_are_in_model_ = false;  // before 1.5
};

}  // namespace actio::detail
