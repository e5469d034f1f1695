// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Finds, limits and parses the files that a robot file includes; mjcf/include.hpp and sdf/include.hpp insert their elements.
#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "actio/io/xml/document.hpp"
#include "actio/io/xml/read_options.hpp"

namespace actio::detail {

/// Opens files only in the folder of the main file, in the model folders, and in their subfolders, so that an untrusted file cannot make
/// messages show the contents of others; symbolic links there are followed. Must outlive the use of included elements.
class IncludeFiles {
 public:
  using Path = std::filesystem::path;

  /// @param path of the main file.  @throws ParseError if it cannot be read, is not XML, or exceeds a limit.
  IncludeFiles(const std::string& path, const ReadOptions& options)
      : limits_(options.limits), model_folders_(options.model_folders), document_(parse(add(path))) {
    model_folders_.push_back(main_folder());
  }
  IncludeFiles(const IncludeFiles&) = delete;

  XmlDocument& document() { return document_; }  ///< of the main file
  Path main_folder() const { return files_.front().path.parent_path(); }
  /// Returns the folder of the file that contains an element of the document.
  Path folder_of(pugi::xml_node node) const { return file_of(node).path.parent_path(); }

  /// Returns the file that an <include> names by a path relative to `folder`.  @throws ParseError for paths that lead elsewhere.
  Path find(pugi::xml_node include, const Path& folder, const std::string& name) const {
    if (name.empty()) refuse(include, "it names no file");
    if (name.find("://") != std::string::npos) refuse(include, excerpt(name) + " is not fetched: expected a path relative to the file");
    if (Path(name).is_absolute()) refuse(include, excerpt(name) + " is an absolute path, expected one relative to the file");
    const Path path = (folder / name).lexically_normal();
    for (const Path& allowed : model_folders_) {
      if (is_below(path, allowed)) return path;
    }
    refuse(include, excerpt(name) +
                        " leads out of the folder of the file: add the folder it is in to the model folders (ReadOptions::model_folders; "
                        "--model-folder of simulate)");
  }
  /// Returns the file or folder `name` in the first model folder that has it, the main file's folder last.  @throws ParseError if none has.
  Path find_model(pugi::xml_node include, const std::string& name) const {
    std::string folders;
    for (const Path& folder : model_folders_) {
      const Path path = (folder / name).lexically_normal();
      std::error_code none;
      if (!name.empty() && !Path(name).is_absolute() && is_below(path, folder) && std::filesystem::exists(path, none)) return path;
      folders += (folders.empty() ? "'" : ", '") + (folder.empty() ? "." : folder.string()) + '\'';
    }
    refuse(include, "model " + excerpt(name) + " is in none of the model folders " + folders +
                        " (ReadOptions::model_folders; --model-folder of simulate)");
  }

  /// Parses a file.  @throws ParseError if it cannot be read, is not XML, or exceeds a limit.
  const XmlDocument& open(pugi::xml_node include, const Path& path) {
    if (files_.size() > limits_.files) refuse(include, "more than " + std::to_string(limits_.files) + " files are included");
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) refuse(include, excerpt(path.string()) + " is not a file that can be opened");
    File& file = add(path, &file_of(include));
    if (bytes_ > limits_.bytes) refuse(include, "more than " + std::to_string(limits_.bytes) + " bytes in total with the included files");
    const XmlDocument& document = parse(file);
    document_.add_repairs(document);
    return document;
  }
  /// Returns whether an element is in a file, or in one that this file includes, directly or indirectly.
  bool stands_in(pugi::xml_node node, const Path& path) const {
    const Path whole = absolute(path);
    for (const File* file = &file_of(node); file; file = file->includer) {
      if (file->whole == whole) return true;
    }
    return false;
  }

  [[noreturn]] void refuse(pugi::xml_node include, const std::string& why) const {
    document_.fail(include, "<include>: " + why, "include.file");
  }

 private:
  struct File {
    Path path, whole;  ///< as named, and absolute
    const File* includer;
    std::string text;
    std::optional<XmlDocument> document = {};
  };
  File& add(const Path& path, const File* includer = nullptr) {
    File& file = files_.emplace_back(File{path, absolute(path), includer, read_file(path.string(), limits_.bytes)});
    bytes_ += file.text.size();
    return file;
  }
  XmlDocument& parse(File& file) const { return file.document.emplace(file.text, file.path.string(), limits_); }
  const File& file_of(pugi::xml_node node) const {
    const XmlDocument* const source = &document_.source(node);
    return *std::find_if(files_.begin(), files_.end(), [&](const File& file) { return &*file.document == source; });
  }
  static Path absolute(const Path& path) {
    const Path normal = std::filesystem::absolute(path.empty() ? "." : path).lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
  }
  static bool is_below(const Path& path, const Path& folder) {
    const Path relative = absolute(path).lexically_relative(absolute(folder));
    return !relative.empty() && *relative.begin() != "..";
  }

  const XmlLimits limits_;
  std::size_t bytes_ = 0;  // read so far
  std::vector<Path> model_folders_;
  std::list<File> files_;  // the main file first
  XmlDocument& document_;
};

/// Returns the next element in the order of the text, within a root; null after the last.
inline pugi::xml_node next_in_text(pugi::xml_node node, pugi::xml_node root) {
  if (node.first_child()) return node.first_child();
  while (node != root && !node.next_sibling()) node = node.parent();
  return node == root ? pugi::xml_node() : node.next_sibling();
}

}  // namespace actio::detail
