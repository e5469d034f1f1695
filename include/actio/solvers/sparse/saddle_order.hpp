// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Orders of elimination for saddle-point matrices [[D, -G^T], [G', 0]]: bodies have regular diagonal blocks, constraints have none.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "actio/solvers/sparse/block_graph.hpp"

namespace actio::detail {

/// The kinds of a graph's nodes: bodies are listed; all others are constraints, which are coupled with their bodies only.
struct SaddleNodes {
  std::vector<int> bodies;    ///< from the leaves to the root of a tree of joints, if there is one
  std::vector<int> closures;  ///< constraints that close the loops of that tree, if known
  std::vector<int> grounded;  ///< constraints of two bodies that involve the world too: a gear between two joints on the world.
                              ///< Constraints of one body, or of three or more, are assumed to do so
};

/// The result of saddle_order().
struct SaddleOrder {
  std::vector<int> order;            ///< of elimination
  std::vector<int> may_be_singular;  ///< constraints whose pivots lose rank if rows are redundant; all other pivots are regular
  double cost = 0;                   ///< cost of a factorisation, see factor_cost()
  int fill = 0;                      ///< pairs of nodes coupled by elimination only
};

/// Places each constraint in the order as soon after its first body as its pivot is reliable. [extends vi_math.md, section 11.2]
///
/// The pivot of a constraint is the mobility, along the constraint, of the bodies that precede it in the order, connected by the
/// constraints that precede it, with all other bodies fixed. It is regular if one of its bodies moves freely, together with all bodies
/// connected to it, of which none is another body of the constraint. Otherwise it may lose rank. This is harmless if only redundant rows
/// cause it, which is the case if the bodies that the constraint connects are connected to at most one body outside: constraints do not
/// resist a common rigid motion of all bodies, so that fixing that one body removes no mobility. If there are two or more bodies outside,
/// the constraint must wait until there are fewer.
class SaddleElimination {
 public:
  SaddleElimination(const BlockGraph& graph, const SaddleNodes& nodes)
      : graph_(graph), is_body_(count()), done_(count()), grounded_(count()), parent_(count()), groups_(count()), position_(count(), 0) {
    for (const int i : nodes.bodies) is_body_[at(i)] = true;
    for (int i = 0; i < graph.num_nodes(); ++i) {
      parent_[at(i)] = i;
      grounded_[at(i)] = !is_body_[at(i)] && graph.neighbours(i).size() != 2;
    }
    for (const int i : nodes.grounded) grounded_[at(i)] = true;
  }

  /// Returns the order.  @param bodies in their order.  @param last constraints that must come after all bodies.
  SaddleOrder operator()(const std::vector<int>& bodies, const std::vector<int>& last) {
    std::vector<bool> waits(count());
    for (const int i : last) waits[at(i)] = true;
    for (std::size_t k = 0; k < bodies.size(); ++k) position_[at(bodies[k])] = static_cast<int>(k);
    for (const int body : bodies) {
      put_body(body, waits);
      put_ready(find(body));
    }
    for (int i = 0; i < graph_.num_nodes(); ++i) {  // also those without a body
      if (!done_[at(i)] && !waits[at(i)]) put_constraint(i);
    }
    for (const int i : last) put_constraint(i);
    Elimination elimination = eliminate(graph_, std::move(result_.order));
    result_.cost = factor_cost(graph_, elimination);
    result_.fill = elimination.fill;
    result_.order = std::move(elimination.order);
    return std::move(result_);
  }

 private:
  static constexpr int world = -1;
  /// Bodies and constraints placed so far that are connected.
  struct Group {
    std::vector<int> outside;  ///< bodies not placed yet, or the world, to which they are connected
    std::vector<int> pending;  ///< constraints of its bodies not placed yet
  };
  static std::size_t at(int node) { return static_cast<std::size_t>(node); }
  std::size_t count() const { return static_cast<std::size_t>(graph_.num_nodes()); }
  int find(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  static void add(std::vector<int>& set, int item) {
    if (std::find(set.begin(), set.end(), item) == set.end()) set.push_back(item);
  }
  int unite(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return a;
    if (groups_[at(a)].pending.size() < groups_[at(b)].pending.size()) std::swap(a, b);
    parent_[at(b)] = a;
    for (const int i : groups_[at(b)].outside) add(groups_[at(a)].outside, i);
    for (const int i : groups_[at(b)].pending) add(groups_[at(a)].pending, i);
    groups_[at(b)] = {};
    return a;
  }

  void put_body(int body, const std::vector<bool>& waits) {
    result_.order.push_back(body);
    done_[at(body)] = true;
    for (const int c : graph_.neighbours(body)) {
      if (is_body_[at(c)]) continue;
      if (done_[at(c)]) unite(body, c);
      else if (!waits[at(c)]) add(groups_[at(find(body))].pending, c);
    }
    std::vector<int>& outside = groups_[at(find(body))].outside;
    outside.erase(std::remove(outside.begin(), outside.end(), body), outside.end());
  }

  /// Places the constraints of a group that are ready, first those whose other bodies come soonest.
  void put_ready(int group) {
    for (;;) {
      std::vector<int>& pending = groups_[at(group = find(group))].pending;
      pending.erase(std::remove_if(pending.begin(), pending.end(), [&](int c) { return done_[at(c)]; }), pending.end());
      int best = -1, soonest = 0;
      for (const int c : pending) {
        if (!is_regular(c) && !is_redundant_at_most(c)) continue;
        int needed = -1;
        for (const int body : graph_.neighbours(c)) needed = std::max(needed, position_[at(body)]);
        if (best < 0 || needed < soonest) best = c, soonest = needed;
      }
      if (best < 0) return;
      put_constraint(best);
    }
  }

  void put_constraint(int c) {
    if (!is_regular(c)) result_.may_be_singular.push_back(c);
    result_.order.push_back(c);
    done_[at(c)] = true;
    for (const int body : graph_.neighbours(c)) {
      if (done_[at(body)]) unite(c, body);
      else add(groups_[at(find(c))].outside, body);
    }
    if (grounded_[at(c)]) add(groups_[at(find(c))].outside, world);
  }

  bool is_regular(int c) {
    for (const int body : graph_.neighbours(c)) {
      if (!done_[at(body)] || !groups_[at(find(body))].outside.empty()) continue;
      const auto together = [&](int other) { return done_[at(other)] && find(other) == find(body); };
      if (std::count_if(graph_.neighbours(c).begin(), graph_.neighbours(c).end(), together) == 1) return true;
    }
    return false;
  }

  bool is_redundant_at_most(int c) {
    std::vector<int> outside;
    if (grounded_[at(c)]) outside.push_back(world);
    for (const int body : graph_.neighbours(c)) {
      if (!done_[at(body)]) add(outside, body);
      else for (const int i : groups_[at(find(body))].outside) add(outside, i);
    }
    return outside.size() <= 1;
  }

  const BlockGraph& graph_;
  std::vector<bool> is_body_, done_, grounded_;
  std::vector<int> parent_;
  std::vector<Group> groups_;
  std::vector<int> position_;
  SaddleOrder result_;
};

/// Returns the minimum degree order of the bodies, which are coupled if a constraint couples them.
inline std::vector<int> minimum_degree_of_bodies(const BlockGraph& graph, const SaddleNodes& nodes) {
  BlockGraph coupled;
  std::vector<int> number(static_cast<std::size_t>(graph.num_nodes()), -1);
  for (const int i : nodes.bodies) number[static_cast<std::size_t>(i)] = coupled.add_node(graph.size(i));
  for (int c = 0; c < graph.num_nodes(); ++c) {
    for (const int a : graph.neighbours(c)) {
      for (const int b : graph.neighbours(c)) {
        const int i = number[static_cast<std::size_t>(a)], j = number[static_cast<std::size_t>(b)];
        if (i >= 0 && j >= 0) coupled.couple(i, j);
      }
    }
  }
  std::vector<int> order = minimum_degree(coupled);
  for (int& i : order) i = nodes.bodies[static_cast<std::size_t>(i)];
  return order;
}

/// Returns the order with bodies as given, constraints as early as possible, and closures last: cheap for few loops, cubic in their number.
inline SaddleOrder closures_last(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(nodes.bodies, nodes.closures);
}

/// Returns the order with bodies as given and all constraints as early as possible.
inline SaddleOrder closures_early(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(nodes.bodies, {});
}

/// Returns the order with bodies by minimum degree and all constraints as early as possible.
inline SaddleOrder minimum_degree_bodies(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(detail::minimum_degree_of_bodies(graph, nodes), {});
}

/// Returns the cheapest of these; closures_last() is tried up to a hundred closures. On a tree there is no fill and no singular pivot.
///                                                                                          [extends vi_math.md, section 11.2]
inline SaddleOrder saddle_order(const BlockGraph& graph, const SaddleNodes& nodes) {
  SaddleOrder best = closures_early(graph, nodes);
  const auto consider = [&](SaddleOrder order) {
    if (order.cost < best.cost) best = std::move(order);
  };
  consider(minimum_degree_bodies(graph, nodes));
  if (nodes.closures.size() <= 100) consider(closures_last(graph, nodes));
  return best;
}

}  // namespace actio::detail
