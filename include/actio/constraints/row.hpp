// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A constraint is a set of rows, each a sparse covector: wrenches on up to two bodies and entries on up to two joint
// velocities. The code that evaluates rows is independent of the code that solves for their multipliers.
#include <array>
#include <cstddef>
#include <vector>

#include "actio/core/types.hpp"

namespace actio {

/// One row of a constraint: its value g, its bias (dG/dt) v, and its covector G, from which the rate G v follows.
template <Scalar S>
struct ConstraintRow {
  /// The part of the covector that acts on a body.
  struct BodyPart {
    BodyIndex body = 0;                           ///< 0: no part
    Vector6<S> wrench = Vector6<S>::Zero();       ///< on the body, in its own frame, for a unit multiplier
  };
  /// The part of the covector that acts on a joint velocity.
  struct JointPart {
    Eigen::Index v = -1;  ///< entry of v; -1: no part
    S coefficient{};      ///< force on that entry for a unit multiplier
  };
  S value{};                          ///< gap of the constraint [m, rad]
  S bias{};                           ///< derivative of the rate when all accelerations vanish [m/s^2, rad/s^2]
  std::array<BodyPart, 2> bodies{};   ///< its bodies; parts with body 0 are ignored
  std::array<JointPart, 2> joints{};  ///< its joint entries; parts with v = -1 are ignored
  int closure = -1;                   ///< index among the rows of active loops, couplings and nonholonomic constraints; -1: not one of these

  /// Returns the number of bodies other than the world and of joint entries that the row acts on; with two, it connects them.
  int num_parts() const {
    int parts = 0;
    for (const BodyPart& part : bodies) parts += part.body > 0;
    for (const JointPart& part : joints) parts += part.v >= 0;
    return parts;
  }
  /// Returns G v [m/s, rad/s] from body twists V (bodies; in the bodies' frames) and joint velocities v (nv) [rad/s, m/s].
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

  /// Adds G^T lambda to the body wrenches F (bodies; in the bodies' frames) and the joint forces tau (nv).
  void apply(const S& lambda, BodyArray<Vector6<S>>& F, VectorRef<S> tau) const {
    for (const BodyPart& part : bodies) {
      if (part.body > 0) F[part.body] += part.wrench * lambda;
    }
    for (const JointPart& part : joints) {
      if (part.v >= 0) tau[part.v] += part.coefficient * lambda;
    }
  }
};

namespace detail {

/// A list of rows whose capacity is fixed at construction. It is not a std::vector with reserved capacity, because copying one loses
/// the reserve, and a copy of an integrator must continue as the original does, without allocating.
template <Scalar S>
class ConstraintRows {
 public:
  explicit ConstraintRows(std::size_t capacity = 0) : rows_(capacity) {}  ///< allocates for this many rows

  std::size_t size() const noexcept { return size_; }             ///< number of rows in use
  std::size_t capacity() const noexcept { return rows_.size(); }  ///< largest number of rows
  void clear() noexcept { size_ = 0; }                            ///< removes all rows, keeps the capacity
  /// Appends a row.  @returns false if the capacity is exhausted; an integrator then reports Status::capacity.
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
  /// Iterates over the rows in use, in the order in which they were added.
  auto begin() { return rows_.begin(); }
  auto begin() const { return rows_.begin(); }
  auto end() { return rows_.begin() + static_cast<std::ptrdiff_t>(size_); }
  auto end() const { return rows_.begin() + static_cast<std::ptrdiff_t>(size_); }
  ///@}

 private:
  std::vector<ConstraintRow<S>> rows_;
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace actio
