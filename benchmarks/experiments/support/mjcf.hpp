// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The bodies of a model as MJCF, for experiments beside MuJoCo.
#include <ostream>

#include "actio/model/model.hpp"

namespace experiments {

/// Numbers separated by spaces.
struct MjcfNumbers {
  const actio::Vector3<double>& x;
  friend std::ostream& operator<<(std::ostream& out, const MjcfNumbers& numbers) {
    return out << numbers.x[0] << ' ' << numbers.x[1] << ' ' << numbers.x[2];
  }
};

/// Writes all bodies with their joints (revolute, universal, ball and free, with springs, dampers and armature, without limits), inertias and
/// shapes (balls, boxes and capsules) as elements of a worldbody. The order of the bodies, depth first, is MuJoCo's too. Sets the precision
/// and the locale of the stream.  @throws ModelError if a joint or a shape is of another kind.
void write_mjcf_bodies(std::ostream& file, const actio::Model<double>& model);

}  // namespace experiments
