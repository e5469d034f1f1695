// SPDX-License-Identifier: BSD-3-Clause
// Makes the page of all experiments: what each is, what agrees with its paper and what does not, our numbers and those of the paper,
// figures, tables.
// An experiment consists of NAME/about.md, written by hand, and NAME.xml, written by its run (support/section.hpp).
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iostream>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "style.hpp"
#include "support/section.hpp"

namespace {

namespace fs = std::filesystem;
using experiments::append;

struct Paper {
  std::string name;  ///< as in the second line of an about.md
  std::string title;
};
const std::vector<Paper> papers{
    {"Lee et al. 2016",
     "J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A linear-time variational integrator for multibody systems (2016)"},
    {"Br\u00fcdigam and Manchester 2020",
     "J. Br\u00fcdigam, Z. Manchester, Linear-time variational integrators in maximal coordinates (2020)"},
    {"Drumwright 2019", "E. Drumwright, An unconditionally stable first-order constraint solver for multibody systems (2019)"},
    {"Ascher and Lin 1999",
     "U. M. Ascher, P. Lin, Sequential regularization methods for simulating mechanical systems with many closed loops (1999)"},
    {"Hairer and S\u00f6derlind 2005", "E. Hairer, G. S\u00f6derlind, Explicit, time reversible, adaptive step size control (2005)"},
    {"In public", "In public: benchmarks of the field"},
    {"Ours", "Beyond the papers"}};

/// An experiment, as described in its about.md:
///   # TITLE
///   PAPER: PLACE
///   (empty)
///   one or several paragraphs, separated by empty lines
struct Experiment {
  std::string name, title, place;
  std::size_t paper = 0;
  std::vector<std::string> paragraphs;
  pugi::xml_node run;  ///< null: not run
  bool failed = false;

  /// Returns the number by which figures are sorted, that in their paper.
  int number() const {
    const std::size_t digit = place.find_first_of("0123456789");
    return digit == std::string::npos ? 0 : std::stoi(place.substr(digit));
  }
};

Experiment read_about(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / name / "about.md";
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file.string() + " is missing: write it, stating what agrees with the paper and what does not");
  Experiment experiment;
  experiment.name = name;
  std::string title, source;
  std::getline(in, title);
  std::getline(in, source);
  const std::size_t colon = source.find(": ");
  const auto paper = std::find_if(papers.begin(), papers.end(), [&](const Paper& one) { return source.substr(0, colon) == one.name; });
  if (!title.starts_with("# ") || colon == std::string::npos || paper == papers.end()) {
    throw std::runtime_error(file.string() + ": expected '# TITLE' and 'PAPER: PLACE', PAPER one of those in index/main.cpp");
  }
  experiment.title = title.substr(2);
  experiment.place = source.substr(colon + 2);
  experiment.paper = static_cast<std::size_t>(paper - papers.begin());
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) experiment.paragraphs.push_back(paragraph);
    paragraph.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) end_paragraph();
    else paragraph += (paragraph.empty() ? "" : " ") + line;
  }
  end_paragraph();
  if (experiment.paragraphs.empty()) throw std::runtime_error(file.string() + ": no paragraph");
  return experiment;
}

std::string duration(double seconds) {
  if (seconds < 1) return "less than 1 s";
  const long whole = std::lround(seconds);
  return whole < 120 ? std::to_string(whole) + " s" : std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
}

std::string state(const Experiment& experiment) {
  if (!experiment.run) return experiment.failed ? "did not finish" : "not run";
  return (experiment.failed ? "its check failed; " : "") + duration(experiment.run.attribute("seconds").as_double());
}

pugi::xml_node append_link(pugi::xml_node node, const std::string& to, const std::string& words) {
  pugi::xml_node link = append(node, "a", words);
  link.append_attribute("href") = to.c_str();
  return link;
}

/// Makes links to result files relative to the page.
void relink(pugi::xml_node node, const std::string& folder) {
  for (const char* name : {"href", "src"}) {
    if (pugi::xml_attribute link = node.attribute(name)) link.set_value((folder + "/" + link.value()).c_str());
  }
  for (pugi::xml_node child : node.children()) relink(child, folder);
}

void append_contents(pugi::xml_node body, const std::vector<Experiment>& all) {
  pugi::xml_node rows = append(append(body, "div", "", "scroll"), "table", "", "contents").append_child("tbody");
  std::size_t paper = papers.size();
  for (const Experiment& one : all) {
    if (one.paper != paper) append(rows.append_child("tr"), "th", papers[one.paper].title).append_attribute("colspan") = 4;
    paper = one.paper;
    pugi::xml_node row = rows.append_child("tr");
    append(row, "td", one.place);
    append_link(row.append_child("td"), "#" + one.name, one.title);
    append(append(row, "td"), "code", one.name);
    append(row, "td", state(one), one.run && !one.failed ? nullptr : "bad");
  }
}

/// Appends a table of rows from a run, if there are any.
void append_rows(pugi::xml_node section, pugi::xml_node rows, std::initializer_list<const char*> columns) {
  if (!rows.first_child()) return;
  pugi::xml_node table = append(append(section, "div", "", "scroll"), "table", "", "claims");
  pugi::xml_node head = table.append_child("thead").append_child("tr");
  for (const char* column : columns) append(head, "th", column);
  pugi::xml_node body = table.append_child("tbody");
  for (pugi::xml_node row : rows.children()) body.append_copy(row);
}

void append_section(pugi::xml_node body, const Experiment& one, const std::string& folder) {
  pugi::xml_node section = append(body, "section");
  section.append_attribute("id") = one.name.c_str();
  append(section, "p", papers[one.paper].name + ", " + one.place, "source");
  append(section, "h2", one.title);
  for (const std::string& paragraph : one.paragraphs) append(section, "p", paragraph, "about");
  if (!one.run) {
    append(section, "p", "This experiment has " + std::string(one.failed ? "not finished." : "not been run."), "bad");
    return;
  }
  if (one.failed) append(section, "p", "In this run a check of this experiment failed: see the verdict.", "bad");
  relink(one.run, folder);
  append_rows(section, one.run.child("claims"), {"", "in the paper", "here"});
  append_rows(section, one.run.child("checks"), {"checked in each run", ""});
  for (pugi::xml_node told : one.run.child("told").children()) section.append_copy(told);
  pugi::xml_node end = append(section, "p", "`" + one.name + "`, " + one.run.attribute("date").value() + ", " + state(one), "run");
  if (one.run.attribute("short")) append(end, "b", ", short version");
  if (pugi::xml_node files = one.run.child("files"); files.first_child()) {
    experiments::append_text(end, ". Data with all digits: ");
    bool first = true;
    for (pugi::xml_node file : files.children()) {
      if (!first) experiments::append_text(end, ", ");
      end.append_copy(file);
      first = false;
    }
  }
}

/// Browsers read <p/> as <p>: elements that may have contents get a closing tag.
void close_all(pugi::xml_node node) {
  const std::string name = node.name();
  const bool is_void = name == "img" || name == "meta";
  if (node.type() == pugi::node_element && !node.first_child() && !is_void) node.append_child(pugi::node_pcdata).set_value("");
  for (pugi::xml_node child : node.children()) close_all(child);
}

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown processor";
}

void make_page(pugi::xml_document& page, const std::vector<Experiment>& all, const std::string& folder) {
  page.append_child(pugi::node_doctype).set_value("html");
  pugi::xml_node html = page.append_child("html"), head = html.append_child("head"), body = html.append_child("body");
  html.append_attribute("lang") = "en";
  head.append_child("meta").append_attribute("charset") = "utf-8";
  pugi::xml_node view = head.append_child("meta");
  view.append_attribute("name") = "viewport";
  view.append_attribute("content") = "width=device-width";
  append(head, "title", "actio: the experiments");
  append(head, "style").append_child(pugi::node_pcdata).set_value(style);
  append(body, "h1", "The experiments");
  double seconds = 0;
  std::string date;
  bool is_short = false;
  for (const Experiment& one : all) {
    seconds += one.run.attribute("seconds").as_double();
    date = std::max(date, std::string(one.run.attribute("date").value()));
    is_short = is_short || one.run.attribute("short");
  }
  append(body, "p", "Reproduced figures and tables of the papers whose methods actio implements, and experiments beyond these papers. "
                    "Where the results of a paper are known to us, they are shown next to our measurements; assumptions are stated.");
  append(body, "p",
         (date.empty() ? "Nothing was run" : date) + ", " + processor() + ", " EXPERIMENTS_COMPILER ", " + duration(seconds) + " in all.",
         "run");
  if (is_short) {
    append(body, "p",
           "Short versions, which only show that everything runs: their numbers mean little, and the texts describe the full versions.",
           "bad");
  }
  append_contents(body, all);
  for (const Experiment& one : all) append_section(body, one, folder);
  close_all(html);
}

/// Checks the written page: the file is well-formed, each experiment has a section, and all linked files exist.
void check(const fs::path& file, const std::vector<Experiment>& all) {
  pugi::xml_document page;
  if (const pugi::xml_parse_result result = page.load_file(file.c_str()); !result) {
    throw std::runtime_error(std::string("the page is not well-formed: ") + result.description());
  }
  for (const Experiment& one : all) {
    const pugi::xml_node section = page.select_node(("//section[@id='" + one.name + "']").c_str()).node();
    if (!section.child("h2") || !*section.find_child_by_attribute("class", "about").child_value()) {
      throw std::runtime_error("the page has no section of " + one.name);
    }
  }
  for (const pugi::xpath_node& link : page.select_nodes("//@href | //@src")) {
    const std::string to = link.attribute().value();
    const bool is_there =
        to.starts_with('#') ? bool(page.select_node(("//*[@id='" + to.substr(1) + "']").c_str())) : fs::exists(file.parent_path() / to);
    if (!is_there) throw std::runtime_error("the page refers to '" + to + "', which does not exist");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Makes the page of all experiments from the results of their runs");
  fs::path source, results, out;
  std::vector<std::string> names, failed;
  app.add_option("names", names, "Experiments")->required();
  app.add_option("--source", source, "Folder that contains the folders of the experiments")->required();
  app.add_option("--results", results, "Folder with the results of the runs, the same as that of the page or below it")->required();
  app.add_option("--out", out, "The page")->required();
  app.add_option("--failed", failed, "Experiments that failed");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<pugi::xml_document> runs(names.size());
    std::vector<Experiment> all;
    for (std::size_t k = 0; k < names.size(); ++k) {
      all.push_back(read_about(source, names[k]));
      const fs::path run = results / (names[k] + ".xml");
      if (runs[k].load_file(run.c_str(), pugi::parse_default | pugi::parse_ws_pcdata)) all.back().run = runs[k].child("run");
      all.back().failed = std::find(failed.begin(), failed.end(), names[k]) != failed.end();
    }
    std::sort(all.begin(), all.end(), [](const Experiment& a, const Experiment& b) {
      return std::tuple(a.paper, a.number(), a.place, a.name) < std::tuple(b.paper, b.number(), b.place, b.name);
    });
    pugi::xml_document page;
    make_page(page, all, results.lexically_proximate(out.parent_path()).generic_string());
    if (!page.save_file(out.c_str(), "", pugi::format_raw | pugi::format_no_declaration))
      throw std::runtime_error("cannot write " + out.string());
    check(out, all);
  } catch (const std::exception& error) {
    std::cerr << "index: " << error.what() << '\n';
    return 1;
  }
  std::cout << "\nAll experiments on one page: " << out.string() << '\n';
}
