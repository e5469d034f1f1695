// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <actuator> of MJCF: motors, position and velocity servos on joints, and general actuators that mean the same.
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/mjcf/joint_places.hpp"
#include "actio/io/mjcf/settings.hpp"
#include "actio/model/actuator.hpp"

namespace actio::detail::mjcf {

/// An actuator, before the entry of its joint is known.
struct DrivenJoint {
  Actuator<double> actuator{};
  std::string joint{};
  std::string unsupported{};  ///< why it cannot be read; empty if it can
};

/// The force of an actuator as MuJoCo describes it, "gainprm" and "biasprm".
struct ForceLaw {
  double gain = 1;
  std::array<double, 3> bias{};
  bool is_affine = false;  ///< whether the bias acts

  /// Applies an element, or a default that it inherits: all actuators of a class share one record in MuJoCo, and each element sets the part
  /// that its kind has.  @returns what it sets that is not supported; empty if there is nothing.
  std::string apply(ElementReader& reader, pugi::xml_node node) {
    const std::string_view kind = node.name();
    if (kind == "motor") {
      *this = {};
    } else if (kind == "position" || kind == "velocity") {
      gain = reader.number(node, kind == "position" ? "kp" : "kv", gain);
      bias = kind == "position" ? std::array{0.0, -gain, -reader.number(node, "kv", 0)} : std::array{0.0, 0.0, -gain};
      is_affine = true;
      if (node.attribute("dampratio")) return "its dampratio is not supported, give kv";
      if (reader.number(node, "timeconst", 0) > 0) return "its filter (timeconst) is not supported";
    } else {
      const auto prm = [&](const char* name, std::size_t k, double otherwise) {
        const std::vector<double> all = reader.list(node, name, 1, 10);
        return k < all.size() ? all[k] : node.attribute(name) ? 0.0 : otherwise;
      };
      gain = prm("gainprm", 0, gain);
      for (std::size_t k = 0; k < 3; ++k) bias[k] = prm("biasprm", k, bias[k]);
      if (const std::string type = node.attribute("biastype").value(); !type.empty()) {
        is_affine = type == "affine";
        if (type != "none" && !is_affine) return "its biastype is " + excerpt(type);
      }
      for (const auto& [name, known] : {std::pair{"gaintype", "fixed"}, std::pair{"dyntype", "none"}}) {
        const std::string type = node.attribute(name).value();
        if (!type.empty() && type != known) return std::string("its ") + name + " is " + excerpt(type);
      }
    }
    return {};
  }
};

/// Reads an actuator. Its reference is left open.
inline DrivenJoint read_actuator(ElementReader& reader, const MjcfElement& element, const MjcfCompiler& compiler) {
  const pugi::xml_node node = element.node;
  const std::string_view kind = node.name();
  DrivenJoint driven;
  Actuator<double>& a = driven.actuator;
  a.name = node.attribute("name").value();
  a.kind = kind;
  if (kind != "motor" && kind != "position" && kind != "velocity" && kind != "general") {
    driven.unsupported = "actuators of this kind are not supported";
    return driven;
  }
  reader.ignore_attributes(node, {"name", "class", "joint", "jointinparent", "gear", "ctrlrange", "ctrllimited", "forcerange",
                                  "forcelimited", "kp", "kv", "gainprm", "biasprm", "gaintype", "biastype", "dyntype", "dampratio",
                                  "timeconst", "tendon", "site", "refsite", "body", "slidersite", "cranksite"});
  driven.joint = node.attribute(node.attribute("joint") ? "joint" : "jointinparent").value();  // the same for hinges and slides
  for (const char* transmission : {"tendon", "site", "body", "slidersite", "cranksite"}) {
    if (!node.attribute(transmission)) continue;
    driven.unsupported = std::string("transmission by a ") + transmission + " is not supported, only by a joint";
  }
  ForceLaw law;
  for (auto source = element.sources.rbegin(); source != element.sources.rend(); ++source) {  // the element itself comes last
    const std::string unsupported = law.apply(reader, *source);
    if (driven.unsupported.empty() && source->name() == kind) driven.unsupported = unsupported;
  }
  a.gain = law.gain;
  if (law.is_affine) {
    a.constant = law.bias[0];
    a.stiffness = -law.bias[1];
    a.damping = -law.bias[2];
  }
  const std::vector<double> gear = reader.list(element.with("gear"), "gear", 1, 6);
  a.gear = gear.empty() ? 1 : gear[0];
  const auto range = [&](const char* name, const char* limited_by, double& lower, double& upper) {
    const auto ends = reader.numbers<2>(element.with(name), name, {0, 0});
    const std::string_view limited = reader.word(element.with(limited_by), limited_by, {"auto", "true", "false"}, "auto");
    if (limited == "false" || (limited == "auto" && !(element.has(name) && compiler.auto_limits))) return;
    if (!(ends[0] < ends[1])) {
      return reader.problem(element.with(name), "actuator.range",
                            "actuator " + excerpt(a.name) + ": " + name + " is " + excerpt(element.value(name)) +
                                ", expected a lower end below the upper end");
    }
    lower = ends[0];
    upper = ends[1];
  };
  range("ctrlrange", "ctrllimited", a.ctrl_lower, a.ctrl_upper);
  range("forcerange", "forcelimited", a.force_lower, a.force_upper);
  return driven;
}

/// The actuators of a file.
class ActuatorReader {
 public:
  /// @param bodies with their joints, which must outlive this.
  ActuatorReader(ElementReader& reader, const std::vector<JointsOfBody>& bodies) : reader_(reader) {
    for (const JointsOfBody& body : bodies) {
      for (const MjcfJoint& joint : *body.joints) joints_.emplace(joint.name, &joint);
    }
  }

  /// Reads all actuators; those that are not supported are reported.
  void read(pugi::xml_node root, MjcfSettings& settings) {
    std::set<std::string> names;
    for (const pugi::xml_node actuators : root.children("actuator")) {
      for (const pugi::xml_node node : actuators.children()) {
        if (node.type() != pugi::node_element) continue;
        DrivenJoint driven = read_actuator(reader_, settings.defaults.element(node, "actuator", ""), settings.compiler);
        const std::string named = '<' + std::string(node.name()) + "> " + excerpt(driven.actuator.name);
        const auto joint = joints_.find(driven.joint);
        if (driven.unsupported.empty() && joint == joints_.end()) {
          reader_.problem(
              node, "actuator.joint",
              named + ": " + (driven.joint.empty() ? "it has no joint" : "joint " + excerpt(driven.joint) + " is not declared"));
        } else if (driven.unsupported.empty() && (joint->second->type == Type::ball || joint->second->type == Type::free)) {
          driven.unsupported = "actuators of ball and free joints are not supported";
        }
        if (!driven.unsupported.empty()) reader_.repair(node, "actuator.unsupported", named + ": " + driven.unsupported, "ignored");
        if (driven.actuator.name.empty()) driven.actuator.name = driven.joint;
        driven.actuator.name = settings.unique(driven.actuator.name, names);
        all_.push_back(std::move(driven));
      }
    }
  }
  /// Returns, for each actuator of the file, whether it is supported.
  std::vector<bool> kept() const {
    std::vector<bool> kept;
    for (const DrivenJoint& driven : all_) kept.push_back(driven.unsupported.empty());
    return kept;
  }
  /// Returns the supported actuators on the entries of the model that they drive.
  template <Scalar S>
  std::vector<Actuator<S>> placed(const Model<S>& model, const JointPlaces<S>& places) const {
    std::vector<Actuator<S>> actuators;
    for (const DrivenJoint& driven : all_) {
      if (!driven.unsupported.empty()) continue;
      const Actuator<double>& a = driven.actuator;
      const auto [body, entry] = places.find(driven.joint);
      VectorX<S> reference = VectorX<S>::Zero(model.nq(body));
      reference[entry] = cast_number<S>(-joints_.at(driven.joint)->ref);
      const auto as = [](double x) { return cast_number<S>(x); };
      actuators.push_back({a.name, a.kind, body, entry, as(a.gear), as(a.gain), as(a.constant), as(a.stiffness), as(a.damping), reference,
                           as(a.ctrl_lower), as(a.ctrl_upper), as(a.force_lower), as(a.force_upper)});
    }
    return actuators;
  }

 private:
  using Type = MjcfJoint::Type;

  ElementReader& reader_;
  std::map<std::string, const MjcfJoint*, std::less<>> joints_;
  std::vector<DrivenJoint> all_;
};

}  // namespace actio::detail::mjcf
