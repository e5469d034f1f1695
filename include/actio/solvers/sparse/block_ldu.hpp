// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Block LDU factorisation, in place, of a sparse matrix of small dense blocks of mixed sizes; its values need not be symmetric.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "actio/core/precompiled.hpp"
#include "actio/solvers/sparse/block_graph.hpp"
#include "actio/solvers/sparse/small_blocks.hpp"

namespace actio::detail {

/// A sparse matrix of blocks, which is factored in place, and solutions with its factors.
///                                                            [Brüdigam and Manchester 2020, Alg. 1-4; vi_math.md, section 11.2]
/// Fill it by set_zero() and block(), call factor(), then solve() any number of times, and fill it again. Pivots are whole diagonal
/// blocks, in the order given: rows are exchanged within a block only. Only the constructor allocates or throws.
/// solve() uses storage of the object, too: it must not be called concurrently.
template <Scalar S>
class BlockLdu {
 public:
  using Block = Eigen::Map<MatrixX<S>, 0, Eigen::OuterStride<>>;             ///< a block, stored by columns
  using ConstBlock = Eigen::Map<const MatrixX<S>, 0, Eigen::OuterStride<>>;  ///< the same, read-only
  /// The place of a block, the same in every copy.
  struct Place {
    Eigen::Index begin;  ///< index of its first entry
    int rows,            ///< unknowns of node a
        columns;         ///< unknowns of node b
  };

  /// @param order of elimination, each node once.
  /// @param may_be_singular nodes whose pivots are inverted as far as their rank goes, for consistent systems with redundant rows:
  /// a direction is redundant if elimination left at most 1e-11, or 100 epsilon if larger, of its initial size.
  ///                                                                                                    [vi_math.md, section 11.3]
  BlockLdu(const BlockGraph& graph, std::vector<int> order, const std::vector<int>& may_be_singular = {})
      : BlockLdu(graph, eliminate(graph, std::move(order)), may_be_singular) {}

  int num_nodes() const noexcept { return static_cast<int>(nodes_.size()); }             ///< as in the graph
  Eigen::Index size() const noexcept { return size_; }                                   ///< unknowns of all nodes
  Eigen::Index offset(int node) const noexcept { return at(node).row; }                  ///< index of a node's first unknown in a vector
  int fill() const noexcept { return fill_; }                                            ///< pairs of nodes coupled by elimination only
  std::size_t num_blocks() const noexcept { return nodes_.size() + 2 * later_.size(); }  ///< blocks on and off the diagonal

  void set_zero() noexcept { values_.setZero(); }  ///< to be called before the matrix is filled again
  /// Returns the place of the block with the rows of node a and the columns of node b.  @pre the graph couples them, or they are the same.
  /// O(log neighbours): to be found once for blocks that are filled often.
  Place place(int a, int b) const noexcept;
  /// Returns the block there, to be filled; after factor() it contains factors.
  ///@{
  Block block(const Place& p) noexcept { return {values_.data() + p.begin, p.rows, p.columns, stride(p)}; }
  ConstBlock block(const Place& p) const noexcept { return {values_.data() + p.begin, p.rows, p.columns, stride(p)}; }
  Block block(int a, int b) noexcept { return block(place(a, b)); }
  ConstBlock block(int a, int b) const noexcept { return block(place(a, b)); }
  ///@}
  /// Returns a pointer to the entries of a block: entry (r, c) is at r + leading(p) c.
  S* data(const Place& p) noexcept { return values_.data() + p.begin; }
  static int leading(const Place& p) noexcept { return detail::leading<S>(p.rows); }  ///< entries from column to column of a block

  /// Factors the matrix in place.  @returns -1 on success; otherwise the first node in the order whose pivot is not finite, or is singular
  /// although it may not be; the blocks are then meaningless.
  int factor() noexcept;
  /// Returns the number of unknowns, of nodes that may be singular, that the last factor() found redundant: solve() sets them to zero.
  int dropped() const noexcept { return dropped_; }
  /// Replaces x by A^-1 x.  @param x (size), node by node in the order of their numbers.  @pre factor() returned -1.
  void solve(VectorRef<S> x) const noexcept;

 private:
  struct Node {  // row, work, pivot: where its entries begin in a vector and in work_, and its diagonal block in values_
    int number, size;
    Eigen::Index row = 0, work = 0, pivot = 0;
    std::size_t later_end = 0, updates_end = 0;  // ends of its entries in later_ and updates_
    bool may_be_singular = false;
  };
  struct Later {  // a node coupled with another one (that) when the other one is eliminated
    int position, size;
    Eigen::Index work, right, below;  // where its unknowns are in work_, and the blocks (that, this) and (this, that)
  };
  /// target (rows x columns) -= left (rows x inner) right (inner x columns)
  struct Update {
    Eigen::Index left, right, target;
    int rows, inner, columns;
    int watched;  // position in the order of a node that may be singular, if the target is its diagonal block, else -1
  };

  BlockLdu(const BlockGraph& graph, const Elimination& elimination, const std::vector<int>& may_be_singular);
  const Node& at(int node) const noexcept { return nodes_[static_cast<std::size_t>(position_[static_cast<std::size_t>(node)])]; }
  Node& at(int node) noexcept { return nodes_[static_cast<std::size_t>(position_[static_cast<std::size_t>(node)])]; }
  std::size_t later_begin(std::size_t position) const noexcept { return position == 0 ? 0 : nodes_[position - 1].later_end; }
  void watch(const Node& node) noexcept;
  bool invert(const Node& node) noexcept;
  static Eigen::OuterStride<> stride(const Place& p) noexcept { return Eigen::OuterStride<>(leading(p)); }

  std::vector<Node> nodes_;  // in the order of elimination, as are the vectors below
  std::vector<Later> later_;
  std::vector<Update> updates_;
  std::vector<int> position_;  // position of a node in the order
  VectorX<S> values_;
  mutable VectorX<S> work_, column_;  // all unknowns, in whole packets; those of one node
  std::vector<ValueOf<S>> largest_;   // largest magnitude of each diagonal entry so far, laid out as work_
  std::vector<int> exchanged_;        // rows, then columns, of one pivot
  Eigen::Index size_ = 0;
  int fill_ = 0, dropped_ = 0;
};

template <Scalar S>
BlockLdu<S>::BlockLdu(const BlockGraph& graph, const Elimination& elimination, const std::vector<int>& may_be_singular)
    : position_(elimination.order.size()), fill_(elimination.fill) {
  Eigen::Index values = 0, work = 0;
  const auto allot = [&](int rows, int columns) {
    return std::exchange(values, values + Eigen::Index{detail::leading<S>(rows)} * columns);
  };
  int largest = 0;
  for (const int i : elimination.order) {
    position_[static_cast<std::size_t>(i)] = num_nodes();
    nodes_.push_back({.number = i, .size = graph.size(i), .work = std::exchange(work, work + detail::leading<S>(graph.size(i)))});
    largest = std::max(largest, graph.size(i));
  }
  for (int i = 0; i < num_nodes(); ++i) at(i).row = std::exchange(size_, size_ + at(i).size);
  for (Node& node : nodes_) {  // in the order of their use
    node.pivot = allot(node.size, node.size);
    for (const int j : elimination.later[static_cast<std::size_t>(node.number)]) {
      const Eigen::Index right = allot(node.size, at(j).size);
      later_.push_back({position_[static_cast<std::size_t>(j)], at(j).size, at(j).work, right, allot(at(j).size, node.size)});
    }
    node.later_end = later_.size();
  }
  for (const int i : may_be_singular) at(i).may_be_singular = true;
  for (std::size_t position = 0; position < nodes_.size(); ++position) {
    Node& node = nodes_[position];
    const auto number = [&](const Later& l) { return nodes_[static_cast<std::size_t>(l.position)].number; };
    for (std::size_t r = later_begin(position); r < node.later_end; ++r) {
      for (std::size_t c = later_begin(position); c < node.later_end; ++c) {
        const Place target = place(number(later_[r]), number(later_[c]));
        const bool watched = r == c && nodes_[static_cast<std::size_t>(later_[r].position)].may_be_singular;
        updates_.push_back(
            {later_[r].below, later_[c].right, target.begin, target.rows, node.size, target.columns, watched ? later_[r].position : -1});
      }
    }
    node.updates_end = updates_.size();
  }
  values_ = VectorX<S>::Zero(values);
  work_ = VectorX<S>::Zero(work);
  column_ = VectorX<S>::Zero(largest);
  largest_.resize(static_cast<std::size_t>(work));
  exchanged_.resize(2 * static_cast<std::size_t>(largest));
}

template <Scalar S>
typename BlockLdu<S>::Place BlockLdu<S>::place(int a, int b) const noexcept {
  const Place diagonal{at(a).pivot, at(a).size, at(b).size};
  if (a == b) return diagonal;
  const auto [first, second] = std::minmax(position_[static_cast<std::size_t>(a)], position_[static_cast<std::size_t>(b)]);
  const auto begin = later_.begin() + static_cast<std::ptrdiff_t>(later_begin(static_cast<std::size_t>(first)));
  const auto end = later_.begin() + static_cast<std::ptrdiff_t>(nodes_[static_cast<std::size_t>(first)].later_end);
  const auto found = std::lower_bound(begin, end, second, [](const Later& l, int position) { return l.position < position; });
  ACTIO_ASSERT(found != end && found->position == second);
  return {first == position_[static_cast<std::size_t>(a)] ? found->right : found->below, at(a).size, at(b).size};
}

/// Records the largest magnitude of a diagonal: its remainder may consist of rounding errors only, which its final size does not show.
template <Scalar S>
void BlockLdu<S>::watch(const Node& node) noexcept {
  for (int r = 0; r < node.size; ++r) {
    ValueOf<S>& largest = largest_[static_cast<std::size_t>(node.work + r)];
    largest = std::max(largest, std::abs(value_of(values_[node.pivot + r * (detail::leading<S>(node.size) + 1)])));
  }
}

template <Scalar S>
bool BlockLdu<S>::invert(const Node& node) noexcept {
  using Value = ValueOf<S>;
  S* const pivot = values_.data() + node.pivot;
  if (!node.may_be_singular) return detail::invert_block(pivot, node.size, exchanged_.data());
  Value* const size = largest_.data() + node.work;
  for (int r = 0; r < node.size; ++r) {
    for (int c = 0; c < node.size && size[r] == 0; ++c) size[r] = std::abs(value_of(pivot[r + detail::leading<S>(node.size) * c]));
    size[r] = std::sqrt(size[r]);
  }
  const Value least = std::max(Value(1e-11), 100 * epsilon<S>);
  const int rank =
      invert_in_place(pivot, node.size, detail::leading<S>(node.size), size, least, exchanged_.data(), exchanged_.data() + node.size);
  if (rank < 0) return false;
  dropped_ += node.size - rank;
  return true;
}

template <Scalar S>
int BlockLdu<S>::factor() noexcept {
  S* const values = values_.data();
  dropped_ = 0;
  std::fill(largest_.begin(), largest_.end(), ValueOf<S>(0));
  for (const Node& node : nodes_) {
    if (node.may_be_singular) watch(node);
  }
  auto later = later_.cbegin();
  auto update = updates_.cbegin();
  for (const Node& node : nodes_) {
    S* const pivot = values + node.pivot;
    if (!invert(node)) return node.number;
    for (; later != later_.cbegin() + static_cast<std::ptrdiff_t>(node.later_end); ++later) {  // F_ij := F_ii^-1 F_ij
      S* const right = values + later->right;
      detail::premultiply(right, pivot, node.size, later->size, column_.data());
    }
    for (; update != updates_.cbegin() + static_cast<std::ptrdiff_t>(node.updates_end); ++update) {
      detail::subtract_product(values + update->target, values + update->left, values + update->right, update->rows, update->inner,
                               update->columns);
      if (update->watched >= 0) watch(nodes_[static_cast<std::size_t>(update->watched)]);
    }
  }
  return -1;
}

template <Scalar S>
void BlockLdu<S>::solve(VectorRef<S> x) const noexcept {
  ACTIO_ASSERT(x.size() == size_);
  const S* const values = values_.data();
  S* const work = work_.data();
  const auto copy = [](const S* from, int n, S* to) ACTIO_INLINE_LAMBDA {
    if (n > 6) return void(std::copy_n(from, n, to));
    detail::with_size(n,
                      [&](auto size) ACTIO_INLINE_LAMBDA { detail::unrolled<size>([&](auto k) ACTIO_INLINE_LAMBDA { to[k] = from[k]; }); });
  };
  for (const Node& node : nodes_) copy(x.data() + node.row, node.size, work + node.work);
  auto later = later_.cbegin();
  for (const Node& node : nodes_) {  // forward, and by the pivots
    S* const own = work + node.work;
    detail::premultiply(own, values + node.pivot, node.size, column_.data());
    for (; later != later_.cbegin() + static_cast<std::ptrdiff_t>(node.later_end); ++later) {
      detail::subtract_product<S>(work + later->work, values + later->below, own, later->size, node.size);
    }
  }
  for (std::size_t position = nodes_.size(); position-- > 0;) {  // backward
    const Node& node = nodes_[position];
    S* const own = work + node.work;
    for (std::size_t l = later_begin(position); l < node.later_end; ++l) {
      detail::subtract_product<S>(own, values + later_[l].right, work + later_[l].work, node.size, later_[l].size);
    }
    copy(own, node.size, x.data() + node.row);
  }
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class BlockLdu<double>;
#endif

}  // namespace actio::detail
