// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What is measured and recorded while a simulation runs.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "actio/io/csv.hpp"
#include "actio/io/drawing/plot.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/energy_meter.hpp"
#include "actio/simulation/gap_meter.hpp"
#include "actio/simulation/momentum_meter.hpp"
#include "actio/simulation/motion_recorder.hpp"
#include "actio/simulation/rate_meter.hpp"
#include "actio/simulation/simulate.hpp"
#include "drive_meter.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace simulate {

using Model = actio::Model<double>;

/// E - E_0 over time. When there are many points, each four of them become the lowest and the highest, so that a long run takes no more
/// memory than a short one and the figure looks the same.
class EnergyCurve {
 public:
  void add(double time, double error) {
    if (series_.x.size() == most) thin();
    series_.x.push_back(time);
    series_.y.push_back(error);
  }
  const actio::PlotSeries& series() const { return series_; }

 private:
  static constexpr std::size_t most = 1 << 16;
  void thin() {
    std::vector<double>&x = series_.x, &y = series_.y;
    std::size_t kept = 0;
    for (std::size_t k = 0; k + 4 <= y.size(); k += 4) {
      const auto group = y.begin() + static_cast<std::ptrdiff_t>(k);
      const auto [low, high] = std::minmax_element(group, group + 4);
      for (const auto at : {std::min(low, high), std::max(low, high)}) {
        x[kept] = x[static_cast<std::size_t>(at - y.begin())];
        y[kept++] = *at;
      }
    }
    x.resize(kept);
    y.resize(kept);
  }
  actio::PlotSeries series_;
};

struct Watch {
  explicit Watch(const Model& model) : momentum(model) {}

  actio::EnergyMeter<double> energy;
  actio::MomentumMeter<double, Model::JointVariant> momentum;
  actio::RateMeter<double> rate;
  actio::GapMeter<double> gap;
  bool wants_curve = false;
  EnergyCurve curve;
  std::optional<actio::CsvWriter> file;
  std::function<void()> check_file;                ///< throws if the file cannot be written
  std::vector<actio::State<double>>* samples = nullptr;  ///< gets the states to which csv_stride applies
  std::optional<actio::MotionRecorder> film;
  std::optional<actio::Diagnostics<double>> books;  ///< must see every node
  Control* control = nullptr;                       ///< of the actuators, if any acts
  std::optional<DriveMeter> drive;                  ///< of these
  ProgressBar* progress = nullptr;
  std::int64_t meter_stride = 1, csv_stride = 1;  ///< steps between calls

  auto meters() {
    return [this](auto& node) {
      energy(node);
      momentum(node);
      rate(node);
      gap(node);
      if (wants_curve) curve.add(node.time(), energy.error());
    };
  }
  auto film_and_books() {
    return [this](auto& node) {
      if (film) (*film)(node);
      if (books) (*books)(node);
      if (drive) drive->add(node, books ? &books->now() : nullptr);
    };
  }
  /// Returns the controller of the run.
  auto controller() {
    return [this](auto& node, actio::Input<double>& input) {
      if (control) (*control)(node, input);
    };
  }
  auto csv() {
    return [this](auto& node) {
      if (samples) samples->push_back(node.state());
      if (!file) return;
      (*file)(node);
      check_file();
    };
  }
  /// Shows the progress now and then, and ends the run if a signal asks for it. It is asked at every step, and called rarely.
  struct Pulse {
    Watch& watch;
    bool wants(std::int64_t step) const { return signal_received() != 0 || watch.progress->is_due(step); }
    template <class N>
    bool operator()(N& node) {
      watch.progress->show(node.step(), node.time());
      return signal_received() == 0;
    }
  };
  /// Calls run(observers...) with all of them, each at its stride, and returns the result.
  template <class Run>
  auto observed(Run run) {
    const std::int64_t film_stride = film || books || drive ? 1 : csv_stride;  // else it does nothing
    return run(actio::every(meter_stride, meters()), actio::every(film_stride, film_and_books()), actio::every(csv_stride, csv()),
               Pulse{*this});
  }
};

}  // namespace simulate
