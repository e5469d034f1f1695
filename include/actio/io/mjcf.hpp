// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// MJCF in, MuJoCo's format: bodies, joints, inertias, defaults, geoms that collide, equalities. Nothing but the text is read: meshes are never
// looked for, and <include> is refused. Actuators, sensors, tendons and solver settings are passed over.
#include <string>
#include <string_view>
#include <utility>

#include "actio/io/mjcf_reader.hpp"

namespace actio {

/// Reads a model from the text of an MJCF file. The pose of the file is the neutral configuration, also where joints have a `ref`.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_mjcf(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  detail::MjcfReader<S> reader(document, options);
  Model<S> model = reader.read();
  return {std::move(model), reader.take_report()};
}

/// Reads a model from an MJCF file.  @throws ParseError when it cannot be read, and as parse_mjcf does.
template <Scalar S = double>
Loaded<S> read_mjcf(const std::string& path, const ReadOptions& options = {}) {
  return parse_mjcf<S>(detail::read_file(path, options.limits.bytes), path, options);
}

}  // namespace actio
