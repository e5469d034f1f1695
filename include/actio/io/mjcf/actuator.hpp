// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// <actuator> of MJCF: motors, position and velocity servos on joints, and general actuators that mean the same.
#include <array>
#include <string>
#include <string_view>

#include "actio/io/mjcf/compiler.hpp"
#include "actio/io/mjcf/joint.hpp"
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

}  // namespace actio::detail::mjcf
