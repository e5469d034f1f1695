// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The joints a model knows unless it is given others. Fixed joints are none: they are merged when the model is built.
#include <variant>

#include "actio/model/joints/cylindrical.hpp"
#include "actio/model/joints/free.hpp"
#include "actio/model/joints/helical.hpp"
#include "actio/model/joints/planar.hpp"
#include "actio/model/joints/prismatic.hpp"
#include "actio/model/joints/revolute.hpp"
#include "actio/model/joints/spherical.hpp"
#include "actio/model/joints/universal.hpp"

namespace actio {

/// What Model, ModelBuilder and the readers use where no other list of joints is given.
template <Scalar S>
using DefaultJoints = std::variant<Revolute<S>, Prismatic<S>, Helical<S>, Cylindrical<S>, Universal<S>, Spherical<S>, Planar<S>, Free<S>>;

}  // namespace actio
