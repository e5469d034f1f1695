// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is measured and recorded while a simulation runs.
#include <functional>
#include <limits>
#include <optional>

#include "actio/io/csv.hpp"
#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/gap_meter.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/motion_recorder.hpp"
#include "actio/simulation/rate_meter.hpp"
#include "actio/simulation/simulate.hpp"

namespace simulate {

using Model = actio::Model<double>;

struct Watch {
  explicit Watch(const Model& model) : momentum(model) {}

  actio::EnergyMeter<double> energy;
  actio::MomentumMeter<double, Model::JointVariant> momentum;
  actio::RateMeter<double> rate;
  actio::GapMeter<double> gap;
  bool wants_curve = false;
  actio::PlotSeries curve;                 ///< E - E_0 over time
  std::optional<actio::CsvWriter> file;
  std::optional<actio::MotionRecorder> film;
  std::optional<actio::Diagnostics<double>> books;  ///< must see every node
  std::function<void(double)> show_progress;  ///< called with the time reached
  std::int64_t meter_stride = 1, csv_stride = 1, progress_stride = 1;  ///< steps between calls

  auto meters() {
    return [this](auto& node) {
      energy(node);
      momentum(node);
      rate(node);
      gap(node);
      if (!wants_curve) return;
      curve.x.push_back(node.time());
      curve.y.push_back(energy.error());
    };
  }
  auto film_and_books() {
    return [this](auto& node) {
      if (film) (*film)(node);
      if (books) (*books)(node);
    };
  }
  auto csv() {
    return [this](auto& node) {
      if (file) (*file)(node);
    };
  }
  auto progress() {
    return [this](auto& node) {
      if (show_progress) show_progress(node.time());
    };
  }
  /// Calls run(observers...) with all of them, each at its stride, and returns the result.
  template <class Run>
  auto observed(Run run) {
    const std::int64_t film_stride = film || books ? 1 : csv_stride;  // else it does nothing
    return run(actio::every(meter_stride, meters()), actio::every(film_stride, film_and_books()), actio::every(csv_stride, csv()),
               actio::every(progress_stride, progress()));
  }
};

}  // namespace simulate
