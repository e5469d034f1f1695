// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Compliant constraint rows as the cone solvers see them, independent of their source: kinds of laws, compliance R and bias.
#include <span>
#include <vector>

#include "actio/core/types.hpp"

namespace actio {

/// The forces that the rows of a group may exert.
enum class RowKind : unsigned char {
  bilateral,   ///< any
  unilateral,  ///< lambda >= 0
  friction,    ///< |lambda| <= limit
  contact,     ///< (n, t1[, t2]): |lambda_t| <= limit lambda_n, limit the coefficient of friction
};

/// Rows that belong together: a single row, or those of a contact.
template <Scalar S>
struct RowGroup {
  RowKind kind = RowKind::bilateral;  ///< the forces that it may exert
  int size = 1;                       ///< number of rows: 2 or 3 for a contact, else 1
  Eigen::Index first = 0;             ///< index of its first row
  S limit{};                          ///< friction: its bound [N, N m]; contact: the coefficient of friction
  Vector2<S> slip = Vector2<S>::Zero();  ///< contact: see NewGroup

  bool has_slip() const noexcept { return slip[0] != S(0) || slip[1] != S(0); }  ///< whether the direction of slip is given
};

namespace detail {

/// A group of rows to be added to ConeRows, whose members have the meanings given there. Entries beyond its size are not read.
template <Scalar S>
struct NewGroup {
  RowKind kind;     ///< of its rows
  int size;         ///< number of rows: 2 or 3 for a contact, else 1
  Vector3<S> R,     ///< that of a contact's tangents is the same for both
      bias;         ///< of its rates
  S limit{};        ///< as in RowGroup
  /// Contact: the direction in which it slides along its tangents, of length 1, where Coulomb's friction is to act against that direction
  /// and not against the rates, lambda_t = -limit lambda_n slip; zero: against the rates. The convex law does not use it.
  Vector2<S> slip = Vector2<S>::Zero();
};

}  // namespace detail

/// Returns the entries of a group in a vector over all rows, zero beyond the group's size.
template <Scalar S, class Rows>
Vector3<S> of_group(const RowGroup<S>& group, const Rows& x) {
  const Eigen::Index first = group.first;
  if (group.size == 1) return Vector3<S>(x[first], S(0), S(0));
  return Vector3<S>(x[first], x[first + 1], group.size == 3 ? S(x[first + 2]) : S(0));
}

/// The law of a sliding contact.                                                     [compliant_math.md, sections 5.1 and 5.2]
enum class ConeLaw : unsigned char {
  coulomb,  ///< exact: the normal force is that of the spring
  convex,   ///< forces minimise a convex function; contacts that slide at v_t are lifted by h mu |v_t|
};

/// The rows of one step. With rates w = G v the forces are those of springs and dampers at the end of the step,
///   lambda = base - (w + bias) / R  where the group's set allows it,      R = 1 / (C + h K),  bias = K R phi [m/s, rad/s],  base = 0,
/// stiffness K [N/m, N m/rad], damping C [N s/m, N m s/rad], deformation phi [m, rad], length of the step h [s].
///                                                                                     [compliant_math.md, sections 0 and 2.2]
/// The capacity is fixed at construction, and copied.
template <Scalar S>
class ConeRows {
 public:
  /// @param capacity largest number of rows.
  explicit ConeRows(Eigen::Index capacity = 0)
      : groups_(static_cast<std::size_t>(capacity)), R_(VectorX<S>::Zero(capacity)), settling_(R_), base_(R_), bias_(R_) {}

  Eigen::Index size() const noexcept { return size_; }                                            ///< number of rows
  Eigen::Index capacity() const noexcept { return R_.size(); }                                    ///< largest number of rows
  std::span<const RowGroup<S>> groups() const noexcept { return {groups_.data(), num_groups_}; }  ///< in the order in which they were added
  auto R() const noexcept { return R_.head(size_); }                                              ///< >= 0, 0: rigid [m/(N s), rad/(N m s)]
  auto R() noexcept { return R_.head(size_); }                                                    ///< the same for tangents of a contact
  ///@{
  /// R of rows where it is to act on changes of the force only, rigid ones, 0 of others. See ConeOptions::creep.
  auto settling() const noexcept { return settling_.head(size_); }
  auto settling() noexcept { return settling_.head(size_); }
  ///@}
  ///@{
  /// The force from which R acts: 0 unless the row settles [N, N m].
  auto base() const noexcept { return base_.head(size_); }
  auto base() noexcept { return base_.head(size_); }
  ///@}
  auto bias() const noexcept { return bias_.head(size_); }                                        ///< [m/s, rad/s]
  auto bias() noexcept { return bias_.head(size_); }                                              ///< to be modified
  auto whole_bias() const noexcept { return bias() - R().cwiseProduct(base()); }  ///< with what R adds at zero forces [m/s, rad/s]

  /// Removes all rows, keeps the capacity.
  void clear() noexcept {
    num_groups_ = 0;
    size_ = 0;
  }
  /// Adds a group of rows, of one row that is no contact, or of a contact with 1 or 2 tangents, whose bias is zero.
  /// @returns false if the capacity is exhausted.
  ///@{
  [[nodiscard]] bool add(const detail::NewGroup<S>& group) noexcept {
    if (size_ + group.size > capacity()) return false;
    groups_[num_groups_++] = {group.kind, group.size, size_, group.limit, group.slip};
    for (int r = 0; r < group.size; ++r, ++size_) {
      R_[size_] = group.R[r];
      settling_[size_] = base_[size_] = S(0);
      bias_[size_] = group.bias[r];
    }
    return true;
  }
  [[nodiscard]] bool add(RowKind kind, const S& R, const S& bias, const S& limit = S(0)) noexcept {
    return add({kind, 1, Vector3<S>(R, S(0), S(0)), Vector3<S>(bias, S(0), S(0)), limit});
  }
  [[nodiscard]] bool add_contact(int tangents, const S& R_n, const S& R_t, const S& mu, const S& bias_n) noexcept {
    return add({RowKind::contact, 1 + tangents, Vector3<S>(R_n, R_t, R_t), Vector3<S>(bias_n, S(0), S(0)), mu});
  }
  ///@}
  /// Returns a group as it was added.
  detail::NewGroup<S> copy(const RowGroup<S>& group) const noexcept {
    return {group.kind, group.size, of_group(group, R()), of_group(group, bias()), group.limit, group.slip};
  }

 private:
  std::vector<RowGroup<S>> groups_;
  VectorX<S> R_, settling_, base_, bias_;
  std::size_t num_groups_ = 0;
  Eigen::Index size_ = 0;
};

}  // namespace actio
