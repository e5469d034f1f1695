// SPDX-License-Identifier: BSD-3-Clause
// Lee, Liu, Park, Srinivasa 2016, Fig. 4a: how fast root finders converge within one step, from the increment zero.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "history.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "convergence_one_step",
                                   "Residual after each update within one step [Lee et al. 2016, Fig. 4a]");
  using Run = std::vector<double> (*)(const convergence::Model&, const convergence::State&, double, int);
  const std::array<std::pair<const char*, Run>, 6> finders{{{"Newton", convergence::newton},
                                                            {"Newton, Jacobian once", convergence::simplified_newton},
                                                            {"Broyden, dense, from the exact Jacobian", convergence::dense_broyden},
                                                            {"Broyden over RIQN", convergence::broyden},
                                                            {"Anderson over RIQN", convergence::anderson},
                                                            {"RIQN", convergence::riqn}}};
  struct Case {
    int links;
    double h;  ///< [s]
  };
  const std::vector<Case> cases = report.is_short() ? std::vector<Case>{{10, 1e-3}} : std::vector<Case>{{10, 1e-3}, {10, 1e-2}, {50, 1e-3}};
  report.say(
      "One step from random q and v in +-pi/2, DRNEA with the logarithm on SE(3) as published, guess x = 0. What one update costs "
      "differs:\n"
      "see time_dof. The norm is sqrt(f^T M^-1 f), relative to the motion; the paper's is Euclidean and absolute.\n");

  constexpr int most = 20, shown = 10;
  experiments::Table table{{"links", "h [s]", "root finder"}, {}};
  for (int k = 0; k <= shown; ++k) table.columns.push_back(std::to_string(k));
  std::vector<experiments::Panel> panels;
  for (const Case& c : cases) {
    const convergence::Model model = experiments::lee2016_chain(c.links);
    const convergence::State start = experiments::random_state(model, 1);
    experiments::Panel panel{std::to_string(c.links) + " links, h = " + std::to_string(static_cast<int>(1e3 * c.h)) + " ms",
                             "updates",
                             "residual",
                             false,
                             true,
                             {}};
    for (const auto& [name, run] : finders) {
      const std::vector<double> norms = run(model, start, c.h, most);
      experiments::Curve curve{name, {}, {}};
      for (std::size_t k = 0; k < norms.size(); ++k) {
        curve.x.push_back(static_cast<double>(k));
        curve.y.push_back(std::max(norms[k], 1e-17));  // zero has no place on a logarithmic axis
      }
      panel.curves.push_back(curve);
      const auto good = std::find_if(norms.begin(), norms.end(), [](double norm) { return norm < 1e-12; });
      report.beside_paper(panel.title + ", " + name + ": updates to 1e-12", experiments::plotted,
                          good == norms.end() ? "more than " + std::to_string(most) : std::to_string(good - norms.begin()));
      std::vector<experiments::Cell> row{static_cast<double>(c.links), c.h, name};
      for (std::size_t k = 0; k <= shown; ++k)
        row.push_back(k < norms.size() ? experiments::Cell(norms[k]) : experiments::Cell(std::string("-")));
      table.rows.push_back(row);
    }
    panels.push_back(panel);
  }
  report.table("residuals", table);
  report.figure("residuals", panels);
  return 0;
}
