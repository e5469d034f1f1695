// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The section of one run on the page of all experiments. A run writes it as NAME.xml next to its tables and figures; index/ collects them.
#include <chrono>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <utility>

#include "support/report.hpp"

namespace experiments {

/// Appends text to an element of HTML: text in `backquotes` as code, powers of ten of numbers raised.
void append_text(pugi::xml_node node, const std::string& text);

/// Appends an element, with its class and text if given.  @returns the element.
pugi::xml_node append(pugi::xml_node node, const char* element, const std::string& text = "", const char* style = nullptr);

/// The contents of the section, in the order of the calls. Paths to files are relative to the folder of results.
class Section {
 public:
  /// Removes the result of an earlier run, so that a run that does not end leaves none.
  Section(const std::filesystem::path& results, const std::string& name, bool is_short);

  void say(const std::string& words);
  void beside_paper(const std::string& what, const std::string& paper, const std::string& here);
  void check(const std::string& claim, bool holds);
  /// Returns how many claims were checked, and how many of them failed.
  std::pair<int, int> checks() const { return {checked_, failed_}; }
  /// Adds a table; its CSV is NAME_<table>.csv.
  void table(const std::string& name, const Table& table);
  void picture(const std::filesystem::path& svg, const std::string& description);
  /// Adds a link to a table's data, at the end.
  void file(const std::filesystem::path& csv);
  /// Writes the section of a completed run with any result, with its date and duration.  @returns whether it succeeded.
  bool write();

 private:
  void end_paragraph();

  std::filesystem::path out_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  pugi::xml_document document_;
  pugi::xml_node root_, told_, files_, claims_, checks_;
  int checked_ = 0, failed_ = 0;
  std::string paragraph_, last_line_;
};

}  // namespace experiments
