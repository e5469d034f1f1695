// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads SDF, versions 1.4 to 1.11: one model, possibly with nested models, or a world of models. Mesh files are not opened;
// other files are read only where a file includes them.
#include <string>
#include <string_view>

#include "actio/core/precompiled.hpp"
#include "actio/io/sdf/include.hpp"
#include "actio/io/sdf/reader.hpp"

namespace actio {

/// Reads a model from the text of an SDF file. If several joints have the same child link, the first carries it and the others become loop
/// constraints; the poses of the file are those of the neutral configuration.                 [sdformat.org, "Pose frame semantics"]
/// Gravity is that of the world, (0, 0, -9.8) [m/s^2] if the world has none; a model without a world gets the default of ModelBuilder.
/// <include> is refused, because a text has no folder.
/// @param name of the file, for messages.  @throws ParseError with one line for each error.
template <Scalar S = double>
Loaded<S> parse_sdf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::SdfReader<S>(document, options));
}

/// Reads a model from an SDF file and its included files.  @throws ParseError if a file cannot be read, and as parse_sdf does.
template <Scalar S = double>
Loaded<S> read_sdf(const std::string& path, const ReadOptions& options = {}) {
  detail::IncludeFiles files(path, options);
  detail::include_sdf(files);
  return detail::load<S>(detail::SdfReader<S>(files.document(), options));
}

#ifdef ACTIO_IO_PRECOMPILED
ACTIO_INSTANTIATE Loaded<double> parse_sdf(std::string_view, const std::string&, const ReadOptions&);
ACTIO_INSTANTIATE Loaded<double> read_sdf(const std::string&, const ReadOptions&);
#endif

}  // namespace actio
