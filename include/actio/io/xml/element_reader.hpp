// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads values from XML elements. Errors are collected rather than thrown, so that one pass finds all of them.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "actio/core/text.hpp"
#include "actio/io/xml/document.hpp"
#include "actio/io/xml/load_report.hpp"
#include "actio/io/xml/numbers.hpp"
#include "actio/io/xml/rotations.hpp"
#include "actio/math/pose.hpp"

namespace actio::detail {

class ElementReader {
 public:
  /// @param strict whether repairs are errors.  @param largest magnitude allowed for lengths, masses and inertias.
  ElementReader(const XmlDocument& document, bool strict, double largest) : document_(document), strict_(strict), largest_(largest) {
    for (const Repair& repair : document.repairs()) add(repair);
  }

  std::string origin(pugi::xml_node node) const { return document_.origin(node); }
  /// Returns how messages refer to a node, "joint 'j2'": by the nearest enclosing element of the kinds below, else by the top-level one.
  static std::string subject_of(pugi::xml_node node) {
    static constexpr std::array<std::string_view, 12> subjects{"link", "joint", "freejoint", "loop_joint", "frame",    "model",
                                                               "body", "geom",  "connect",   "weld",       "distance", "key"};
    const auto is_subject = [](pugi::xml_node n) { return std::find(subjects.begin(), subjects.end(), n.name()) != subjects.end(); };
    const auto has_parent = [](pugi::xml_node n) { return n.parent().parent().type() == pugi::node_element; };
    std::string text;
    for (int unnamed = 0;; ++unnamed, node = node.parent()) {
      while (has_parent(node) && !is_subject(node)) node = node.parent();
      const std::string name = node.attribute("name").value();
      text += node.name();
      if (!name.empty() || !has_parent(node)) return text + ' ' + excerpt(name);
      if (unnamed == 4) return text + " without a name";  // elements may be nested thousands of levels deep
      text += " of ";
    }
  }

  // Problems, repairs, doubts and ignored elements.
  [[noreturn]] void fail(pugi::xml_node node, const std::string& text, const char* code) const { document_.fail(node, text, code); }
  void problem(pugi::xml_node node, const char* code, const std::string& text) { problems.push_back({code, origin(node), text}); }
  void repair(pugi::xml_node node, const char* code, const std::string& text, const char* remedy) {
    add({{code, origin(node), text}, remedy});
  }
  /// Reports what strict mode refuses and lenient mode accepts as written.
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

  /// Returns the child with a name of which there may be one; the first counts.
  pugi::xml_node only(pugi::xml_node node, const char* name) {
    const pugi::xml_node first = node.child(name);
    for (pugi::xml_node next = first.next_sibling(name); next; next = next.next_sibling(name)) {
      repair(next, "element.duplicate", subject_of(node) + ": it has a second <" + name + '>', "ignored");
    }
    return first;
  }

  // Attributes.  Those without "required" in the name may be absent or, as a repair, empty.
  template <std::size_t count>
  std::array<double, count> numbers(pugi::xml_node node, const char* attribute, const std::array<double, count>& otherwise) {
    return read<count>(node, attribute, otherwise, largest_);
  }
  double number(pugi::xml_node node, const char* attribute, double otherwise) { return read<1>(node, attribute, {otherwise}, largest_)[0]; }
  /// Reads a number without the bound: joint limits are written as 1e308 if there is none.
  double unbounded_number(pugi::xml_node node, const char* attribute, double otherwise) {
    return read<1>(node, attribute, {otherwise}, std::numeric_limits<double>::infinity())[0];
  }
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
  /// Returns from `least` to `most` numbers; none if the attribute is absent or invalid, which is reported.
  std::vector<double> list(pugi::xml_node node, const char* attribute, std::size_t least, std::size_t most) {
    const char* const text = node.attribute(attribute).value();
    if (is_blank(text)) return {};
    std::vector<double> found(std::clamp(words_of(text).size(), least, most));
    const bool read = parse(node, text, std::string(attribute) + " of <" + node.name() + '>', found.size(), found.data(), largest_);
    return read ? found : std::vector<double>();
  }
  /// Returns the keyword that an attribute equals; `otherwise` if it is absent or unknown, which is reported.
  std::string_view word(pugi::xml_node node, const char* attribute, std::initializer_list<std::string_view> known,
                        std::string_view otherwise) {
    const std::string_view text = node.attribute(attribute).value();
    if (text.empty()) return otherwise;
    const auto found = std::find(known.begin(), known.end(), text);
    if (found != known.end()) return *found;
    std::string names;
    for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    problem(node, "word.unknown",
            subject_of(node) + ": " + attribute + " of <" + node.name() + "> is " + excerpt(text) + ", expected one of " + names);
    return otherwise;
  }

  // Contents of elements.  If there is no element, `otherwise` is returned; if it is empty too, as a repair.
  std::string text(pugi::xml_node node) {
    std::string all;
    for (const pugi::xml_node piece : node.children()) {
      if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata) all += piece.value();
    }
    const std::size_t first = std::min(all.find_first_not_of(xml_space), all.size());
    all = all.substr(first, all.find_last_not_of(xml_space) + 1 - first);
    const std::string why = why_not_text(all);
    if (why.empty()) return all;
    problem(node, "xml.encoding", subject_of(node) + ": " + why + " in <" + node.name() + '>');
    return {};
  }
  template <std::size_t count>
  std::array<double, count> text_numbers(pugi::xml_node node, const std::array<double, count>& otherwise) {
    return read_text<count>(node, otherwise, largest_);
  }
  double text_number(pugi::xml_node node, double otherwise) { return read_text<1>(node, {otherwise}, largest_)[0]; }
  /// Reads a number without the bound; infinities are allowed.
  double text_limit(pugi::xml_node node, double otherwise) {
    const std::string word = text(node);
    if (word == "inf" || word == "+inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    return read_text<1>(node, {otherwise}, std::numeric_limits<double>::infinity())[0];
  }
  Vector3<double> text_vector(pugi::xml_node node, const Vector3<double>& otherwise) {
    const std::array<double, 3> v = read_text<3>(node, {otherwise[0], otherwise[1], otherwise[2]}, largest_);
    return {v[0], v[1], v[2]};
  }
  /// Reads true, false, 1 or 0.
  bool flag(pugi::xml_node node, const std::string& what, const std::string& value, bool otherwise) {
    if (value.empty()) return otherwise;
    for (const char* yes : {"true", "True", "TRUE", "1"}) {
      if (value == yes) return true;
    }
    for (const char* no : {"false", "False", "FALSE", "0"}) {
      if (value == no) return false;
    }
    problem(node, "word.unknown", subject_of(node) + ": " + what + " is " + excerpt(value) + ", expected true or false");
    return otherwise;
  }
  bool text_flag(pugi::xml_node node, bool otherwise) { return flag(node, '<' + std::string(node.name()) + '>', text(node), otherwise); }

  /// Reads a pose from xyz and rpy: R = Rz(yaw) Ry(pitch) Rx(roll). The identity if there is no element.
  Pose<double> pose(pugi::xml_node node) {
    return {rotation_from_rpy(vector(node, "rpy", Vector3<double>::Zero())), vector(node, "xyz", Vector3<double>::Zero())};
  }

  bool is_strict() const { return strict_; }

  LoadReport report;
  std::vector<Finding> problems;
  int rounded_angles = 0;  ///< number of angles replaced by the multiple of pi / 4 that they equal to all of their digits

 private:
  void add(const Repair& repair) {
    if (strict_) problems.push_back(repair.broken);
    else report.repairs.push_back({repair.broken.code, repair.broken.origin, repair.broken.text + ", " + repair.remedy});
  }

  bool require(pugi::xml_node node, const char* attribute) {
    if (!is_blank(node.attribute(attribute).value())) return true;
    problem(node, "number.missing", subject_of(node) + ": <" + node.name() + "> has no " + attribute);
    return false;
  }

  template <std::size_t count>
  std::array<double, count> read(pugi::xml_node node, const char* name, const std::array<double, count>& otherwise, double largest) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) return otherwise;
    return read_value<count>(node, attribute.value(), std::string(name) + " of <" + node.name() + '>', otherwise, largest);
  }
  template <std::size_t count>
  std::array<double, count> read_text(pugi::xml_node node, const std::array<double, count>& otherwise, double largest) {
    if (!node) return otherwise;
    return read_value<count>(node, text(node), '<' + std::string(node.name()) + '>', otherwise, largest);
  }
  template <std::size_t count>
  std::array<double, count> read_value(pugi::xml_node node, const std::string& value, const std::string& what,
                                       const std::array<double, count>& otherwise, double largest) {
    if (is_blank(value)) {
      repair(node, "number.empty", subject_of(node) + ": " + what + " is empty", "the default is used");
      return otherwise;
    }
    std::array<double, count> numbers{};
    return parse(node, value, what, count, numbers.data(), largest) ? numbers : otherwise;
  }
  bool parse(pugi::xml_node node, const std::string& value, const std::string& what, std::size_t count, double* numbers, double largest) {
    const std::string trouble = read_numbers(value, count, numbers);
    if (!trouble.empty()) {
      const bool wrong_count = trouble.starts_with("has "), range = trouble.ends_with("out of range");
      problem(node, wrong_count ? "number.count" : range ? "number.range" : "number.syntax",
              subject_of(node) + ": " + what + (wrong_count ? " " : ": ") + trouble);
      return false;
    }
    if (std::all_of(numbers, numbers + count, [&](double x) { return std::abs(x) <= largest; })) return true;
    problem(node, "number.range", subject_of(node) + ": " + what + ": " + excerpt(value) + " is implausibly large");
    return false;
  }

  const XmlDocument& document_;
  bool strict_;
  double largest_;
};

}  // namespace actio::detail
