// SPDX-License-Identifier: BSD-3-Clause
#include "actio/simulation/gap_meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "actio/integrators/maximal.hpp"
#include "actio/integrators/variational.hpp"
#include "actio/model/samples/chains.hpp"
#include "actio/simulation/simulate.hpp"
#include "support/catch.hpp"
#include "support/dummy_integrators.hpp"

using namespace actio;
using V3 = Vector3<double>;

namespace gap_meter_test {

/// Accepts models with loops, but does nothing to close them.
using Careless = test::MaximalCoordinates<Model<double>>;
/// The same, and reports its own gap.
struct Telling : Careless {
  using Careless::Careless;
  double gap() const noexcept { return 0.25; }
};

Pose<double> at(const V3& p) { return Pose<double>::translation(p); }

/// Two rods of 1 m on hinges about x, hanging along -z at q = 0, and loops from points of a body to the tip of the second.
struct TwoRods {
  ModelBuilder<double> builder{"two rods"};
  int loops = 0;

  TwoRods() {
    models::detail::add_rod(builder, "upper");
    models::detail::add_rod(builder, "lower");
    builder.add_joint("first", "world", "upper", at(V3::Zero()), Revolute<double>(V3::UnitX()));
    builder.add_joint("second", "upper", "lower", at(V3(0, 0, -1)), Revolute<double>(V3::UnitX()));
  }
  TwoRods& tie(LoopType type, const std::string& body, const V3& p, const V3& axis = V3::UnitX(), double length = 1, bool active = true) {
    Loop<double> loop;
    loop.name = "loop_" + std::to_string(++loops);
    loop.type = type;
    loop.T_A = at(p);
    loop.T_B = at(V3(0, 0, -1));
    loop.axis = axis;
    loop.length = length;
    loop.active = active;
    builder.add_loop(loop, body, "lower");
    return *this;
  }
};

template <class I>
double gap_at(const Model<double>& model, const VectorX<double>& q) {
  I integrator(model);
  integrator.reset({q, VectorX<double>::Zero(model.nv()), 0});
  Node<I> node(integrator, 1e-3);
  GapMeter<double> meter;
  meter(node);
  CHECK(meter.can_open());
  return meter.largest();
}

TEST_CASE("gap meter: gaps of loops match values computed by hand", "[simulation][long]") {
  const Eigen::Vector2d down(0, 0), up_and_right(std::numbers::pi / 2, std::numbers::pi / 2);  // tip at (0, 0, -2), at (0, 1, 1)
  const auto gap = [](TwoRods& rods, const VectorX<double>& q) { return gap_at<Careless>(rods.builder.build(), q); };
  SECTION("a ball: the distance of both points") {
    TwoRods rods;
    CHECK(gap(rods.tie(LoopType::ball, "world", V3(0, 3, -6)), down) == Approx(5));
    CHECK(gap(rods, up_and_right) == Approx(std::sqrt(4.0 + 49.0)));
  }
  SECTION("from a body that has moved: (1, 2, 0) of the upper rod is then (1, 0, 2) of the world") {
    TwoRods rods;
    CHECK(gap(rods.tie(LoopType::ball, "upper", V3(1, 2, 0)), up_and_right) == Approx(std::sqrt(3.0)));
  }
  SECTION("a point on a line: the distance from the line") {
    TwoRods rods;
    CHECK(gap(rods.tie(LoopType::point_on_line, "world", V3(7, 0, -2.5)), down) == Approx(0.5));
  }
  SECTION("a plane: the distance along its normal") {
    TwoRods rods;
    CHECK(gap(rods.tie(LoopType::planar, "world", V3(1, 3, -6), V3::UnitZ()), down) == Approx(4));
  }
  SECTION("a distance: the difference from the nominal distance") {
    TwoRods rods;
    CHECK(gap(rods.tie(LoopType::distance, "world", V3(0, 3, -6), V3::UnitX(), 7), down) == Approx(2));
  }
  SECTION("the largest of several") {
    TwoRods rods;
    rods.tie(LoopType::ball, "world", V3(0, 0, -2)).tie(LoopType::ball, "world", V3(0, 3, -6)).tie(LoopType::ball, "world", V3(0, 0, -3));
    CHECK(gap(rods, down) == Approx(5));
  }
  SECTION("with the gap that the integrator reports") {
    TwoRods rods;
    rods.tie(LoopType::ball, "world", V3(0, 0, -2.125));
    CHECK(gap(rods, down) == Approx(0.125));
    CHECK(gap_at<Telling>(rods.builder.build(), down) == 0.25);
    CHECK(gap_at<Telling>(rods.builder.build(), up_and_right) > 3);
  }
}

TEST_CASE("gap meter: a model without active loops has no gap", "[simulation][long]") {
  TwoRods rods;
  const Model<double> model = rods.tie(LoopType::ball, "world", V3(0, 3, -6), V3::UnitX(), 1, false).builder.build();
  VariationalIntegrator integrator(model);
  GapMeter<double> released;
  REQUIRE(simulate(integrator, 1e-3, Steps{2}, released));
  CHECK_FALSE(released.can_open());
  CHECK(released.largest() == 0);
  CHECK(gap_at<Telling>(model, model.neutral()) == 0.25);
}

TEST_CASE("gap meter: it keeps the largest gap, and reports NaN as infinite", "[simulation][long]") {
  GapMeter<double> meter;
  for (const double gap : {1e-9, 3e-9, 2e-9}) meter.add(gap);
  CHECK(meter.largest() == 3e-9);
  meter.add(std::numeric_limits<double>::quiet_NaN());
  meter.add(1);
  CHECK(std::isinf(meter.largest()));
}

TEST_CASE("gap meter: gaps of a run in maximal coordinates match the integrator's", "[simulation][long]") {
  const Model<double> model = models::closed_chain(5);
  MaximalIntegrator<Model<double>> integrator(model, {.tolerance = 1e-4});  // so that gaps are large enough to be seen
  integrator.reset(rest_state(model));
  GapMeter<double> meter;
  std::vector<double> told, tip;
  const auto by_hand = [&](auto& node) {
    told.push_back(node.integrator().gap());
    Pose<double> T = Pose<double>::identity();
    for (BodyIndex i = 1; i < model.num_bodies(); ++i) {
      visit_joint(model, i, [&]<JointType J>(const J& joint) {
        T = T * model.placement(i) * joint.pose(model.template q_of<J>(i, node.configuration()));
      });
    }
    tip.push_back((T * V3(0, 0, -1) - V3(0, 1, 0)).norm());
  };
  REQUIRE(simulate(integrator, 1e-2, Steps{100}, meter, by_hand));
  const double largest = std::max(*std::max_element(told.begin(), told.end()), *std::max_element(tip.begin(), tip.end()));
  CHECK(largest > 1e-12);
  CHECK(meter.largest() == Approx(largest).epsilon(1e-3));
  CHECK(tip.size() == 101);
}

TEST_CASE("gap meter: the gap of a rolling ball is its distance from the plane, above or below", "[simulation][long]") {
  ModelBuilder<double> builder("ball");
  builder.add_body("ball", Inertia<double>::sphere(1, 0.1)).add_joint("joint", "world", "ball", at(V3::Zero()), Free<double>());
  builder.add_nonholonomic(
      {.name = "roll", .type = Rolling<double>{.center = {0, 0, 0.02}, .radius = 0.1, .normal = {0, 1, 0}, .height = 0.3}}, "ball");
  const Model<double> model = builder.build();
  for (const double y : {0.4, 0.9, 0.1}) {
    VectorX<double> q = model.neutral();
    q[1] = y;
    CHECK(gap_at<Careless>(model, q) == Approx(std::abs(y - 0.4)).margin(1e-15));
  }
  VectorX<double> q = model.neutral();
  q[1] = 0.4;
  MaximalIntegrator integrator(model);
  integrator.reset({q, VectorX<double>::Constant(6, 0.5), 0.0});
  GapMeter<double> meter;
  REQUIRE(simulate(integrator, 1e-2, Steps{50}, meter));
  CHECK(meter.can_open());
  CHECK(meter.largest() < 1e-12);
}

}  // namespace gap_meter_test
