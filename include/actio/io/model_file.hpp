// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A robot file in any format that is read here: what it is shows in its root element, not in its name.
#include <string>
#include <string_view>

#include "actio/io/mjcf.hpp"
#include "actio/io/sdf.hpp"
#include "actio/io/urdf.hpp"

namespace actio {

/// Reads a model from the text of a URDF, SDF or MJCF file.
/// @param name of the file, for messages.  @throws ParseError with one line for each thing that is wrong.
template <Scalar S = double>
Loaded<S> parse_model(std::string_view text, const std::string& name, const ReadOptions& options = {}) {
  const detail::XmlDocument document(text, name, options.limits);
  const std::string_view root = document.root().name();
  const auto read = [&](auto reader) {
    Model<S> model = reader.read();
    return Loaded<S>{std::move(model), reader.take_report()};
  };
  if (root == "robot") return read(detail::UrdfReader<S>(document, options));
  if (root == "sdf") return read(detail::SdfReader<S>(document, options));
  if (root == "mujoco") return read(detail::MjcfReader<S>(document, options));
  throw ParseError(document.origin(document.root()) + ": the root element is <" + std::string(root) +
                   ">, expected <robot> (URDF), <sdf> or <mujoco> (MJCF) [model.root]");
}

/// Reads a model from a URDF, SDF or MJCF file.  @throws ParseError when it cannot be read, and as parse_model does.
template <Scalar S = double>
Loaded<S> read_model(const std::string& path, const ReadOptions& options = {}) {
  return parse_model<S>(detail::read_file(path, options.limits.bytes), path, options);
}

}  // namespace actio
