// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SDF in, of the versions 1.4 to 1.11: one model, with models inside or not, or a world of them. Meshes are never looked for;
// other files are read only where a file includes them.
#include <string>
#include <string_view>

#include "actio/io/sdf/include.hpp"
#include "actio/io/sdf/reader.hpp"

namespace actio {

/// Reads a model from the text of an SDF file. Where several joints have one link for a child, the first carries it and the others close
/// loops; poses of the file are those of the neutral configuration.                           [sdformat.org, "Pose frame semantics"]
/// Gravity is that of a world, (0, 0, -9.8) [m/s^2] where it gives none; a model without a world has that of ModelBuilder.
/// <include> is refused: a text has no folder.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_sdf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::SdfReader<S>(document, options));
}

/// Reads a model from an SDF file and what it includes.  @throws ParseError when one cannot be read, and as parse_sdf does.
template <Scalar S = double>
Loaded<S> read_sdf(const std::string& path, const ReadOptions& options = {}) {
  detail::IncludeFiles files(path, options);
  detail::include_sdf(files);
  return detail::load<S>(detail::SdfReader<S>(files.document(), options));
}

}  // namespace actio
