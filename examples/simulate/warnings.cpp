// SPDX-License-Identifier: BSD-3-Clause
#include "warnings.hpp"

#include <algorithm>
#include <cmath>

#include "actio/core/text.hpp"
#include "actio/model/describe.hpp"
#include "contacts.hpp"

namespace simulate {

using actio::detail::to_text;

namespace {

/// Returns the largest energy that the integrator made or lost by error, over the largest energy of the motion or its dissipation.
double relative_energy_error(const Run& run, const Model& model) {
  if (!exchanges_energy(model, run.watch)) return run.watch.energy.relative_error();
  if (!run.watch.books || relative_error(run.watch) == 0) return 0;
  const double work = run.watch.drive ? run.watch.drive->work() : 0;
  return largest_error(run.watch) / std::max({run.watch.energy.largest_kinetic(), std::abs(dissipated(run.watch)), std::abs(work)});
}

std::string energy_error(const Run& run, const Model& model) {
  return to_text(relative_energy_error(run, model), 3) +
         (exchanges_energy(model, run.watch) ? " of the kinetic or dissipated energy" : " of the kinetic energy");
}

constexpr double errors_from = 0.5, meaningless_from = 2;  // [rad]

}  // namespace

bool is_blown_up(const Run& run, const Model& model) { return !(relative_energy_error(run, model) <= 0.5); }

std::vector<std::string> warnings_of(const Run& run, const Model& model, const Options& options) {
  std::vector<std::string> list;
  const auto& rate = run.watch.rate;
  const double rotation = rate.largest_body_rotation(), springs = options.step * rate.spring_frequency();
  const double longest = std::max(rotation, springs);
  const std::string advice = "; try --step " + to_text(0.1 * options.step / std::clamp(longest, 1.0, 100.0), 1);
  if (run.summary && is_blown_up(run, model)) {
    list.push_back("the energy error is " + energy_error(run, model) + ": the result is not the motion of this model" + advice);
  }
  if (rotation > errors_from) {
    list.push_back("a body rotates by up to " + to_text(rotation, 3) + " rad in a step: the step is too long " +
                   (rotation > meaningless_from ? "for any meaningful result" : "for an accurate one") + advice);
  }
  if (springs > errors_from) {
    list.push_back("joint springs vibrate at up to " + to_text(rate.spring_frequency(), 3) + " rad/s, h \u03c9 = " + to_text(springs, 3) +
                   ": the step is too long to resolve this, if it is excited" + advice);
  }
  return list;
}

std::string explain(actio::Status status) {
  switch (status) {
    case actio::Status::max_iterations:
      return "the equations of the step were not solved within the limit of iterations: try a shorter --step, or a larger --tolerance";
    case actio::Status::singular:
      return "a mass matrix or constraint matrix is singular: --inertia-from-shapes gives bodies without mass an inertia, and --release loops "
             "removes redundant constraints";
    case actio::Status::not_finite: return "a value overflowed or is not a number: try a shorter --step";
    case actio::Status::rotation_too_large: return "a body rotated by more than the scheme can represent in one step: try a shorter --step";
    case actio::Status::capacity:
      return "bodies touch each other at more than " + std::to_string(most_points_between_bodies) +
             " points: try a start in which they are apart";
    case actio::Status::invalid_step: return "the length of the step became zero or negative: try a shorter --step";
    default: return std::string(actio::describe(status));
  }
}

std::string describe_failure(const Run& run, const Model& model) {
  std::string text = run.integrator + " failed at t = " + to_text(run.summary.time) + " s, in step " +
                     std::to_string(run.summary.steps + 1);
  if (run.summary.culprit) text += ", at " + actio::describe(model, run.summary.culprit);
  if (run.summary.steps > 0 && is_blown_up(run, model)) {
    return text + ": the motion had become meaningless before, with an energy error of " + energy_error(run, model) +
           ": try a shorter --step";
  }
  return text + ": " + explain(run.summary.status);
}

}  // namespace simulate
