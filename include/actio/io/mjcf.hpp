// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MJCF in, MuJoCo's format: bodies, joints, inertias, defaults, geoms that collide, equalities. Meshes are never looked for; other files are
// read only where a file includes them. Actuators, sensors, tendons and solver settings are passed over.
#include <string>
#include <string_view>

#include "actio/io/mjcf/include.hpp"
#include "actio/io/mjcf/reader.hpp"

namespace actio {

/// Reads a model from the text of an MJCF file. The pose of the file is the neutral configuration, also where joints have a `ref`.
/// Several joints of a body become one, named "a+b", where there is one that moves alike, else a chain through massless bodies; the report
/// says which.
/// <include> is refused: a text has no folder.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_mjcf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::MjcfReader<S>(document, options));
}

/// Reads a model from an MJCF file and what it includes.  @throws ParseError when one cannot be read, and as parse_mjcf does.
template <Scalar S = double>
Loaded<S> read_mjcf(const std::string& path, const ReadOptions& options = {}) {
  detail::IncludeFiles files(path, options);
  detail::include_mjcf(files);
  return detail::load<S>(detail::MjcfReader<S>(files.document(), options));
}

}  // namespace actio
