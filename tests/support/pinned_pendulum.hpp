// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A pendulum as a free planar body, pinned by a loop.
#include "actio/model/builder.hpp"

namespace actio::test {

/// A bob of 1 kg and 0.025 kg m^2 in absolute coordinates (x, y, theta), pinned to the origin 1 m from its centre by a loop:
/// phi = (x, y) + Rot(theta) (-1, 0).  Level at q = (1, 0, 0).                                    [compliant_math.md, section 3.1]
inline Model<double> pinned_pendulum() {
  ModelBuilder<double> builder("pendulum");
  // three joints, so that the coordinates are the file's: v of a single planar joint would rotate with the body
  builder.gravity({0, -9.8, 0}).add_body("x", Inertia<double>::zero()).add_body("y", Inertia<double>::zero());
  builder.add_body("bob", Inertia<double>{1, Vector3<double>::Zero(), 0.025 * Matrix3<double>::Identity()});
  builder.add_joint("along_x", "world", "x", Pose<double>::identity(), Prismatic<double>({1, 0, 0}));
  builder.add_joint("along_y", "x", "y", Pose<double>::identity(), Prismatic<double>({0, 1, 0}));
  builder.add_joint("turn", "y", "bob", Pose<double>::identity(), Revolute<double>({0, 0, 1}));
  Loop<double> pin;  // phi = (x, y) + Rot(theta) u: a pin across the plane
  pin.name = "pin";
  pin.type = LoopType::point_on_line;
  pin.axis = Vector3<double>::UnitZ();
  pin.T_B.p = {-1, 0, 0};
  builder.add_loop(pin, "world", "bob");
  return builder.build();
}

}  // namespace actio::test
