// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/xml/document.hpp"

#include <functional>
#include <string>

#include "support/catch.hpp"
#include "support/stopwatch.hpp"

namespace xml_document_test {

using namespace actio;
using detail::XmlDocument;

/// Returns the error message of a refused text; empty if it is accepted.
std::string refusal(const std::string& text, const XmlLimits& limits = {}) {
  try {
    const XmlDocument document(text, "file", limits);
    return {};
  } catch (const ParseError& error) {
    return error.what();
  }
}

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

TEST_CASE("xml: each error is reported with its line", "[io][xml][fast]") {
  using namespace std::string_literals;
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"", "file: the file is empty, expected XML [xml.empty]"},
      {" \n\n", "file: the file is empty, expected XML [xml.empty]"},
      {"just words", "file:1: there is no element: this is not XML [xml.syntax]"},
      {"<a>\n<b>\n</c>\n</a>", "file:3: mismatched end tag </c> for <b> of line 2 [xml.syntax]"},
      {"<a>\n</a>\n</b>", "file:3: end tag </b> without a start tag [xml.syntax]"},
      {"<a>\n<b>\n", "file:2: unexpected end of the file inside <b> of line 2 [xml.syntax]"},
      {"<a>\n<b x='1", "file:2: unexpected end of the file inside <b> of line 2 [xml.syntax]"},
      {"<a>\n<b x=1/></a>", "file:2: Error parsing element attribute in <b> [xml.syntax]"},
      {"<a>\n<b x='1' x='2'/></a>", "file:2: attribute 'x' occurs twice in <b> [xml.syntax]"},
      {"<a>\n\0</a>"s, "file:2: a NUL byte: this is not XML [xml.syntax]"},
      {"<a/>\n<b/>", "file:2: content after the root element <a>: <b> [xml.trailing]"},
      {"<a/>\n\nwords", "file:3: content after the root element <a>: 'words' [xml.trailing]"},
      {"<a/>\n<?xml version='1.0'?>", "file:2: a second XML declaration after the root element [xml.trailing]"},
      {"<!DOCTYPE a>\n<a/>", "file:1: a DOCTYPE is refused: neither DTDs nor entities are read; remove it [xml.doctype]"},
      {"<a>\n<b name='x&#0;y'/></a>", "file:2: the character 0: this is not XML [xml.syntax]"},
      {"<a>\n<b name='x&#x000;y'/></a>", "file:2: the character 0: this is not XML [xml.syntax]"},
      {"<a>\n<b name='x\x01'/></a>", "file:2: a control character in attribute 'name' of <b>: 'x?' [xml.encoding]"},
      {"<a>\n<b name='caf\xe9'/></a>", "file:2: bytes that are not UTF-8 in attribute 'name' of <b>: 'caf\xe9' [xml.encoding]"},
      {"<a>\n<b name='\xc3'/></a>", "file:2: bytes that are not UTF-8 in attribute 'name' of <b>: '\xc3' [xml.encoding]"},
      {"\xff\xfe<\0a\0"s, "file:1: the text is UTF-16 or UTF-32, expected UTF-8 [xml.encoding]"},
  }));
  CAPTURE(text);
  CHECK(refusal(text) == message);
}

TEST_CASE("xml: entities are not expanded, and no other file is read", "[io][xml][fast]") {
  const std::string bomb = "<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;&x;&x;'><!ENTITY z '&y;&y;&y;&y;'>]>\n<a name='&z;'/>";
  CHECK(refusal(bomb).find("[xml.doctype]") != std::string::npos);
  CHECK(refusal("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>\n<a/>").find("[xml.doctype]") != std::string::npos);
  const std::string text = "<a name='&unknown; &amp; &#65;'/>";
  const XmlDocument document(text, "file");
  CHECK(std::string(document.root().attribute("name").value()) == "&unknown; & A");
}

TEST_CASE("xml: names are UTF-8, and comments may contain anything", "[io][xml][fast]") {
  CHECK(refusal("<!-- caf\xe9 --><a name='caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa4\x96'/>") == "");
}

TEST_CASE("xml: common faults of published files are repaired and reported", "[io][xml][fast]") {
  using namespace std::string_literals;
  const auto [text, code] = GENERATE(table<std::string, std::string>({
      {"<?xml version='1.0'?>\n<a/>", ""},
      {"\xef\xbb\xbf<?xml version='1.0'?><a/><!-- end -->\n", ""},
      {"<!-- licence -->\n<?xml version='1.0'?>\n<a/>", "xml.declaration"},
      {"warning: deprecated\n<a/>", "xml.declaration"},
      {"<a/>\r\n\0"s, "xml.nul"},
      {"<a xmlns='https://drake.mit.edu'/>", "xml.namespace"},
  }));
  CAPTURE(text);
  const XmlDocument document(text, "file");
  CHECK(std::string(document.root().name()) == "a");
  REQUIRE(document.repairs().size() == (code.empty() ? 0u : 1u));
  if (!code.empty()) CHECK(document.repairs()[0].broken.code == code);
}

TEST_CASE("xml: line numbers are correct in any order of queries", "[io][xml][fast]") {
  const std::string text = "<a>\r\n<b/>\r\n\r\n<c x='1'\r\n y='2'/><!--\n\n--><d/>\n</a>";
  const XmlDocument document(text, "file");
  const auto line = [&](const char* name) { return document.origin(document.root().child(name)); };
  CHECK(line("d") == "file:7");
  CHECK(line("b") == "file:2");
  CHECK(line("c") == "file:4");
  CHECK(document.origin(document.root()) == "file:1");
}

TEST_CASE("xml: hostile texts are refused quickly", "[io][xml][fast]") {
  const auto [what, text] = GENERATE(table<std::string, std::function<std::string()>>({
      {"deep", [] { return repeat("<a>", 20'000) + repeat("</a>", 20'000); }},
      {"deep and open", [] { return repeat("<a>", 49'000); }},
      {"wide", [] { return "<a>" + repeat("<b/>", 250'000) + "</a>"; }},
      {"many attributes",
       [] {
         std::string a;
         for (int k = 0; k < 100'000; ++k) a += " a" + std::to_string(k) + "=''";
         return "<a" + a + "/>";
       }},
      {"many signs of equality", [] { return "<a>" + repeat("=", 1'000'000) + "</a>"; }},
      {"comments in comments", [] { return "<a>" + repeat("<!--", 40'000); }},
      {"open sections", [] { return "<a>" + repeat("<![CDATA[", 40'000); }},
      {"questions", [] { return "<a>" + repeat("<?", 40'000); }},
      {"groups", [] { return "<!DOCTYPE a " + repeat("[<!x ", 40'000); }},
      {"large", [] { return "<a>" + std::string(6'000'000, ' ') + "</a>"; }},
      {"a long name", [] { return "<a name='" + std::string(4'000'000, 'n') + "'/>"; }},
  }));
  CAPTURE(what);
  const std::string hostile = text();
  const test::Stopwatch watch;
  const std::string message = refusal(hostile);
  CHECK(message != "");
  CHECK(message.size() < 500);
  CHECK(watch.seconds() < test::a_second);
}

TEST_CASE("xml: limits are set by the caller", "[io][xml][fast]") {
  CHECK(refusal("<a><b><c/></b></a>", {.depth = 2}).find("[xml.depth]") != std::string::npos);
  CHECK(refusal("<a><b><c/></b></a>", {.depth = 3}) == "");
  CHECK(refusal("<a><b/></a>", {.tags = 2}).find("[xml.size]") != std::string::npos);
  CHECK(refusal("<a>      </a>", {.bytes = 5}).find("[xml.size]") != std::string::npos);
}

TEST_CASE("xml: files that cannot be read are refused", "[io][xml][fast]") {
  CHECK_THROWS_AS(detail::read_file("/no/such/file.urdf", 100), ParseError);
  CHECK_THROWS_AS(detail::read_file("/", 100), ParseError);
}

}  // namespace xml_document_test
