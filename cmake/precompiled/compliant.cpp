// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/body_mobility.hpp"
#include "actio/dynamics/crba.hpp"
#include "actio/dynamics/energy.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/dynamics/rnea.hpp"
#include "actio/dynamics/tree_lu.hpp"
#include "actio/equations/closure_solver.hpp"
#include "actio/solvers/cone/certificate.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/compliant.hpp"
