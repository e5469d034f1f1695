// SPDX-License-Identifier: BSD-3-Clause
#include "actio/io/mesh/triangles.hpp"

#include <limits>
#include <string>

#include "actio/io/mesh/solid.hpp"
#include "actio/model/samples/random.hpp"
#include "io/mesh/mesh_files.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace triangles_test {

using namespace actio;
using test::missing;
using test::refusal;

const Vector3<double> low(-0.5, 0.25, 1), high(1.5, 0.75, 1.25);  // exact in float

std::string refused(const std::string& bytes, const char* format) {
  return refusal<ParseError>([&] { return parse_mesh(bytes, format); });
}

TEST_CASE("meshes: binary and text STL and OBJ give the same box, whose solid is that of the closed form", "[io][mesh][fast]") {
  const TriangleMesh box = test::box_surface(low, high);
  const auto [bytes, format] =
      GENERATE_COPY(std::pair(test::binary_stl(box), "stl"), std::pair(test::binary_stl(box, "solid, but binary"), "stl"),
                    std::pair(test::text_stl(box), "stl"), std::pair(test::obj(box), "obj"));
  const TriangleMesh mesh = parse_mesh(bytes, format);
  REQUIRE(mesh.triangles.size() == 12);
  const auto solid = detail::solid_of(mesh);
  REQUIRE(solid);
  const Vector3<double> size = high - low;
  CHECK(std::abs(solid->volume - size.prod()) < 1e-14);
  CHECK((solid->unit.com - (low + high) / 2).norm() < 1e-14);
  CHECK((solid->unit.I_com - Inertia<double>::box(1, size).I_com).norm() < 1e-14);
}

TEST_CASE("meshes: the solid of a surface that is open or flat is not known, one that is inside out has the same inertia",
          "[io][mesh][fast]") {
  TriangleMesh box = test::box_surface(low, high);
  TriangleMesh inside_out = box;
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  REQUIRE(detail::solid_of(inside_out));
  CHECK((detail::solid_of(inside_out)->unit.I_com - detail::solid_of(box)->unit.I_com).norm() < 1e-14);
  box.triangles.pop_back();
  CHECK_FALSE(detail::solid_of(box));
  CHECK_FALSE(detail::solid_of(test::box_surface(low, {high[0], high[1], low[2]})));
}

TEST_CASE("meshes: faces of OBJ may have many corners, count from the end, and go on in the next line", "[io][mesh][fast]") {
  const TriangleMesh mesh = parse_mesh("v 0 0 0\nv 1 0 0 1\nv 1 1 0\nv +0 1e0 0\nf -4 -3 \\\n -2 -1\n", "obj");
  CHECK(mesh.triangles == std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}});
}

TEST_CASE("meshes: broken files are refused with the reason", "[io][mesh][fast]") {
  const TriangleMesh box = test::box_surface(low, high);
  const std::string binary = test::binary_stl(box);
  std::string lies = binary;
  lies[83] = '\x7f';  // two thousand million triangles
  CHECK(missing(refused(lies, "stl"), {"2130706444 triangles", "hold 12"}).empty());
  CHECK(missing(refused(binary.substr(0, binary.size() - 1), "stl"), {"12 triangles", "hold 11"}).empty());
  CHECK(missing(refused(binary + "more", "stl"), {"12 triangles"}).empty());
  CHECK(missing(refused("", "stl"), {"0 bytes"}).empty());
  std::string nan = binary;
  nan.replace(84 + 12, 4, "\xff\xff\xff\x7f");
  CHECK(missing(refused(nan, "stl"), {"triangle 1", "not finite"}).empty());
  CHECK(missing(refused("solid a\nendsolid a\n", "stl"), {"no triangles"}).empty());
  CHECK(missing(refused("solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0", "stl"), {"line 5", "2 numbers"}).empty());
  CHECK(missing(refused("solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "stl"), {"line 6", "2 vertices"}).empty());
  const std::string text = test::text_stl(box);
  CHECK(missing(refused(text.substr(0, text.rfind("endsolid")), "stl"), {"before endsolid"}).empty());
  CHECK(missing(refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "obj"), {"line 4", "'4'", "3 vertices"}).empty());
  CHECK(missing(refused("v 0 0 0\nf 1 1 -2\n", "obj"), {"'-2'"}).empty());
  CHECK(missing(refused("v 0 0 0\nf 1 99999999999999999999 1\n", "obj"), {"line 2"}).empty());
  CHECK(missing(refused("v 0 0 nan\n", "obj"), {"line 1", "not finite"}).empty());
  CHECK(missing(refused("v 0 1e7 0\n", "obj"), {"exceeds 1e6 m"}).empty());
  CHECK(missing(refused("v 0 0 0\nv 1 0 0\nf 1 2\n", "obj"), {"2 corners"}).empty());
  CHECK(missing(refused(std::string("v 0 0 0\n"), "obj"), {"no triangles"}).empty());
}

TEST_CASE("meshes: any bytes are read or refused, and what is read has its vertices", "[io][mesh][fast]") {
  const TriangleMesh box = test::box_surface(low, high);
  models::Random random(7);
  int read = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = round % 3 == 0 ? test::binary_stl(box) : round % 3 == 1 ? test::text_stl(box) : test::obj(box);
    const auto place = [&] { return static_cast<std::size_t>(random.below(static_cast<int>(bytes.size()) + 1)); };
    for (int k = 1 + random.below(4); k > 0; --k) {
      const int kind = random.below(4);
      if (kind == 0 && !bytes.empty()) bytes[place() % bytes.size()] = static_cast<char>(random.below(256));
      else if (kind == 1) bytes.erase(place(), static_cast<std::size_t>(random.below(30)));
      else if (kind == 2) bytes.insert(place(), bytes.substr(place(), static_cast<std::size_t>(random.below(30))));
      else bytes.insert(place(), std::string(1, "0123456789-+.e/\\ \nvf"[random.below(20)]));
    }
    try {
      const TriangleMesh mesh = parse_mesh(bytes, round % 3 == 2 ? "obj" : "stl");
      ++read;
      for (const auto& triangle : mesh.triangles) {
        for (const int k : triangle) REQUIRE((k >= 0 && k < static_cast<int>(mesh.vertices.size())));
      }
      for (const Vector3<double>& x : mesh.vertices) REQUIRE(x.allFinite());
    } catch (const ParseError& error) {
      REQUIRE(std::string(error.what()).size() < 300);
    }
  }
  CHECK(read > 100);
}

}  // namespace triangles_test
