// SPDX-License-Identifier: BSD-3-Clause
// Orders of saddle-point systems: their cost, and that solutions in these orders are correct with any redundant rows.
#include "actio/solvers/sparse/saddle_order.hpp"

#include <array>
#include <numeric>

#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/saddle_system.hpp"

namespace saddle_order_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Point = Vector3<double>;

constexpr std::array orders{closures_last, closures_early, minimum_degree_bodies, saddle_order};

/// A system and the kinds of its nodes.
struct Assembly {
  test::SaddleSystem system;
  SaddleNodes nodes;
  models::Random random;
  explicit Assembly(unsigned seed) : system(seed), random(seed) {}

  Point point() { return random.in_box<double, 3>(1); }
  int revolute(int a, int b) { return system.add_revolute(a, b, point(), random.direction<double>()); }
  int joint(int a, int b) { return random.happens(0.5) ? revolute(a, b) : system.add_ball(a, b, point()); }
  void close(int constraint) { nodes.closures.push_back(constraint); }
  void leaves_first() { nodes.bodies.assign(system.bodies.rbegin(), system.bodies.rend()); }
  /// Adds bodies, each with a joint to an earlier one or, for the first and some others, to the world.
  void grow_tree(int bodies, bool floating = false) {
    for (int i = 0; i < bodies; ++i) {
      const int body = system.add_body(point());
      if (i == 0 && floating) continue;
      joint(i == 0 || (!floating && random.happens(0.1)) ? -1 : system.bodies[static_cast<std::size_t>(random.below(i))], body);
    }
    leaves_first();
  }
  int any_body() { return system.bodies[static_cast<std::size_t>(random.below(static_cast<int>(system.bodies.size())))]; }
};

/// Two rails of bodies, attached to the world, with a rung at each pair; all axes are parallel, so that each loop has three redundant rows.
Assembly ladder(int rungs) {
  Assembly a(1);
  const auto near = [&](double x, double y) { return Point(Point(x, y, 0) + 0.2 * a.point()); };
  std::array<int, 2> end{-1, -1};
  for (int i = 0; i < rungs; ++i) {
    for (std::size_t rail = 0; rail < 2; ++rail) {
      const int body = a.system.add_body(near(i, double(rail)));
      a.system.add_revolute(end[rail], body, near(i - 0.5, double(rail)), {0, 0, 1});
      end[rail] = body;
    }
    a.close(a.system.add_revolute(end[0], end[1], near(i, 0.5), {0, 0, 1}));
  }
  a.leaves_first();
  return a;
}

/// n x n bodies, each connected to its neighbours; the tree is a comb.
Assembly square_net(int n) {
  Assembly a(2);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int body = a.system.add_body(a.point());
      const auto tie = [&](int i2, int j2) {
        return a.system.add_ball(a.system.bodies[static_cast<std::size_t>(n * i2 + j2)], body, a.point());
      };
      if (j > 0) tie(i, j - 1);
      if (i > 0 && j == 0) tie(i - 1, 0);
      if (i > 0 && j > 0) a.close(tie(i - 1, j));
    }
  }
  a.leaves_first();
  return a;
}

/// Solves a consistent system in this order; compares the motion of the bodies and the rank that the pivots report.
void check_solve(const Assembly& a, const SaddleOrder& order) {
  const test::SaddleSystem& s = a.system;
  BlockLdu<double> ldu(s.graph, order.order, order.may_be_singular);
  CHECK(ldu.fill() == order.fill);
  s.fill(ldu);
  const MatrixXd A = s.dense(ldu);
  const VectorXd truth = VectorXd::LinSpaced(A.cols(), -1, 1), b = A * truth;
  VectorXd x = b;
  REQUIRE(ldu.factor() == -1);
  ldu.solve(x);
  CHECK((A * x - b).norm() < 1e-9 * (A.norm() * x.norm() + b.norm()));
  double apart = 0;
  for (const int i : s.bodies) apart = std::max(apart, (x - truth).segment(ldu.offset(i), 6).norm());
  CHECK(apart < 1e-7);
  CHECK(ldu.dropped() == A.cols() - test::rank(A, 1e-10));
}

TEST_CASE("saddle order: trees have no fill and no singular pivot", "[solvers][saddle_order][fast]") {
  for (unsigned trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    Assembly a(trial);
    a.grow_tree(1 + a.random.below(40), trial % 3 == 0);
    for (const auto order_of : orders) {
      const SaddleOrder order = order_of(a.system.graph, a.nodes);
      if (order_of != minimum_degree_bodies) CHECK(order.fill == 0);
      CHECK(order.may_be_singular.empty());
      check_solve(a, order);
    }
  }
}

TEST_CASE("saddle order: a constraint follows its first body, and every node occurs once", "[solvers][saddle_order][fast]") {
  Assembly a(3);
  a.grow_tree(30);
  for (int k = 0; k < 8; ++k)
    a.close(a.joint(a.system.bodies[static_cast<std::size_t>(k)], a.system.bodies[static_cast<std::size_t>(29 - k)]));
  const int alone = a.system.graph.add_node(2);  // coupled with no other node
  for (const auto order_of : orders) {
    std::vector<int> order = order_of(a.system.graph, a.nodes).order;
    for (auto c = order.begin(); c != order.end(); ++c) {
      const auto& bodies = a.system.graph.neighbours(*c);
      if (*c != alone && std::find(a.system.bodies.begin(), a.system.bodies.end(), *c) == a.system.bodies.end()) {
        CHECK(std::any_of(bodies.begin(), bodies.end(), [&](int body) { return std::find(order.begin(), c, body) != c; }));
      }
    }
    std::sort(order.begin(), order.end());
    std::vector<int> all(static_cast<std::size_t>(a.system.graph.num_nodes()));
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
  }
}

TEST_CASE("saddle order: one loop has one potentially singular pivot", "[solvers][saddle_order][fast]") {
  for (const bool on_world : {false, true}) {
    for (int n = 2; n < 12; ++n) {
      CAPTURE(on_world, n);
      Assembly a(static_cast<unsigned>(n));
      for (int i = 0; i < n; ++i) {
        const int body = a.system.add_body(a.point());
        if (i > 0 || on_world) a.revolute(i == 0 ? -1 : a.system.bodies[static_cast<std::size_t>(i - 1)], body);
      }
      a.close(a.revolute(on_world ? -1 : a.system.bodies.front(), a.system.bodies.back()));
      a.leaves_first();
      for (const auto order_of : orders) {
        const SaddleOrder order = order_of(a.system.graph, a.nodes);
        CHECK(order.may_be_singular.size() == 1);
        check_solve(a, order);
      }
    }
  }
}

TEST_CASE("saddle order: arbitrary loops, redundant or not, are solved in every order", "[solvers][saddle_order][fast]") {
  for (unsigned trial = 0; trial < 60; ++trial) {
    CAPTURE(trial);
    Assembly a(100 + trial);
    a.grow_tree(4 + a.random.below(12), trial % 3 == 0);
    for (int loops = 1 + a.random.below(6); loops > 0; --loops) {
      const int from = a.random.happens(0.2) ? -1 : a.any_body(), to = a.any_body();
      if (from != to) a.close(a.joint(from, to));
    }
    if (trial % 4 == 1) {  // a ball joint given twice
      const int from = a.system.bodies[0], to = a.system.bodies[1];
      const Point p = a.point();
      for (int twice = 0; twice < 2; ++twice) a.close(a.system.add_ball(from, to, p));
    }
    for (const auto order_of : orders) check_solve(a, order_of(a.system.graph, a.nodes));
    std::vector<int>& bodies = a.nodes.bodies;  // and bodies in random order
    for (std::size_t k = bodies.size() - 1; k > 0; --k)
      std::swap(bodies[k], bodies[static_cast<std::size_t>(a.random.below(static_cast<int>(k) + 1))]);
    for (const auto order_of : orders) check_solve(a, order_of(a.system.graph, a.nodes));
  }
}

TEST_CASE("saddle order: planar mechanisms with redundant revolute joints are solved in every order", "[solvers][saddle_order][fast]") {
  for (unsigned trial = 0; trial < 20; ++trial) {
    CAPTURE(trial);
    Assembly a(200 + trial);
    const int n = 4 + a.random.below(8);
    const auto hinge = [&](int from, int to) { return a.system.add_revolute(from, to, a.point(), {0, 0, 1}); };
    for (int i = 0; i < n; ++i) {
      const int body = a.system.add_body(a.point());
      hinge(i == 0 ? -1 : a.system.bodies[static_cast<std::size_t>(a.random.below(i))], body);
    }
    for (int loops = 1 + n / 3; loops > 0; --loops) {
      const int from = a.any_body(), to = a.any_body();
      if (from != to) a.close(hinge(from, to));
    }
    a.leaves_first();
    for (const auto order_of : orders) check_solve(a, order_of(a.system.graph, a.nodes));
  }
}

TEST_CASE("saddle order: rows on three and four bodies are solved in every order", "[solvers][saddle_order][fast]") {
  for (unsigned trial = 0; trial < 30; ++trial) {
    CAPTURE(trial);
    Assembly a(300 + trial);
    a.grow_tree(5 + a.random.below(8));
    for (int gears = 1 + a.random.below(3); gears > 0; --gears) {
      std::vector<int> bodies;
      for (int k = 3 + a.random.below(2); k > 0; --k) bodies.push_back(a.any_body());
      a.close(a.system.add_gear(bodies));
    }
    if (trial % 2 == 0) a.close(a.joint(a.system.bodies.front(), a.system.bodies.back()));
    if (trial % 3 == 0) {
      a.close(a.system.add_gear({a.system.bodies[0], a.system.bodies[1]}));
      a.nodes.grounded.push_back(a.nodes.closures.back());
    }
    for (const auto order_of : orders) check_solve(a, order_of(a.system.graph, a.nodes));
  }
}

/// A number that counts its multiplications.
struct Counted {
  double x = 0;
  inline static double products = 0;
  Counted() = default;
  Counted(double value) : x(value) {}  // NOLINT: numbers are constants
  friend Counted operator+(Counted a, Counted b) { return a.x + b.x; }
  friend Counted operator-(Counted a, Counted b) { return a.x - b.x; }
  friend Counted operator*(Counted a, Counted b) { return ++products, a.x * b.x; }
  friend Counted operator/(Counted a, Counted b) { return a.x / b.x; }
  friend Counted operator-(Counted a) { return -a.x; }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  [[maybe_unused]] friend bool operator<(Counted a, Counted b) { return a.x < b.x; }
  friend Counted abs(Counted a) { return std::abs(a.x); }
};

}  // namespace saddle_order_test

template <>
struct actio::ScalarTraits<saddle_order_test::Counted> {
  using Value = double;
  static double value(saddle_order_test::Counted s) { return s.x; }
};
template <>
struct Eigen::NumTraits<saddle_order_test::Counted> : Eigen::NumTraits<double> {
  using Real = saddle_order_test::Counted;
  using NonInteger = saddle_order_test::Counted;
  using Nested = saddle_order_test::Counted;
};

namespace saddle_order_test {

double counted_cost(const Assembly& a, const SaddleOrder& order) {
  BlockLdu<Counted> ldu(a.system.graph, order.order, order.may_be_singular);
  a.system.fill(ldu);
  Counted::products = 0;
  REQUIRE(ldu.factor() == -1);
  return Counted::products;
}

TEST_CASE("saddle order: the cost of ladders is proportional to the number of rungs", "[solvers][saddle_order][fast]") {
  for (const auto order_of : {closures_early, minimum_degree_bodies, saddle_order}) {
    const Assembly small = ladder(64), large = ladder(1024);
    const SaddleOrder few = order_of(small.system.graph, small.nodes), many = order_of(large.system.graph, large.nodes);
    const double count_few = counted_cost(small, few), count_many = counted_cost(large, many);
    CHECK(std::log(many.cost / few.cost) / std::log(16) <= 1.02);
    CHECK(std::log(count_many / count_few) / std::log(16) <= 1.02);
    CHECK(std::abs(count_many / many.cost - 1) < 0.05);  // the estimate of the cost
  }
  const Assembly medium = ladder(64);
  CHECK(closures_last(medium.system.graph, medium.nodes).cost > 50 * saddle_order(medium.system.graph, medium.nodes).cost);
  for (const auto order_of : orders) {
    const Assembly a = ladder(12);
    check_solve(a, order_of(a.system.graph, a.nodes));
  }
}

TEST_CASE("saddle order: square nets cost far less than with their closures eliminated last", "[solvers][saddle_order][fast]") {
  for (const int n : {4, 8, 12}) {
    const Assembly a = square_net(n);
    const SaddleOrder order = saddle_order(a.system.graph, a.nodes);
    CAPTURE(n, order.cost);
    CHECK(order.cost * (n * n / 16.) < closures_last(a.system.graph, a.nodes).cost);
    if (n == 4) {
      for (const auto order_of : orders) check_solve(a, order_of(a.system.graph, a.nodes));
    }
  }
}

}  // namespace saddle_order_test
