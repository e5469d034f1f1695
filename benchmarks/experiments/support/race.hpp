// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Measures the time that integrators take for the same motion, on a machine with other load.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "actio/integrators/integrator.hpp"
#include "support/cpu_time.hpp"

namespace experiments {

/// The result of an integrator on a motion.
struct Lap {
  double seconds = 0;                            ///< for all steps
  int steps = 0;                                 ///< that succeeded; fewer than requested if one failed
  int halved = 0;                                ///< of these: with substeps
  int relaxed = 0;                               ///< of these: with softened loops
  double iterations = 0, evaluations = 0;        ///< sums, as in StepResult
  actio::Status end = actio::Status::converged;  ///< of the last step
};

/// An integrator that runs a motion in slices of steps.
class Racer {
 public:
  Racer() = default;
  virtual ~Racer() = default;
  Racer(const Racer&) = delete;
  Racer& operator=(const Racer&) = delete;

  virtual void restart() = 0;
  /// Makes a number of steps; none after a step has failed.
  virtual void run(int steps, Lap& lap) = 0;
  virtual const actio::VectorX<double>& configuration() const = 0;  ///< q at the current node
  virtual actio::Status read(actio::State<double>& state) = 0;      ///< reads q and v there
};

namespace detail {

template <actio::Integrator I>
class RacerOf final : public Racer {
 public:
  RacerOf(I integrator, actio::State<double> start, double h) : integrator_(std::move(integrator)), start_(std::move(start)), h_(h) {}

  void restart() override { integrator_.reset(start_); }
  void run(int steps, Lap& lap) override {
    for (int k = 0; k < steps && lap.end == actio::Status::converged; ++k) {
      const actio::StepResult<double> result = integrator_.step({}, h_);
      lap.end = result.status;
      lap.iterations += result.iterations;
      lap.evaluations += result.evaluations;
      if (!result) return;
      ++lap.steps;
      lap.halved += result.substeps > 1 ? 1 : 0;
      lap.relaxed += result.relaxed ? 1 : 0;
    }
  }
  const actio::VectorX<double>& configuration() const override { return integrator_.configuration(); }
  actio::Status read(actio::State<double>& state) override { return integrator_.read(state); }

 private:
  I integrator_;
  actio::State<double> start_;
  double h_;
};

}  // namespace detail

/// @param start of the motion.  @param h [s]
template <actio::Integrator I>
std::unique_ptr<Racer> racer(I integrator, const actio::State<double>& start, double h) {
  return std::make_unique<detail::RacerOf<I>>(std::move(integrator), start, h);
}

/// Runs the same motion with all racers, slice by slice in turn, repeatedly. The shortest time of each slice counts: disturbances only add.
/// @param spend approximate processor time for each racer [s]: one repetition at least, ten at most.  @returns in the order of the racers.
inline std::vector<Lap> race(const std::vector<std::unique_ptr<Racer>>& racers, int steps, double spend) {
  const int slices = std::min(steps, 20), repetitions = 10;
  std::vector<Lap> laps(racers.size());
  std::vector<double> spent(racers.size(), 0);
  std::vector<std::vector<double>> shortest(racers.size(),
                                            std::vector<double>(static_cast<std::size_t>(slices), std::numeric_limits<double>::infinity()));
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<Lap> now(racers.size());
    std::vector<bool> takes_part;
    for (std::size_t r = 0; r < racers.size(); ++r) {
      takes_part.push_back(repetition == 0 || spent[r] * (repetition + 1) / repetition < spend);
      if (takes_part[r]) racers[r]->restart();
    }
    for (int slice = 0; slice < slices; ++slice) {
      const int length = steps * (slice + 1) / slices - steps * slice / slices;
      for (std::size_t r = 0; r < racers.size(); ++r) {
        if (!takes_part[r]) continue;
        const double begin = bench::cpu_seconds();
        racers[r]->run(length, now[r]);
        const double seconds = bench::cpu_seconds() - begin;
        spent[r] += seconds;
        double& best = shortest[r][static_cast<std::size_t>(slice)];
        best = std::min(best, seconds);
      }
    }
    if (repetition == 0) laps = now;
  }
  for (std::size_t r = 0; r < racers.size(); ++r) {
    for (const double seconds : shortest[r]) laps[r].seconds += seconds;
  }
  return laps;
}

}  // namespace experiments
