// SPDX-License-Identifier: BSD-3-Clause
// What all integrators check, and two sources of contacts.
#include "actio/model/builder.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/contacts/bodies.hpp"
#include "actio/contacts/plane.hpp"
#include "actio/integrators/integrator.hpp"
#include "actio/integrators/shared/joint_bounds.hpp"
#include "actio/model/capabilities.hpp"
