// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/glb.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "actio/model/samples/random.hpp"
#include "actio/model/samples/robots.hpp"
#include "support/catch.hpp"

using namespace actio;
using V3 = Vector3<double>;

namespace glb_test {

/// A film whose bodies move and rotate at random and sometimes stop.
Film tumbling(const Model<double>& model, std::size_t frames, double rate = 60) {
  models::Random random(7);
  Motion motion;
  VectorX<double> q = models::random_configuration(model, random);
  const VectorX<double> v = models::random_velocity(model, random);
  KinematicsData<double> data(model);
  for (std::size_t k = 0; k < frames; ++k) {
    q = model.integrate(q, v * (3 / rate));
    forward_kinematics(model, data, q, v);
    motion.times.push_back(static_cast<double>(k) / rate);
    motion.poses.push_back(data.T_WB);
  }
  return film_of(model, std::move(motion));
}

/// Content of the bytes as a reader sees it; the layout of the file is checked on the way.
struct Read {
  nlohmann::json json;
  std::string numbers;

  explicit Read(const std::string& bytes) {
    REQUIRE(bytes.size() > 28);
    CHECK(bytes.substr(0, 4) == "glTF");
    CHECK(word(bytes, 4) == 2);
    CHECK(word(bytes, 8) == bytes.size());
    const std::size_t length = word(bytes, 12);
    CHECK(bytes.substr(16, 4) == "JSON");
    CHECK(length % 4 == 0);
    json = nlohmann::json::parse(bytes.substr(20, length));
    if (bytes.size() == 20 + length) return;  // no binary chunk
    CHECK(word(bytes, 20 + length) == bytes.size() - 28 - length);
    CHECK(bytes.substr(24 + length, 4) == std::string("BIN\0", 4));
    numbers = bytes.substr(28 + length);
    CHECK(json["buffers"][0]["byteLength"] == numbers.size());
  }

  static std::size_t word(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  }

  std::vector<float> floats(std::size_t accessor) const {
    const auto& a = json["accessors"][accessor];
    const auto& view = json["bufferViews"][a["bufferView"].get<std::size_t>()];
    REQUIRE(a["componentType"] == 5126);
    std::vector<float> all(view["byteLength"].get<std::size_t>() / sizeof(float));
    REQUIRE(view["byteOffset"].get<std::size_t>() % 4 == 0);
    REQUIRE(view["byteOffset"].get<std::size_t>() + all.size() * sizeof(float) <= numbers.size());
    std::memcpy(all.data(), numbers.data() + view["byteOffset"].get<std::size_t>(), all.size() * sizeof(float));
    return all;
  }

  /// Pose of a node at a frame in its parent: from its channels, or else its own.
  Pose<double> pose(std::size_t node, std::size_t frame) const {
    const auto& n = json["nodes"][node];
    auto p = n["translation"].get<std::vector<double>>(), q = n["rotation"].get<std::vector<double>>();
    for (const auto& channel : json["animations"][0]["channels"]) {
      if (channel["target"]["node"] != node) continue;
      auto& into = channel["target"]["path"] == "rotation" ? q : p;
      const auto way = floats(json["animations"][0]["samplers"][channel["sampler"].get<std::size_t>()]["output"]);
      for (std::size_t k = 0; k < into.size(); ++k) into[k] = static_cast<double>(way[frame * into.size() + k]);
    }
    return Pose<double>::from(Quaternion<double>(q[3], q[0], q[1], q[2]), {p[0], p[1], p[2]});
  }
};

TEST_CASE("to_glb: a reader finds every body at its pose at every frame, with z up converted to y up", "[io][film]") {
  const Model<double> model = models::humanoid<double>();
  const Film film = tumbling(model, 30);
  const Read read(to_glb(film));
  CHECK(read.json["asset"]["version"] == "2.0");
  const auto root = read.json["scenes"][0]["nodes"][0].get<std::size_t>();
  const auto turn = read.json["nodes"][root]["rotation"].get<std::vector<double>>();
  CHECK((Quaternion<double>(turn[3], turn[0], turn[1], turn[2]) * V3::UnitZ() - V3::UnitY()).norm() < 1e-12);
  const auto bodies = read.json["nodes"][root]["children"].get<std::vector<std::size_t>>();
  REQUIRE(bodies.size() == static_cast<std::size_t>(model.num_bodies()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(read.json["nodes"][bodies[i]]["name"] == model.body_name(static_cast<BodyIndex>(i)));
    for (const std::size_t frame : {0u, 7u, 29u}) {
      const Pose<double> T = read.pose(bodies[i], frame), exact = film.motion.poses[frame][static_cast<BodyIndex>(i)];
      CHECK((T.p - exact.p).norm() < 1e-6 * (1 + exact.p.norm()));
      CHECK((T.R - exact.R).norm() < 1e-6);
    }
  }
}

TEST_CASE("to_glb: rotations take the short way, and times begin at 0 and ascend", "[io][film]") {
  const Model<double> model = models::humanoid<double>();
  Film film = tumbling(model, 200);
  for (double& time : film.motion.times) time += 1e5;
  film.motion.times[20] = film.motion.times[19] + 1e-9;  // the same as a float
  const Read read(to_glb(film));
  for (const auto& sampler : read.json["animations"][0]["samplers"]) {
    const auto times = read.floats(sampler["input"]);
    CHECK(times.size() == 199);
    CHECK(times.front() == 0);
    for (std::size_t k = 1; k < times.size(); ++k) CHECK(times[k] > times[k - 1]);
    if (read.json["accessors"][sampler["output"].get<std::size_t>()]["type"] != "VEC4") continue;
    const auto q = read.floats(sampler["output"]);
    for (std::size_t k = 4; k < q.size(); k += 4) {
      CHECK(q[k] * q[k - 4] + q[k + 1] * q[k - 3] + q[k + 2] * q[k - 2] + q[k + 3] * q[k - 1] >= 0);
      CHECK(std::abs(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3] - 1) < 1e-6f);
    }
  }
}

TEST_CASE("to_glb: solids have the sizes of the shapes, and equal ones share their triangles", "[io][film]") {
  Film film{"shapes", {"world", "a", "b"}, {}, {{0}, {BodyArray<Pose<double>>(3, Pose<double>::identity())}}, {}};
  const Pose<double> T{so3::exp<double>({0.1, 0.2, 0.3}), {1, 2, 3}};
  film.shapes = {{"ground", 0, Pose<double>::identity(), HalfSpace{}},
                 {"ball", 1, T, Sphere<double>{0.5}},
                 {"tube", 1, T, Cylinder<double>{0.1, 2}},
                 {"box", 2, T, Box<double>{{1, 2, 3}}},
                 {"capsule", 2, T, Capsule<double>{0.1, 1}},
                 {"half", 2, T, Capsule<double>{0.05, 0.5}},
                 {"line", 2, T, Capsule<double>{0, 1}},
                 {"dot", 2, T, Sphere<double>{0}},
                 {"mesh", 2, T, MeshFile{"x.stl"}}};
  const Read read(to_glb(film));
  std::set<std::size_t> surfaces;
  int seen = 0;
  for (const auto& node : read.json["nodes"]) {
    if (!node.contains("mesh")) continue;
    ++seen;
    const auto& primitive = read.json["meshes"][node["mesh"].get<std::size_t>()]["primitives"][0];
    const auto& range = read.json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
    surfaces.insert(primitive["attributes"]["POSITION"].get<std::size_t>());
    V3 extent;
    for (std::size_t k = 0; k < 3; ++k) {
      extent[static_cast<Eigen::Index>(k)] =
          node["scale"][k].get<double>() * (range["max"][k].get<double>() - range["min"][k].get<double>());
    }
    const std::string name = node["name"];
    CAPTURE(name, extent.transpose());
    if (name == "ball") CHECK((extent - V3(1, 1, 1)).norm() < 1e-5);
    if (name == "tube") CHECK((extent - V3(0.2, 0.2, 2)).norm() < 1e-5);
    if (name == "box") CHECK((extent - V3(1, 2, 3)).norm() < 1e-5);
    if (name == "capsule") CHECK((extent - V3(0.2, 0.2, 1.2)).norm() < 1e-5);
    if (name == "half") CHECK((extent - V3(0.1, 0.1, 0.6)).norm() < 1e-5);
    if (name == "line") CHECK(std::abs(extent[2] - 1) < 1e-3);
    if (name == "ground") CHECK(extent[0] >= 4);
    if (name != "ground") CHECK(node["translation"] == nlohmann::json({1.0, 2.0, 3.0}));
  }
  CHECK(seen == 8);
  CHECK(surfaces.size() == 6);  // capsules with the same proportions share one
  CHECK_FALSE(read.json.contains("animations"));
}

TEST_CASE("to_glb: without shapes and motion there are no numbers, and no chunk for them", "[io][film]") {
  const Read read(to_glb({"nothing", {"world"}, {}, {{0}, {BodyArray<Pose<double>>(1, Pose<double>::identity())}}, {}}));
  CHECK(read.numbers.empty());
  CHECK_FALSE(read.json.contains("buffers"));
}

TEST_CASE("to_glb: inconsistent films are refused", "[io][film]") {
  const BodyArray<Pose<double>> two(2, Pose<double>::identity()), three(3, Pose<double>::identity());
  CHECK_THROWS_WITH(to_glb({"a", {"world", "b"}, {}, {}, {}}), test::contains("film 'a'") && test::contains("no frame"));
  CHECK_THROWS_WITH(to_glb({"a", {"world", "b"}, {}, {{0, 1}, {two}}, {}}), test::contains("2 times but 1 frames"));
  CHECK_THROWS_WITH(to_glb({"a", {"world", "b"}, {}, {{0, 1}, {two, three}}, {}}),
                    test::contains("3 poses") && test::contains("2 body names"));
  CHECK_THROWS_WITH(to_glb({"a", {"world"}, {}, {{0}, {two}}, {}}), test::contains("2 poses") && test::contains("1 body names"));
  const Film stray{"a", {"world", "b"}, {{"ball", 2, Pose<double>::identity(), Sphere<double>{1}}}, {{0}, {two}}, {}};
  CHECK_THROWS_WITH(to_glb(stray), test::contains("'ball' is on body 2"));
}

TEST_CASE("to_glb: names from files are written safely", "[io][film]") {
  Film film{"\"quotes\"\n</script>\xff",
            {"world", std::string("a\0b", 3)},
            {},
            {{0}, {BodyArray<Pose<double>>(2, Pose<double>::identity())}},
            {}};
  const Read read(to_glb(film));
  CHECK(read.json["scenes"][0]["name"] == "\"quotes\"\n</script>\xef\xbf\xbd");
}

TEST_CASE("to_glb: ten seconds of a humanoid at 60 Hz take less than 2 MB", "[io][film]") {
  const std::string bytes = to_glb(tumbling(models::humanoid<double>(), 601));
  CHECK(bytes.size() < 2'000'000);
  CHECK(bytes.size() > 100'000);
}

}  // namespace glb_test
