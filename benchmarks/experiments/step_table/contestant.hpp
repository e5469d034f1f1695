// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Integrators by name, each registered in a separate .cpp file: another integrator needs one more file.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actio/integrators/integrator.hpp"
#include "support/cpu_time.hpp"

namespace step_table {

using Model = actio::Model<double>;
using State = actio::State<double>;

/// The result of some steps.
struct Slice {
  double seconds = 0;                                            ///< of processor time
  std::int64_t steps = 0, evaluations = 0, factorizations = 0, updates = 0, pieces = 0;
  int most = 0;                                                  ///< evaluations in a step
  bool complete = true;                                          ///< else a step failed, and was the last
};

/// An integrator during a motion.
class Contestant {
 public:
  virtual ~Contestant() = default;
  /// Goes to a state and saves it.
  virtual void start(const State& state) = 0;
  /// Makes some steps from the saved state: the same ones in every call.
  virtual Slice run(int steps, double h) = 0;
  /// Saves the current state.
  virtual void remember() = 0;
};

template <actio::Integrator I>
class ContestantOf final : public Contestant {
 public:
  explicit ContestantOf(I integrator) : integrator_(std::move(integrator)), memory_(integrator_.make_memory()) {}

  void start(const State& state) override {
    integrator_.reset(state);
    remember();
  }
  Slice run(int steps, double h) override {
    integrator_.restore(memory_);
    Slice slice;
    const double begin = bench::cpu_seconds();
    for (; slice.steps < steps; ++slice.steps) {
      const actio::StepResult<double> result = integrator_.step(nothing_, h);
      slice.complete = static_cast<bool>(result);
      if (!slice.complete) break;
      slice.evaluations += result.evaluations;
      slice.factorizations += result.factorizations;
      slice.updates += result.iterations;
      slice.pieces += result.substeps;
      slice.most = std::max(slice.most, result.evaluations);
    }
    slice.seconds = bench::cpu_seconds() - begin;
    return slice;
  }
  void remember() override { integrator_.save(memory_); }

 private:
  I integrator_;
  typename I::Memory memory_;
  actio::Input<double> nothing_;
};

struct Entry {
  std::string name;
  int place;         ///< in the table, from the left
  bool takes_loops;
  std::unique_ptr<Contestant> (*make)(const Model&);
};

/// Returns all registered integrators, by their places.
std::vector<Entry> entries();
/// Registers an integrator; called before main by its file.  @returns true.
bool enter(Entry entry);

/// Registers the integrator that `make` (const Model&) makes.
template <class Make>
bool enter(std::string name, int place, Make, bool takes_loops = false) {
  using I = decltype(Make()(std::declval<const Model&>()));
  return enter({std::move(name), place, takes_loops,
                [](const Model& model) -> std::unique_ptr<Contestant> { return std::make_unique<ContestantOf<I>>(Make()(model)); }});
}

}  // namespace step_table
