// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An order of elimination for graphs that change, by approximate minimum degree, without allocation.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "actio/core/types.hpp"

namespace actio::detail {

/// Approximate minimum degree on the quotient graph: the next node is one of those left with the fewest couplings, and the nodes coupled
/// with it become coupled with each other.                                                [Amestoy, Davis and Duff 1996, sections 2 to 4]
/// Forests get no fill. Only the constructor allocates or throws.
class MinimumDegree {
 public:
  /// @param nodes number of nodes of the graphs.  @param couplings largest number of pairs, including those filled in.
  MinimumDegree(int nodes, std::size_t couplings)
      : adjacent_(2 * couplings),
        later_(couplings),
        begin_(size(nodes) + 1),
        end_(size(nodes)),
        later_begin_(size(nodes) + 1),
        order_(size(nodes)),
        position_(size(nodes)),
        degree_(size(nodes)),
        head_(size(nodes)),
        next_(size(nodes)),
        previous_(size(nodes)),
        mark_(size(nodes)),
        outside_(size(nodes)),
        seen_(size(nodes)),
        dissolved_(size(nodes)) {}

  int num_nodes() const noexcept { return static_cast<int>(order_.size()); }  ///< nodes are numbered from 0
  int node(int position) const noexcept { return order_[size(position)]; }            ///< the node in a position of the order
  int position(int node) const noexcept { return position_[size(node)]; }             ///< the position of a node in the order
  std::span<const int> order() const noexcept { return order_; }              ///< nodes in the order of elimination
  /// Returns the index of the first coupling of the node in position `position`, among all couplings.
  int begin(int position) const noexcept { return later_begin_[size(position)]; }
  /// Returns the nodes with which that node is coupled when it is eliminated, in the order of elimination.
  std::span<const int> later(int position) const noexcept {
    return {later_.data() + begin(position), static_cast<std::size_t>(begin(position + 1) - begin(position))};
  }
  int num_couplings() const noexcept { return begin(num_nodes()); }  ///< pairs in the plan, including those filled in

  /// Computes the order.  @param pairs of nodes, each pair once and no node with itself.
  /// @returns false if the capacity is exhausted; plan again before any other call then.
  [[nodiscard]] bool plan(std::span<const std::array<int, 2>> pairs) noexcept {
    const int n = num_nodes();
    if (2 * pairs.size() > adjacent_.size()) return false;
    set_adjacent(pairs);
    std::fill(head_.begin(), head_.end(), none);
    std::fill(mark_.begin(), mark_.end(), none);
    std::fill(seen_.begin(), seen_.end(), none);
    std::fill(dissolved_.begin(), dissolved_.end(), false);
    std::fill(position_.begin(), position_.end(), none);
    for (int i = n - 1; i >= 0; --i) insert(i, end_[size(i)] - begin_[size(i)]);
    later_begin_[0] = 0;
    for (int k = 0, least = 0; k < n; ++k) {
      while (head_[size(least)] == none) ++least;
      const int pivot = head_[size(least)];
      remove(pivot);
      order_[size(k)] = pivot;
      position_[size(pivot)] = k;
      if (!eliminate(pivot, k)) return false;
      for (const int i : later(k)) {
        const int degree = std::min(degree_of(i, pivot, k), n - k - 2);
        remove(i);
        insert(i, degree);
        least = std::min(least, degree);
      }
    }
    for (int k = 0; k < n; ++k) {
      std::sort(later_.begin() + begin(k), later_.begin() + begin(k + 1), [this](int a, int b) { return position(a) < position(b); });
    }
    return true;
  }

 private:
  static constexpr int none = -1;
  static std::size_t size(int i) noexcept { return static_cast<std::size_t>(i); }
  // The list of couplings of a node contains nodes, and cliques of eliminated nodes as ~number.
  static bool is_clique(int entry) noexcept { return entry < 0; }

  void set_adjacent(std::span<const std::array<int, 2>> pairs) noexcept {
    std::fill(begin_.begin(), begin_.end(), 0);
    for (const auto& [a, b] : pairs) ++begin_[size(a) + 1], ++begin_[size(b) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::copy(begin_.begin(), begin_.end() - 1, end_.begin());
    for (const auto& [a, b] : pairs) {
      adjacent_[size(end_[size(a)]++)] = b;
      adjacent_[size(end_[size(b)]++)] = a;
    }
  }
  /// Makes the pivot a clique of all nodes that it is coupled with, which absorbs the cliques that contained it.
  bool eliminate(int pivot, int position) noexcept {
    int& end = later_begin_[size(position) + 1];
    end = begin(position);
    mark_[size(pivot)] = position;
    const auto meet = [&](int i) {
      if (position_[size(i)] != none || mark_[size(i)] == position) return true;
      mark_[size(i)] = position;
      if (size(end) == later_.size()) return false;
      later_[size(end++)] = i;
      return true;
    };
    for (int a = begin_[size(pivot)]; a < end_[size(pivot)]; ++a) {
      const int entry = adjacent_[size(a)];
      if (!is_clique(entry)) {
        if (!meet(entry)) return false;
        continue;
      }
      for (const int i : later(position_[size(~entry)])) {
        if (!meet(i)) return false;
      }
      dissolved_[size(~entry)] = true;
    }
    // Counts the nodes of each other clique that are not in this one; cliques wholly inside are dissolved.
    for (const int i : later(position)) {
      for (int a = begin_[size(i)]; a < end_[size(i)]; ++a) {
        const int entry = adjacent_[size(a)];
        if (!is_clique(entry) || dissolved_[size(~entry)]) continue;
        int& outside = outside_[size(~entry)];
        if (seen_[size(~entry)] != position) outside = static_cast<int>(later(position_[size(~entry)]).size());
        seen_[size(~entry)] = position;
        --outside;
      }
    }
    return true;
  }
  /// Updates the list of a node of the new clique.  @returns an upper bound of the number of nodes it is now coupled with.
  int degree_of(int i, int pivot, int position) noexcept {
    int degree = static_cast<int>(later(position).size()) - 1, kept = begin_[size(i)];
    for (int a = begin_[size(i)]; a < end_[size(i)]; ++a) {
      const int entry = adjacent_[size(a)];
      if (is_clique(entry)) {
        if (dissolved_[size(~entry)] || outside_[size(~entry)] == 0) continue;
        degree += outside_[size(~entry)];
      } else {
        if (mark_[size(entry)] == position) continue;  // the pivot, or in its clique
        ++degree;
      }
      adjacent_[size(kept++)] = entry;
    }
    adjacent_[size(kept++)] = ~pivot;  // in the place of the pivot, or of a clique that it absorbed
    end_[size(i)] = kept;
    return degree;
  }
  // Linked lists of the nodes of each degree.
  void insert(int i, int degree) noexcept {
    int& head = head_[size(degree)];
    degree_[size(i)] = degree;
    previous_[size(i)] = none;
    next_[size(i)] = head;
    if (head != none) previous_[size(head)] = i;
    head = i;
  }
  void remove(int i) noexcept {
    const int next = next_[size(i)], previous = previous_[size(i)];
    (previous == none ? head_[size(degree_[size(i)])] : next_[size(previous)]) = next;
    if (next != none) previous_[size(next)] = previous;
  }

  std::vector<int> adjacent_, later_;           // (couplings)
  std::vector<int> begin_, end_, later_begin_;  // of the entries of each node in adjacent_, and of each position in later_
  std::vector<int> order_, position_;
  std::vector<int> degree_, head_, next_, previous_;
  std::vector<int> mark_, outside_, seen_;
  std::vector<bool> dissolved_;
};

}  // namespace actio::detail
