// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Parses STL, binary and text, and the vertices and faces of OBJ. Memory is at most some ten times the file's size, for any content.
#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "actio/core/error.hpp"
#include "actio/io/xml/numbers.hpp"
#include "actio/model/shape.hpp"

namespace actio::detail {

inline constexpr double farthest_vertex = 1e6;  ///< largest coordinate of a mesh, before and after its scale [m]

/// Calls use(line number, words) for each line that is not empty. A line that ends in a backslash goes on in the next.
template <class Use>
void for_each_line(std::string_view text, Use use) {
  std::size_t number = 1;
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    for (std::size_t from = line.find_first_not_of(" \t\r"); from != std::string_view::npos;) {
      const std::size_t to = std::min(line.find_first_of(" \t\r", from), line.size());
      words.push_back(line.substr(from, to - from));
      from = line.find_first_not_of(" \t\r", to);
    }
    at = end + 1;
    if (!words.empty() && words.back() == "\\") {
      words.pop_back();
      continue;
    }
    if (!words.empty()) use(number, words);
    words.clear();
  }
}

[[noreturn]] inline void refuse_line(std::size_t number, const std::string& why) {
  throw ParseError("line " + std::to_string(number) + ": " + why);
}

/// Returns the vertex that is given by words[1], [2] and [3].  @throws ParseError
inline Vector3<double> vertex_of(std::size_t line, const std::vector<std::string_view>& words) {
  Vector3<double> x;
  if (words.size() < 4) refuse_line(line, "a vertex has " + std::to_string(words.size() - 1) + " numbers, expected 3");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string why = read_number(words[k + 1], x[static_cast<Eigen::Index>(k)]);
    if (!why.empty()) refuse_line(line, why);
  }
  if (x.cwiseAbs().maxCoeff() > farthest_vertex) refuse_line(line, "a coordinate exceeds 1e6 m");
  return x;
}

/// Parses a binary STL file: 80 bytes, the number of triangles, and for each a normal, three corners and two further bytes.
inline TriangleMesh parse_binary_stl(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little, "only little-endian machines are supported, as STL is little-endian");
  constexpr std::size_t head = 84, each = 50;
  std::uint32_t count = 0;
  if (bytes.size() < head) throw ParseError("it has " + std::to_string(bytes.size()) + " bytes, but an STL file has at least 84");
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if ((bytes.size() - head) % each != 0 || (bytes.size() - head) / each != count) {
    throw ParseError("it says that it has " + std::to_string(count) + " triangles, but its " + std::to_string(bytes.size()) +
                     " bytes hold " + std::to_string((bytes.size() - head) / each));
  }
  TriangleMesh mesh;
  mesh.vertices.reserve(3 * static_cast<std::size_t>(count));
  mesh.triangles.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      std::array<float, 3> x;
      std::memcpy(x.data(), bytes.data() + head + each * k + 12 * (corner + 1), sizeof x);
      const Vector3<double> vertex(static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]));
      if (!(vertex.cwiseAbs().maxCoeff() <= farthest_vertex) || !vertex.allFinite()) {
        throw ParseError("a corner of triangle " + std::to_string(k + 1) + " is not finite or exceeds 1e6 m");
      }
      mesh.vertices.push_back(vertex);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

inline TriangleMesh parse_text_stl(std::string_view text) {
  TriangleMesh mesh;
  std::size_t corners = 0;
  bool is_open = false, in_loop = false;  // a solid; the corners of a facet
  for_each_line(text, [&](std::size_t line, const std::vector<std::string_view>& words) {
    if (words[0] == "solid" || words[0] == "endsolid") {
      if (is_open == (words[0] == "solid")) refuse_line(line, std::string(words[0]) + " is not expected here");
      is_open = !is_open;
    } else if (!is_open) {
      refuse_line(line, excerpt(words[0]) + " is outside solid and endsolid");
    } else if (words[0] == "outer") {
      if (in_loop) refuse_line(line, "the loop before this one has no endloop");
      in_loop = true;
      corners = 0;
    } else if (words[0] == "vertex") {
      if (!in_loop || ++corners > 3) refuse_line(line, "a vertex that is not one of the three of a loop");
      mesh.vertices.push_back(vertex_of(line, words));
    } else if (words[0] == "endloop") {
      if (!in_loop || corners != 3) refuse_line(line, "a loop has " + std::to_string(corners) + " vertices, expected 3");
      in_loop = false;
      const int last = static_cast<int>(mesh.vertices.size()) - 1;
      mesh.triangles.push_back({last - 2, last - 1, last});
    } else if (words[0] != "facet" && words[0] != "endfacet") {
      refuse_line(line, excerpt(words[0]) + " is not a word of STL");
    }
  });
  if (is_open || in_loop) throw ParseError("it ends before endsolid");
  return mesh;
}

/// Parses vertices and faces, which are divided into triangles from their first corner; other statements are ignored, no file is opened.
inline TriangleMesh parse_obj(std::string_view text) {
  TriangleMesh mesh;
  for_each_line(text, [&](std::size_t line, const std::vector<std::string_view>& words) {
    if (words[0] == "v") mesh.vertices.push_back(vertex_of(line, words));
    if (words[0] != "f") return;
    if (words.size() < 4) refuse_line(line, "a face has " + std::to_string(words.size() - 1) + " corners, expected 3 or more");
    const auto corner = [&](std::string_view word) {
      const std::string_view digits = word.substr(0, word.find('/'));
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      const auto count = static_cast<std::int64_t>(mesh.vertices.size());
      if (error != std::errc{} || end != digits.data() + digits.size() || index == 0 || index > count || index < -count) {
        refuse_line(line, "a face has the corner " + excerpt(word) + ", expected the index of one of the " + std::to_string(count) +
                              " vertices above it");
      }
      return static_cast<int>(index > 0 ? index - 1 : count + index);
    };
    const int first = corner(words[1]);
    int before = corner(words[2]);
    for (std::size_t k = 3; k < words.size(); ++k) {
      const int next = corner(words[k]);
      mesh.triangles.push_back({first, before, next});
      before = next;
    }
  });
  return mesh;
}

/// Returns whether a file name ends in .stl or .obj, in letters of either case: "stl", "obj" or "".
inline std::string mesh_format(const std::string& name) {
  std::string end = name.substr(std::min(name.size(), std::max<std::size_t>(name.size(), 4) - 4));
  for (char& c : end) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return end == ".stl" || end == ".obj" ? end.substr(1) : "";
}

}  // namespace actio::detail

namespace actio {

/// Parses the bytes of an STL or OBJ file.  @param format "stl" or "obj".
/// @throws ParseError that says what is wrong, without the file's name.
inline TriangleMesh parse_mesh(std::string_view bytes, std::string_view format) {
  TriangleMesh mesh;
  if (format == "obj") {
    mesh = detail::parse_obj(bytes);
  } else {
    // The header of a binary file may begin with "solid" too, but a text has no zero byte.
    const std::size_t start = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
    const bool is_text = bytes.substr(start).starts_with("solid") && bytes.find('\0') == std::string_view::npos;
    mesh = is_text ? detail::parse_text_stl(bytes) : detail::parse_binary_stl(bytes);
  }
  if (mesh.triangles.empty()) throw ParseError("it has no triangles");
  return mesh;
}

}  // namespace actio
