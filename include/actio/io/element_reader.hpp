// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Values out of XML elements, and a remark for all that is wrong with them: reading goes on, so that one pass finds everything.
#include <array>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/load_report.hpp"
#include "actio/io/numbers.hpp"
#include "actio/io/xml_document.hpp"
#include "actio/math/pose.hpp"
#include "actio/model/text.hpp"

namespace actio::detail {

class ElementReader {
 public:
  /// @param strict a repair is a problem.  @param largest magnitude that lengths, masses and inertias may have.
  ElementReader(const XmlDocument& document, bool strict, double largest) : document_(document), strict_(strict), largest_(largest) {
    for (const Repair& repair : document.repairs()) add(repair);
  }

  std::string origin(pugi::xml_node node) const { return document_.origin(node); }
  /// "joint 'j2'": the named element of the top level that a node belongs to.
  static std::string who(pugi::xml_node node) {
    while (node.parent().parent().type() == pugi::node_element) node = node.parent();
    return std::string(node.name()) + ' ' + excerpt(node.attribute("name").value());
  }

  // What is wrong, what was put right, what is odd, what is left out.
  void problem(pugi::xml_node node, const char* code, const std::string& text) { problems.push_back({code, origin(node), text}); }
  void repair(pugi::xml_node node, const char* code, const std::string& text, const char* remedy) {
    add({{code, origin(node), text}, remedy});
  }
  /// What strict mode refuses and lenient mode takes as it is.
  void doubt(pugi::xml_node node, const char* code, const std::string& text) {
    (strict_ ? problems : report.warnings).push_back({code, origin(node), text});
  }
  void warn(pugi::xml_node node, const char* code, const std::string& text) { report.warnings.push_back({code, origin(node), text}); }
  void ignore(pugi::xml_node node) {
    const bool top = node.parent().parent().type() != pugi::node_element;
    ++report.ignored[top ? node.name() : std::string(node.parent().name()) + '/' + node.name()];
  }
  void ignore_attributes(pugi::xml_node node, std::initializer_list<std::string_view> known) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      if (std::find(known.begin(), known.end(), attribute.name()) == known.end()) {
        ++report.ignored[std::string(node.name()) + '@' + attribute.name()];
      }
    }
  }
  void ignore_children(pugi::xml_node node, std::initializer_list<std::string_view> known) {
    for (const pugi::xml_node child : node.children()) {
      if (child.type() == pugi::node_element && std::find(known.begin(), known.end(), child.name()) == known.end()) ignore(child);
    }
  }

  /// The child of that name, where there may be one: the first counts.
  pugi::xml_node only(pugi::xml_node node, const char* name) {
    const pugi::xml_node first = node.child(name);
    for (pugi::xml_node next = first.next_sibling(name); next; next = next.next_sibling(name)) {
      repair(next, "element.duplicate", who(node) + ": a second <" + name + '>', "passed over");
    }
    return first;
  }

  /// A number that may be absent or, as a repair, empty.
  double number(pugi::xml_node node, const char* attribute, double otherwise) { return read<1>(node, attribute, {otherwise}, largest_)[0]; }
  /// The same without a bound: limits of joints are written as 1e308 where there is none.
  double unbounded_number(pugi::xml_node node, const char* attribute, double otherwise) {
    return read<1>(node, attribute, {otherwise}, std::numeric_limits<double>::infinity())[0];
  }
  /// A number that must be there.
  double required_number(pugi::xml_node node, const char* attribute) {
    return require(node, attribute) ? read<1>(node, attribute, {0}, largest_)[0] : 0.0;
  }
  Vector3<double> vector(pugi::xml_node node, const char* attribute, const Vector3<double>& otherwise) {
    const std::array<double, 3> v = read<3>(node, attribute, {otherwise[0], otherwise[1], otherwise[2]}, largest_);
    return {v[0], v[1], v[2]};
  }
  Vector3<double> required_vector(pugi::xml_node node, const char* attribute) {
    return require(node, attribute) ? vector(node, attribute, Vector3<double>::Zero()) : Vector3<double>::Zero();
  }
  /// xyz and rpy: R = Rz(yaw) Ry(pitch) Rx(roll). Without an element, the identity.
  Pose<double> pose(pugi::xml_node node) {
    const Vector3<double> xyz = vector(node, "xyz", Vector3<double>::Zero()), rpy = vector(node, "rpy", Vector3<double>::Zero());
    const auto about = [](const Vector3<double>& axis, double angle) { return so3::rotation<double>(axis, angle); };
    return {about(Vector3<double>::UnitZ(), rpy[2]) * about(Vector3<double>::UnitY(), rpy[1]) * about(Vector3<double>::UnitX(), rpy[0]),
            xyz};
  }

  LoadReport report;
  std::vector<Finding> problems;

 private:
  void add(const Repair& repair) {
    if (strict_) problems.push_back(repair.broken);
    else report.repairs.push_back({repair.broken.code, repair.broken.origin, repair.broken.text + ", " + repair.remedy});
  }

  bool require(pugi::xml_node node, const char* attribute) {
    if (!is_blank(node.attribute(attribute).value())) return true;
    problem(node, "number.missing", who(node) + ": <" + node.name() + "> has no " + attribute);
    return false;
  }

  template <std::size_t count>
  std::array<double, count> read(pugi::xml_node node, const char* name, const std::array<double, count>& otherwise, double largest) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) return otherwise;
    const auto what = [&] { return who(node) + ": " + name + " of <" + node.name() + '>'; };
    if (is_blank(attribute.value())) {
      repair(node, "number.empty", what() + " is empty", "the default is taken");
      return otherwise;
    }
    std::array<double, count> numbers{};
    const std::string trouble = read_numbers(attribute.value(), count, numbers.data());
    if (!trouble.empty()) {
      const bool wrong_count = trouble.starts_with("has "), range = trouble.ends_with("out of range");
      problem(node, wrong_count ? "number.count" : range ? "number.range" : "number.syntax", what() + (wrong_count ? " " : ": ") + trouble);
      return otherwise;
    }
    for (const double x : numbers) {
      if (std::abs(x) > largest) {
        problem(node, "number.range", what() + ": " + excerpt(attribute.value()) + " is implausibly large");
        return otherwise;
      }
    }
    return numbers;
  }

  const XmlDocument& document_;
  bool strict_;
  double largest_;
};

}  // namespace actio::detail
