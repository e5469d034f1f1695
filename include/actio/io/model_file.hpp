// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads a robot file in any supported format, recognised by its root element rather than its file name.
#include <string>
#include <string_view>

#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"
#include "actio/io/urdf.hpp"

namespace actio {

namespace detail {

/// Reads a model with the reader that the root element asks for.  @param meshes as MjcfReader takes them.  @throws ParseError
template <Scalar S>
Loaded<S> load_model(const XmlDocument& document, const ReadOptions& options, MeshFolders* meshes = nullptr) {
  const std::string_view root = document.root().name();
  if (root == "robot") return load<S>(UrdfReader<S>(document, options));
  if (root == "sdf") return load<S>(SdfReader<S>(document, options));
  if (root == "mujoco") return load<S>(MjcfReader<S>(document, options, meshes));
  document.fail(document.root(),
                "the root element is <" + std::string(root) + ">, expected <robot> (URDF), <sdf> or <mujoco> (MJCF)", "model.root");
}

}  // namespace detail

/// Reads a model from the text of a URDF, SDF or MJCF file, as parse_urdf, parse_sdf or parse_mjcf does.
/// <include> of SDF and MJCF is refused, because a text has no folder.
/// @param name of the file, for messages.  @throws ParseError with one line for each error.
template <Scalar S = double>
Loaded<S> parse_model(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load_model<S>(document, options);
}

/// Reads a model from a URDF, SDF or MJCF file and its included files.  @throws ParseError if one cannot be read, and as parse_model does.
template <Scalar S = double>
Loaded<S> read_model(const std::string& path, const ReadOptions& options = {}) {
  detail::IncludeFiles files(path, options);
  detail::include_sdf(files);
  detail::include_mjcf(files);
  MeshFolders meshes(path, options.model_folders);
  return detail::load_model<S>(files.document(), options, &meshes);
}

#ifdef ACTIO_IO_PRECOMPILED
ACTIO_INSTANTIATE Loaded<double> parse_model(std::string_view, const std::string&, const ReadOptions&);
ACTIO_INSTANTIATE Loaded<double> read_model(const std::string&, const ReadOptions&);
#endif

}  // namespace actio
