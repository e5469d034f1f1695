// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/plane.hpp"

#include <algorithm>
#include <cmath>

#include "actio/model/builder.hpp"
#include "support/allocation_guard.hpp"
#include "support/catch.hpp"
#include "support/cone_problems.hpp"
#include "support/convex_pairs.hpp"
#include "support/refusal.hpp"

namespace plane_test {

using namespace actio;
using Eigen::Vector3d;

const ContactMaterial<double> soft{Compliance<double>{1e5, 10}, 0.5};

/// The lowest point of a shape above a plane, from its support function.
double lowest(const Sphere<double>& s, const Pose<double>& T, const Vector3d& n) { return n.dot(T.p) - s.radius; }
double lowest(const Capsule<double>& c, const Pose<double>& T, const Vector3d& n) {
  return n.dot(T.p) - c.radius - c.length / 2 * std::abs(n.dot(T.R.col(2)));
}
double lowest(const Box<double>& b, const Pose<double>& T, const Vector3d& n) {
  return n.dot(T.p) - (T.R.transpose() * n).cwiseAbs().dot(b.size) / 2;
}
double lowest(const Cylinder<double>& c, const Pose<double>& T, const Vector3d& n) {
  const double along = n.dot(T.R.col(2));
  return n.dot(T.p) - c.length / 2 * std::abs(along) - c.radius * std::sqrt(std::max(0.0, 1 - along * along));
}

TEMPLATE_TEST_CASE("plane: the deepest point of a shape is found, at any attitude", "[contacts][fast]", Sphere<double>, Capsule<double>,
                   Box<double>, Cylinder<double>) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    test::Random random(seed);
    const Vector3d normal = random.matrix(3, 1);
    const double height = random(-1, 1);
    TestType shape;
    if constexpr (std::same_as<TestType, Sphere<double>>) shape = {random(0.1, 1)};
    else if constexpr (std::same_as<TestType, Box<double>>) shape = {Vector3d{random(0.1, 1), random(0.1, 1), random(0.1, 1)}};
    else shape = {random(0.1, 1), random(0.1, 1)};
    const Pose<double> T_BS = test::random_pose(random, 1), T_WB = test::random_pose(random, 2);
    PlaneContacts<double> plane(soft, normal, height);
    plane.add(1, T_BS, shape);
    const BodyArray<Pose<double>> poses = [&] { BodyArray<Pose<double>> all(2, Pose<double>::identity()); all[1] = T_WB; return all; }();
    ContactList<double> found(20);
    plane.find(poses, 100, found);
    REQUIRE(!found.points().empty());
    const Vector3d n = normal.normalized();
    const auto deepest =
        std::min_element(found.points().begin(), found.points().end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
    CAPTURE(seed);
    CHECK(std::abs(deepest->gap - (lowest(shape, T_WB * T_BS, n) - height)) < 1e-12);
    for (const ContactPoint<double>& point : found.points()) {
      CHECK((point.a == 0 && point.b == 1 && (point.normal - n).norm() < 1e-15));
      CHECK(std::abs(n.dot(point.p) - height - point.gap / 2) < 1e-12);  // halfway between shape and plane
    }
    ContactList<double> near(20);
    plane.find(poses, deepest->gap - 1e-6, near);
    CHECK(near.points().empty());
  }
}

TEST_CASE("plane: there are as many points as a shape rests on, with the same ids from step to step", "[contacts][fast]") {
  PlaneContacts<double> plane(soft);
  const Pose<double> centred = Pose<double>::identity();
  plane.add(1, centred, Box<double>{{1, 1, 1}}).add(2, centred, Cylinder<double>{0.5, 1}).add(3, centred, Capsule<double>{0.2, 1});
  plane.add(4, Pose<double>::identity(), ConvexPoints<double>{{{0, 0, -0.5}, {1, 0, -0.5}, {0, 1, -0.5}, {0, 0, 2}}});
  BodyArray<Pose<double>> poses(5, Pose<double>::translation(0, 0, 0.5));
  poses[3] = {so3::exp<double>({0, std::acos(-1.0) / 2, 0}), {0, 0, 0.2}};
  ContactList<double> found(30);
  const test::AllocationCounter allocations;
  plane.find(poses, 0.1, found);
  CHECK(allocations.count() == 0);
  const auto of = [&](BodyIndex body) {
    return std::count_if(found.points().begin(), found.points().end(), [&](const auto& p) { return p.b == body; });
  };
  CHECK((of(1) == 4 && of(2) == 4 && of(3) == 2 && of(4) == 3));
  std::vector<std::uint64_t> ids;
  for (const ContactPoint<double>& point : found.points()) ids.push_back(point.id);
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  poses[1].p[2] += 1e-3;
  ContactList<double> again(30);
  plane.find(poses, 0.1, again);
  for (std::size_t k = 0; k < ids.size(); ++k) CHECK(again.points()[k].id == ids[k]);
  ContactList<double> few(3);
  plane.find(poses, 0.1, few);
  CHECK((few.overflowed() && few.points().size() == 3));
}

/// The points of a cylinder of 0.5 m and 0.8 m that is tilted about an axis in its discs, its lowest point on the plane.
template <class S>
class Tilted {
 public:
  Tilted(double tilt, double azimuth) : T_(pose(tilt, azimuth)), found_(8) {
    PlaneContacts<S> plane(ContactMaterial<S>{});
    plane.add(1, Pose<S>::identity(), Cylinder<S>{S(0.5), S(0.8)});
    BodyArray<Pose<S>> poses(2, Pose<S>::identity());
    poses[1] = T_;
    plane.find(poses, S(10), found_);
  }
  std::size_t number() const { return found_.points().size(); }
  const ContactPoint<S>& operator[](std::size_t k) const { return found_.points()[k]; }
  /// Returns the point on the surface of the cylinder, in the cylinder.
  Vector3<S> in_body(std::size_t k) const {
    const ContactPoint<S>& point = (*this)[k];
    return T_.inverse() * Vector3<S>(point.p + point.gap / 2 * point.normal);
  }
  std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> all;
    for (const ContactPoint<S>& point : found_.points()) all.push_back(point.id);
    return all;
  }

 private:
  static Pose<S> pose(double tilt, double azimuth) {
    const auto R = so3::exp<double>(tilt * Vector3d(-std::sin(azimuth), std::cos(azimuth), 0));
    return {R.template cast<S>(), Vector3<S>(S(0), S(0), S(0.5 * std::sin(tilt) + 0.4 * std::cos(tilt)))};
  }
  Pose<S> T_;
  ContactList<S> found_;
};

TEMPLATE_TEST_CASE("plane: a cylinder that stands has fixed points, a tilted one its lowest point too, one that lies two points",
                   "[contacts][fast]", float, double) {
  using S = TestType;
  const S rounding = 20 * epsilon<S>;
  const std::vector<std::uint64_t> fixed = Tilted<S>(0, 0).ids();
  REQUIRE(fixed.size() == 8);
  for (int k = 0; k < 100; ++k) {
    const double azimuth = 0.05 + k * 0.0628;
    const Vector3<S> lowest(S(0.5 * std::cos(azimuth)), S(0.5 * std::sin(azimuth)), S(-0.4));
    CAPTURE(azimuth);
    for (const double tilt : {1e-9, 1e-5, 9e-4}) {
      const Tilted<S> stands(tilt, azimuth);
      REQUIRE(stands.ids() == fixed);
      for (int n = 0; n < 8; ++n) {  // x, y, -x, -y of the lower rim, then of the upper one
        const Vector3<S> expected = S(n % 4 < 2 ? 0.5 : -0.5) * Vector3<S>::Unit(n % 2) + S(n < 4 ? -0.4 : 0.4) * Vector3<S>::UnitZ();
        CHECK((stands.in_body(static_cast<std::size_t>(n)) - expected).norm() < rounding);
      }
    }
    for (const double tilt : {1.1e-3, 0.03, 0.5}) {
      const Tilted<S> tilted(tilt, azimuth);
      CAPTURE(tilt);
      REQUIRE(tilted.number() == 8);
      int same = 0, low = 0;
      for (std::size_t n = 0; n < 8; ++n) {
        const bool is_fixed = std::count(fixed.begin(), fixed.end(), tilted[n].id) > 0;
        same += is_fixed;
        if (is_fixed || n >= 4) continue;
        ++low;
        CHECK((tilted.in_body(n) - lowest).norm() < rounding / S(tilt));
        CHECK(std::abs(tilted[n].gap) < rounding / S(tilt));
      }
      CHECK((same == 6 && low == 1));
    }
    for (const double tilt : {0.6, 1.5707963267948966}) {
      const Tilted<S> lies(tilt, azimuth);
      REQUIRE(lies.number() == 2);
      CHECK((lies.in_body(0) - lowest).norm() < rounding);
      CHECK(lies.ids() == Tilted<S>(1.5, 0).ids());  // while it rolls
    }
  }
}

TEST_CASE("plane: the lowest point of a tilted cylinder has another id in each sector, opposite sides never the same", "[contacts][fast]") {
  const auto lowest = [](double azimuth) {
    const Tilted<double> tilted(0.01, azimuth);
    for (std::size_t n = 0; n < 4; ++n) {
      if (std::abs(tilted[n].gap) < 1e-12) return tilted[n].id;
    }
    return std::uint64_t(-1);
  };
  std::vector<std::uint64_t> all;
  for (int k = 0; k < 1000; ++k) all.push_back(lowest(k * 2e-3 * std::acos(-1.0)));
  int twice = 0;
  for (std::size_t k = 0; k < 1000; ++k) {
    for (std::size_t far = 33; far < 968; ++far) twice += all[k] == all[(k + far) % 1000];  // farther than a sector of 11.25 degrees
  }
  CHECK(twice == 0);
}

TEST_CASE("plane: shapes of a model are added, and invalid ones are refused", "[contacts][fast]") {
  ModelBuilder<double> builder("ball");
  builder.add_body("ball", Inertia<double>::sphere(1, 0.1));
  builder.add_joint("free", "world", "ball", Pose<double>::identity(), Free<double>());
  builder.add_shape({.name = "skin", .geometry = Sphere<double>{0.1}}, "ball");
  PlaneContacts<double> plane(soft);
  plane.add_shapes_of(builder.build());
  ContactList<double> found(4);
  plane.find(BodyArray<Pose<double>>(2, Pose<double>::identity()), 1, found);
  REQUIRE(found.points().size() == 1);
  CHECK(found.points()[0].gap == -0.1);
  builder.add_body("stand", Inertia<double>::sphere(1, 0.1)).add_joint("fixed", "world", "stand", Pose<double>::identity(), Fixed{});
  builder.add_shape(
      {.name = "ground", .T_BS = {so3::rotation<double>(Vector3d::UnitX(), 0.3), Vector3d(0, 0, -0.5)}, .geometry = HalfSpace{}}, "stand");
  const Model<double> grounded = builder.build();
  PlaneContacts<double> slope = PlaneContacts<double>::ground_of(grounded, soft);
  slope.add_shapes_of(grounded);
  ContactList<double> on_slope(4);
  slope.find(BodyArray<Pose<double>>(2, Pose<double>::identity()), 1, on_slope);
  REQUIRE(on_slope.points().size() == 1);
  CHECK(std::abs(on_slope.points()[0].gap - (0.5 * std::cos(0.3) - 0.1)) < 1e-15);  // the gap of the ball at the origin
  CHECK((on_slope.points()[0].normal - Vector3d(0, -std::sin(0.3), std::cos(0.3))).norm() < 1e-15);
  builder.add_shape({.name = "lid", .geometry = HalfSpace{}}, "ball");
  CHECK(test::missing(test::refusal<ModelError>([&] { return PlaneContacts<double>(soft).add_shapes_of(builder.build()); }),
                      {"ball", "half-space"})
            .empty());
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(test::refusal<OptionsError>([] { return PlaneContacts<double>(soft, Vector3d::Zero()); }) ==
        "PlaneContacts: the normal is 0 0 0, expected a finite vector other than 0 0 0");
  CHECK(test::refusal<OptionsError>([&] { return PlaneContacts<double>(soft, Vector3d::UnitZ(), none); }) ==
        "PlaneContacts: the height is nan, expected a finite number");
  CHECK(test::refusal<OptionsError>([] { return PlaneContacts<double>({Compliance<double>{1, 0}, -0.5}); }) ==
        "PlaneContacts: the material's friction is -0.5, expected a finite number >= 0");

  const auto message = [](BodyIndex body, const auto& shape) {
    return test::refusal<OptionsError>([&] { return PlaneContacts<double>(soft).add(body, Pose<double>::identity(), shape); });
  };
  const auto refused = [&](BodyIndex body, const auto& shape) { return !message(body, shape).empty(); };
  CHECK(message(0, Sphere<double>{1}) == "PlaneContacts: the body of a shape is 0, expected >= 1; the world is body 0");
  CHECK(message(1, Sphere<double>{-1}) == "PlaneContacts: a shape of body 1: the radius is -1, expected a finite number >= 0");
  for (const BodyIndex body : {-1, 0}) {
    CHECK(refused(body, Sphere<double>{1}));
    CHECK(refused(body, Capsule<double>{1, 1}));
    CHECK(refused(body, Box<double>{{1, 1, 1}}));
    CHECK(refused(body, Cylinder<double>{1, 1}));
    CHECK(refused(body, ConvexPoints<double>{{Vector3d::Zero()}}));
  }
  CHECK(refused(1, Sphere<double>{-1}));
  CHECK(refused(1, Capsule<double>{1, none}));
  CHECK(refused(1, Box<double>{{1, 1, -1}}));
  CHECK(refused(1, Cylinder<double>{none, 1}));
  CHECK(refused(1, ConvexPoints<double>{{Vector3d::Zero(), Vector3d(0, none, 0)}}));
}

}  // namespace plane_test
