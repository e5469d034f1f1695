// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Builds a model from the elements of an SDF file; include actio/io/sdf.hpp.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/sdf/joint.hpp"
#include "actio/io/sdf/scopes.hpp"
#include "actio/io/xml/model_reader.hpp"

namespace actio::detail {

template <Scalar S>
class SdfReader : public ModelReader<S> {
  using ModelReader<S>::reader_;
  using ModelReader<S>::root_;
  using ModelReader<S>::options_;
  using ModelReader<S>::builder_;
  using ModelReader<S>::refuse;

 public:
  SdfReader(const XmlDocument& document, const ReadOptions& options)
      : ModelReader<S>(document, options, name_of(document.root())), scopes_(reader_) {}

  /// Reads the model.  @throws ParseError with all errors.
  Model<S> read() {
    read_version();
    scopes_.survey(root_);
    this->time_step_ = scopes_.time_step;
    if (scopes_.gravity) builder_.gravity(cast_numbers<S>(*scopes_.gravity));
    if (!reader_.problems.empty()) refuse();  // poses need valid names
    for (const Link& link : scopes_.links) read_link(link);
    std::vector<SdfJoint> joints;
    for (const auto& [node, scope] : scopes_.joint_nodes) joints.push_back(read_joint(node, scope));
    for (const auto& [node, scope] : scopes_.frame_nodes) read_frame(node, scope);
    if (!reader_.problems.empty()) refuse();
    hang(joints);
    put_down_bases();
    for (const SdfJoint& joint : joints) add_mimic(joint);
    if (reader_.rounded_angles > 0) {
      reader_.warn(root_, "pose.angle",
                   std::to_string(reader_.rounded_angles) +
                       " angles of <pose> equal multiples of pi / 4 to all of their digits and are treated as such");
    }
    Model<S> model = this->build();
    reader_.report.dof = static_cast<int>(model.dof()) - 6 * reader_.report.floating;
    return model;
  }

 private:
  using Link = SdfScopes::Link;

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
    if (const std::string doubt = doubt_of_version(root_); !doubt.empty())
      reader_.repair(root_, "sdf.version", doubt, "treated as 1.6 or later");
  }

  void read_link(const Link& link) {
    const pugi::xml_node node = link.node;
    ++reader_.report.links;
    reader_.ignore_children(node, {"pose", "inertial", "collision", "gravity", "kinematic", "velocity_decay", "self_collide"});
    const ContactFilter filter = filter_of(link);
    doubt_link_options(reader_, node);
    const bool from_shapes = reader_.flag(node, "auto of <inertial>", node.child("inertial").attribute("auto").value(), false);
    Inertia<double> of_shapes = Inertia<double>::zero();
    for (const pugi::xml_node collision : node.children("collision")) {
      reader_.ignore_children(collision, {"pose", "geometry", "density"});
      const auto shape = read_sdf_geometry(reader_, collision);
      if (!shape) continue;
      const Pose<double> T_LS = in_link(collision, link) * Pose<double>::rotation(shape->R);
      if (from_shapes) {
        const auto solid = solid_of(shape->geometry);
        const double density =
            reader_.text_number(collision.child("density"), reader_.text_number(node.child("inertial").child("density"), 1000));
        if (solid)
          of_shapes += placed(*solid, density * solid->volume, T_LS);
        else
          reader_.problem(collision, "inertia.auto",
                          ElementReader::subject_of(node) +
                              ": <inertial auto> needs the volume of a shape, which is not known here: give the inertia in numbers");
      }
      const char* name = collision.attribute("name") ? collision.attribute("name").value() : node.attribute("name").value();
      builder_.add_shape({name, 0, cast_numbers<S>(T_LS), cast_geometry<S>(shape->geometry), filter}, link.name, reader_.origin(collision));
    }
    const Inertia<double> G = from_shapes ? of_shapes : read_sdf_inertia(reader_, node);
    builder_.add_body(link.name, cast_numbers<S>(G), reader_.origin(node));
  }

  /// Returns what the shapes of a link may touch: links of one model touch each other if <self_collide> of one of them is true. Without
  /// that element the filter excludes nothing, although SDF's default is false, because contact between bodies is enforced on request only.
  ContactFilter filter_of(const Link& link) {
    const pugi::xml_node own = link.node.child("self_collide"), of_model = scopes_.models[link.model].self_collide;
    if (!own && !of_model) return {};
    const std::uint32_t model = std::uint32_t{2} << link.model % 31;
    return {model, reader_.text_flag(own, reader_.text_flag(of_model, false)) ? ~std::uint32_t{0} : ~model};
  }

  /// Returns the pose of a collision's frame in its link.
  Pose<double> in_link(pugi::xml_node node, const Link& link) {
    const std::string base = scopes_.reference(node, scopes_.models[link.model].scope, link.name);
    if (!scopes_.frames.contains(base)) {
      reader_.problem(node, "frame.unknown", ElementReader::subject_of(node) + ": frame " + excerpt(base) + " is not declared");
      return Pose<double>::identity();
    }
    const Pose<double> T = read_sdf_pose(reader_, reader_.only(node, "pose"));
    return base == link.name ? T : scopes_.frames.pose(link.name).inverse() * scopes_.frames.pose(base) * T;
  }

  void read_frame(pugi::xml_node node, const std::string& scope) {
    const std::string name = scope + node.attribute("name").value(), link = scopes_.frames.link_of(name);
    if (link.empty()) return;
    builder_.add_frame(name, link, cast_numbers<S>(scopes_.frames.pose(link).inverse() * scopes_.frames.pose(name)), reader_.origin(node));
  }

  SdfJoint read_joint(pugi::xml_node node, const std::string& scope) {
    const std::string subject = ElementReader::subject_of(node);
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
    const Pose<double> T_WJ = scopes_.frames.pose(joint.name);
    joint.T_PJ = scopes_.frames.pose(joint.parent).inverse() * T_WJ;
    joint.T_CJ = scopes_.frames.pose(joint.child).inverse() * T_WJ;
    const std::string child = scopes_.full_name(scope, reader_.text(node.child("child")));  // may be a frame of the link
    if (scopes_.reference(node, scope, child) == joint.child) joint.T_CJ = scopes_.frames.written(joint.name);  // without rounding
    for (int k = 0; k < 2; ++k) {
      const pugi::xml_node axis = node.child(k == 0 ? "axis" : "axis2");
      if (axis && k >= joint.type->axes) reader_.ignore(axis);
    }
    for (int k = 0; k < joint.type->axes; ++k) joint.axes.push_back(read_axis(node, scope, k == 0 ? "axis" : "axis2", T_WJ.R));
    if (joint.axes.size() == 2 && joint.axes[0].direction.cross(joint.axes[1].direction).norm() < 1e-5) {
      reader_.problem(node, "joint.axis", subject + ": its two axes are parallel, expected different directions");
      joint.type = nullptr;
    }
    if (joint.type && joint.type->name == "ball") {  // a ball has no axis, but its damping is given in one
      joint.damping = reader_.text_number(node.child("axis").child("dynamics").child("damping"), 0);
    }
    if (joint.type && joint.type->name == "screw") joint.pitch = read_screw_pitch(reader_, node);
    return joint;
  }

  /// Returns the link on one side of a joint, or "world"; empty if there is none, which is reported.
  std::string read_side(pugi::xml_node joint, const std::string& scope, const char* side) {
    const std::string subject = ElementReader::subject_of(joint), code = "joint." + std::string(side);
    const pugi::xml_node node = reader_.only(joint, side);
    const std::string name = reader_.text(node);
    if (name.empty()) {
      reader_.problem(joint, code.c_str(), subject + ": it has no <" + side + "> that names a link or frame");
      return {};
    }
    const std::string full = scopes_.full_name(scope, name);
    if (!scopes_.frames.contains(full)) {
      reader_.problem(node, code.c_str(), subject + ": " + side + ' ' + excerpt(name) + " is not declared: add it or correct the name");
      return {};
    }
    const std::string link = scopes_.frames.link_of(full);
    if (link == world_name && std::string_view(side) == "child") {
      reader_.problem(node, code.c_str(), subject + ": child is the world, which can only be a parent");
      return {};
    }
    return link;
  }

  SdfAxis read_axis(pugi::xml_node joint, const std::string& scope, const char* name, const Matrix3<double>& R_WJ) {
    const std::string subject = ElementReader::subject_of(joint);
    SdfAxis axis;
    const pugi::xml_node node = reader_.only(joint, name);
    if (!node) {
      reader_.repair(joint, "joint.axis", subject + ": it has no <" + name + '>', "treated as 0 0 1");
      return axis;
    }
    reader_.ignore_children(node, {"xyz", "dynamics", "limit", "use_parent_model_frame", "mimic"});
    const pugi::xml_node xyz = reader_.only(node, "xyz"), old = reader_.only(node, "use_parent_model_frame");
    const Vector3<double> given = reader_.text_vector(xyz, Vector3<double>::UnitZ());
    const double length = given.norm();
    if (!(length > 1e-10)) {
      reader_.problem(xyz, "joint.axis", subject + ": axis " + excerpt(reader_.text(xyz)) + " has zero length, expected a direction");
    } else {
      if (std::abs(length - 1) > 1e-3) {
        reader_.warn(xyz, "joint.axis",
                     subject + ": axis " + excerpt(reader_.text(xyz)) + " has length " + to_text(length) + ", normalised");
      }
      axis.direction = given / length;
    }
    std::string in = xyz.attribute("expressed_in").value();
    if (in.empty() && reader_.text_flag(old, axes_are_in_model(root_))) in = "__model__";
    if (!in.empty()) {
      const std::string full = scopes_.full_name(scope, in);
      if (scopes_.frames.contains(full))
        axis.direction = R_WJ.transpose() * scopes_.frames.pose(full).R * axis.direction;
      else
        reader_.problem(xyz, "joint.axis", subject + ": frame " + excerpt(in) + " is not declared");
    }
    const bool ranged = std::string_view(joint.attribute("type").value()) != "continuous";
    read_sdf_axis_properties(reader_, node, ranged, axis);
    return axis;
  }

  /// Builds the tree: the first joint with a given child link carries it; later ones, and joints that would form a cycle, close loops.
  void hang(const std::vector<SdfJoint>& joints) {
    const SdfJoint* freed = options_.base == Base::floating ? only_weld(joints) : nullptr;
    for (const SdfJoint& joint : joints) {
      const std::string subject = ElementReader::subject_of(joint.node), origin = reader_.origin(joint.node);
      if (&joint == freed) {
        reader_.warn(joint.node, "base.freed",
                     subject + ": it fixes the robot to 'world'; a free joint takes its place, since a floating base was requested");
        continue;
      }
      Link& child = scopes_.links[scopes_.link_of_name[joint.child]];
      const bool parent_rests = joint.parent == world_name || scopes_.links[scopes_.link_of_name[joint.parent]].is_static;
      if (joint.parent == joint.child) {
        reader_.problem(joint.node, "joint.child", subject + ": parent and child are the same link, '" + joint.child + '\'');
      } else if (child.is_static && parent_rests) {
        reader_.warn(joint.node, "joint.static", subject + ": both of its links are static, so it is ignored");
      } else if (!child.is_static && child.carrier.empty() && base_of(joint.parent) != &child) {
        child.carrier = joint.parent;
        if (joint.parent != world_name) child.towards_base = &scopes_.links[scopes_.link_of_name[joint.parent]];
        joint.add_to(builder_, joint.name, joint.parent, joint.child, origin);
      } else {
        Loop<S> loop;
        loop.name = joint.name;
        if (const std::string why = joint.close(loop); !why.empty()) {
          reader_.problem(joint.node, "loop.type", subject + ": " + why);
          continue;
        }
        builder_.add_loop(std::move(loop), joint.parent, joint.child, origin);
        if (const std::string lost = joint.lost_in_a_loop(); !lost.empty()) {
          reader_.doubt(joint.node, "loop.properties", subject + ": it closes a loop, which does not support its " + lost + ": ignored");
        }
      }
    }
  }

  /// Returns the fixed joint that alone attaches links to the world, if no link floats; null if there is none.
  const SdfJoint* only_weld(const std::vector<SdfJoint>& joints) const {
    const SdfJoint* weld = nullptr;
    std::set<std::string_view> carried;
    for (const SdfJoint& joint : joints) {
      carried.insert(joint.child);
      if (joint.parent != world_name) continue;
      if (weld || joint.type->name != "fixed") return nullptr;
      weld = &joint;
    }
    const auto rests = [&](const Link& link) { return link.is_static || carried.contains(link.name); };
    return std::all_of(scopes_.links.begin(), scopes_.links.end(), rests) ? weld : nullptr;
  }

  /// Returns the base at the root of a link's tree; shortens the path for later calls.
  const Link* base_of(const std::string& name) {
    if (name.empty() || name == world_name) return nullptr;
    Link* at = &scopes_.links[scopes_.link_of_name[name]];
    while (at->towards_base) {
      if (at->towards_base->towards_base) at->towards_base = at->towards_base->towards_base;
      at = at->towards_base;
    }
    return at;
  }

  /// Attaches links without a joint to the world: fixed if static or requested, else floating; the file's pose is the neutral one.
  void put_down_bases() {
    std::set<std::string> names;
    for (const auto& [node, scope] : scopes_.joint_nodes) names.insert(scope + node.attribute("name").value());
    bool any_floats = false;
    for (const Link& link : scopes_.links) {
      if (!link.carrier.empty()) continue;
      const std::string origin = reader_.origin(link.node);
      const Pose<S> T_WL = cast_numbers<S>(scopes_.frames.pose(link.name));
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
      reader_.problem(root_, "base.floating",
                      "a floating base was requested, but the file attaches its links to 'world', where only a single fixed joint can be "
                      "replaced by a free one");
    }
  }
  /// Returns whether a base carries the canonical link of its outermost model.
  bool is_main_base(const Link& base) {
    return base_of(scopes_.frames.link_of(scopes_.models[scopes_.models[base.model].top].scope + "__canonical__")) == &base;
  }

  void add_mimic(const SdfJoint& joint) {
    for (const char* axis : {"axis", "axis2"}) {
      const pugi::xml_node mimic = joint.node.child(axis).child("mimic");
      if (!mimic) continue;
      const auto value = [&](const char* name, double otherwise) { return reader_.text_number(reader_.only(mimic, name), otherwise); };
      const double ratio = value("multiplier", 1), offset = value("offset", 0) - ratio * value("reference", 0);
      builder_.add_coupling(joint.name, scopes_.full_name(joint.scope, mimic.attribute("joint").value()), cast_number<S>(ratio),
                            cast_number<S>(offset), reader_.origin(mimic));
    }
  }

  SdfScopes scopes_;
};

}  // namespace actio::detail
