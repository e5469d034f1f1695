// SPDX-License-Identifier: BSD-3-Clause
// The tree algorithms on dual numbers: their derivatives, against central differences of the same algorithms in double.
#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include "actio/dynamics/aba.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/jacobian.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dual.hpp"

namespace derivative_scalars_test {

using namespace actio;
using Eigen::VectorXd;

/// Returns the results of all algorithms at (q, v, a), one below the other.
template <class S>
VectorX<S> everything(const Model<S>& model, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& a) {
  RneaData<S> inverse(model);
  AbaData<S> forward(model);
  AbiData<S> factors(model);
  CrbaData<S> composite(model);
  JointMomentumData<S> momentum(model);
  KinematicsData<S> kinematics(model);
  const Eigen::Index nv = model.nv();
  VectorX<S> all(6 * nv + nv * nv + 9), z(nv);
  const VectorX<S> none = VectorX<S>::Zero(nv);
  all.head(nv) = rnea(model, inverse, q, v, a);
  REQUIRE(aba(model, forward, q, v, a) == 0);
  all.segment(nv, nv) = forward.a;
  REQUIRE(abi_factor(model, forward.tree, factors, none) == 0);
  all[6 * nv] = abi_solve(model, forward.tree, factors, a, z);
  all.segment(2 * nv, nv) = z;
  all.segment(3 * nv, nv) = joint_momentum(model, forward.tree, momentum, v);
  all.segment(4 * nv, nv) = gravity_forces(model, inverse, q);
  all.segment(5 * nv, nv) = bias_forces(model, inverse, q, v);
  const Energy<S> E = energy(model, kinematics, q, v);
  all[6 * nv + 1] = E.kinetic;
  all[6 * nv + 2] = E.total();
  all.segment(6 * nv + 3, 6) = spatial_momentum(model, kinematics);
  const MatrixX<S> M = crba(model, composite, q);
  for (Eigen::Index k = 0; k < nv; ++k) all.segment(6 * nv + 9 + k * nv, nv) = M.col(k);
  return all;
}

TEST_CASE("dual numbers pass through every algorithm and give its derivative", "[dynamics][scalar][long]") {
  using test::Dual;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const Model<double> model = models::random_tree(seed, 6, {.springs = true, .armature = true});
    const VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1),
                   a = models::random_velocity(model, seed + 2);
    const VectorXd dq = models::random_velocity(model, seed + 3), dv = models::random_velocity(model, seed + 4),
                   da = models::random_velocity(model, seed + 5);

    const Model<Dual> dual_model = cast<Dual>(model);
    const Dual t(0, 1);
    const auto moved = [&](const VectorXd& x, const VectorXd& dx) { return VectorX<Dual>(x.cast<Dual>() + t * dx.cast<Dual>()); };
    const VectorX<Dual> q_dual = dual_model.integrate(q.cast<Dual>(), VectorX<Dual>(t * dq.cast<Dual>()));
    const VectorX<Dual> exact = everything<Dual>(dual_model, q_dual, moved(v, dv), moved(a, da));

    const double h = 1e-5;
    const VectorXd ahead = everything<double>(model, model.integrate(q, h * dq), v + h * dv, a + h * da);
    const VectorXd behind = everything<double>(model, model.integrate(q, -h * dq), v - h * dv, a - h * da);
    const VectorXd difference = (ahead - behind) / (2 * h), middle = everything<double>(model, q, v, a);
    for (Eigen::Index k = 0; k < exact.size(); ++k) {
      CAPTURE(k);
      CHECK(std::abs(exact[k].x - middle[k]) <= 1e-11 * std::max(1.0, middle.cwiseAbs().maxCoeff()));
      CHECK(std::abs(exact[k].derivative - difference[k]) <= 1e-6 * std::max(1.0, difference.cwiseAbs().maxCoeff()));
    }
  }
}

// Eigen's own dual numbers are expression templates and take minutes to compile for all joint types: two types represent them,
// one of which has a motion subspace that depends on q.
template <class S>
using FewJoints = std::variant<Universal<S>, Free<S>>;

template <class S>
Model<S, FewJoints<S>> small_robot() {
  ModelBuilder<S, FewJoints<S>> builder("small_robot");
  const auto placement = [](double x) { return Pose<S>{so3::rotation<S>(Vector3<S>::UnitX(), S(x)), Vector3<S>(S(x), S(0.1), S(-0.4))}; };
  builder.add_body("trunk", Inertia<S>::box(S(2), Vector3<S>(S(0.3), S(0.2), S(0.5))));
  builder.add_joint("base", "world", "trunk", Pose<S>::identity(), Free<S>());
  for (const std::string name : {"left", "right"}) {
    builder.add_body(name, Inertia<S>::capsule(S(1), S(0.1), S(0.3)));
    builder.add_joint(name + "_hip", "trunk", name, placement(name == "left" ? 0.2 : -0.3),
                      Universal<S>(Vector3<S>::UnitX(), Vector3<S>::UnitY()));
  }
  return builder.build();
}

TEST_CASE("Eigen's dual numbers give the derivatives of inverse and forward dynamics", "[dynamics][scalar][long]") {
  using A = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  const auto model = small_robot<double>();
  const auto dual_model = small_robot<A>();
  const VectorXd q = models::random_configuration(model, 1), v = models::random_velocity(model, 2), a = models::random_velocity(model, 3);
  const VectorXd dq = models::random_velocity(model, 4), dv = models::random_velocity(model, 5);

  RneaData<double> inverse(model);
  AbaData<double> forward(model);
  const auto both = [&](double t) {
    const VectorXd q_t = model.integrate(q, t * dq), v_t = v + t * dv;
    REQUIRE(aba(model, forward, q_t, v_t, a) == 0);
    return VectorXd((VectorXd(2 * model.nv()) << rnea(model, inverse, q_t, v_t, a), forward.a).finished());
  };
  const VectorXd difference = (both(1e-5) - both(-1e-5)) / 2e-5;

  RneaData<A> dual_inverse(dual_model);
  AbaData<A> dual_forward(dual_model);
  VectorX<A> x(model.nv()), v_dual(model.nv()), a_dual(model.nv()), q_dual(model.nq());
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    x[k] = A(0.0, Eigen::Matrix<double, 1, 1>(dq[k]));
    v_dual[k] = A(v[k], Eigen::Matrix<double, 1, 1>(dv[k]));
    a_dual[k] = A(a[k]);
  }
  for (Eigen::Index k = 0; k < model.nq(); ++k) q_dual[k] = A(q[k]);
  q_dual = dual_model.integrate(q_dual, x);
  const VectorX<A>& tau = rnea(dual_model, dual_inverse, q_dual, v_dual, a_dual);
  REQUIRE(aba(dual_model, dual_forward, q_dual, v_dual, a_dual) == 0);
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(tau[k].derivatives()[0] - difference[k]) < 1e-6);
    CHECK(std::abs(dual_forward.a[k].derivatives()[0] - difference[model.nv() + k]) < 1e-6);
  }
}

}  // namespace derivative_scalars_test
