// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularisation as published, on trees of rods: reference runs, the claims of the paper, its baselines.
#include "actio/integrators/srm/waveform.hpp"

#include <cmath>

#include "actio/integrators/reference/dense_loop_forces.hpp"
#include "actio/integrators/regularized_rods.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/rod_chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/oracle.hpp"

namespace waveform_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd;
using test::Json;

State<double> at_rest(const VectorXd& p) { return {p, VectorXd::Zero(p.size()), 0}; }

template <int d, class Tableau = Midpoint>
auto srm(const RodTree<double, d>& rods, const VectorXd& p, const SrmOptions<double>& options, const Baumgarte<double>& back = {}) {
  const RodLoops<double, d> loops(rods, back);
  Waveform<RodLoops<double, d>, Tableau, SequentialForces<double>> march(loops, at_rest(p),
                                                                         SequentialForces<double>(loops.rows(), options));
  march.reset(at_rest(p));
  return march;
}

/// Largest component of the violation of a loop.
template <int d>
double drift(const RodTree<double, d>& rods, const VectorXd& p) {
  double largest = 0;
  for (const auto& loop : rods.loops()) {
    largest = std::max(largest, (RodTree<double, d>::end_of(loop.a, p) - RodTree<double, d>::end_of(loop.b, p)).cwiseAbs().maxCoeff());
  }
  return largest;
}

const Json& chains() {
  static const Json json = test::read_json(std::filesystem::path(ACTIO_TEST_DATA) / "reference" / "traj_chains.json");
  return json;
}
const Json& case_of(const std::string& name) {
  for (const Json& one : chains()["cases"]) {
    if (one["name"] == name) return one;
  }
  throw std::runtime_error("traj_chains.json has no " + name);
}

/// The rods of a case of the file, which must equal ours.
template <int d>
void check_same_rods(const Json& one, const models::PlacedRods<double, d>& ours) {
  REQUIRE(one["father"].size() == static_cast<std::size_t>(ours.tree.num_rods()));
  for (BodyIndex j = 1; j <= ours.tree.num_rods(); ++j) {
    const auto k = static_cast<std::size_t>(j - 1);
    CHECK(one["father"][k].get<BodyIndex>() == ours.tree.parent(j));
    CHECK((test::to_vector(one["knots0"][k]) - RodTree<double, d>::end_of(j, ours.p)).norm() < 1e-14);
    CHECK((test::to_vector(one["rods0"][k]) - RodTree<double, d>::vector_of(j, ours.p)).norm() < 1e-14);
  }
  REQUIRE(one["loops"].size() == ours.tree.loops().size());
  for (std::size_t k = 0; k < ours.tree.loops().size(); ++k) {
    CHECK(one["loops"][k][0].get<BodyIndex>() == ours.tree.loops()[k].a);
    CHECK(one["loops"][k][1].get<BodyIndex>() == ours.tree.loops()[k].b);
  }
}

template <int d>
double distance_of_ends(const Json& ends, const VectorXd& p) {
  double largest = 0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    largest =
        std::max(largest, (test::to_vector(ends[k]) - RodTree<double, d>::end_of(static_cast<BodyIndex>(k) + 1, p)).cwiseAbs().maxCoeff());
  }
  return largest;
}

/// The run "srm_<name>" of the file. It has the same arithmetic in another order: the difference is rounding over 60 steps, which squares
/// amplify.
template <int d>
void check_reference_run(const std::string& name, const models::PlacedRods<double, d>& rods) {
  CAPTURE(name);
  check_same_rods(case_of(name), rods);
  const Json& run = case_of("srm_" + name);
  const int copies = run["S"];
  const double h = run["h"], duration = run["T"];
  auto march = srm(rods.tree, rods.p, {.iterations = copies, .epsilon = run["eps"], .alpha = run["alpha"]},
                   {run["tree_baumgarte"][0], run["tree_baumgarte"][1]});
  VectorXd loop_drift = VectorXd::Zero(copies), tree_drift = loop_drift;
  for (int n = 0; n < std::lround(duration / h); ++n) {
    REQUIRE(march.step({}, h));
    for (int k = 0; k < copies; ++k) {
      const VectorXd& p = march.copies()[static_cast<std::size_t>(k)].q;
      loop_drift[k] = std::max(loop_drift[k], drift(rods.tree, p));
      tree_drift[k] = std::max(tree_drift[k], largest_joint_gap(rods.tree, p));
    }
  }
  for (int k = 0; k < copies; ++k) {
    const auto at = static_cast<std::size_t>(k);
    CAPTURE(k, loop_drift[k], tree_drift[k]);
    CHECK(distance_of_ends<d>(run["joints_per_iterate"][at], march.copies()[at].q) < 1e-11);
    CHECK(std::abs(loop_drift[k] - run["max_loop_drift_per_iterate"][at].get<double>()) < 1e-11);
    CHECK(std::abs(tree_drift[k] - run["max_tree_drift"][at].get<double>()) < 1e-11);
  }
}

TEST_CASE("srm on rods: the reference runs are reproduced", "[integrators][srm][fast]") {
  check_reference_run<2>("corner_4", models::corner_joined_squares(4));
  check_reference_run<2>("edge_4", models::edge_sharing_squares(4));
  check_reference_run<3>("net_3x3", models::rod_net(3, 3));
}

/// Dense Schur complement, fourth order: against the reference solution of the file, whose error the file states.
template <int d>
void check_truth(const std::string& name, const models::PlacedRods<double, d>& rods) {
  CAPTURE(name);
  const Json& one = case_of(name);
  check_same_rods(one, rods);
  const RodLoops<double, d> loops(rods.tree);
  Waveform<RodLoops<double, d>, RungeKutta4, SchurForces<double>> march(loops, at_rest(rods.p), SchurForces<double>(loops.rows(), 10));
  const double energy = rods.tree.energy(rods.p, VectorXd::Zero(rods.p.size()));
  const double tolerance = 2 * one["truth_error_estimate"].get<double>() + 1e-9;  // plus our own error
  for (const Json& node : one["dae_truth"]) {
    const double t = node["t"];
    while (march.node().time < t - 1e-9) REQUIRE(march.step({}, 2e-3));
    CAPTURE(t);
    CHECK(distance_of_ends<d>(node["joints"], march.node().q) < tolerance);
    CHECK(std::abs(rods.tree.energy(march.node().q, march.node().v) - energy) < 1e-6);
  }
}

TEST_CASE("rods with a dense Schur complement: they follow the differential-algebraic equations", "[integrators][srm][fast]") {
  check_truth<2>("corner_1", models::corner_joined_squares(1));
  check_truth<2>("corner_2", models::corner_joined_squares(2));
  check_truth<2>("edge_2", models::edge_sharing_squares(2));
  check_truth<3>("net_1x1", models::rod_net(1, 1));
  check_truth<3>("net_2x2", models::rod_net(2, 2));
}

/// Loops solved at acceleration level: the reference solution and, by one step of Euler, the loop forces at the start.
template <class Tableau, int d>
auto schur(const models::PlacedRods<double, d>& rods) {
  const RodLoops<double, d> loops(rods.tree);
  return Waveform<RodLoops<double, d>, Tableau, SchurForces<double>>(loops, at_rest(rods.p), SchurForces<double>(loops.rows(), 10));
}
template <int d>
VectorXd forces_at_start(const models::PlacedRods<double, d>& rods) {
  auto march = schur<ForwardEuler>(rods);
  REQUIRE(march.step({}, 1e-3));
  return march.loop_forces();
}
template <class March>
void run(March& march, double duration, double h) {
  for (int n = 0; n < std::lround(duration / h); ++n) REQUIRE(march.step({}, h));
}
/// p of the rods after a given time, accurate to 1e-10 (see the reference runs).
template <int d>
VectorXd truth(const models::PlacedRods<double, d>& rods, double duration) {
  auto march = schur<RungeKutta4>(rods);
  run(march, duration, 1e-3);
  return march.node().q;
}

TEST_CASE("srm on rods: iterates converge with the orders 1, 2, 3 in epsilon", "[integrators][srm][fast]") {
  const auto rods = models::corner_joined_squares(2);
  const VectorXd expected = truth(rods, 0.2), at_start = forces_at_start(rods);
  const auto errors = [&](double epsilon) {
    auto march = srm<2, RungeKutta4>(rods.tree, rods.p, {.iterations = 3, .epsilon = epsilon, .alpha = 10, .lambda_0 = at_start});
    run(march, 0.2, 2.5e-4);
    std::vector<double> all;
    for (const State<double>& copy : march.copies()) all.push_back((copy.q - expected).cwiseAbs().maxCoeff());
    return all;
  };
  const std::vector<double> coarse = errors(1e-3), fine = errors(5e-4);
  for (std::size_t s = 1; s <= 3; ++s) {
    const double order = std::log2(coarse[s - 1] / fine[s - 1]);
    CAPTURE(s, coarse[s - 1], fine[s - 1], order);
    CHECK(std::abs(order - double(s)) < 0.2);  // measured 0.96, 1.97, 2.83: epsilon is not small enough for the limit
  }
}

TEST_CASE("srm on rods: both weights of rows lead to the same motion", "[integrators][srm][fast]") {
  const auto rods = models::corner_joined_squares(2);
  const VectorXd expected = truth(rods, 0.1), at_start = forces_at_start(rods);
  const auto end = [&](RowWeight weight, int iterations, double epsilon) {
    auto march = srm<2, RungeKutta4>(rods.tree, rods.p,
                                     {.iterations = iterations, .epsilon = epsilon, .alpha = 10, .lambda_0 = at_start, .weight = weight});
    run(march, 0.1, 5e-4);
    return VectorXd(march.node().q);
  };
  const auto apart = [](const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff(); };
  CHECK(apart(end(RowWeight::bodies, 1, 1e-3), end(RowWeight::identity, 1, 1e-3)) > 5e-5);  // the first iterates differ, by 9.4e-5
  CHECK(apart(end(RowWeight::bodies, 4, 1e-3), expected) < 2e-7);                           // measured 6.1e-8
  // measured 1.5e-11; the reference is accurate to 1e-10
  CHECK(apart(end(RowWeight::identity, 4, 1e-3), expected) < 1e-9);
  CHECK(apart(end(RowWeight::bodies, 1, 1e-3), end(RowWeight::identity, 1, 8e-3)) < 1e-12);  // by blocks E is m/8 for these rods
}

TEST_CASE("srm on rods: two iterations give a method of second order", "[integrators][srm][fast]") {
  const auto rods = models::corner_joined_squares(4);
  const VectorXd expected = truth(rods, 0.3);  // before the squares become flat
  const auto errors = [&](double h) {
    auto march = srm(rods.tree, rods.p, {.iterations = 3, .epsilon = h / 2});
    run(march, 0.3, h);
    std::vector<double> all;
    for (const State<double>& copy : march.copies()) all.push_back((copy.q - expected).cwiseAbs().maxCoeff());
    return all;
  };
  const std::vector<double> coarse = errors(5e-3), fine = errors(2.5e-3), finest = errors(1.25e-3);
  const auto order = [&](std::size_t copy) { return std::log2(fine[copy] / finest[copy]); };
  CAPTURE(coarse, fine, finest);
  CHECK(std::abs(order(0) - 1) < 0.15);
  CHECK(std::abs(order(1) - 2) < 0.2);
  CHECK(order(2) > 1.9);  // the third iteration removes the error of epsilon^2; that of the steps, h^2, remains
  CHECK(fine[1] < 0.1 * fine[0]);
  CHECK(coarse[1] < 0.15 * coarse[0]);
}

TEST_CASE("srm on rods: the drift of corner-joined squares does not depend on their number", "[integrators][srm][fast]") {
  std::vector<double> first;
  for (const int squares : {8, 64, 512}) {
    const auto rods = models::corner_joined_squares(squares);
    auto march = srm(rods.tree, rods.p, {.iterations = 3, .epsilon = 2.5e-3});
    std::vector<double> largest(3, 0);
    for (int n = 0; n < 100; ++n) {  // through the pose in which they are almost flat
      REQUIRE(march.step({}, 5e-3));
      for (std::size_t k = 0; k < 3; ++k) largest[k] = std::max(largest[k], drift(rods.tree, march.copies()[k].q));
    }
    if (first.empty()) first = largest;
    CAPTURE(squares, largest);
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(largest[k] - first[k]) < 1e-6 * first[k]);
  }
  const std::vector<double> measured{5.86e-2, 2.80e-2, 1.98e-2};  // [srm_math.md, 4.1]
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(first[k] - measured[k]) < 0.005 * measured[k]);
}

/// Eigenvalues of E^1/2 D T D^T E^1/2, from the response of a tree to unit forces in each row.
template <class Tree>
VectorXd spectrum(Tree& tree, const State<double>& x) {
  Culprit culprit;
  REQUIRE(tree.place(x, culprit) == Status::converged);
  const Eigen::Index rows = tree.rows();
  const auto answer = [&](const VectorXd& lambda) {  // D a, by the rates of a motion with the velocity a
    REQUIRE(tree.accelerate(x, {}, 0, 0, lambda, culprit) == Status::converged);
    const State<double> moved{x.q, tree.acceleration(), 0};
    REQUIRE(tree.place(moved, culprit) == Status::converged);
    return VectorXd(tree.rate());
  };
  const VectorXd free = answer(VectorXd::Zero(rows));
  MatrixXd S(rows, rows);
  VectorXd E(rows), Ey(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    S.col(r) = free - answer(VectorXd::Unit(rows, r));
    tree.weigh(VectorXd::Unit(rows, r), Ey);
    E[r] = Ey[r];
    CHECK(std::abs(Ey.sum() - E[r]) == 0);  // E is diagonal
  }
  const VectorXd root = E.cwiseSqrt();
  return test::symmetric_eigenvalues(root.asDiagonal() * S * root.asDiagonal());
}

TEST_CASE("srm on rods: the mobility of loops, weighted by E, is at most one", "[integrators][srm][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    models::Random random(seed);
    RodTree<double, 3> rods(random.uniform(0.5, 2), random.uniform(0.5, 2), {0, 0, -9.8});
    std::vector<Vector3<double>> r;
    for (int j = 1; j <= 12; ++j) {
      if (j == 1) rods.add_rod(Vector3<double>::Zero().eval());
      else rods.add_rod(static_cast<BodyIndex>(random.uniform(1, j - 0.01)));
      r.push_back(rods.length() * random.direction<double>());
    }
    for (int k = 0; k < 9; ++k) {  // several loops on some rods, some of them given twice
      const auto a = static_cast<BodyIndex>(random.uniform(1, 12.99)), b = static_cast<BodyIndex>(random.uniform(1, 12.99));
      if (a != b) rods.add_loop(a, b);
    }
    const State<double> x = at_rest(rods.placed(r));
    RodLoops<double, 3> kept(rods, {0, 0});
    RegularizedRods<double, 3> regularized(rods);
    CAPTURE(seed);
    for (const VectorXd& kappa : {spectrum(kept, x), spectrum(regularized, x)}) {
      CHECK(kappa.maxCoeff() < 1 + 1e-10);
      CHECK(kappa.minCoeff() > -1e-10);
      CHECK(kappa.maxCoeff() > 0.1);
    }
  }
  const auto net = models::rod_net(8, 8);  // here the bound is attained
  RodLoops<double, 3> loops(net.tree);
  const VectorXd kappa = spectrum(loops, at_rest(net.p));
  CHECK(kappa.maxCoeff() < 1 + 1e-10);
  CHECK(kappa.maxCoeff() > 0.99);
}

TEST_CASE("srm on rods: the baselines give the same motion", "[integrators][srm][fast]") {
  const auto rods = models::corner_joined_squares(2);
  const VectorXd expected = truth(rods, 0.1);
  {
    const RegularizedRods<double, 2> all(rods.tree);  // all constraints regularised, form (3.10)
    const auto error = [&](int iterations) {
      Waveform<RegularizedRods<double, 2>, Midpoint, SequentialForces<double>> march(
          all, at_rest(rods.p), SequentialForces<double>(all.rows(), {.iterations = iterations, .epsilon = 5e-4}));
      run(march, 0.1, 5e-4);
      return (march.node().q - expected).cwiseAbs().maxCoeff();
    };
    const double once = error(1), twice = error(2);
    CAPTURE(once, twice);
    CHECK(twice < 0.5 * once);
    CHECK(twice < 5e-3);
  }
  const RodLoops<double, 2> loops(rods.tree);
  const auto error = [&](double epsilon) {
    Waveform<RodLoops<double, 2>, RungeKutta4, PenaltyForces<double>> march(loops, at_rest(rods.p),
                                                                            PenaltyForces<double>(loops.rows(), epsilon));
    run(march, 0.1, 2e-4);
    return (march.node().q - expected).cwiseAbs().maxCoeff();
  };
  const double soft = error(4e-5), stiff = error(1e-5);
  CAPTURE(soft, stiff);
  CHECK(stiff < 1e-4);
  CHECK(stiff < 0.5 * soft);  // undamped springs oscillate: the error is roughly proportional to epsilon
}

bool same(const std::vector<State<double>>& a, const std::vector<State<double>>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].q != b[k].q || a[k].v != b[k].v || a[k].time != b[k].time) return false;
  }
  return a.size() == b.size();
}

TEST_CASE("srm on rods: a step allocates nothing and, if it fails, changes nothing", "[integrators][srm][fast]") {
  const auto rods = models::corner_joined_squares(3);
  auto march = srm(rods.tree, rods.p, {.iterations = 2});
  {
    const test::AllocationCounter allocations;
    const StepResult<double> result = march.step({}, 5e-3);
    CHECK(allocations.count() == 0);
    CHECK(result);
    CHECK(result.evaluations == 4);  // two stages of two copies
    CHECK(result.residual < 1);
  }
  auto unstable = srm(rods.tree, rods.p, {.iterations = 2, .epsilon = 1e-4});  // far below h/2
  StepResult<double> result;
  std::vector<State<double>> before;
  for (int n = 0; n < 10000 && result; ++n) {
    before = unstable.copies();
    const test::AllocationCounter allocations;
    result = unstable.step({}, 5e-3);
    CHECK(allocations.count() == 0);
  }
  CHECK(describe(result.status) == describe(Status::not_finite));
  CHECK(result.culprit.kind == Culprit::Kind::loop);
  CHECK(result.culprit.index < 3);
  CHECK(same(unstable.copies(), before));
  CHECK(!unstable.step({}, 5e-3));
  CHECK(same(unstable.copies(), before));
}

TEST_CASE("srm on rods: options out of range are refused by name", "[integrators][srm][fast]") {
  const auto make = [](SrmOptions<double> options) { return SequentialForces<double>(4, std::move(options)); };
  CHECK_THROWS_AS(make({.iterations = 0}), OptionsError);
  CHECK_THROWS_AS(make({.epsilon = -1}), OptionsError);
  CHECK_THROWS_AS(make({.alpha = std::nan("")}), OptionsError);
  CHECK_THROWS_AS(make({.lambda_0 = VectorXd::Zero(3)}), OptionsError);
  CHECK_NOTHROW(make({.lambda_0 = VectorXd::Zero(4)}));
  CHECK_THROWS_AS(PenaltyForces<double>(4, 0), OptionsError);
}

}  // namespace waveform_test
