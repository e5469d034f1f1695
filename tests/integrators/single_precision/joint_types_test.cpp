// SPDX-License-Identifier: BSD-3-Clause
// Single precision in integrators that are compiled for all joint types: in one file, since most of the compiled code is shared.
#include <algorithm>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/close_loops.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/regularized_rods.hpp"
#include "actio/integrators/semi_implicit_euler.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/srm/loop_forces.hpp"
#include "actio/integrators/srm/waveform.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/model/samples/rod_chains.hpp"
#include "actio/simulation/diagnostics.hpp"
#include "actio/simulation/simulate.hpp"
#include "integrators/single_precision/compiled.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace joint_types_test {

using namespace actio;
using namespace actio::detail;

TEST_CASE("single precision: the laws of integrators for all joint types, variational with loops", "[integrators][variational][long]") {
  const Model<float> model = models::closed_chain<float>(5);
  test::LawOptions options;
  options.velocity_tolerance = 1e-5;
  options.reversal_tolerance = 1e-3;
  for (const Factorization method : {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::sweeps}) {
    CAPTURE(static_cast<int>(method));
    test::check_integrator_laws(VariationalIntegrator(model, {.factorization = method}), rest_state(model), 1e-3f, options);
  }
}

TEST_CASE("single precision: the laws of integrators for all joint types, variational on a tree", "[integrators][variational][long]") {
  const Model<float> model = cast<float>(models::random_tree(5, 8, {.damping = true, .springs = true, .armature = true}));
  const State<float> start{models::random_configuration(model, 5), models::random_velocity(model, 6), 0};
  test::check_integrator_laws(VariationalIntegrator(model), start, 1e-3f);
}

TEST_CASE("single precision: the laws of integrators for all joint types, maximal", "[integrators][maximal][long]") {
  const Model<float> model = cast<float>(models::random_tree(5, 6));
  const State<float> start{models::random_configuration(model, 5), models::random_velocity(model, 6), 0};
  // 1e-5 is the tolerance of a step, and velocities are differences of poses over h
  test::check_integrator_laws(MaximalIntegrator(model), start, 1e-2f, {.reversal_tolerance = 1e-3});
}

TEST_CASE("single precision: loops can be closed, and stay closed in maximal coordinates", "[integrators][maximal][long]") {
  const Model<float> open = cast<float>(models::four_link_segments(2));
  const VectorX<float> q = close_loops(open, models::random_configuration(open, 3, 0.4));
  MaximalIntegrator of_open(open);
  CHECK_NOTHROW(of_open.reset({q, VectorX<float>::Zero(open.nv()), 0}));
  const Model<float> model = models::closed_chain<float>(5);
  MaximalIntegrator integrator(model);
  integrator.reset(rest_state(model));
  float largest = 0;
  for (int k = 0; k < 2000; ++k) {
    REQUIRE(integrator.step({}, 1e-3F));
    largest = std::max(largest, integrator.gap());
  }
  CHECK(largest < 1e-5F);
}

TEST_CASE("single precision: the laws of integrators for all joint types, compliant", "[integrators][compliant][long]") {
  PlaneContacts<float> plane({Compliance<float>{1e4F, 10.F}, 0.5F});
  const Model<float> ladder = models::ladder<float>(6);
  for (const Factorization bodies : {Factorization::dense, Factorization::sparse, Factorization::iterated}) {
    CompliantOptions<float> options;
    options.factorization = bodies;
    CAPTURE(static_cast<int>(bodies));
    test::check_integrator_laws(CompliantIntegrator(ladder, options, plane), rest_state(ladder), 1e-3F);
  }
  ModelBuilder<float> builder("box");
  builder.add_body("box", Inertia<float>::box(1, {0.2F, 0.1F, 0.05F}));
  builder.add_joint("free", "world", "box", Pose<float>::identity(), Free<float>());
  const Model<float> box =
      builder.add_shape({.name = "all", .geometry = Box<float>{{0.2F, 0.1F, 0.05F}}}, "box").build().with_enforced({.contact = true});
  plane.add_shapes_of(box);
  test::check_integrator_laws(CompliantIntegrator(box, {}, plane), rest_state(box), 1e-2F);
  PlaneContacts<float> clinging(
      {.normal = Compliance<float>{1e4F, 10.F}, .friction = 0.5F, .tangential_damping = 1.F, .tangential_stiffness = 1e3F});
  clinging.add_shapes_of(box);
  test::check_integrator_laws(CompliantIntegrator(box, {}, clinging), rest_state(box), 1e-2F);
}

TEST_CASE("single precision: the laws of integrators for all joint types, srm", "[integrators][srm][long]") {
  const Model<float> model = models::four_bars<float>(1);
  test::check_integrator_laws(SequentialRegularization(model), rest_state(model), 2e-3F);
}

TEST_CASE("single precision: diagnostics match double precision", "[simulation][long]") {
  ModelBuilder<float> builder("box");
  builder.gravity(Vector3<float>::Zero()).add_body("box", Inertia<float>::box(2, {0.2F, 0.2F, 0.2F}));
  builder.add_joint("joint", "world", "box", Pose<float>::identity(), Prismatic<float>(Vector3<float>::UnitX()),
                    {.damping = 0.5F, .stiffness = 20.F});
  const Model<float> model = builder.build();
  SemiImplicitEuler integrator(model);
  integrator.reset({VectorX<float>::Zero(1), VectorX<float>::Constant(1, 2.0F), 0});
  Diagnostics diagnostics(model);
  REQUIRE(simulate(integrator, Input<float>(VectorX<float>::Constant(1, 3.0F)), 1e-3F, Steps{1000}, diagnostics));
  CHECK(diagnostics.now().dissipated > 0.3F);
  CHECK(std::abs(diagnostics.now().input) > 0.1F);
  CHECK(diagnostics.relative_balance() < 0.01F);
}

template <class S>
VectorX<S> end_of_squares(int steps) {
  const auto rods = models::corner_joined_squares<S>(3);
  const RodLoops<S, 2> loops(rods.tree);
  const State<S> start{rods.p, VectorX<S>::Zero(rods.p.size()), S(0)};
  Waveform<RodLoops<S, 2>, Midpoint, SequentialForces<S>> march(loops, start, SequentialForces<S>(loops.rows(), {.iterations = 2}));
  march.reset(start);
  for (int k = 0; k < steps; ++k) REQUIRE(march.step({}, S(5e-3F)));
  return march.node().q;
}

TEST_CASE("single precision: srm on rods matches double precision up to its own", "[integrators][srm][long]") {
  // rounding, amplified by 1/epsilon
  CHECK((end_of_squares<float>(60).cast<double>() - end_of_squares<double>(60)).cwiseAbs().maxCoeff() < 2e-3);
}

}  // namespace joint_types_test
