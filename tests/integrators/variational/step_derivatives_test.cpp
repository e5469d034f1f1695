// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step: against differences of steps, its transpose, and the symplectic structure of the scheme.
#include "actio/integrators/step_derivatives.hpp"

#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "support/custom_joints.hpp"
#include "support/flat_tree.hpp"
#include "support/point_forces.hpp"
#include "support/step_products.hpp"

namespace step_derivatives_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::StepPoint;

/// Largest errors: of the tangent product against the difference, of the adjoint identity, and of the matrices against the products.
struct Errors {
  double difference, adjoint, matrices;
};

template <class Kind, class ModelType>
Errors errors(const ModelType& model, const StepPoint& at, const BodyArray<Vector6<double>>& wrenches = {}) {
  test::StepMap<double, Kind, ModelType> step(model, at.springs);
  step(at, 0, wrenches);
  StepDerivatives derivatives(step.integrator());
  test::StepProducts products(model);
  REQUIRE(products.linearize(derivatives, step.integrator(), step.input, at) == Status::converged);
  const VectorXd expected = test::differenced_step<Kind>(model, at, wrenches);
  return {(products.out - expected).norm() / expected.norm(), products.adjoint_error(at), products.matrix_error(at)};
}

TEMPLATE_TEST_CASE("step derivatives: differences of steps, adjoint and matrices agree on random trees",
                   "[integrators][step_derivatives][long]", Split, Se3, Quat) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.damping = true, .springs = true, .armature = true});
    CAPTURE(seed);
    const Errors e = errors<TestType>(model, StepPoint(model, seed, 0.02));
    CHECK(e.difference < 1e-9);
    CHECK(e.adjoint < 1e-12);
    CHECK(e.matrices < 1e-12);
  }
}

TEST_CASE("step derivatives: springs evaluated at both ends of the step are differentiated", "[integrators][step_derivatives]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = models::random_tree(seed, 6, {.damping = true, .springs = true, .armature = true});
    StepPoint at(model, seed, 0.02);
    at.springs = SpringRule::trapezoid;
    CAPTURE(seed);
    CHECK(errors<Split>(model, at).difference < 1e-9);
  }
}

TEST_CASE("step derivatives: body wrenches that rotate with their bodies are differentiated", "[integrators][step_derivatives]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = models::random_tree(seed, 6);
    BodyArray<Vector6<double>> wrenches(model.num_bodies(), Vector6<double>::Zero());
    models::Random random(seed);
    for (Vector6<double>& wrench : wrenches) wrench = random.in_box<double, 6>(20);
    CAPTURE(seed);
    CHECK(errors<Split>(model, StepPoint(model, seed, 0.02), wrenches).difference < 1e-9);
  }
}

TEMPLATE_TEST_CASE("step derivatives: springs between points and constant forces are differentiated", "[integrators][step_derivatives]", Split,
                   Quat) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Model<double> model = test::with_point_forces(models::random_tree(seed, 6, {.damping = true}), seed);
    const Errors e = errors<TestType>(model, StepPoint(model, seed, 0.005));
    CAPTURE(seed);
    CHECK(e.difference < 1e-8);  // the error of the differences: forces of short springs have large third derivatives
    CHECK(e.adjoint < 1e-12);
    CHECK(e.matrices < 1e-12);
  }
}

/// The canonical two-form in joint velocities, <dp, dq'> - <dp', dq> - <p, [dq, dq']>; the bracket, of the group that a joint
/// moves on, vanishes where coordinates commute.
MatrixXd symplectic_form(const Model<double>& model, const VectorXd& p) {
  const Eigen::Index n = model.nv();
  MatrixXd form = MatrixXd::Zero(2 * n, 2 * n);
  form.bottomLeftCorner(n, n).setIdentity();
  form.topRightCorner(n, n) = -MatrixXd::Identity(n, n);
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      if constexpr (!joints::is_flat<J>()) {
        const joints::Subspace<J> S = joint.motion_subspace(joints::neutral(joint));  // orthonormal columns
        for (int j = 0; j < J::nv; ++j) {
          for (int k = 0; k < J::nv; ++k) {
            const Vector6<double> bracket = se3::ad<double>(S.col(j)) * S.col(k);
            form(model.v_index(i) + j, model.v_index(i) + k) = -bracket.dot(S * model.v_of<J>(i, p));
          }
        }
      }
    });
  }
  return form;
}

TEMPLATE_TEST_CASE("step derivatives: without damping the step is symplectic", "[integrators][step_derivatives][long]", Split, Se3, Quat) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 8, {.springs = true, .armature = true});
    StepPoint at(model, seed, 0.05);
    at.tau0.setZero();  // a torque that rotates with a ball joint has no potential
    at.tau1.setZero();
    test::StepMap<double, TestType, Model<double>> step(model);
    step(at, 0);
    StepDerivatives derivatives(step.integrator());
    REQUIRE(derivatives.linearize(step.integrator(), step.input) == Status::converged);
    MatrixXd A, B;
    derivatives.matrix(A, B);
    const MatrixXd before = symplectic_form(model, at.p), after = A.transpose() * symplectic_form(model, step.p()) * A;
    CHECK((after - before).norm() < 1e-12 * before.norm());
  }
}

TEST_CASE("step derivatives: custom joints are differentiated as accurately as their members are", "[integrators][step_derivatives]") {
  using Joints = std::variant<Universal<double>, test::Cam<double>, test::CompleteCam<double>, test::Skate<double>>;
  models::Random random(3);
  ModelBuilder<double, Joints> builder("machine");
  const auto add = [&](const std::string& name, const std::string& parent, const auto& joint,
                       const JointProperties<double>& properties = {}) {
    builder.add_body(name, models::detail::random_inertia<double>(random));
    builder.add_joint(name, parent, name, random.pose<double>(0.5), joint, properties);
  };
  add("arm", "world", Universal<double>({1, 2, -1}, {0, 1, 1}));
  add("lifter", "arm", test::Cam<double>(0.2));
  add("slider", "lifter", test::Skate<double>(), {.damping = 0.3, .stiffness = 2.0});
  add("tip", "slider", test::CompleteCam<double>(0.3));
  const Model<double, Joints> model = builder.build();
  const Errors e = errors<Split>(model, StepPoint(model, 1, 0.02));
  CHECK(e.difference < 1e-8);
  CHECK(e.adjoint < 1e-12);
}

TEST_CASE("step derivatives: none are available before a step, and none of an invalid step", "[integrators][step_derivatives]") {
  const Model<double> model = models::random_tree(2, 4);
  VariationalIntegrator integrator(model);
  StepDerivatives derivatives(integrator);
  CHECK(derivatives.linearize(integrator) == Status::invalid_step);
  REQUIRE(integrator.step({}, 1e-3));
  CHECK(derivatives.linearize(integrator) == Status::converged);
  CHECK(integrator.last_step().h == 1e-3);
  integrator.restore(integrator.make_memory());
  CHECK(derivatives.linearize(integrator) == Status::invalid_step);
  const Model<double> top = models::random_tree(1, 1, {.floating = true});
  VariationalIntegrator spinning(top);
  StepDerivatives of_spinning(spinning);
  spinning.reset({top.neutral(), (VectorXd(6) << 8, 0, 0, 0, 0, 0).finished(), 0});
  const StepResult<double> split = spinning.step({}, 0.5);  // 4 rad: too much for a single step
  REQUIRE(split);
  REQUIRE(split.substeps > 1);
  CHECK(of_spinning.linearize(spinning) == Status::invalid_step);
  const VectorXd q = model.neutral(), x = VectorXd::Zero(model.nv());
  CHECK(derivatives.linearize(q, x, 0) == Status::invalid_step);
  CHECK(derivatives.linearize(q, x.head(1), 1e-3) == Status::invalid_input);
  CHECK(derivatives.linearize(q, 1e300 * (x.array() + 1).matrix(), 1e-3) != Status::converged);
}

}  // namespace step_derivatives_test
