// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds mesh files below the folders that the user allows, and reads them within limits.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "actio/io/mesh/triangles.hpp"
#include "actio/io/xml/document.hpp"

namespace actio {

/// Limits on mesh files. A file that exceeds one is refused before it is read.
struct MeshLimits {
  std::size_t bytes = 20'000'000;         ///< of a file
  std::size_t total_bytes = 500'000'000;  ///< of all files of a model
};

/// Where mesh files of a model may be, and what has been read.
class MeshFolders {
 public:
  using Path = std::filesystem::path;  ///< of a file or folder

  /// @param model_file the path of the model: files in its folder and below may be opened, and
  /// @param folders those in these folders and below.
  explicit MeshFolders(const Path& model_file, const std::vector<Path>& folders = {}, const MeshLimits& limits = {}) : limits_(limits) {
    folders_.push_back(model_file.parent_path().empty() ? Path(".") : model_file.parent_path());
    folders_.insert(folders_.end(), folders.begin(), folders.end());
  }

  /// Opens and parses an STL or OBJ file. A relative name is searched in the model's folder and then in the others; the path after
  /// package:// or model:// also without its first part, the name of the package. Vertices are multiplied by the scale; triangles that the
  /// scale mirrors are turned over.
  /// @throws ParseError that says why it is not read: it is absent, leads out of the folders (by "..", by a link, as an absolute path or as
  /// a file:// URI), is not a regular file, is of another format, exceeds a limit, or is broken.
  TriangleMesh read(const MeshFile& file) {
    const std::string format = detail::mesh_format(file.uri);
    if (file.uri.empty()) throw ParseError("it has no file");
    if (format.empty()) throw ParseError("it is neither an .stl nor an .obj file");
    const Path path = find(file.uri);
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) throw ParseError("it is not a regular file");
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) throw ParseError("its size cannot be read");
    const auto mega = [](std::size_t bytes) { return detail::to_text(static_cast<double>(bytes) / 1e6, 4) + " MB"; };
    if (size > limits_.bytes) throw ParseError("it has " + mega(size) + ", more than the limit of " + mega(limits_.bytes));
    if (size > limits_.total_bytes - bytes_)
      throw ParseError("the meshes have more than " + mega(limits_.total_bytes) + " in total, the limit");
    bytes_ += static_cast<std::size_t>(size);
    std::string text;
    try {
      text = detail::read_file(path.string(), static_cast<std::size_t>(size));
    } catch (const ParseError&) {
      throw ParseError("it cannot be read");
    }
    TriangleMesh mesh = parse_mesh(text, format);
    for (Vector3<double>& x : mesh.vertices) {
      x = x.cwiseProduct(file.scale).eval();
      if (!(x.cwiseAbs().maxCoeff() <= detail::farthest_vertex)) throw ParseError("with its scale, a coordinate exceeds 1e6 m");
    }
    if (file.scale.prod() < 0) {
      for (auto& corners : mesh.triangles) std::swap(corners[1], corners[2]);
    }
    return mesh;
  }

 private:
  /// Returns the path of an existing file, without links.  @throws ParseError
  Path find(const std::string& uri) const {
    std::vector<Path> names;
    if (const std::size_t at = uri.find("://"); at != std::string::npos) {
      const std::string scheme = uri.substr(0, at), rest = uri.substr(at + 3);
      if (scheme != "package" && scheme != "model") {
        throw ParseError("its URI begins with " + detail::excerpt(scheme + "://") + ", expected package://, model:// or a relative path");
      }
      names.emplace_back(rest);
      if (const std::size_t slash = rest.find('/'); slash != std::string::npos) names.emplace_back(rest.substr(slash + 1));
    } else {
      names.emplace_back(uri);
    }
    bool leads_out = false;
    for (const Path& folder : folders_) {
      for (const Path& name : names) {
        if (name.is_absolute()) throw ParseError("its path is absolute, expected one relative to the model's file");
        const Path path = std::filesystem::absolute(folder / name).lexically_normal();
        std::error_code error;
        if (!is_allowed(path, false)) leads_out = true;  // the disk is not touched
        else if (const Path file = std::filesystem::canonical(path, error); !error) {
          if (is_allowed(file, true)) return file;
          leads_out = true;
        }
      }
    }
    throw ParseError(leads_out ? "its path leads out of the model's folder and of the other model folders"
                               : "there is no such file below the model folders");
  }
  bool is_allowed(const Path& path, bool without_links) const {
    for (const Path& folder : folders_) {
      std::error_code error;
      Path whole = without_links ? std::filesystem::canonical(folder, error) : std::filesystem::absolute(folder).lexically_normal();
      if (error) continue;
      if (!whole.has_filename()) whole = whole.parent_path();
      const Path relative = path.lexically_relative(whole);
      if (!relative.empty() && *relative.begin() != "..") return true;
    }
    return false;
  }

  std::vector<Path> folders_;
  MeshLimits limits_;
  std::size_t bytes_ = 0;  // read so far
};

}  // namespace actio
