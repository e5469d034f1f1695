// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The loops and couplings whose rows a step satisfies, and the order of these rows.
#include <cstddef>
#include <vector>

#include "actio/constraints/loop_closure.hpp"
#include "actio/core/status.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// An active loop or coupling of a model, and its place among the rows of all.
template <Scalar S>
struct Closure {
  const Loop<S>* loop = nullptr;          ///< null: a coupling
  const Coupling<S>* coupling = nullptr;  ///< null: a loop
  std::size_t count = 0,                  ///< number of rows
      first = 0;                          ///< index of the first among all rows

  /// Whether two moving bodies or two joints are connected: a loop may also be closed with the world.
  bool is_internal() const noexcept { return !loop || (loop->body_a > 0 && loop->body_b > 0); }
};

/// Returns the active loops of a model, then its active couplings: the order of rows everywhere.
template <Scalar S, class Joints>
std::vector<Closure<S>> closures_of(const Model<S, Joints>& model) {
  std::vector<Closure<S>> closures;
  std::size_t rows = 0;
  const auto add = [&](const Loop<S>* loop, const Coupling<S>* coupling, std::size_t count) {
    closures.push_back({loop, coupling, count, rows});
    rows += count;
  };
  for (const Loop<S>& loop : model.loops()) {
    if (loop.active) add(&loop, nullptr, static_cast<std::size_t>(num_rows(loop.type)));
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (coupling.active) add(nullptr, &coupling, 1);
  }
  return closures;
}
/// Returns the number of rows of all.
template <Scalar S>
std::size_t num_rows(const std::vector<Closure<S>>& closures) noexcept {
  return closures.empty() ? 0 : closures.back().first + closures.back().count;
}
/// Returns the loop or coupling of a row.  @param row < num_rows(closures).
template <Scalar S>
const Closure<S>& closure_of(const std::vector<Closure<S>>& closures, Eigen::Index row) noexcept {
  std::size_t k = closures.size() - 1;
  while (closures[k].first > static_cast<std::size_t>(row)) --k;
  return closures[k];
}
/// Returns the loop or coupling for a StepResult.
template <Scalar S, class Joints>
Culprit culprit(const Model<S, Joints>& model, const Closure<S>& closure) noexcept {
  return closure.loop ? Culprit::loop(static_cast<int>(closure.loop - model.loops().data()))
                      : Culprit::coupling(static_cast<int>(closure.coupling - model.couplings().data()));
}

}  // namespace actio::detail
