// SPDX-License-Identifier: BSD-3-Clause
// Lee, Liu, Park, Srinivasa 2016, Fig. 4b: the number of iterations a step, over 10 000 frames. The paper: RIQN 5.69 +- 1.16, Newton 4. Its
// released code takes SVI as the residual and counts the last evaluation, which accepts the root; so do we.
#include <string>
#include <vector>

#include "count.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "iterations", "Iterations a step over 10 000 frames [Lee et al. 2016, Fig. 4b]");
  const int frames = report.is_short() ? 200 : 10000, links = 50;
  report.say("The paper's chain of " + std::to_string(links) + " links from random q and v in +-pi/2, h = 1 ms, " + std::to_string(frames) +
             " frames.\n"
             "As released: guess by forward dynamics, tolerance 1e-8, absolute on |f| as there, and also in our relative norm. Ours: all "
             "defaults.\n");
  const iterations::Model model = experiments::lee2016_chain(links);
  const iterations::State start = experiments::random_state(model, 1);

  struct Row {
    const char *setting, *finder;
    iterations::Count (*run)(const iterations::Model&, const iterations::State&, int);
    const char* paper;
  };
  const std::vector<Row> rows{{"SVI, |f| <= 1e-8", "Newton", iterations::svi_newton_absolute, "4"},
                              {"SVI, |f| <= 1e-8", "RIQN", iterations::svi_riqn_absolute, "5.69 +- 1.16"},
                              {"SVI, relative 1e-8", "Newton", iterations::svi_newton, "-"},
                              {"SVI, relative 1e-8", "Broyden", iterations::svi_broyden, "-"},
                              {"SVI, relative 1e-8", "RIQN", iterations::svi_riqn, "-"},
                              {"DRNEA, ours", "Newton", iterations::newton, "-"},
                              {"DRNEA, ours", "Newton, Jacobian once", iterations::simplified_newton, "-"},
                              {"DRNEA, ours", "Broyden over RIQN", iterations::broyden, "-"},
                              {"DRNEA, ours", "Anderson over RIQN", iterations::anderson, "-"},
                              {"DRNEA, ours", "RIQN", iterations::riqn, "-"},
                              {"DRNEA, ours", "default", iterations::our_default, "-"}};
  experiments::Table table{{"residual and tolerance", "root finder", "mean", "deviation", "most", "paper", "frames"}, {}};
  experiments::Panel svi{"SVI as released", "evaluations in a step", "share of the frames", false, false, {}},
      drnea{"DRNEA, our defaults", "evaluations in a step", "share of the frames", false, false, {}};
  bool complete = true;
  std::vector<iterations::Count> counts;
  for (const Row& row : rows) {
    const iterations::Count count = row.run(model, start, frames);
    complete = complete && count.complete;
    counts.push_back(count);
    table.rows.push_back({row.setting, row.finder, count.mean(), count.deviation(), static_cast<double>(count.most()), row.paper,
                          static_cast<double>(count.of_frame.size())});
    if (row.paper[0] != '-') {
      report.beside_paper(std::string(row.finder) + " on " + row.setting + ": iterations a step", row.paper,
                          experiments::text(count.mean(), 3) + " +- " + experiments::text(count.deviation(), 2));
    }
    experiments::Panel& panel = row.setting[0] == 'S' ? svi : drnea;
    std::string label = row.finder;
    if (panel.curves.size() < 2 && &panel == &svi) label += ", absolute";
    experiments::Curve curve{label, {}, {}};
    for (int n = 1; n <= 12; ++n) {
      curve.x.push_back(n);
      curve.y.push_back(static_cast<double>(std::count(count.of_frame.begin(), count.of_frame.end(), n)) / static_cast<double>(frames));
    }
    panel.curves.push_back(curve);
  }
  report.table("counts", table);
  report.figure("counts", {svi, drnea});
  report.check("no step fails", complete);
  const auto mean_within = [&](std::size_t row, double least, double largest) {
    const double mean = counts[row].mean();
    report.check(std::string(rows[row].setting) + ", " + rows[row].finder + ": " + experiments::text(least, 2) + " to " +
                     experiments::text(largest, 2) + " evaluations a step on average; measured " + experiments::text(mean, 3),
                 mean >= least && mean <= largest);
  };
  mean_within(0, 2, 4);   // the paper: 4
  mean_within(1, 5, 10);  // the paper: 5.69
  report.check("SVI, |f| <= 1e-8: the deviations are small, at most 0.5 for Newton and 1.2 for RIQN; measured " +
                   experiments::text(counts[0].deviation(), 2) + " and " + experiments::text(counts[1].deviation(), 2),
               counts[0].deviation() <= 0.5 && counts[1].deviation() <= 1.2);
  report.check("SVI, |f| <= 1e-8: RIQN takes at least 2 evaluations more than Newton; measured " +
                   experiments::text(counts[1].mean() - counts[0].mean(), 3),
               counts[1].mean() >= counts[0].mean() + 2);
  for (std::size_t row = 5; row < rows.size(); ++row) {
    const bool by_mass = row >= 7 && row <= 9;
    mean_within(row, by_mass ? 1.5 : 1, by_mass ? 6 : 2.6);
  }
  return report.verdict();
}
