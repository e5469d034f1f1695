// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Rows that an articulated matrix cannot take, because they connect two bodies or two joints of the tree.
#include <algorithm>
#include <span>
#include <vector>

#include "actio/constraints/mobility.hpp"
#include "actio/equations/rows_on_tree.hpp"
#include "actio/math/block_inverses.hpp"
#include "actio/solvers/cone/law.hpp"
#include "actio/solvers/krylov.hpp"

namespace actio::detail {

/// Solves systems with T + h G^T H G, where systems with T are solved in O(bodies + rows), by
///   x = T^-1 b - h T^-1 G^T y,   (1 + h H G T^-1 G^T) y = H G T^-1 b.                            [compliant_math.md, sections 2.2 and 8]
/// Few rows are solved directly: each factorisation solves T once per row and inverts a dense matrix of their number. More rows are solved
/// by an iteration over products with that matrix, O(bodies + rows) each, every group scaled by the mobility of its bodies. If there are
/// more rows than velocities, so that they cannot all be independent, a dense matrix of the velocities is used, 1 + h T^-1 G^T H G.
template <class ModelType>
class TiedRows {
 public:
  using Model = ModelType;           ///< the tree and its bodies
  using S = typename Model::Scalar;  ///< the scalar

  /// @param capacity largest number of rows.  @param few systems with at most this many rows are solved directly.
  /// @param model outlives this.
  TiedRows(const Model& model, std::size_t capacity, std::size_t few)
      : max_direct_(std::min(capacity, few)),
        nv_(static_cast<std::size_t>(model.nv())),
        groups_(capacity),
        exchanged_(std::max(max_direct_, wide(capacity))),
        coupled_(exchanged_.size() * exchanged_.size()),
        GZ_(max_direct_ * max_direct_),
        Z_(MatrixX<S>::Zero(model.nv(), static_cast<Eigen::Index>(capacity > nv_ ? capacity : max_direct_))),
        row_of_(capacity),
        column_(VectorX<S>::Zero(model.nv())),
        rest_(column_),
        y_(VectorX<S>::Zero(static_cast<Eigen::Index>(capacity))),
        rates_(y_),
        r_(y_),
        scales_(capacity > max_direct_ ? capacity : 0),
        gmres_(static_cast<Eigen::Index>(capacity > max_direct_ ? std::min(capacity, nv_) : 0), basis) {}

  /// Begins a step, without rows.
  void clear() noexcept {
    num_rows_ = num_groups_ = 0;
    num_factorizations_ = 0;
  }
  bool empty() const noexcept { return num_rows_ == 0; }  ///< whether there are no rows
  /// Adds the rows of a group.  @param group its number.  @param first, count its rows, at most 3.
  /// @returns false if the capacity is exhausted.
  [[nodiscard]] bool add(std::size_t group, Eigen::Index first, std::size_t count) noexcept {
    if (num_rows_ + count > row_of_.size()) return false;
    ACTIO_ASSERT(count <= 3);
    groups_[num_groups_++] = {group, static_cast<Eigen::Index>(num_rows_), static_cast<int>(count), Matrix3<S>::Zero()};
    for (std::size_t r = 0; r < count; ++r) row_of_[num_rows_++] = first + static_cast<Eigen::Index>(r);
    return true;
  }

  /// Factors the matrix.  @param solve_T (x) replaces x (nv) by T^-1 x.  @param mobility begun at the pose of the tree.
  /// @param forces of all groups.  @param h time step [s].  @returns false if the matrix is singular.
  template <class SolveT>
  bool factor(RowsOnTree<Model>& rows, const RowMobility<Model>& mobility, std::span<const GroupForce<S>> forces, const S& h,
              const SolveT& solve_T) noexcept {
    h_ = h;
    ++num_factorizations_;
    for (Group& group : groups()) group.H = forces[group.number].H;
    switch (way()) {
      case Way::rows: return factor_rows(rows, solve_T);
      case Way::velocities: return factor_velocities(rows, solve_T);
      default: return set_scales(rows, mobility);
    }
  }
  /// Replaces x (nv) by (T + h G^T H G)^-1 x.
  template <class SolveT>
  void solve(RowsOnTree<Model>& rows, const SolveT& solve_T, VectorRef<S> x) noexcept {
    solve_T(x);
    switch (way()) {
      case Way::rows: return add_response_of_rows(rows, x);
      case Way::velocities: return add_response_of_velocities(rows, x);
      default: break;
    }
    const Eigen::Index m = size();
    rows.rates_of(chosen(), x, rates_);
    for (const Group& group : groups()) of(group, r_) = group.H.topLeftCorner(group.size, group.size).lazyProduct(of(group, rates_));
    scales_.multiply(r_, r_, num_groups_);
    y_.head(m).setZero();
    const auto times = [&](const auto& y, auto&& out) {
      set_response(rows, solve_T, y);
      rows.rates_of(chosen(), column_, rates_);
      for (const Group& group : groups()) {
        out.segment(group.first, group.size) =
            y.segment(group.first, group.size) + h_ * group.H.topLeftCorner(group.size, group.size).lazyProduct(of(group, rates_));
      }
      scales_.multiply(out, out, num_groups_);
    };
    gmres_.solve(times, r_.head(m), y_.head(m), accurate, max_iterations);
    set_response(rows, solve_T, y_.head(m));
    x -= h_ * column_;
  }

 private:
  struct Group {
    std::size_t number = 0;  // among all groups
    Eigen::Index first = 0;  // its first row here
    int size = 0;
    Matrix3<S> H;
  };
  static constexpr int basis = 60, max_iterations = 300;
  static constexpr ValueOf<S> accurate = ValueOf<S>(sizeof(ValueOf<S>) >= 8 ? 1e-13 : 1e-6);

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(num_rows_); }
  enum class Way { rows, velocities, iteration };
  Way way() const noexcept { return num_rows_ <= max_direct_ ? Way::rows : num_rows_ > nv_ ? Way::velocities : Way::iteration; }
  /// Returns the number of velocities if there may be more rows than that, else 0.
  std::size_t wide(std::size_t capacity) const noexcept { return capacity > nv_ ? nv_ : 0; }
  std::span<Group> groups() noexcept { return {groups_.data(), num_groups_}; }
  static auto of(const Group& group, VectorX<S>& x) noexcept { return x.segment(group.first, group.size); }
  std::span<const Eigen::Index> chosen() const noexcept { return {row_of_.data(), num_rows_}; }
  /// Computes column_ = T^-1 G^T y.
  template <class SolveT, class Y>
  void set_response(RowsOnTree<Model>& rows, const SolveT& solve_T, const Y& y) noexcept {
    rows.forces_of(chosen(), y, column_);
    solve_T(VectorRef<S>(column_));
  }
  /// Number of refinements of a solution by a dense matrix. If stiff rows are redundant, its inverse has large entries for forces that have
  /// no effect, whose rounding errors show in the motion and keep Newton's method from converging. Most steps converge before that matters.
  int refinements() const noexcept { return num_factorizations_ > 2 ? 2 : 0; }
  /// Computes x - h Z y with  y = H G (x - h Z y),  given x = T^-1 b.
  void add_response_of_rows(RowsOnTree<Model>& rows, VectorRef<S> x) noexcept {
    const Eigen::Index m = size();
    y_.head(m).setZero();
    for (int k = 0; k <= refinements(); ++k) {
      rows.rates_of(chosen(), x, rates_);
      for (const Group& group : groups())
        of(group, r_) = group.H.topLeftCorner(group.size, group.size).lazyProduct(of(group, rates_)) - of(group, y_);
      rates_.head(m).noalias() = square(coupled_, m) * r_.head(m);
      y_.head(m) += rates_.head(m);
      for (Eigen::Index row = 0; row < m; ++row) x -= (h_ * rates_[row]) * Z_.col(row);
    }
  }
  /// The same by the matrix of the velocities.
  void add_response_of_velocities(RowsOnTree<Model>& rows, VectorRef<S> x) noexcept {
    column_ = x;
    x.setZero();
    rest_ = column_;
    for (int k = 0; k <= refinements(); ++k) {
      x.noalias() += square(coupled_, column_.size()) * rest_;
      if (k == refinements()) break;
      rest_ = column_ - x;
      rows.rates_of(chosen(), x, rates_);
      for (const Group& group : groups()) {
        of(group, r_) = group.H.topLeftCorner(group.size, group.size).lazyProduct(of(group, rates_));
        for (int r = 0; r < group.size; ++r) rest_ -= (h_ * r_[group.first + r]) * Z_.col(group.first + r);
      }
    }
  }
  bool set_scales(RowsOnTree<Model>& rows, const RowMobility<Model>& mobility) noexcept {
    for (std::size_t g = 0; g < num_groups_; ++g) {
      const Group& group = groups_[g];
      Matrix3<S> A = Matrix3<S>::Zero();
      const auto row = [&](int r) -> const ConstraintRow<S>& {
        return rows.constraint(row_of_[static_cast<std::size_t>(group.first + r)]);
      };
      for (int r = 0; r < group.size; ++r) {
        for (int c = 0; c < group.size; ++c) A(r, c) = mobility.between(row(r), row(c));
      }
      const Matrix3<S> coupled = Matrix3<S>::Identity() + h_ * group.H * A;
      if (!scales_.set(g, group.first, group.size, coupled)) return false;
    }
    return true;
  }
  static Eigen::Map<MatrixX<S>> square(std::vector<S>& entries, Eigen::Index n) noexcept { return {entries.data(), n, n}; }
  template <class SolveT>
  void set_Z(RowsOnTree<Model>& rows, const SolveT& solve_T, Eigen::Index k) noexcept {
    rows.covector(row_of_[static_cast<std::size_t>(k)], Z_.col(k));
    solve_T(Z_.col(k));
  }
  template <class SolveT>
  bool factor_rows(RowsOnTree<Model>& rows, const SolveT& solve_T) noexcept {
    Eigen::Map<MatrixX<S>> GZ = square(GZ_, size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      set_Z(rows, solve_T, k);
      rows.rates_of(chosen(), Z_.col(k), GZ.col(k));
    }
    Eigen::Map<MatrixX<S>> coupled = square(coupled_, size());
    coupled.setIdentity();
    for (const Group& group : groups()) {
      for (int r = 0; r < group.size; ++r) {
        for (int c = 0; c < group.size; ++c) coupled.row(group.first + r) += (h_ * group.H(r, c)) * GZ.row(group.first + c);
      }
    }
    return invert_in_place(coupled_.data(), static_cast<int>(num_rows_), exchanged_.data());
  }
  /// Computes coupled_ = (1 + h Z H G)^-1.
  template <class SolveT>
  bool factor_velocities(RowsOnTree<Model>& rows, const SolveT& solve_T) noexcept {
    for (Eigen::Index k = 0; k < size(); ++k) set_Z(rows, solve_T, k);
    Eigen::Map<MatrixX<S>> coupled = square(coupled_, Z_.rows());
    coupled.setIdentity();
    for (const Group& group : groups()) {
      for (int c = 0; c < group.size; ++c) {
        if (group.H.col(c).isZero(S(0))) continue;
        rows.covector(row_of_[static_cast<std::size_t>(group.first + c)], column_);
        for (int r = 0; r < group.size; ++r) {
          if (group.H(r, c) != S(0)) coupled.noalias() += (h_ * group.H(r, c)) * Z_.col(group.first + r) * column_.transpose();
        }
      }
    }
    return invert_in_place(coupled_.data(), static_cast<int>(coupled.rows()), exchanged_.data());
  }

  std::size_t max_direct_, nv_;
  std::vector<Group> groups_;
  std::size_t num_groups_ = 0, num_rows_ = 0;
  int num_factorizations_ = 0;  // since clear()
  S h_{};
  // Z = T^-1 G^T; coupled = 1 + h H G Z, then its inverse, or that of 1 + h Z H G.
  std::vector<int> exchanged_;
  std::vector<S> coupled_, GZ_;
  MatrixX<S> Z_;
  std::vector<Eigen::Index> row_of_;  // number of each row among all rows
  VectorX<S> column_, rest_;          // (nv)
  VectorX<S> y_, rates_, r_;          // (rows)
  BlockInverses<S> scales_;           // (1 + h H A)^-1 of each group, A the mobility of its bodies
  Gmres<S> gmres_;
};

}  // namespace actio::detail
