// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The loops, couplings and nonholonomic constraints whose rows a step satisfies, springs between points, and the order of these rows.
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "actio/constraints/loop_closure.hpp"
#include "actio/constraints/nonholonomic.hpp"
#include "actio/core/status.hpp"
#include "actio/model/model.hpp"

namespace actio::detail {

/// An active loop, coupling or nonholonomic constraint of a model, or a spring between points, and its place among the rows of all.
template <Scalar S>
struct Closure {
  const Loop<S>* loop = nullptr;                  ///< null: not a loop
  const Coupling<S>* coupling = nullptr;          ///< null: not a coupling
  const Nonholonomic<S>* nonholonomic = nullptr;  ///< null: not a nonholonomic constraint
  const PointSpring<S>* spring = nullptr;         ///< null: not a spring
  std::size_t count = 0,                          ///< number of rows
      first = 0;                                  ///< index of the first among all rows

  /// Whether two moving bodies or two joints are connected: a loop may also be closed with the world.
  bool is_internal() const noexcept { return coupling || (loop && loop->body_a > 0 && loop->body_b > 0); }
};

/// Whether the rows of closures are followed by those of the springs between points.
enum class Springs : bool { left_out, included };

/// Returns the active loops of a model, then its active couplings, then its active nonholonomic constraints: the order of rows everywhere.
template <Scalar S, class Joints>
std::vector<Closure<S>> closures_of(const Model<S, Joints>& model, Springs springs = Springs::left_out) {
  std::vector<Closure<S>> closures;
  std::size_t rows = 0;
  const auto add = [&](Closure<S> closure, int count) {
    closure.count = static_cast<std::size_t>(count);
    closure.first = std::exchange(rows, rows + closure.count);
    closures.push_back(closure);
  };
  for (const Loop<S>& loop : model.loops()) {
    if (loop.active) add({.loop = &loop}, num_rows(loop.type));
  }
  for (const Coupling<S>& coupling : model.couplings()) {
    if (coupling.active) add({.coupling = &coupling}, 1);
  }
  for (const Nonholonomic<S>& constraint : model.nonholonomic()) {
    if (constraint.active) add({.nonholonomic = &constraint}, std::visit([](const auto& type) { return num_rows(type); }, constraint.type));
  }
  for (const PointSpring<S>& spring : model.springs()) {
    if (springs == Springs::included) add({.spring = &spring}, 1);
  }
  return closures;
}
/// Largest remainder of a redundant row after elimination of the others, relative to its own size.
template <class S>
inline constexpr ValueOf<S> redundant_row = ValueOf<S>(sizeof(ValueOf<S>) >= 8 ? 1e-11 : 1e-4);

/// Returns the number of rows of all.
template <Scalar S>
std::size_t num_rows(const std::vector<Closure<S>>& closures) noexcept {
  return closures.empty() ? 0 : closures.back().first + closures.back().count;
}
/// Returns what a row belongs to.  @param row < num_rows(closures).
template <Scalar S>
const Closure<S>& closure_of(const std::vector<Closure<S>>& closures, Eigen::Index row) noexcept {
  std::size_t k = closures.size() - 1;
  while (closures[k].first > static_cast<std::size_t>(row)) --k;
  return closures[k];
}
/// Returns a closure for a StepResult.
template <Scalar S, class Joints>
Culprit culprit(const Model<S, Joints>& model, const Closure<S>& closure) noexcept {
  if (closure.loop) return Culprit::loop(static_cast<int>(closure.loop - model.loops().data()));
  if (closure.spring) return Culprit::spring(static_cast<int>(closure.spring - model.springs().data()));
  if (closure.coupling) return Culprit::coupling(static_cast<int>(closure.coupling - model.couplings().data()));
  return Culprit::nonholonomic(static_cast<int>(closure.nonholonomic - model.nonholonomic().data()));
}

}  // namespace actio::detail
