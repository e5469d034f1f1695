// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step with contacts, on its pieces: against differences of steps with the same pieces, and its transpose.
#include "actio/integrators/step_derivatives.hpp"

#include <algorithm>
#include <array>

#include "support/any_contacts.hpp"
#include "support/bounded_point.hpp"
#include "support/box_at_rest.hpp"
#include "support/closed_step_point.hpp"
#include "support/contact_models.hpp"
#include "support/refusal.hpp"
#include "support/step_products.hpp"

namespace step_derivatives_contact_test {

using namespace actio;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::StepPoint;

/// Balls of bodies that touch balls of other bodies, or balls or planes of the world, each pair with its own material.
struct Balls {
  struct Pair {
    BodyIndex a = 0, b = 0;
    bool plane = false;
    Vector3<double> in_a, in_b, normal;  // centres in the bodies; of a plane: a point of it, and its normal
    double r_a = 0, r_b = 0;
    ContactMaterial<double> material;
  };
  std::vector<Pair> pairs;
  std::size_t most_points() const noexcept { return pairs.size(); }
  void find(const BodyArray<Pose<double>>& T_WB, const double& margin, ContactList<double>& found) const noexcept {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const Pair& pair = pairs[k];
      const Vector3<double> a = T_WB[pair.a] * pair.in_a, b = T_WB[pair.b] * pair.in_b;
      const Vector3<double> n = pair.plane ? pair.normal : Vector3<double>((b - a).normalized());
      const double gap = n.dot(b - a) - pair.r_a - pair.r_b;
      if (gap <= margin) found.add({pair.a, pair.b, b - (pair.r_b + gap / 2) * n, n, gap, k, &pair.material});
    }
  }
};

BodyArray<Pose<double>> poses(const Model<double>& model, const VectorXd& q) {
  KinematicsData<double> bodies(model);
  forward_kinematics(model, bodies, q);
  return bodies.T_WB;
}
VectorXd gaps(const Model<double>& model, const Balls& balls, const VectorXd& q) {
  ContactList<double> found(balls.pairs.size());
  balls.find(poses(model, q), 1e9, found);
  VectorXd all(static_cast<Eigen::Index>(balls.pairs.size()));
  for (const ContactPoint<double>& point : found.points()) all[static_cast<Eigen::Index>(point.id)] = point.gap;
  return all;
}

/// How often each piece was compared.
struct Counts {
  int steps = 0;
  double worst = 0;
  std::array<int, 4> in_position{}, in_velocity{};
  int closed = 0, sticking = 0;  // limits and friction of joints
  void add(std::span<const ContactPieces> pieces, std::span<const HeldPiece> of_joints, double error) {
    ++steps;
    worst = std::max(worst, error);
    for (const ContactPieces& piece : pieces) {
      ++in_position[static_cast<std::size_t>(piece.in_position)];
      ++in_velocity[static_cast<std::size_t>(piece.in_velocity)];
    }
    for (const HeldPiece& piece : of_joints) (piece.side != 0 ? closed : sticking) += piece.in_position ? 1 : 0;
  }
};

/// Compares the derivative at a point, if all steps that the difference takes have the same pieces.
/// @param limit, closure springs.
template <class Contacts>
void compare(const Model<double>& model, const StepPoint& at, const Contacts& contacts, Counts& counts, const Compliance<double>& limit = {},
             const Compliance<double>& closure = {}) {
  constexpr double e = 1e-5;  // interval of the differences
  test::StepMap<double, Split, Model<double>, Automatic, test::AnyContacts> step(model, at.springs, test::AnyContacts(contacts), limit, closure);
  StepDerivatives derivatives(step.integrator()), around(step.integrator());
  const StepResult<double> result = step.take(at, 0);
  // Some random problems have no solution, or contacts that jam or almost stick, where pieces end within the differences.
  const auto is_extreme = [&](const auto& contact) {
    const double slip = contact.slip.norm();
    return contact.impulse.norm() > 50 || (contact.num_rows() > 1 && contact.impulse[0] > 0 && slip > 1e-12 && slip < e);
  };
  if (!result || result.relaxed || step.integrator().last_bounds().cones().problem().any_contact(is_extreme)) return;
  const VectorXd q1 = step.q();
  if (test::is_at_edge(step.integrator().last_bounds().cones().problem(), at.q, q1, e)) return;
  test::StepProducts products(model);
  REQUIRE(describe(products.linearize(derivatives, step.integrator(), step.input, at)) == describe(Status::converged));
  CHECK(products.adjoint_error(at) < 1e-12);
  CHECK(products.matrix_error(at) < 1e-11);
  const std::vector<ContactPieces> pieces(derivatives.contact_pieces().begin(), derivatives.contact_pieces().end());

  const auto expected = test::difference(model, step, q1, e, [&](double t) {
    return step.take(at, t) && around.linearize(step.integrator(), step.input) == Status::converged &&
           std::ranges::equal(around.contact_pieces(), pieces) && std::ranges::equal(around.pieces(), derivatives.pieces());
  });
  if (!expected) return;
  const double error = (products.out - *expected).norm() / expected->norm();
  counts.add(pieces, derivatives.pieces(), error);
  CHECK(error < 1e-7);
}

/// Returns pairs that touch, or will within the step.
/// @param which 0: planes of the world; 1: balls of the world; 2: balls of other bodies.  @param soft whether normals have springs,
/// and @param power whether these are power laws.
Balls touching(const Model<double>& model, StepPoint& at, std::uint64_t seed, int number, int which, bool soft = false, bool power = false) {
  models::Random random(seed + 99);
  const BodyArray<Pose<double>> T = poses(model, at.q);
  TreePose<double> tree(model);
  place(model, tree, at.q);
  BodyArray<Vector6<double>> V(model.num_bodies(), Vector6<double>::Zero());
  detail::body_twists(model, tree, test::velocity(model, at), V);
  const auto velocity_of = [&](BodyIndex body, const Vector3<double>& p) {
    const Vector6<double> twist = T[body].twist_to_parent(V[body]);
    return Vector3<double>(twist.tail<3>() + twist.head<3>().cross(p));
  };
  Balls balls;
  std::vector<bool> closed;
  for (int k = 0; k < number; ++k) {
    Balls::Pair pair;
    pair.b = 1 + static_cast<BodyIndex>(random.uniform(0, 0.999) * double(model.num_bodies() - 1));
    while (which == 2 && (pair.a == 0 || pair.a == pair.b)) {
      pair.a = 1 + static_cast<BodyIndex>(random.uniform(0, 0.999) * double(model.num_bodies() - 1));
    }
    pair.plane = which == 0;
    pair.in_b = 0.2 * random.direction<double>();
    pair.r_b = random.uniform(0, 0.2);
    pair.r_a = which == 0 ? 0 : random.uniform(0.05, 0.2);
    const Vector3<double> b = T[pair.b] * pair.in_b;
    const Vector3<double> rate = velocity_of(pair.b, b) - velocity_of(pair.a, b);
    pair.normal = random.direction<double>();
    if (pair.normal.dot(rate) > 0) pair.normal *= -1;
    const bool touches = random.happens(0.7), overlaps = !soft && random.happens(0.2);
    const double gap = overlaps ? -0.02 : !touches ? -0.5 * at.h * pair.normal.dot(rate) : soft ? -random.uniform(1e-4, 1e-3) : 0;
    closed.push_back(touches && !soft && !overlaps);
    pair.in_a = T[pair.a].inverse() * Vector3<double>(b - (pair.r_a + pair.r_b + gap) * pair.normal);
    pair.material = test::rigid(random.happens(0.4) ? random.uniform(0.1, 0.4) : random.happens(0.9) ? 5. : 0.);
    if (soft) pair.material.normal = Compliance<double>{std::pow(10, random.uniform(2, 6)), random.happens(0.5) ? random.uniform(0, 100) : 0};
    if (soft && power) {  // as stiff at a depth of 5e-4 m
      const double n = random.happens(0.5) ? 1.5 : random.uniform(1.2, 3);
      const double K = std::pow(10, random.uniform(2, 6)) / (n * std::pow(5e-4, n - 1));
      pair.material.normal = PowerLaw<double>{K, n, random.happens(0.5) ? random.uniform(0, 1) : 0};
    }
    if (soft && random.happens(0.3)) pair.material.tangential_damping = 100;
    balls.pairs.push_back(pair);
  }
  // A variation across a closed contact has derivatives of two sides.
  MatrixXd J(number, model.nv());
  for (Eigen::Index i = 0; i < model.nv(); ++i) {
    const auto at_side = [&](double e) { return gaps(model, balls, model.integrate(at.q, VectorXd(e * VectorXd::Unit(model.nv(), i)))); };
    J.col(i) = (8 * (at_side(1e-3) - at_side(-1e-3)) - (at_side(2e-3) - at_side(-2e-3))) / 12e-3;
  }
  for (int k = 0; k < number; ++k) J.row(k) *= closed[static_cast<std::size_t>(k)] ? 1 : 0;
  const MatrixXd N = detail::closures_of(model).empty() ? MatrixXd(MatrixXd::Identity(model.nv(), model.nv()))
                                                        : test::allowed_variations(model, at.q);
  at.dq -= N * (J * N).completeOrthogonalDecomposition().solve(VectorXd(J * at.dq));
  return balls;
}

TEST_CASE("step derivatives: contacts of balls on trees with joints of all types",
          "[integrators][variational][step_derivatives][long]") {
  int reversed = 0;  // that reverse
  for (const int which : {0, 1, 2}) {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
      StepPoint at(model, seed, 0.01);
      const Balls balls = touching(model, at, seed, 1 + int(seed % 2), which);
      CAPTURE(seed, which);
      compare(model, at, balls, counts);
    }
    CAPTURE(which, counts.steps, counts.worst, counts.in_position, counts.in_velocity);
    CHECK(counts.steps > 25);
    CHECK(std::min({counts.in_position[1], counts.in_position[2], counts.in_velocity[1], counts.in_velocity[2]}) > 5);
    reversed += counts.in_velocity[3];
  }
  CHECK(reversed > 3);
}

TEST_CASE("step derivatives: contacts with springs and dampers", "[integrators][variational][step_derivatives][long]") {
  const bool power = GENERATE(false, true);
  CAPTURE(power);
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    const Model<double> model = models::random_tree(seed, 5, {.damping = true, .springs = true, .armature = true});
    StepPoint at(model, seed, 0.01);
    const int which = int(seed % 3);
    const Balls balls = touching(model, at, seed, 1 + int(seed % 2), which, true, power);
    CAPTURE(seed, which);
    compare(model, at, balls, counts);
  }
  CAPTURE(counts.steps, counts.worst, counts.in_position, counts.in_velocity);
  CHECK(counts.steps > 60);
  CHECK(std::min({counts.in_position[1], counts.in_position[2], counts.in_velocity[1], counts.in_velocity[2]}) > 10);
}

TEST_CASE("step derivatives: contacts, limits and friction on trees with closed loops",
          "[integrators][variational][step_derivatives][long]") {
  const bool soft = GENERATE(false, true);
  CAPTURE(soft);
  const Compliance<double> limit = soft ? Compliance<double>{3e3, 2} : Compliance<double>{},
                           closure = soft ? Compliance<double>{2e4, 5} : Compliance<double>{};
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const test::Tangled tangled = test::tangled_tree(seed, 6, 1, seed % 4 == 0 ? 2 : 1, {.damping = true, .springs = true});
    if (test::allowed_variations(tangled.model, tangled.q).cols() == 0) continue;
    StepPoint at = test::closed_point(tangled.model, tangled.q, seed, 5e-3);
    CAPTURE(seed);
    const Model<double> model = test::bounded(tangled.model, at, seed, 50, false);
    const Balls balls = touching(model, at, seed, 1 + int(seed % 2), int(seed % 3), soft, seed % 4 < 2);
    compare(model, at, balls, counts, limit, closure);
  }
  CAPTURE(counts.steps, counts.worst, counts.in_position, counts.in_velocity, counts.closed, counts.sticking);
  CHECK(counts.steps > 20);
  CHECK(std::min({counts.in_position[1], counts.in_position[2], counts.closed, counts.sticking}) > 5);
}

/// Returns a point at which a body with the momentum of velocities v (nv) is at q.
StepPoint point_at(const Model<double>& model, const VectorXd& q, const VectorXd& v, std::uint64_t seed, double h) {
  StepPoint at(model, seed, h);
  at.q = q;
  TreePose<double> tree(model);
  place(model, tree, q);
  JointMomentumData<double> momentum(model);
  at.p = joint_momentum(model, tree, momentum, v);
  return at;
}

TEST_CASE("step derivatives: the lowest point of a coin moves around its rim", "[integrators][variational][step_derivatives][fast]") {
  const Model<double> model = test::free_body(0.5, {1e-3, 1.2e-3, 2e-3});
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    VectorXd q = models::random_configuration(model, seed);
    const test::RimContacts rim{1, 0.1, test::rigid(seed % 2 == 0 ? 5 : 0.2)};
    ContactList<double> found(1);
    rim.find(poses(model, q), 1e9, found);
    q[2] -= found.points()[0].gap;
    VectorXd v = models::random_velocity(model, seed);
    StepPoint at = point_at(model, q, v, seed, 5e-3);
    VectorXd J(6);
    for (Eigen::Index i = 0; i < 6; ++i) {
      const auto height = [&](double e) {
        found.clear();
        rim.find(poses(model, model.integrate(q, VectorXd(e * VectorXd::Unit(6, i)))), 1e9, found);
        return found.points()[0].gap;
      };
      J[i] = (8 * (height(1e-3) - height(-1e-3)) - (height(2e-3) - height(-2e-3))) / 12e-3;
    }
    at.dq -= J * (J.dot(at.dq) / J.squaredNorm());
    CAPTURE(seed);
    compare(model, at, rim, counts);
  }
  CAPTURE(counts.steps, counts.worst, counts.in_position, counts.in_velocity);
  CHECK(counts.steps > 8);
  CHECK(std::min(counts.in_position[1], counts.in_position[2]) > 1);
}

TEST_CASE("step derivatives: on a contact that slides without friction the step is symplectic",
          "[integrators][variational][step_derivatives][fast]") {
  const Model<double> model = test::rods(3, {});
  const Eigen::Index n = model.nv();
  const VectorXd q{{1.1, 0.7, -0.4}};
  const Vector3<double> tip(0, 0, -0.5);
  const double height = (poses(model, q)[3] * tip)[2];
  test::VariationalOnAny integrator(model, {.tolerance = 0}, test::points({{3, tip}}, 0, height));
  integrator.reset({q, VectorXd{{-0.5, 0.5, -0.5}}, 0});
  StepDerivatives derivatives(integrator);
  MatrixXd A, B, along, form = MatrixXd::Zero(2 * n, 2 * n);
  form.bottomLeftCorner(n, n).setIdentity();
  form.topRightCorner(n, n) = -MatrixXd::Identity(n, n);
  for (int k = 0; k < 40; ++k) {
    CAPTURE(k);
    REQUIRE(integrator.step({}, 2e-3));
    REQUIRE(derivatives.linearize(integrator) == Status::converged);
    REQUIRE(derivatives.contact_pieces().size() == 1);
    REQUIRE(derivatives.contact_pieces()[0].in_position != ContactPiece::open);
    derivatives.matrix(A, B);
    if (k == 0) {
      along = A;  // what a step leads to is on the surface of states that keep the contact
      continue;
    }
    const MatrixXd next = A * along, before = along.transpose() * form * along, after = next.transpose() * form * next;
    CHECK((after - before).norm() < 1e-9 * before.norm());
    CHECK((A.transpose() * form * A - form).norm() > 0.1);  // elsewhere it is not: the contact forgets
    along = next;
  }
  Eigen::FullPivLU<MatrixXd> factors(along);
  CHECK(factors.setThreshold(1e-9).rank() == 2 * n - 2);
}

TEST_CASE("step derivatives: a box that rests on four corners forgets its momentum",
          "[integrators][variational][step_derivatives][fast]") {
  const Model<double> model = test::free_box(2, {0.4, 0.3, 0.2});
  test::check_box_at_rest(model, 1e-12);
}

TEST_CASE("step derivatives: friction of a box that slides on four corners turns with its slip",
          "[integrators][variational][step_derivatives][fast]") {
  const Vector3<double> size(0.4, 0.3, 0.2);
  const Model<double> model = test::free_box(2, size);
  VectorXd q = model.neutral(), v = VectorXd::Zero(6);
  q[2] = 0.1;
  v[3] = 1.5;
  StepPoint at = point_at(model, q, v, 1, 0.01);
  for (VectorXd* x : {&at.tau0, &at.tau1, &at.dtau0, &at.dtau1}) x->setZero();
  at.dq = (VectorXd(6) << 0, 0, 0.3, 0.2, -0.4, 0).finished();
  at.dp = (VectorXd(6) << 0, 0, 0, 0.7, 0.5, 0).finished();
  Counts counts;
  compare(model, at, test::corners(size, 0.3), counts);
  CHECK(counts.steps == 1);
  CHECK(counts.in_position[2] == 4);
  CHECK(counts.in_velocity[2] == 4);
}

TEST_CASE("step derivatives: a box that falls on a corner, lands, slides and tips onto an edge",
          "[integrators][variational][step_derivatives][fast]") {
  const Model<double> model = test::free_box(2, {0.4, 0.3, 0.2});
  const auto ground = test::under_corners(test::rigid(0.3));
  const State<double> start = test::falling_on_a_corner();
  VariationalIntegrator integrator(model, {.tolerance = 0}, ground);
  auto memory = integrator.make_memory();
  const VectorXd dq = models::random_velocity(model, 3), dp = models::random_velocity(model, 4);
  const auto begin = [&](double t) {
    integrator.reset(start);
    integrator.save(memory);
    const VectorXd p = memory.p + t * dp;
    integrator.reset({model.integrate(start.q, VectorXd(t * dq)), start.v, 0});
    integrator.save(memory);
    memory.p = p;
    memory.fresh = false;
    integrator.restore(memory);
  };
  const int steps = 36;  // until contacts are redundant and slide
  StepDerivatives derivatives(integrator);
  begin(0);
  VectorXd dq1 = dq, dp1 = dp;
  const VectorXd zero = VectorXd::Zero(6);
  int landed = 0, slid = 0;
  for (int k = 0; k < steps; ++k) {
    REQUIRE(integrator.step({}, 5e-3));
    REQUIRE(describe(derivatives.linearize(integrator)) == describe(Status::converged));
    derivatives.tangent(dq1, dp1, zero, zero, dq1, dp1);
    for (const ContactPieces& pieces : derivatives.contact_pieces()) {
      landed += pieces.in_position != ContactPiece::open;
      slid += pieces.in_position == ContactPiece::slides;
    }
  }
  CHECK(landed == 34 + 11);
  CHECK(slid == landed);
  const VectorXd q1 = integrator.configuration();
  const auto end = [&](double t) {
    begin(t);
    for (int k = 0; k < steps; ++k) REQUIRE(integrator.step({}, 5e-3));
    return VectorXd((VectorXd(12) << model.difference(q1, integrator.configuration()), integrator.momentum()).finished());
  };
  const double e = 1e-6;
  const VectorXd expected = (8 * (end(e) - end(-e)) - (end(2 * e) - end(-2 * e))) / (12 * e);
  const VectorXd out = (VectorXd(12) << dq1, dp1).finished();
  CHECK((out - expected).norm() < 1e-7 * expected.norm());
}

TEST_CASE("step derivatives: what contacts do not allow is refused", "[integrators][variational][step_derivatives][fast]") {
  const Model<double> model = test::free_box(2, {0.4, 0.3, 0.2});
  State<double> state = rest_state(model);
  state.q[2] = 0.1;
  const auto status = [&](const ContactMaterial<double>& material, std::size_t contacts) {
    VariationalIntegrator integrator(model, {}, test::under_corners(material));
    integrator.reset(state);
    REQUIRE(integrator.step({}, 0.01));
    StepDerivatives derivatives(integrator, contacts);
    return derivatives.linearize(integrator);
  };
  ContactMaterial<double> soft = test::rigid(0.5);
  soft.normal = Compliance<double>{1e4, 10};
  CHECK(status(test::rigid(0.5), 4) == Status::converged);
  CHECK(status(test::rigid(0.5), 3) == Status::capacity);
  CHECK(status(soft, 4) == Status::converged);
  ContactMaterial<double> power = test::rigid(0.5);
  power.normal = PowerLaw<double>{1e6, 1.5, 0};
  CHECK(status(power, 4) == Status::converged);

  // A derivative without contacts is not one of a step with them.
  VariationalIntegrator integrator(model, {}, test::under_corners(test::rigid(0.5)));
  integrator.reset(state);
  REQUIRE(integrator.step({}, 0.01));
  StepDerivatives derivatives(model);
  CHECK(derivatives.linearize(integrator) == Status::invalid_input);
}

}  // namespace step_derivatives_contact_test
