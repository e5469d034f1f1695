// SPDX-License-Identifier: BSD-3-Clause
// The methods that close loops within a step, against the dense saddle-point problem, on trees with loops of all types.
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/drnea/residual.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/equations/closed_system.hpp"
#include "actio/equations/closure_solver.hpp"
#include "actio/model/samples/nets.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"
#include "support/tangled_tree.hpp"

namespace closure_solver_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Factorization methods[] = {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::sweeps};

/// A tangled tree at a closed configuration, with M and G as matrices, and right-hand sides.
struct Scene : test::PlacedTangle {
  AbiData<double> mass;
  VectorXd joint, R, D, f, wanted;
  bool is_redundant = false;
  MatrixXd M, G;

  Scene(const test::Tangled& tangled, std::uint64_t seed, double softness)
      : PlacedTangle(tangled), mass(model) {
    models::Random random(seed);
    const auto some = [&](Eigen::Index n) {
      VectorXd x(n);
      for (double& entry : x) entry = random.uniform(-1, 1);
      return x;
    };
    VectorXd added = VectorXd::Zero(model.nv());
    for (Eigen::Index k = 0; k < model.nv(); ++k) added[k] = model.properties().armature[k] > 0 ? 0.1 : 0;  // for joints with armature
    joint = model.properties().armature + added;
    REQUIRE(abi_factor(model, tree, mass, added) == 0);
    M = mass_matrix();
    M.diagonal() += added;
    G = jacobian();
    R = D = VectorXd::Constant(closures.size(), softness);
    f = some(model.nv());
    wanted = G * some(model.nv());
  }
  ClosedNode<Model<double>> node() { return {tree, mass, closures, joint, R, D, is_redundant}; }
  ClosureSolver<Model<double>> solver(Factorization method) {
    return {model, closures.size(), joints_with_terms(model, SpringRule::midpoint), method};
  }
};

/// Returns the least-norm solution of  A w - G^T L = f,  H w + R L = d  by a dense complete orthogonal decomposition.
std::pair<VectorXd, VectorXd> dense(const MatrixXd& A, const MatrixXd& G, const MatrixXd& H, const VectorXd& R, const VectorXd& f,
                                    const VectorXd& d) {
  const Eigen::Index n = A.rows(), m = G.rows();
  MatrixXd K(n + m, n + m);
  K << A, -G.transpose(), H, MatrixXd(R.asDiagonal());
  VectorXd right(n + m);
  right << f, d;
  const VectorXd x = test::solve_least_norm(K, right);
  return {x.head(n), x.tail(m)};
}

test::Tangled tangled(std::uint64_t seed) {
  return test::tangled_tree(seed, 9, 2, seed % 2 == 0 ? 2 : 1, {.damping = true, .springs = true, .armature = true});
}

TEST_CASE("closure solver: systems with the mass matrix match dense solutions, also for redundant rows", "[integrators][fast]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const double softness : {0., 0.01}) {
      Scene scene(tangled(seed), seed, softness);
      const auto [w, L] = dense(scene.M, scene.G, scene.G, scene.R, scene.f, scene.wanted);
      const VectorXd force = scene.G.transpose() * L;
      for (const Factorization method : methods) {
        CAPTURE(seed, softness, int(method));
        auto solver = scene.solver(method);
        VectorXd mobility = VectorXd::Zero(scene.R.size()), ours = scene.f, impulses = scene.wanted;
        const auto at = scene.node();
        solver.measure(at, mobility);
        REQUIRE(solver.factor_mass(at));
        solver.solve_mass(at, ours, impulses, Accuracy::full);
        const bool iterates = method == Factorization::sweeps || method == Factorization::iterated;
        const double tolerance = iterates ? 1e-6 : 1e-8;  // some rows have a thousandth of the mobility of others
        CHECK((ours - w).norm() < tolerance * (1 + w.norm()));
        CHECK((scene.G.transpose() * impulses - force).norm() < 10 * tolerance * (1 + force.norm()));
        for (Eigen::Index k = 0; k < mobility.size(); ++k) {  // an upper bound of the mobility
          const double exact = scene.G.row(k) * test::solve(scene.M, scene.G.row(k).transpose());
          CHECK(exact <= mobility[k] * (1 + 1e-9) + 1e-12);
          if (method == Factorization::dense) CHECK(mobility[k] <= exact * (1 + 1e-9) + 1e-12);
        }
      }
    }
  }
}

TEST_CASE("closure solver: impulses of redundant rows have the least norm, in systems of the mass and of a step", "[integrators][fast]") {
  int redundant = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Scene scene(tangled(seed), seed, 0);
    const Model<double>& model = scene.model;
    const MatrixXd A = scene.G * test::solve_columns(scene.M, scene.G.transpose());
    VectorXd D = A.diagonal();
    for (double& d : D) d = d > 1e-12 ? d : D.maxCoeff();
    const VectorXd root = D.cwiseSqrt();
    const MatrixXd G_hat = root.cwiseInverse().asDiagonal() * scene.G;  // the Jacobian for L_hat = root L
    const bool depends = Eigen::FullPivLU<MatrixXd>(G_hat).setThreshold(1e-7).rank() < scene.G.rows();
    redundant += depends;

    Drnea<Split>::Data<double> data(model);
    Drnea<Split>::Factors<double> factors(model);
    const double h = 0.02;
    // A negligible increment, so that the loops, and the dependence of their rows, are the same at the end as at the beginning.
    const VectorXd x = 1e-9 * models::random_velocity(model, seed), joint = scene.joint / h, none = VectorXd::Zero(D.size());
    Drnea<Split>::move(model, scene.tree, data, x, h);
    REQUIRE(Drnea<Split>::factor(model, scene.tree, data, factors, x, h, joint) == 0);
    ClosedStep<Model<double>> step(model, scene.closures);
    step.begin(scene.tree, Drnea<Split>::displacements(data), factors.rates, factors.of_jacobian, x, joint, scene.rotations);

    for (const Factorization method : methods) {
      CAPTURE(seed, int(method));
      auto solver = scene.solver(method);
      scene.is_redundant = false;
      solver.measure(scene.node(), scene.D);
      for (double& d : scene.D) d = d > 0 ? d : 1;
      REQUIRE(solver.factor_mass(scene.node()));
      REQUIRE(solver.is_redundant(scene.node()) == depends);
      scene.is_redundant = depends;
      solver.measure(scene.node(), scene.D);
      for (Eigen::Index k = 0; k < D.size(); ++k) {
        if (!(scene.D[k] > 0)) scene.D[k] = D[k];
        else if (depends) CHECK(std::abs(scene.D[k] - D[k]) < 1e-8 * D[k]);
      }
      REQUIRE(solver.factor_mass(scene.node()));
      // Rounding of a sparse factorisation remains, amplified by the regularisation of 1e-5 that selects the least norm: 1e-2 makes a norm
      // 5e-5 larger.
      const bool iterates = method == Factorization::sweeps || method == Factorization::iterated;
      const auto is_least = [&](const VectorXd& L, double tolerance) {
        const VectorXd L_hat = root.cwiseProduct(L),
                       least = test::solve_least_norm(MatrixXd(G_hat.transpose()), VectorXd(scene.G.transpose() * L));
        CHECK((L_hat - least).norm() < tolerance * (1e-6 + least.norm()));
      };
      VectorXd w = scene.f, L = scene.wanted;
      solver.solve_mass(scene.node(), w, L, Accuracy::full);
      CHECK((scene.G * w - scene.wanted).norm() < 1e-6 * (1 + scene.wanted.norm()));
      CHECK((scene.M * w - scene.G.transpose() * L - scene.f).norm() < 1e-6 * (1 + scene.f.norm()));
      is_least(L, method == Factorization::sparse ? 1e-2 : 1e-4);
      REQUIRE(solver.factor_step(scene.node(), step, h, none));
      w = scene.f, L = none;
      solver.solve_step(scene.node(), step, w, L);
      is_least(L, method == Factorization::sparse || (iterates && L.size() >= 12) ? 1e-2 : 1e-4);
    }
  }
  CHECK(redundant >= 15);
}

TEST_CASE("closure solver: sweeps reduce the error of an update to a thousandth where loops are joined at corners", "[integrators][fast]") {
  int before = 0;
  for (const int n : {4, 8, 32}) {
    const Model<double> model = models::square_chain(n);
    Scene scene({model, model.neutral()}, 1, 0);
    const auto at = scene.node();
    IteratedClosures<Model<double>> sweeps(model, true);
    REQUIRE(sweeps.factor_mass(at));
    VectorXd w = scene.f, L = scene.wanted;
    sweeps.solve_mass(at, w, L, Accuracy::of_update);
    const VectorXd first = scene.wanted - scene.G * test::solve(scene.M, scene.f);
    CHECK((scene.G * w - scene.wanted).norm() < 3e-3 * first.norm());  // the norm differs from that of the solver
    if (before > 0) CHECK(sweeps.iterations() <= before + 3);
    before = sweeps.iterations();
    CHECK(before < 20);
  }
}

TEST_CASE("closure solver: systems with the exact Jacobian of a step match dense solutions", "[integrators][fast]") {
  using Residual = Drnea<Split>;
  const double h = 0.02;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Scene scene(tangled(seed), seed, 0.01);
    const Model<double>& model = scene.model;
    const VectorXd x = h * models::random_velocity(model, seed);
    Residual::Data<double> data(model);
    Residual::Factors<double> factors(model);
    Residual::JacobianData<double> columns(model);
    MatrixXd J(model.nv(), model.nv());
    Residual::move(model, scene.tree, data, x, h);
    const VectorXd joint = scene.joint / h, R = h * scene.R;
    REQUIRE(Residual::factor(model, scene.tree, data, factors, x, h, joint) == 0);
    Residual::jacobian(model, scene.tree, data, columns, x, h, joint, J);
    ClosedStep<Model<double>> step(model, scene.closures);
    step.begin(scene.tree, Residual::displacements(data), factors.rates, factors.of_jacobian, x, joint, scene.rotations);

    // G_end by differences of the values of the rows.
    MatrixXd H(scene.G.rows(), model.nv());
    const double d = 1e-6;
    for (Eigen::Index c = 0; c < model.nv(); ++c) {
      VectorXd ends[2];
      for (const int side : {0, 1}) {
        ends[side].resize(H.rows());
        const VectorXd moved = x + (side == 0 ? -d : d) * VectorXd::Unit(model.nv(), c);
        Residual::move(model, scene.tree, data, moved, h);
        scene.closures.values(scene.rotations, Residual::displacements(data), moved, ends[side]);
      }
      H.col(c) = (ends[1] - ends[0]) / (2 * d);
    }
    Residual::move(model, scene.tree, data, x, h);
    VectorXd rates = scene.wanted;
    step.rates(scene.f, rates);
    CAPTURE(seed);
    CHECK((rates - H * scene.f).norm() < 1e-8 * (1 + rates.norm()));

    const auto [w, L] = dense(J, scene.G, H, R, scene.f, scene.wanted);
    for (const Factorization method : methods) {
      CAPTURE(int(method));
      auto solver = scene.solver(method);
      VectorXd mobility = scene.R, ours = scene.f, impulses = scene.wanted;
      const auto at = scene.node();
      solver.measure(at, mobility);
      REQUIRE(solver.factor_step(at, step, h, R));
      solver.solve_step(at, step, ours, impulses);
      CHECK((ours - w).norm() < 1e-6 * (1 + w.norm()));  // the accuracy of the differences
      CHECK((impulses - L).norm() < 1e-5 * (1 + L.norm()));
      VectorXd of_mass = scene.f, more = scene.wanted;  // afterwards the systems of the mass are solved as before
      REQUIRE(solver.factor_mass(at));
      VectorXd expected = of_mass, none = more;
      solver.solve_mass(at, expected, none, Accuracy::full);
      REQUIRE(solver.factor_step(at, step, h, R));
      solver.solve_mass(at, of_mass, more, Accuracy::full);
      CHECK((of_mass - expected).norm() <= 1e-12 * expected.norm());
    }
  }
}

TEST_CASE("closure solver: the method is chosen by number of rows, inertia and conditioning", "[integrators][fast]") {
  const auto chosen = [](const Model<double>& model, Factorization method = Factorization::automatic) {
    const TreeClosures<Model<double>> closures(model);
    return ClosureSolver<Model<double>>(model, closures.size(), std::vector<bool>(static_cast<std::size_t>(model.num_bodies())), method)
        .method();
  };
  CHECK(chosen(models::ladder(5)) == Factorization::dense);  // ten rows
  CHECK(chosen(models::ladder(6)) == Factorization::sparse);
  CHECK(chosen(models::square_chain(16)) == Factorization::sparse);
  CHECK(chosen(models::four_bars(5)) == Factorization::dense);
  CHECK(chosen(models::four_bars(16)) == Factorization::iterated);  // mechanisms that are not connected
  for (const Factorization method : methods) CHECK(chosen(models::ladder(2), method) == method);

  ModelBuilder<double> builder("ring");  // a ring of links without inertia
  for (int k = 0; k < 4; ++k) {
    builder.add_body("b" + std::to_string(k), Inertia<double>::point(1, {0, 0, -1}));
    builder.add_joint("j" + std::to_string(k), k == 0 ? "world" : "b" + std::to_string(k - 1), "b" + std::to_string(k),
                      Pose<double>::identity(), Revolute<double>({1, 0, 0}));
  }
  Loop<double> weld;
  weld.type = LoopType::fixed;
  weld.T_A.p = weld.T_B.p = {0, 0, -1};
  for (int k = 0; k < 3; ++k) builder.add_loop((weld.name = "weld" + std::to_string(k), weld), "b0", "b" + std::to_string(k + 1));
  const Model<double> ring = builder.build();
  CHECK(chosen(ring) == Factorization::dense);
  CHECK_THROWS_WITH(chosen(ring, Factorization::sparse), Catch::Contains("Factorization::sparse") && Catch::Contains("'b0'"));
  CHECK_THROWS_WITH(chosen(ring, Factorization::sweeps), Catch::Contains("'b0'") && Catch::Contains("weld0"));
}

}  // namespace closure_solver_test
