// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the readers of robot files take and what they give.
#include <filesystem>
#include <optional>
#include <vector>

#include "actio/io/xml/document.hpp"
#include "actio/io/xml/load_report.hpp"
#include "actio/model/builder.hpp"

namespace actio {

/// What all readers of robot files take.
struct ReadOptions {
  bool strict = false;            ///< refuse what breaks the rules of the format or of mechanics, instead of repairing or doubting it
  std::optional<Base> base = {};  ///< how the base meets the world; none: as the file says, else as its format has it:
                                  ///< fixed in URDF and MJCF, floating in SDF. Floating is a ParseError where joints of the
                                  ///< file fix it to the world
  XmlLimits limits{};             ///< bounds on the file
  /// Folders that a file may include files from, they or what is below, besides its own folder; "model://name" of SDF is looked for in
  /// them first.
  std::vector<std::filesystem::path> model_folders = {};
};

/// A model and what was found while it was read.
template <Scalar S = double>
struct Loaded {
  Model<S> model;     ///< checked, as ModelBuilder makes it
  LoadReport report;  ///< what was repaired, doubted and ignored for it
};

}  // namespace actio
