// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A cone problem of many small systems with dense masses, such as a pile of bodies, factored sparsely.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "actio/core/precompiled.hpp"
#include "actio/solvers/cone/problem.hpp"
#include "actio/solvers/sparse/changing_ldu.hpp"
#include "actio/solvers/sparse/islands.hpp"

namespace actio::detail {

/// Many small systems with dense masses (nodes), connected in pairs by rows: the bodies of a pile, and robots among them. A ConeProblem
/// with a sparse factorisation over the graph of connected nodes. The elimination is planned again when the graph has changed, and depends
/// on the graph only. A connected component of the graph is an island, and can be solved independently.
///                                                                                               [compliant_math.md, section 8]
/// Fill it by begin(), mass(), invert_masses(), set_free_motion() and add().  Only the constructor allocates or throws.
template <Scalar S>
class BlockVelocities {
 public:
  using Block = Eigen::Map<MatrixX<S>, 0, Eigen::OuterStride<>>;  ///< a node's mass matrix in place
  static constexpr int none = -1;                                 ///< no node or no island

  /// @param sizes velocities of each node.  @param rows largest number of rows.  @param pairs largest number of connected pairs of nodes,
  /// including those filled in by elimination; there is room for no more than there are.
  BlockVelocities(const std::vector<int>& sizes, std::size_t rows, std::size_t pairs)
      : ldu_(sizes, sizes.empty() ? 0 : std::min(pairs, sizes.size() * (sizes.size() - 1) / 2)), islands_(num_nodes()),
        rows_(static_cast<Eigen::Index>(rows)), island_rows_(rows_), mobility_(VectorX<S>::Zero(rows_.capacity())),
        island_mobility_(mobility_), groups_(rows), ties_(rows), pairs_(rows), listed_(rows), listed_begin_(sizes.size() + 3),
        place_(sizes.size()) {
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
    v_free_ = island_v_free_ = work_ = VectorX<S>::Zero(n);
    exchanged_.resize(static_cast<std::size_t>(largest));
  }

  int num_nodes() const noexcept { return ldu_.num_nodes(); }                 ///< nodes are numbered from 0
  int size(int node) const noexcept { return ldu_.size(node); }               ///< number of velocities of a node
  Eigen::Index offset(int node) const noexcept { return ldu_.offset(node); }  ///< index of a node's first velocity

  /// Begins a step of length h [s], without rows.
  void begin(const S& h) noexcept {
    h_ = h;
    rows_.clear();
    num_groups_ = 0;
    is_placed_ = false;
    leave();
  }
  /// Returns the mass matrix of a node, to be filled: (size, size), symmetric, positive definite [kg m^2, kg m, kg].
  Block mass(int node) noexcept { return map(mass_.data(), node); }
  /// Inverts the masses.  @returns a node whose mass is singular, or none.
  int invert_masses() noexcept {
    inverse_ = mass_;
    for (int i = 0; i < num_nodes(); ++i) {
      if (!detail::invert_block(inverse_.data() + mass_begin_[index(i)], size(i), exchanged_.data())) return i;
    }
    return none;
  }
  /// Sets v_free = v + M^-1 impulse.  @param v (n) [rad/s, m/s].  @param impulse (n) [N m s, N s].  @pre the masses are inverted.
  void set_free_motion(const ConstVectorRef<S>& v, const ConstVectorRef<S>& impulse) noexcept {
    multiply(inverse_, impulse, v_free_);
    v_free_ += v;
  }

  /// Adds a group of rows.  @param nodes on which they act: {a, b} with a != b, {a, none} or {none, none}.
  /// @param G the transposed rows on each of these nodes, (size of the node x rows), by columns that are detail::leading(size) apart.
  /// @returns false if the capacity is exhausted.  @pre the masses are inverted.
  [[nodiscard]] bool add(const NewGroup<S>& added, const std::array<int, 2>& nodes, const std::array<const S*, 2>& G) noexcept {
    const Eigen::Index first = rows_.size();
    const int count = added.size;
    if (!rows_.add(added)) return false;
    Group& group = groups_[num_groups_++];
    group = {nodes, {}, 2 * first * column_size_, count};
    mobility_.segment(first, count).setZero();
    for (const std::size_t side : {0u, 1u}) {
      if (nodes[side] == none) continue;
      S* const own = G_.data() + begin(group, side);
      with_node(nodes[side], [&](auto n) {
        const int stride = detail::leading<S>(n);
        for (int k = 0; k < count; ++k) {
          std::copy_n(G[side] + stride * k, n, own + stride * k);
          std::fill_n(own + stride * k + n, stride - n, S(0));
          const auto g = segment(n, G[side] + stride * k);
          for (int c = 0; c < n; ++c) mobility_[first + k] += g[c] * column(n, inverse_.data() + mass_begin_[index(nodes[side])], c).dot(g);
        }
      });
    }
    settle_rigid_rows(rows_, mobility_, h_);
    is_placed_ = false;
    return true;
  }

  /// Sets R, base and bias to those of the same groups elsewhere, the mobilities (rows or more) [1/kg, 1/(kg m^2)], and v_free (n) [rad/s, m/s].
  /// @pre no island is entered.
  void set(const ConeRows<S>& others, const ConstVectorRef<S>& mobility, const ConstVectorRef<S>& v_free) noexcept {
    rows_.R() = others.R();
    rows_.settling() = others.settling();
    rows_.base() = others.base();
    rows_.bias() = others.bias();
    mobility_.head(rows_.size()) = mobility.head(rows_.size());
    v_free_ = v_free;
  }
  /// Adds share * more (rows) to the bias [m/s, rad/s].  @pre no island is entered.
  void add_to_bias(const S& share, const ConstVectorRef<S>& more) noexcept { rows_.bias() += share * more; }

  /// The members of a ConeProblem of all nodes, or of the island that was entered.
  ///@{
  const ConeRows<S>& rows() const noexcept { return is_whole() ? rows_ : island_rows_; }
  const S& h() const noexcept { return h_; }
  auto v_free() const noexcept { return (is_whole() ? v_free_ : island_v_free_).head(is_whole() ? v_free_.size() : island_size_); }
  auto mobility() const noexcept { return (is_whole() ? mobility_ : island_mobility_).head(rows().size()); }
  void rates(const ConstVectorRef<S>& v, VectorRef<S> w) const noexcept {
    Eigen::Index row = 0;
    w.setZero();
    for (std::size_t g = 0; g < num_groups(); row += group(g++).count) {
      for_each_side(group(g), [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {
        const auto own = segment(n, v.data() + place_of(node));
        for (int k = 0; k < group(g).count; ++k) w[row + k] += column(n, G, k).dot(own);
      });
    }
  }
  void momentum(const ConstVectorRef<S>& v, VectorRef<S> p) const noexcept { multiply(mass_, v, p); }
  void forces(const ConstVectorRef<S>& lambda, VectorRef<S> f) const noexcept {
    Eigen::Index row = 0;
    f.setZero();
    for (std::size_t g = 0; g < num_groups(); row += group(g++).count) {
      for_each_side(group(g), [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {
        auto own = segment(n, f.data() + place_of(node));
        for (int k = 0; k < group(g).count; ++k) own += lambda[row + k] * column(n, G, k);
      });
    }
  }
  bool factor(std::span<const GroupForce<S>> forces) noexcept;
  void solve(VectorRef<S> x) noexcept {
    ldu_.solve(x, nodes(), [this](int node) { return place_of(node); });
  }
  S inverse_mass_norm(const ConstVectorRef<S>& f) noexcept {
    multiply(inverse_, f, work_.head(f.size()));
    return std::sqrt(std::abs(f.dot(work_.head(f.size()))));
  }
  ///@}

  /// Plans the elimination for the rows added so far.
  /// @returns false if the capacity of pairs is exhausted; factor() then returns false too.
  [[nodiscard]] bool place() noexcept;

  /// Returns the number of islands, some of which have no rows. Rows that act on no node are the last island.  @pre place() returned true.
  ///@{
  int num_islands() const noexcept { return islands_.count() + (has_rows(islands_.count()) ? 1 : 0); }
  ///@}
  /// Returns whether rows act in an island.
  bool has_rows(int island) const noexcept { return listed_begin_[index(island + 1)] > listed_begin_[index(island)]; }
  void enter(int island) noexcept;           ///< makes the ConeProblem that of this island only, until leave()
  void leave() noexcept { island_ = none; }  ///< makes the ConeProblem that of all nodes again
  /// Copies velocities (n) and forces (rows) between those of all and those of the island entered, with the sizes of v_free() and rows().
  ///@{
  void gather(const ConstVectorRef<S>& v, const ConstVectorRef<S>& lambda, VectorRef<S> own_v, VectorRef<S> own_lambda) const noexcept {
    for_each_part([&](Eigen::Index in_all, Eigen::Index own, int n) { own_v.segment(own, n) = v.segment(in_all, n); },
                  [&](Eigen::Index in_all, Eigen::Index own, int n) { own_lambda.segment(own, n) = lambda.segment(in_all, n); });
  }
  void scatter(const ConstVectorRef<S>& own_v, const ConstVectorRef<S>& own_lambda, VectorRef<S> v, VectorRef<S> lambda) const noexcept {
    for_each_part([&](Eigen::Index in_all, Eigen::Index own, int n) { v.segment(in_all, n) = own_v.segment(own, n); },
                  [&](Eigen::Index in_all, Eigen::Index own, int n) { lambda.segment(in_all, n) = own_lambda.segment(own, n); });
  }
  ///@}

 private:
  struct Group {
    std::array<int, 2> nodes{none, none};
    std::array<Eigen::Index, 2> coupling{};  // blocks (0, 1) and (1, 0) of the matrix that is factored
    Eigen::Index G = 0;                      // where the rows of the first node begin in G_, followed by those of the second
    int count = 0;
  };
  static std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }
  bool is_whole() const noexcept { return island_ == none; }
  // Nodes and groups of the present problem, and where a node's velocities are in its vectors.
  std::span<const int> nodes() const noexcept {
    if (is_whole()) return ldu_.order();
    return island_ < islands_.count() ? islands_.members(island_) : std::span<const int>();
  }
  std::size_t num_groups() const noexcept {
    return is_whole() ? num_groups_ : listed_begin_[index(island_ + 1)] - listed_begin_[index(island_)];
  }
  std::size_t number(std::size_t g) const noexcept { return is_whole() ? g : listed_[listed_begin_[index(island_)] + g]; }
  const Group& group(std::size_t g) const noexcept { return groups_[number(g)]; }
  Eigen::Index place_of(int node) const noexcept { return is_whole() ? offset(node) : place_[index(node)]; }
  template <class Velocities, class Rows>
  void for_each_part(const Velocities& velocities, const Rows& rows_of) const {
    for (const int node : nodes()) velocities(offset(node), place_of(node), size(node));
    for (std::size_t g = 0; g < num_groups(); ++g) rows_of(rows_.groups()[number(g)].first, rows().groups()[g].first, group(g).count);
  }
  static bool ties(const Group& group) noexcept { return group.nodes[0] != none && group.nodes[1] != none; }
  bool plan() noexcept;

  Block map(S* values, int node) noexcept {
    return {values + mass_begin_[index(node)], size(node), size(node), Eigen::OuterStride<>(detail::leading<S>(size(node)))};
  }
  Eigen::Index begin(const Group& group, std::size_t side) const noexcept {  // in G_
    return group.G + static_cast<Eigen::Index>(side) * group.count * column_size_;
  }
  // Calls f with the size of the node: six at compile time, as for free bodies, else at run time.
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
  /// Computes out = A x, node by node.
  void multiply(const VectorX<S>& A, const ConstVectorRef<S>& x, VectorRef<S> out) const noexcept {
    out.setZero();
    for (const int i : nodes()) {
      const Eigen::Index at = place_of(i);
      with_node(i, [&](auto n) ACTIO_INLINE_LAMBDA {
        auto own = segment(n, out.data() + at);
        for (int c = 0; c < n; ++c) own += x[at + c] * column(n, A.data() + mass_begin_[index(i)], c);
      });
    }
  }

  ChangingLdu<S> ldu_;
  Islands islands_;
  ConeRows<S> rows_, island_rows_;
  S h_{};
  VectorX<S> mass_, inverse_, G_;
  VectorX<S> mobility_, island_mobility_;        // (rows)
  VectorX<S> v_free_, island_v_free_, work_, weighted_;
  std::vector<Eigen::Index> mass_begin_;         // where a node begins in mass_ and inverse_
  std::vector<Group> groups_;
  std::vector<std::array<int, 2>> ties_, pairs_;  // nodes that groups connect, in their order, and each pair once
  std::vector<std::size_t> listed_, listed_begin_;  // groups island by island, and where those of an island begin
  std::vector<Eigen::Index> place_;              // where a node's velocities are among those of its island, after it was entered
  std::vector<int> exchanged_;
  Eigen::Index column_size_ = 0, island_size_ = 0;
  std::size_t num_groups_ = 0, num_ties_ = 0;
  int island_ = none;  // the island that was entered
  bool is_placed_ = false, is_planned_ = false;
};

template <Scalar S>
bool BlockVelocities<S>::plan() noexcept {
  std::size_t count = 0;
  bool is_new = !is_planned_;
  for (std::size_t g = 0; g < num_groups_; ++g) {
    if (!ties(groups_[g])) continue;
    const auto [a, b] = std::minmax(groups_[g].nodes[0], groups_[g].nodes[1]);
    if (count > 0 && ties_[count - 1] == std::array{a, b}) continue;  // points of one pair are listed together
    is_new |= count >= num_ties_ || ties_[count] != std::array{a, b};
    ties_[count++] = {a, b};
  }
  is_new |= count != num_ties_;
  num_ties_ = count;
  if (!is_new) return true;
  const auto end = std::copy_n(ties_.begin(), count, pairs_.begin());
  std::sort(pairs_.begin(), end);
  count = static_cast<std::size_t>(std::unique(pairs_.begin(), end) - pairs_.begin());
  const std::span<const std::array<int, 2>> pairs = std::span(pairs_).first(count);
  is_planned_ = ldu_.plan(pairs);
  if (is_planned_) islands_.find(pairs, ldu_.order());
  else static_cast<void>(ldu_.plan({}));
  return is_planned_;
}

template <Scalar S>
bool BlockVelocities<S>::place() noexcept {
  if (is_placed_) return true;
  if (!plan()) return false;
  for (std::size_t g = 0; g < num_groups_; ++g) {
    Group& group = groups_[g];
    if (ties(group)) group.coupling = {ldu_.place(group.nodes[0], group.nodes[1]), ldu_.place(group.nodes[1], group.nodes[0])};
  }
  // Groups by islands; those that act on no node come last.
  const auto island_of = [&](const Group& group) {
    const int node = group.nodes[0] != none ? group.nodes[0] : group.nodes[1];
    return index(node != none ? islands_.of(node) : islands_.count());
  };
  std::fill(listed_begin_.begin(), listed_begin_.end(), 0);
  for (std::size_t g = 0; g < num_groups_; ++g) ++listed_begin_[island_of(groups_[g]) + 2];
  std::partial_sum(listed_begin_.begin(), listed_begin_.end(), listed_begin_.begin());
  for (std::size_t g = 0; g < num_groups_; ++g) listed_[listed_begin_[island_of(groups_[g]) + 1]++] = g;
  return is_placed_ = true;
}

template <Scalar S>
void BlockVelocities<S>::enter(int island) noexcept {
  island_ = island;
  island_size_ = 0;
  for (const int node : nodes()) {
    place_[index(node)] = island_size_;
    island_v_free_.segment(island_size_, size(node)) = v_free_.segment(offset(node), size(node));
    island_size_ += size(node);
  }
  island_rows_.clear();
  for (std::size_t g = 0; g < num_groups(); ++g) {
    const RowGroup<S>& own = rows_.groups()[number(g)];
    island_mobility_.segment(island_rows_.size(), own.size) = mobility_.segment(own.first, own.size);
    const bool fits = island_rows_.add(rows_.copy(own));
    ACTIO_ASSERT(fits);  // the capacities are the same
    static_cast<void>(fits);
    island_rows_.settling().tail(own.size) = rows_.settling().segment(own.first, own.size);
    island_rows_.base().tail(own.size) = rows_.base().segment(own.first, own.size);
  }
}

template <Scalar S>
bool BlockVelocities<S>::factor(std::span<const GroupForce<S>> forces) noexcept {
  if (!place()) return false;
  ldu_.set_zero(nodes());
  for (const int i : nodes()) {
    std::copy_n(mass_.data() + mass_begin_[index(i)], detail::leading<S>(size(i)) * size(i), ldu_.block(ldu_.place(i, i)));
  }
  for (std::size_t g = 0; g < num_groups(); ++g) {
    const Group& one = group(g);
    const Matrix3<S>& H = forces[g].H;
    if (H.isZero(S(0))) continue;
    const int count = one.count, stride = detail::leading<S>(count);
    for_each_side(one, [&](auto n, int node, const S* G) ACTIO_INLINE_LAMBDA {  // -h H G^T, then from the left by each G
      for (int c = 0; c < n; ++c) {
        for (int r = 0; r < count; ++r) {
          S sum(0);
          for (int k = 0; k < count; ++k) sum -= H(r, k) * G[detail::leading<S>(n) * k + c];
          weighted_[stride * c + r] = h_ * sum;
        }
      }
      for (const std::size_t other : {0u, 1u}) {
        const int row = one.nodes[other];
        if (row == none) continue;
        const Eigen::Index target = row == node ? ldu_.place(node, node) : one.coupling[other];
        detail::subtract_product(ldu_.block(target), G_.data() + begin(one, other), weighted_.data(), size(row), count, n);
      }
    });
  }
  return ldu_.factor(nodes());
}

#ifdef ACTIO_PRECOMPILED
ACTIO_INSTANTIATE class BlockVelocities<double>;
#endif

}  // namespace actio::detail
