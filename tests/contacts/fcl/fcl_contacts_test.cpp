// SPDX-License-Identifier: BSD-3-Clause
#include "actio/contacts/fcl.hpp"

#include "actio/contacts/bodies.hpp"
#include "actio/model/builder.hpp"
#include "support/box_shapes.hpp"
#include "support/convex_pairs.hpp"
#include "support/refusal.hpp"

namespace fcl_contacts_test {

using namespace actio;
using namespace actio::detail;
using Eigen::Vector3d;
using test::corners_of, test::mesh_of;
static_assert(ContactSource<FclContacts, double> && !ContactSource<FclContacts, float>);

const ContactMaterial<double> soft{Compliance<double>{1e5, 100}, 0.5};
const Pose<double> here = Pose<double>::identity();

/// Poses of the world and of these bodies.
BodyArray<Pose<double>> all_of(std::initializer_list<Pose<double>> bodies) {
  BodyArray<Pose<double>> poses(static_cast<BodyIndex>(bodies.size()) + 1, here);
  BodyIndex body = 0;
  for (const Pose<double>& pose : bodies) poses[++body] = pose;
  return poses;
}
template <class Source>
ContactList<double> points_of(Source& source, const BodyArray<Pose<double>>& poses, double margin) {
  ContactList<double> found(500);
  source.find(poses, margin, found);
  REQUIRE((!found.overflowed() && !found.failed()));
  return found;
}
ContactPoint<double> deepest(const ContactList<double>& found) {
  return *std::min_element(found.points().begin(), found.points().end(), [](const auto& x, const auto& y) { return x.gap < y.gap; });
}
bool same(const ContactList<double>& x, const ContactList<double>& y) {
  return std::equal(x.points().begin(), x.points().end(), y.points().begin(), y.points().end(), [](const auto& p, const auto& q) {
    return p.id == q.id && p.a == q.a && p.b == q.b && p.p == q.p && p.normal == q.normal && p.gap == q.gap;
  });
}
/// Bodies 1 and 2 at random, moved along the normal of the closed form until they have the given gap.
template <class A, class B>
BodyArray<Pose<double>> placed(const A& a, const B& b, double gap, test::Random& random) {
  BodyContacts<double> closed(soft);
  closed.add(1, here, a).add(2, here, b);
  BodyArray<Pose<double>> poses = all_of({test::random_pose(random, 0.7), test::random_pose(random, 0.7)});
  for (int k = 0; k < 3; ++k) {
    const ContactPoint<double> point = deepest(points_of(closed, poses, 100));
    poses[2].p += (gap - point.gap) * point.normal;
  }
  return poses;
}

/// Compares normals and gaps with the closed forms; `as_a` and `as_b` convert the shapes to those that FCL is given.
/// @param tolerance of gaps [m] at shallow overlap: directions are exact for polytopes and accurate to about 1e-6 for round shapes.
template <class A, class B, class AsA, class AsB>
void check_pair(std::uint64_t seed, AsA as_a, AsB as_b, double tolerance, int most_off = 5) {
  test::Random random(seed);
  int touching = 0, off = 0;
  for (int k = 0; k < 150; ++k) {
    const A a = test::random_shape<A>(random);
    const B b = test::random_shape<B>(random);
    const double gap = std::array{0.05, 1e-3, 1e-5, 0., -1e-5, -1e-3, -0.01}[static_cast<std::size_t>(k) % 7];
    const BodyArray<Pose<double>> poses = placed(a, b, gap, random);
    BodyContacts<double> closed(soft);
    FclContacts source(soft);
    closed.add(1, here, a).add(2, here, b);
    source.add(1, here, as_a(a)).add(2, here, as_b(b));
    const ContactList<double> theirs = points_of(closed, poses, 0.1), ours = points_of(source, poses, 0.1);
    CAPTURE(seed, k, gap);
    REQUIRE((!theirs.points().empty() && !ours.points().empty()));
    const ContactPoint<double> one = deepest(ours), other = deepest(theirs);
    CHECK((one.a == 1 && one.b == 2 && std::abs(one.normal.norm() - 1) < 1e-12));
    // Closed forms treat an edge within a degree of a face as parallel, an error of 2 % of the gap: there ours is better or as good.
    const double slack = tolerance + 0.02 * std::abs(other.gap);
    CHECK(std::abs(one.gap - other.gap) < slack);
    touching += 1;
    off += std::abs(one.gap - other.gap) > tolerance || one.normal.dot(other.normal) < 1 - 1e-6;
  }
  CHECK(touching == 150);
  CHECK(off <= most_off);  // two directions have nearly the same gap
}

const auto itself = [](const auto& shape) { return shape; };
const auto hull = [](const Box<double>& box) { return corners_of(box); };
using Ball = Sphere<double>;
using Rod = Capsule<double>;
using Brick = Box<double>;

TEST_CASE("fcl contacts: gaps and normals of the closed forms, at random poses", "[io][fcl][fast]") {
  check_pair<Ball, Ball>(1, itself, itself, 1e-9);
  check_pair<Ball, Brick>(2, itself, itself, 1e-6);
  check_pair<Ball, Rod>(3, itself, itself, 1e-6);
  check_pair<Rod, Rod>(4, itself, itself, 1e-6);
  check_pair<Rod, Brick>(5, itself, itself, 3e-6);
  check_pair<Brick, Brick>(6, itself, itself, 3e-6);
}

TEST_CASE("fcl contacts: a convex hull of a box's corners has the gaps and normals of the box", "[io][fcl][fast]") {
  check_pair<Ball, Brick>(7, itself, hull, 3e-6);
  check_pair<Rod, Brick>(8, itself, hull, 3e-6);
  check_pair<Brick, Brick>(9, hull, itself, 3e-6);
  check_pair<Brick, Brick>(10, hull, hull, 3e-6);
}

TEST_CASE("fcl contacts: a mesh of a box's sides has the gaps and normals of the box, except where edges overlap", "[io][fcl][fast]") {
  const auto mesh = [](const Box<double>& box) { return mesh_of(box); };
  check_pair<Ball, Brick>(11, itself, mesh, 1e-5);
  // edges overlap with edges: each triangle by itself may be separated in another direction
  check_pair<Brick, Brick>(12, mesh, itself, 2e-3, 10);
}

TEST_CASE("fcl contacts: points lie halfway between both surfaces, at any pose of a cylinder", "[io][fcl][fast]") {
  test::Random random(13);
  const auto distance = [](const Cylinder<double>& can, const Vector3d& x) {
    const double out = x.head<2>().norm() - can.radius, over = std::abs(x[2]) - can.length / 2;
    return std::hypot(std::max(0., out), std::max(0., over)) + std::min(0., std::max(out, over));
  };
  std::set<std::size_t> counts;
  for (int k = 0; k < 400; ++k) {
    const Cylinder<double> can{random(0.1, 0.5), random(0.1, 2)};
    const Box<double> box = test::random_shape<Brick>(random);
    BodyArray<Pose<double>> poses = all_of({test::random_pose(random, 0.7), test::random_pose(random, 0.7)});
    if (k % 4 == 1) poses[2] = poses[1] * Pose<double>::translation(0.1, 0, (can.length + box.size[2]) / 2 + 1e-3);
    if (k % 4 == 2) poses[2] = poses[1] * Pose<double>::translation(can.radius + box.size[0] / 2 - 1e-3, 0, 0);
    FclContacts source(soft);
    source.add(1, here, can).add(2, here, box);
    const ContactList<double> found = points_of(source, poses, 0.5);
    counts.insert(found.points().size());
    if (found.points().empty() || deepest(found).gap < -0.05) continue;
    const double least = deepest(found).gap;
    for (const ContactPoint<double>& point : found.points()) {
      CAPTURE(k, point.gap, least, point.id & 127);
      const Vector3d on_can = poses[1].inverse() * Vector3d(point.p - point.gap / 2 * point.normal);
      const Vector3d on_box = poses[2].inverse() * Vector3d(point.p + point.gap / 2 * point.normal);
      // Discs are octagons: between the corners the rim is up to 8 % of the radius farther out.
      CHECK((std::abs(distance(can, on_can)) < 0.08 * can.radius && std::abs(test::distance_from(box, on_box)) < 0.02));
      CHECK((point.id >> 56 == 0 && point.gap <= 0.5));
    }
  }
  CHECK((counts.contains(1) && counts.contains(2) && counts.contains(4)));
}

TEST_CASE("fcl contacts: normals point from the body of lower index to that of higher index, in any order of addition", "[io][fcl][fast]") {
  test::Random random(14);
  const auto check = [&](const auto& x, const auto& y) {
    BodyArray<Pose<double>> poses = all_of({here, test::random_pose(random, 0.1)});
    poses[2].p[2] += 0.7;
    FclContacts ordered(soft), turned(soft), renamed(soft);
    ordered.add(1, here, x).add(2, here, y);
    turned.add(2, here, y).add(1, here, x);
    renamed.add(2, here, x).add(1, here, y);
    const ContactList<double> one = points_of(ordered, poses, 0.5), other = points_of(turned, poses, 0.5);
    const ContactList<double> swapped = points_of(renamed, all_of({poses[2], poses[1]}), 0.5);
    REQUIRE((!one.points().empty() && one.points().size() == other.points().size() && one.points().size() == swapped.points().size()));
    for (std::size_t k = 0; k < one.points().size(); ++k) {
      CHECK((one.points()[k].p == other.points()[k].p && one.points()[k].normal == other.points()[k].normal));
      CHECK((one.points()[k].a == 1 && one.points()[k].b == 2 && one.points()[k].normal[2] > 0));
    }
    CHECK(std::abs(deepest(one).gap - deepest(swapped).gap) < 1e-6);
    CHECK((deepest(one).normal + deepest(swapped).normal).norm() < 1e-3);
  };
  const Cylinder<double> can{0.3, 0.5};
  const Box<double> box{{0.4, 0.5, 0.6}};
  for (int k = 0; k < 20; ++k) {
    check(can, box);
    check(can, can);
    check(corners_of(box), can);
    check(mesh_of(box), box);
  }
}

/// Many shapes on many bodies.
FclContacts heap(test::Random& random, BodyIndex bodies) {
  FclContacts source(soft);
  for (BodyIndex i = 0; i < bodies; ++i) {
    const Box<double> box = test::random_shape<Brick>(random);
    if (i == 0) source.add(i, here, mesh_of(box));
    else if (i % 3 == 0) source.add(i, here, corners_of(box));
    else if (i % 3 == 1) source.add(i, here, Cylinder<double>{random(0.1, 0.5), random(0.1, 1)});
    else source.add(i, here, Rod{random(0.1, 0.3), random(0.1, 1)});
  }
  return source;
}

TEST_CASE("fcl contacts: the same poses give the same points, ids ascend, and copies are independent", "[io][fcl][fast]") {
  test::Random random(15);
  FclContacts source = heap(random, 12), copy = source;
  const auto poses = [&] {
    BodyArray<Pose<double>> all(12, here);
    for (BodyIndex i = 1; i < 12; ++i) all[i] = test::random_pose(random, 0.8);
    return all;
  };
  const BodyArray<Pose<double>> first = poses(), second = poses();
  const ContactList<double> found = points_of(source, first, 0.1);
  CHECK(found.points().size() > 20);
  for (std::size_t k = 0; k + 1 < found.points().size(); ++k) CHECK(found.points()[k].id <= found.points()[k + 1].id);
  std::set<std::uint64_t> ids;
  for (const ContactPoint<double>& point : found.points()) CHECK((point.id >> 56 == 0 && ids.insert(point.id).second));
  points_of(source, second, 0.2);
  CHECK(same(found, points_of(source, first, 0.1)));
  CHECK(same(found, points_of(copy, first, 0.1)));
  copy.add(1, here, Ball{5}).exclude(0, 1);
  CHECK(same(found, points_of(source, first, 0.1)));
  CHECK(!same(found, points_of(copy, first, 0.1)));
  ContactList<double> few(3);
  source.find(first, 0.1, few);
  CHECK(few.overflowed());
}

TEST_CASE("fcl contacts: ids stay the same while the same corners touch", "[io][fcl][fast]") {
  FclContacts source(soft);
  source.add(0, here, mesh_of({{2, 2, 1}})).add(1, here, Box<double>{{0.5, 0.4, 0.2}}).add(2, here, Cylinder<double>{0.2, 0.2});
  const auto ids = [&](double x) {
    std::vector<std::uint64_t> all;
    const Matrix3<double> turned = so3::exp<double>(Vector3d(0, 0, 0.3));
    const ContactList<double> found = points_of(source, all_of({{turned, {x + 0.1, 0.5, 0.599}}, {turned, {x - 0.4, -0.4, 0.599}}}), 0.05);
    for (const ContactPoint<double>& point : found.points()) all.push_back(point.id);
    return all;
  };
  CHECK(ids(0).size() == 12);
  for (const double x : {1e-6, 1e-4, 1e-3}) CHECK(ids(x) == ids(0));
}

TEST_CASE("fcl contacts: flat, thin, tiny, distant and non-finite shapes give finite contacts", "[io][fcl][fast]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  FclContacts source(soft);
  source.add(0, here, ConvexPoints<double>{{{0, 0, 0}}}).add(1, here, ConvexPoints<double>{{{0, 0, 0}, {1, 0, 0}}});
  source.add(2, here, ConvexPoints<double>{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}}})
      .add(3, here, Box<double>{{1, 1, 0}})
      .add(4, here, Ball{0});
  source.add(5, here, Cylinder<double>{0, 0}).add(6, here, TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {1, 1, 2}}});
  source.add(7, here, Cylinder<double>{1e-3, 10}).add(8, here, ConvexPoints<double>{std::vector<Vector3d>(20, Vector3d(0.1, 0, 0))});
  test::Random random(16);
  for (int k = 0; k < 60; ++k) {
    BodyArray<Pose<double>> poses(9, here);
    for (BodyIndex i = 1; i < 9 && k > 0; ++i) poses[i] = test::random_pose(random, k % 3 == 1 ? 1e-9 : k % 3 == 2 ? 0.5 : 1e6);
    if (k > 50) poses[3].p[1] = none, poses[6].R(0, 0) = none;
    ContactList<double> found(2000);
    source.find(poses, 0.1, found);
    CHECK(!found.overflowed());
    for (const ContactPoint<double>& point : found.points()) {
      CHECK((is_finite(point.gap) && is_finite(point.p.sum()) && std::abs(point.normal.norm() - 1) < 1e-9));
    }
  }
}

TEST_CASE("fcl contacts: a flat hull rests on a box with all its corners", "[io][fcl][fast]") {
  FclContacts source(soft);
  source.add(0, here, Box<double>{{4, 4, 1}}).add(1, here, ConvexPoints<double>{{{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0, 0, 0}}});
  for (const double z : {0.52, 0.5, 0.499}) {
    const ContactList<double> found = points_of(source, all_of({Pose<double>::translation(0, 0, z)}), 0.1);
    CHECK(found.points().size() == 3);
    for (const ContactPoint<double>& point : found.points()) {
      CHECK((std::abs(point.gap - (z - 0.5)) < 1e-9 && (point.normal - Vector3d::UnitZ()).norm() < 1e-9));
    }
  }
}

TEST_CASE("fcl contacts: a ball on a flat mesh has one contact as on a plane, and none from below", "[io][fcl][fast]") {
  TriangleMesh floor;
  for (int y = 0; y <= 4; ++y) {
    for (int x = 0; x <= 4; ++x) floor.vertices.emplace_back(x, y, 0);
  }
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 4; ++x) {
      const int k = 5 * y + x;
      floor.triangles.push_back({k, k + 1, k + 6});
      floor.triangles.push_back({k, k + 6, k + 5});
    }
  }
  FclContacts source(soft);
  source.add(0, here, floor).add(1, here, Ball{0.3});
  test::Random random(17);
  for (int k = 0; k < 200; ++k) {
    // also on edges and corners
    const double gap = random(-0.02, 0.05), x = k % 2 ? 2 : random(0.5, 3.5), y = k % 4 > 1 ? 1 : random(0.5, 3.5);
    const ContactList<double> found = points_of(source, all_of({Pose<double>::translation(x, y, 0.3 + gap)}), 0.1);
    CAPTURE(k, x, y, gap);
    REQUIRE(found.points().size() == 1);
    CHECK((std::abs(found.points()[0].gap - gap) < 1e-6 && (found.points()[0].normal - Vector3d::UnitZ()).norm() < 1e-4));
    CHECK(points_of(source, all_of({Pose<double>::translation(x, y, -0.3 - gap)}), 0.1).points().empty());
  }
}

TEST_CASE("fcl contacts: shapes of a model are added, and neighbours do not collide", "[io][fcl][fast]") {
  ModelBuilder<double> builder("arm");
  for (const char* name : {"post", "arm", "can"}) builder.add_body(name, Inertia<double>::sphere(1, 0.1));
  builder.add_joint("turn", "world", "post", here, Revolute<double>(Vector3d::UnitZ()));
  builder.add_joint("bend", "post", "arm", here, Revolute<double>(Vector3d::UnitX()));
  builder.add_joint("free", "world", "can", here, Free<double>());
  for (const char* name : {"world", "post", "arm", "can"}) builder.add_shape({.geometry = Cylinder<double>{0.1, 0.2}}, name);
  const Model<double> model = builder.build();
  const auto touching = [&](Neighbours neighbours) {
    FclContacts source(soft);
    source.add_shapes_of(model, Meshes::refuse, neighbours);
    std::set<std::pair<BodyIndex, BodyIndex>> pairs;
    const ContactList<double> found = points_of(source, BodyArray<Pose<double>>(4, here), 0);
    for (const auto& point : found.points()) pairs.emplace(point.a, point.b);
    return pairs.size();
  };
  CHECK((touching(Neighbours::touch) == 6 && touching(Neighbours::pass_through) == 4));
}

TEST_CASE("fcl contacts: unsupported shapes and invalid pairs are refused", "[io][fcl][fast]") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const auto& geometry, BodyIndex body = 3) {
    return test::refusal<OptionsError>([&] { return FclContacts(soft).add(body, here, geometry); });
  };
  CHECK(test::missing(refused(Cylinder<double>{-1, 1}), {"body 3", "expected a finite number >= 0"}).empty());
  CHECK(test::missing(refused(Box<double>{{1, none, 1}}), {"body 3", "expected a finite number >= 0"}).empty());
  CHECK(test::missing(refused(Ball{1}, -1), {"body -1"}).empty());
  CHECK(test::missing(refused(ConvexPoints<double>{}), {"body 3", "no points"}).empty());
  CHECK(test::missing(refused(ConvexPoints<double>{{{0, none, 0}}}), {"body 3", "finite"}).empty());
  CHECK(test::missing(refused(TriangleMesh{}), {"body 3", "area"}).empty());
  CHECK(test::missing(refused(TriangleMesh{{{0, 0, 0}, {1, 1, 1}}, {{0, 1, 0}}}), {"body 3", "area"}).empty());
  CHECK(test::missing(refused(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, none}}, {{0, 1, 2}}}), {"body 3", "finite"}).empty());
  CHECK(test::missing(refused(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 3}}}), {"body 3", "vertex 3", "with 3 vertices"})
            .empty());
  CHECK(!test::refusal<OptionsError>([] { return FclContacts({Compliance<double>{-1, 0}, 0.5}); }).empty());
  CHECK(!test::refusal<OptionsError>([&] { return FclContacts(soft).add(1, Pose<double>::translation(0, none, 0), Ball{1}); }).empty());
  const TriangleMesh mesh = mesh_of({{1, 1, 1}});
  CHECK(test::missing(test::refusal<OptionsError>([&] { return FclContacts(soft).add(1, here, mesh).add(2, here, mesh); }),
                      {"body 2", "body 1", "meshes", "exclude"}).empty());
  FclContacts(soft).exclude(1, 2).add(1, here, mesh).add(1, here, mesh).add(2, here, mesh);
  ModelBuilder<double> builder("two");
  builder.add_body("can", Inertia<double>::sphere(1, 0.1)).base(Base::floating);
  builder.add_shape({.geometry = MeshFile{"can.stl"}}, "can").add_shape({.geometry = Box<double>{{1, 1, 1}}}, "world");
  const Model<double> model = builder.build();
  CHECK(test::missing(test::refusal<ModelError>([&] { return FclContacts(soft).add_shapes_of(model); }), {"can", "mesh"}).empty());
  CHECK(test::missing(test::refusal<ModelError>([&] { return FclContacts(soft).add_shapes_of(model, Meshes::leave_out); }),
                      {"two", "fewer than two"})
            .empty());
}

}  // namespace fcl_contacts_test
