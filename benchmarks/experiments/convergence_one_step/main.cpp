// SPDX-License-Identifier: BSD-3-Clause
// Lee, Liu, Park, Srinivasa 2016, Fig. 4a: convergence of root finders within one step, from the configuration zero as in the paper,
// and from the current configuration as in its released code.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "history.hpp"
#include "support/lee2016_chain.hpp"
#include "support/report.hpp"

namespace {

using convergence::History, convergence::Model, convergence::State, convergence::Vector;
using experiments::text;

struct Finder {
  std::string name;
  History (*run)(const Model&, const State&, double, const Vector&, int);
};
const Finder published{"Newton (Algorithm 1)", convergence::algorithm_1}, impulses{"RIQN", convergence::riqn};
const std::vector<Finder> finders{published,
                                  {"Newton, safeguarded", convergence::newton},
                                  {"Newton, Jacobian once", convergence::simplified_newton},
                                  {"Broyden, dense, from the exact Jacobian", convergence::dense_broyden},
                                  {"Broyden over RIQN", convergence::broyden},
                                  {"Anderson over RIQN", convergence::anderson},
                                  impulses};

constexpr int most = 50, shown = 10;
constexpr double tolerance = 1e-8;  ///< on |f| [N m s], of the released code
constexpr std::uint64_t seeds = 20;

enum class Guess { zero_configuration, current_configuration };

struct Case {
  int links;
  double h;       ///< [s]
  double spread;  ///< q is random in +- spread [rad], v in +-pi/2 rad/s
  Guess guess;

  std::string title() const {
    return std::to_string(links) + " links, " + text(1e3 * h, 2) + " ms, q in +-" + text(spread, 3) + ", from " +
           (guess == Guess::zero_configuration ? "zero" : "the current q");
  }
  History run(const Finder& finder, std::uint64_t seed) const {
    const Model model = experiments::lee2016_chain(links);
    State start = experiments::random_state(model, seed);
    start.q *= spread / (std::numbers::pi / 2);
    const Vector x = guess == Guess::zero_configuration ? Vector(-start.q) : Vector(Vector::Zero(links));
    return finder.run(model, start, h, x, most);
  }
};

/// Returns the number of updates until |f| is at the tolerance; more than `most` if it never is.
int updates(const History& history) {
  const std::vector<double>& f = history.euclidean;
  return static_cast<int>(std::find_if(f.begin(), f.end(), [](double norm) { return norm <= tolerance; }) - f.begin()) +
         (*std::min_element(f.begin(), f.end()) <= tolerance ? 0 : most);
}

/// Returns p of e_{k+1} ~ e_k^p by the last three norms above the tolerance, which is well above rounding; NaN if there are none.
double order(const std::vector<double>& e) {
  for (std::size_t k = e.size(); k-- > 2;) {
    if (e[k] > tolerance && e[k] < e[k - 1] && e[k - 1] < e[k - 2]) return std::log(e[k] / e[k - 1]) / std::log(e[k - 1] / e[k - 2]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Statistics of the values that are not NaN, and the number of these.
struct Spread {
  double least = std::numeric_limits<double>::infinity(), sum = 0, largest = -std::numeric_limits<double>::infinity();
  int count = 0;

  void add(double x) {
    if (std::isnan(x)) return;
    least = std::min(least, x), largest = std::max(largest, x), sum += x, ++count;
  }
  double mean() const { return sum / count; }
  std::string words() const { return text(least, 3) + " to " + text(largest, 3) + ", mean " + text(mean(), 3); }
};

/// Returns the factors by which a relative norm decreases from update to update, after the first one and well above rounding.
Spread factors(const std::vector<double>& e) {
  Spread spread;
  for (std::size_t k = 2; k < e.size() && e[k] > 3e-14; ++k) spread.add(e[k - 1] / e[k]);
  return spread;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "convergence_one_step",
                                   "Residual after each update within one step [Lee et al. 2016, Fig. 4a]");
  constexpr double right_angle = std::numbers::pi / 2;
  const Case paper{50, 1e-3, 0.03, Guess::zero_configuration}, paper_wide{50, 1e-3, right_angle, Guess::zero_configuration},
      current{10, 1e-3, right_angle, Guess::current_configuration}, current_long{10, 1e-2, right_angle, Guess::current_configuration},
      released{50, 1e-3, right_angle, Guess::current_configuration};
  const std::vector<Case> cases{paper, {10, 1e-3, 0.1, Guess::zero_configuration}, paper_wide, released, current, current_long};
  report.say(
      "One step with v random in +-pi/2 rad/s, DRNEA with the logarithm on SE(3) as published. The paper takes the configuration\n"
      "zero as the guess, at 1 ms; it states neither the number of links nor the start nor the tolerance. According to its\n"
      "released code: 50 links, q in +-pi/2, |f| <= 1e-8, but the current configuration as the guess. |f| is the paper's norm,\n"
      "Euclidean and absolute, in N m s. The costs of an update differ: see time_dof.\n");

  experiments::Table table{{"case, seed 1", "root finder", "updates to 1e-8"}, {}};
  for (int k = 0; k <= shown; ++k) table.columns.push_back("|f| " + std::to_string(k));
  std::vector<experiments::Panel> panels;
  for (const Case& c : cases) {
    experiments::Panel panel{c.title(), "updates", "|f| [N m s]", false, true, {}};
    for (const Finder& finder : finders) {
      const History history = c.run(finder, 1);
      experiments::Curve curve{finder.name, {}, {}};
      for (std::size_t k = 0; k < std::min<std::size_t>(history.euclidean.size(), 21); ++k) {
        curve.x.push_back(static_cast<double>(k));
        curve.y.push_back(std::max(history.euclidean[k], 1e-17));  // a logarithmic axis cannot show zero
      }
      panel.curves.push_back(curve);
      const int needed = updates(history);
      const experiments::Cell cell = needed > most ? experiments::Cell("none") : experiments::Cell(static_cast<double>(needed));
      if (finder.name == published.name || finder.name == impulses.name)
        report.beside_paper(panel.title + ", " + finder.name + ": updates to 1e-8", experiments::plotted, text(cell, 3));
      std::vector<experiments::Cell> row{panel.title, finder.name, cell};
      for (std::size_t k = 0; k <= shown; ++k)
        row.push_back(k < history.euclidean.size() ? experiments::Cell(history.euclidean[k]) : experiments::Cell("-"));
      table.rows.push_back(row);
    }
    panels.push_back(panel);
  }
  report.table("residuals", table);
  report.figure("residuals", panels);

  // From the configuration zero, for many starts.
  for (const Case& c : {cases[0], cases[1]}) {
    Spread newton_order, riqn_order, newton_updates, riqn_updates;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const History by_newton = c.run(published, seed), by_riqn = c.run(impulses, seed);
      newton_order.add(order(by_newton.euclidean));
      riqn_order.add(order(by_riqn.euclidean));
      newton_updates.add(updates(by_newton));
      riqn_updates.add(updates(by_riqn));
    }
    const std::string where = c.title() + ", " + std::to_string(seeds) + " starts: ";
    report.check(where + "Newton and RIQN converge to |f| <= 1e-8 from all, within 50 updates; most updates: " +
                     text(newton_updates.largest, 3) + " and " + text(riqn_updates.largest, 3),
                 newton_updates.largest <= most && riqn_updates.largest <= most);
    report.check(where + "Newton's order is quadratic, at least 1.3 everywhere and 1.8 to 2.3 on average; measured " + newton_order.words(),
                 newton_order.count == static_cast<int>(seeds) && newton_order.least >= 1.3 && newton_order.mean() >= 1.8 &&
                     newton_order.mean() <= 2.3);
    report.check(where + "RIQN's order is linear, 0.7 to 1.4 on average; measured " + riqn_order.words(),
                 riqn_order.count == static_cast<int>(seeds) && riqn_order.mean() >= 0.7 && riqn_order.mean() <= 1.4);
    report.check(where + "RIQN needs more updates than Newton on average; measured " + text(riqn_updates.mean(), 3) + " and " +
                     text(newton_updates.mean(), 3),
                 riqn_updates.mean() > newton_updates.mean());
  }

  // From the current configuration, RIQN's rate in the norm in which it contracts.
  const Spread at_1 = factors(current.run(impulses, 1).relative), at_10 = factors(current_long.run(impulses, 1).relative);
  report.check("RIQN's rate is the same from update to update, at 10 ms on 10 links within a factor of 2: its relative residual falls by " +
                   at_10.words(),
               at_10.count >= 3 && at_10.largest <= 2 * at_10.least);
  report.check("RIQN's rate is proportional to the step, 5 to 20 times better at 1 ms than at 10 ms; measured " + text(at_1.mean(), 3) +
                   " against " + text(at_10.mean(), 3),
               at_1.mean() >= 5 * at_10.mean() && at_1.mean() <= 20 * at_10.mean());
  const int of_newton = updates(released.run(published, 1)), of_riqn = updates(released.run(impulses, 1));
  report.check(
      "as released: Newton needs fewer updates than RIQN; measured " + std::to_string(of_newton) + " and " + std::to_string(of_riqn),
      of_newton < of_riqn && of_riqn <= most);

  // The paper's guess from the released code's configurations: bodies would rotate by more than half a revolution in the step.
  int newton_converged = 0, riqn_converged = 0, safeguarded_converged = 0;
  const std::uint64_t tried = report.is_short() ? 3 : seeds;
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    newton_converged += updates(paper_wide.run(published, seed)) <= most;
    safeguarded_converged += updates(paper_wide.run(finders[1], seed)) <= most;
    riqn_converged += updates(paper_wide.run(impulses, seed)) <= most;
  }
  report.check(paper_wide.title() + ": none of the root finders converges within 50 updates from any of " + std::to_string(tried) +
                   " starts; Newton does from " + std::to_string(newton_converged) + ", safeguarded from " +
                   std::to_string(safeguarded_converged) + ", RIQN from " + std::to_string(riqn_converged),
               newton_converged + safeguarded_converged + riqn_converged == 0);
  return report.verdict();
}
