// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Builds a model from the elements of an MJCF file; include actio/io/mjcf.hpp.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actio/io/mesh/folders.hpp"
#include "actio/io/mesh/solid.hpp"
#include "actio/io/mjcf/actuator.hpp"
#include "actio/io/mjcf/equality.hpp"
#include "actio/io/mjcf/geom.hpp"
#include "actio/io/mjcf/joint.hpp"
#include "actio/io/mjcf/keyframe.hpp"
#include "actio/io/mjcf/settings.hpp"
#include "actio/io/mjcf/tendon.hpp"
#include "actio/io/xml/model_reader.hpp"

namespace actio::detail {

template <Scalar S>
class MjcfReader : public ModelReader<S> {
  using ModelReader<S>::reader_;
  using ModelReader<S>::root_;
  using ModelReader<S>::options_;
  using ModelReader<S>::builder_;
  using ModelReader<S>::actuators_;
  using ModelReader<S>::keyframes_;
  using ModelReader<S>::refuse;

 public:
  /// @param meshes where meshes may be opened, for the inertia of bodies without <inertial>; null: none is opened.
  MjcfReader(const XmlDocument& document, const ReadOptions& options, MeshFolders* meshes = nullptr)
      : ModelReader<S>(document, options, document.root().attribute("model") ? document.root().attribute("model").value() : "MuJoCo Model"),
        settings_(reader_),
        meshes_(meshes) {}

  /// Reads the model.  @throws ParseError with all errors.
  Model<S> read() {
    if (std::string_view(root_.name()) != "mujoco") {
      reader_.problem(root_, "mjcf.root",
                      "the root element is <" + std::string(root_.name()) + ">, expected <mujoco>: is this URDF or SDF?");
      refuse();
    }
    settings_.read(root_);
    builder_.gravity(cast_numbers<S>(settings_.gravity()));
    bodies_.push_back({.name = std::string(world_name)});
    std::vector<Open> open;
    for (const pugi::xml_node world : root_.children("worldbody"))
      read_contents(world, 0, Pose<double>::identity(), settings_.childclass_of(world, ""), open);
    read_bodies(open);
    if (bodies_.size() == 1 && reader_.problems.empty())
      reader_.problem(root_, "mjcf.empty", "<mujoco> has no bodies, expected at least one <body> in <worldbody>");
    if (!reader_.problems.empty()) refuse();
    settle_bases();
    scale_masses();
    add_bodies();
    for (const pugi::xml_node equality : root_.children("equality")) {
      for (const pugi::xml_node node : equality.children()) {
        if (node.type() == pugi::node_element) read_equality(node);
      }
    }
    for (const pugi::xml_node tendons : root_.children("tendon")) {
      if (!tendons.first_child()) reader_.ignore(tendons);
      for (const pugi::xml_node node : tendons.children()) {
        if (node.type() == pugi::node_element) read_tendon(node);
      }
    }
    for (const pugi::xml_node contact : root_.children("contact")) {
      reader_.ignore_children(contact, {"exclude"});
      for (const pugi::xml_node node : contact.children("exclude")) read_exclude(node);
    }
    this->time_step_ = settings_.time_step;
    std::vector<mjcf::JointsOfBody> joints;
    for (const Body& body : bodies_) joints.push_back({&body.joints, body.is_floated, body.rests});
    mjcf::ActuatorReader actuators(reader_, joints);
    actuators.read(root_, settings_);
    Model<S> model = this->build();
    const mjcf::JointPlaces<S> places(model, std::move(joints));
    actuators_ = actuators.placed(model, places);
    std::optional<mjcf::KeyframeReader<S>> keys;  // if the file has any
    for (const pugi::xml_node keyframe : root_.children("keyframe")) {
      for (const pugi::xml_node node : keyframe.children("key")) {
        if (!keys) keys.emplace(reader_, model, places, actuators.kept());
        keyframes_.push_back(keys->read(node));
      }
    }
    if (!reader_.problems.empty()) refuse();
    reader_.report.dof = static_cast<int>(model.dof()) - 6 * reader_.report.floating;
    return model;
  }

 private:
  struct Body {
    pugi::xml_node node{};
    std::string name{}, origin{};
    std::size_t parent = 0;                                                         ///< index into bodies_
    Pose<double> T_PB = Pose<double>::identity(), T_WB = Pose<double>::identity();  ///< initially
    Inertia<double> inertia = Inertia<double>::zero();
    std::vector<MjcfJoint> joints{};
    std::vector<MjcfGeom> geoms{};
    bool rests = false;       ///< a base that is fixed to the world
    bool is_floated = false;  ///< a base that got a free joint, which the file does not have
  };
  /// A <body> that has not been read yet.
  struct Open {
    pugi::xml_node node;
    std::size_t parent;
    Pose<double> T_PF;  ///< of the <frame>s around it
    std::string childclass;
  };

  void read_bodies(std::vector<Open>& open) {
    std::reverse(open.begin(), open.end());
    while (!open.empty()) {
      const Open next = open.back();
      open.pop_back();
      std::vector<Open> inside;
      read_body(next, inside);
      open.insert(open.end(), inside.rbegin(), inside.rend());
    }
  }

  void read_body(const Open& entry, std::vector<Open>& inside) {
    const pugi::xml_node node = entry.node;
    Body body;
    body.node = node;
    body.name = node.attribute("name").value();
    if (body.name.empty()) body.name = settings_.unique("body", settings_.link_names);
    body.origin = reader_.origin(node);
    body.parent = entry.parent;
    body.T_PB = entry.T_PF * settings_.compiler.pose(reader_, {node, {node}});
    body.T_WB = bodies_[entry.parent].T_WB * body.T_PB;
    ++reader_.report.links;
    const std::string subject = ElementReader::subject_of(node);
    reader_.ignore_attributes(node, {"name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "gravcomp"});
    if (reader_.number(node, "gravcomp", 0) != 0)
      reader_.doubt(node, "body.gravcomp", subject + ": gravcomp is not supported, gravity acts on all bodies");
    const std::size_t index = bodies_.size();
    body_of_name_.emplace(body.name, index);
    bodies_.push_back(std::move(body));
    const std::string childclass = settings_.childclass_of(node, entry.childclass);
    read_contents(node, index, Pose<double>::identity(), childclass, inside);
    name_joints(bodies_[index]);
    set_inertia(bodies_[index]);
  }

  /// Reads the contents of a <body> or a <worldbody>, and of the <frame>s in it, in the order of the text. Frames may nest to any depth.
  void read_contents(pugi::xml_node around, std::size_t body, const Pose<double>& T_BF, const std::string& childclass,
                     std::vector<Open>& inside) {
    struct Frame {
      pugi::xml_node next;  ///< its first child that has not been read yet
      Pose<double> T_BF;
      std::string childclass;
    };
    std::vector<Frame> frames;
    const auto enter = [&](pugi::xml_node node, const Pose<double>& T, const std::string& names) {
      const char* const site = has_tendons() ? "site" : "";
      reader_.ignore_children(node, {"inertial", "joint", "freejoint", "geom", "body", "frame", "include", "replicate", "composite", "flexcomp",
                                     "attach", site});
      frames.push_back({node.first_child(), T, names});
    };
    enter(around, T_BF, childclass);
    while (!frames.empty()) {
      const pugi::xml_node node = frames.back().next;
      if (!node) {
        frames.pop_back();
        continue;
      }
      frames.back().next = node.next_sibling();
      if (std::string_view(node.name()) == "frame") {
        const Pose<double> T = frames.back().T_BF * settings_.compiler.pose(reader_, MjcfElement{node, {node}});
        enter(node, T, settings_.childclass_of(node, frames.back().childclass));
      } else {
        read_content(node, body, frames.back().T_BF, frames.back().childclass, inside);
      }
    }
  }

  void read_content(pugi::xml_node node, std::size_t body, const Pose<double>& T_BF, const std::string& childclass,
                    std::vector<Open>& inside) {
    const std::string_view kind = node.name();
    if (kind == "site") {
      if (has_tendons()) read_site(node, body, T_BF, childclass);
    } else if (kind == "body") {
      inside.push_back({node, body, T_BF, childclass});
    } else if (kind == "geom") {
      MjcfGeom geom =
          mjcf::read_geom(reader_, settings_.defaults.element(node, "geom", childclass), settings_.compiler, settings_.mesh_files);
      geom.T = T_BF * geom.T;
      bodies_[body].geoms.push_back(std::move(geom));
    } else if (kind == "joint" || kind == "freejoint") {
      if (body == 0)
        reader_.problem(node, "joint.world", ElementReader::subject_of(node) + ": the world cannot have joints");
      else
        read_joint(node, bodies_[body], childclass);
    }
  }

  void read_joint(pugi::xml_node node, Body& body, const std::string& childclass) {
    MjcfJoint joint;
    if (std::string_view(node.name()) == "freejoint") {  // has no defaults
      reader_.ignore_attributes(node, {"name"});
      joint.type = MjcfJoint::Type::free;
      joint.name = node.attribute("name").value();
      joint.origin = reader_.origin(node);
    } else {
      joint = mjcf::read_joint(reader_, settings_.defaults.element(node, "joint", childclass), settings_.compiler);
    }
    static constexpr std::array<const char*, 4> types{"hinge", "slide", "ball", "free"};
    ++reader_.report.joints[types[static_cast<std::size_t>(joint.type)]];
    const bool other_is_free = !body.joints.empty() && body.joints[0].type == MjcfJoint::Type::free;
    const bool is_free = joint.type == MjcfJoint::Type::free;
    if (is_free && body.parent != 0)
      reader_.problem(node, "joint.free", ElementReader::subject_of(node) + ": only a child of the world can have a free joint");
    if (other_is_free || (is_free && !body.joints.empty())) {
      reader_.problem(node, "joint.free", ElementReader::subject_of(node) + ": a body with a free joint cannot have another joint");
    }
    const auto is_ball = [](const MjcfJoint& other) { return other.type == MjcfJoint::Type::ball; };
    if (joint.type != MjcfJoint::Type::slide && std::any_of(body.joints.begin(), body.joints.end(), is_ball)) {
      reader_.problem(node, "joint.ball",
                      ElementReader::subject_of(node) + ": the body already has a ball joint, expected no further rotation");
    }
    body.joints.push_back(std::move(joint));
  }

  void name_joints(Body& body) {
    for (MjcfJoint& joint : body.joints) {
      if (joint.name.empty()) joint.name = settings_.unique(body.name, settings_.joint_names);
    }
  }

  void set_inertia(Body& body) {
    using From = MjcfCompiler::FromGeoms;
    const pugi::xml_node inertial = reader_.only(body.node, "inertial");
    const std::string subject = ElementReader::subject_of(body.node);
    const bool from_geoms =
        settings_.compiler.inertia_from_geoms == From::always || (settings_.compiler.inertia_from_geoms == From::if_not_given && !inertial);
    if (inertial && settings_.compiler.inertia_from_geoms != From::always)
      body.inertia = mjcf::read_inertial(reader_, inertial, settings_.compiler);
    if (from_geoms) {
      for (const MjcfGeom& geom : body.geoms) {
        if (!geom.counts) continue;
        std::optional<Solid> solid = geom.solid;
        std::string why = "is not computed";
        if (!solid && meshes_ && geom.shape) solid = solid_of_mesh(std::get<MeshFile>(*geom.shape), why);
        const std::string geom_name = ElementReader::subject_of(geom.node);
        if (solid) body.inertia += placed(*solid, geom.density ? *geom.density * solid->volume : geom.mass, geom.T);
        else reader_.doubt(geom.node, "inertia.mesh", geom_name + ": the inertia of a mesh " + why + " and is ignored");
      }
    }
    body.inertia = mjcf::adjusted(body.inertia, settings_.compiler);
  }

  /// Returns the solid of a mesh file.  @param why not, if there is none.
  std::optional<Solid> solid_of_mesh(const MeshFile& file, std::string& why) {
    const auto [entry, is_new] = solids_.try_emplace({file.uri, file.scale[0], file.scale[1], file.scale[2]});
    auto& [solid, reason] = entry->second;
    if (is_new) {
      try {
        solid = solid_of(meshes_->read(file));
        if (!solid) reason = "is not known, because " + excerpt(file.uri) + " is not closed or has no volume,";
      } catch (const ParseError& error) {
        reason = "is not computed (mesh " + excerpt(file.uri) + ": " + error.what() + ")";
      }
    }
    why = reason;
    return solid;
  }

  /// Determines which bodies on the world are floating and which are fixed.
  void settle_bases() {
    bool any_floats = false;
    for (Body& body : bodies_) {
      const bool free = !body.joints.empty() && body.joints[0].type == MjcfJoint::Type::free;
      if (free && options_.base == Base::fixed) body.rests = true;
      any_floats |= free;
    }
    if (options_.base != Base::floating || any_floats) return;
    const auto base =
        std::find_if(bodies_.begin() + 1, bodies_.end(), [](const Body& body) { return body.parent == 0 && body.joints.empty(); });
    if (base == bodies_.end())
      return reader_.problem(root_, "base.floating", "a floating base was requested, but joints attach the bodies to the world");
    MjcfJoint joint;
    joint.type = MjcfJoint::Type::free;
    joint.name = settings_.unique("base", settings_.joint_names);
    joint.origin = base->origin;
    base->joints.push_back(joint);
    base->is_floated = true;
  }

  void scale_masses() {
    if (settings_.compiler.total_mass <= 0) return;
    double total = 0;
    for (const Body& body : bodies_) total += body.inertia.mass;
    if (!(total > 0)) return reader_.problem(root_, "compiler.mass", "settotalmass of <compiler> needs a body with mass, but none has any");
    for (Body& body : bodies_) {
      body.inertia.mass *= settings_.compiler.total_mass / total;
      body.inertia.I_com *= settings_.compiler.total_mass / total;
    }
  }

  void add_bodies() {
    mjcf::JointChain<S> chain(builder_, settings_.coupled_joints, settings_.driven_joints);
    for (std::size_t k = 0; k < bodies_.size(); ++k) {
      const Body& body = bodies_[k];
      const std::string& parent = bodies_[body.parent].name;
      if (k > 0) {
        builder_.add_body(body.name, cast_numbers<S>(body.inertia), body.origin);
        if (body.joints.empty() || body.rests) {
          builder_.add_joint(settings_.unique("fixed_" + body.name, settings_.joint_names), parent, body.name, cast_numbers<S>(body.T_PB),
                             Fixed{}, body.origin);
        } else {
          reader_.report.floating += body.joints[0].type == MjcfJoint::Type::free;
          const auto link_name = [&](const std::string& joint) { return settings_.unique(body.name + '.' + joint, settings_.link_names); };
          const std::string change = chain.add(body.joints, parent, body.name, body.T_PB, link_name);
          if (!change.empty()) reader_.warn(body.node, "joint.several", ElementReader::subject_of(body.node) + ": " + change);
        }
      }
      for (const MjcfGeom& geom : body.geoms) {
        if (!geom.collides) ++reader_.report.ignored["geom without contact"];
        if (!geom.collides || !geom.shape) continue;
        const std::string& name = geom.name.empty() ? body.name : geom.name;
        builder_.add_shape({name, 0, cast_numbers<S>(geom.T), cast_geometry<S>(*geom.shape), geom.filter}, body.name,
                           reader_.origin(geom.node));
      }
    }
  }

  void read_equality(pugi::xml_node node) {
    const MjcfElement element = settings_.defaults.element(node, "equality", "");
    const bool active = reader_.word(element.with("active"), "active", {"true", "false"}, "true") == "true" && settings_.loops_hold;
    const std::string_view kind = node.name();
    if (kind == "joint") {
      mjcf::add_joint_equality(reader_, builder_, node, active);
    } else if (kind == "connect" || kind == "weld") {
      const auto find = [&](const char* attribute) { return find_body(node, attribute); };
      const auto a = find("body1"), b = find("body2");
      if (!a || !b) return;
      Loop<S> loop = mjcf::read_body_equality<S>(reader_, node, bodies_[*a].T_WB, bodies_[*b].T_WB);
      loop.name = node.attribute("name").value();
      loop.name = settings_.unique(loop.name.empty() ? std::string(kind) + '_' + bodies_[*a].name + '_' + bodies_[*b].name : loop.name,
                                   settings_.loop_names);
      loop.active = active;
      builder_.add_loop(std::move(loop), bodies_[*a].name, bodies_[*b].name, reader_.origin(node));
    } else {
      reader_.repair(node, "equality.unsupported", "<equality>: <" + std::string(kind) + "> is not supported", "ignored");
    }
  }

  /// Returns whether sites may be the ends of tendons; otherwise they have no effect.
  bool has_tendons() const { return bool(root_.child("tendon").first_child()); }
  void read_site(pugi::xml_node node, std::size_t body, const Pose<double>& T_BF, const std::string& childclass) {
    const MjcfElement element = settings_.defaults.element(node, "site", childclass);
    const std::string name = node.attribute("name").value();
    Vector3<double> p = reader_.vector(element.with("pos"), "pos", Vector3<double>::Zero());
    if (element.has("fromto")) {
      const auto ends = reader_.template numbers<6>(element.with("fromto"), "fromto", {});
      for (std::size_t k = 0; k < 3; ++k) p[static_cast<Eigen::Index>(k)] = (ends[k] + ends[k + 3]) / 2;
    }
    if (name.empty() || sites_.try_emplace(name, mjcf::Site{body, T_BF * p}).second) return;
    reader_.repair(node, "site.duplicate", "two sites are named " + excerpt(name), "the second is ignored");
  }
  void read_tendon(pugi::xml_node node) {
    const auto point = [&](const mjcf::Site& site) { return bodies_[site.body].T_WB * site.p; };
    const auto length = [&](const mjcf::Site& a, const mjcf::Site& b) { return (point(b) - point(a)).norm(); };
    const mjcf::Tendon tendon = mjcf::read_tendon(reader_, settings_.defaults.element(node, "tendon", ""), sites_, length);
    if (tendon.springs.empty()) return reader_.ignore(node);
    if (carrier(tendon.a.body) == carrier(tendon.b.body)) {
      return reader_.warn(node, "tendon.rigid", ElementReader::subject_of(node) + ": both sites are on one rigid body, so that it has no effect");
    }
    const std::string name = node.attribute("name").value();
    for (const PointSpring<double>& read : tendon.springs) {
      PointSpring<S> spring;
      spring.name = settings_.unique(name.empty() ? "tendon" : name, settings_.spring_names);
      spring.point_a = cast_numbers<S>(tendon.a.p);
      spring.point_b = cast_numbers<S>(tendon.b.p);
      spring.stiffness = cast_number<S>(read.stiffness);
      spring.damping = cast_number<S>(read.damping);
      spring.length = cast_number<S>(read.length);
      spring.tension_only = read.tension_only;
      builder_.add_spring(std::move(spring), bodies_[tendon.a.body].name, bodies_[tendon.b.body].name, reader_.origin(node));
    }
  }
  /// Returns the body with joints that a body is fixed to; itself if it has any, or the world.
  std::size_t carrier(std::size_t body) const {
    while (body > 0 && (bodies_[body].joints.empty() || bodies_[body].rests)) body = bodies_[body].parent;
    return body;
  }

  void read_exclude(pugi::xml_node node) {
    const std::string a = node.attribute("body1").value(), b = node.attribute("body2").value();
    for (const std::string& name : {a, b}) {
      if (body_of_name_.contains(name)) continue;
      reader_.repair(node, "exclude.body", "<exclude>: body " + excerpt(name) + " is not declared", "ignored");
      return;
    }
    reader_.report.passing.emplace_back(a, b);
  }

  /// Returns the index of a body by its name; the world if the second body is not given.
  std::optional<std::size_t> find_body(pugi::xml_node node, const char* attribute) {
    const std::string name = node.attribute(attribute).value(), kind = node.name();
    if (name.empty() && std::string_view(attribute) == "body2") return 0;
    if (const auto found = body_of_name_.find(name); found != body_of_name_.end()) return found->second;
    reader_.problem(node, "equality.body",
                    name.empty()
                        ? ElementReader::subject_of(node) + ": it has no " + attribute + ", and only closures between bodies are supported"
                        : ElementReader::subject_of(node) + ": " + attribute + ' ' + excerpt(name) + " is not declared");
    return std::nullopt;
  }

  MjcfSettings settings_;
  MeshFolders* meshes_;
  std::map<std::tuple<std::string, double, double, double>, std::pair<std::optional<Solid>, std::string>> solids_;  // by file and scale
  std::vector<Body> bodies_;  // the world first, parents before children
  std::map<std::string, mjcf::Site> sites_;
  std::map<std::string, std::size_t> body_of_name_{{std::string(world_name), 0}};
};

}  // namespace actio::detail
