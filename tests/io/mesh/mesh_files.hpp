// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Mesh files for tests: a temporary folder, boxes as STL and OBJ.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "actio/model/shape.hpp"

namespace actio::test {

/// A folder that is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / ("actio_mesh_" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file, and the folders on the way to it.  @returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// Returns the surface of a box between two corners [m].
inline TriangleMesh box_surface(const Vector3<double>& low, const Vector3<double>& high) {
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.vertices.emplace_back(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]);
  for (const auto& [a, b, c, d] : {std::array{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

inline std::string binary_stl(const TriangleMesh& mesh, const std::string& header = "made by a test") {
  std::string bytes = header;
  bytes.resize(80, ' ');
  const auto add = [&](const auto& x) { bytes.append(reinterpret_cast<const char*>(&x), sizeof x); };
  add(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) add(0.0f);
    for (const int k : triangle) {
      for (const double x : mesh.vertices[static_cast<std::size_t>(k)]) add(static_cast<float>(x));
    }
    add(std::uint16_t(0));
  }
  return bytes;
}

inline std::string text_stl(const TriangleMesh& mesh) {
  std::ostringstream text;
  text.precision(17);
  text << "solid my vertex\n";
  for (const auto& triangle : mesh.triangles) {
    text << "  facet normal 0 0 0\n    outer loop\n";
    for (const int k : triangle) text << "      vertex " << mesh.vertices[static_cast<std::size_t>(k)].transpose() << '\n';
    text << "    endloop\n  endfacet\n";
  }
  text << "endsolid my vertex\n";
  return text.str();
}

inline std::string obj(const TriangleMesh& mesh) {
  std::ostringstream text;
  text.precision(17);
  text << "# a box\nmtllib ../../etc/passwd\no box\n";
  for (const auto& x : mesh.vertices) text << "v " << x.transpose() << "\r\n";
  for (const auto& t : mesh.triangles) text << "f " << t[0] + 1 << "/7 " << t[1] + 1 << "//3 " << t[2] + 1 << "/1/2\n";
  return text.str();
}

}  // namespace actio::test
