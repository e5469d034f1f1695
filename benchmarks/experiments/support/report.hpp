// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the experiments share: their command line, tables on the terminal and as CSV, figures by gnuplot, their section of the page of all.
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
  bool marks_only = false;  ///< black marks without a line, to lie on a curve or beside it
};

/// Axes with curves. Of a long curve what is drawn is the band between the smallest and the largest value of each short piece.
struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Curve> curves;
};

/// A switch of one experiment's own.
struct Switch {
  std::string name;  ///< "--so"
  std::string help;
  bool& on;
};

/// What the papers' figures say in numbers: nothing that can be read off.
inline const std::string plotted = "plotted, no number";

class Section;

/// One run of an experiment. What it tells goes to the terminal, to files, and at its end to its section of the page that index/ makes.
class Report {
 public:
  /// Reads --short, --out DIR and the experiment's own switches from the command line; ends the program where it asks for help or is wrong.
  /// @param name of the experiment: its files begin so.  @param what it is, a sentence for --help and the heading.
  Report(int argc, char** argv, std::string name, const std::string& what, const std::vector<Switch>& switches = {});

  ~Report();

  bool is_short() const { return is_short_; }  ///< for CI: a few seconds, the numbers mean little

  /// A line on the terminal: what was assumed, what follows.
  void say(const std::string& line) const;
  /// A result of the paper, and the same of this run.  @param paper a number only where the paper is known to print it, else words.
  void beside_paper(const std::string& what, const std::string& paper, const std::string& here) const;
  /// Records a claim of this experiment and whether this run confirms it.  @param claim with its bound and what was measured.
  void check(const std::string& claim, bool holds) const;
  /// Tells whether all claims hold.  @returns the program's exit code: 0 if they do, 1 otherwise, and 1 if nothing was checked.
  int verdict() const;
  /// Prints the table, its columns aligned, and writes NAME_<table>.csv with all digits.
  void table(const std::string& name, const Table& table) const;
  /// Writes NAME_<table>.csv alone, for what is too long to print.
  void csv(const std::string& name, const Table& table) const;
  /// Panels side by side, at most so many in a row: writes their data and a gnuplot script, and where gnuplot is present NAME_<figure>.svg and .png.
  void figure(const std::string& name, const std::vector<Panel>& panels, std::size_t in_a_row = 3) const;
  /// Writes NAME_<picture>.svg, whose text is at hand.
  void picture(const std::string& name, const std::string& svg) const;

 private:
  std::filesystem::path file(const std::string& suffix) const { return out_ / (name_ + "_" + suffix); }

  std::string name_;
  std::filesystem::path out_ = ".";
  bool is_short_ = false;
  std::unique_ptr<Section> section_;
};

}  // namespace experiments
