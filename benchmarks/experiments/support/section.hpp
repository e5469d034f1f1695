// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the page of all experiments shows of one run. A run leaves it as NAME.xml beside its tables and figures; index/ puts these together.
#include <chrono>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <utility>

#include "support/report.hpp"

namespace experiments {

/// Appends text to an element of HTML: what stands in `backquotes` as code, powers of ten of numbers raised.
void append_text(pugi::xml_node node, const std::string& text);

/// Appends an element, with its class and text where there are any.  @returns it.
pugi::xml_node append(pugi::xml_node node, const char* element, const std::string& text = "", const char* style = nullptr);

/// In the order in which things are told. Paths to files are relative to the folder of results.
class Section {
 public:
  /// Removes what an earlier run has left, so that a run without an end is none.
  Section(const std::filesystem::path& results, const std::string& name, bool is_short);

  void say(const std::string& words);
  void beside_paper(const std::string& what, const std::string& paper, const std::string& here);
  void check(const std::string& claim, bool holds);
  /// How many claims were checked, and how many of them do not hold.
  std::pair<int, int> checks() const { return {checked_, failed_}; }
  /// Its CSV is NAME_<table>.csv.
  void table(const std::string& name, const Table& table);
  void picture(const std::filesystem::path& svg, const std::string& description);
  /// A table's data, linked at the end.
  void file(const std::filesystem::path& csv);
  /// Of a run that came to its end, whatever it found; notes its date and duration.  @returns whether it could.
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
