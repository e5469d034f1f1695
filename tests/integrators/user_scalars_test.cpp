// SPDX-License-Identifier: BSD-3-Clause
// Steps on scalars of users: dual numbers written by hand, and those of Eigen.
#include <unsupported/Eigen/AutoDiff>

#include "actio/solvers/reference/dense_roots.hpp"
#include "actio/solvers/root/newton.hpp"
#include "support/dual.hpp"
#include "support/dual_steps.hpp"

namespace user_scalars_test {

using namespace actio;

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

TEST_CASE("a step on a user's dual numbers with the dense Jacobian gives its derivative", "[integrators][scalar][long]") {
  double (*derivative_of)(const test::Dual&) = [](const test::Dual& x) { return x.derivative; };
  test::check_dual_steps<DenseNewton>(small_robot<double, DefaultJoints<double>>(), small_robot<test::Dual>(), test::Dual(0, 1),
                                      derivative_of, 1, 1e-10);
}

TEST_CASE("a step on Eigen's dual numbers gives its derivative", "[integrators][scalar][long]") {
  using A = Eigen::AutoDiffScalar<Eigen::Matrix<double, 1, 1>>;
  double (*derivative_of)(const A&) = [](const A& x) { return x.derivatives()[0]; };
  const A t(0.0, Eigen::Matrix<double, 1, 1>(1.0));
  test::check_dual_steps<Newton>(small_robot<double, DefaultJoints<double>>(), small_robot<A>(), t, derivative_of, 1, 1e-10);
}

}  // namespace user_scalars_test
