// SPDX-License-Identifier: BSD-3-Clause
// Single precision in all integrators, on hinges; joint_types_test.cpp has all joint types. They are long tests, since they take long to compile.
#include <cmath>
#include <numbers>
#include <string>

#include "actio/contacts/plane.hpp"
#include "actio/integrators/compliant.hpp"
#include "actio/integrators/extrapolation.hpp"
#include "actio/integrators/maximal.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "integrators/single_precision/compiled.hpp"
#include "support/catch.hpp"
#include "support/integrator_laws.hpp"

namespace hinges_test {

using namespace actio;
using Single = Model<float>;

/// Rods of 1 m on hinges about x that hang from the world; if closed, they are a polygon with one side fixed to the world.
Single rods(int n, bool closed) {
  ModelBuilder<float> builder("rods");
  const float turn = closed ? 2 * std::numbers::pi_v<float> / static_cast<float>(n + 1) : 0.F;
  const Inertia<float> rod = Inertia<float>::box(1, {0.1F, 0.1F, 1}).seen_from_parent(Pose<float>::translation(0, 0, -0.5F));
  std::string parent = "world";
  for (int k = 0; k < n; ++k) {
    const std::string name = "rod_" + std::to_string(k);
    const float first = closed && k == 0 ? -std::numbers::pi_v<float> / 2 : 0.F;
    builder.add_body(name, rod);
    builder.add_joint("hinge_" + name, parent, name,
                      {so3::rotation<float>(Vector3<float>::UnitX(), turn + first), {0, 0, k == 0 ? 0.F : -1.F}},
                      Revolute<float>(Vector3<float>::UnitX()));
    parent = name;
  }
  if (closed) {
    Loop<float> loop;
    loop.name = "closure";
    loop.type = LoopType::point_on_line;
    loop.axis = Vector3<float>::UnitX();
    loop.T_A = loop.T_B = Pose<float>::identity();
    loop.T_A.p = {0, 1, 0};
    loop.T_B.p = {0, 0, -1};
    builder.add_loop(loop, "world", parent);
  }
  return builder.build();
}

TEST_CASE("single precision: variational reaches the default tolerance or rounding", "[integrators][variational][long]") {
  for (const int n : {3, 30}) {
    const Single model = rods(n, false);
    VariationalIntegrator integrator(model);
    State<float> state = rest_state(model);
    state.q[0] = std::numbers::pi_v<float> / 2;
    integrator.reset(state);
    const float floor = 4 * epsilon<float> * static_cast<float>(10 + n * n / 10);
    for (int k = 0; k < 500; ++k) {
      const StepResult<float> result = integrator.step({}, 1e-3f);
      REQUIRE(result.status == Status::converged);
      REQUIRE(result.substeps == 1);
      REQUIRE(result.residual <= std::max(floor, integrator.options().tolerance));
    }
  }
}

TEST_CASE("single precision: the laws of integrators, variational with loops", "[integrators][variational][long]") {
  const Single model = rods(5, true);
  for (const Factorization method : {Factorization::dense, Factorization::sparse, Factorization::iterated, Factorization::sweeps}) {
    CAPTURE(static_cast<int>(method));
    test::check_integrator_laws(VariationalIntegrator(model, {.factorization = method}), rest_state(model), 1e-3f,
                                {.velocity_tolerance = 1e-5, .reversal_tolerance = 1e-3});
  }
}

TEST_CASE("single precision: the laws of integrators, maximal", "[integrators][maximal][long]") {
  const Single open = rods(5, false), closed = rods(5, true);
  State<float> start = rest_state(open);
  start.q[0] = 1;
  // 1e-5 is the tolerance of a step, and velocities are differences of poses over h
  test::check_integrator_laws(MaximalIntegrator(open), start, 1e-2f, {.reversal_tolerance = 1e-3});
  test::check_integrator_laws(MaximalIntegrator(closed), rest_state(closed), 1e-2f,
                              {.velocity_tolerance = 1e-5, .reversal_tolerance = 1e-3});
}

TEST_CASE("single precision: the laws of integrators, compliant", "[integrators][compliant][long]") {
  const Single closed = rods(5, true);
  PlaneContacts<float> plane({Compliance<float>{1e4F, 10.F}, 0.5F});
  for (const Factorization bodies : {Factorization::dense, Factorization::sparse, Factorization::iterated}) {
    CompliantOptions<float> options;
    options.factorization = bodies;
    CAPTURE(static_cast<int>(bodies));
    test::check_integrator_laws(CompliantIntegrator(closed, options, plane), rest_state(closed), 1e-3F);
  }

  const Single rod = rods(1, false);
  PlaneContacts<float> ground(
      {.normal = Compliance<float>{1e4F, 10.F}, .friction = 0.5F, .tangential_damping = 1.F, .tangential_stiffness = 1e3F});
  ground.add(1, Pose<float>::translation(0, 0, -1), Sphere<float>{0.05F});
  State<float> leaning = rest_state(rod);
  leaning.q[0] = std::acos(-0.049F);  // its end penetrates the ground by 1 mm
  test::check_integrator_laws(CompliantIntegrator(rod, {}, ground), leaning, 1e-3F);
}

TEST_CASE("single precision: the laws of integrators, srm", "[integrators][srm][long]") {
  const Single model = rods(3, true);
  test::check_integrator_laws(SequentialRegularization(model), rest_state(model), 2e-3F);
}

TEST_CASE("single precision: springs and dampers between points follow those in double precision", "[integrators][variational][long]") {
  const Single hanging = rods(3, false);
  PointSpring<float> spring{.name = "s", .body_b = 3, .point_a = {0, 0.5F, -1}, .point_b = {0, 0, -0.5F}, .stiffness = 40, .length = 1};
  PointSpring<float> stiff{.name = "t", .body_a = 1, .body_b = 3, .point_b = {0, 0, -0.5F}, .stiffness = 1e5F, .damping = 50, .length = 2.4F};
  const auto end = [](auto integrator) {
    using S = typename decltype(integrator)::Scalar;
    State<S> x = rest_state(integrator.model());
    x.q[0] = S(1);
    integrator.reset(x);
    for (int k = 0; k < 100; ++k) REQUIRE(integrator.step({}, S(2e-3F)));
    REQUIRE(integrator.read(x) == Status::converged);
    return Eigen::VectorXd(x.q.template cast<double>());
  };
  for (const bool with_stiff : {false, true}) {
    std::vector<PointSpring<float>> springs{spring};
    if (with_stiff) springs.push_back(stiff);
    const Single model = hanging.with_springs(springs);
    const Model<double> in_double = cast<double>(model);
    CAPTURE(with_stiff);
    CHECK((end(VariationalIntegrator(model)) - end(VariationalIntegrator(in_double))).norm() < 1e-3);
    CHECK((end(MaximalIntegrator(model)) - end(MaximalIntegrator(in_double))).norm() < 1e-3);
    CHECK((end(CompliantIntegrator(model)) - end(CompliantIntegrator(in_double))).norm() < 1e-3);
  }
}

TEST_CASE("single precision: extrapolated steps with damping and a loop follow those in double precision", "[integrators][extrapolation][long]") {
  const Model<double> square = cast<double>(rods(3, true));
  ModelProperties<double> properties = square.properties();
  properties.damping.setConstant(0.3);
  const Model<double> model = square.with_properties(properties);
  const Single single = cast<float>(model);
  State<double> start = rest_state(model);
  start.v << 1, -1, 1;
  Extrapolation integrator(VariationalIntegrator<Single>(single, {.tolerance = 0}));
  Extrapolation of_double(VariationalIntegrator<Model<double>>(model, {.tolerance = 0}));
  integrator.reset({start.q.cast<float>(), start.v.cast<float>(), 0});
  of_double.reset(start);
  for (int k = 0; k < 20; ++k) {
    REQUIRE(integrator.step({}, 0.02F));
    REQUIRE(of_double.step({}, 0.02));
  }
  CHECK((of_double.configuration() - start.q).norm() > 0.1);
  CHECK((integrator.configuration().cast<double>() - of_double.configuration()).cwiseAbs().maxCoeff() < 1e-5);  // 84 eps
}

}  // namespace hinges_test
