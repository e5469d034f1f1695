// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Reads URDF. Mesh files are not opened; all errors are reported in one pass, with file, line and element.
#include <string>
#include <string_view>

#include "actio/core/precompiled.hpp"
#include "actio/io/urdf/reader.hpp"

namespace actio {

/// Reads a model from the text of a URDF file. URDF does not define gravity: the default of ModelBuilder applies.
/// @param name of the file, for messages.  @throws ParseError with one line for each error.
template <Scalar S = double>
Loaded<S> parse_urdf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  return detail::load<S>(detail::UrdfReader<S>(document, options));
}

/// Reads a model from a URDF file.  @throws ParseError if it cannot be read, and as parse_urdf does.
template <Scalar S = double>
Loaded<S> read_urdf(const std::string& path, const ReadOptions& options = {}) {
  return parse_urdf<S>(detail::read_file(path, options.limits.bytes), path, options);
}

#ifdef ACTIO_IO_PRECOMPILED
ACTIO_INSTANTIATE Loaded<double> parse_urdf(std::string_view, const std::string&, const ReadOptions&);
ACTIO_INSTANTIATE Loaded<double> read_urdf(const std::string&, const ReadOptions&);
#endif

}  // namespace actio
