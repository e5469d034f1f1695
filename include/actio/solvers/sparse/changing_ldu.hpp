// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Block LDU factorisation of a sparse matrix whose graph changes from time to time, as contacts come and go.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "actio/solvers/sparse/minimum_degree.hpp"
#include "actio/solvers/sparse/small_blocks.hpp"

namespace actio::detail {

/// Like BlockLdu, but it can be planned again without allocating. It chooses the order of elimination by MinimumDegree, and no pivot may be
/// singular. The pattern is symmetric; values need not be.  Only the constructor allocates or throws.
template <Scalar S>
class ChangingLdu {
 public:
  /// @param sizes unknowns of each node.  @param couplings largest number of pairs of nodes, including those filled in.
  ChangingLdu(const std::vector<int>& sizes, std::size_t couplings)
      : sizes_(sizes), plan_(static_cast<int>(sizes.size()), couplings), row_(sizes.size()), diagonal_(sizes.size()), blocks_(couplings),
        met_(sizes.size()) {
    Eigen::Index values = 0;
    int largest = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      row_[i] = size_;
      diagonal_[i] = values;
      size_ += sizes[i];
      values += Eigen::Index{detail::leading<S>(sizes[i])} * sizes[i];
      largest = std::max(largest, sizes[i]);
    }
    couplings_begin_ = values;
    values_ = VectorX<S>::Zero(values + most_values(sizes, couplings));
    work_ = VectorX<S>::Zero(size_ + detail::leading<S>(largest));  // packets may extend beyond the last unknown
    exchanged_.resize(static_cast<std::size_t>(largest));
    static_cast<void>(plan({}));  // the diagonal always fits
  }

  int num_nodes() const noexcept { return plan_.num_nodes(); }                          ///< nodes are numbered from 0
  int size(int node) const noexcept { return sizes_[static_cast<std::size_t>(node)]; }  ///< unknowns of a node
  Eigen::Index offset(int node) const noexcept { return row_[static_cast<std::size_t>(node)]; }  ///< of a node's first unknown
  int num_couplings() const noexcept { return plan_.num_couplings(); }  ///< pairs of nodes in the plan, including those filled in

  /// Plans the elimination.  @param pairs of nodes, each pair once and no node with itself.
  /// @returns false if the capacity is exhausted; plan again before any other call then.
  [[nodiscard]] bool plan(std::span<const std::array<int, 2>> pairs) noexcept {
    if (!plan_.plan(pairs)) return false;
    Eigen::Index end = couplings_begin_;
    for (int k = 0; k < num_nodes(); ++k) {
      const int node = plan_.node(k);
      for (std::size_t c = 0; c < plan_.later(k).size(); ++c) {
        const int other = plan_.later(k)[c];
        Coupling& coupling = blocks_[static_cast<std::size_t>(plan_.begin(k)) + c];
        coupling.right = end;
        coupling.below = end + Eigen::Index{detail::leading<S>(size(node))} * size(other);
        end = coupling.below + Eigen::Index{detail::leading<S>(size(other))} * size(node);
      }
    }
    end_ = end;
    return true;
  }
  /// Returns whether the plan couples two nodes, as given or filled in.
  bool is_coupled(int a, int b) const noexcept { return a == b || find(a, b) >= 0; }

  std::span<const int> order() const noexcept { return plan_.order(); }  ///< nodes in the order of their elimination

  /// Sets the matrix to zero before it is filled again: for all nodes, or for some, in their order, that are coupled with no others.
  ///@{
  void set_zero() noexcept { values_.head(end_).setZero(); }
  void set_zero(std::span<const int> nodes) noexcept {
    for (const int node : nodes) {
      std::fill_n(values_.data() + diagonal_[static_cast<std::size_t>(node)], Eigen::Index{detail::leading<S>(size(node))} * size(node),
                  S(0));
      const int k = plan_.position(node);
      if (plan_.later(k).empty()) continue;
      const auto begin = [this](int place) { return place == num_couplings() ? end_ : blocks_[static_cast<std::size_t>(place)].right; };
      std::fill(values_.data() + begin(plan_.begin(k)), values_.data() + begin(plan_.begin(k + 1)), S(0));
    }
  }
  ///@}
  /// Returns the place of the block with the rows of node a and the columns of node b, valid until the next plan.  @pre they are coupled.
  Eigen::Index place(int a, int b) const noexcept {
    if (a == b) return diagonal_[static_cast<std::size_t>(a)];
    const Coupling& coupling = blocks_[static_cast<std::size_t>(find(a, b))];
    return plan_.position(a) < plan_.position(b) ? coupling.right : coupling.below;
  }
  /// Returns the entries of a block: entry (r, c) is at r + detail::leading(size(a)) c.
  S* block(Eigen::Index place) noexcept { return values_.data() + place; }

  /// Factors the matrix in place.  @returns whether all pivots are regular; if not, the blocks are meaningless.
  bool factor() noexcept { return factor(order()); }
  /// The same for some nodes, in their order, that are coupled with no others.
  bool factor(std::span<const int> nodes) noexcept {
    S* const values = values_.data();
    for (const int node : nodes) {
      const int k = plan_.position(node), n = size(node);
      S* const pivot = values + diagonal_[static_cast<std::size_t>(node)];
      if (!detail::invert_block(pivot, n, exchanged_.data())) return false;
      const std::span<const int> later = plan_.later(k);
      const Coupling* const own = blocks_.data() + plan_.begin(k);
      for (std::size_t c = 0; c < later.size(); ++c) detail::premultiply(values + own[c].right, pivot, n, size(later[c]), work_.data());
      for (std::size_t r = 0; r < later.size(); ++r) {
        const int row = later[r], position = plan_.position(row);
        S* const diagonal = values + diagonal_[static_cast<std::size_t>(row)];
        detail::subtract_product(diagonal, values + own[r].below, values + own[r].right, size(row), n, size(row));
        if (r + 1 == later.size()) break;
        for (int place = plan_.begin(position); const int met : plan_.later(position)) met_[static_cast<std::size_t>(met)] = place++;
        for (std::size_t c = r + 1; c < later.size(); ++c) {
          const int column = later[c];
          const Coupling& target = blocks_[static_cast<std::size_t>(met_[static_cast<std::size_t>(column)])];
          detail::subtract_product(values + target.right, values + own[r].below, values + own[c].right, size(row), n, size(column));
          detail::subtract_product(values + target.below, values + own[c].below, values + own[r].right, size(column), n, size(row));
        }
      }
    }
    return true;
  }
  /// Replaces x by A^-1 x.  @param x (unknowns of all nodes), node by node in the order of their numbers.  @pre factor() returned true.
  void solve(VectorRef<S> x) noexcept {
    solve(x, order(), [this](int node) { return offset(node); });
  }
  /// The same for some nodes, in their order, that are coupled with no others.  @param offset_in (node) -> index of its first unknown in x.
  template <class Offset>
  void solve(VectorRef<S> x, std::span<const int> nodes, const Offset& offset_in) noexcept {
    const S* const values = values_.data();
    const auto of = [&](int node) { return x.data() + offset_in(node); };
    for (const int node : nodes) {
      const int k = plan_.position(node);
      multiply(of(node), values + diagonal_[static_cast<std::size_t>(node)], size(node));
      const Coupling* coupling = blocks_.data() + plan_.begin(k);
      for (const int row : plan_.later(k)) detail::subtract_entries(of(row), values + (coupling++)->below, of(node), size(row), size(node));
    }
    for (std::size_t at = nodes.size(); at-- > 0;) {
      const int node = nodes[at], k = plan_.position(node);
      const Coupling* coupling = blocks_.data() + plan_.begin(k);
      for (const int column : plan_.later(k))
        detail::subtract_entries(of(node), values + (coupling++)->right, of(column), size(node), size(column));
    }
  }

 private:
  struct Coupling {
    Eigen::Index right = 0, below = 0;  // blocks (this, later) and (later, this) in values_
  };
  /// Returns the largest number of values of this many couplings of nodes of these sizes.
  static Eigen::Index most_values(std::vector<int> sizes, std::size_t couplings) {
    std::vector<std::array<std::size_t, 2>> kinds;  // values, how many couplings there can be
    std::sort(sizes.begin(), sizes.end());
    for (std::size_t a = 0; a < sizes.size();) {
      const std::size_t a_end = static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), sizes[a]) - sizes.begin());
      for (std::size_t b = a; b < sizes.size();) {
        const std::size_t b_end = static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), sizes[b]) - sizes.begin());
        const int p = sizes[a], q = sizes[b];
        kinds.push_back({static_cast<std::size_t>(detail::leading<S>(p) * q + detail::leading<S>(q) * p),
                         a == b ? (a_end - a) * (a_end - a - 1) / 2 : (a_end - a) * (b_end - b)});
        b = b_end;
      }
      a = a_end;
    }
    std::sort(kinds.begin(), kinds.end(), std::greater<>());
    std::size_t values = 0;
    for (const auto& [each, count] : kinds) {
      const std::size_t taken = std::min(count, couplings);
      values += taken * each;
      couplings -= taken;
    }
    return static_cast<Eigen::Index>(values);
  }
  int find(int a, int b) const noexcept {
    const int first = std::min(plan_.position(a), plan_.position(b)), second = std::max(plan_.position(a), plan_.position(b));
    const std::span<const int> later = plan_.later(first);
    const auto found =
        std::lower_bound(later.begin(), later.end(), second, [this](int node, int position) { return plan_.position(node) < position; });
    return found != later.end() && *found == plan_.node(second) ? plan_.begin(first) + static_cast<int>(found - later.begin()) : -1;
  }
  /// Replaces x (n) by A x.
  void multiply(S* x, const S* A, int n) noexcept {
    for (int r = 0; r < n; ++r) work_[r] = -std::exchange(x[r], S(0));
    detail::subtract_entries(x, A, work_.data(), n, n);
  }

  std::vector<int> sizes_;
  MinimumDegree plan_;
  std::vector<Eigen::Index> row_, diagonal_;  // where a node begins in vectors, and its diagonal block in values_
  std::vector<Coupling> blocks_;              // laid out as the plan's couplings
  std::vector<int> met_, exchanged_;
  VectorX<S> values_, work_;
  Eigen::Index size_ = 0, couplings_begin_ = 0, end_ = 0;
};

}  // namespace actio::detail
