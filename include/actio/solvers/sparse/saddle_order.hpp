// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Orders of elimination for saddle points [[D, -G^T], [G', 0]]: bodies with regular diagonal blocks, constraints without.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "actio/solvers/sparse/block_graph.hpp"

namespace actio::detail {

/// What the nodes of a graph are: bodies are listed, all others are constraints, coupled with their bodies alone.
struct SaddleNodes {
  std::vector<int> bodies;    ///< from the leaves to the root of a tree of joints, where there is one
  std::vector<int> closures;  ///< constraints that close the loops of that tree, if known
  std::vector<int> grounded;  ///< constraints of two bodies that hold the world too: a gear between two joints on the world. Of one
                              ///< body, and of three and more, they are taken to do so
};

/// What saddle_order() makes of a graph.
struct SaddleOrder {
  std::vector<int> order;            ///< of elimination
  std::vector<int> may_be_singular;  ///< constraints whose pivots lose rank where rows are redundant; all other pivots are regular
  double cost = 0;                   ///< of a factorisation, see factor_cost()
  int fill = 0;                      ///< pairs of nodes coupled by elimination alone
};

/// Puts each constraint as soon after its first body as its pivot can be trusted.           [extends vi_math.md, section 11.2]
///
/// A pivot is the mobility, along the constraint, of the bodies before it in the order, tied by the constraints before it, all other
/// bodies held fast. It is regular where one of its bodies drifts freely with all that it is tied to. Else it may lose rank, which
/// is harmless where only redundant rows do that: where all that the constraint ties together is tied to no more than one body
/// outside. For constraints do not feel a motion of all bodies as one, so holding that body fast takes nothing away. Where it is
/// tied to two, a constraint must wait until fewer are outside.
class SaddleElimination {
 public:
  SaddleElimination(const BlockGraph& graph, const SaddleNodes& nodes)
      : graph_(graph), is_body_(count()), done_(count()), grounded_(count()), parent_(count()), groups_(count()), turn_(count(), 0) {
    for (const int i : nodes.bodies) is_body_[at(i)] = true;
    for (int i = 0; i < graph.num_nodes(); ++i) {
      parent_[at(i)] = i;
      grounded_[at(i)] = !is_body_[at(i)] && graph.neighbours(i).size() != 2;
    }
    for (const int i : nodes.grounded) grounded_[at(i)] = true;
  }

  /// @param last constraints that must wait until no body is left.
  SaddleOrder operator()(const std::vector<int>& bodies, const std::vector<int>& last) {
    std::vector<bool> waits(count());
    for (const int i : last) waits[at(i)] = true;
    for (std::size_t k = 0; k < bodies.size(); ++k) turn_[at(bodies[k])] = static_cast<int>(k);
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
  /// Bodies and constraints put so far that are tied together.
  struct Group {
    std::vector<int> outside;  ///< bodies not put yet, or the world, that they are tied to
    std::vector<int> pending;  ///< constraints of its bodies not put yet
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

  /// Puts what is ready of a group, first what waits least for its other bodies.
  void put_ready(int group) {
    for (;;) {
      std::vector<int>& pending = groups_[at(group = find(group))].pending;
      pending.erase(std::remove_if(pending.begin(), pending.end(), [&](int c) { return done_[at(c)]; }), pending.end());
      int best = -1, soonest = 0;
      for (const int c : pending) {
        if (!is_regular(c) && !is_redundant_at_most(c)) continue;
        int needed = -1;
        for (const int body : graph_.neighbours(c)) needed = std::max(needed, turn_[at(body)]);
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
  std::vector<int> turn_;
  SaddleOrder result_;
};

/// Minimum degree among the bodies alone, coupled where a constraint couples them.
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

/// Bodies as given, each constraint as early as may be but the closures at the end: cheap for few loops, cubic in their number.
inline SaddleOrder closures_last(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(nodes.bodies, nodes.closures);
}

/// Bodies as given, each constraint as early as may be.
inline SaddleOrder closures_early(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(nodes.bodies, {});
}

/// Bodies by minimum degree, each constraint as early as may be.
inline SaddleOrder minimum_degree_bodies(const BlockGraph& graph, const SaddleNodes& nodes) {
  return detail::SaddleElimination(graph, nodes)(detail::minimum_degree_of_bodies(graph, nodes), {});
}

/// The cheapest of these; closures_last() is among them up to a hundred closures. On a tree nothing is filled in and no pivot is singular.
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
