// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A cone problem given by the Delassus matrix of its contacts, without bodies.
#include <Eigen/SparseCore>

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "actio/solvers/cone/problem.hpp"
#include "actio/solvers/sparse/changing_ldu.hpp"

namespace actio::detail {

/// Contacts with the rates W lambda + bias, W a sparse Delassus matrix that may be singular. A ConeProblem whose velocities are pairs
/// (u, s) with u = W s: the rates, and forces that cause them. Their momentum is (s, 0), so that no square root of W is needed and s . u is
/// twice the kinetic energy. Factors  1 + H W  over the graph of contacts.   Only the constructor allocates or throws.
template <Scalar S>
class DelassusVelocities {
 public:
  /// @param W (rows, rows) symmetric [m/(N s)].  @param rows contacts of as many rows each, in the order of W; h is 1.
  DelassusVelocities(const MatrixX<S>& W, ConeRows<S> rows)
      : rows_(std::move(rows)), W_(W.sparseView()), v_free_(VectorX<S>::Zero(2 * W.rows())), mobility_(W.diagonal()), ldu_({}, 0),
        work_(VectorX<S>::Zero(W.rows())) {
    const int contacts = static_cast<int>(rows_.groups().size());
    const auto block = [&](int a, int b) {
      const RowGroup<S>&row = rows_.groups()[static_cast<std::size_t>(a)], &column = rows_.groups()[static_cast<std::size_t>(b)];
      Matrix3<S> all = Matrix3<S>::Zero();
      all.topLeftCorner(row.size, column.size) = W.block(row.first, column.first, row.size, column.size);
      return all;
    };
    std::vector<int> sizes;
    for (int a = 0; a < contacts; ++a) {
      sizes.push_back(rows_.groups()[static_cast<std::size_t>(a)].size);
      blocks_.push_back(block(a, a));
    }
    for (int a = 0; a < contacts; ++a) {
      for (int b = a + 1; b < contacts; ++b) {
        if (block(a, b).isZero(S(0))) continue;
        pairs_.push_back({a, b});
        blocks_.push_back(block(a, b));
      }
    }
    bool fits = false;
    for (std::size_t couplings = 2 * blocks_.size(); !fits; couplings *= 2) {
      ldu_ = ChangingLdu<S>(sizes, couplings);
      fits = ldu_.plan(pairs_);
    }
  }

  /// See ConeProblem.
  ///@{
  const ConeRows<S>& rows() const noexcept { return rows_; }
  S h() const noexcept { return S(1); }
  const VectorX<S>& v_free() const noexcept { return v_free_; }
  const VectorX<S>& mobility() const noexcept { return mobility_; }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) const noexcept { w = v.head(w.size()); }
  void momentum(const ConstVectorRef<S>& v, VectorRef<S> p) const noexcept { set(p, v.tail(work_.size())); }
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) const noexcept { set(f, lambda); }
  bool factor(std::span<const GroupForce<S>> forces) noexcept {
    ldu_.set_zero();
    const auto fill = [&](int a, int b, const Matrix3<S>& W_ab) {
      const int rows = ldu_.size(a), columns = ldu_.size(b);
      S* const entries = ldu_.block(ldu_.place(a, b));
      const Matrix3<S> HW = forces[static_cast<std::size_t>(a)].H * W_ab;
      for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; ++r) entries[detail::leading<S>(rows) * c + r] = HW(r, c) + S(a == b && r == c ? 1 : 0);
      }
    };
    std::size_t k = 0;
    for (; k < forces.size(); ++k) fill(static_cast<int>(k), static_cast<int>(k), blocks_[k]);
    for (const auto& [a, b] : pairs_) {
      fill(a, b, blocks_[k]);
      fill(b, a, blocks_[k++].transpose());
    }
    return ldu_.factor();
  }
  void solve(VectorRef<S> x) noexcept {
    const Eigen::Index m = work_.size();
    x.tail(m) = x.head(m);
    ldu_.solve(x.tail(m));
    x.head(m).noalias() = W_ * x.tail(m);
  }
  S inverse_mass_norm(const ConstVectorRef<S>& f) noexcept {
    work_.noalias() = W_ * f.head(work_.size());
    return std::sqrt(std::abs(work_.dot(f.head(work_.size()))));
  }
  ///@}

 private:
  template <class Head>
  static void set(VectorRef<S>& x, const Head& head) noexcept {
    x.head(head.size()) = head;
    x.tail(head.size()).setZero();
  }

  ConeRows<S> rows_;
  Eigen::SparseMatrix<S> W_;
  VectorX<S> v_free_, mobility_;
  ChangingLdu<S> ldu_;
  VectorX<S> work_;                        // (rows)
  std::vector<std::array<int, 2>> pairs_;  // pairs of contacts that W couples
  std::vector<Matrix3<S>> blocks_;         // blocks of W: those of the contacts, then those of the pairs
};

}  // namespace actio::detail
