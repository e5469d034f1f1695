// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The joint types of a model by default. Fixed joints are not among them: they are merged when the model is built.
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

/// The joint types that Model, ModelBuilder and the readers use by default.
template <Scalar S>
using DefaultJoints = std::variant<Revolute<S>, Prismatic<S>, Helical<S>, Cylindrical<S>, Universal<S>, Spherical<S>, Planar<S>, Free<S>>;

}  // namespace actio
