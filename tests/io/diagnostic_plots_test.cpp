// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/diagnostic_plots.hpp"

#include "support/catch.hpp"

using namespace actio;

namespace diagnostic_plots_test {

template <Scalar S>
std::vector<DiagnosticsSample<S>> samples() {
  std::vector<DiagnosticsSample<S>> all(3);
  for (int k = 0; k < 3; ++k) {
    auto& sample = all[static_cast<std::size_t>(k)];
    sample.time = S(k) / S(4);
    sample.energy = {S(1 + k), S(10 + k), S(0)};
    sample.balance = S(k) / S(1024);
    sample.linear_momentum << S(k), S(20), S(-k);
    sample.spin << S(5), S(k), S(7);
    sample.iterations = 2 + k;
  }
  return all;
}

const PlotSeries* find(const std::vector<Plot>& plots, const std::string& title, const std::string& curve) {
  for (const Plot& plot : plots) {
    if (plot.title != title) continue;
    for (const PlotSeries& series : plot.series) {
      if (series.name == curve) return &series;
    }
  }
  return nullptr;
}

using Numbers = std::vector<double>;

TEMPLATE_TEST_CASE("diagnostic_plots: every curve contains the values of the samples over their times", "[io][film]", float, double) {
  const std::vector<Plot> plots = diagnostic_plots(samples<TestType>());
  const auto holds = [&](const char* title, const char* curve, const Numbers& y) {
    CAPTURE(title, curve);
    const PlotSeries* series = find(plots, title, curve);
    REQUIRE(series);
    CHECK(series->x == Numbers{0, 0.25, 0.5});
    CHECK(series->y == y);
  };
  holds("Energy", "kinetic", {1, 2, 3});
  holds("Energy", "potential", {10, 11, 12});
  holds("Energy", "total", {11, 13, 15});
  holds("Unaccounted energy", "balance", {0, 1.0 / 1024, 2.0 / 1024});
  holds("Linear momentum", "x", {0, 1, 2});
  holds("Linear momentum", "z", {0, -1, -2});
  holds("Angular momentum about the centre of mass", "y", {0, 1, 2});
  holds("Iterations per step", "iterations", {2, 3, 4});
  for (const Plot& plot : plots) CHECK(plot.x_unit == "s");
}

TEST_CASE("diagnostic_plots: curves without data are omitted, the others are present", "[io][film]") {
  auto some = samples<double>();
  CHECK_FALSE(find(diagnostic_plots(some), "Energy", "dissipated"));
  CHECK_FALSE(find(diagnostic_plots(some), "Energy", "elastic"));
  CHECK_FALSE(find(diagnostic_plots(some), "Largest gap", "gap"));
  some[2].dissipated = 3;
  some[1].input = -1;
  some[1].gap = 1e-12;
  CHECK(find(diagnostic_plots(some), "Energy", "dissipated")->y == Numbers{0, 0, 3});
  CHECK(find(diagnostic_plots(some), "Energy", "input")->y == Numbers{0, -1, 0});
  CHECK(find(diagnostic_plots(some), "Largest gap", "gap")->y == Numbers{0, 1e-12, 0});
  CHECK(diagnostic_plots(std::vector<DiagnosticsSample<double>>{}).empty());
}

}  // namespace diagnostic_plots_test
