// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Turns the samples of simulation diagnostics into plots over time.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/diagnostics.hpp"

namespace actio {
namespace detail {

/// A plot of samples over time, to which curves are added one by one.
template <Scalar S>
class SamplePlot {
 public:
  SamplePlot(const std::vector<DiagnosticsSample<S>>& samples, std::string title, std::string label, std::string unit)
      : samples_(&samples), plot_{std::move(title), "", "time", "s", std::move(label), std::move(unit), {}} {}

  /// Adds a curve.  @param value maps a sample to the number that is plotted.
  template <class Value>
  SamplePlot& add(std::string name, Value value) {
    PlotSeries curve{std::move(name), {}, {}};
    for (const DiagnosticsSample<S>& sample : *samples_) {
      curve.x.push_back(static_cast<double>(value_of(sample.time)));
      curve.y.push_back(static_cast<double>(value_of(S(value(sample)))));
    }
    plot_.series.push_back(std::move(curve));
    return *this;
  }
  /// Adds the curve only if its value is nonzero in some sample.
  template <class Value>
  SamplePlot& add_used(std::string name, Value value) {
    const auto is_used = [&](const auto& sample) { return value_of(S(value(sample))) != 0; };
    return std::any_of(samples_->begin(), samples_->end(), is_used) ? add(std::move(name), value) : *this;
  }
  /// Adds the three world-frame components of a vector as curves.
  template <class Value>
  SamplePlot& add_vector(Value value) {
    for (const auto& [k, name] : {std::pair(0, "x"), {1, "y"}, {2, "z"}})
      add(name, [&, k = k](const auto& sample) { return value(sample)[k]; });
    return *this;
  }
  operator Plot() const { return plot_; }  ///< the plot with the curves added so far

 private:
  const std::vector<DiagnosticsSample<S>>* samples_;
  Plot plot_;
};

}  // namespace detail

/// Returns plots over time of what Diagnostics recorded: energies, the energy balance, momenta, constraint gaps and iterations.
/// Kinds of energy that are zero throughout the run are left out, and so are gaps that never opened; without samples there are no plots.
/// Momenta are plotted by components in the world frame, the angular momentum about the centre of mass. Units as in DiagnosticsSample.
/// @param samples in ascending order of time, as Diagnostics::samples() returns them.
template <Scalar S>
std::vector<Plot> diagnostic_plots(const std::vector<DiagnosticsSample<S>>& samples) {
  using Sample = DiagnosticsSample<S>;
  using Samples = detail::SamplePlot<S>;
  std::vector<Plot> plots;
  if (samples.empty()) return plots;
  plots.push_back(Samples(samples, "Energy", "energy", "J")
                      .add("kinetic", [](const Sample& s) { return s.energy.kinetic; })
                      .add_used("potential", [](const Sample& s) { return s.energy.potential; })
                      .add_used("elastic", [](const Sample& s) { return s.energy.elastic; })
                      .add("total", [](const Sample& s) { return s.energy.total(); })
                      .add_used("dissipated", [](const Sample& s) { return s.dissipated; })
                      .add_used("input", [](const Sample& s) { return s.input; }));
  plots.push_back(Samples(samples, "Unaccounted energy", "balance", "J").add("balance", [](const Sample& s) { return s.balance; }));
  plots.push_back(Samples(samples, "Linear momentum", "momentum", "N s").add_vector([](const Sample& s) { return s.linear_momentum; }));
  plots.push_back(Samples(samples, "Angular momentum about the centre of mass", "momentum", "N m s").add_vector([](const Sample& s) {
    return s.spin;
  }));
  if (std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return value_of(s.gap) != 0; })) {
    plots.push_back(Samples(samples, "Largest gap", "gap", "m").add("gap", [](const Sample& s) { return s.gap; }));
  }
  plots.push_back(Samples(samples, "Iterations per step", "iterations", "").add("iterations", [](const Sample& s) {
    return S(static_cast<ValueOf<S>>(s.iterations));
  }));
  return plots;
}

}  // namespace actio
