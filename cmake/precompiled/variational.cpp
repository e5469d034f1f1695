// SPDX-License-Identifier: BSD-3-Clause
#include "actio/dynamics/drnea/jacobian.hpp"
#include "actio/dynamics/generalized_forces.hpp"
#include "actio/dynamics/joint_terms.hpp"
#include "actio/dynamics/kinematics.hpp"
#include "actio/dynamics/momentum.hpp"
#include "actio/dynamics/requirements.hpp"
#include "actio/dynamics/velocity_forces.hpp"
#include "actio/equations/closure_solver.hpp"
#include "actio/equations/compliant_tree.hpp"
#include "actio/solvers/cone/certificate.hpp"
#undef ACTIO_INSTANTIATE
#define ACTIO_INSTANTIATE template
#include "actio/integrators/variational.hpp"
