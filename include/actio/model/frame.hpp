// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Named frames that are fixed on bodies.
#include <string>

#include "actio/math/pose.hpp"

namespace actio {

/// A named pose fixed on a body. A model has a frame for every link that it was built from, merged ones included, and for each that the
/// user adds.
template <Scalar S>
struct Frame {
  std::string name;                    ///< unique in the model
  BodyIndex body = 0;                  ///< body that carries it, 0 for the world
  Pose<S> T_BF = Pose<S>::identity();  ///< pose of the frame in the body
};

}  // namespace actio
