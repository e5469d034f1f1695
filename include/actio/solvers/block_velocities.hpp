// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "actio/core/precompiled.hpp"
#include "actio/solvers/changing_ldu.hpp"
#include "actio/solvers/cone_problem.hpp"

namespace actio {

/// Many small systems with dense masses, tied in pairs by rows: bodies of a pile, robots among them. A ConeProblem: a factorisation is a
/// sparse one over the graph of what touches what, which is planned anew only when two touch that did not before.
///                                                                                               [compliant_math.md, section 8]
/// Fill it by begin(), mass(), invert_masses(), set_free_motion() and add().  Only the constructor allocates or throws.
template <Scalar S>
class BlockVelocities {
 public:
  using Block = Eigen::Map<MatrixX<S>, 0, Eigen::OuterStride<>>;
  static constexpr int none = -1;

  /// @param sizes velocities of each node.  @param rows, pairs capacities; of pairs of nodes, those filled in by elimination included.
  BlockVelocities(const std::vector<int>& sizes, std::size_t rows, std::size_t pairs)
      : ldu_(sizes, pairs), rows_(static_cast<Eigen::Index>(rows)), mobility_(VectorX<S>::Zero(rows_.capacity())), groups_(rows), pairs_(pairs) {
    Eigen::Index values = 0;
    int largest = 0;
    for (const int size : sizes) {
      mass_begin_.push_back(values);
      values += Eigen::Index{detail::leading<S>(size)} * size;
      largest = std::max(largest, size);
      column_size_ = std::max(column_size_, Eigen::Index{detail::leading<S>(size)});
    }
    const Eigen::Index n = sizes.empty() ? 0 : ldu_.offset(num_nodes() - 1) + sizes.back();
    mass_ = inverse_ = VectorX<S>::Zero(values);
    G_ = VectorX<S>::Zero(2 * static_cast<Eigen::Index>(rows) * column_size_);
    weighted_ = VectorX<S>::Zero(4 * largest);
    v_free_ = work_ = VectorX<S>::Zero(n);
    exchanged_.resize(static_cast<std::size_t>(largest));
  }

  int num_nodes() const noexcept { return ldu_.num_nodes(); }
  int size(int node) const noexcept { return ldu_.size(node); }
  Eigen::Index offset(int node) const noexcept { return ldu_.offset(node); }  ///< of a node's velocities

  /// Begins a step of length h, without rows.
  void begin(const S& h) noexcept {
    h_ = h;
    rows_.clear();
    num_groups_ = 0;
    is_placed_ = false;
  }
  /// Of a node, to be filled: symmetric, positive definite.
  Block mass(int node) noexcept { return map(mass_.data(), node); }
  /// @returns a node whose mass is singular, or none.
  int invert_masses() noexcept {
    inverse_ = mass_;
    for (int i = 0; i < num_nodes(); ++i) {
      if (!detail::invert_block(inverse_.data() + mass_begin_[index(i)], size(i), exchanged_.data())) return i;
    }
    return none;
  }
  /// v_free = v + M^-1 impulse.
  void set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse) noexcept {
    multiply(inverse_, impulse, v_free_);
    v_free_ += v;
  }

  /// Adds a group of 1 to 3 rows.  @param nodes that they work on, two or one and none.  @param G of each of them, (size x count), by columns
  /// that are leading(size) apart.  @param bias of the first row [m/s, rad/s].  @returns false where there is no room.
  [[nodiscard]] bool add(RowKind kind, int count, const std::array<int, 2>& nodes, const std::array<const S*, 2>& G, const S& R_first,
                         const S& R_others, const S& bias, const S& limit) noexcept {
    const Eigen::Index first = rows_.size();
    const bool fits = kind == RowKind::contact ? rows_.add_contact(count - 1, R_first, R_others, limit, bias)
                                               : rows_.add(kind, R_first, bias, limit);
    if (!fits) return false;
    Group& group = groups_[num_groups_++];
    group = {nodes, {}, 2 * first * column_size_, count};
    mobility_.segment(first, count).setZero();
    for (const std::size_t side : {0u, 1u}) {
      if (nodes[side] == none) continue;
      S* const own = G_.data() + begin(group, side);
      with_node(nodes[side], [&](auto n) {
        const int apart = detail::leading<S>(n);
        for (int k = 0; k < count; ++k) {
          std::copy_n(G[side] + apart * k, n, own + apart * k);
          std::fill_n(own + apart * k + n, apart - n, S(0));
          const auto g = segment(n, G[side] + apart * k);
          for (int c = 0; c < n; ++c) mobility_[first + k] += g[c] * column(n, inverse_.data() + mass_begin_[index(nodes[side])], c).dot(g);
        }
      });
    }
    settle_rigid_rows(rows_, mobility_, h_);
    is_placed_ = false;
    return true;
  }

  // ConeProblem
  const ConeRows<S>& rows() const noexcept { return rows_; }
  const S& h() const noexcept { return h_; }
  const VectorX<S>& v_free() const noexcept { return v_free_; }
  const VectorX<S>& mobility() const noexcept { return mobility_; }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) const noexcept {
    Eigen::Index row = 0;
    w.setZero();
    for (std::size_t g = 0; g < num_groups_; row += groups_[g++].count) {
      for_each_side(groups_[g], [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {
        const auto own = segment(n, v.data() + offset(node));
        for (int k = 0; k < groups_[g].count; ++k) w[row + k] += column(n, G, k).dot(own);
      });
    }
  }
  void momentum(const ConstVectorRef<S>& v, VectorRef<S> p) const noexcept { multiply(mass_, v, p); }
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) const noexcept {
    Eigen::Index row = 0;
    f.setZero();
    for (std::size_t g = 0; g < num_groups_; row += groups_[g++].count) {
      for_each_side(groups_[g], [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {
        auto own = segment(n, f.data() + offset(node));
        for (int k = 0; k < groups_[g].count; ++k) own += lambda[row + k] * column(n, G, k);
      });
    }
  }
  bool factor(std::span<const GroupForce<S>> forces) noexcept;
  void solve(VectorRef<S> x) noexcept { ldu_.solve(x); }
  S inverse_mass_norm(const ConstVectorRef<S>& f) noexcept {
    multiply(inverse_, f, work_);
    return std::sqrt(std::abs(f.dot(work_)));
  }

  /// Plans the elimination for the rows added so far.  @returns false where there is no room for the pairs; factor() is false then too.
  [[nodiscard]] bool place() noexcept;

 private:
  struct Group {
    std::array<int, 2> nodes{none, none};
    std::array<Eigen::Index, 2> coupling{};  // blocks (0, 1) and (1, 0) of what is factored
    Eigen::Index G = 0;                      // where the first node's begin, the second's behind
    int count = 0;
  };
  static std::size_t index(int node) noexcept { return static_cast<std::size_t>(node); }
  Block map(S* values, int node) noexcept {
    return {values + mass_begin_[index(node)], size(node), size(node), Eigen::OuterStride<>(detail::leading<S>(size(node)))};
  }
  Eigen::Index begin(const Group& group, std::size_t side) const noexcept {  // in G_
    return group.G + static_cast<Eigen::Index>(side) * group.count * column_size_;
  }
  // Six at compile time, as free bodies have; else any.
  template <class F>
  ACTIO_INLINE void with_node(int node, const F& f) const {
    if (size(node) == 6) f(std::integral_constant<int, 6>());
    else f(size(node));
  }
  template <class F>
  ACTIO_INLINE void for_each_side(const Group& group, const F& f) const {
    for (const std::size_t side : {0u, 1u}) {
      const int node = group.nodes[side];
      if (node == none) continue;
      with_node(node, [&](auto n) ACTIO_INLINE_LAMBDA { f(n, node, G_.data() + begin(group, side)); });
    }
  }
  template <class N>
  static constexpr int length() { return std::is_same_v<N, int> ? Eigen::Dynamic : 6; }
  template <class N, class T>
  ACTIO_INLINE static auto segment(N n, T* x) {
    using Vector = Eigen::Matrix<S, length<N>(), 1>;
    return Eigen::Map<std::conditional_t<std::is_const_v<T>, const Vector, Vector>>(x, n);
  }
  template <class N>
  ACTIO_INLINE static auto column(N n, const S* A, int k) { return segment(n, A + detail::leading<S>(n) * k); }
  /// out := A x, node by node.
  void multiply(const VectorX<S>& A, const ConstVectorRef<S>& x, VectorRef<S> out) const noexcept {
    out.setZero();
    for (int i = 0; i < num_nodes(); ++i) {
      with_node(i, [&](auto n) ACTIO_INLINE_LAMBDA {
        auto own = segment(n, out.data() + offset(i));
        for (int c = 0; c < n; ++c) own += x[offset(i) + c] * column(n, A.data() + mass_begin_[index(i)], c);
      });
    }
  }

  ChangingLdu<S> ldu_;
  ConeRows<S> rows_;
  S h_{};
  VectorX<S> mass_, inverse_, G_;
  VectorX<S> mobility_;                   // (rows)
  VectorX<S> v_free_, work_, weighted_;
  std::vector<Eigen::Index> mass_begin_;  // of a node in mass_ and inverse_
  std::vector<Group> groups_;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<int> exchanged_;
  Eigen::Index column_size_ = 0;
  std::size_t num_groups_ = 0;
  bool is_placed_ = false;
};

template <Scalar S>
bool BlockVelocities<S>::place() noexcept {
  const std::span<Group> groups(groups_.data(), num_groups_);
  const auto ties = [](const Group& group) { return group.nodes[0] != none && group.nodes[1] != none; };
  const auto is_new = [&](const Group& group) { return ties(group) && !ldu_.is_coupled(group.nodes[0], group.nodes[1]); };
  if (std::any_of(groups.begin(), groups.end(), is_new)) {
    std::size_t count = 0;
    for (const Group& group : groups) {
      if (!ties(group)) continue;
      const auto [a, b] = std::minmax(group.nodes[0], group.nodes[1]);
      if (count > 0 && pairs_[count - 1] == std::array{a, b}) continue;  // most often, as points of one pair are listed together
      if (count == pairs_.size()) return false;
      pairs_[count++] = {a, b};
    }
    const auto end = pairs_.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(pairs_.begin(), end);
    count = static_cast<std::size_t>(std::unique(pairs_.begin(), end) - pairs_.begin());
    if (!ldu_.plan({pairs_.data(), count})) {
      static_cast<void>(ldu_.plan({}));
      return false;
    }
  }
  for (Group& group : groups) {
    if (ties(group)) group.coupling = {ldu_.place(group.nodes[0], group.nodes[1]), ldu_.place(group.nodes[1], group.nodes[0])};
  }
  return is_placed_ = true;
}

template <Scalar S>
bool BlockVelocities<S>::factor(std::span<const GroupForce<S>> forces) noexcept {
  if (!is_placed_ && !place()) return false;
  ldu_.set_zero();
  for (int i = 0; i < num_nodes(); ++i) {
    std::copy_n(mass_.data() + mass_begin_[index(i)], detail::leading<S>(size(i)) * size(i), ldu_.block(ldu_.place(i, i)));
  }
  for (std::size_t g = 0; g < num_groups_; ++g) {
    const Group& group = groups_[g];
    const Matrix3<S>& H = forces[g].H;
    if (H.isZero(S(0))) continue;
    const int count = group.count, apart = detail::leading<S>(count);
    for_each_side(group, [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {  // -h H G^T, then from the left by each G
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < count; ++r) {
          S sum(0);
          for (int k = 0; k < count; ++k) sum -= H(r, k) * G[detail::leading<S>(n) * k + c];
          weighted_[apart * c + r] = h_ * sum;
        }
      }
      for (const std::size_t other : {0u, 1u}) {
        const int row = group.nodes[other];
        if (row == none) continue;
        const Eigen::Index target = row == node ? ldu_.place(node, node) : group.coupling[other];
        detail::subtract_product(ldu_.block(target), G_.data() + begin(group, other), weighted_.data(), size(row), count, n);
      }
    });
  }
  return ldu_.factor();
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class BlockVelocities<double>;
#endif

}  // namespace actio
