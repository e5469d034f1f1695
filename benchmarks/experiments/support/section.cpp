// SPDX-License-Identifier: BSD-3-Clause
#include "support/section.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

namespace experiments {
namespace {

constexpr std::size_t long_table = 16;  ///< rows; a longer one is folded

/// Appends text, with signs that a terminal may lack.
void append_words(pugi::xml_node node, std::string words) {
  for (const auto& [typed, sign] : {std::pair("+-", "\u00b1"), std::pair("<=", "\u2264")}) {
    for (std::size_t at; (at = words.find(typed)) != std::string::npos;) words.replace(at, 2, sign);
  }
  if (!words.empty()) node.append_child(pugi::node_pcdata).set_value(words.c_str());
}

/// Appends text, with 1.5e-07 as 1.5 x 10^-7, 1e3 as 10^3, and the number after a ^ raised.
void append_numbers(pugi::xml_node node, const std::string& text) {
  static const std::regex power("(?:([0-9]+\\.?[0-9]*)e|\\^)([+-]?)0*([0-9]+)");
  std::size_t done = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), power), end; found != end; ++found) {
    const std::smatch& match = *found;
    append_words(node, text.substr(done, static_cast<std::size_t>(match.position()) - done));
    if (match[1].matched) append_words(node, match[1] == "1" ? "10" : match[1].str() + "\u202f\u00d7\u202f10");
    append_words(node.append_child("sup"), (match[2] == "-" ? "\u2212" : "") + match[3].str());
    done = static_cast<std::size_t>(match.position() + match.length());
  }
  append_words(node, text.substr(done));
}

bool is_number(const Cell& cell) {
  const std::string words = text(cell, 4);
  char* end = nullptr;
  (void)std::strtod(words.c_str(), &end);
  return !words.empty() && *end == '\0';
}

/// Returns whether most entries of a column are numbers, which are then right-aligned.
bool has_numbers(const Table& table, std::size_t column) {
  std::size_t numbers = 0, words = 0;
  for (const std::vector<Cell>& row : table.rows) {
    if (is_number(row[column])) ++numbers;
    else if (text(row[column], 4).size() > 1) ++words;
  }
  return numbers > words;
}

/// Returns the text of a cell: a dash for NaN, and a minus sign instead of a hyphen.
std::string shown(const Cell& cell) {
  if (!is_number(cell)) return text(cell, 4);
  std::string words = text(cell, 4);
  if (words.find("nan") != std::string::npos) return "\u2013";
  if (words[0] == '-') words.replace(0, 1, "\u2212");
  return words;
}

/// Lines of the terminal are broken by hand: returns whether the next one continues the paragraph.
bool goes_on(const std::string& line) {
  constexpr std::size_t long_line = 90;
  return line.size() >= long_line || std::string(".,;:").find(line.back()) != std::string::npos;
}
bool is_verdict(const std::string& line) { return line.starts_with("verdict: "); }

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::ostringstream out;
  out << std::put_time(std::localtime(&time), "%Y-%m-%d %H:%M");
  return out.str();
}

}  // namespace

void append_text(pugi::xml_node node, const std::string& text) {
  for (std::size_t begin = 0, piece = 0; begin <= text.size(); ++piece) {
    const std::size_t end = std::min(text.find('`', begin), text.size());
    const std::string words = text.substr(begin, end - begin);
    if (piece % 2 == 1) append_words(node.append_child("code"), words);
    else append_numbers(node, words);
    begin = end + 1;
  }
}

pugi::xml_node append(pugi::xml_node node, const char* element, const std::string& text, const char* style) {
  pugi::xml_node child = node.append_child(element);
  if (style != nullptr) child.append_attribute("class") = style;
  append_text(child, text);
  return child;
}

Section::Section(const std::filesystem::path& results, const std::string& name, bool is_short) : out_(results / (name + ".xml")) {
  std::filesystem::remove(out_);
  root_ = document_.append_child("run");
  root_.append_attribute("name") = name.c_str();
  if (is_short) root_.append_attribute("short") = "yes";
  claims_ = root_.append_child("claims");
  checks_ = root_.append_child("checks");
  told_ = root_.append_child("told");
  files_ = root_.append_child("files");
}

void Section::say(const std::string& words) {
  std::istringstream lines(words + "\n");
  for (std::string line; std::getline(lines, line); last_line_ = line) {
    if (line.empty() || last_line_.empty() || is_verdict(line) || !goes_on(last_line_)) end_paragraph();
    paragraph_ += (paragraph_.empty() ? "" : " ") + line;
  }
}

void Section::end_paragraph() {
  if (!paragraph_.empty()) append(told_, "p", paragraph_, is_verdict(paragraph_) ? "verdict" : nullptr);
  paragraph_.clear();
  last_line_.clear();
}

void Section::beside_paper(const std::string& what, const std::string& paper, const std::string& here) {
  pugi::xml_node row = claims_.append_child("tr");
  for (const std::string& cell : {what, paper, here}) append(row, "td", cell);
}

void Section::check(const std::string& claim, bool holds) {
  ++checked_;
  if (!holds) ++failed_;
  pugi::xml_node row = checks_.append_child("tr");
  append(row, "td", claim);
  append(row, "td", holds ? "holds" : "FAILS", holds ? nullptr : "bad");
}

void Section::table(const std::string& name, const Table& table) {
  end_paragraph();
  pugi::xml_node place = told_;
  if (table.rows.size() > long_table) {
    place = told_.append_child("details");
    append(place, "summary", name + ": " + std::to_string(table.rows.size()) + " rows");
  }
  pugi::xml_node body = append(place, "div", "", "scroll").append_child("table"), head = body.append_child("thead").append_child("tr");
  body = body.append_child("tbody");
  std::vector<const char*> styles;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    styles.push_back(has_numbers(table, c) ? "n" : nullptr);
    append(head, "th", table.columns[c], styles[c]);
  }
  for (const std::vector<Cell>& row : table.rows) {
    pugi::xml_node line = body.append_child("tr");
    for (std::size_t c = 0; c < row.size(); ++c) append(line, "td", shown(row[c]), styles[c]);
  }
}

void Section::picture(const std::filesystem::path& svg, const std::string& description) {
  end_paragraph();
  const std::string file = svg.filename().string();
  pugi::xml_node link = told_.append_child("figure").append_child("a");
  link.append_attribute("href") = file.c_str();
  pugi::xml_node image = link.append_child("img");
  image.append_attribute("src") = file.c_str();
  image.append_attribute("alt") = description.c_str();
  image.append_attribute("loading") = "lazy";
}

void Section::file(const std::filesystem::path& csv) {
  const std::string file = csv.filename().string();
  append(files_, "a", file).append_attribute("href") = file.c_str();
}

bool Section::write() {
  end_paragraph();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  root_.append_attribute("seconds") = seconds.count();
  root_.append_attribute("date") = now().c_str();
  return document_.save_file(out_.c_str(), "", pugi::format_raw);
}

}  // namespace experiments
