// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

#include "actio/math/pose.hpp"

namespace actio {

/// A named pose fixed on a body: every link a model was made of, merged ones too, and what the user adds.
template <Scalar S>
struct Frame {
  std::string name;                    ///< unique in the model
  BodyIndex body = 0;                  ///< that carries it, 0 the world
  Pose<S> T_BF = Pose<S>::identity();  ///< pose of the frame in the body
};

}  // namespace actio
