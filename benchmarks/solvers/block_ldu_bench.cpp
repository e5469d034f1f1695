// SPDX-License-Identifier: BSD-3-Clause
// <solver>/<factor|solve>/<structure>/<bodies>: block LDU against Eigen's sparse and dense LU on the same
// systems [[D, -G^T], [G C, 0]]. Only the factorisation or the solve is timed, without filling in the blocks.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SparseLU>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "actio/model/samples/random.hpp"
#include "actio/solvers/sparse/block_ldu.hpp"
#include "actio/solvers/sparse/saddle_order.hpp"
#include "support/allocation_guard.hpp"

namespace {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Point = Vector3<double>;

/// Bodies and rows that connect them, by blocks; no row is redundant, because Eigen requires it.
class System {
 public:
  struct Entry {
    int a, b;
    MatrixXd block;
  };
  BlockGraph graph;
  SaddleNodes nodes;
  std::vector<Entry> entries;
  SaddleOrder order;
  VectorXd rhs;

  System(const std::string& structure, int bodies) {
    if (structure == "chain_5" || structure == "chain_3") chain(bodies, structure == "chain_5" ? 5 : 3);
    else if (structure == "ladder") ladder(bodies / 2);
    else net(static_cast<int>(std::lround(std::sqrt(bodies))));
    std::reverse(nodes.bodies.begin(), nodes.bodies.end());
    order = saddle_order(graph, nodes);
    int size = 0;
    for (int i = 0; i < graph.num_nodes(); ++i) size += graph.size(i);
    rhs = VectorXd::NullaryExpr(size, [&] { return random_.uniform(-1, 1); });
  }

 private:
  int add_body(const Point& p) {
    const int node = graph.add_node(6);
    nodes.bodies.push_back(node);
    const MatrixXd root = noise(0.3);
    entries.push_back({node, node, MatrixXd::Identity(6, 6) + root * root.transpose() + noise(0.01)});
    places_[node] = p;
    return node;
  }
  /// Constrains a point and, with five rows, an axis of b relative to a; the world is -1.
  int join(int a, int b, const Point& p, int rows) {
    const int node = graph.add_node(rows);
    const Matrix3<double> R = random_.rotation<double>().matrix();
    for (const int body : {a, b}) {
      if (body < 0) continue;
      const Point r = p - places_.at(body);
      MatrixXd G = MatrixXd::Zero(rows, 6);
      for (int k = 0; k < 3; ++k) G.block(k, 0, 1, 3) = r.cross(Point(R.row(k))).transpose();
      G.block(0, 3, 3, 3) = R;
      G.block(3, 0, rows - 3, 3) = R.topRows(rows - 3);
      if (body == a) G = -G;
      graph.couple(node, body);
      entries.push_back({node, body, G + G * noise(0.01)});
      entries.push_back({body, node, -G.transpose()});
    }
    return node;
  }
  void chain(int n, int rows) {
    for (int i = 0, last = -1; i < n; ++i) {
      const int body = add_body(near(i, 0));
      join(last, body, near(i - 0.5, 0), rows);
      last = body;
    }
  }
  void ladder(int rungs) {
    for (int i = 0, ends[2] = {-1, -1}; i < rungs; ++i) {
      for (int rail = 0; rail < 2; ++rail) {
        const int body = add_body(near(i, rail));
        join(ends[rail], body, near(i - 0.5, rail), 3);
        ends[rail] = body;
      }
      nodes.closures.push_back(join(ends[0], ends[1], near(i, 0.5), 3));
    }
  }
  void net(int n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int body = add_body(near(i, j));
        const auto& all = nodes.bodies;
        if (j > 0) join(all[all.size() - 2], body, near(i, j - 0.5), 3);
        if (i == 0) continue;
        const int tie = join(all[all.size() - 1 - static_cast<std::size_t>(n)], body, near(i - 0.5, j), 3);
        if (j > 0) nodes.closures.push_back(tie);
      }
    }
  }
  Point near(double x, double y) { return Point(x, y, 0) + random_.in_box<double, 3>(0.2); }
  MatrixXd noise(double size) { return MatrixXd::NullaryExpr(6, 6, [&] { return random_.uniform(-size, size); }); }

  models::Random random_{1};
  std::map<int, Point> places_;
};

class Blocks {
 public:
  explicit Blocks(const System& s) : system_(s), ldu_(s.graph, s.order.order, s.order.may_be_singular) {
    for (const System::Entry& e : s.entries) places_.push_back(ldu_.place(e.a, e.b));
  }
  void fill() {
    ldu_.set_zero();
    for (std::size_t k = 0; k < places_.size(); ++k) ldu_.block(places_[k]) = system_.entries[k].block;
  }
  bool factor() { return ldu_.factor() == -1 && ldu_.dropped() == 0; }
  void solve(const VectorXd& b, VectorXd& x) { x = b, ldu_.solve(x); }

 private:
  const System& system_;
  BlockLdu<double> ldu_;
  std::vector<BlockLdu<double>::Place> places_;
};

/// Returns all entries of the blocks as an Eigen matrix.
Eigen::SparseMatrix<double> sparse(const System& s) {
  const BlockLdu<double> layout(s.graph, s.order.order);
  std::vector<Eigen::Triplet<double>> entries;
  for (const System::Entry& e : s.entries) {
    for (int c = 0; c < e.block.cols(); ++c) {
      for (int r = 0; r < e.block.rows(); ++r) {
        entries.emplace_back(static_cast<int>(layout.offset(e.a)) + r, static_cast<int>(layout.offset(e.b)) + c, e.block(r, c));
      }
    }
  }
  Eigen::SparseMatrix<double> A(layout.size(), layout.size());
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

class Sparse {
 public:
  explicit Sparse(const System& s) : A_(sparse(s)) { lu_.analyzePattern(A_); }
  void fill() {}
  bool factor() { return lu_.factorize(A_), lu_.info() == Eigen::Success; }
  void solve(const VectorXd& b, VectorXd& x) { x = lu_.solve(b); }

 private:
  Eigen::SparseMatrix<double> A_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu_;
};

class Dense {
 public:
  explicit Dense(const System& s) : A_(sparse(s)), lu_(A_.rows()) {}
  void fill() {}
  bool factor() { return lu_.compute(A_), true; }
  void solve(const VectorXd& b, VectorXd& x) { x = lu_.solve(b); }

 private:
  MatrixXd A_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

/// @param factors whether factorisations are timed, else solves.
template <class Solver>
void time_solver(benchmark::State& state, const std::string& structure, bool factors) {
  const System system(structure, static_cast<int>(state.range(0)));
  Solver solver(system);
  VectorXd x = system.rhs;
  solver.fill();
  bool done = solver.factor();
  solver.solve(system.rhs, x);
  const Eigen::SparseMatrix<double> A = sparse(system);
  done = done && (A * x - system.rhs).norm() < 1e-8 * x.norm();
  std::size_t allocated = 0;
  double total = 0, least = 1;
  for (auto _ : state) {
    if (factors) solver.fill();
    const test::AllocationCounter allocations;
    const auto begin = std::chrono::steady_clock::now();
    if (factors) done = solver.factor() && done;
    else solver.solve(system.rhs, x);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    allocated += allocations.count();
    benchmark::DoNotOptimize(x.data());
    state.SetIterationTime(seconds);
    total += seconds;
    least = std::min(least, seconds);
  }
  if (!done) state.SkipWithError("wrong");
  const double bodies = static_cast<double>(system.nodes.bodies.size());
  state.counters["allocations"] = static_cast<double>(allocated);
  state.counters["ns_per_body"] = 1e9 * total / (static_cast<double>(state.iterations()) * bodies);
  state.counters["least_ns_per_body"] = 1e9 * least / bodies;
  state.counters["unknowns"] = static_cast<double>(x.size());
  if (std::is_same_v<Solver, Blocks>) state.counters["fill"] = system.order.fill;
  state.SetComplexityN(state.range(0));
}

template <class Solver>
void register_solver(const std::string& solver, const std::string& structure, const std::vector<int>& sizes) {
  for (const bool factors : {true, false}) {
    const std::string name = solver + (factors ? "/factor/" : "/solve/") + structure;
    auto* family =
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { time_solver<Solver>(state, structure, factors); });
    for (const int n : sizes) family->Arg(n);
    family->UseManualTime();
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const std::string chain : {"chain_5", "chain_3"}) {
    const std::vector<int> sizes{16, 32, 64, 128, 256, 512, 1024, 2048};
    register_solver<Blocks>("BlockLdu", chain, sizes);
    register_solver<Sparse>("SparseLU", chain, sizes);
    register_solver<Dense>("PartialPivLU", chain, {16, 32, 64, 128});
  }
  for (const auto& [structure, sizes] :
       std::map<std::string, std::vector<int>>{{"ladder", {16, 64, 128, 512, 2000}}, {"net", {16, 64, 256, 1024}}}) {
    register_solver<Blocks>("BlockLdu", structure, sizes);
    register_solver<Sparse>("SparseLU", structure, sizes);
    register_solver<Dense>("PartialPivLU", structure, {16, 64, 128});
  }
  return true;
}();

}  // namespace
