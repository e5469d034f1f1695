// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Block LDU in place: small dense blocks of mixed sizes on a graph, no symmetry of values asked for.
#include <Eigen/SVD>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "actio/math/invert.hpp"
#include "actio/solvers/block_graph.hpp"

namespace actio {

/// A sparse matrix of blocks, its factors in its own place, and solves with them.   [Brudigam and Manchester 2020, Alg. 1-4; vi_math.md, section 11.2]
/// Fill it by set_zero() and block(), call factor(), then solve() as often as wanted, and fill it anew. Pivots are whole diagonal
/// blocks, in the order given: rows are exchanged within a block only. Nothing but the constructor allocates or throws.
template <Scalar S>
class BlockLdu {
 public:
  using Block = Eigen::Map<MatrixX<S>>;

  /// @param order of elimination, each node once.
  /// @param may_be_singular nodes whose pivots are inverted as far as their rank goes, for consistent systems with redundant rows.
  BlockLdu(const BlockGraph& graph, std::vector<int> order, const std::vector<int>& may_be_singular = {})
      : BlockLdu(graph, eliminate(graph, std::move(order)), may_be_singular) {}

  int num_nodes() const noexcept { return static_cast<int>(nodes_.size()); }
  Eigen::Index size() const noexcept { return size_; }                          ///< unknowns of all nodes
  Eigen::Index offset(int node) const noexcept { return at(node).row; }         ///< of a node's unknowns in a vector
  int fill() const noexcept { return fill_; }                                   ///< pairs of nodes coupled by elimination alone
  std::size_t num_blocks() const noexcept { return nodes_.size() + 2 * couplings_; }

  void set_zero() noexcept { values_.setZero(); }
  /// Rows of node a, columns of node b.  @pre the graph couples them, or they are the same.  O(log neighbours)
  Block block(int a, int b) noexcept { return Block(values_.data() + place(a, b), at(a).size, at(b).size); }
  auto block(int a, int b) const noexcept { return Eigen::Map<const MatrixX<S>>(values_.data() + place(a, b), at(a).size, at(b).size); }

  /// @returns the first node in the order whose pivot is singular or not finite; -1 when there is none.
  int factor() noexcept;
  /// x := A^-1 x.  @param x (size), node by node in the order of their numbers.
  void solve(VectorRef<S> x) const noexcept;

 private:
  struct Later {
    int node;
    Eigen::Index right, below;  // where the blocks (this, node) and (node, this) begin
  };
  struct Node {
    int size = 0, turn = 0;
    Eigen::Index row = 0, pivot = 0;  // where its unknowns and its diagonal block begin
    std::vector<Later> later;
    int svd = -1;  // which of them, where its pivot may be singular
  };
  /// target (rows x columns) -= left (rows x inner) right (inner x columns), columns one after the other
  struct Update {
    Eigen::Index left, right, target;
    int rows, inner, columns;
  };

  BlockLdu(const BlockGraph& graph, const Elimination& elimination, const std::vector<int>& may_be_singular);
  const Node& at(int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  Eigen::Index place(int a, int b) const noexcept {
    if (a == b) return at(a).pivot;
    const bool right = at(a).turn < at(b).turn;
    const Node& first = at(right ? a : b);
    const int second = right ? b : a;
    const auto found = std::lower_bound(first.later.begin(), first.later.end(), at(second).turn,
                                        [&](const Later& l, int turn) { return at(l.node).turn < turn; });
    ACTIO_ASSERT(found != first.later.end() && found->node == second);
    return right ? found->right : found->below;
  }

  std::vector<Node> nodes_;
  std::vector<int> order_;
  std::vector<Update> updates_;             // node by node in the order
  std::vector<std::size_t> updates_end_;    // where those of the k-th node end
  struct Svd {
    MatrixX<S> copy;
    Eigen::JacobiSVD<MatrixX<S>> svd;
  };
  std::vector<Svd> svds_;
  VectorX<S> values_;
  mutable VectorX<S> work_;  // one node's unknowns
  std::vector<int> exchanged_;
  Eigen::Index size_ = 0;
  std::size_t couplings_ = 0;
  int fill_ = 0;
};

namespace detail {

/// T (rows x columns) -= A (rows x inner) B (inner x columns), all column by column in memory.
template <int rows, class S>
ACTIO_INLINE void subtract_product(S* T, const S* A, const S* B, int inner, int columns) noexcept {
  for (int c = 0; c < columns; ++c) {
    std::array<S, static_cast<std::size_t>(rows)> sum;
    for (int r = 0; r < rows; ++r) sum[static_cast<std::size_t>(r)] = T[r + rows * c];
    for (int k = 0; k < inner; ++k) {
      for (int r = 0; r < rows; ++r) sum[static_cast<std::size_t>(r)] -= A[r + rows * k] * B[k + inner * c];
    }
    for (int r = 0; r < rows; ++r) T[r + rows * c] = sum[static_cast<std::size_t>(r)];
  }
}
template <class S>
void subtract_product(S* T, const S* A, const S* B, int rows, int inner, int columns) noexcept {
  switch (rows) {
    case 1: return subtract_product<1>(T, A, B, inner, columns);
    case 2: return subtract_product<2>(T, A, B, inner, columns);
    case 3: return subtract_product<3>(T, A, B, inner, columns);
    case 4: return subtract_product<4>(T, A, B, inner, columns);
    case 5: return subtract_product<5>(T, A, B, inner, columns);
    case 6: return subtract_product<6>(T, A, B, inner, columns);
    default:
      for (int c = 0; c < columns; ++c) {
        for (int k = 0; k < inner; ++k) {
          for (int r = 0; r < rows; ++r) T[r + rows * c] -= A[r + rows * k] * B[k + inner * c];
        }
      }
  }
}

/// A := its pseudo-inverse, of least norm.  @param copy of the size of A, work.  @returns false when A is not finite or zero.
template <class S>
bool pseudo_invert_in_place(Eigen::Map<MatrixX<S>> A, MatrixX<S>& copy, Eigen::JacobiSVD<MatrixX<S>>& svd) noexcept {
  if (A.size() == 0) return true;
  if (!A.allFinite()) return false;
  copy = A;
  svd.compute(copy);
  const auto& sigma = svd.singularValues();
  if (!(sigma[0] > S(0))) return false;
  const S least = sigma[0] * S(ValueOf<S>(std::max(1e-11, 100 * double(epsilon<S>))));  // below, a direction is redundant  [vi_math.md, section 11.3]
  A.setZero();
  for (Eigen::Index k = 0; k < sigma.size() && sigma[k] > least; ++k) {
    for (Eigen::Index c = 0; c < A.cols(); ++c) A.col(c) += svd.matrixV().col(k) * (svd.matrixU()(c, k) / sigma[k]);
  }
  return true;
}

}  // namespace detail

template <Scalar S>
BlockLdu<S>::BlockLdu(const BlockGraph& graph, const Elimination& elimination, const std::vector<int>& may_be_singular)
    : nodes_(static_cast<std::size_t>(graph.num_nodes())), order_(elimination.order), fill_(elimination.fill) {
  int largest = 0;
  for (int i = 0; i < num_nodes(); ++i) {
    at(i).size = graph.size(i);
    at(i).row = size_;
    size_ += at(i).size;
    largest = std::max(largest, at(i).size);
  }
  for (const int i : may_be_singular) {
    at(i).svd = static_cast<int>(svds_.size());
    const int n = at(i).size;
    svds_.push_back({MatrixX<S>::Zero(n, n), Eigen::JacobiSVD<MatrixX<S>>(n, n, Eigen::ComputeFullU | Eigen::ComputeFullV)});
  }
  Eigen::Index end = 0;
  const auto allot = [&](int rows, int columns) { return std::exchange(end, end + Eigen::Index{rows} * columns); };
  for (std::size_t k = 0; k < order_.size(); ++k) {  // in the order of their use
    Node& node = at(order_[k]);
    node.turn = static_cast<int>(k);
    node.pivot = allot(node.size, node.size);
    for (const int j : elimination.later[static_cast<std::size_t>(order_[k])]) {
      const Eigen::Index right = allot(node.size, at(j).size);
      node.later.push_back({j, right, allot(at(j).size, node.size)});
      ++couplings_;
    }
  }
  values_ = VectorX<S>::Zero(end);
  work_ = VectorX<S>::Zero(largest);
  exchanged_.resize(static_cast<std::size_t>(largest));
  for (const int i : order_) {
    for (const Later& row : at(i).later) {
      for (const Later& column : at(i).later) {
        updates_.push_back({row.below, column.right, place(row.node, column.node), at(row.node).size, at(i).size, at(column.node).size});
      }
    }
    updates_end_.push_back(updates_.size());
  }
}

template <Scalar S>
int BlockLdu<S>::factor() noexcept {
  S* const values = values_.data();
  std::size_t next = 0;
  for (std::size_t turn = 0; turn < order_.size(); ++turn) {
    Node& node = at(order_[turn]);
    S* const pivot = values + node.pivot;
    bool regular = true;
    if (node.svd < 0) {
      regular = invert_in_place(pivot, node.size, exchanged_.data());
    } else {
      Svd& of = svds_[static_cast<std::size_t>(node.svd)];
      regular = detail::pseudo_invert_in_place<S>(Block(pivot, node.size, node.size), of.copy, of.svd);
    }
    if (!regular) return order_[turn];
    for (const Later& later : node.later) {  // F_ij := F_ii^-1 F_ij
      for (int c = 0; c < at(later.node).size; ++c) {
        S* const column = values + later.right + Eigen::Index{node.size} * c;
        for (int r = 0; r < node.size; ++r) work_[r] = -std::exchange(column[r], S(0));
        detail::subtract_product(column, pivot, work_.data(), node.size, node.size, 1);
      }
    }
    for (; next < updates_end_[turn]; ++next) {
      const Update& u = updates_[next];
      detail::subtract_product(values + u.target, values + u.left, values + u.right, u.rows, u.inner, u.columns);
    }
  }
  return -1;
}

template <Scalar S>
void BlockLdu<S>::solve(VectorRef<S> x) const noexcept {
  ACTIO_ASSERT(x.size() == size_);
  const S* const values = values_.data();
  for (const int i : order_) {  // forward, and by the pivots
    const Node& node = at(i);
    S* const own = x.data() + node.row;
    for (int r = 0; r < node.size; ++r) work_[r] = -std::exchange(own[r], S(0));
    detail::subtract_product(own, values + node.pivot, work_.data(), node.size, node.size, 1);
    for (const Later& later : node.later) {
      detail::subtract_product(x.data() + at(later.node).row, values + later.below, own, at(later.node).size, node.size, 1);
    }
  }
  for (auto i = order_.rbegin(); i != order_.rend(); ++i) {  // backward
    const Node& node = at(*i);
    for (const Later& later : node.later) {
      detail::subtract_product(x.data() + node.row, values + later.right, x.data() + at(later.node).row, node.size, at(later.node).size, 1);
    }
  }
}

}  // namespace actio
