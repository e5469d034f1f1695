// SPDX-License-Identifier: BSD-3-Clause
// Ready-made mechanisms match their comments: number of bodies and rows, closed at the start at any attitude, rank of the constraints.
#include "actio/constraints/tree_rows.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/model/samples/mechanisms.hpp"
#include "actio/model/samples/nets.hpp"
#include "actio/model/samples/random.hpp"
#include "support/catch.hpp"
#include "support/dense.hpp"

namespace closed_mechanisms_test {

using namespace actio;
using namespace actio::detail;

BodyArray<Pose<double>> poses(const Model<double>& model) {
  KinematicsData<double> data(model);
  forward_kinematics(model, data, model.neutral(), VectorX<double>::Zero(model.nv()));
  return data.T_WB;
}

struct Counts {
  BodyIndex bodies;
  std::size_t loops;
  Eigen::Index rows, freedoms;
};

void check(const Model<double>& model, const Counts& expected, double mass) {
  const double rounding = 1e-14;
  CAPTURE(model.name());
  CHECK(model.num_bodies() == expected.bodies + 1);
  CHECK(std::abs(model.mass() - mass) < 20 * rounding);
  CHECK_FALSE(model.is_dissipative());
  REQUIRE(model.loops().size() == expected.loops);
  const BodyArray<Pose<double>> T_WB = poses(model);
  for (const Loop<double>& loop : model.loops()) {
    const Pose<double> A = T_WB[loop.body_a] * loop.T_A, B = T_WB[loop.body_b] * loop.T_B;
    CAPTURE(loop.name);
    CHECK((A.p - B.p).norm() < rounding);
    if (loop.type == LoopType::fixed || loop.type == LoopType::revolute) CHECK((A.R - B.R).norm() < rounding);
  }
  TreePose<double> tree(model);
  place(model, tree, model.neutral());
  TreeClosures<Model<double>> closures(model);
  auto rotations = closures.make_rotations();
  closures.place(tree, rotations);
  REQUIRE(closures.size() == expected.rows);
  Eigen::MatrixXd G(closures.size(), model.nv());
  VectorX<double> row(model.nv());
  for (Eigen::Index k = 0; k < closures.size(); ++k) {
    closures.covector(tree, k, row);
    G.row(k) = row;
  }
  const Eigen::VectorXd singular = test::singular_values(G);
  const auto rank = (singular.array() > 0.05 * singular[0]).count();
  CAPTURE(singular);
  CHECK(rank == model.nv() - expected.freedoms);
  CHECK((singular.array() > 100 * rounding).count() == rank);  // the other singular values are rounding
}

/// The mechanism as built upright, rotated by R about the origin.
void check_turned(const Model<double>& turned, const Model<double>& upright, const Matrix3<double>& R) {
  const BodyArray<Pose<double>> there = poses(turned), here = poses(upright);
  for (BodyIndex i = 1; i < upright.num_bodies(); ++i) {
    CHECK(distance(there[i], Pose<double>::rotation(R) * here[i]) < 1e-14);
  }
}

TEST_CASE("ready-made: four-bar, Jansen's leg, Stewart platform and a weld of eight links are closed at any attitude",
          "[model][ready][fast]") {
  models::Random random(1);
  for (int attitude = 0; attitude < 4; ++attitude) {
    const Matrix3<double> R =
        attitude == 0 ? Matrix3<double>(Matrix3<double>::Identity()) : quaternion::rotation_matrix<double>(random.rotation<double>());
    CAPTURE(attitude);
    const Model<double> bars = models::four_bars(2, R), leg = models::jansen_leg(R), redundant = models::jansen_leg(R, LoopType::revolute),
                   platform = models::stewart_platform(R), ring = models::eight_bar(R);
    check(bars, {6, 2, 4, 2}, 4.6);
    check(leg, {7, 3, 6, 1}, 4.944);
    check(redundant, {7, 3, 15, 1}, 4.944);
    check(platform, {13, 6, 18, 6}, 19);
    check(ring, {8, 1, 6, 2}, 8 * std::sqrt(std::pow(2 * 0.5 * std::sin(std::numbers::pi / 8), 2) + 0.04));
    check_turned(bars, models::four_bars(2), R);
    check_turned(leg, models::jansen_leg(), R);
    check_turned(platform, models::stewart_platform(), R);
    check_turned(ring, models::eight_bar(), R);
  }
}

TEST_CASE("ready-made: Jansen's leg has the eleven published lengths", "[model][ready][fast]") {
  const Model<double> leg = models::jansen_leg();
  const BodyArray<Pose<double>> T_WB = poses(leg);
  const auto origin = [&](const char* body) { return T_WB[leg.find_body(body)].p; };
  const auto closure = [&](std::size_t k) { return Vector3<double>(T_WB[leg.loops()[k].body_b] * leg.loops()[k].T_B.p); };
  const Frame<double>& frame = leg.find_frame("foot");
  const Vector3<double> axle = origin("crank"), pin = origin("j"), pivot = origin("upper"), side = origin("f"), knee = origin("lower"),
                        top = closure(0), ankle = closure(2), foot = T_WB[frame.body] * frame.T_BF.p;
  CHECK((origin("k") - pin).norm() == 0);
  CHECK((origin("c") - pivot).norm() == 0);
  CHECK((closure(1) - knee).norm() < 1e-15);
  CHECK((pivot - axle - Vector3<double>(0, -0.38, -0.078)).norm() < 1e-15);
  const auto long_as = [](const Vector3<double>& from, const Vector3<double>& to, double centimetres) {
    CHECK(std::abs((to - from).norm() - centimetres / 100) < 1e-15);
  };
  long_as(pivot, top, 41.5);   // b
  long_as(pivot, knee, 39.3);  // c
  long_as(pivot, side, 40.1);  // d
  long_as(top, side, 55.8);    // e
  long_as(side, ankle, 39.4);  // f
  long_as(knee, ankle, 36.7);  // g
  long_as(ankle, foot, 65.7);  // h
  long_as(knee, foot, 49);     // i
  long_as(pin, top, 50);       // j
  long_as(pin, knee, 61.9);    // k
  long_as(axle, pin, 15);      // m
  CHECK(top.z() > 0.2);
  CHECK(side.y() < pivot.y() - 0.3);
  CHECK(knee.z() < pivot.z() - 0.3);
  CHECK(foot.z() < -0.8);
}

TEST_CASE("ready-made: springs along the legs of a Stewart platform are unloaded at the start", "[model][ready][fast]") {
  const Model<double> model = models::stewart_platform<double>(Matrix3<double>::Identity(), 2000);
  CHECK((model.properties().stiffness.array() == 2000).count() == 6);
  CHECK(model.properties().stiffness.sum() == 12000);
  const BodyArray<Pose<double>> T_WB = poses(model);
  for (int k = 1; k <= 6; ++k) {
    const BodyIndex piston = model.find_body("piston_" + std::to_string(k));
    CHECK(model.properties().stiffness[model.v_index(piston)] == 2000);
    CHECK(model.properties().rest[model.q_index(piston)] == 0);
    const double lean = T_WB[piston].R.col(2).z();  // the same for each leg
    CHECK(std::abs(lean - 0.6 / std::sqrt(0.36 + 0.25 + 0.09 - 2 * 0.15 * std::cos(40 * std::numbers::pi / 180))) < 1e-14);
  }
}

}  // namespace closed_mechanisms_test
