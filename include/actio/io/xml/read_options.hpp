// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Options and results of the readers of robot files.
#include <filesystem>
#include <optional>
#include <vector>

#include "actio/io/xml/document.hpp"
#include "actio/io/xml/load_report.hpp"
#include "actio/model/actuator.hpp"
#include "actio/model/builder.hpp"

namespace actio {

/// Options of all readers of robot files.
struct ReadOptions {
  bool strict = false;            ///< refuse violations of the format or of mechanics, instead of repairing or doubting them
  std::optional<Base> base = {};  ///< how the base is attached to the world; if not given, as the file says, else the format's default:
                                  ///< fixed in URDF and MJCF, floating in SDF. Floating frees a base that a single fixed joint
                                  ///< attaches to the world, with a warning; if other joints do, it is a ParseError
  bool fix_idle_joints = false;   ///< with a floating base in URDF, make a joint fixed, with a warning, if it is the only one on a base
                                  ///< without inertia and shapes, which would move without inertia: the free joint moves the same
  XmlLimits limits{};             ///< limits on the file
  /// Folders, with their subfolders, from which a file may include others, in addition to its own folder; "model://name" of SDF is
  /// searched in them first.
  std::vector<std::filesystem::path> model_folders = {};
};

/// A model, what a file says about running it, and the findings of its reader.
template <Scalar S = double>
struct Loaded {
  Model<S> model;                        ///< checked by ModelBuilder
  LoadReport report;                     ///< what was repaired, doubted and ignored
  std::vector<Actuator<S>> actuators{};  ///< of MJCF, in the order of the file, without those that are not supported
  std::vector<Keyframe<S>> keyframes{};  ///< of MJCF, in the order of the file, in the layout of `model`
  std::optional<double> time_step{};     ///< `timestep` of MJCF, `max_step_size` of SDF, if the file has it [s]
};

}  // namespace actio
