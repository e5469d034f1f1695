// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// URDF in. Meshes are never looked for; what is wrong with a file is said at once, with file, line and element.
#include <string>
#include <string_view>

#include "actio/io/urdf/reader.hpp"

namespace actio {

using UrdfOptions = ReadOptions;  ///< what all readers take

/// Reads a model from the text of a URDF file. Gravity, of which URDF says nothing, is that of ModelBuilder.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_urdf(std::string_view text, const std::string& name, const UrdfOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::UrdfReader<S>(document, options));
}

/// Reads a model from a URDF file.  @throws ParseError when it cannot be read, and as parse_urdf does.
template <Scalar S = double>
Loaded<S> read_urdf(const std::string& path, const UrdfOptions& options = {}) {
  return parse_urdf<S>(detail::read_file(path, options.limits.bytes), path, options);
}

}  // namespace actio
