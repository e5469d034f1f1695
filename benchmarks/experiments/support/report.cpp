// SPDX-License-Identifier: BSD-3-Clause
#include "support/report.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>

#include "support/section.hpp"

namespace experiments {
namespace {

std::string number(double x, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, x);
  return text;
}

/// Opens a file for writing; if this fails, the program ends with one clear line.
std::ofstream open(const std::filesystem::path& file) {
  std::ofstream out(file);
  if (out) return out;
  std::cerr << "cannot write '" << file.string() << "': choose another folder by --out\n";
  std::exit(1);
}

/// Returns a field of a CSV file, quoted if necessary.
std::string field(const std::string& words) {
  if (words.find_first_of(",\"\n") == std::string::npos) return words;
  std::string quoted = "\"";
  for (const char c : words) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

/// Returns at most two points for each of 1500 intervals: the smallest and the largest.
Curve thinned(const Curve& curve) {
  constexpr std::size_t pieces = 1500;
  if (curve.x.size() <= 2 * pieces) return curve;
  Curve thin{curve.label, {}, {}};
  for (std::size_t k = 0; k < pieces; ++k) {
    const auto at = [&](std::size_t piece) { return curve.y.begin() + static_cast<std::ptrdiff_t>(piece * curve.y.size() / pieces); };
    const auto [low, high] = std::minmax_element(at(k), at(k + 1));
    for (const auto point : {std::min(low, high), std::max(low, high)}) {
      thin.x.push_back(curve.x[static_cast<std::size_t>(point - curve.y.begin())]);
      thin.y.push_back(*point);
    }
  }
  return thin;
}

/// Returns whether a curve has so few points that each gets a mark, which also distinguishes curves that coincide.
bool sparse(const Curve& curve) { return curve.x.size() <= 40; }

/// Returns the common height of all points of a panel, for which gnuplot cannot make an axis without a warning.
std::optional<double> common_height(const Panel& panel) {
  std::optional<double> height;
  for (const Curve& curve : panel.curves) {
    for (const double y : curve.y) {
      if (height && y != *height) return {};
      height = y;
    }
  }
  return height;
}

/// Returns a string of gnuplot without special characters.
std::string quoted(const std::string& words) {
  std::string out = "'";
  for (const char c : words) out.append(c == '\'' ? 2 : 1, c);
  return out + '\'';
}

}  // namespace

std::string text(const Cell& cell, int digits) {
  if (const std::string* word = std::get_if<std::string>(&cell)) return *word;
  return number(std::get<double>(cell), digits);
}

Report::Report(int argc, char** argv, std::string name, const std::string& what, const std::vector<Switch>& switches,
               const std::vector<Count>& counts)
    : name_(std::move(name)) {
  CLI::App app(what, name_);
  app.add_flag("--short", is_short_, "Run a short version of a few seconds, to see that it works");
  app.add_option("--out", out_, "Folder for tables and figures")->capture_default_str();
  for (const Switch& own : switches) app.add_flag(own.name, own.on, own.help);
  for (const Count& own : counts) app.add_option(own.name, own.value, own.help)->check(CLI::PositiveNumber)->capture_default_str();
  try {
    app.parse(argc, argv);
    std::filesystem::create_directories(out_);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << error.what() << '\n';
    std::exit(1);
  }
  section_ = std::make_unique<Section>(out_, name_, is_short_);
  std::cout << "\n== " << name_ << (is_short_ ? ", short version" : "") << "\n" << what << "\n\n";
}

Report::~Report() {
  if (!section_->write()) std::cerr << "cannot write the section of " << name_ << " to '" << out_.string() << "'\n";
}

void Report::say(const std::string& line) const {
  std::cout << line << std::endl;  // visible during a long run
  section_->say(line);
}

void Report::beside_paper(const std::string& what, const std::string& paper, const std::string& here) const {
  std::cout << what << ": " << here << "; in the paper: " << paper << std::endl;
  section_->beside_paper(what, paper, here);
}

void Report::check(const std::string& claim, bool holds) const {
  std::cout << (holds ? "holds: " : "FAILS: ") << claim << std::endl;
  section_->check(claim, holds);
}

int Report::verdict() const {
  const auto [checked, failed] = section_->checks();
  const bool good = checked > 0 && failed == 0;
  say("verdict: " + (good ? "all " + std::to_string(checked) + " claims hold"
                          : std::to_string(failed) + " of " + std::to_string(checked) + " claims do NOT hold"));
  return good ? 0 : 1;
}

void Report::table(const std::string& name, const Table& table) const {
  std::vector<std::size_t> width(table.columns.size());
  for (std::size_t c = 0; c < width.size(); ++c) {
    width[c] = table.columns[c].size();
    for (const std::vector<Cell>& row : table.rows) width[c] = std::max(width[c], text(row[c], 4).size());
  }
  const auto print = [&](std::size_t c, const std::string& cell, bool to_the_left) {
    const std::string space(width[c] - cell.size(), ' ');
    std::cout << (c == 0 ? "" : "  ") << (to_the_left ? cell + space : space + cell);
  };
  for (std::size_t c = 0; c < width.size(); ++c) {
    print(c, table.columns[c], !table.rows.empty() && std::holds_alternative<std::string>(table.rows[0][c]));
  }
  for (const std::vector<Cell>& row : table.rows) {
    std::cout << '\n';
    for (std::size_t c = 0; c < width.size(); ++c) print(c, text(row[c], 4), std::holds_alternative<std::string>(row[c]));
  }
  std::cout << "\n\n";
  csv(name, table);
  section_->table(name, table);
}

void Report::csv(const std::string& name, const Table& table) const {
  section_->file(file(name + ".csv"));
  std::ofstream out = open(file(name + ".csv"));
  for (std::size_t c = 0; c < table.columns.size(); ++c) out << (c == 0 ? "" : ",") << field(table.columns[c]);
  for (const std::vector<Cell>& row : table.rows) {
    out << '\n';
    for (std::size_t c = 0; c < row.size(); ++c) out << (c == 0 ? "" : ",") << field(text(row[c], 17));
  }
  out << '\n';
}

void Report::picture(const std::string& name, const std::string& svg) const {
  open(file(name + ".svg")) << svg;
  section_->picture(file(name + ".svg"), name);
}

void Report::figure(const std::string& name, const std::vector<Panel>& panels, std::size_t in_a_row) const {
  const std::size_t columns = std::min(in_a_row, panels.size()), rows = (panels.size() + columns - 1) / columns;
  const std::filesystem::path data = file(name + ".dat"), script = file(name + ".gp");
  {
    std::ofstream points = open(data);  // one block a curve, as counted by gnuplot's `index`
    for (const Panel& panel : panels) {
      for (const Curve& curve : panel.curves) {
        if (curve.x.empty()) continue;  // gnuplot would not count it
        const Curve thin = thinned(curve);
        points << "# " << panel.title << ": " << curve.label << '\n';
        for (std::size_t k = 0; k < thin.x.size(); ++k) points << number(thin.x[k], 9) << ' ' << number(thin.y[k], 9) << '\n';
        points << "\n\n";
      }
    }
    std::ofstream gp = open(script);
    gp << "# usage: gnuplot -e \"format='svg'\" " << script.filename().string() << ", in this folder; svg or pngcairo\n"
       << "if (!exists('format')) format = 'svg'\n"
       << "if (format eq 'svg') { set terminal svg size " << 640 * columns << ',' << 480 * rows
       << " background 'white' font 'sans,13' } else "
       << "{ set terminal pngcairo size " << 640 * columns << ',' << 480 * rows << " background 'white' font 'sans,11' }\n"
       << "set output " << quoted(name_ + "_" + name) << " . (format eq 'svg' ? '.svg' : '.png')\n"
       << "set grid linetype 1 linewidth 0.5 linecolor rgb '#dddddd'\nset key outside bottom center horizontal noenhanced\nset format "
          "'%g'\n"
       << "set multiplot layout " << rows << ',' << columns << '\n';
    // Distinguishable in print and with colour blindness.                                               [Okabe and Ito 2008]
    const std::vector<std::string> colours{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
    std::size_t block = 0;
    for (const Panel& panel : panels) {
      gp << "set title " << quoted(panel.title) << " noenhanced\nset xlabel " << quoted(panel.x_label)
         << " noenhanced offset 0,0.4\nset ylabel " << quoted(panel.y_label) << " noenhanced\nunset logscale\n";
      if (panel.log_x) gp << "set logscale x\n";
      gp << (panel.log_y ? "set logscale y\nset format y '10^{%T}'\n" : "set format y '%g'\n");
      const std::optional<double> height = panel.log_y ? std::nullopt : common_height(panel);
      gp << (height ? "set yrange [" + number(*height - 1, 9) + ':' + number(*height + 1, 9) + ']' : "set autoscale y") << '\n';
      gp << "plot ";
      bool first = true;
      for (std::size_t c = 0; c < panel.curves.size(); ++c) {
        if (panel.curves[c].x.empty()) continue;
        gp << (first ? "" : ", \\\n  ") << quoted(data.filename().string()) << " index " << block << " with ";
        if (panel.curves[c].marks_only) {
          gp << "points pointtype 6 pointsize 0.7 linecolor rgb '#000000'";
        } else {
          gp << (sparse(panel.curves[c]) ? "linespoints pointtype " + std::to_string(1 + c) + " pointsize 0.8" : "lines")
             << " linewidth 1.3 dashtype " << 1 + c / colours.size() << " linecolor rgb '" << colours[c % colours.size()] << '\'';
        }
        gp << " title " << quoted(panel.curves[c].label);
        first = false;
        ++block;
      }
      gp << '\n';
    }
    gp << "unset multiplot\n";
  }
  // The folder is passed by the environment and not in the command, so that its name is never interpreted by the shell.
  setenv("ACTIO_EXPERIMENT_FOLDER", out_.string().c_str(), 1);
  const std::string draw = "cd \"$ACTIO_EXPERIMENT_FOLDER\" && for f in svg pngcairo; do gnuplot -e \"format='$f'\" " +
                           script.filename().string() + " || exit 1; done";
  if (std::system("command -v gnuplot > /dev/null") != 0) {
    say("gnuplot was not found: " + script.filename().string() + " draws the figure where it is installed.");
  } else if (std::system(draw.c_str()) != 0) {
    say("gnuplot could not draw " + script.filename().string());
  } else {
    std::cout << "figure: " << file(name + ".svg").string() << " and .png\n";
    std::string titles;
    for (const Panel& panel : panels) titles += (titles.empty() ? "" : "; ") + panel.title;
    section_->picture(file(name + ".svg"), titles);
  }
}

}  // namespace experiments
