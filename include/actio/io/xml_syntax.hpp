// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is wrong with a text that is not well-formed XML, said with the element's name: the parser only knows where it stopped.
#include <algorithm>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "actio/io/numbers.hpp"

namespace actio::detail {

/// Why a text cannot be a name or a value: control characters and bytes that are not UTF-8; empty when it can.
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

/// The tags open at `end`, outermost first. The text is well-formed up to there, but for the last tag.
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
