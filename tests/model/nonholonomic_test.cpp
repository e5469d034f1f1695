// SPDX-License-Identifier: BSD-3-Clause
// Nonholonomic constraints in a model.
#include "actio/model/nonholonomic.hpp"

#include <limits>
#include <numbers>
#include <vector>

#include "actio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace model_nonholonomic_test {

using namespace actio;
using test::missing;
using Builder = ModelBuilder<double>;

const Inertia<double> ball = Inertia<double>::sphere(1, 0.1);
/// A rotation by 90 degrees about z, and a translation.
const Pose<double> turned{so3::rotation<double>(Vector3<double>::UnitZ(), std::numbers::pi / 2), Vector3<double>(1, 0, 0)};

Builder two_links() {
  Builder builder("two");
  builder.add_body("a", ball).add_body("b", ball).add_joint("ja", "world", "a", turned, Spherical<double>());
  builder.add_joint("jb", "a", "b", turned, Revolute<double>({1, 0, 0}));
  return builder;
}
std::string refusal(Builder builder) {
  return test::refusal<ModelError>([&] { return builder.build(); });
}

TEST_CASE("nonholonomic: constraints move with their link, and their directions are normalised", "[model][builder][fast]") {
  Builder builder = two_links();
  builder.add_body("welded", ball).add_joint("weld", "b", "welded", turned, Fixed{});
  builder.add_nonholonomic(
      {.name = "wheel", .type = Rolling<double>{.center = {0, 2, 0}, .radius = 0.5, .axle = {0, 3, 0}, .normal = {0, 0, 2}, .height = 0.1}},
      "welded");
  builder.add_nonholonomic({.name = "blade", .type = KnifeEdge<double>{{0, 2, 0}, {0, 3, 0}}, .active = false}, "welded");
  const Model<double> model = builder.build();
  REQUIRE(model.nonholonomic().size() == 2);
  const auto& wheel = std::get<Rolling<double>>(model.nonholonomic()[0].type);
  CHECK(model.nonholonomic()[0].body == model.find_body("b"));
  CHECK(model.nonholonomic()[0].active);
  CHECK((wheel.center - Vector3<double>(-1, 0, 0)).norm() < 1e-15);
  CHECK((wheel.axle - Vector3<double>(-1, 0, 0)).norm() < 1e-15);
  CHECK(wheel.normal == Vector3<double>::UnitZ());
  CHECK(wheel.radius == 0.5);
  CHECK(wheel.height == 0.1);
  const auto& blade = std::get<KnifeEdge<double>>(model.nonholonomic()[1].type);
  CHECK((blade.point - wheel.center).norm() < 1e-15);
  CHECK((blade.across - wheel.axle).norm() < 1e-15);
  CHECK_FALSE(model.nonholonomic()[1].active);
  CHECK(model.with_nonholonomic(true).nonholonomic()[1].active);
  CHECK(model.nonholonomic() == builder.build().nonholonomic());
}

TEST_CASE("nonholonomic: invalid constraints are refused by name", "[model][builder][fast]") {
  const auto message = [&](auto type, auto change, const std::string& link = "a") {
    change(type);
    return refusal(two_links().add_nonholonomic({.name = "wheel", .type = type}, link, "file:7"));
  };
  using R = Rolling<double>;
  using K = KnifeEdge<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto as_it_is = [](auto&) {};
  CHECK(missing(message(R(), as_it_is, "ghost"), {"file:7", "rolling constraint 'wheel'", "'ghost'", "not declared"}) == "");
  CHECK(missing(message(R(), as_it_is, "world"), {"rolling constraint 'wheel'", "'world'", "fixed to the world"}) == "");
  CHECK(missing(message(R(), [](R& r) { r.radius = 0; }), {"rolling constraint 'wheel' of link 'a'", "radius 0 m", "> 0"}) == "");
  CHECK(missing(message(R(), [&](R& r) { r.radius = infinity; }), {"'wheel'", "radius", "> 0"}) == "");
  CHECK(missing(message(R(), [](R& r) { r.normal.setZero(); }), {"'wheel'", "normal has length 0"}) == "");
  CHECK(missing(message(R(), [&](R& r) { r.center[1] = nan; }), {"'wheel'", "center is not finite"}) == "");
  CHECK(missing(message(R(), [&](R& r) { r.axle[1] = nan; }), {"'wheel'", "axle"}) == "");
  CHECK(missing(message(R(), [&](R& r) { r.height = nan; }), {"'wheel'", "height is not finite"}) == "");
  CHECK(missing(message(K(), [&](K& k) { k.point[0] = nan; }), {"knife edge 'wheel' of link 'a'", "point is not finite"}) == "");
  CHECK(missing(message(K(), [](K& k) { k.across.setZero(); }), {"'wheel'", "across has length 0"}) == "");
  CHECK(missing(refusal(two_links().add_nonholonomic({.name = "", .type = K()}, "a")), {"a nonholonomic constraint has no name"}) == "");
  Builder twice = two_links();
  twice.add_nonholonomic({.name = "w", .type = K()}, "a").add_nonholonomic({.name = "w", .type = R()}, "b");
  CHECK(missing(refusal(twice), {"two nonholonomic constraints named 'w'"}) == "");
}

TEST_CASE("nonholonomic: a model takes constraints after it was built, as one that was read from a file", "[model][fast]") {
  const Model<double> plain = two_links().build();
  const Nonholonomic<double> wheel{.name = "wheel", .body = 2, .type = Rolling<double>{.radius = 0.5, .axle = {0, 3, 0}}};
  const Nonholonomic<double> blade{.name = "blade", .body = 1, .type = KnifeEdge<double>{}, .active = false};
  const Model<double> model = plain.with_nonholonomic({wheel, blade});
  REQUIRE(model.nonholonomic().size() == 2);
  CHECK(std::get<Rolling<double>>(model.nonholonomic()[0].type).axle == Vector3<double>::UnitY());
  CHECK(model.nonholonomic()[1] == blade);
  CHECK(plain.nonholonomic().empty());
  CHECK(model.with_nonholonomic(std::vector<Nonholonomic<double>>()).nonholonomic().empty());
  const auto message = [&](const auto& change) {
    std::vector<Nonholonomic<double>> all{wheel, blade};
    change(all[0]);
    try {
      static_cast<void>(plain.with_nonholonomic(all));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK(missing(message([](auto& c) { c.body = 0; }), {"rolling constraint 'wheel'", "body 0", "1 ... 2"}) == "");
  CHECK(missing(message([](auto& c) { c.body = 3; }), {"rolling constraint 'wheel'", "body 3", "1 ... 2"}) == "");
  CHECK(missing(message([](auto& c) { std::get<0>(c.type).radius = -1; }), {"rolling constraint 'wheel'", "radius -1 m", "> 0"}) == "");
  CHECK(missing(message([](auto& c) { c.name = "blade"; }), {"rolling constraint 'blade'", "name"}) == "");
  CHECK(missing(message([](auto& c) { c.name = ""; }), {"rolling constraint ''", "name"}) == "");
}

}  // namespace model_nonholonomic_test
