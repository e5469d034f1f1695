// SPDX-License-Identifier: BSD-3-Clause
// All root finders find the same root.
#include <concepts>

#include "actio/dynamics/svi/residual.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "actio/solvers/root/quasi_newton.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/flat_tree.hpp"
#include "support/oracle.hpp"

namespace root_finders_long_test {

using namespace actio;
using Eigen::VectorXd;

/// Returns the state after five steps, solved to rounding.
struct End {
  VectorXd q, p;
};

template <class Residual, class Root>
End run(const Model<double>& model, const State<double>& start, double h) {
  VariationalIntegrator<Model<double>, Residual, Root> integrator(model, {.tolerance = 0, .max_halvings = 0});
  integrator.reset(start);
  for (int k = 0; k < 5; ++k) {
    const test::AllocationCounter allocations;
    const StepResult<double> result = integrator.step({}, h);
    const std::size_t count = allocations.count();
    INFO(name(result.method));
    CHECK(count == 0);
    REQUIRE(result.status == Status::converged);
  }
  return {integrator.configuration(), integrator.momentum()};
}

template <class Residual, class Root>
void same(const Model<double>& model, const State<double>& start, double h, const End& expected) {
  const End end = run<Residual, Root>(model, start, h);
  CHECK((end.q - expected.q).norm() < 1e-11 * expected.q.norm());
  CHECK((end.p - expected.p).norm() < 1e-11 * expected.p.norm());
}

State<double> somewhere(const Model<double>& model, std::uint64_t seed) {
  return {models::random_configuration(model, seed, 1.0), models::random_velocity(model, seed + 100, 1.0), 0};
}

/// Compares all root finders with exact Newton. They do not depend on the kind of kinetic energy, whose momenta the first and its rates
/// Newton's method tests: so one kind is enough for the others.
template <class Residual>
void all_agree(const Model<double>& model, const State<double>& start, double h) {
  const End expected = run<Residual, Newton>(model, start, h);
  same<Residual, Riqn>(model, start, h, expected);
  same<Residual, Automatic>(model, start, h, expected);
  if constexpr (std::same_as<Residual, Drnea<Split>>) {
    same<Residual, SimplifiedNewton>(model, start, h, expected);
    same<Residual, DenseNewton>(model, start, h, expected);
    same<Residual, Broyden>(model, start, h, expected);
    same<Residual, DenseBroyden>(model, start, h, expected);
    same<Residual, Anderson>(model, start, h, expected);
  }
}
/// Compares all root finders that support SVI with dense Newton.
End all_agree_on_svi(const Model<double>& model, const State<double>& start, double h) {
  const End expected = run<Svi, DenseNewton>(model, start, h);
  same<Svi, Riqn>(model, start, h, expected);
  same<Svi, DenseBroyden>(model, start, h, expected);
  same<Svi, Broyden>(model, start, h, expected);
  same<Svi, Anderson>(model, start, h, expected);
  return expected;
}

TEST_CASE("root finders: on the reference trees all find the same root", "[integrators][root][svi][long]") {
  for (const std::string& name : test::reference_names()) {
    const test::Reference reference = test::reference(name);
    const State<double> start{reference.q0(), reference.v0(), 0};
    const double h = reference.json["dt"].get<double>();
    const Model<double>& model = reference.model;
    CAPTURE(name);
    all_agree<Drnea<Split>>(model, start, h);
    all_agree<Drnea<Se3>>(model, start, h);
    all_agree<Drnea<Quat>>(model, start, h);
    bool all_flat = true;
    for (BodyIndex i = 1; i < model.num_bodies(); ++i)
      visit_joint(model, i, [&]<JointType J>(const J&) { all_flat &= joints::is_flat<J>(); });
    if (all_flat) all_agree_on_svi(model, start, h);
  }
}

TEMPLATE_TEST_CASE("root finders: with DRNEA all find the same root", "[integrators][root][long]", Drnea<Split>, Drnea<Se3>, Drnea<Quat>,
                   Drnea<Mixed>) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model<double> model = models::random_tree(seed, 7, {.damping = true, .springs = true, .armature = true});
    const State<double> start = somewhere(model, seed);
    CAPTURE(seed);
    const double h = 3e-3;
    all_agree<TestType>(model, start, h);
  }
}

TEST_CASE("root finders: with SVI all find the same root, which is close to that of DRNEA", "[integrators][root][svi][long]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model<double> model = test::flat_tree(seed, 7);
    const State<double> start = somewhere(model, seed);
    CAPTURE(seed);
    const double h = 3e-3;
    const End expected = all_agree_on_svi(model, start, h);
    const End other = run<Drnea<Split>, Newton>(model, start, h);
    CHECK((expected.q - other.q).norm() < 1e-3 * other.q.norm());
    CHECK((expected.q - other.q).norm() > 1e-12 * other.q.norm());
  }
}

TEST_CASE("root finders: SVI refuses joints whose q is not a vector, by name", "[integrators][root][svi][long]") {
  const Model<double> model = models::random_tree(1, 7, {.floating = true});
  CHECK_THROWS_WITH((VariationalIntegrator<Model<double>, Svi, DenseNewton>(model)),
                    Catch::Contains("joint '" + model.joint_name(1) + "'"));
}

TEST_CASE("constant cost: two evaluations and one factorisation a step, and errors do not accumulate",
          "[integrators][root][constant_cost][long]") {
  const Model<double> model = models::random_tree(4, 8, {.floating = true}).with_gravity(Vector3<double>::Zero());
  VariationalIntegrator<Model<double>, Drnea<Split>, ConstantCost> once(model);
  VariationalIntegrator solved(model);
  once.reset(somewhere(model, 4));
  solved.reset(somewhere(model, 4));
  double worst = 0;
  for (int k = 0; k < 1000; ++k) {
    const StepResult<double> result = once.step({}, 2e-3);
    REQUIRE(result);
    REQUIRE((result.iterations == 1 && result.evaluations == 2));
    if (k > 10) REQUIRE(result.factorizations == 1);
    worst = std::max(worst, result.residual);
    REQUIRE(solved.step({}, 2e-3));
  }
  CHECK(worst < 1e-4);
  CHECK((once.configuration() - solved.configuration()).norm() < 1e-6 * solved.configuration().norm());
}

}  // namespace root_finders_long_test
