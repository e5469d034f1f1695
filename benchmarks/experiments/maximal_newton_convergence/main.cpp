// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 4d: how Newton's method converges within one step, on pendulums of 1, 10 and 100 links.
// Assumed: rods of 1 m and 1 kg on hinges, released at rest from horizontal, steps of 10 ms; the first step and one in motion.
#include <algorithm>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "newton.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using Update = experiments::NewtonUpdate;

/// Returns the first update for which the measure is below the tolerance, counted from 1; one more than all if there is none.
int updates_until(const std::vector<Update>& updates, double Update::*measure, double tolerance) {
  const auto found = std::find_if(updates.begin(), updates.end(), [&](const Update& update) { return update.*measure < tolerance; });
  return static_cast<int>(found - updates.begin()) + 1;
}

/// Returns the largest c of e_(i+1) = c e_i^2 among the norms of f that are above rounding; it is bounded for quadratic convergence.
double quadratic_constant(const std::vector<Update>& updates, double rounding) {
  double largest = 0;
  for (std::size_t k = 1; k < updates.size() && updates[k].residual > rounding; ++k) {
    largest = std::max(largest, updates[k].residual / (updates[k - 1].residual * updates[k - 1].residual));
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_newton_convergence",
                                   "Convergence of Newton's method within a step [Brüdigam and Manchester 2020, Fig. 4d]");
  report.say(
      "Rods of 1 m and 1 kg on hinges, released at rest from horizontal, h = 10 ms. As published: each step begins with the solution of "
      "the last one, the first");
  report.say(
      "with zeros; an update is halved while the norm of f grows. The unknowns s are velocities [m/s, rad/s] and multipliers [N, N m], "
      "all in one norm.");
  report.say("The paper ends where |Delta s^(i+1) - Delta s^(i)| < 1e-10; here eight updates are made, to show the limit by rounding.\n");

  constexpr int updates = 8, in_motion = 51;
  experiments::Table table{{"step", "links", "update", "norm of f before it", "size of the update", "change from the last", "halvings"},
                           {}};
  experiments::Table summary{{"step", "links", "updates until |Delta s| < 1e-10", "until the change is < 1e-10", "largest e_(i+1)/e_i^2"},
                             {}};
  std::vector<experiments::Panel> panels;
  for (const int step : {1, in_motion}) {
    const std::string name = step == 1 ? "first step" : "step " + std::to_string(step);
    experiments::Panel sizes{"Size of an update, " + name, "update", "|Delta s|", false, true, {}},
        norms{"Norm of f before an update, " + name, "update", "relative to the motion", false, true, {}};
    int of_one = 0;
    for (const int n : {1, 10, 100}) {
      const Model<double> model = models::planar_chain<double>(n);
      const auto made =
          maximal_newton_convergence::last_step(model, {models::horizontal(model), VectorX<double>::Zero(n), 0}, step, updates);
      const std::string links = std::to_string(n) + (n == 1 ? " link" : " links"), where = name + ", " + links + ": ";
      if (!made) {
        report.check(where + "every step converges", false);
        continue;
      }
      experiments::Curve size{links, {}, {}}, norm = size;
      for (std::size_t k = 0; k < made->size(); ++k) {
        const Update& update = (*made)[k];
        table.rows.push_back({name, static_cast<double>(n), static_cast<double>(k + 1), update.residual, update.size, update.change,
                              static_cast<double>(update.halvings)});
        const auto add = [&](experiments::Curve& curve, double y) {
          if (!(y > 0)) return;  // a logarithmic axis cannot show zero
          curve.x.push_back(static_cast<double>(k + 1));
          curve.y.push_back(y);
        };
        add(size, update.size);
        add(norm, update.residual);
      }
      sizes.curves.push_back(size);
      norms.curves.push_back(norm);
      const int small = updates_until(*made, &Update::size, 1e-10), settled = updates_until(*made, &Update::change, 1e-10);
      const double c = quadratic_constant(*made, 1e-13);
      summary.rows.push_back({name, static_cast<double>(n), static_cast<double>(small), static_cast<double>(settled), c});
      report.beside_paper(where + "updates until the change is below 1e-10", "three to four typically; convergence plotted",
                          std::to_string(settled));
      report.check(where + "at most 6 updates until |Delta s| < 1e-10: " + std::to_string(small), small <= 6);
      report.check(
          where + "convergence is quadratic, e_(i+1) < 100 e_i^2 for norms of f down to 1e-13: " + experiments::text(c, 3) + " e_i^2",
          c < 100);
      const bool whole = std::all_of(made->begin(), made->end(), [](const Update& update) { return update.halvings == 0; });
      report.check(where + "the line search shortens no update", whole);
      if (n == 1) of_one = small;
      report.check(where + "at most 2 updates more than for one link: " + std::to_string(small - of_one), small - of_one <= 2);
    }
    panels.insert(panels.end(), {sizes, norms});
  }
  report.table("updates", table);
  report.table("summary", summary);
  report.figure("convergence", panels, 2);
  return report.verdict();
}
