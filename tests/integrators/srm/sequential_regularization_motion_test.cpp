// SPDX-License-Identifier: BSD-3-Clause
// Sequential regularisation in joint coordinates, against independent solutions: maximal coordinates and references.
#include <cmath>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/sequential_regularization.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/generalised.hpp"

namespace sequential_regularization_motion_test {

using namespace actio;
using namespace actio::detail;
using Eigen::VectorXd;
using Srm = SequentialRegularization<Model<double>>;

State<double> at_rest(const Model<double>& model, const VectorXd& q) { return {q, VectorXd::Zero(model.nv()), 0}; }

template <Integrator I>
VectorXd end_of(I integrator, const State<double>& start, double duration, double h) {
  integrator.reset(start);
  for (int k = 0; k < std::lround(duration / h); ++k) REQUIRE(describe(integrator.step({}, h).status) == describe(Status::converged));
  return integrator.configuration();
}
/// Solved to rounding, of second order.
VectorXd truth(const Model<double>& model, const State<double>& start, double duration, double h) {
  MaximalOptions<double> options;
  options.tolerance = 0;
  return end_of(MaximalIntegrator(model, options), start, duration, h);
}
double distance_of(const Model<double>& model, const VectorXd& a, const VectorXd& b) {
  return model.difference(a, b).cwiseAbs().maxCoeff();
}

/// Rods of 1 m on ball joints whose tip is fixed to the world by a closure that is satisfied at q.
Model<double> held_chain(LoopType type, int rods, const VectorXd& q) {
  const Model<double> open = models::spherical_chain(rods);
  KinematicsData<double> kinematics(open);
  forward_kinematics(open, kinematics, q);
  ModelBuilder<double> builder("held_chain");
  std::string parent = "world";
  for (int k = 0; k < rods; ++k) {
    const std::string link = "link_" + std::to_string(k);
    models::detail::add_rod(builder, link);
    builder.add_joint("joint_" + link, parent, link, Pose<double>::translation(0, 0, k == 0 ? 0. : -1.), Spherical<double>());
    parent = link;
  }
  Loop<double> loop;
  loop.name = "closure";
  loop.type = type;
  loop.axis = Vector3<double>(1, 2, 2) / 3;
  loop.axis2 = Vector3<double>(2, 1, -2) / 3;
  loop.T_B.p = {0, 0, -1};
  loop.T_A = kinematics.T_WB[rods] * loop.T_B;
  if (type == LoopType::distance) {
    loop.length = 0.7;
    loop.T_A.p[0] += loop.length;
  }
  builder.add_loop(loop, "world", parent);
  return builder.build();
}

/// A gear train next to a pendulum that is driven by one of its wheels.
Model<double> geared(double ratio) {
  ModelBuilder<double> builder("geared");
  const auto rod = Inertia<double>::box(1.0, {0.1, 0.1, 1.0}).seen_from_parent(Pose<double>::translation(0, 0, -0.5));
  builder.add_body("a", rod).add_body("b", rod).add_body("c", rod);
  builder.add_joint("ja", "world", "a", Pose<double>::identity(), Revolute<double>({0, 1, 0}), {.armature = 0.1});
  builder.add_joint("jb", "a", "b", Pose<double>::translation(0, 0, -1), Revolute<double>({0, 1, 0}), {.damping = 0.05});
  builder.add_joint("jc", "world", "c", Pose<double>::translation(0, 1, 0), Prismatic<double>({0, 0.6, 0.8}), {.stiffness = 20.});
  builder.add_coupling("jb", "ja", ratio, 0.2).add_coupling("jc", "ja", 0.3, 0);
  return builder.build();
}
VectorXd geared_start(double ratio) { return (VectorXd(3) << 0.7, 0.7 * ratio + 0.2, 0.21).finished(); }

TEST_CASE("srm: with closures of every type it follows the constrained motion", "[integrators][srm][fast]") {
  const VectorXd q = models::random_configuration(models::spherical_chain(3), 3, 0.8);
  for (const LoopType type : {LoopType::ball, LoopType::revolute, LoopType::universal, LoopType::fixed, LoopType::prismatic,
                              LoopType::cylindrical, LoopType::planar, LoopType::point_on_line, LoopType::distance}) {
    const Model<double> model = held_chain(type, 3, q);
    const VectorXd expected = truth(model, at_rest(model, q), 0.1, 5e-4);
    const auto error = [&](double h) {
      return distance_of(model, end_of(Srm(model, {.iterations = 6}), at_rest(model, q), 0.1, h), expected);
    };
    const double coarse = error(1e-3), fine = error(5e-4);
    CAPTURE(name(type), coarse, fine);
    CHECK(distance_of(model, expected, q) > 1e-2);  // it moves
    CHECK(coarse < 3e-4);
    CHECK(fine < 1.5e-5);
    CHECK(fine < 0.5 * coarse);
  }
}

TEST_CASE("srm: with couplings it follows the constrained motion", "[integrators][srm][fast]") {
  for (const double ratio : {-2.0, 0.5}) {
    const Model<double> model = geared(ratio);
    const State<double> start = at_rest(model, geared_start(ratio));
    const VectorXd expected = truth(model, start, 0.2, 5e-4);
    const auto error = [&](double h) { return distance_of(model, end_of(Srm(model, {.iterations = 4}), start, 0.2, h), expected); };
    const double coarse = error(1e-3), fine = error(5e-4);
    CAPTURE(ratio, coarse, fine);
    CHECK(fine < 2e-4);
    CHECK(fine < 0.5 * coarse);
  }
}

/// A random tree whose last body is tied to the world by a rope that is taut at q.
Model<double> roped(std::uint64_t seed, const VectorXd* q) {
  const int bodies = 5;
  models::Random random(seed);
  ModelBuilder<double> builder("roped");
  std::string parent = "world";
  for (int k = 1; k <= bodies; ++k) {
    const std::string link = "body_" + std::to_string(k);
    const Pose<double> placement = random.pose<double>(0.5);
    const DefaultJoints<double> joint = models::detail::random_joint<double>(random);
    builder.add_body(link, models::detail::random_inertia<double>(random));
    std::visit([&](const auto& of_type) { builder.add_joint("joint_" + link, parent, link, placement, of_type); }, joint);
    if (random.happens(0.7)) parent = link;
  }
  if (q == nullptr) return builder.build();
  const Model<double> open = builder.build();
  KinematicsData<double> kinematics(open);
  forward_kinematics(open, kinematics, *q);
  Loop<double> rope;
  rope.name = "rope";
  rope.type = LoopType::distance;
  rope.length = 0.8;
  rope.T_B.p = {0.1, 0.2, 0.3};
  rope.T_A.p = kinematics.T_WB[open.num_bodies() - 1] * rope.T_B.p + 0.8 * random.direction<double>();
  builder.add_loop(rope, "world", open.body_name(open.num_bodies() - 1));
  return builder.build();
}

TEST_CASE("srm: on trees of all joint types it follows the constrained motion", "[integrators][srm][fast]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Model<double> open = roped(seed, nullptr);
    const VectorXd q = models::random_configuration(open, seed);
    const Model<double> model = roped(seed, &q);
    const VectorXd expected = truth(model, at_rest(model, q), 0.1, 5e-4);
    const auto error = [&](double h) {
      return distance_of(model, end_of(Srm(model, {.iterations = 4}), at_rest(model, q), 0.1, h), expected);
    };
    const double coarse = error(1e-3), fine = error(5e-4);
    CAPTURE(seed, coarse, fine);
    CHECK(fine < 2e-4);
    CHECK(fine < 0.6 * coarse + 1e-6);  // 1e-6: the accuracy of the reference
  }
}

TEST_CASE("srm: the reference mechanisms are reproduced", "[integrators][srm][fast]") {
  int compared = 0;
  for (const test::Generalised& one : test::generalised_cases()) {
    if (one.name() == "spatial_8R") continue;  // a fixed loop on a long light chain: unsuitable for this method [srm_math.md, section 5.1]
    const test::Json& last = one.json["variational"].back();
    const VectorXd expected = one.to_ours(last["q"]);
    const auto error = [&](double h) {
      return distance_of(one.model, end_of(Srm(one.model, {.iterations = 4, .epsilon = h}), one.start(), last["t"], h), expected);
    };
    const double fine = error(5e-4);
    CAPTURE(one.name(), fine);
    CHECK(fine < 5e-4);  // the references are of second order in their h = 0.01
    if (one.json.contains("semi_implicit")) {
      CHECK(fine < 0.05 * distance_of(one.model, one.to_ours(one.json["semi_implicit"].back()["q"]), expected));  // of first order
    }
    ++compared;
  }
  CHECK(compared == 5);
}

TEST_CASE("srm: inputs, springs, dampers and force fields act on closed loops", "[integrators][srm][fast]") {
  ModelProperties<double> properties = models::four_bars(2).properties();
  properties.damping.setConstant(0.1);
  properties.stiffness.setConstant(3);
  properties.armature.setConstant(0.05);
  const Model<double> model = models::four_bars(2).with_properties(properties);
  const auto field = [](double t, const ConstVectorRef<double>& q, const ConstVectorRef<double>& v, VectorRef<double> tau) noexcept {
    tau = -0.3 * v;
    tau.array() += std::sin(3 * t) + 0.2 * q[0];
    return true;
  };
  Input<double> input(VectorXd::LinSpaced(model.nv(), -1, 1));
  input.wrench_begin = BodyArray<Vector6<double>>(model.num_bodies(), Vector6<double>::Constant(0.5));
  const auto run = [&](auto integrator, double h) {
    integrator.reset(rest_state(model));
    for (int k = 0; k < std::lround(0.2 / h); ++k) REQUIRE(integrator.step(input, h));
    return integrator.configuration();
  };
  MaximalOptions<double> to_rounding;
  to_rounding.tolerance = 0;
  const VectorXd expected = run(MaximalIntegrator(model, to_rounding, field), 5e-4);
  const auto error = [&](double h) {
    return distance_of(model, run(SequentialRegularization(model, {.iterations = 4}, field), h), expected);
  };
  const double coarse = error(2e-3), fine = error(1e-3);
  CAPTURE(coarse, fine);
  CHECK(fine < 2e-4);
  CHECK(fine < 0.5 * coarse);
}

/// Largest violation of a loop row at a node, for each iterate.
std::vector<double> drift_of(const Model<double>& model, const VectorXd& q0, const SrmOptions<double>& options, double duration,
                             double h) {
  Srm integrator(model, options);
  integrator.reset(at_rest(model, q0));
  JointLoops<Model<double>> loops(model);
  std::vector<double> largest(integrator.copies().size(), 0);
  for (int n = 0; n < std::lround(duration / h); ++n) {
    REQUIRE(integrator.step({}, h));
    for (std::size_t k = 0; k < largest.size(); ++k) {
      Culprit culprit;
      REQUIRE(loops.place(integrator.copies()[k], culprit) == Status::converged);
      largest[k] = std::max(largest[k], loops.gap().cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

TEST_CASE("srm: the drift matches that of the prototypes", "[integrators][srm][fast]") {  // [srm_math.md, sections 4.1 and 5.1], two digits
  const auto drift = [&](const std::string& name, double h, double epsilon, double duration) {
    for (const test::Generalised& one : test::generalised_cases()) {
      if (one.name() == name) return drift_of(one.model, one.start().q, {.iterations = 3, .epsilon = epsilon}, duration, h);
    }
    throw std::runtime_error("no case " + name);
  };
  const auto check = [](const std::vector<double>& found, const std::vector<double>& expected) {
    for (std::size_t k = 0; k < 3; ++k) {
      CAPTURE(k, found[k]);
      // the file has components in the axes of the world, we in those of a body
      CHECK(std::abs(found[k] - expected[k]) < 0.1 * expected[k]);
    }
  };
  check(drift("planar_corner_3", 5e-3, 2.5e-3, 0.3), {7.1e-3, 3.8e-4, 6.7e-5});
  check(drift("fourbar_irregular", 5e-3, 2.5e-3, 2), {4.5e-3, 1.4e-4, 2.1e-4});
  // A fixed loop at the end of eight links: one of its modes has 0.003 of the mobility of the bodies alone, and iterates do not converge.
  const std::vector<double> weld = drift("spatial_8R", 1e-3, 1e-3, 0.5);
  CAPTURE(weld);
  for (const double open : weld) CHECK((0.01 < open && open < 0.2));
}

TEST_CASE("srm: redundant loops follow the constrained motion", "[integrators][srm][fast]") {
  const Model<double> minimal = models::four_link_segments(2), redundant = models::four_link_segments(2, LoopType::revolute);
  VectorXd q = minimal.neutral();
  models::open_segment(minimal, 0, 0.6, 0.2, q);
  models::open_segment(minimal, 1, 0.8, -0.3, q);
  const VectorXd expected = truth(minimal, at_rest(minimal, q), 0.2, 5e-4);
  for (const Model<double>* model : {&minimal, &redundant}) {
    CHECK(distance_of(minimal, end_of(Srm(*model, {.iterations = 6}), at_rest(minimal, q), 0.2, 5e-4), expected) < 1e-4);
  }
}

}  // namespace sequential_regularization_motion_test
