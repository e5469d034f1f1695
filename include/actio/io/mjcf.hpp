// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads MJCF, MuJoCo's format: bodies, joints, inertias, defaults, geoms that collide, equalities, actuators of joints, keyframes and the
// time step. Other files are read only where a file includes them, and meshes where the inertia of a body without <inertial> depends on
// them. Sensors, tendons and solver settings are ignored.
#include <string>
#include <string_view>

#include "actio/core/precompiled.hpp"
#include "actio/io/mjcf/include.hpp"
#include "actio/io/mjcf/reader.hpp"

namespace actio {

/// Reads a model from the text of an MJCF file. The file's pose is the neutral configuration, even if joints have a `ref`.
/// Several joints of one body become a single joint named "a+b" if there is an equivalent type, else a chain through massless bodies; the
/// report tells which. Actuators act on joints of one degree of freedom; others are reported as ignored. <include> is refused, because a
/// text has no folder.
/// @param name of the file, for messages.  @throws ParseError with one line for each error.
template <Scalar S = double>
Loaded<S> parse_mjcf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::MjcfReader<S>(document, options));
}

/// Reads a model from an MJCF file, its included files, and the STL and OBJ files that give inertia, all of them only from the file's
/// folder and from ReadOptions::model_folders. A mesh that cannot be read is reported, and its inertia ignored.
/// @throws ParseError if another file cannot be read, and as parse_mjcf does.
template <Scalar S = double>
Loaded<S> read_mjcf(const std::string& path, const ReadOptions& options = {}) {
  detail::IncludeFiles files(path, options);
  detail::include_mjcf(files);
  MeshFolders meshes(path, options.model_folders);
  return detail::load<S>(detail::MjcfReader<S>(files.document(), options, &meshes));
}

#ifdef ACTIO_IO_PRECOMPILED
ACTIO_INSTANTIATE Loaded<double> parse_mjcf(std::string_view, const std::string&, const ReadOptions&);
ACTIO_INSTANTIATE Loaded<double> read_mjcf(const std::string&, const ReadOptions&);
#endif

}  // namespace actio
