// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Shared by the experiments: command line, tables on the terminal and as CSV, figures by gnuplot, and the section on the page of all.
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace experiments {

using Cell = std::variant<std::string, double>;

std::string text(const Cell& cell, int digits);

struct Table {
  std::vector<std::string> columns;  ///< with their units
  std::vector<std::vector<Cell>> rows;
};

struct Curve {
  std::string label;
  std::vector<double> x, y;
  bool marks_only = false;  ///< black marks without a line, on a curve or near it
};

/// Axes with curves. A long curve is drawn as the band between the smallest and the largest value of each short interval.
struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

/// An option of a single experiment.
struct Switch {
  std::string name;  ///< "--so"
  std::string help;
  bool& on;
};

/// An option of a single experiment that takes a number of things, at least 1.
struct Count {
  std::string name;  ///< "--falls"
  std::string help;
  int& value;  ///< its default
};

/// The paper's value of results that it only plots, without a number.
inline const std::string plotted = "plotted, no number";

class Section;

/// One run of an experiment. Its results go to the terminal, to files, and at its end to its section of the page that index/ makes.
class Report {
 public:
  /// Reads --short, --out DIR and the experiment's options from the command line; ends the program for --help or an invalid option.
  /// @param name of the experiment: its file names begin with it.  @param what it is, a sentence for --help and the heading.
  Report(int argc, char** argv, std::string name, const std::string& what, const std::vector<Switch>& switches = {},
         const std::vector<Count>& counts = {});

  ~Report();

  bool is_short() const { return is_short_; }  ///< for CI: a few seconds; the numbers mean little

  /// Prints a line on the terminal: an assumption, a conclusion.
  void say(const std::string& line) const;
  /// Records a result of the paper and of this run.  @param paper a number only if the paper is known to print it, else words.
  void beside_paper(const std::string& what, const std::string& paper, const std::string& here) const;
  /// Records a claim of this experiment and whether this run confirms it.  @param claim with its bound and what was measured.
  void check(const std::string& claim, bool holds) const;
  /// Tells whether all claims hold.  @returns the program's exit code: 0 if they do, 1 otherwise, and 1 if nothing was checked.
  int verdict() const;
  /// Prints the table, its columns aligned, and writes NAME_<table>.csv with all digits.
  void table(const std::string& name, const Table& table) const;
  /// Writes NAME_<table>.csv only, for tables too long to print.
  void csv(const std::string& name, const Table& table) const;
  /// Draws panels, at most in_a_row side by side: writes their data and a gnuplot script, and NAME_<figure>.svg and .png if gnuplot exists.
  void figure(const std::string& name, const std::vector<Panel>& panels, std::size_t in_a_row = 3) const;
  /// Writes NAME_<picture>.svg from its text.
  void picture(const std::string& name, const std::string& svg) const;

 private:
  std::filesystem::path file(const std::string& suffix) const { return out_ / (name_ + "_" + suffix); }

  std::string name_;
  std::filesystem::path out_ = ".";
  bool is_short_ = false;
  std::unique_ptr<Section> section_;
};

}  // namespace experiments
