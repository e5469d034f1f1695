// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Motions whose steps are timed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "actio/integrators/integrator.hpp"
#include "actio/model/samples/chains.hpp"
#include "support/models.hpp"

namespace bench {

enum class Phase { under_way, released };

/// A motion from bench::start, run to t = 2 s and saved there, or one released from horizontal 20 ms ago.
template <actio::Integrator I>
class Motion {
 public:
  template <class Make>
  Motion(int n, std::string_view name, Phase phase, double h, const Make& make)
      : Motion(make_model(name, n), [phase](const actio::Model<double>& model) {
          actio::State<double> initial = start(model);
          if (phase == Phase::released) initial.q = actio::models::horizontal(model);
          return initial;
        }, phase, h, make) {}
  /// @param begin (const Model&) -> the initial state.
  template <class Begin, class Make>
  Motion(actio::Model<double> model, const Begin& begin, Phase phase, double h, const Make& make)
      : model_(std::move(model)), integrator_(make(model_)), memory_(integrator_.make_memory()), phase_(phase), h_(h) {
    integrator_.reset(begin(model_));
    integrator_.save(memory_);
    const int steps = steps_in(should_be_from()), marks = std::max(steps / 20, 1);
    for (int k = 1; k <= steps && integrator_.step({}, h_); ++k) {
      if (k % marks == 0) integrator_.save(memory_);  // if a scheme's motion diverges, it is timed from shortly before that
    }
    restart();
  }
  Motion(const Motion&) = delete;

  void restart() {
    integrator_.restore(memory_);
    left_ = steps_in(phase_ == Phase::released ? 0.98 : 2);
    from_ = integrator_.time();
  }
  /// Advances the motion.  @returns false when the motion is over.
  bool goes_on() noexcept { return --left_ >= 0; }
  auto step() noexcept { return integrator_.step(nothing_, h_); }
  const I& integrator() const { return integrator_; }
  const actio::Model<double>& model() const { return model_; }
  double from() const { return from_; }
  double should_be_from() const { return phase_ == Phase::released ? 0.02 : 2; }

 private:
  int steps_in(double seconds) const { return static_cast<int>(std::lround(seconds / h_)); }

  actio::Model<double> model_;
  I integrator_;
  typename I::Memory memory_;
  actio::Input<double> nothing_;
  Phase phase_;
  double h_;
  int left_ = 0;  // timed steps before the motion restarts
  double from_ = 0;
};

}  // namespace bench
