// SPDX-License-Identifier: BSD-3-Clause
// The SVI momenta, against differences of the discrete Lagrangian and the gradient by two sweeps.
#include "actio/dynamics/svi/residual.hpp"

#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/model/cast.hpp"
#include "actio/model/samples/chains.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/dense.hpp"
#include "support/dual.hpp"
#include "support/flat_tree.hpp"
#include "support/refusal.hpp"

namespace svi_test {

using namespace actio;
using Eigen::VectorXd;

/// L_d(q0, q1) from kinematics and energies.  [vi_math.md, section 10]
template <class ModelType>
double discrete_lagrangian(const ModelType& model, const VectorXd& q0, const VectorXd& q1, double h) {
  KinematicsData<double> data(model);
  const VectorXd q = (q0 + q1) / 2, v = (q1 - q0) / h;
  forward_kinematics(model, data, q, v);
  return h * (kinetic_energy(model, data, v) - potential_energy(model, data));
}

/// Derivative of f at 0 by six-point central differences, error O(e^6).
template <class F>
double derivative(F f) {
  const double e = 2e-2;
  return (45 * (f(e) - f(-e)) - 9 * (f(2 * e) - f(-2 * e)) + (f(3 * e) - f(-3 * e))) / (60 * e);
}

/// Checks both momenta at an increment.
template <class ModelType>
void check(const ModelType& model, const VectorXd& q0, const VectorXd& x, double h) {
  SviData<double> data(model);
  svi_evaluate(model, data, q0, x, h);
  const VectorXd q1 = q0 + x;
  VectorXd left(model.nv()), right(model.nv());
  for (Eigen::Index k = 0; k < model.nv(); ++k) {
    const VectorXd e = VectorXd::Unit(model.nv(), k);
    left[k] = -derivative([&](double s) { return discrete_lagrangian(model, q0 + s * e, q1, h); });
    right[k] = derivative([&](double s) { return discrete_lagrangian(model, q0, q1 + s * e, h); });
  }
  CHECK((data.left - left).norm() < 1e-8 * left.norm());
  CHECK((data.right - right).norm() < 1e-8 * right.norm());
}

TEST_CASE("svi: both momenta are the derivatives of the discrete Lagrangian", "[dynamics][svi][long]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model<double> model = test::flat_tree(seed, 8);
    const double h = seed % 3 == 0 ? -0.1 : 0.25;
    CAPTURE(seed, h);
    check(model, models::random_configuration(model, seed, 1.0), h * models::random_velocity(model, seed + 100, 2.0), h);
  }
}

TEST_CASE("svi: the gradient of the Lagrangian matches that of two sweeps", "[dynamics][svi][long]") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const Model<double> model = test::flat_tree(seed, 20);
    const double h = 0.01;
    const VectorXd q = models::random_configuration(model, seed), v = models::random_velocity(model, seed + 1);
    SviData<double> data(model);
    svi_evaluate(model, data, q - h / 2 * v, h * v, h);

    KinematicsData<double> at(model);
    forward_kinematics(model, at, q, v);
    BodyArray<Vector6<double>> H(model.num_bodies(), Vector6<double>::Zero()), W = H;
    for (BodyIndex i = model.num_bodies() - 1; i > 0; --i) {
      const Inertia<double>& G = model.inertia(i);
      const Eigen::Vector3d weight = G.mass * at.T_WB[i].R.transpose() * model.gravity();
      H[i] += G.momentum(at.V[i]);
      W[i] += spatial<double>(G.com.cross(weight), weight);
      H[model.parent(i)] += at.tree.T_PB[i].wrench_to_parent(H[i]);
      W[model.parent(i)] += at.tree.T_PB[i].wrench_to_parent(W[i]);
      visit_joint(model, i, [&]<JointType J>(const J&) {
        const joints::Subspace<J> S_i = at.tree.S_of<J>(model.v_index(i));
        const typename J::Tangent dL_dv = S_i.transpose() * H[i];
        CHECK((model.v_of<J>(i, data.dL_dv) - dL_dv).norm() < 1e-12 * (1 + H[i].norm()));
        if constexpr (joints::has_constant_subspace<J>()) {
          const typename J::Tangent dL_dq = S_i.transpose() * (se3::ad<double>(at.V[i]).transpose() * H[i] + W[i]);
          CHECK((model.v_of<J>(i, data.dL_dq) - dL_dq).norm() < 1e-12 * (1 + at.V[i].norm() * H[i].norm() + W[i].norm()));
        }
      });
    }
    JointMomentumData<double> momentum(model);
    const VectorXd p = joint_momentum(model, at.tree, momentum, v);
    CHECK((data.dL_dv - p).norm() < 1e-12 * p.norm());
  }
}

TEST_CASE("svi: the momenta are correct on a chain of a hundred links", "[dynamics][svi][long]") {
  const Model<double> model = models::revolute_chain(100);
  const VectorXd q = models::random_configuration(model, 1), v = models::random_velocity(model, 2);
  const double h = 1e-3;
  SviData<double> data(model);
  svi_evaluate(model, data, q, h * v, h);
  // The discrete Lagrangian is symmetric: seen from the other end and back in time the momenta are exchanged.
  const VectorXd left = data.left, right = data.right;
  svi_evaluate(model, data, q + h * v, -h * v, -h);
  CHECK((data.left - right).norm() < 1e-12 * right.norm());
  CHECK((data.right - left).norm() < 1e-12 * left.norm());
}

/// A user's joint: two screws without a common point, away from the joint's frame.
class Skew {
 public:
  using Real = double;
  static constexpr int nq = 2, nv = 2;
  static constexpr std::string_view type = "skew";
  using Config = Eigen::Matrix<double, 2, 1>;
  using Tangent = Config;
  Pose<double> pose(const Config& q) const { return offset_ * se3::exp<double>(first_ * q[0]) * se3::exp<double>(second_ * q[1]); }
  Eigen::Matrix<double, 6, 2> motion_subspace(const Config& q) const {
    Eigen::Matrix<double, 6, 2> subspace;
    subspace << se3::exp<double>(second_ * q[1]).twist_to_child(first_), second_;
    return subspace;
  }
  Config integrate(const Config& q, const Tangent& x) const { return q + x; }
  Tangent difference(const Config& q0, const Config& q1) const { return q1 - q0; }

 private:
  Pose<double> offset_{so3::exp<double>(Eigen::Vector3d(0.3, 0.2, 0.1)), Eigen::Vector3d(0.1, 0.2, -0.3)};
  Vector6<double> first_ = spatial<double>(Eigen::Vector3d(0, 0.6, 0.8), Eigen::Vector3d(0.2, 0.1, 0));
  Vector6<double> second_ = spatial<double>(Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0.1, 0.3, 0));
};

using Joints = std::variant<Revolute<double>, Spherical<double>, Planar<double>, Free<double>, test::Skate<double>, test::Cam<double>,
                            test::CompleteCam<double>, Skew>;

/// Two bodies: one with the given joint is the child of one on a hinge.
Model<double, Joints> machine(const Joints& joint) {
  models::Random random(5);
  ModelBuilder<double, Joints> builder("machine");
  builder.add_body("arm", models::detail::random_inertia<double>(random));
  builder.add_joint("hinge", "world", "arm", random.pose<double>(0.5), Revolute<double>({1, 2, -1}));
  builder.add_body("tool", models::detail::random_inertia<double>(random));
  builder.add_joint("wrist", "arm", "tool", random.pose<double>(0.5), joint);
  return builder.build();
}

TEST_CASE("svi: a product of screws defined by the user is supported", "[dynamics][svi][long]") {
  const Model<double, Joints> model = machine(Skew());
  check(model, VectorXd::Constant(3, 0.3), VectorXd::LinSpaced(3, -0.4, 0.5), 0.25);
}

std::string refused(const Joints& joint) {
  const Model<double, Joints> model = machine(joint);
  return test::refusal<ModelError>([&] { return SviData<double>(model); });
}

TEST_CASE("svi: unsupported joints are refused by name", "[dynamics][svi][long]") {
  CHECK(test::missing(refused(Spherical<double>()), {"svi", "'wrist'", "spherical", "not a vector", "Drnea"}) == "");
  CHECK(test::missing(refused(Planar<double>()), {"svi", "'wrist'", "planar", "not a vector", "Drnea"}) == "");
  CHECK(test::missing(refused(Free<double>()), {"svi", "'wrist'", "free", "not a vector", "Drnea"}) == "");
  CHECK(test::missing(refused(test::Skate<double>()), {"svi", "'wrist'", "custom", "not a vector", "Drnea"}) == "");
  CHECK(test::missing(refused(test::CompleteCam<double>(0.2)), {"svi", "'wrist'", "cam", "not a product of screw motions", "Drnea"}) == "");
  CHECK_NOTHROW(detail::svi_require(machine(test::Cam<double>(0))));  // a circular cam is a hinge
}

TEST_CASE("svi allocates nothing", "[dynamics][svi][long]") {
  const Model<double> model = test::flat_tree(3, 30);
  TreePose<double> tree(model);
  AbiData<double> abi(model);
  const VectorXd none = VectorXd::Zero(model.nv()), x = VectorXd::Constant(model.nv(), 1e-3);
  REQUIRE(abi_factor(model, tree, abi, none) == 0);
  Svi::Data<double> data(model);
  VectorXd p = none;
  const test::AllocationCounter allocations;
  Svi::move(model, tree, data, x, 1e-3);
  const double energy = Svi::reduce(model, tree, data, abi, none);
  Svi::momenta(model, tree, tree, data, p);
  CHECK(allocations.count() == 0);
  CHECK(Svi::overturned(data) == 0);
  CrbaData<double> composite(model);
  const Eigen::MatrixXd M = crba(model, composite, tree.q);
  const VectorXd f = Svi::left_momentum(model, tree, data);
  CHECK(energy == Approx(f.dot(test::solve(M, f))));
  CHECK(p == data.right);
}

TEST_CASE("svi: single precision and dual numbers are supported", "[dynamics][svi][long]") {
  const Model<double> model = test::flat_tree(4, 12);
  const double h = 0.1;
  const VectorXd q = models::random_configuration(model, 4, 1.0), x = h * models::random_velocity(model, 5),
                 d = models::random_velocity(model, 6);
  SviData<double> data(model);
  svi_evaluate(model, data, q, x, h);
  const VectorXd left = data.left;

  const Model<float> single = cast<float>(model);
  SviData<float> in_single(single);
  svi_evaluate(single, in_single, q.cast<float>(), x.cast<float>(), static_cast<float>(h));
  CHECK((in_single.left.cast<double>() - left).norm() < 1e-5 * left.norm());

  using test::Dual;
  const Model<Dual> dual = cast<Dual>(model);
  SviData<Dual> in_dual(dual);
  VectorX<Dual> x_dual(model.nv());
  for (Eigen::Index k = 0; k < x.size(); ++k) x_dual[k] = Dual(x[k], d[k]);
  svi_evaluate(dual, in_dual, q.cast<Dual>(), x_dual, Dual(h));
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const double rate = derivative([&](double s) {
      svi_evaluate(model, data, q, x + s * d, h);
      return data.left[k];
    });
    CHECK(in_dual.left[k].x == Approx(left[k]).margin(1e-12 * left.norm()));
    CHECK(std::abs(in_dual.left[k].derivative - rate) < 1e-7 * left.norm() / h);
  }
}

}  // namespace svi_test
