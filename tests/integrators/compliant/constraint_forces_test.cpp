// SPDX-License-Identifier: BSD-3-Clause
#include "actio/integrators/constraint_forces.hpp"

#include "actio/contacts/plane.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/model/builder.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/random.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/dense.hpp"
#include "support/refusal.hpp"

namespace constraint_forces_test {

using namespace actio;
using namespace actio::detail;
using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Vector3d;
using Rows = std::vector<CallerRows<double>>;

/// A moving tree without springs and dampers.
struct Moving {
  Model<double> model;
  State<double> x;
  VectorXd tau;
  explicit Moving(const Model<double>& tree, std::uint64_t seed)
      : model(tree),
        x{models::random_configuration(tree, seed), models::random_velocity(tree, seed + 1), 0},
        tau(models::random_velocity(tree, seed + 2)) {}
  MatrixXd mass() const {
    CrbaData<double> data(model);
    return crba(model, data, x.q);
  }
  /// M^-1 (tau - c) in the initial axes of the bodies, in which free bodies in straight motion have no bias.
  VectorXd free_acceleration() const {
    RneaData<double> data(model);
    VectorXd straight(model.nv());
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J& joint) {
        model.template v_of<J>(i, straight) = joints::fixed_rate(joint, typename J::Tangent(model.template v_of<J>(i, x.v)));
      });
    }
    const VectorXd c = rnea(model, data, x.q, x.v, straight);
    return test::solve(mass(), tau - c);
  }
  /// G of rows, velocity by velocity.
  MatrixXd jacobian(const Rows& groups) const {
    MatrixXd G(0, model.nv());
    for (const CallerRows<double>& group : groups) {
      for (int r = 0; r < group.count; ++r) {
        G.conservativeResize(G.rows() + 1, Eigen::NoChange);
        for (Eigen::Index k = 0; k < model.nv(); ++k) {
          KinematicsData<double> data(model);
          const VectorXd unit = VectorXd::Unit(model.nv(), k);
          forward_kinematics(model, data, x.q, unit);
          G(G.rows() - 1, k) = group.rows[static_cast<std::size_t>(r)].rate(data.V, unit);
        }
      }
    }
    return G;
  }
};

Rows random_rows(const Model<double>& model, std::uint64_t seed) {
  test::Random random(seed);
  const auto body = [&] { return 1 + static_cast<BodyIndex>(random(0, static_cast<double>(model.num_bodies() - 1))); };
  const auto row = [&](BodyIndex a, BodyIndex b) {
    ConstraintRow<double> one;
    one.value = random(-1e-3, 1e-4);
    one.bodies[0] = {a, random.matrix(6, 1)};
    if (b != a) one.bodies[1] = {b, random.matrix(6, 1)};
    return one;
  };
  ConstraintRow<double> joint;
  joint.joints[0] = {static_cast<Eigen::Index>(random(0, static_cast<double>(model.nv()))), 1.};
  const BodyIndex a = body(), b = body(), c = body();
  const CallerRows<double> contact{RowKind::contact, {row(a, a), row(a, a), row(a, a)}, 3, {Compliance<double>{1e4, 10}, 0.4, 1e3}};
  const CallerRows<double> between{RowKind::contact, {row(b, c), row(b, c)}, 2, {Compliance<double>{1e5, 0}, 0.7, 1e4}};
  return {CallerRows<double>::bilateral(row(body(), b), {1e6, 1e2}), CallerRows<double>::unilateral(row(c, c), {1e5, 10}),
          CallerRows<double>::friction(joint, 0.3, 1e3), contact, between};
}

TEST_CASE("constraint forces: forces of given rows match the dense problem on random trees", "[integrators][constraint_forces][fast]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Moving moving(models::random_tree(seed, 7, {.floating = seed % 3 == 0, .armature = true}), seed);
    const Rows groups = random_rows(moving.model, seed);
    const double h = 1e-3;
    CAPTURE(seed);
    const ConstrainedMotion<double> motion = constraint_forces(moving.model, moving.x.q, moving.x.v, moving.tau, groups, h);
    REQUIRE(describe(motion.result.status) == describe(Status::converged));
    const MatrixXd M = moving.mass(), G = moving.jacobian(groups);
    const VectorXd v_free = moving.x.v + h * moving.free_acceleration(), free_rates = G * v_free;
    ConeRows<double> rows(G.rows());
    bool fits = true;
    for (const CallerRows<double>& group : groups) {
      const Compliance<double>& spring = std::get<Compliance<double>>(group.law.normal);
      const double gap = group.rows[0].value, rate = free_rates[rows.size()], C = group.law.tangential_damping;
      const bool pushes = group.kind == RowKind::unilateral || group.kind == RowKind::contact;
      const double D = (pushes && gap > 0 && gap + h * rate > 0 ? 0 : spring.damping) + h * spring.stiffness,
                   bias = spring.stiffness / D * gap;
      if (group.kind == RowKind::contact)
        fits &= rows.add_contact(group.count - 1, 1 / D, std::max(1 / C, 1e-5 / D), group.law.friction, bias);
      else if (group.kind == RowKind::friction) fits &= rows.add(group.kind, 1 / C, 0, group.law.friction);
      else fits &= rows.add(group.kind, 1 / D, bias);
    }
    REQUIRE(fits);
    test::DenseVelocities<double> dense(M, G, v_free, h, rows);
    ConeNewton<double> newton(M.rows(), G.rows());
    VectorXd v = v_free, lambda = VectorXd::Zero(G.rows());
    REQUIRE(newton.solve(dense, {}, v, lambda));
    CHECK((motion.v - v).norm() < 1e-8 * (1 + v.norm()));
    CHECK((motion.tau - G.transpose() * motion.lambda).norm() < 1e-10 * (1 + motion.tau.norm()));
    CHECK((M * (motion.v - v_free) - h * motion.tau).norm() < 1e-9 * (1 + h * motion.tau.norm()));
  }
}

TEST_CASE("constraint forces: with deformation ignored, rigid rows have the forces of constrained accelerations",
          "[integrators][constraint_forces][fast]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Moving moving(models::random_tree(seed, 7, {.floating = seed % 3 == 0}), seed);
    test::Random random(seed);
    Rows groups;
    for (int k = 0; k < 3; ++k) {
      ConstraintRow<double> row;
      row.value = random(-1, 1);  // without effect
      row.bias = random(-1, 1);
      row.bodies[0] = {1 + static_cast<BodyIndex>(random(0, static_cast<double>(moving.model.num_bodies() - 1))), random.matrix(6, 1)};
      groups.push_back(CallerRows<double>::bilateral(row));
    }
    const MatrixXd M = moving.mass(), G = moving.jacobian(groups), W = test::delassus(G, M);
    if (test::reciprocal_condition(W) < 1e-6) continue;
    const double h = 0.01;
    const ConstrainedMotion<double> motion =
        constraint_forces(moving.model, moving.x.q, moving.x.v, moving.tau, groups, h, Deformation::ignored);
    CAPTURE(seed);
    REQUIRE(motion.result);
    VectorXd turn(3);
    for (Eigen::Index k = 0; k < 3; ++k) turn[k] = groups[static_cast<std::size_t>(k)].rows[0].bias;
    const VectorXd lambda = -test::solve(W, G * moving.free_acceleration() + turn + G * moving.x.v / h);
    CHECK((motion.lambda - lambda).norm() < 1e-8 * lambda.norm());
  }
}

TEST_CASE("constraint forces: the rope of a pendulum carries its weight and the centripetal force",
          "[integrators][constraint_forces][fast]") {
  const double m = 2, g = 9.81, length = 0.7, angle = 0.6, omega = 3;
  ModelBuilder<double> builder("bob");
  builder.gravity({0, 0, -g}).add_body("bob", Inertia<double>::sphere(m, 1e-6));
  builder.add_joint("free", "world", "bob", Pose<double>::identity(), Free<double>());
  const Model<double> model = builder.build();
  State<double> x = rest_state(model);
  const Vector3d out(std::sin(angle), 0, -std::cos(angle)), along(std::cos(angle), 0, std::sin(angle));
  x.q.head<3>() = length * out;
  x.v.tail<3>() = omega * length * along;
  ConstraintRow<double> rope;  // nominal length minus distance: it can only pull
  rope.bias = -omega * omega * length;
  rope.bodies[0] = {1, spatial<double>(Vector3d::Zero(), -out)};
  ConstraintForces forces(model);
  const Rows rows{CallerRows<double>::unilateral(rope)};
  StepResult<double> result;
  const test::AllocationCounter allocations;
  result = forces.solve(x, {}, 1e-3, rows, Deformation::ignored);
  CHECK(allocations.count() == 0);
  REQUIRE(result);
  // the rigid row has a compliance of 4e-11 of the mass
  CHECK(std::abs(forces.row_forces()[0] / (m * (g * std::cos(angle) + omega * omega * length)) - 1) < 1e-10);
}

TEST_CASE("constraint forces: a loop given by the caller equals a loop of the model", "[integrators][constraint_forces][fast]") {
  const Model<double> closed = models::closed_chain(4), open = closed.with_loops(false);
  const Loop<double>& loop = closed.loops()[0];
  const State<double> x{closed.integrate(rest_state(closed).q, 1e-3 * models::random_velocity(closed, 4)),
                        models::random_velocity(closed, 5), 0};
  CompliantOptions<double> options;
  options.predictor_rotation = 0;
  ConstraintForces own(closed, options);
  REQUIRE(own.solve(x, {}, 1e-3));
  KinematicsData<double> data(open);
  forward_kinematics(open, data, x.q);
  std::array<ConstraintRow<double>, 6> found;
  Rows rows;
  const std::size_t count = loop_rows(loop, data.T_WB[loop.body_a], data.T_WB[loop.body_b], found);
  for (std::size_t k = 0; k < count; ++k) rows.push_back(CallerRows<double>::bilateral(found[k]));
  const ConstrainedMotion<double> motion = constraint_forces(open, x.q, x.v, VectorXd::Zero(open.nv()), rows, 1e-3);
  REQUIRE(motion.result);
  CHECK((motion.v - own.velocity()).norm() < 1e-9 * motion.v.norm());
  CHECK((motion.lambda - own.row_forces()).norm() < 1e-9 * motion.lambda.norm());
  CHECK((motion.tau - own.joint_forces()).norm() < 1e-9 * motion.tau.norm());
  CHECK(own.certificate().worst() < 1e-9);
  CHECK(std::abs(own.certificate().gap) < 1e-9);
}

TEST_CASE("constraint forces: a box on the ground is carried by four contacts, and open contacts have no force",
          "[integrators][constraint_forces][fast]") {
  ModelBuilder<double> builder("box");
  const Vector3d size(0.4, 0.2, 0.1);
  builder.add_body("box", Inertia<double>::box(3, size));
  builder.add_joint("free", "world", "box", Pose<double>::identity(), Free<double>());
  builder.add_shape({.name = "skin", .geometry = Box<double>{size}}, "box");
  const Model<double> model = builder.build().with_enforced({.contact = true});
  PlaneContacts<double> ground({Compliance<double>{}, 0.5});
  ground.add_shapes_of(model);
  ConstraintForces forces(model, {.contact_margin = 0.05}, ground);
  State<double> x = rest_state(model);
  const double push = 0.3 * 3 * 9.81;
  VectorXd tau = VectorXd::Zero(6);
  tau[3] = push;
  const auto weight = [&] {
    double sum = 0;
    for (Eigen::Index k = 0; k < forces.row_forces().size(); k += 3) sum += forces.row_forces()[k];
    return sum;
  };
  for (const double height : {0.05, 0.04}) {  // touching, or far too deep
    x.q[2] = height - 1e-12;
    REQUIRE(forces.solve(x, Input<double>(tau), 1e-3, {}, Deformation::ignored));
    CHECK(forces.contacts().size() == 4);
    CHECK(forces.rows().size() == 12);
    CHECK(std::abs(weight() / (3 * 9.81) - 1) < 1e-10);
    CHECK(std::abs(forces.joint_forces()[3] / push + 1) < 1e-10);
    CHECK(forces.certificate().worst() < 1e-9);
  }
  x.q[2] = 0.06;
  REQUIRE(forces.solve(x, {}, 1e-3, {}, Deformation::ignored));
  CHECK(forces.rows().size() == 0);
  CHECK((forces.velocity() + 9.81e-3 * VectorXd::Unit(6, 5)).norm() < 1e-12);
}

TEST_CASE("constraint forces: invalid rows, states and times are refused, and the previous result is kept",
          "[integrators][constraint_forces][fast]") {
  const Model<double> model = models::random_tree(3, 4);
  ConstraintForces forces(model, {.contact_capacity = 2, .tie_capacity = 0});
  const State<double> x = rest_state(model);
  ConstraintRow<double> row;
  row.joints[0] = {0, 1.};
  REQUIRE(forces.solve(x, {}, 1e-3, Rows{CallerRows<double>::bilateral(row)}));
  const double force = forces.row_forces()[0];
  const auto status = [&](const Rows& rows) { return forces.solve(x, {}, 1e-3, rows).status; };
  const auto changed = [&](const auto& change) {
    CallerRows<double> group = CallerRows<double>::bilateral(row);
    change(group);
    return status({group});
  };
  CHECK(changed([](auto& g) { g.rows[0].joints[0].v = 1000; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.rows[0].bodies[0].body = 1000; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.rows[0].bodies[0].body = -1; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.rows[0].value = std::nan(""); }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.rows[0] = {}; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.count = 2; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.kind = RowKind::contact; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.law.friction = -1; }) == Status::invalid_input);
  CHECK(changed([](auto& g) { g.law.normal = PowerLaw<double>{1, 1.5, 0}; }) == Status::invalid_input);
  CHECK(forces.solve({VectorXd(1), x.v, 0}, {}, 1e-3).status == Status::invalid_input);
  CHECK(forces.solve(x, {}, 0).status == Status::invalid_step);
  CHECK(forces.solve(x, {}, std::nan("")).status == Status::invalid_step);
  ConstraintRow<double> tie = row;
  tie.joints[1] = {1, 1.};
  CHECK(status({CallerRows<double>::bilateral(tie)}) == Status::capacity);
  CHECK(forces.row_forces()[0] == force);
}

}  // namespace constraint_forces_test
