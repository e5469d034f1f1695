// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// SDF in, of the versions 1.4 to 1.11: one model, with models inside or not, or a world of them. Nothing but the text is read: meshes are
// never looked for, and <include> is refused.
#include <string>
#include <string_view>
#include <utility>

#include "actio/io/sdf_reader.hpp"

namespace actio {

/// Reads a model from the text of an SDF file. Where several joints have one link for a child, the first carries it and the others close
/// loops; poses of the file are those of the neutral configuration.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_sdf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  detail::SdfReader<S> reader(document, options);
  Model<S> model = reader.read();
  return {std::move(model), reader.take_report()};
}

/// Reads a model from an SDF file.  @throws ParseError when it cannot be read, and as parse_sdf does.
template <Scalar S = double>
Loaded<S> read_sdf(const std::string& path, const ReadOptions& options = {}) {
  return parse_sdf<S>(detail::read_file(path, options.limits.bytes), path, options);
}

}  // namespace actio
