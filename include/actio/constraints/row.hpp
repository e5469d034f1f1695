// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A constraint is a set of rows, each a sparse covector: wrenches on up to two bodies and entries on up to two joint
// velocities. Who evaluates rows does not know who solves, and the other way round.
#include <array>
#include <cstddef>
#include <vector>

#include "actio/core/types.hpp"

namespace actio {

/// One row g: value, rate G v and bias (dG/dt) v, and the covector G itself.
template <Scalar S>
struct ConstraintRow {
  /// A body that the row moves.
  struct BodyPart {
    BodyIndex body = 0;                           ///< 0: no part
    Vector6<S> wrench = Vector6<S>::Zero();       ///< on the body, in its own frame, for a unit multiplier
  };
  /// A joint entry that the row moves.
  struct JointPart {
    Eigen::Index v = -1;  ///< entry of v; -1: no part
    S coefficient{};      ///< force on that entry for a unit multiplier
  };
  S value{};                          ///< gap of the constraint [m, rad]
  S bias{};                           ///< what the rate gains when all accelerations vanish [m/s^2, rad/s^2]
  std::array<BodyPart, 2> bodies{};   ///< its bodies; the world and what is missing count for nothing
  std::array<JointPart, 2> joints{};  ///< its joint entries
  int closure = -1;                   ///< index among the rows of a model's active loops, then couplings; -1: it is none of them

  /// Bodies and joints that it moves; of two it ties one to the other.
  int num_parts() const {
    int parts = 0;
    for (const BodyPart& part : bodies) parts += part.body > 0;
    for (const JointPart& part : joints) parts += part.v >= 0;
    return parts;
  }
  /// G v [m/s, rad/s], from body twists V (bodies; own frames) and joint velocities v (nv) [rad/s, m/s].
  S rate(const BodyArray<Vector6<S>>& V, const ConstVectorRef<S>& v) const {
    S sum(0);
    for (const BodyPart& part : bodies) {
      if (part.body > 0) sum += part.wrench.dot(V[part.body]);
    }
    for (const JointPart& part : joints) {
      if (part.v >= 0) sum += part.coefficient * v[part.v];
    }
    return sum;
  }

  /// Adds G^T lambda to the body wrenches F (bodies; own frames) and joint forces tau (nv).
  void apply(const S& lambda, BodyArray<Vector6<S>>& F, VectorRef<S> tau) const {
    for (const BodyPart& part : bodies) {
      if (part.body > 0) F[part.body] += part.wrench * lambda;
    }
    for (const JointPart& part : joints) {
      if (part.v >= 0) tau[part.v] += part.coefficient * lambda;
    }
  }
};

/// Rows of one or several constraints in room made once. Not a std::vector with reserved room: a copy would lose it, and a
/// copy of an integrator must go on as the original, without allocating.
template <Scalar S>
class ConstraintRows {
 public:
  explicit ConstraintRows(std::size_t capacity = 0) : rows_(capacity) {}  ///< room for so many rows, made once

  std::size_t size() const noexcept { return size_; }             ///< rows in use
  std::size_t capacity() const noexcept { return rows_.size(); }  ///< rows that there is room for
  void clear() noexcept { size_ = 0; }                            ///< keeps the room
  /// Appends a row.  @returns false where there is no room left, which an integrator answers with Status::capacity.
  [[nodiscard]] bool add(const ConstraintRow<S>& row) noexcept {
    if (size_ == rows_.size()) return false;
    rows_[size_++] = row;
    return true;
  }
  ///@{
  /// Row k < size().
  ConstraintRow<S>& operator[](std::size_t k) { return rows_[k]; }
  const ConstraintRow<S>& operator[](std::size_t k) const { return rows_[k]; }
  ///@}
  ///@{
  /// Rows in use, in the order they were added.
  auto begin() { return rows_.begin(); }
  auto begin() const { return rows_.begin(); }
  auto end() { return rows_.begin() + static_cast<std::ptrdiff_t>(size_); }
  auto end() const { return rows_.begin() + static_cast<std::ptrdiff_t>(size_); }
  ///@}

 private:
  std::vector<ConstraintRow<S>> rows_;
  std::size_t size_ = 0;
};

}  // namespace actio
