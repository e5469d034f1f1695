// SPDX-License-Identifier: BSD-3-Clause
// Steps on dual numbers: their derivatives against differences; those of the variational integrator are of steps solved to rounding.
#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include "actio/core/dual.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "support/catch.hpp"
#include "support/dual.hpp"

namespace derivative_scalars_test {

using namespace actio;
using Eigen::VectorXd;
using test::Dual;

/// A direction in which all inputs of a step change with t: the configuration, the velocity and the inputs.
struct Motion {
  VectorXd q, v, tau0, tau1, dq, dv, dtau0, dtau1;
  Motion(const auto& model, std::uint64_t seed)
      : q(models::random_configuration(model, seed)),
        v(models::random_velocity(model, seed + 1)),
        tau0(models::random_velocity(model, seed + 2)),
        tau1(models::random_velocity(model, seed + 3)),
        dq(models::random_velocity(model, seed + 4)),
        dv(models::random_velocity(model, seed + 5)),
        dtau0(models::random_velocity(model, seed + 6)),
        dtau1(models::random_velocity(model, seed + 7)) {}
};

/// Takes three steps, and returns q and p after each, one below the other.
template <class S, class Root, class ModelType>
VectorX<S> run(const ModelType& model, const Motion& m, const S& t, double h, double tolerance) {
  const auto at = [&](const VectorXd& x, const VectorXd& dx) {
    VectorX<S> moved(x.size());
    for (Eigen::Index k = 0; k < x.size(); ++k) moved[k] = S(x[k]) + t * S(dx[k]);
    return moved;
  };
  const VectorXd none = VectorXd::Zero(m.q.size());
  VariationalIntegrator<ModelType, Drnea<Split>, Root> integrator(model, {.tolerance = tolerance, .max_halvings = 0});
  State<S> start{model.integrate(at(m.q, none), at(VectorXd::Zero(m.v.size()), m.dq)), at(m.v, m.dv), S(0.0)};
  integrator.reset(start);
  Input<S> input(at(m.tau0, m.dtau0));
  input.tau_end = at(m.tau1, m.dtau1);
  VectorX<S> result(3 * (model.nq() + model.nv()));
  for (int k = 0; k < 3; ++k) {
    REQUIRE(integrator.step(input, S(h)));
    result.segment(k * (model.nq() + model.nv()), model.nq()) = integrator.configuration();
    result.segment(k * (model.nq() + model.nv()) + model.nq(), model.nv()) = integrator.momentum();
  }
  return result;
}

/// Sixth-order central difference of steps that are solved to rounding, by whichever root finder.
VectorXd differenced(const Model<double>& model, const Motion& m, double h) {
  const double e = 1e-2;
  const auto at = [&](double s) { return run<double, Automatic>(model, m, s * e, h, 0); };
  return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);
}

/// @param t 0 with the derivative 1.  @param derivative of a scalar.  @param tolerance of the steps on dual numbers.
template <class Root, class DualModel, class S>
void check(const Model<double>& model, const DualModel& dual_model, const S& t, double (*derivative)(const S&), std::uint64_t seed,
           double tolerance) {
  const Motion m(model, seed);
  const double h = 0.02;
  CAPTURE(seed, tolerance);
  const VectorX<S> exact = run<S, Root>(dual_model, m, t, h, tolerance);
  const VectorXd expected = differenced(model, m, h);
  VectorXd rate(exact.size());
  for (Eigen::Index k = 0; k < rate.size(); ++k) rate[k] = derivative(exact[k]);
  CHECK((rate - expected).norm() < 1e-9 * expected.norm());
}

double derivative(const Dual& x) { return x.derivative; }

TEST_CASE("a step on dual numbers gives its derivative for every tolerance on values", "[integrators][scalar][long]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    const Model<Dual> dual_model = cast<Dual>(model);
    check<Automatic>(model, dual_model, Dual(0, 1), derivative, seed, 0);
    check<Automatic>(model, dual_model, Dual(0, 1), derivative, seed, 1e-10);
  }
}

// Each scalar and root finder takes minutes to compile for all joint types: two combinations represent them, with two joint types.
template <class S, class Joints = std::variant<Universal<S>, Free<S>>>
Model<S, Joints> small_robot() {
  ModelBuilder<S, Joints> builder("small_robot");
  builder.add_body("trunk", Inertia<S>::box(S(2), Vector3<S>(S(0.3), S(0.2), S(0.5))));
  builder.add_joint("base", "world", "trunk", Pose<S>::identity(), Free<S>());
  builder.add_body("leg", Inertia<S>::capsule(S(1), S(0.1), S(0.3)));
  builder.add_joint("hip", "trunk", "leg", Pose<S>{so3::rotation<S>(Vector3<S>::UnitX(), S(0.2)), Vector3<S>(S(0.2), S(0.1), S(-0.4))},
                    Universal<S>(Vector3<S>::UnitX(), Vector3<S>::UnitY()));
  return builder.build();
}

TEST_CASE("a step on dual numbers with the dense Jacobian gives its derivative", "[integrators][scalar][long]") {
  check<DenseNewton>(small_robot<double, DefaultJoints<double>>(), small_robot<Dual>(), Dual(0, 1), derivative, 1, 1e-10);
}

TEST_CASE("a step on Eigen's dual numbers gives its derivative", "[integrators][scalar][long]") {
  using A = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  double (*derivative_of)(const A&) = [](const A& x) { return x.derivatives()[0]; };
  const A t(0.0, Eigen::Matrix<double, 1, 1>(1.0));
  check<Newton>(small_robot<double, DefaultJoints<double>>(), small_robot<A>(), t, derivative_of, 1, 1e-10);
}

TEST_CASE("srm: steps on dual numbers give their derivatives", "[integrators][srm][long]") {
  const Model<double> model = models::four_bars(2);
  const auto dual = cast<actio::Dual<double>>(model);
  models::Random random(1);
  VectorXd v(model.nv()), dq(model.nv()), dv(model.nv());
  for (Eigen::Index k = 0; k < model.nv(); ++k) v[k] = random.uniform(-1, 1), dq[k] = random.uniform(-1, 1), dv[k] = random.uniform(-1, 1);
  const auto end_of = [](auto integrator, const auto& start) {
    integrator.reset(start);
    for (int k = 0; k < 25; ++k) REQUIRE(integrator.step({}, 2e-3));
    return integrator.configuration();
  };
  const auto end_along = [&](double t) { return end_of(SequentialRegularization(model), State<double>{t * dq, v + t * dv, 0}); };
  const double t = 1e-5;
  const VectorXd expected = (end_along(t) - end_along(-t)) / (2 * t);
  const State<actio::Dual<double>> start{dual_vector(VectorXd::Zero(model.nv()), dq), dual_vector(v, dv), 0};
  CHECK((derivatives(end_of(SequentialRegularization(dual), start)) - expected).norm() < 1e-7 * expected.norm());
}

}  // namespace derivative_scalars_test
