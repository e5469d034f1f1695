// SPDX-License-Identifier: BSD-3-Clause
// DRNEA and the joint terms, against the derivative of the discrete action, which is written here with absolute poses.
#include "actio/dynamics/drnea/drnea.hpp"

#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"

namespace drnea_test {

using namespace actio;
using Eigen::VectorXd;

/// Returns K_d of one body from its poses at both nodes, times h.                              [vi_math.md, section 2.1]
double kinetic(Se3, const Inertia<double>& G, const Pose<double>& dT) {
  const Vector6<double> x = se3::log<double>(dT);
  return x.dot(G.matrix() * x) / 2;
}
double translational(const Inertia<double>& G, const Pose<double>& dT) { return G.mass * (dT * G.com - G.com).squaredNorm() / 2; }
double kinetic(Split, const Inertia<double>& G, const Pose<double>& dT) {
  const Eigen::Vector3d w = so3::log<double>(dT.R);
  return translational(G, dT) + w.dot(G.I_com * w) / 2;
}
double kinetic(Quat, const Inertia<double>& G, const Pose<double>& dT) {
  const Eigen::Vector3d v = 2 * quaternion::from_matrix<double>(dT.R).vec();
  return translational(G, dT) + v.dot(G.I_com * v) / 2;
}

/// Returns L_d(q0, q1): kinetic energy, gravity by the trapezoidal rule, springs by the chosen rule, armature.
template <class Kind>
double discrete_lagrangian(const Model<double>& model, SpringRule rule, const VectorXd& q0, const VectorXd& q1, double h) {
  KinematicsData<double> a(model), b(model);
  forward_kinematics(model, a, q0);
  forward_kinematics(model, b, q1);
  double action = 0;
  for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
    const Inertia<double>& G = model.inertia(i);
    action += kinetic(Kind{}, G, a.T_WB[i].inverse() * b.T_WB[i]) / h;
    action += h / 2 * G.mass * model.gravity().dot(a.T_WB[i] * G.com + b.T_WB[i] * G.com);
    visit_joint(model, i, [&]<JointType J>(const J& joint) {
      using Tangent = typename J::Tangent;
      const Tangent k = model.v_of<J>(i, model.properties().stiffness), armature = model.v_of<J>(i, model.properties().armature);
      const typename J::Config rest = model.q_of<J>(i, model.properties().rest), qa = model.q_of<J>(i, q0), qb = model.q_of<J>(i, q1);
      const Tangent x = joint.difference(qa, qb), stretch_a = joint.difference(rest, qa), stretch_b = joint.difference(rest, qb);
      action += x.dot(armature.cwiseProduct(x)) / (2 * h);
      if (joints::is_flat<J>() && rule == SpringRule::midpoint) {
        const Tangent middle = (stretch_a + stretch_b) / 2;
        action -= h * middle.dot(k.cwiseProduct(middle)) / 2;
      } else {
        action -= h / 4 * (stretch_a.dot(k.cwiseProduct(stretch_a)) + stretch_b.dot(k.cwiseProduct(stretch_b)));
      }
    });
  }
  return action;
}

/// Derivative of f at 0 by six-point central differences, error O(e^6).
template <class F>
double derivative(F f) {
  const double e = 2e-2;
  return (45 * (f(e) - f(-e)) - 9 * (f(2 * e) - f(-2 * e)) + (f(3 * e) - f(-3 * e))) / (60 * e);
}

TEMPLATE_TEST_CASE("drnea and the joint terms are the derivatives of the discrete action", "[dynamics][drnea][fast]", Split, Se3, Quat) {
  const auto rule = GENERATE(SpringRule::midpoint, SpringRule::trapezoid);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model<double> model = models::random_tree(seed, 6, {.springs = true, .armature = true});
    const double h = 0.25;
    const VectorXd q0 = models::random_configuration(model, seed, 1.0), x = h * models::random_velocity(model, seed + 100, 2.0);
    const VectorXd q1 = model.integrate(q0, x);
    CAPTURE(seed, rule == SpringRule::midpoint);

    TreePose<double> tree(model), next(model);
    place(model, tree, q0);
    place(model, next, q1);
    DrneaData<double> data(model);
    GravityData<double> weights(model);
    detail::JointTerms<double> terms(model, rule);
    VectorXd gravity(model.nv());
    VectorXd right(model.nv()), left = drnea<TestType>(model, tree, data, x, h);
    CHECK((drnea_momenta(model, tree, next, data, right) - left).norm() <= 1e-14 * left.norm());
    terms.add_left(model, q0, x, h, left);
    gravity_forces(model, tree, weights, gravity);
    left -= h / 2 * gravity;
    terms.add_right(model, q1, x, h, right);
    gravity_forces(model, next, weights, gravity);
    right += h / 2 * gravity;

    VectorXd expected_left(model.nv()), expected_right(model.nv());
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const VectorXd e = VectorXd::Unit(model.nv(), k);
      expected_left[k] =
          -derivative([&](double s) { return discrete_lagrangian<TestType>(model, rule, model.integrate(q0, s * e), q1, h); });
      expected_right[k] =
          derivative([&](double s) { return discrete_lagrangian<TestType>(model, rule, q0, model.integrate(q1, s * e), h); });
    }
    // 1e-8: the accuracy of the differences, relative to the largest momentum.
    CHECK((left - expected_left).cwiseAbs().maxCoeff() < 1e-8 * expected_left.cwiseAbs().maxCoeff());
    CHECK((right - expected_right).cwiseAbs().maxCoeff() < 1e-8 * expected_right.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("drnea: the relative precision does not depend on the size of the increment", "[dynamics][drnea][fast]") {
  const Model<double> model = models::random_tree(7, 12);
  TreePose<double> tree(model);
  place(model, tree, models::random_configuration(model, 7));
  DrneaData<double> data(model);
  const VectorXd x = models::random_velocity(model, 8);
  // At small x the momentum is linear: scaling x scales it, to rounding, at any size; subtracting poses would lose 1e-16/|x|.
  const VectorXd large = drnea<Split>(model, tree, data, 1e-8 * x, 1.0) * 1e8,
                 small = drnea<Split>(model, tree, data, 1e-13 * x, 1.0) * 1e13;
  CHECK((large - small).cwiseAbs().maxCoeff() < 1e-6 * large.cwiseAbs().maxCoeff());  // the nonlinear part at 1e-8
  CHECK((drnea<Split>(model, tree, data, 1e-20 * x, 1.0) * 1e20 - small).cwiseAbs().maxCoeff() < 1e-11 * large.cwiseAbs().maxCoeff());
}

TEST_CASE("drnea allocates nothing", "[dynamics][drnea][fast]") {
  const Model<double> model = models::random_tree(3, 20);
  TreePose<double> tree(model);
  DrneaData<double> data(model);
  const VectorXd x = VectorXd::Constant(model.nv(), 1e-3);
  VectorXd p(model.nv());
  test::AllocationCounter allocations;
  drnea<Split>(model, tree, data, x, 1e-3);
  drnea_momenta(model, tree, tree, data, p);
  CHECK(allocations.count() == 0);
}

}  // namespace drnea_test
