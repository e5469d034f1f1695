// SPDX-License-Identifier: BSD-3-Clause
#include "accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "actio/core/text.hpp"
#include "progress.hpp"

namespace simulate {
namespace {

using actio::State;
using actio::detail::to_text;

/// How far two runs are from each other, at most, see Accuracy.
struct Difference {
  double q = 0, v = 0;
};
Difference between(const Model& model, const std::vector<State<double>>& one, const std::vector<State<double>>& other) {
  actio::VectorX<double> q = actio::VectorX<double>::Zero(model.nv()), v = q, size_q = actio::VectorX<double>::Ones(model.nv()), size_v = size_q;
  for (std::size_t k = 0; k < one.size(); ++k) {
    q = q.cwiseMax(model.difference(one[k].q, other[k].q).cwiseAbs());
    v = v.cwiseMax((one[k].v - other[k].v).cwiseAbs());
    size_q = size_q.cwiseMax(model.difference(one[0].q, one[k].q).cwiseAbs());
    size_v = size_v.cwiseMax(one[k].v.cwiseAbs());
  }
  return {q.cwiseQuotient(size_q).maxCoeff(), v.cwiseQuotient(size_v).maxCoeff()};
}
/// Returns the error of the finer of two runs that differ by `now`, where the two before differed by `before`: the differences decrease as a
/// power of the step, of which no more than that of order 6 is believed.
double remaining(double before, double now) {
  const double ratio = std::min(before / now, 64.);
  return ratio > 1.5 ? now / (ratio - 1) : now;
}

}  // namespace

Accuracy find_step(Runner& runner, const Model& model, const State<double>& start, const Options& options,
                   const std::function<void(Watch&)>& prepare) {
  constexpr int intervals = 16;
  constexpr double most_steps = 1e9;
  constexpr double unknown = std::numeric_limits<double>::infinity();
  Accuracy found;
  Difference last{unknown, unknown};
  std::vector<State<double>> before;
  double best = unknown;
  int worse = 0;
  // Runs with long steps cost little, so that it does not matter how many of them fail.
  double steps = std::max(1., std::ceil(options.duration / (intervals * 64 * options.step)));
  for (; intervals * steps <= most_steps && signal_received() == 0; steps *= 2) {
    const double h = options.duration / (intervals * steps);
    Watch watch(model);
    prepare(watch);
    ProgressBar bar("step " + to_text(h, 3), options.duration, !options.quiet);
    std::vector<State<double>> now;
    watch.progress = &bar;
    watch.samples = &now;
    watch.csv_stride = static_cast<std::int64_t>(steps);
    watch.meter_stride = static_cast<std::int64_t>(intervals * steps) + 1;
    const bool complete = bool(runner.run(start, h, actio::Seconds{options.duration}, watch));
    bar.wipe();
    ++found.runs;
    if (!complete) {
      before.clear();
      last = {unknown, unknown};
      continue;
    }
    if (!before.empty()) {
      const Difference to = between(model, now, before);
      const double q = std::isfinite(last.q) ? remaining(last.q, to.q) : to.q;
      if (q < best) {
        best = q;
        found = {h, q, std::isfinite(last.v) ? remaining(last.v, to.v) : to.v, q <= *options.accuracy, found.runs};
        worse = 0;
      } else if (std::isfinite(last.q) && ++worse == 3) {
        break;  // rounding errors
      }
      if (found.reached) break;
      last = to;
    }
    before = std::move(now);
  }
  if (!std::isfinite(best) && signal_received() == 0) throw BadInput("--accuracy: no two runs of " + options.model + " by " + options.integrators[0] + " succeed");
  return found;
}

std::string first_that_takes(const std::vector<std::string>& names, const Model& model, const Settings& settings) {
  for (const std::string& name : names) {
    try {
      (void)find_integrator(name)->make(model, settings);
      return name;
    } catch (const std::invalid_argument&) {  // the next may take it
    }
  }
  return names.back();  // which says why it refuses the model
}

std::string in_words(const Accuracy& accuracy) {
  return "q to " + to_text(accuracy.q, 2) + ", v to " + to_text(accuracy.v, 2) + ", estimated from " + std::to_string(accuracy.runs) +
         " runs with halved steps" + (accuracy.reached ? "" : ": what was asked for is not reached");
}

}  // namespace simulate
