// SPDX-License-Identifier: BSD-3-Clause
// The exact Jacobian, dense and factored, against central differences of the residual; both forms against each other.
#include "actio/dynamics/drnea/jacobian.hpp"

#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/custom_joints.hpp"
#include "support/dense.hpp"

namespace drnea_jacobian_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns the left momentum and the joint terms at x; except for h, this is the residual of a step.
template <class Kind, class ModelType>
struct Residual {
  const ModelType& model;
  const VectorXd& q;
  double h;
  TreePose<double> tree{model};
  DrneaData<double> data{model};
  JointTerms<double> terms{model, SpringRule::midpoint};

  Residual(const ModelType& m, const VectorXd& configuration, double step) : model(m), q(configuration), h(step) { place(model, tree, q); }
  VectorXd operator()(const VectorXd& x) {
    VectorXd f = drnea<Kind>(model, tree, data, x, h);
    terms.add_left(model, q, x, h, f);
    return f;
  }
  /// Sixth-order central differences.
  MatrixXd differenced(const VectorXd& x) {
    MatrixXd J(model.nv(), model.nv());
    const double e = 2e-2;
    for (Eigen::Index k = 0; k < model.nv(); ++k) {
      const VectorXd d = e * VectorXd::Unit(model.nv(), k);
      const auto at = [&](double s) -> VectorXd { return (*this)(x + s * d); };
      J.col(k) = (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * e);
    }
    (*this)(x);
    return J;
  }
};

template <class Kind, class ModelType>
void check(const ModelType& model, const VectorXd& q, const VectorXd& x, double h) {
  Residual<Kind, ModelType> residual(model, q, h);
  const MatrixXd differenced = residual.differenced(x);
  const VectorXd added = residual.terms.left_rate(model, h);
  TreeMatrix<double> rates(model);
  TreeLu<double> factors(model);
  DrneaJacobianData<double> work(model);
  MatrixXd J(model.nv(), model.nv());
  VectorXd f(model.nv()), z(model.nv());
  for (Eigen::Index k = 0; k < f.size(); ++k) f[k] = std::cos(1.7 * static_cast<double>(k * k));
  BodyIndex singular = 0;
  const test::AllocationCounter allocations;
  drnea_rates<Kind>(model, residual.tree, residual.data, rates, x, h);
  drnea_jacobian(model, residual.tree, rates, work, added, J);
  singular = tree_lu_factor(model, residual.tree, rates, factors, added);
  tree_lu_solve(model, residual.tree, rates, factors, f, z);
  CHECK(allocations.count() == 0);
  CHECK(singular == 0);
  CHECK((J - differenced).norm() < 1e-8 * differenced.norm());
  const VectorXd dense = test::solve(J, f);
  CHECK((J * z - f).norm() < 1e-14 * J.norm() * z.norm());
  CHECK((z - dense).norm() < 1e-11 * dense.norm());  // some of these systems are ill-conditioned
}

TEMPLATE_TEST_CASE("drnea jacobian: dense matches differences and factored matches dense on random trees",
                   "[dynamics][drnea][jacobian][long]", Split, Se3, Quat) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model<double> model = models::random_tree(seed, 8, {.damping = true, .springs = true, .armature = true});
    const double h = seed % 2 == 0 ? 0.25 : -0.1;
    CAPTURE(seed, h);
    check<TestType>(model, models::random_configuration(model, seed, 1.0), h * models::random_velocity(model, seed + 100, 2.0), h);
  }
}

TEST_CASE("drnea jacobian: at zero increment dense, factored and differences agree", "[dynamics][drnea][jacobian]") {
  const Model<double> model = models::random_tree(3, 8);
  check<Split>(model, models::random_configuration(model, 3, 1.0), VectorXd::Zero(model.nv()), 0.01);
}

TEST_CASE("drnea jacobian: joints of the user's own", "[dynamics][drnea][jacobian]") {
  using Joints = std::variant<Revolute<double>, Planar<double>, test::Cam<double>, test::Skate<double>>;
  models::Random random(3);
  ModelBuilder<double, Joints> builder("machine");
  const auto add = [&](const std::string& name, const std::string& parent, const auto& joint) {
    builder.add_body(name, models::detail::random_inertia<double>(random));
    builder.add_joint(name, parent, name, random.pose<double>(0.5), joint);
  };
  add("arm", "world", Revolute<double>({1, 2, -1}));
  add("lifter", "arm", test::Cam<double>(0.2));
  add("slider", "lifter", test::Skate<double>());
  add("tip", "slider", Planar<double>());
  const Model<double, Joints> model = builder.build();
  const double h = 0.2;
  check<Split>(model, models::random_configuration(model, 1), h * models::random_velocity(model, 2), h);
}
}  // namespace drnea_jacobian_test
