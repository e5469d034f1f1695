// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/bodies.hpp"

#include "actio/model/builder.hpp"
#include "support/allocation_guard.hpp"
#include "support/convex_pairs.hpp"
#include "support/refusal.hpp"

namespace body_contacts_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
static_assert(ContactSource<BodyContacts<double>, double> && ContactSource<BodyContacts<float>, float>);

const ContactMaterial<double> soft{Compliance<double>{1e5, 100}, 0.5};

bool same(const ContactList<double>& x, const ContactList<double>& y) {
  return std::equal(x.points().begin(), x.points().end(), y.points().begin(), y.points().end(), [](const auto& p, const auto& q) {
    return p.id == q.id && p.a == q.a && p.b == q.b && p.p == q.p && p.normal == q.normal && p.gap == q.gap;
  });
}
ContactList<double> points_of(BodyContacts<double>& source, const BodyArray<Pose<double>>& poses, double margin) {
  ContactList<double> found(20000);
  source.find(poses, margin, found);
  REQUIRE(!found.overflowed());
  return found;
}

/// Shapes of all kinds and sizes, several of them on one body, some on the world.
struct Scene {
  struct Part {
    BodyIndex body;
    Pose<double> T_BS;
    std::variant<Sphere<double>, Capsule<double>, Box<double>> solid;
  };
  std::vector<Part> parts;
  BodyIndex bodies;
  BodyContacts<double> source{soft};

  explicit Scene(test::Random& random) : bodies(2 + static_cast<BodyIndex>(random(0, 30))) {
    for (int k = 0; k < 60; ++k) {
      Part part{static_cast<BodyIndex>(random(0, double(bodies) - 1e-9)), test::random_pose(random, 0.5),
                Sphere<double>{random(0.02, 0.5)}};
      if (k % 3 == 1) part.solid = Capsule<double>{random(0.02, 0.3), random(0, 1)};
      if (k % 3 == 2) part.solid = Box<double>{Vector3d{random(0.02, 1), random(0.02, 1), random(0.02, 1)}};
      std::visit([&](const auto& solid) { source.add(part.body, part.T_BS, solid); }, part.solid);
      parts.push_back(part);
    }
  }
  BodyArray<Pose<double>> poses(test::Random& random) const {
    BodyArray<Pose<double>> all(bodies, Pose<double>::identity());
    for (BodyIndex i = 1; i < bodies; ++i) all[i] = test::random_pose(random, 2);
    return all;
  }
  /// All pairs: (first body, second body, least gap).
  std::vector<std::tuple<BodyIndex, BodyIndex, double>> brute_force(const BodyArray<Pose<double>>& T_WB, double margin) const {
    std::vector<std::tuple<BodyIndex, BodyIndex, double>> touching;
    for (std::size_t a = 0; a < parts.size(); ++a) {
      for (std::size_t b = a + 1; b < parts.size(); ++b) {
        if (parts[a].body == parts[b].body) continue;
        PairPoints<double> points;
        std::visit([&](const auto& x, const auto& y) {
          const Pose<double> T_a = T_WB[parts[a].body] * parts[a].T_BS, T_b = T_WB[parts[b].body] * parts[b].T_BS;
          if constexpr (requires { find_points(x, T_a, y, T_b, margin, points); }) find_points(x, T_a, y, T_b, margin, points);
          else find_points(y, T_b, x, T_a, margin, points);
        }, parts[a].solid, parts[b].solid);
        const auto [low, high] = std::minmax(parts[a].body, parts[b].body);
        for (const auto& point : points.points()) touching.emplace_back(low, high, point.gap);
      }
    }
    std::sort(touching.begin(), touching.end());
    return touching;
  }
};

TEST_CASE("body contacts: the points are those of all pairs, in ascending order, independent of earlier calls", "[contacts][fast]") {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    test::Random random(seed);
    Scene scene(random);
    BodyContacts<double> fresh = scene.source;
    for (const double margin : {0., 0.02, 0.3}) {
      CAPTURE(seed, margin);
      const BodyArray<Pose<double>> poses = scene.poses(random);
      const ContactList<double> found = points_of(scene.source, poses, margin);
      const auto points = found.points();
      for (std::size_t k = 0; k + 1 < points.size(); ++k) CHECK(points[k].id < points[k + 1].id);
      std::vector<std::tuple<BodyIndex, BodyIndex, double>> touching;
      for (const ContactPoint<double>& point : points) {
        CHECK((point.b > 0 && point.a != point.b && point.id >> 56 == 0 && point.material->friction == 0.5));
        touching.emplace_back(std::min(point.a, point.b), std::max(point.a, point.b), point.gap);
      }
      std::sort(touching.begin(), touching.end());
      const auto expected = scene.brute_force(poses, margin);
      REQUIRE(touching.size() == expected.size());
      for (std::size_t k = 0; k < touching.size(); ++k) {
        CHECK((std::get<0>(touching[k]) == std::get<0>(expected[k]) && std::get<1>(touching[k]) == std::get<1>(expected[k])));
        CHECK(std::abs(std::get<2>(touching[k]) - std::get<2>(expected[k])) < 1e-7);
      }
      // Bitwise the same after other poses, and in a copy that was not used before.
      points_of(scene.source, scene.poses(random), 0.1);
      CHECK(same(found, points_of(scene.source, poses, margin)));
      BodyContacts<double> copy = fresh;
      CHECK(same(found, points_of(copy, poses, margin)));
      most = std::max(most, points.size());
    }
  }
  CHECK(most > 100);
}

TEST_CASE("body contacts: normals point from a to b, and the world is always a", "[contacts][fast]") {
  BodyContacts<double> source(soft);
  source.add(1, Pose<double>::identity(), Box<double>{{1, 1, 1}}).add(0, Pose<double>::identity(), Box<double>{{9, 9, 1}});
  source.add(2, Pose<double>::identity(), Sphere<double>{0.5}).add(3, Pose<double>::identity(), Capsule<double>{0.5, 0});
  BodyArray<Pose<double>> poses(4, Pose<double>::identity());
  for (BodyIndex i = 1; i < 4; ++i) poses[i].p[2] = double(i) - 0.01 * double(i);
  const ContactList<double> found = points_of(source, poses, 0.1);
  std::size_t of_box = 0;
  for (const ContactPoint<double>& point : found.points()) {
    CHECK((point.b == point.a + 1 && (point.normal - Vector3d::UnitZ()).norm() < 1e-9 && std::abs(point.gap + 0.01) < 1e-9));
    CHECK(std::abs(point.p[2] - (0.5 + 0.99 * double(point.a) - 0.005)) < 1e-9);
    of_box += point.b == 1;
  }
  CHECK((of_box == 4 && found.points().size() == 6));
}

TEST_CASE("body contacts: finding contacts allocates nothing, and points beyond the capacity are reported", "[contacts][fast]") {
  test::Random random(1);
  Scene scene(random);
  const BodyArray<Pose<double>> poses = scene.poses(random), others = scene.poses(random);
  ContactList<double> found(1000), few(3);
  const test::AllocationCounter allocations;
  scene.source.find(poses, 0.1, found);
  scene.source.find(others, 0.2, found);
  scene.source.find(others, 0.2, few);
  CHECK(allocations.count() == 0);
  CHECK((few.overflowed() && !found.overflowed()));
}

/// The world with a shape, a rotating post, an arm on the post and a free ball, all at the same place.
Model<double> arm() {
  ModelBuilder<double> builder("arm");
  for (const char* name : {"post", "arm", "ball"}) builder.add_body(name, Inertia<double>::sphere(1, 0.1));
  builder.add_joint("turn", "world", "post", Pose<double>::identity(), Revolute<double>(Vector3d::UnitZ()));
  builder.add_joint("bend", "post", "arm", Pose<double>::identity(), Revolute<double>(Vector3d::UnitX()));
  builder.add_joint("free", "world", "ball", Pose<double>::identity(), Free<double>());
  for (const char* name : {"world", "post", "arm", "ball"}) builder.add_shape({.geometry = Sphere<double>{0.1}}, name);
  return builder.build();
}

TEST_CASE("body contacts: neighbours and excluded pairs do not collide", "[contacts][fast]") {
  const Model<double> model = arm();
  const BodyIndex post = model.find_body("post"), link = model.find_body("arm"), ball = model.find_body("ball");
  const auto touching = [&](BodyContacts<double> source) {
    std::set<std::pair<BodyIndex, BodyIndex>> pairs;
    const ContactList<double> found = points_of(source, BodyArray<Pose<double>>(4, Pose<double>::identity()), 0);
    for (const auto& point : found.points()) pairs.insert(std::minmax(point.a, point.b));
    return pairs;
  };
  const auto pair = [](BodyIndex a, BodyIndex b) { return std::pair<BodyIndex, BodyIndex>(std::minmax(a, b)); };
  BodyContacts<double> source(soft), all(soft);
  source.add_shapes_of(model);
  CHECK(touching(source) == std::set{pair(0, link), pair(0, ball), pair(post, ball), pair(link, ball)});
  all.add_shapes_of(model, Meshes::refuse, Neighbours::touch);
  CHECK(touching(all).size() == 6);
  source.exclude(ball, link).exclude(0, ball).exclude(link, ball);
  CHECK(touching(source) == std::set{pair(0, link), pair(post, ball)});
}

TEST_CASE("body contacts: bodies of a loop pass through each other, and so do shapes whose filters say so", "[contacts][fast]") {
  const auto touching = [](LoopType type, const ContactFilter& filter) {
    ModelBuilder<double> builder("pair");
    for (const char* name : {"a", "b"}) {
      builder.add_body(name, Inertia<double>::sphere(1, 1));
      builder.add_joint(std::string("j") + name, "world", name, Pose<double>::identity(), Free<double>());
      builder.add_shape({name, 0, Pose<double>::identity(), Sphere<double>{1}, *name == 'a' ? ContactFilter{2, 2} : filter}, name);
    }
    builder.add_loop({.name = "loop", .type = type, .length = 1, .active = false}, "a", "b");
    BodyContacts<double> contacts(soft);
    contacts.add_shapes_of(builder.build());
    return !points_of(contacts, BodyArray<Pose<double>>(3, Pose<double>::identity()), 0).points().empty();
  };
  CHECK((touching(LoopType::distance, {}) && !touching(LoopType::ball, {})));
  CHECK((touching(LoopType::distance, {1, 2}) && touching(LoopType::distance, {2, 1}) && !touching(LoopType::distance, {1, 4})));
}

TEST_CASE("body contacts: unsupported shapes and invalid pairs are refused", "[contacts][fast]") {
  const auto with = [](const Geometry<double>& geometry) {
    ModelBuilder<double> builder("two");
    builder.add_body("can", Inertia<double>::sphere(1, 0.1)).base(Base::floating);
    builder.add_shape({.geometry = geometry}, "can").add_shape({.geometry = Box<double>{{1, 1, 1}}}, "world");
    return builder.build();
  };
  const auto refused = [&](const Geometry<double>& geometry) {
    return test::refusal<ModelError>([&] { return BodyContacts<double>(soft).add_shapes_of(with(geometry)); });
  };
  CHECK(test::missing(refused(Cylinder<double>{1, 1}), {"can", "cylinder"}).empty());
  CHECK(test::missing(refused(MeshFile{"can.stl"}), {"can", "mesh"}).empty());
  CHECK(test::missing(
            test::refusal<ModelError>([&] { return BodyContacts<double>(soft).add_shapes_of(with(MeshFile{}), Meshes::leave_out); }),
            {"two", "fewer than two bodies"})
            .empty());
  CHECK(test::refusal<OptionsError>([] { return BodyContacts<double>({Compliance<double>{-1, 0}, 0.5}); }) ==
        "BodyContacts: the material's stiffness is -1, expected >= 0");
  const auto added = [](BodyIndex body, const Box<double>& box) {
    return test::refusal<OptionsError>([&] { return BodyContacts<double>(soft).add(body, Pose<double>::identity(), box); });
  };
  CHECK(added(1, {{1, -2, 1}}) == "BodyContacts: a shape of body 1: an edge is -2, expected a finite number >= 0");
  CHECK(added(-1, {{1, 1, 1}}) == "BodyContacts: the body of a shape is -1, expected >= 0");
}

}  // namespace body_contacts_test
