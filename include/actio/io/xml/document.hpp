// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parses XML within limits and keeps the file and line of each element. Syntax errors are reported with the element's name.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/xml/load_report.hpp"
#include "actio/io/xml/numbers.hpp"

namespace actio::detail {

/// Returns why a text cannot be a name or a value: control characters and bytes that are not UTF-8; empty if it can.
inline std::string why_not_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    const unsigned first = byte(at);
    if (first < ' ' && xml_space.find(text[at]) == std::string_view::npos) return "a control character";
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    for (std::size_t k = 1; k < length; ++k) {
      if ((byte(at + k) & 0xc0) != 0x80) return "bytes that are not UTF-8";
    }
    if (length == 0) return "bytes that are not UTF-8";
    at += length;
  }
  return {};
}

/// A start tag that is not closed yet.
struct OpenTag {
  std::string_view name;
  std::size_t offset;
};

/// Returns the tags open at `end`, outermost first. The text must be well-formed up to there, except for the last tag.
inline std::vector<OpenTag> open_tags(std::string_view text, std::size_t end) {
  std::vector<OpenTag> open;
  text = text.substr(0, end);
  const auto skip = [&](std::size_t from, std::string_view closing) {
    const std::size_t at = text.find(closing, from);
    return at == std::string_view::npos ? text.size() : at + closing.size();
  };
  for (std::size_t at = text.find('<'); at != std::string_view::npos && at + 1 < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) at = skip(at + 4, "-->");
    else if (rest.starts_with("<![CDATA[")) at = skip(at, "]]>");
    else if (rest.starts_with("<?")) at = skip(at, "?>");
    else if (rest.starts_with("<!")) at = skip(at, ">");
    else if (rest.starts_with("</")) {
      if (!open.empty()) open.pop_back();
      at = skip(at, ">");
    } else {
      const std::string_view name = rest.substr(1, std::min(rest.find_first_of(" \t\r\n/>"), rest.size()) - 1);
      std::size_t close = at + 1;
      for (char quote = 0; close < text.size() && (quote != 0 || text[close] != '>'); ++close) {
        if (quote == 0 && (text[close] == '"' || text[close] == '\'')) quote = text[close];
        else if (text[close] == quote) quote = 0;
      }
      if (close >= text.size() || text[close - 1] != '/') open.push_back({name, at});
      at = close;
    }
  }
  return open;
}

struct XmlMistake {
  std::size_t offset;
  std::string text;
};

inline XmlMistake explain_syntax_error(std::string_view text, const pugi::xml_parse_result& result) {
  const std::size_t offset = std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size());
  const auto tag = [](std::string_view name) { return '<' + std::string(name.substr(0, 60)) + '>'; };
  const auto line = [&](std::size_t at) {
    return std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };

  if (result.status == pugi::status_end_element_mismatch && offset < text.size()) {
    const std::size_t end_tag = text.rfind("</", std::min(offset + 1, text.size() - 1));
    if (end_tag != std::string_view::npos && end_tag < text.size()) {
      const std::string_view rest = text.substr(end_tag + 2);
      const std::vector<OpenTag> open = open_tags(text, end_tag);
      const std::string closing = "</" + tag(rest.substr(0, std::min(rest.find_first_of(" \t\r\n>"), rest.size()))).substr(1);
      if (open.empty()) return {end_tag, "end tag " + closing + " without a start tag"};
      return {end_tag, "mismatched end tag " + closing + " for " + tag(open.back().name) + " of line " + line(open.back().offset)};
    }
  }
  if (offset + 1 >= text.size() || result.status == pugi::status_end_element_mismatch) {
    const std::vector<OpenTag> open = open_tags(text, text.size());
    if (!open.empty()) {
      return {text.size(), "unexpected end of the file inside " + tag(open.back().name) + " of line " + line(open.back().offset)};
    }
  }
  const std::vector<OpenTag> open = open_tags(text, offset);
  return {offset, std::string(result.description()) + (open.empty() ? std::string() : " in " + tag(open.back().name))};
}

}  // namespace actio::detail

namespace actio {

/// Limits on files, far above any real robot, so that no file exhausts memory or time. A file that exceeds one is refused with ParseError.
struct XmlLimits {
  std::size_t bytes = 5'000'000;     ///< of the file and all included files
  std::size_t files = 1'000;         ///< included, directly or indirectly
  std::size_t tags = 200'000;         ///< '<' in a file, and included elements in total
  std::size_t attributes = 500'000;  ///< '=' in a file; one element may have 64, independently of this limit
  std::size_t depth = 10'000;        ///< of nested elements
  std::size_t name_length = 1'000;   ///< of an attribute value that is a name, in bytes
};

namespace detail {

/// A violated rule, and the repair if one is possible.
struct Repair {
  Finding broken;
  std::string remedy;
};

/// Returns the text of a file.  @throws ParseError if it cannot be read or is larger than `limit`.
inline std::string read_file(const std::string& path, std::size_t limit) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) throw ParseError(path + ": is a folder, expected a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ParseError(path + ": cannot be opened" + (errno == 0 ? "" : ": " + std::generic_category().message(errno)));
  std::string text;
  char chunk[1 << 16];
  while (text.size() <= limit) {  // a device may have no end
    file.read(chunk, sizeof chunk);
    if (file.bad()) throw ParseError(path + ": cannot be read");
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
    if (!file) return text;
  }
  throw ParseError(path + ": larger than " + std::to_string(limit) + " bytes [xml.size]");
}

/// A parsed file with the positions of its elements. DOCTYPE is refused, so that only the five entities of XML are expanded and nothing but
/// the text is read; any other entity stays as it is written. Included files are inserted later: io/xml/include_files.hpp.
class XmlDocument {
 public:
  /// @param text must outlive the document.  @param name of the file, for messages.  @throws ParseError
  XmlDocument(std::string_view text, std::string name, const XmlLimits& limits = {})
      : name_(std::move(name)), text_(text), limits_(limits) {
    check_text();
    constexpr unsigned flags = pugi::parse_default | pugi::parse_declaration | pugi::parse_doctype | pugi::parse_fragment;
    const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size(), flags, pugi::encoding_utf8);
    if (!result) {
      const XmlMistake mistake = explain_syntax_error(text_, result);
      fail(mistake.offset, mistake.text, "xml.syntax");
    }
    check_top_level();
    check_elements();
  }

  pugi::xml_node root() const { return root_; }
  const std::string& name() const { return name_; }
  /// Returns the repairs made before the first element is read.
  const std::vector<Repair>& repairs() const { return repairs_; }

  /// Returns "file:line" of an element.
  std::string origin(pugi::xml_node node) const {
    const Place place = place_of(node);
    return place.document->origin_at(place.offset);
  }
  /// Returns the document from which an element was read: this one or that of an included file.
  const XmlDocument& source(pugi::xml_node node) const { return *place_of(node).document; }
  [[noreturn]] void fail(pugi::xml_node node, const std::string& what, const char* code) const {
    throw ParseError(origin(node) + ": " + what + " [" + code + ']');
  }

  // Insertion of included files. Inserted elements keep the file and line that they come from.
  /// Inserts a copy of an element of another document, which must outlive this one, before an element of this document.
  pugi::xml_node adopt(const XmlDocument& from, pugi::xml_node node, pugi::xml_node before) {
    const pugi::xml_node copy = before.parent().insert_copy_before(node, before);
    for (pugi::xml_node to = copy, original = node; to;) {  // both trees in parallel, without recursion
      places_[to.internal_object()] = from.place_of(original);
      if (to.type() == pugi::node_element && ++adopted_ > limits_.tags) {
        from.fail(original, "more than " + std::to_string(limits_.tags) + " tags are included", "xml.size");
      }
      if (to.first_child()) {
        to = to.first_child();
        original = original.first_child();
        continue;
      }
      while (to != copy && !to.next_sibling()) {
        to = to.parent();
        original = original.parent();
      }
      if (to == copy) break;
      to = to.next_sibling();
      original = original.next_sibling();
    }
    return copy;
  }
  /// Gives a generated element the file and line of another one.
  void place(pugi::xml_node made, pugi::xml_node where) { places_[made.internal_object()] = place_of(where); }
  void add_repair(Repair repair) { repairs_.push_back(std::move(repair)); }
  void add_repairs(const XmlDocument& included) { repairs_.insert(repairs_.end(), included.repairs_.begin(), included.repairs_.end()); }

  /// Checks depth and attributes, without recursion.  @throws ParseError
  void check_elements() const {
    std::size_t depth = 1;
    for (pugi::xml_node node = root_; node;) {
      check_attributes(node);
      if (node.first_child()) {
        if (++depth > limits_.depth) {
          fail(node, "elements are nested more than " + std::to_string(limits_.depth) + " levels deep", "xml.depth");
        }
        node = node.first_child();
        continue;
      }
      while (node && node != root_ && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      node = node == root_ ? pugi::xml_node() : node.next_sibling();
    }
  }

 private:
  struct Place {
    const XmlDocument* document;
    std::size_t offset;
  };
  Place place_of(pugi::xml_node node) const {
    const auto found = places_.find(node.internal_object());
    return found == places_.end() ? Place{this, offset_of(node)} : found->second;
  }
  static std::size_t offset_of(pugi::xml_node node) { return static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)); }
  [[noreturn]] void fail(std::size_t offset, const std::string& what, const char* code) const {
    throw ParseError(origin_at(offset) + ": " + what + " [" + code + ']');
  }
  void repair(std::size_t offset, const char* code, const std::string& what, const char* remedy) {
    repairs_.push_back({{code, origin_at(offset), what}, remedy});
  }

  /// Returns "file:line" of an offset. Lines are counted from the previous call's, because elements are visited nearly in order.
  std::string origin_at(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const auto lines = [&](std::size_t from, std::size_t to) {
      return std::count(text_.begin() + static_cast<std::ptrdiff_t>(from), text_.begin() + static_cast<std::ptrdiff_t>(to), '\n');
    };
    line_ += offset >= line_offset_ ? lines(line_offset_, offset) : -lines(offset, line_offset_);
    line_offset_ = offset;
    return name_ + ':' + std::to_string(line_);
  }

  void check_text() {
    if (text_.size() > limits_.bytes) throw ParseError(name_ + ": larger than " + std::to_string(limits_.bytes) + " bytes [xml.size]");
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff") || text_.starts_with(std::string_view("\0<", 2)) ||
        text_.starts_with(std::string_view("<\0", 2))) {
      fail(0, "the text is UTF-16 or UTF-32, expected UTF-8", "xml.encoding");
    }
    const std::string_view blank_or_nul(" \t\r\n\0", 5);
    const std::size_t end = text_.find_last_not_of(blank_or_nul) + 1;  // 0 if there is nothing else
    const std::size_t nul = text_.find('\0', end);
    if (end == 0) throw ParseError(name_ + ": the file is empty, expected XML [xml.empty]");
    if (nul != std::string_view::npos) repair(nul, "xml.nul", "NUL bytes at the end of the file", "removed");
    text_ = text_.substr(0, end);
    if (const std::size_t inside = text_.find('\0'); inside != std::string_view::npos) {
      fail(inside, "a NUL byte: this is not XML", "xml.syntax");
    }
    for (std::size_t at = text_.find("&#"); at != std::string_view::npos; at = text_.find("&#", at + 2)) {  // would end a name early
      if (const std::size_t end_of_zeros = text_.find_first_not_of("xX0", at + 2);
          end_of_zeros != std::string_view::npos && text_[end_of_zeros] == ';') {
        fail(at, "the character 0: this is not XML", "xml.syntax");
      }
    }
    const auto count = [&](char c) { return static_cast<std::size_t>(std::count(text_.begin(), text_.end(), c)); };
    if (count('<') > limits_.tags) throw ParseError(name_ + ": more than " + std::to_string(limits_.tags) + " tags [xml.size]");
    if (count('=') > limits_.attributes) {
      throw ParseError(name_ + ": more than " + std::to_string(limits_.attributes) + " attributes [xml.size]");
    }
  }

  /// Checks that there is one root element, only comments after it, and no DOCTYPE; text before it and before the declaration is skipped.
  void check_top_level() {
    const std::size_t start = text_.starts_with("\xef\xbb\xbf") ? 3 : 0;
    for (const pugi::xml_node node : document_.children()) {
      const std::size_t offset = offset_of(node);
      switch (node.type()) {
        case pugi::node_doctype: fail(offset, "a DOCTYPE is refused: neither DTDs nor entities are read; remove it", "xml.doctype");
        case pugi::node_declaration:
          if (root_) fail(offset, "a second XML declaration after the root element", "xml.trailing");
          if (offset > start + 2) repair(offset, "xml.declaration", "text before the XML declaration", "ignored");
          break;
        case pugi::node_element:
          if (root_) {
            fail(offset, "content after the root element <" + std::string(root_.name()) + ">: <" + node.name() + '>', "xml.trailing");
          }
          root_ = node;
          break;
        case pugi::node_pcdata:
        case pugi::node_cdata: {
          const std::size_t words = std::min(text_.find_first_not_of(xml_space, offset), text_.size());
          const std::string what = excerpt(text_.substr(words, text_.find('<', words) - words));
          if (root_) fail(words, "content after the root element <" + std::string(root_.name()) + ">: " + what, "xml.trailing");
          repair(words, "xml.declaration", "text before the root element: " + what, "ignored");
          break;
        }
        default: break;
      }
    }
    if (!root_) fail(0, "there is no element: this is not XML", "xml.syntax");
    if (const pugi::xml_attribute space = root_.attribute("xmlns")) {
      repair(offset_of(root_), "xml.namespace", "default XML namespace " + excerpt(space.value()), "ignored");
    }
  }

  void check_attributes(pugi::xml_node node) const {
    std::size_t count = 0;
    for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute()) {
      const std::string_view attribute = a.name();
      if (++count > 64) fail(node, std::string("<") + node.name() + "> has more than 64 attributes", "xml.size");
      for (pugi::xml_attribute b = node.first_attribute(); b != a; b = b.next_attribute()) {
        if (attribute == b.name()) {
          fail(node, "attribute '" + std::string(attribute) + "' occurs twice in <" + node.name() + '>', "xml.syntax");
        }
      }
      if (const std::string why = why_not_text(a.value()); !why.empty()) {
        fail(node, why + " in attribute '" + std::string(attribute) + "' of <" + node.name() + ">: " + excerpt(a.value()),
             "xml.encoding");
      }
      if ((attribute == "name" || attribute == "link" || attribute == "joint") &&
          std::string_view(a.value()).size() > limits_.name_length) {
        fail(node,
             "a name longer than " + std::to_string(limits_.name_length) + " bytes in <" + node.name() + ">: " + excerpt(a.value()),
             "xml.size");
      }
    }
  }

  std::string name_;
  std::string_view text_;
  XmlLimits limits_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::vector<Repair> repairs_;
  std::unordered_map<const void*, Place> places_;  // of elements from other files, and generated ones
  std::size_t adopted_ = 0;
  mutable std::size_t line_offset_ = 0;
  mutable std::ptrdiff_t line_ = 1;
};

}  // namespace detail
}  // namespace actio
