// SPDX-License-Identifier: BSD-3-Clause
// Brüdigam and Manchester 2020, Fig. 4c: the linear system of a Newton step, solved by its blocks and as a dense matrix.
// Assumed: chains of rods on hinges, open and attached at both ends, and rope ladders; joints at random angles where no loop prevents it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "solvers.hpp"
#include "support/exponent.hpp"
#include "support/report.hpp"

namespace {

using namespace actio;
using maximal_newton::Solver;

struct System {
  std::string name;
  Model<double> (*make)(int);
  int smallest, largest;
};
const std::vector<System> systems{{"open chain", models::revolute_chain<double>, 2, 128},
                                  {"open chain, ball joints", models::spherical_chain<double>, 2, 128},
                                  {"closed chain", models::closed_chain<double>, 2, 128},
                                  {"ladder", models::ladder<double>, 1, 32}};

VectorX<double> configuration(const Model<double>& model) {
  return model.loops().empty() ? models::random_configuration(model, 1, 1.0) : model.neutral();
}

/// The shortest times [s].
struct Times {
  double assembly = std::numeric_limits<double>::infinity(), all = assembly, solve = assembly;

  void measure(Solver& solver, double slice) {
    const auto calls = [&](double seconds) { return seconds < slice ? static_cast<int>(std::ceil(slice / std::max(seconds, 1e-7))) : 1; };
    assembly = std::min(assembly, solver.assemble(std::isfinite(assembly) ? calls(assembly) : 1));
    all = std::min(all, solver.assemble_and_solve(std::isfinite(all) ? calls(all) : 1));
    solve = std::min(solve, solver.solve(std::isfinite(solve) ? calls(solve) : 1));
  }
  double factor_and_solve() const { return all - assembly; }
};

}  // namespace

int main(int argc, char** argv) {
  const experiments::Report report(argc, argv, "maximal_newton",
                                   "The linear system of a Newton step, by blocks and dense [Brüdigam and Manchester 2020, Fig. 4c]");
  const std::vector<int> sizes =
      report.is_short() ? std::vector<int>{2, 8, 16, 32, 64} : std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
  const int repetitions = report.is_short() ? 3 : 10;
  const double slice = report.is_short() ? 2e-4 : 5e-3;
  report.say(
      "The matrix [[M, -G^T], [G, 0]] of all bodies and all constraints, by our block LDU and by Eigen's dense LU with partial "
      "pivoting.");
  report.say("Factor and solve: without the assembly of the matrix. Thread time, the best of interleaved repetitions.\n");

  experiments::Table table{{"system", "links, rungs", "unknowns", "blocks: assemble [us]", "factor and solve [us]", "one more solve [us]",
                            "dense: factor and solve [us]", "one more solve [us]", "times faster", "difference", "blocks kept", "fill"},
                           {}},
      exponents{{"time grows as n^", "blocks", "dense"}, {}};
  std::vector<experiments::Panel> panels;
  std::vector<double> largest_times;  // of the blocks, for each system
  for (const System& system : systems) {
    panels.push_back({"Factor and solve: " + system.name,
                      system.name == "ladder" ? "rungs" : "links",
                      "us",
                      true,
                      true,
                      {{"blocks", {}, {}}, {"dense", {}, {}}}});
    double worst = 0, times_faster = 0;
    experiments::Curve kept;  // blocks against links
    int fill = 0;
    for (const int n : sizes) {
      if (n < system.smallest || n > system.largest) continue;
      const Model<double> model = system.make(n);
      const VectorX<double> q = configuration(model);
      const auto blocks = maximal_newton::blocks(model, q), dense = maximal_newton::dense(model, q);
      Times of_blocks, of_dense;
      for (int repetition = 0; repetition < repetitions; ++repetition) {
        of_blocks.measure(*blocks, slice);
        of_dense.measure(*dense, slice);
      }
      const double difference = (blocks->solution() - dense->solution()).norm() / dense->solution().norm();
      worst = std::max(worst, std::isfinite(difference) ? difference : 1e10);
      const double fast = of_blocks.factor_and_solve(), slow = of_dense.factor_and_solve();
      times_faster = slow / fast;
      table.rows.push_back({system.name, static_cast<double>(n), static_cast<double>(dense->solution().size()), 1e6 * of_blocks.assembly,
                            1e6 * fast, 1e6 * of_blocks.solve, 1e6 * slow, 1e6 * of_dense.solve, slow / fast, difference,
                            blocks->num_blocks(), static_cast<double>(blocks->fill())});
      kept.x.push_back(n);
      kept.y.push_back(blocks->num_blocks());
      fill = std::max(fill, blocks->fill());
      for (experiments::Curve& curve : panels.back().curves) {
        curve.x.push_back(n);
        curve.y.push_back(1e6 * (curve.label == "blocks" ? fast : slow));
      }
    }
    const auto exponent = [&](std::size_t c) {
      return experiments::exponent(panels.back().curves[c], panels.back().curves[c].x.back() / 4);
    };
    exponents.rows.push_back({system.name, exponent(0), exponent(1)});
    report.beside_paper(system.name + ": time grows as n to the power of, by blocks and dense",
                        "linear by blocks; times plotted, no number",
                        experiments::text(exponent(0), 3) + ", " + experiments::text(exponent(1), 3));
    largest_times.push_back(panels.back().curves[0].y.back());
    report.check(system.name + ": both solutions agree to 1e-6: " + experiments::text(worst, 2), worst < 1e-6);
    // The number of blocks to eliminate, which determines the times and does not depend on the load of the machine.
    const double growth = experiments::exponent(kept, kept.x.back() / 4);
    report.check(system.name + ": the number of stored blocks grows with an exponent below 1.1: " + experiments::text(growth, 3),
                 growth < 1.1);
    if (system.name.starts_with("open")) report.check(system.name + ": no fill-in: " + std::to_string(fill), fill == 0);
    report.check(system.name + ": by blocks the time grows with an exponent below 1.5: " + experiments::text(exponent(0), 3),
                 exponent(0) < 1.5);
    const double least = report.is_short() ? 1.8 : 2.2;  // small matrices grow less; quadratic growth is excluded at the full sizes
    report.check(system.name + ": dense, the time grows with an exponent above " + experiments::text(least, 2) + ": " +
                     experiments::text(exponent(1), 3),
                 exponent(1) > least);
    report.check(system.name + ": at the largest size blocks are more than 20 times faster: " + experiments::text(times_faster, 3),
                 times_faster > 20);
  }
  report.beside_paper("time by blocks on hinges, over that on ball joints, of as many links", "more than 1 (said of whole steps)",
                      experiments::text(largest_times[0] / largest_times[1], 3));
  report.table("times", table);
  report.say("From a quarter of the largest size on");
  report.table("exponents", exponents);
  report.figure("times", panels);
  return report.verdict();
}
